// Whether an answer is the prompt again. Pure.

/** A shorter prompt may be its own answer: a name to be translated, a word to be spelled. */
const LEAST_LETTERS = 12;
/** What may stand around an echo without making it an answer. */
const FRAME = /^(?:question|prompt|user|input|you (?:said|asked|wrote)|frage|q|answer|assistant|a)?$/;

/** Letters and digits of a text, in lower case. */
function toLetters(text: string): string {
	return text
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
		.trim();
}

/**
 * Whether an answer repeats the prompt and adds nothing.
 * @param prompt the last message of the user.
 */
export function isEcho(text: string, prompt: string): boolean {
	// An answer that adds something is longer than the prompt and its frame.
	if (text.length > 4 * prompt.length + 200) return false;
	const said = toLetters(text);
	// A prompt that is longer than the answer is not read to its end: it may have megabytes.
	if (toLetters(prompt.slice(0, 2 * text.length + 1_000)).length > said.length) return false;
	const asked = toLetters(prompt);
	if (asked.replaceAll(" ", "").length < LEAST_LETTERS || !said.includes(asked)) return false;
	return FRAME.test(said.replaceAll(asked, " ").replace(/\s+/g, " ").trim());
}
