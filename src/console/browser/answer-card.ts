// One model's answer as it streams: its text, the tools that it calls, what it cost and how long it took.
import { formatCount, formatDuration, formatExactUsd } from "../format.ts";
import { make } from "./elements.ts";
import { readData } from "./events.ts";
import { showMarkdown } from "./markdown-dom.ts";

export interface AskedTool {
	id: string;
	type: "function";
	function: { name: string; arguments: string };
}

/** A message as the API takes it. */
export interface ChatMessage {
	role: "user" | "assistant" | "tool";
	content: unknown;
	tool_calls?: AskedTool[];
	tool_call_id?: string;
}

interface AskedToolDelta {
	index: number;
	id?: string;
	function?: { name?: string; arguments?: string };
}

interface Chunk {
	id?: string;
	model?: string;
	choices?: {
		delta?: { content?: string | null; tool_calls?: AskedToolDelta[] };
		finish_reason?: string | null;
	}[];
	usage?: { prompt_tokens: number; completion_tokens: number } | null;
	svc?: { routing?: { reason?: string; provider?: string }; cost?: { total_usd?: number } };
	error?: { message?: string } | string;
	message?: string;
}

function errorMessage({ error, message }: Chunk): string {
	return typeof error === "object" ? (error.message ?? "it failed") : (message ?? error ?? "it failed");
}

/** Fields for results of tools in this page so far. */
let resultFields = 0;

/** How an answer ended. `failed` says why. */
export type AnswerEnd = { state: "complete" | "stopped" } | { state: "failed"; why: string };

export class AnswerCard {
	readonly element: HTMLElement;
	readonly calls: AskedTool[] = [];
	#text = "";
	#head = make("p", "answer-head");
	#body = make("div", "markdown");
	#tools = make("div");
	#facts = make("p", "answer-facts");
	#why = make("p", "hint");
	#startedMs = performance.now();
	#firstMs: number | null = null;
	#tokens: number | null = null;
	#cost: number | null = null;
	#id: string | null = null;
	#isDrawing = false;

	/** @param model as it was asked for. */
	constructor(model: string) {
		this.#head.append(make("strong", "", model));
		this.element = make("div", "answer", this.#head, this.#body, this.#tools, this.#facts, this.#why);
	}

	/** What was answered as a whole, for the conversation to go on with. */
	get message(): ChatMessage {
		const said: ChatMessage = {
			role: "assistant",
			content: this.#text === "" && this.calls.length > 0 ? null : this.#text,
		};
		return this.calls.length === 0 ? said : { ...said, tool_calls: this.calls };
	}

	/** What was said before the answer broke off; null for nothing. Of tools that it began to call, nobody knows the rest. */
	get beginning(): ChatMessage | null {
		return this.#text === "" ? null : { role: "assistant", content: this.#text };
	}

	/** Asks, and shows the answer until it ends. */
	async ask(url: string, fields: URLSearchParams, signal: AbortSignal): Promise<AnswerEnd> {
		try {
			const end = await this.#show(await fetch(url, { method: "POST", body: fields, signal }));
			return end === null ? { state: "complete" } : { state: "failed", why: end };
		} catch (error) {
			return signal.aborted ? { state: "stopped" } : { state: "failed", why: String(error) };
		} finally {
			showMarkdown(this.#body, this.#text);
			this.#showFacts();
		}
	}

	/** @returns why it failed; null when it is complete. */
	async #show(response: Response): Promise<string | null> {
		if (!response.ok || !response.body)
			return errorMessage((await response.json().catch(() => ({ message: `status ${response.status}` }))) as Chunk);
		for await (const piece of readData(response.body)) {
			if (piece === "[DONE]") return null;
			const chunk = JSON.parse(piece) as Chunk;
			this.#take(chunk);
			if (chunk.error !== undefined) return errorMessage(chunk);
		}
		return "the stream ended early; what was delivered is accounted for";
	}

	#take({ id, model, choices, usage, svc }: Chunk): void {
		const delta = choices?.[0]?.delta;
		if (delta?.content) {
			this.#firstMs ??= performance.now() - this.#startedMs;
			this.#text += delta.content;
			this.#drawSoon();
		}
		for (const call of delta?.tool_calls ?? []) this.#takeCall(call);
		if (id) this.#id = id;
		if (usage) this.#tokens = usage.completion_tokens;
		if (!svc) return;
		this.#cost = svc.cost?.total_usd ?? null;
		this.#why.textContent = svc.routing?.reason ?? "";
		if (model)
			this.#head.replaceChildren(
				make("strong", "", model),
				make("span", "faint", ` of ${svc.routing?.provider ?? ""}`),
			);
	}

	#takeCall({ index, id, function: part }: AskedToolDelta): void {
		const known = this.calls[index] ?? {
			id: id ?? `call_${index}`,
			type: "function",
			function: { name: "", arguments: "" },
		};
		known.function.name += part?.name ?? "";
		known.function.arguments += part?.arguments ?? "";
		this.calls[index] = known;
	}

	/** A text is drawn once a frame, however many pieces come meanwhile. */
	#drawSoon(): void {
		if (this.#isDrawing) return;
		this.#isDrawing = true;
		requestAnimationFrame(() => {
			this.#isDrawing = false;
			showMarkdown(this.#body, this.#text);
		});
	}

	#showFacts(): void {
		const wholeMs = performance.now() - this.#startedMs;
		const facts: (Node | string)[] = [];
		if (this.#cost !== null) facts.push(formatExactUsd(this.#cost));
		facts.push(formatDuration(wholeMs));
		if (this.#firstMs !== null) facts.push(`first token ${formatDuration(this.#firstMs)}`);
		if (this.#tokens !== null) facts.push(`${formatCount(this.#tokens)} tokens`);
		if (this.#tokens !== null && wholeMs > 0) facts.push(`${formatCount((1_000 * this.#tokens) / wholeMs)} a second`);
		if (this.#id !== null) {
			const link = make("a", "", "Decision, cost and receipt");
			link.href = `/console/requests/${encodeURIComponent(this.#id)}`;
			facts.push(link);
		}
		this.#facts.replaceChildren(...facts.map((fact) => (typeof fact === "string" ? make("span", "", fact) : fact)));
	}

	/** Says why there is no answer, or not all of it. */
	showFailure(why: string): void {
		this.#tools.append(make("p", "error", why));
	}

	/**
	 * Shows the tools that are called, each with a field for its result.
	 * @param onResults called once, with the messages that answer them.
	 */
	askForResults(onResults: (results: ChatMessage[]) => void): void {
		if (this.calls.length === 0) return;
		const heading = make("p", "hint", "It goes on once it has what these tools answered.");
		this.#tools.append(heading);
		const fields = this.calls.map(({ id, function: { name, arguments: given } }) => {
			const area = make("textarea");
			area.rows = 2;
			// Two models may give their calls the same ids.
			area.id = `result-${++resultFields}`;
			const label = make("label", "", `Result of ${name}`);
			label.htmlFor = area.id;
			const shown = make("pre", "", make("code", "", given));
			shown.tabIndex = 0;
			this.#tools.append(make("div", "tool-call", make("p", "", "Calls ", make("code", "", name)), shown, label, area));
			return { id, area };
		});
		const button = make("button", "quiet", "Send the results");
		button.type = "button";
		button.addEventListener("click", () => {
			heading.remove();
			button.remove();
			for (const { area } of fields) area.readOnly = true;
			onResults(fields.map(({ id, area }) => ({ role: "tool", tool_call_id: id, content: area.value })));
		});
		this.#tools.append(button);
	}
}
