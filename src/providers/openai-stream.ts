// Reading the OpenAI chat completions format: streams, with the liberties that ten providers take.
import * as z from "zod";
import {
	contentPart,
	error,
	FAILED_REASONS,
	FINISH_REASONS,
	splitContent,
	usageFromOpenai,
	wellFormed,
} from "./openai-answer.ts";
import type { ServerSentEvent, StreamDecoder, StreamPart } from "./wire.ts";

const toolDelta = z.looseObject({
	index: z.int().nullish(),
	id: z.string().nullish(),
	function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const chunkSchema = z.looseObject({
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
});
type Delta = NonNullable<NonNullable<z.infer<typeof chunkSchema>["choices"]>[number]["delta"]>;

/** A call that has begun; `announced` once its name is known. */
interface OpenCall {
	index: number;
	id: string;
	announced: boolean;
	/** Arguments that came before the name. */
	early: string;
}

function failure(message: string, code: string | null = null): StreamPart {
	return { type: "failure", error: { message, code } };
}

/** Decodes one stream. Its end mark is `[DONE]`; finish reason and usage together leave nothing missing either. */
export class OpenaiStreamDecoder implements StreamDecoder {
	#open = new Map<number, OpenCall>();
	#calls = 0;
	#last: number | null = null;
	#finish = false;
	#usage = false;
	#done = false;

	get finished(): boolean {
		return this.#done || (this.#finish && this.#usage);
	}

	decode({ data }: ServerSentEvent): StreamPart[] {
		if (this.#done) return [];
		if (data.trim() === "[DONE]") {
			this.#done = true;
			return [];
		}
		let body: unknown;
		try {
			body = JSON.parse(data);
		} catch {
			return [failure("the upstream sent an event that is not JSON")];
		}
		const reported = typeof body === "object" && body !== null && "error" in body && body.error ? error(body) : null;
		if (reported) return [{ type: "failure", error: reported }];
		const parsed = chunkSchema.safeParse(body);
		if (!parsed.success) return [failure("the upstream sent a chunk of another shape")];
		return this.#parts(parsed.data);
	}

	end(): StreamPart[] {
		return [];
	}

	#parts({ choices, usage, x_groq }: z.infer<typeof chunkSchema>): StreamPart[] {
		const choice = choices?.[0];
		const parts = choice?.delta ? this.#deltaParts(choice.delta) : [];
		const logprobs = choice?.logprobs?.content;
		if (logprobs && logprobs.length > 0) parts.push({ type: "logprobs", content: logprobs });
		if (choice?.finish_reason) parts.push(...this.#finishParts(choice.finish_reason));
		const counted = usageFromOpenai(usage ?? x_groq?.usage);
		if (counted) {
			this.#usage = true;
			parts.push({ type: "usage", usage: counted });
		}
		return parts;
	}

	#deltaParts(delta: Delta): StreamPart[] {
		const { content, refusal, reasoning_content, reasoning, tool_calls, role: _role, index: _index, ...extra } = delta;
		const { text, thinking } = splitContent(content);
		const thought = wellFormed(reasoning_content || reasoning || thinking);
		const parts: StreamPart[] = [];
		if (thought) parts.push({ type: "reasoning", text: thought });
		if (text) parts.push({ type: "text", text });
		if (refusal) parts.push({ type: "refusal", text: refusal });
		for (const call of tool_calls ?? []) parts.push(...this.#callParts(call));
		if (Object.keys(extra).length > 0) parts.push({ type: "extra", fields: extra });
		return parts;
	}

	/** The call a fragment belongs to. Some providers give every parallel call index 0, so a new id is a new call. */
	#callOf({ index, id }: z.infer<typeof toolDelta>): OpenCall {
		const key = index ?? (id ? this.#calls : (this.#last ?? 0));
		const known = this.#open.get(key);
		this.#last = key;
		if (known && (!id || known.id === id)) return known;
		const call: OpenCall = { index: this.#calls++, id: id ?? `call_${key}`, announced: false, early: "" };
		this.#open.set(key, call);
		return call;
	}

	#callParts(fragment: z.infer<typeof toolDelta>): StreamPart[] {
		const call = this.#callOf(fragment);
		const text = fragment.function?.arguments ?? "";
		const name = fragment.function?.name;
		if (!call.announced && !name) {
			call.early += text;
			return [];
		}
		const parts: StreamPart[] = [];
		const written = call.early + text;
		call.early = "";
		if (!call.announced && name) {
			call.announced = true;
			parts.push({ type: "tool_call", index: call.index, id: call.id, name });
		}
		if (written !== "") parts.push({ type: "tool_arguments", index: call.index, text: written });
		return parts;
	}

	#finishParts(native: string): StreamPart[] {
		if (this.#finish) return [];
		if (FAILED_REASONS.has(native)) return [failure(`the upstream ended with ${native}`, native)];
		this.#finish = true;
		const reason = this.#calls > 0 && native !== "length" ? "tool_calls" : (FINISH_REASONS[native] ?? "stop");
		return [{ type: "finish", reason, native }];
	}
}
