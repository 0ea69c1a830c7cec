// Files and recordings in a request to the sandbox: what an answer says of them, and the tokens that a provider would count.
import { readPdf } from "../inference/pdf.ts";
import { readRecording } from "../inference/recording.ts";
import { Refusal } from "./format.ts";
import type { SandboxMedia } from "./reply.ts";

/** As OpenAI and Google count a second. */
const AUDIO_TOKENS_PER_SECOND = 32;

function decode(base64: string): string {
	try {
		return atob(base64);
	} catch {
		throw new Refusal(400, "sandbox: a file is not base64");
	}
}

/**
 * A PDF as a provider takes it.
 * @throws {Refusal} for what is no PDF, or has more pages than the provider reads.
 */
export function readSandboxPdf(
	base64: string,
	{ name = "a file", tokensPerPage, maxPages }: { name?: string | undefined; tokensPerPage: number; maxPages: number },
): SandboxMedia {
	const text = decode(base64);
	const read = readPdf(text);
	if (!read.ok) throw new Refusal(400, "The PDF specified was not valid.");
	const pages = read.pages.counted ?? 1;
	if (pages > maxPages) throw new Refusal(400, `A maximum of ${maxPages} PDF pages may be provided.`);
	const description = `${name} (${pages} ${pages === 1 ? "page" : "pages"}, ${text.length} bytes)`;
	return { description, tokens: pages * tokensPerPage };
}

/**
 * A recording as a provider takes it.
 * @param format `wav` or `mp3`.
 * @throws {Refusal} for what is none.
 */
export function readSandboxAudio(base64: string, format: string): SandboxMedia {
	const bytes = Uint8Array.from(decode(base64), (character) => character.charCodeAt(0));
	const read = format === "wav" || format === "mp3" ? readRecording(bytes, format) : null;
	if (!read?.ok) throw new Refusal(400, `Invalid audio in ${format}.`);
	const seconds = Math.ceil(read.maxSeconds);
	return {
		description: `audio in ${format} (${seconds} ${seconds === 1 ? "second" : "seconds"}, ${bytes.length} bytes)`,
		tokens: seconds * AUDIO_TOKENS_PER_SECOND,
	};
}

/** All tokens of media. */
export function sumMediaTokens(media: readonly SandboxMedia[]): number {
	return media.reduce((sum, { tokens }) => sum + tokens, 0);
}
