// Whether an answer is in another language than the user asks for. Says so only where both texts are long enough to be sure. Pure;
// the names of languages are in language-names.json.
import { lazy } from "../lazy.ts";
import { countLanguages, createLanguageCounts, detectPromptLanguage } from "../routing/signals/languages.ts";
import { hashUnits } from "../text/hash.ts";
import { isSpaceless, LATIN, SCRIPTS, scriptIndex } from "../text/scripts.ts";
import languageNames from "./language-names.json" with { type: "json" };
import { toSaidText } from "./said-text.ts";

/** The characters that are read of each text. */
const LANGUAGE_CHARS = 2_000;
/** Words, or a few characters of a script without spaces each, that tell a language. */
const LEAST_WORDS = { prompt: 5, answer: 12, instructions: 3 } as const;
/** Frequent words of the language for each of the next best. */
const LEAD = 1.5;

/**
 * Words by which a user may want another language than they write without naming one: to translate, write in other letters, correct,
 * quote or sing. Where they name one, language-names.json tells which.
 */
const OTHER_WANTED =
	/translat|translit|romani[sz]e|übersetz|tradu|перев[оеё]|транслит|przetłumacz|tłumacz|vertaal|vertal|çevir|翻[译譯訳]|訳し|拼音|번역|ترجم|अनुवाद|תרגם|proofread|grammar|korrektur|korrig|corrig|词|歌|lyrics|poem|\bsongs?\b|chanson|canción|canzone|piosenk|песн|\bquot|zitier|zitat|\bcit[aeé]|цитат|original|slogan|\bname|\b(?:mother|native) tongue|muttersprach|\blanguages?\b|sprache|\blangu[ea]|idioma|lingua|язык|język|\btaal\b|\bdil(?:de|i|e|in)\b|语言|語言|言語|언어|لغة|اللغ|भाषा|שפה/iu;

/** The words for a language, its people and their land, by language; under "" those of languages that nothing here tells. */
const languagePatterns = lazy(() =>
	Object.entries(languageNames).map(
		([language, words]) =>
			[language, new RegExp(words.replaceAll(/(^|\|)(?=[a-zà-ÿœćłńśźż])/g, "$1(?<!\\p{L})"), "iu")] as const,
	),
);

/** Whether a text names a language, its people or their land, or a language that cannot be told. */
function isNamed(language: string, text: string): boolean {
	return languagePatterns().some(([named, pattern]) => (named === language || named === "") && pattern.test(text));
}

/** What a text is made of. */
interface TextMakeup {
	/** A few characters of a script without spaces count as one. */
	words: number;
	/** Words, or characters in scripts without spaces, by script. */
	scripts: Uint16Array;
	/** Frequent words by language. */
	languages: Uint16Array;
}

/** Characters of a script without spaces that count as a word. */
const CHARACTERS_PER_WORD = 3;

function readMakeup(text: string): TextMakeup {
	const made: TextMakeup = { words: 0, scripts: new Uint16Array(SCRIPTS.length), languages: createLanguageCounts() };
	for (const [word] of text
		.slice(0, LANGUAGE_CHARS)
		.toLowerCase()
		.matchAll(/[\p{L}\p{M}]+(?:['’]\p{L}+)*/gu)) {
		const isRun = isSpaceless(scriptIndex(word.charCodeAt(0)));
		made.words += isRun ? word.length / CHARACTERS_PER_WORD : 1;
		if (!isRun) countLanguages(hashUnits(word), made.languages);
		for (const character of isRun ? word : word.charAt(0)) {
			const script = scriptIndex(character.charCodeAt(0));
			if (script >= 0) made.scripts[script] = (made.scripts[script] ?? 0) + 1;
		}
	}
	return made;
}

/** Most letters are of one script; in Japanese, of two. */
function hasOneScript(scripts: Uint16Array): boolean {
	const total = scripts.reduce((sum, count) => sum + count, 0);
	return Math.max(...scripts) >= 0.7 * total || (scripts[LATIN] ?? 0) < 0.1 * total;
}

/** Frequent words of one language lead clearly. */
function hasClearWords({ words, languages }: TextMakeup): boolean {
	const [first = 0, second = 0] = [...languages].sort((a, b) => b - a);
	return first >= Math.max(2, words / 8) && first >= LEAD * second;
}

/** The language of a text, ISO 639-1; null where nothing tells it surely. */
function readLanguage(text: string, leastWords: number): string | null {
	const made = readMakeup(text);
	if (made.words < leastWords || !hasOneScript(made.scripts)) return null;
	const isLatin = (made.scripts[LATIN] ?? 0) >= Math.max(...made.scripts);
	if (isLatin && !hasClearWords(made)) return null;
	return detectPromptLanguage(made.scripts, made.languages);
}

/** Texts that are code or data have no language. */
const CODE_LIKE = /[{}<>;=|]|\b(?:function|const|def|class|import|SELECT)\b/;

/**
 * Whether an answer is surely in another language than its prompt, and nobody asks for that.
 * @param prompt the last message of the user.
 * @param instructions the texts of the system, which may name a language.
 */
export function isOtherLanguage(text: string, prompt: string, instructions: string): boolean {
	// The length first, and the instructions last: both may have megabytes.
	if (prompt.length > LANGUAGE_CHARS || CODE_LIKE.test(prompt)) return false;
	// Who quotes a text in another language may want one.
	if (toSaidText(prompt) !== prompt || prompt.includes("\n\n")) return false;
	const asked = readLanguage(prompt, LEAST_WORDS.prompt);
	if (asked === null) return false;
	const said = toSaidText(text);
	if (CODE_LIKE.test(said)) return false;
	const answered = readLanguage(said, LEAST_WORDS.answer);
	if (answered === null || answered === asked) return false;
	if ([prompt, instructions].some((part) => OTHER_WANTED.test(part) || isNamed(answered, part))) return false;
	// Who tells a model in a language how to answer may read that one.
	return readLanguage(instructions.slice(0, LANGUAGE_CHARS), LEAST_WORDS.instructions) !== answered;
}
