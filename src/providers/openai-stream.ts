// Decodes streams in the OpenAI chat completions format, with the deviations of its providers.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import { isJsonObject, parseJson } from "../json.ts";
import {
	fromOpenAiFinishReason,
	isUnknownBodyField,
	OPENAI_FAILED_REASONS,
	openAiArguments,
	openAiContentPart,
	parseOpenAiError,
	splitContent,
	usageFromOpenAi,
} from "./openai-answer.ts";
import { TextArgumentsWriter } from "./text-tools.ts";
import type { ReportedUsage, StreamDecoder, StreamEvent, StreamPart, UpstreamError } from "./wire.ts";

const toolDeltaSchema = z.lazy(() =>
	z.looseObject({
		index: z.int().nullish(),
		id: z.string().nullish(),
		type: z.string().nullish(),
		function: z.looseObject({ name: z.string().nullish(), arguments: openAiArguments }).nullish(),
		custom: z.looseObject({ name: z.string().nullish(), input: z.string().nullish() }).nullish(),
	}),
);

const openAiChunkSchema = z.lazy(() =>
	z.looseObject({
		choices: z
			.array(
				z.looseObject({
					delta: z
						.looseObject({
							content: z.union([z.string(), z.array(openAiContentPart)]).nullish(),
							refusal: z.string().nullish(),
							reasoning_content: z.string().nullish(),
							reasoning: z.string().nullish(),
							tool_calls: z.array(toolDeltaSchema).nullish(),
						})
						.nullish(),
					finish_reason: z.string().nullish(),
					logprobs: z.looseObject({ content: z.array(z.unknown()).nullish() }).nullish(),
				}),
			)
			.nullish(),
		usage: z.unknown().optional(),
		/** Where Groq reports usage. */
		x_groq: z.looseObject({ usage: z.unknown().optional() }).nullish(),
	}),
);
type ToolDelta = z.infer<typeof toolDeltaSchema>;
type OpenAiDelta = NonNullable<NonNullable<z.infer<typeof openAiChunkSchema>["choices"]>[number]["delta"]>;

/** A tool call that has begun. */
interface OpenAiCall {
	id: string;
	/** The upstream gave no id, so this one was made up. */
	isIdInvented: boolean;
	/** Index among the announced calls; null until its name is known and it is announced. */
	index: number | null;
	name: string;
	/** Arguments that came before the name. */
	earlyArguments: string;
	/** All arguments that were emitted. */
	arguments: string;
	/** Writes the text of a custom tool's call as JSON; null for a function's. */
	writer: TextArgumentsWriter | null;
}

/** What completes a call's arguments: the end of a text, and an empty object where there were none, as in a whole answer. */
function closingArguments({ index, writer, arguments: written }: OpenAiCall): StreamPart[] {
	if (index === null || (written !== "" && !writer)) return [];
	return [{ type: "tool_arguments", index, text: writer ? writer.end() : "{}" }];
}

function failurePart(message: string, code: string | null = null): StreamPart {
	return { type: "failure", error: { message, code } };
}

/** The error that an event reports, in any of the providers' shapes; null when it reports none. */
function parseReportedError(body: unknown): UpstreamError | null {
	if (typeof body !== "object" || body === null) return null;
	if ("error" in body && body.error)
		return parseOpenAiError(body) ?? { message: "the upstream reports an error", code: null };
	return "choices" in body || "usage" in body ? null : parseOpenAiError(body);
}

/** Members of a delta that mean nothing when they are null. */
const SILENT_WHEN_NULL = new Set(["role", "refusal", "reasoning_content", "reasoning", "tool_calls"]);

/**
 * The text of a chunk that holds nothing else; null for any other chunk. Most chunks are of this kind, and skip the
 * schema.
 */
function plainChunkText(body: Record<string, unknown>): string | null {
	if (body["usage"] != null || body["x_groq"] != null || body["error"]) return null;
	const choices = body["choices"];
	if (!Array.isArray(choices) || choices.length !== 1) return null;
	const [choice] = choices;
	if (!isJsonObject(choice) || choice["finish_reason"] != null || choice["logprobs"] != null) return null;
	const delta = choice["delta"];
	if (!isJsonObject(delta) || typeof delta["content"] !== "string") return null;
	for (const [name, value] of Object.entries(delta)) {
		const isSilent = name === "content" || name === "role" || (value === null && SILENT_WHEN_NULL.has(name));
		if (!isSilent) return null;
	}
	return delta["content"];
}

/** Decodes one stream. It is complete when a finish reason came, and `[DONE]` or usage with it. */
export class OpenAiDecoder implements StreamDecoder {
	#calls: OpenAiCall[] = [];
	#callsByIndex = new Map<number, OpenAiCall>();
	#announcedCalls = 0;
	#hasFinishReason = false;
	#usage: TokenUsage | null = null;
	/** Some providers report a running count with every chunk. */
	#usageIsFinal = false;
	#isDone = false;
	/** The last value of each body field; objects as JSON. */
	#bodyFields = new Map<string, unknown>();

	get finished(): boolean {
		return this.#hasFinishReason && (this.#isDone || this.#usage !== null);
	}

	decode({ data }: StreamEvent): StreamPart[] {
		if (this.#isDone) return [];
		if (data.trim() === "[DONE]") {
			this.#isDone = true;
			return [];
		}
		const body = parseJson(data);
		if (body === undefined) return [failurePart("the upstream sent an event that is not JSON")];
		const text = isJsonObject(body) ? plainChunkText(body) : null;
		if (isJsonObject(body) && text !== null) {
			const parts = this.#bodyParts(body);
			if (text !== "") parts.unshift({ type: "text", text });
			return parts;
		}
		const reported = parseReportedError(body);
		if (reported) return [{ type: "failure", error: reported }];
		const parsed = openAiChunkSchema.safeParse(body);
		if (!parsed.success) return [failurePart("the upstream sent a chunk of another shape")];
		return this.#parts(parsed.data);
	}

	reportedUsage(): ReportedUsage | null {
		return this.#usage && { counts: this.#usage, isFinal: this.#usageIsFinal };
	}

	end(): StreamPart[] {
		return [];
	}

	/** Fields beside the choices, when their value changed. Most are repeated on every chunk. */
	#bodyParts(chunk: Record<string, unknown>): StreamPart[] {
		let fields: Record<string, unknown> | undefined;
		for (const [name, value] of Object.entries(chunk)) {
			if (!isUnknownBodyField(name, value)) continue;
			const comparable = typeof value === "object" ? JSON.stringify(value) : value;
			if (this.#bodyFields.get(name) === comparable) continue;
			this.#bodyFields.set(name, comparable);
			fields = { ...fields, [name]: value };
		}
		return fields ? [{ type: "body_fields", fields }] : [];
	}

	#parts(chunk: z.infer<typeof openAiChunkSchema>): StreamPart[] {
		const { choices, usage, x_groq } = chunk;
		const choice = choices?.[0];
		const parts = choice?.delta ? this.#deltaParts(choice.delta) : [];
		const logprobs = choice?.logprobs?.content;
		if (logprobs && logprobs.length > 0) parts.push({ type: "logprobs", content: logprobs });
		parts.push(...this.#bodyParts(chunk));
		if (choice?.finish_reason) parts.push(...this.#finishParts(choice.finish_reason));
		const tokenUsage = usageFromOpenAi(usage ?? x_groq?.usage);
		if (tokenUsage) {
			this.#usage = tokenUsage;
			this.#usageIsFinal = this.#hasFinishReason || Boolean(choice?.finish_reason);
			parts.push({ type: "usage", usage: tokenUsage });
		}
		return parts;
	}

	#deltaParts(delta: OpenAiDelta): StreamPart[] {
		const { content, refusal, reasoning_content, reasoning, tool_calls, role: _role, index: _index, ...extra } = delta;
		const { text, thinking } = splitContent(content);
		const thought = reasoning_content || reasoning || thinking;
		const parts: StreamPart[] = [];
		if (thought) parts.push({ type: "reasoning", text: thought });
		if (text) parts.push({ type: "text", text });
		if (refusal) parts.push({ type: "refusal", text: refusal });
		for (const call of tool_calls ?? []) parts.push(...this.#callParts(call));
		if (Object.keys(extra).length > 0) parts.push({ type: "extra", fields: extra });
		return parts;
	}

	/** The open call that a fragment continues: found by its id, else by its index, else the last one. */
	#findOpenCall({ index, id, function: written, custom }: ToolDelta): OpenAiCall | undefined {
		const byId = id ? this.#calls.find((call) => call.id === id) : undefined;
		if (byId) return byId;
		const known = index == null ? this.#calls.at(-1) : this.#callsByIndex.get(index);
		// Some providers give every parallel call index 0, so another id or another name means another call.
		if (id && known && !known.isIdInvented) return undefined;
		if (id && index == null) return undefined;
		const name = written?.name ?? custom?.name;
		if (!name || !known || known.name === "") return known;
		// Whole calls of one tool may come one after another, each with index 0 and without an id.
		const isWhole = known.arguments.endsWith("}") && isJsonObject(parseJson(known.arguments));
		return known.name !== name || (!id && isWhole) ? undefined : known;
	}

	#openOrFindCall(fragment: ToolDelta): OpenAiCall {
		const known = this.#findOpenCall(fragment);
		if (known) return known;
		const { id, index } = fragment;
		const place = this.#calls.length;
		const call: OpenAiCall = {
			id: id || `call_${place}`,
			isIdInvented: !id,
			index: null,
			name: "",
			earlyArguments: "",
			arguments: "",
			writer: null,
		};
		this.#calls.push(call);
		this.#callsByIndex.set(index ?? place, call);
		return call;
	}

	#callParts(fragment: ToolDelta): StreamPart[] {
		const call = this.#openOrFindCall(fragment);
		const { function: written, custom } = fragment;
		if (custom || fragment.type === "custom") call.writer ??= new TextArgumentsWriter();
		const piece = call.writer ? call.writer.add(custom?.input ?? "") : (written?.arguments ?? "");
		const text = call.earlyArguments + piece;
		call.name ||= (written?.name ?? custom?.name ?? "").toWellFormed();
		call.earlyArguments = call.name === "" ? text : "";
		if (call.name === "") return [];
		const parts: StreamPart[] = [];
		if (call.index === null) {
			call.index = this.#announcedCalls++;
			parts.push({ type: "tool_call", index: call.index, id: call.id, name: call.name });
		}
		if (text !== "") {
			call.arguments += text;
			parts.push({ type: "tool_arguments", index: call.index, text });
		}
		return parts;
	}

	#finishParts(native: string): StreamPart[] {
		if (this.#hasFinishReason) return [];
		if (OPENAI_FAILED_REASONS.has(native)) return [failurePart(`the upstream ended with ${native}`, native)];
		this.#hasFinishReason = true;
		return [
			...this.#calls.flatMap(closingArguments),
			{ type: "finish", reason: fromOpenAiFinishReason(native, this.#announcedCalls > 0), native },
		];
	}
}
