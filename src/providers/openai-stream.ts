// Reading the OpenAI chat completions format: streams, with the liberties that ten providers take.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import { isJsonObject, parseJson } from "./json.ts";
import {
	contentPart,
	FAILED_REASONS,
	fromOpenAiFinishReason,
	isBodyField,
	parseOpenAiError,
	splitContent,
	usageFromOpenai,
} from "./openai-answer.ts";
import type { ReportedUsage, ServerSentEvent, StreamDecoder, StreamPart, UpstreamError } from "./wire.ts";

const toolDelta = z.lazy(() =>
	z.looseObject({
		index: z.int().nullish(),
		id: z.string().nullish(),
		function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
	}),
);

const chunkSchema = z.lazy(() =>
	z.looseObject({
		choices: z
			.array(
				z.looseObject({
					delta: z
						.looseObject({
							content: z.union([z.string(), z.array(contentPart)]).nullish(),
							refusal: z.string().nullish(),
							reasoning_content: z.string().nullish(),
							reasoning: z.string().nullish(),
							tool_calls: z.array(toolDelta).nullish(),
						})
						.nullish(),
					finish_reason: z.string().nullish(),
					logprobs: z.looseObject({ content: z.array(z.unknown()).nullish() }).nullish(),
				}),
			)
			.nullish(),
		usage: z.unknown().optional(),
		/** Groq's place for usage. */
		x_groq: z.looseObject({ usage: z.unknown().optional() }).nullish(),
	}),
);
type ToolDelta = z.infer<typeof toolDelta>;
type Delta = NonNullable<NonNullable<z.infer<typeof chunkSchema>["choices"]>[number]["delta"]>;

/** A call that has begun. */
interface StreamedCall {
	id: string;
	/** Made up, because the upstream gave none. */
	invented: boolean;
	/** Place in the stream; null until its name is known and it is announced. */
	index: number | null;
	name: string;
	/** Arguments that came before the name. */
	early: string;
	/** Whether any arguments were said. */
	written: boolean;
}

function failure(message: string, code: string | null = null): StreamPart {
	return { type: "failure", error: { message, code } };
}

/** The error an event reports, in whichever of the providers' shapes; null when it reports none. */
function reportedError(body: unknown): UpstreamError | null {
	if (typeof body !== "object" || body === null) return null;
	if ("error" in body && body.error)
		return parseOpenAiError(body) ?? { message: "the upstream reports an error", code: null };
	return "choices" in body || "usage" in body ? null : parseOpenAiError(body);
}

/** Members of a delta that say nothing when they are null. */
const SILENT_WHEN_NULL = new Set(["role", "refusal", "reasoning_content", "reasoning", "tool_calls"]);

/** The text of a chunk that holds nothing else, as most do: it needs no schema. Null for any other. */
function plainText(body: Record<string, unknown>): string | null {
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

/** Decodes one stream. It is whole when the model said why it stopped, and `[DONE]` or usage came with it. */
export class OpenaiStreamDecoder implements StreamDecoder {
	#calls: StreamedCall[] = [];
	#byKey = new Map<number, StreamedCall>();
	#announced = 0;
	#finish = false;
	#usage: TokenUsage | null = null;
	/** Some report a running count with every chunk. */
	#usageIsFinal = false;
	#done = false;
	/** As last said; objects as JSON. */
	#bodyFields = new Map<string, unknown>();

	get finished(): boolean {
		return this.#finish && (this.#done || this.#usage !== null);
	}

	decode({ data }: ServerSentEvent): StreamPart[] {
		if (this.#done) return [];
		if (data.trim() === "[DONE]") {
			this.#done = true;
			return [];
		}
		const body = parseJson(data);
		if (body === undefined) return [failure("the upstream sent an event that is not JSON")];
		const text = isJsonObject(body) ? plainText(body) : null;
		if (isJsonObject(body) && text !== null) {
			const parts = this.#bodyParts(body);
			if (text !== "") parts.unshift({ type: "text", text });
			return parts;
		}
		const reported = reportedError(body);
		if (reported) return [{ type: "failure", error: reported }];
		const parsed = chunkSchema.safeParse(body);
		if (!parsed.success) return [failure("the upstream sent a chunk of another shape")];
		return this.#parts(parsed.data);
	}

	reported(): ReportedUsage | null {
		return this.#usage && { counts: this.#usage, isFinal: this.#usageIsFinal };
	}

	end(): StreamPart[] {
		return [];
	}

	/** Fields beside the choices, where they differ from what was said before: most are on every chunk. */
	#bodyParts(chunk: Record<string, unknown>): StreamPart[] {
		let fields: Record<string, unknown> | undefined;
		for (const [name, value] of Object.entries(chunk)) {
			if (!isBodyField(name, value)) continue;
			const said = typeof value === "object" ? JSON.stringify(value) : value;
			if (this.#bodyFields.get(name) === said) continue;
			this.#bodyFields.set(name, said);
			fields = { ...fields, [name]: value };
		}
		return fields ? [{ type: "body_fields", fields }] : [];
	}

	#parts(chunk: z.infer<typeof chunkSchema>): StreamPart[] {
		const { choices, usage, x_groq } = chunk;
		const choice = choices?.[0];
		const parts = choice?.delta ? this.#deltaParts(choice.delta) : [];
		const logprobs = choice?.logprobs?.content;
		if (logprobs && logprobs.length > 0) parts.push({ type: "logprobs", content: logprobs });
		parts.push(...this.#bodyParts(chunk));
		if (choice?.finish_reason) parts.push(...this.#finishParts(choice.finish_reason));
		const counted = usageFromOpenai(usage ?? x_groq?.usage);
		if (counted) {
			this.#usage = counted;
			this.#usageIsFinal = this.#finish || Boolean(choice?.finish_reason);
			parts.push({ type: "usage", usage: counted });
		}
		return parts;
	}

	#deltaParts(delta: Delta): StreamPart[] {
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

	/** The open call that a fragment goes on with: by its id, else by its index, else the last. */
	#goesOn({ index, id, function: written }: ToolDelta): StreamedCall | undefined {
		const byId = id ? this.#calls.find((call) => call.id === id) : undefined;
		if (byId) return byId;
		const known = index == null ? this.#calls.at(-1) : this.#byKey.get(index);
		// Some providers give every parallel call index 0: another id, or another name, is another call.
		if (id && known && !known.invented) return undefined;
		if (id && index == null) return undefined;
		const name = written?.name;
		return name && known && known.name !== "" && known.name !== name ? undefined : known;
	}

	#callOf(fragment: ToolDelta): StreamedCall {
		const known = this.#goesOn(fragment);
		if (known) return known;
		const { id, index } = fragment;
		const place = this.#calls.length;
		const call: StreamedCall = {
			id: id || `call_${place}`,
			invented: !id,
			index: null,
			name: "",
			early: "",
			written: false,
		};
		this.#calls.push(call);
		this.#byKey.set(index ?? place, call);
		return call;
	}

	#callParts(fragment: ToolDelta): StreamPart[] {
		const call = this.#callOf(fragment);
		const text = call.early + (fragment.function?.arguments ?? "");
		call.name ||= fragment.function?.name?.toWellFormed() ?? "";
		call.early = call.name === "" ? text : "";
		if (call.name === "") return [];
		const parts: StreamPart[] = [];
		if (call.index === null) {
			call.index = this.#announced++;
			parts.push({ type: "tool_call", index: call.index, id: call.id, name: call.name });
		}
		if (text !== "") {
			call.written = true;
			parts.push({ type: "tool_arguments", index: call.index, text });
		}
		return parts;
	}

	#finishParts(native: string): StreamPart[] {
		if (this.#finish) return [];
		if (FAILED_REASONS.has(native)) return [failure(`the upstream ended with ${native}`, native)];
		this.#finish = true;
		// A call without arguments has an empty object for them, as in a whole answer.
		const empty = this.#calls.flatMap(({ index, written }) => (index === null || written ? [] : [index]));
		return [
			...empty.map((index): StreamPart => ({ type: "tool_arguments", index, text: "{}" })),
			{ type: "finish", reason: fromOpenAiFinishReason(native, this.#announced > 0), native },
		];
	}
}
