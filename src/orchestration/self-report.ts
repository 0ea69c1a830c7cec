// Whether an answer says of itself that it does not know what was asked, or that nobody does. Pure; the phrases are in
// self-report-phrases.json, ten languages.
import phrases from "./self-report-phrases.json" with { type: "json" };

/** A text says so where it begins or where it ends. In between, a long one may speak of what is not known. */
const END_CHARS = 300;

/** A phrase of an alphabet is whole words; scripts without spaces have it anywhere. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const SAYS_UNKNOWN = new RegExp(
	phrases.map((phrase) => (SPACELESS.test(phrase) ? phrase : `(?<!\\p{L})${phrase}(?!\\p{L})`)).join("|"),
	"u",
);

/** Whether an answer says that it, or anybody, does not know what was asked. */
export function saysUnknown(answer: string): boolean {
	const text = answer.trim();
	const ends = text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
	return SAYS_UNKNOWN.test(ends.toLowerCase().replaceAll("’", "'"));
}
