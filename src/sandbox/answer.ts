// One answer with its usage and its faults, independent of the wire format.
import { clip } from "../clip.ts";
import { isJsonObject } from "../json.ts";
import type { CallStage } from "../providers/sandbox-stage.ts";
import type { SandboxFaults } from "./faults.ts";
import { saidInstead, unfitJson } from "./non-answers.ts";
import { longText, replyTo, type SandboxPrompt } from "./reply.ts";
import type { SandboxCall } from "./sandbox-tool.ts";

/** Token counts in disjoint buckets. Each format adds them up in its own way. */
interface SandboxUsage {
	uncachedInput: number;
	cacheRead: number;
	outputText: number;
	reasoning: number;
}

export interface SandboxAnswer {
	/** Hex; it depends on the request body alone. */
	id: string;
	model: string;
	text: string | null;
	reasoning: string | null;
	toolCalls: SandboxCall[];
	/** By the format's own sign, beside or instead of a text. */
	refusal: string | null;
	finish: "stop" | "length" | "tool_calls" | "refusal";
	/** Null if the prompt asks for none. */
	usage: SandboxUsage | null;
}

/** A request, as the reader of its format understands it. */
export interface SandboxRequest {
	/** The parsed request body. */
	request: unknown;
	prompt: SandboxPrompt;
	maxTokens: number | undefined;
	promptTokens: number;
}

/** Tokens of a text, four characters each. */
export function countTokens(text: string): number {
	return Math.ceil(text.length / 4);
}

/** A short hash of a JSON value. Ids are made of it, so that the same request gives the same bytes. */
export function shortHash(value: unknown): string {
	const text = JSON.stringify(value) ?? "";
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
	return hash.toString(16).padStart(8, "0");
}

/** A request body without the fields that choose between a stream and a whole answer: both have one id. */
function withoutDelivery(body: unknown): unknown {
	if (!isJsonObject(body)) return body;
	const { stream, stream_options, ...rest } = body;
	return rest;
}

/** The time of every answer: a constant, for the same reason. */
export const CREATED_SECONDS = 1_750_000_000;

/** What is said, before an output limit cuts it. */
function toSaid(
	prompt: SandboxPrompt,
	stage: CallStage | null,
	faults: SandboxFaults,
	reply: ReturnType<typeof replyTo>,
): { whole: string | null; toolCalls: SandboxCall[]; refusal: string | null } {
	if (faults.empty) return { whole: "", toolCalls: [], refusal: null };
	const instead = saidInstead(faults, prompt, stage);
	if (instead) return { whole: instead.text ?? "", toolCalls: [], refusal: instead.refusal };
	const { text, toolCalls } = reply;
	const isLong = faults.longWords > 0 && toolCalls.length === 0 && prompt.json === null;
	return { whole: isLong ? longText(faults.longWords) : (unfitJson(faults, prompt) ?? text), toolCalls, refusal: null };
}

function toFinish(refusal: string | null, calls: readonly SandboxCall[], isWhole: boolean): SandboxAnswer["finish"] {
	if (refusal !== null) return "refusal";
	if (calls.length > 0) return "tool_calls";
	return isWhole ? "stop" : "length";
}

/** Answers a request, by its stage if it has one. Reasoning counts inside the output limit and takes at most half of it. */
export function answerTo(
	{ request, prompt, maxTokens, promptTokens }: SandboxRequest,
	stage: CallStage | null,
	faults: SandboxFaults,
): SandboxAnswer {
	const reply = replyTo(prompt, stage, request);
	const limit = maxTokens ?? Math.max(1_000, faults.longWords * 4);
	const thought = reply.reasoning === null ? "" : clip(reply.reasoning, Math.floor(limit / 2) * 4);
	const reasoning = countTokens(thought);
	const room = limit - reasoning;
	const { whole, toolCalls, refusal } = toSaid(prompt, stage, faults, reply);
	const text = whole === null ? null : clip(whole, room * 4);
	const said = text ?? JSON.stringify(toolCalls);
	const cacheRead = Math.min(faults.cachedTokens, promptTokens);
	return {
		id: shortHash([prompt.model, withoutDelivery(request)]),
		model: prompt.model,
		text,
		reasoning: thought === "" ? null : thought,
		toolCalls,
		refusal,
		finish: toFinish(refusal, toolCalls, text?.length === whole?.length),
		usage: faults.noUsage
			? null
			: {
					uncachedInput: promptTokens - cacheRead,
					cacheRead,
					outputText: faults.overrun ? limit * 10 : Math.min(room, countTokens(said)),
					reasoning,
				},
	};
}

/** A text in the small pieces of a stream. */
export function* toPieces(text: string): Generator<string> {
	for (const [piece] of text.matchAll(/[\s\S]{1,12}/gu)) yield piece;
}
