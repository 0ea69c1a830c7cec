// Between how many and how many tokens an input has. No tokenizer ships with the service, and each provider has its own. Pure.
import type { EmbeddingInput } from "../providers/encoders/encoder-call.ts";
import { CHARS_PER_TOKEN } from "../routing/signals.ts";
import { utf8Length } from "../text/utf8.ts";

/** Tokens that providers put around an input: a beginning, an end, the name of the task. */
const FRAME_TOKENS = 8;

/** No token of any known tokenizer is longer, UTF-8 bytes: cl100k_base's longest is 128 spaces. */
const LONGEST_TOKEN_BYTES = 128;

/** A run of characters that no white space parts: words are tokenized one by one. */
const WORD = /\S+/g;

/** The most tokens that an input may be billed as: a token has at least one byte. */
export function mostTokens(input: EmbeddingInput): number {
	return typeof input === "string" ? utf8Length(input) + FRAME_TOKENS : input.length;
}

/** Words of a text, without making them: of 16 MiB 0.1 s, character by character 2 s. */
function countWords(text: string): number {
	let words = 0;
	WORD.lastIndex = 0;
	while (WORD.test(text)) words++;
	return words;
}

/** The fewest tokens that an input can have, with whatever tokenizer: one for each word, and none is longer than the longest. */
export function leastTokens(input: EmbeddingInput): number {
	if (typeof input !== "string") return input.length;
	return Math.max(countWords(input), Math.ceil(utf8Length(input) / LONGEST_TOKEN_BYTES));
}

/** About how many tokens an input has. */
export function likelyTokens(input: EmbeddingInput): number {
	return typeof input === "string" ? Math.ceil(input.length / CHARS_PER_TOKEN) : input.length;
}
