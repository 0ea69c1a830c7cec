// Words of fifteen languages by what they do in a refusal: excuse, inability, unwillingness, rule. What refusals share across languages.
// Pure; the words are in refusal-cues.json.
import { lazy } from "../lazy.ts";
import cueWords from "./refusal-cues.json" with { type: "json" };

/** What a word does, by position. */
export const REFUSAL_CUES: readonly string[] = Object.keys(cueWords);

/** A word of an alphabet begins at its first letter; characters without spaces between words are found anywhere. */
const SPACELESS = /^\(?[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function toPattern(words: string): RegExp {
	const alternatives = splitAlternatives(words);
	const inText = alternatives.filter((word) => SPACELESS.test(word));
	const atStart = alternatives.filter((word) => !SPACELESS.test(word));
	return new RegExp([`(?<!\\p{L})(?:${atStart.join("|")})`, ...inText].join("|"), "gu");
}

/** The alternatives of a pattern, those within brackets left together. */
function splitAlternatives(words: string): string[] {
	const found: string[] = [];
	let depth = 0;
	let start = 0;
	for (let at = 0; at <= words.length; at++) {
		const character = words.charAt(at);
		if (character === "(") depth++;
		else if (character === ")") depth--;
		else if ((character === "|" && depth === 0) || at === words.length) {
			found.push(words.slice(start, at));
			start = at + 1;
		}
	}
	return found;
}

const patterns = lazy(() => Object.values(cueWords).map(toPattern));

/** A cue and where it stands. */
export interface FoundCue {
	/** Position in REFUSAL_CUES. */
	cue: number;
	start: number;
	end: number;
}

/** The cues of a text in lower case, in order. */
export function findRefusalCues(text: string): FoundCue[] {
	const found = patterns().flatMap((pattern, cue) =>
		[...text.matchAll(pattern)].map(
			({ 0: word, index }): FoundCue => ({ cue, start: index, end: index + word.length }),
		),
	);
	return found.sort((a, b) => a.start - b.start || a.cue - b.cue);
}

function holdsCue(text: string, wanted: ReadonlySet<string>): boolean {
	return findRefusalCues(text.toLowerCase().replaceAll("’", "'")).some(({ cue }) =>
		wanted.has(REFUSAL_CUES[cue] ?? ""),
	);
}

const SAYING_NO: ReadonlySet<string> = new Set(["unable", "unwilling"]);

/** Whether somebody says in a text that they cannot or will not. */
export function saysNo(text: string): boolean {
	return holdsCue(text, SAYING_NO);
}

const DENYING: ReadonlySet<string> = new Set([
	...SAYING_NO,
	"not",
	"never",
	"blocked",
	"stop",
	"habit",
	"rules",
	"sayno",
	"aside",
]);

/** Whether a text denies anything: without that, nothing in it refuses. */
export function deniesAnything(text: string): boolean {
	return holdsCue(text, DENYING);
}
