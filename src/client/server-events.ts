// Reads Server-Sent Events (WHATWG HTML, section 9.2). Comments, ids and retry times are skipped. Pure.

/** One event: its name, `message` by default, and its lines of data joined by line breaks. */
export interface ServerEvent {
	name: string;
	text: string;
}

/** The event of a block of lines; null for a block without data. */
function parseBlock(lines: readonly string[]): ServerEvent | null {
	let name = "message";
	const texts: string[] = [];
	for (const line of lines) {
		const [, field = "", value = ""] = /^([^:]*)(?::[ ]?([\s\S]*))?$/.exec(line) ?? [];
		if (field === "event") name = value;
		else if (field === "data") texts.push(value);
	}
	return texts.length > 0 ? { name, text: texts.join("\n") } : null;
}

/** The lines of a stream, whole ones only: what is cut off at its end belongs to no event. */
async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const reader = stream.getReader();
	const decoder = new TextDecoder();
	let rest = "";
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			rest += decoder.decode(value, { stream: true });
			// A carriage return at the end may be half of a line break.
			const lines = rest.split(/\r\n|\n|\r(?!$)/);
			rest = lines.pop() ?? "";
			yield* lines;
		}
	} finally {
		await reader.cancel().catch(() => undefined);
	}
}

/** The events of a stream as they come. Leaving the loop closes the stream. */
export async function* readServerEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
	let block: string[] = [];
	for await (const line of readLines(stream)) {
		if (line !== "") {
			block.push(line);
			continue;
		}
		const event = parseBlock(block);
		block = [];
		if (event) yield event;
	}
}
