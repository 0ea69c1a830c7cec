// The sandbox's vectors, and its answer in OpenAI's form of embeddings. Texts with more words in common are nearer.
import * as z from "zod";
import { hashUnits, mixHash } from "../text/hash.ts";
import { countTokens } from "./answer.ts";
import { Refusal } from "./format.ts";

/** Numbers that a word adds to: two words hardly ever share all of them. */
const MARKS_PER_WORD = 4;

/** Where no length is asked for. */
const DEFAULT_DIMENSIONS = 1_536;

/** The words of an input; of tokens each is one. */
function wordsOf(input: string | readonly number[]): string[] {
	if (typeof input !== "string") return input.map((token) => `${token}`);
	return input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [input];
}

/** The unit vector of an input. */
export function sandboxVector(input: string | readonly number[], dimensions: number): number[] {
	const vector = new Array<number>(dimensions).fill(0);
	for (const word of wordsOf(input)) {
		for (let mark = 0; mark < MARKS_PER_WORD; mark++) {
			const hash = mixHash(hashUnits(`${mark} ${word}`));
			const at = hash % dimensions;
			vector[at] = (vector[at] ?? 0) + (hash >= 2 ** 31 ? 1 : -1);
		}
	}
	const length = Math.hypot(...vector);
	// The words cancelled each other out.
	if (length === 0) return vector.map((_, at) => (at === 0 ? 1 : 0));
	return vector.map((number) => number / length);
}

/** Tokens that an input counts as. */
export function sandboxTokens(input: string | readonly number[]): number {
	return typeof input === "string" ? countTokens(input) : input.length;
}

const embeddingsSchema = z.object({
	model: z.string().min(1),
	input: z.array(z.union([z.string().min(1), z.array(z.int().min(0)).min(1)])).min(1),
	encoding_format: z.literal("float"),
	dimensions: z.int().positive().optional(),
	user: z.string().optional(),
});

/** Text that words for faults may stand in. */
export function embeddingsPrompt(body: unknown): string {
	const { input } = Object(body);
	return Array.isArray(input) ? input.filter((entry) => typeof entry === "string").join("\n") : "";
}

/** The answer to a body. @throws {Refusal} for one that OpenAI would not accept. */
export function answerEmbeddings(body: unknown): Record<string, unknown> {
	const parsed = embeddingsSchema.safeParse(body);
	if (!parsed.success) throw new Refusal(400, `sandbox: ${z.prettifyError(parsed.error)}`);
	const { model, input, dimensions = DEFAULT_DIMENSIONS } = parsed.data;
	const tokens = input.reduce((sum, each) => sum + sandboxTokens(each), 0);
	return {
		object: "list",
		data: input.map((each, index) => ({ object: "embedding", index, embedding: sandboxVector(each, dimensions) })),
		model,
		usage: { prompt_tokens: tokens, total_tokens: tokens },
	};
}
