// The parts of a prompt in which a user says what they want: its beginning and its end. Pure.

/** The characters of each part. A prompt of megabytes is mostly material. */
const END_CHARS = 8_000;

/** A prompt, or the beginning and the end of a long one. */
export function readPromptEnds(prompt: string): string {
	if (prompt.length <= 2 * END_CHARS) return prompt;
	return `${prompt.slice(0, END_CHARS)}\n${prompt.slice(-END_CHARS)}`;
}
