// Upstream answers by script, in OpenAI's format unless a test writes another: what is said, when it waits, how it ends.

/** Waits. */
export function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A generator of pieces that may wait between them; one that throws breaks the connection. */
export type Script = () => AsyncGenerator<string, void>;

export interface Scripted {
	contentType?: string;
	/** Told when the reader leaves. */
	onCancel?(): void;
}

/** A response whose body is made as it is read. */
export function scripted(script: Script, { contentType = "text/event-stream", onCancel }: Scripted = {}): Response {
	const pieces = script();
	const encoder = new TextEncoder();
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const { done, value } = await pieces.next();
				if (done) controller.close();
				else controller.enqueue(encoder.encode(value));
			},
			cancel() {
				onCancel?.();
			},
		},
		{ highWaterMark: 0 },
	);
	return new Response(body, { headers: { "content-type": contentType } });
}

/** A response that is said at once. */
export function says(...events: string[]): Response {
	return scripted(async function* () {
		yield events.join("");
	});
}

/** A stream of AWS's binary messages. */
export function saysEvents(...messages: Uint8Array[]): Response {
	return new Response(new Blob(messages.map((message) => Uint8Array.from(message))), {
		headers: { "content-type": "application/vnd.amazon.eventstream" },
	});
}

/** One event of any format. */
export function event(data: unknown): string {
	return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** An event of Anthropic's. */
export function named(data: { type: string } & Record<string, unknown>): string {
	return `event: ${data.type}\n${event(data)}`;
}

/** A chunk that says something. */
export function word(content: string): string {
	return event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
}

/** The first chunk, which says nothing yet. */
export const ROLE = event({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] });

export const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

/** The last chunk. */
export function finish(reason = "stop", usage: unknown = USAGE): string {
	return event({ choices: [{ index: 0, delta: {}, finish_reason: reason }], ...(usage ? { usage } : {}) });
}

export const DONE = event("[DONE]");

/** A short whole stream. */
export function answers(text = "Fine."): Response {
	return says(ROLE, word(text), finish(), DONE);
}

/** An error status. */
export function status(code: number, headers: Record<string, string> = {}, body: unknown = {}): Response {
	return Response.json(body, { status: code, headers });
}

/** The provider that a request went to. */
export function providerOf(request: { url: string }): string {
	return new URL(request.url).pathname.split("/")[1] ?? "";
}
