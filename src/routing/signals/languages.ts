// Which language a text is in, by its script and its most frequent words. Pure; the words are in languages.json.
import { hashUnits } from "../../text/hash.ts";
import { LATIN, SCRIPTS, type Script } from "../../text/scripts.ts";
import frequentWords from "./languages.json" with { type: "json" };
import { MaskTable } from "./mask-table.ts";

/** Languages that are told by their frequent words. A set of them is a bit mask by position here. */
const BY_WORDS = Object.keys(frequentWords);
/** Languages that their script alone tells. */
const BY_SCRIPT: Partial<Record<Script, string>> = {
	han: "zh",
	kana: "ja",
	hangul: "ko",
	thai: "th",
	arabic: "ar",
	hebrew: "he",
	greek: "el",
	devanagari: "hi",
};
/** The languages that are told apart, as ISO 639-1 codes. */
export const PROMPT_LANGUAGES: readonly string[] = [...BY_WORDS, ...Object.values(BY_SCRIPT)];

const tables = new MaskTable();
for (const [position, words] of Object.values(frequentWords).entries())
	for (const word of words.split(" ")) tables.add(hashUnits(word), 1 << position);

/** Counts of frequent words by language. */
export function createLanguageCounts(): Uint16Array {
	return new Uint16Array(BY_WORDS.length);
}

/** Adds a word with this hash to the counts of the languages that it is frequent in. */
export function countLanguages(hash: number, counts: Uint16Array): void {
	for (let rest = tables.get(hash) >>> 0, at = 0; rest !== 0; rest >>>= 1, at++)
		if (rest & 1) counts[at] = (counts[at] ?? 0) + 1;
}

/** This share of kana makes a text with Chinese characters Japanese. */
const KANA_SHARE = 0.1;
/** Latin words are often names or code. Another script with this share says what the language is. */
const OTHER_SCRIPT_SHARE = 0.25;

const HAN = SCRIPTS.indexOf("han");
const KANA = SCRIPTS.indexOf("kana");

/** The position in SCRIPTS of the script that tells the language; -1 in a text without letters. */
function tellingScript(scripts: Uint16Array): number {
	let total = 0;
	let best = -1;
	for (let at = 0; at < scripts.length; at++) {
		const count = scripts[at] ?? 0;
		total += count;
		if (at !== LATIN && count > (scripts[best] ?? 0)) best = at;
	}
	if (best >= 0 && (scripts[best] ?? 0) >= OTHER_SCRIPT_SHARE * total) return best;
	return (scripts[LATIN] ?? 0) > 0 ? LATIN : best;
}

/**
 * The language of a text; null when nothing tells it.
 * @param scripts counts of words and characters by script.
 */
export function detectPromptLanguage(scripts: Uint16Array, counts: Uint16Array): string | null {
	const script = tellingScript(scripts);
	if (script === HAN && (scripts[KANA] ?? 0) > KANA_SHARE * (scripts[HAN] ?? 0)) return "ja";
	const name = SCRIPTS[script];
	const byScript = name && BY_SCRIPT[name];
	if (byScript) return byScript;
	const best = counts.indexOf(Math.max(...counts));
	if ((counts[best] ?? 0) > 0) return BY_WORDS[best] ?? null;
	return name === "cyrillic" ? "ru" : null;
}
