// Reads generateContent responses, streamed or whole, into stream parts. Pure but for its own state.

import type { TokenUsage } from "../catalog/price.ts";
import { toModelAnswer } from "./accumulate.ts";
import {
	fromGoogleFinishReason,
	type GoogleCandidate,
	type GoogleFunctionCall,
	type GooglePart,
	type GooglePartialArg,
	isFailedReason,
	readError,
	responseSchema,
	usageFromGoogle,
} from "./google-answer.ts";
import { THOUGHT_SIGNATURE } from "./google-request.ts";
import { parseJson } from "./json.ts";
import type { ModelAnswer } from "./model-call.ts";
import type { ReportedUsage, ServerSentEvent, StreamDecoder, StreamPart, UpstreamError } from "./wire.ts";

type Container = Record<string, unknown> | unknown[];

const MAX_PATH_DEPTH = 64;
/** Array elements a path may skip; what is skipped is null. */
const MAX_INDEX_GAP = 1_000;

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/y;

/** Keys and indices of a JSONPath such as `$.a["b c"][0]` (RFC 9535, singular queries), or null when it is none. */
function pathSteps(path: string): (string | number)[] | null {
	if (!path.startsWith("$")) return null;
	const steps: (string | number)[] = [];
	STEP.lastIndex = 1;
	while (STEP.lastIndex < path.length) {
		const match = STEP.exec(path);
		if (!match) return null;
		const [, name, index, double, single] = match;
		const quoted = double ?? single;
		steps.push(index === undefined ? (name ?? (quoted ?? "").replace(/\\(.)/g, "$1")) : Number(index));
	}
	return steps.length > 0 && steps.length <= MAX_PATH_DEPTH ? steps : null;
}

/** Defined, never assigned: `__proto__` is a key like any other. */
function put(container: Container, key: string | number, value: unknown): void {
	Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

function own(container: Container, key: string | number): unknown {
	return Object.getOwnPropertyDescriptor(container, key)?.value;
}

function isContainer(value: unknown): value is Container {
	return typeof value === "object" && value !== null;
}

/** A call whose arguments arrive piece by piece. */
class AssembledCall {
	id: string | null;
	readonly name: string;
	signature: string | undefined;
	readonly #args: Record<string, unknown> = {};
	/** Paths whose string is still being written. */
	readonly #open = new Set<string>();

	constructor(id: string | null, name: string, args: unknown) {
		this.id = id;
		this.name = name;
		if (isContainer(args)) for (const [key, value] of Object.entries(args)) put(this.#args, key, value);
	}

	get json(): string {
		return JSON.stringify(this.#args);
	}

	/** Takes one piece; false when it cannot be placed. */
	add(piece: GooglePartialArg): boolean {
		const path = piece.jsonPath;
		const append = this.#open.has(path);
		if (piece.willContinue) this.#open.add(path);
		else this.#open.delete(path);
		if (typeof piece.stringValue === "string") return this.#set(path, piece.stringValue, append);
		if (typeof piece.numberValue === "number") return this.#set(path, piece.numberValue, false);
		if (typeof piece.boolValue === "boolean") return this.#set(path, piece.boolValue, false);
		return "nullValue" in piece ? this.#set(path, null, false) : true;
	}

	#set(path: string, value: unknown, append: boolean): boolean {
		const steps = pathSteps(path);
		let container: Container = this.#args;
		for (const [position, step] of steps?.entries() ?? []) {
			if (Array.isArray(container) !== (typeof step === "number")) return false;
			if (Array.isArray(container) && Number(step) > container.length + MAX_INDEX_GAP) return false;
			const current = own(container, step);
			const next = steps?.[position + 1];
			if (next === undefined) {
				put(container, step, append && typeof current === "string" ? `${current}${value}` : value);
				return true;
			}
			const child = current ?? (typeof next === "number" ? [] : {});
			if (!isContainer(child)) return false;
			if (child !== current) put(container, step, child);
			container = child;
		}
		return false;
	}
}

function providerPart(block: Record<string, unknown>): StreamPart {
	return { type: "provider", wire: "google", block };
}

const UNREADABLE: UpstreamError = { message: "the upstream sent something unreadable", code: "malformed_response" };

/** Decoder for Gemini streams; texts come as sent, and who delivers them makes them well-formed. A whole body is a stream of one chunk: `read` it, then `close`. */
export class GoogleDecoder implements StreamDecoder {
	#responseId = "";
	#calls = 0;
	#open: AssembledCall | null = null;
	#usage: TokenUsage | null = null;
	#native: string | null = null;
	#failed = false;
	#answered = false;
	#blocked = false;

	/** Whether a finish reason or a blocked prompt was seen; Gemini has no other end mark, and usage may still follow. */
	get finished(): boolean {
		return this.#native !== null;
	}

	reported(): ReportedUsage | null {
		return this.#usage && { counts: this.#usage, isFinal: this.finished };
	}

	/** Whether there was an answer at all, if an empty one. */
	get answered(): boolean {
		return this.#answered;
	}

	decode({ data }: ServerSentEvent): StreamPart[] {
		const body = parseJson(data);
		return body === undefined ? this.#fail(UNREADABLE) : this.read(body);
	}

	end(): StreamPart[] {
		return this.finished ? this.close() : [];
	}

	/** Parts of one parsed response or chunk, or of an array of them. */
	read(body: unknown): StreamPart[] {
		if (this.#failed) return [];
		if (Array.isArray(body)) return body.flatMap((item) => (Array.isArray(item) ? [] : this.read(item)));
		const error = readError(body);
		if (error) return this.#fail(error);
		const parsed = responseSchema.safeParse(body);
		if (!parsed.success) return this.#fail(UNREADABLE);
		const { candidates, promptFeedback, usageMetadata, responseId } = parsed.data;
		this.#responseId ||= (responseId ?? "").toWellFormed();
		// Each count is a snapshot of the whole; a chunk without one takes nothing back.
		this.#usage = usageFromGoogle(usageMetadata) ?? this.#usage;
		const [candidate] = candidates ?? [];
		if (candidate) return this.#candidate(candidate);
		if (promptFeedback?.blockReason) {
			this.#answered = true;
			this.#blocked = true;
			this.#native = promptFeedback.blockReason;
		}
		return [];
	}

	/** What only the end makes certain: a call left open, the reason and the last usage. */
	close(): StreamPart[] {
		if (this.#failed) return [];
		const parts = this.#closeCall();
		const reason = this.#blocked ? "content_filter" : fromGoogleFinishReason(this.#native, this.#calls > 0);
		parts.push({ type: "finish", reason, native: this.#native });
		if (this.#usage) parts.push({ type: "usage", usage: this.#usage });
		return parts;
	}

	#fail(error: UpstreamError): StreamPart[] {
		if (this.#failed) return [];
		this.#failed = true;
		// Counts are final only with a finish reason; what an unusable answer has cost is known then.
		const usage: StreamPart[] = this.finished && this.#usage ? [{ type: "usage", usage: this.#usage }] : [];
		return [...usage, { type: "failure", error }];
	}

	#candidate({ content, finishReason, finishMessage }: GoogleCandidate): StreamPart[] {
		this.#answered = true;
		const parts: StreamPart[] = [];
		for (const part of content?.parts ?? []) {
			parts.push(...this.#part(part));
			if (this.#failed) return parts;
		}
		if (!finishReason || finishReason === "FINISH_REASON_UNSPECIFIED") return parts;
		this.#native = finishReason;
		if (!isFailedReason(finishReason)) return parts;
		const message = finishMessage ?? `the model's answer ended with ${finishReason}`;
		return [...parts, ...this.#fail({ message, code: finishReason })];
	}

	#part(part: GooglePart): StreamPart[] {
		const { text, thought, thoughtSignature, functionCall, ...foreign } = part;
		const parts: StreamPart[] = [];
		if (text) parts.push({ type: thought ? "reasoning" : "text", text });
		if (functionCall) parts.push(...this.#functionCall(functionCall, thoughtSignature || undefined));
		else if (thoughtSignature) parts.push(providerPart({ type: THOUGHT_SIGNATURE, thoughtSignature }));
		if (Object.keys(foreign).length > 0) parts.push(providerPart(foreign));
		return parts;
	}

	/** A whole call, or a piece of one: a name begins it, a piece that does not announce another ends it. */
	#functionCall(piece: GoogleFunctionCall, signature: string | undefined): StreamPart[] {
		const parts: StreamPart[] = [];
		if (piece.name) {
			parts.push(...this.#closeCall());
			this.#open = new AssembledCall(piece.id ?? null, piece.name.toWellFormed(), piece.args);
		}
		const call = this.#open;
		const pieces = piece.partialArgs ?? [];
		// The empty mark after a call that is over already ends nothing; arguments of no call would be lost.
		if (!call) return pieces.length > 0 ? this.#fail(UNREADABLE) : parts;
		call.id ??= piece.id ?? null;
		call.signature ??= signature;
		if (!pieces.every((partial) => call.add(partial))) return [...parts, ...this.#fail(UNREADABLE)];
		return piece.willContinue ? parts : [...parts, ...this.#closeCall()];
	}

	#closeCall(): StreamPart[] {
		const call = this.#open;
		if (!call) return [];
		this.#open = null;
		const index = this.#calls++;
		const id = call.id || `call_${this.#responseId.slice(0, 64) || "0"}_${index}`;
		const { name, signature } = call;
		return [
			{ type: "tool_call", index, id, name, ...(signature === undefined ? {} : { signature }) },
			{ type: "tool_arguments", index, text: call.json },
		];
	}
}

/** The answer in a whole body, read as a stream of one chunk; null when the body holds none. */
export function parseGoogleAnswer(body: unknown): ModelAnswer | null {
	const decoder = new GoogleDecoder();
	const parts = [...decoder.read(body), ...decoder.close()];
	return decoder.answered ? toModelAnswer(parts) : null;
}
