// Decodes generateContent responses, streamed or whole, into stream parts.
import type { TokenUsage } from "../catalog/price.ts";
import { parseJson } from "../json.ts";
import { toModelAnswer } from "./accumulate.ts";
import {
	fromGoogleFinishReason,
	type GoogleCandidate,
	type GoogleFunctionCall,
	type GooglePart,
	type GooglePartialArg,
	googleResponseSchema,
	isGoogleFailedReason,
	parseGoogleError,
	usageFromGoogle,
} from "./google-answer.ts";
import type { ModelAnswer } from "./model-call.ts";
import { THOUGHT_SIGNATURE } from "./returned-blocks.ts";
import type { ReportedUsage, StreamDecoder, StreamEvent, StreamPart, UpstreamError } from "./wire.ts";

type Container = Record<string, unknown> | unknown[];

const MAX_PATH_STEPS = 64;
/** How many array elements a path may skip. Skipped elements are null. */
const MAX_INDEX_GAP = 1_000;

const PATH_STEP = /\.([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/y;

/** The keys and indices of a JSONPath such as `$.a["b c"][0]` (RFC 9535, singular queries); null when it is not one. */
function parsePath(path: string): (string | number)[] | null {
	if (!path.startsWith("$")) return null;
	const steps: (string | number)[] = [];
	PATH_STEP.lastIndex = 1;
	while (PATH_STEP.lastIndex < path.length) {
		const match = PATH_STEP.exec(path);
		if (!match) return null;
		const [, name, index, double, single] = match;
		const quoted = double ?? single;
		steps.push(index === undefined ? (name ?? (quoted ?? "").replace(/\\(.)/g, "$1")) : Number(index));
	}
	return steps.length > 0 && steps.length <= MAX_PATH_STEPS ? steps : null;
}

/** Defines the member instead of assigning it, so that `__proto__` is a key like any other. */
function setOwn(container: Container, key: string | number, value: unknown): void {
	Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

function getOwn(container: Container, key: string | number): unknown {
	return Object.getOwnPropertyDescriptor(container, key)?.value;
}

function isContainer(value: unknown): value is Container {
	return typeof value === "object" && value !== null;
}

/** A call whose arguments arrive in pieces. */
class PartialCall {
	id: string | null;
	readonly name: string;
	signature: string | undefined;
	readonly #args: Record<string, unknown> = {};
	/** Paths whose string is not complete yet. */
	readonly #open = new Set<string>();

	constructor(id: string | null, name: string, args: unknown) {
		this.id = id;
		this.name = name;
		if (isContainer(args)) for (const [key, value] of Object.entries(args)) setOwn(this.#args, key, value);
	}

	get json(): string {
		return JSON.stringify(this.#args);
	}

	/** Adds one piece; returns false when the piece has no valid place. */
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
		const steps = parsePath(path);
		let container: Container = this.#args;
		for (const [position, step] of steps?.entries() ?? []) {
			if (Array.isArray(container) !== (typeof step === "number")) return false;
			if (Array.isArray(container) && Number(step) > container.length + MAX_INDEX_GAP) return false;
			const current = getOwn(container, step);
			const next = steps?.[position + 1];
			if (next === undefined) {
				setOwn(container, step, append && typeof current === "string" ? `${current}${value}` : value);
				return true;
			}
			const child = current ?? (typeof next === "number" ? [] : {});
			if (!isContainer(child)) return false;
			if (child !== current) setOwn(container, step, child);
			container = child;
		}
		return false;
	}
}

function googleBlockPart(block: Record<string, unknown>): StreamPart {
	return { type: "provider", wire: "google", block };
}

const MALFORMED_RESPONSE: UpstreamError = {
	message: "the upstream sent something unreadable",
	code: "malformed_response",
};

/**
 * Decodes a Gemini stream. Texts stay as sent; well-formed.ts repairs them. A whole body counts as a stream of one
 * chunk: `read`, then `close`.
 */
export class GoogleDecoder implements StreamDecoder {
	#responseId = "";
	#callCount = 0;
	#openCall: PartialCall | null = null;
	#usage: TokenUsage | null = null;
	#nativeReason: string | null = null;
	#hasFailed = false;
	#hasAnswer = false;
	#isBlocked = false;

	/**
	 * Whether a finish reason or a blocked prompt was seen. Gemini has no other end mark, and usage may still follow.
	 */
	get finished(): boolean {
		return this.#nativeReason !== null;
	}

	reportedUsage(): ReportedUsage | null {
		return this.#usage && { counts: this.#usage, isFinal: this.finished };
	}

	/** Whether there was an answer, even an empty one. */
	get hasAnswer(): boolean {
		return this.#hasAnswer;
	}

	decode({ data }: StreamEvent): StreamPart[] {
		const body = parseJson(data);
		return body === undefined ? this.#fail(MALFORMED_RESPONSE) : this.read(body);
	}

	end(): StreamPart[] {
		return this.finished ? this.close() : [];
	}

	/** The parts of one parsed response or chunk, or of an array of them. */
	read(body: unknown): StreamPart[] {
		if (this.#hasFailed) return [];
		if (Array.isArray(body)) return body.flatMap((item) => (Array.isArray(item) ? [] : this.read(item)));
		const error = parseGoogleError(body);
		if (error) return this.#fail(error);
		const parsed = googleResponseSchema.safeParse(body);
		if (!parsed.success) return this.#fail(MALFORMED_RESPONSE);
		const { candidates, promptFeedback, usageMetadata, responseId } = parsed.data;
		this.#responseId ||= (responseId ?? "").toWellFormed();
		// Each count covers the whole answer so far. A chunk without counts changes nothing.
		this.#usage = usageFromGoogle(usageMetadata) ?? this.#usage;
		const [candidate] = candidates ?? [];
		if (candidate) return this.#readCandidate(candidate);
		if (promptFeedback?.blockReason) {
			this.#hasAnswer = true;
			this.#isBlocked = true;
			this.#nativeReason = promptFeedback.blockReason;
		}
		return [];
	}

	/** The parts that only the end makes certain: an open call, the finish reason and the last usage. */
	close(): StreamPart[] {
		if (this.#hasFailed) return [];
		const parts = this.#closeCall();
		const reason = this.#isBlocked ? "content_filter" : fromGoogleFinishReason(this.#nativeReason, this.#callCount > 0);
		parts.push({ type: "finish", reason, native: this.#nativeReason });
		if (this.#usage) parts.push({ type: "usage", usage: this.#usage });
		return parts;
	}

	#fail(error: UpstreamError): StreamPart[] {
		if (this.#hasFailed) return [];
		this.#hasFailed = true;
		// Counts are final only with a finish reason. Then even an unusable answer has a known cost.
		const usage: StreamPart[] = this.finished && this.#usage ? [{ type: "usage", usage: this.#usage }] : [];
		return [...usage, { type: "failure", error }];
	}

	#readCandidate({ content, finishReason, finishMessage }: GoogleCandidate): StreamPart[] {
		this.#hasAnswer = true;
		const parts: StreamPart[] = [];
		for (const part of content?.parts ?? []) {
			parts.push(...this.#readPart(part));
			if (this.#hasFailed) return parts;
		}
		if (!finishReason || finishReason === "FINISH_REASON_UNSPECIFIED") return parts;
		this.#nativeReason = finishReason;
		if (!isGoogleFailedReason(finishReason)) return parts;
		const message = finishMessage ?? `the model's answer ended with ${finishReason}`;
		return [...parts, ...this.#fail({ message, code: finishReason })];
	}

	#readPart(part: GooglePart): StreamPart[] {
		const { text, thought, thoughtSignature, functionCall, ...foreign } = part;
		const parts: StreamPart[] = [];
		if (text) parts.push({ type: thought ? "reasoning" : "text", text });
		if (functionCall) parts.push(...this.#readFunctionCall(functionCall, thoughtSignature || undefined));
		else if (thoughtSignature) parts.push(googleBlockPart({ type: THOUGHT_SIGNATURE, thoughtSignature }));
		if (Object.keys(foreign).length > 0) parts.push(googleBlockPart(foreign));
		return parts;
	}

	/** Reads a whole call or a piece of one. A name begins a call; a piece that announces no other piece ends it. */
	#readFunctionCall(piece: GoogleFunctionCall, signature: string | undefined): StreamPart[] {
		const parts: StreamPart[] = [];
		if (piece.name) {
			parts.push(...this.#closeCall());
			this.#openCall = new PartialCall(piece.id ?? null, piece.name.toWellFormed(), piece.args);
		}
		const call = this.#openCall;
		const pieces = piece.partialArgs ?? [];
		// An empty end mark after a finished call changes nothing. Arguments that belong to no call would be lost.
		if (!call) return pieces.length > 0 ? this.#fail(MALFORMED_RESPONSE) : parts;
		call.id ??= piece.id ?? null;
		call.signature ??= signature;
		if (!pieces.every((partial) => call.add(partial))) return [...parts, ...this.#fail(MALFORMED_RESPONSE)];
		return piece.willContinue ? parts : [...parts, ...this.#closeCall()];
	}

	#closeCall(): StreamPart[] {
		const call = this.#openCall;
		if (!call) return [];
		this.#openCall = null;
		const index = this.#callCount++;
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
	return decoder.hasAnswer ? toModelAnswer(parts) : null;
}
