// Texts of requests, as they are kept for those who run a service: what was asked and answered, after masking, cut to a size. Pure.

/** Characters (UTF-16) of a text that is kept whole. Of a longer one both ends are. */
const MAX_KEPT_CHARS = 32_768;

/** Texts of a user's requests, of which the oldest go where there are more. */
export const MAX_KEPT_TEXTS = 10_000;
export const MAX_KEPT_TEXT_BYTES = 268_435_456;

/** The texts of one request. */
export interface RequestTexts {
	input: string;
	output: string;
}

/** The same as they are kept: cut, with their lengths before. */
export interface KeptTexts extends RequestTexts {
	/** Characters (UTF-16). */
	inputChars: number;
	outputChars: number;
}

/** Sealed texts of a request on their way to the user's object. */
export interface SealedTexts {
	requestId: string;
	sealed: ArrayBuffer;
	/** From then on they are not there any more, ms since the epoch. */
	expiresAtMs: number;
}

/** Both ends of a long text, with a note between them of how much is left out, and no half characters. */
export function cutKeptText(text: string): string {
	if (text.length <= MAX_KEPT_CHARS) return text;
	const head = text.slice(0, MAX_KEPT_CHARS / 2).replace(/[\uD800-\uDBFF]$/, "");
	const tail = text.slice(-MAX_KEPT_CHARS / 2).replace(/^[\uDC00-\uDFFF]/, "");
	return `${head}\n[… ${text.length - head.length - tail.length} characters are not kept …]\n${tail}`;
}

export function toKeptTexts({ input, output }: RequestTexts): KeptTexts {
	return {
		input: cutKeptText(input),
		output: cutKeptText(output),
		inputChars: input.length,
		outputChars: output.length,
	};
}

/** What the sealed texts of a request are bound to. */
export function keptTextsName(requestId: string): string {
	return `${requestId}/texts`;
}
