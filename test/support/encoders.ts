// An upstream of the tests' own for embeddings in OpenAI's form: its vectors follow from the input, and it can answer wrongly.
import { utf8Length } from "../../src/text/utf8.ts";

export type EmbeddingsBody = {
	model: string;
	input: (string | number[])[];
	dimensions?: number;
	encoding_format?: string;
	user?: string;
};

/** The vector of an input: its first number tells the input, the others its place. */
export function vectorOf(input: string | readonly number[], length: number): number[] {
	const mark = typeof input === "string" ? utf8Length(input) : input.reduce((sum, token) => sum + token, 0);
	return Array.from({ length }, (_, index) => (index === 0 ? mark : index / 16));
}

/** Tokens that an input is billed as: words, or its own. */
export function tokensOf(input: string | readonly number[]): number {
	return typeof input === "string" ? input.split(/\s+/).length : input.length;
}

export interface EmbeddingsAnswer {
	object: string;
	data: { object: string; index: number; embedding: number[] }[];
	model: string;
	usage?: { prompt_tokens: number; total_tokens: number };
}

/** Lengths of vectors where none is asked for. */
const LENGTHS: Readonly<Record<string, number>> = { "mistral-embed": 1_024, "text-embedding-3-large": 3_072 };

/** The answer to a body. */
export function embeddingsOf(body: EmbeddingsBody): EmbeddingsAnswer {
	const length = LENGTHS[body.model] ?? 1_536;
	const tokens = body.input.reduce((sum, input) => sum + tokensOf(input), 0);
	return {
		object: "list",
		data: body.input.map((input, index) => ({
			object: "embedding",
			index,
			embedding: vectorOf(input, body.dimensions ?? length),
		})),
		model: body.model,
		usage: { prompt_tokens: tokens, total_tokens: tokens },
	};
}

/** Answers embeddings in OpenAI's form, and nothing else. @param change what it answers instead. */
export function embeddingsUpstream(
	change: (answer: EmbeddingsAnswer, body: EmbeddingsBody, request: Request) => unknown = (answer) => answer,
): (request: Request) => Promise<Response | undefined> {
	return async (request) => {
		if (!request.url.endsWith("/embeddings")) return undefined;
		const body = (await request.json()) as EmbeddingsBody;
		const changed = await change(embeddingsOf(body), body, request);
		return changed instanceof Response ? changed : Response.json(changed);
	};
}

/** The numbers of a base64 vector. */
export function fromBase64Vector(text: string): number[] {
	const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
	const view = new DataView(bytes.buffer);
	return Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(index * 4, true));
}
