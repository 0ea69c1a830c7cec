// Whether an answer is the prompt again. Pure.
import { readPromptEnds } from "./prompt-ends.ts";

/** A shorter prompt may be its own answer: a name to be translated, a word to be spelled. */
const LEAST_LETTERS = 12;
/** What may stand around an echo without making it an answer. */
const FRAME = /^(?:question|prompt|user|input|you (?:said|asked|wrote)|frage|q|answer|assistant|a)?$/;

/** The user asks to have a text again: then it is the answer. */
const WANTS_ECHO =
	/\b(?:repeat|echo (?:back|exactly|this|that|it|my|what|the)|verbatim|unchanged|say (?:it|this|that) back|cop(?:y|ies)|parrot|as (?:it )?is)\b|word (?:for|by) word|wiederhol|wortw[öo]rtlich|wortgetreu|unverändert|abschreib|répèt|répét|mot (?:pour|à) mot|recopi|repit|repet|ripet|palabra por palabra|palavra por palavra|parola per parola|copi[ae]|powt[oó]rz|słowo w słowo|przepisz|повтор|слово в слово|перепиши|herhaal|woord voor woord|tekrar|aynen|重复|重複|复述|一字不|照抄|原样|繰り返|そのまま|復唱|따라|반복|그대로|كرر|كرّر|أعد|انسخ|दोहरा|ज्यों का त्यों|חזור על/iu;

/** Letters and digits of a text, in lower case. */
function toLetters(text: string): string {
	return text
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
		.trim();
}

/** A longer prompt is compared by samples: all of a prompt of 14 MB would hold the isolate up for a second. */
const MAX_WHOLE_CHARS = 100_000;
const SAMPLE_CHARS = 4_000;
const SAMPLES = 9;
/** The echo of a long prompt differs from it in length by a frame, quotation marks and white space. */
const MAX_DIFFERENCE_CHARS = 20_000;
/** Whether an answer has the beginning and the end of a long prompt in the same places, and samples of what is between. */
function isLongEcho(text: string, prompt: string): boolean {
	const difference = Math.abs(text.length - prompt.length);
	if (difference > MAX_DIFFERENCE_CHARS) return false;
	const last = prompt.length - SAMPLE_CHARS;
	const slack = difference + SAMPLE_CHARS;
	let letters = 0;
	for (let at = 0; at < SAMPLES; at++) {
		const start = Math.floor((last * at) / (SAMPLES - 1));
		const asked = toLetters(prompt.slice(start, start + SAMPLE_CHARS));
		const said = toLetters(text.slice(Math.max(0, start - slack), start + SAMPLE_CHARS + slack));
		const found = at === 0 ? said.indexOf(asked) : said.lastIndexOf(asked);
		if (found < 0) return false;
		if (at === 0 && !FRAME.test(said.slice(0, found).trim())) return false;
		if (at === SAMPLES - 1 && !FRAME.test(said.slice(found + asked.length).trim())) return false;
		letters += asked.length;
	}
	return letters >= LEAST_LETTERS;
}

/**
 * Whether an answer repeats the prompt and adds nothing, unless that is asked for.
 * @param prompt the last message of the user.
 */
export function isEcho(text: string, prompt: string): boolean {
	// An answer that adds something is longer than the prompt and its frame.
	if (text.length > 4 * prompt.length + 200) return false;
	if (prompt.length > MAX_WHOLE_CHARS) return isLongEcho(text, prompt) && !WANTS_ECHO.test(readPromptEnds(prompt));
	const said = toLetters(text);
	// A prompt that is longer than the answer is not read to its end.
	if (toLetters(prompt.slice(0, 2 * text.length + 1_000)).length > said.length) return false;
	const asked = toLetters(prompt);
	if (asked.replaceAll(" ", "").length < LEAST_LETTERS || !said.includes(asked)) return false;
	return (
		FRAME.test(said.replaceAll(asked, " ").replace(/\s+/g, " ").trim()) && !WANTS_ECHO.test(readPromptEnds(prompt))
	);
}
