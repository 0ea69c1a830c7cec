// Turns the beginning of an answer into hashed features: words, their runs, parts of words, and shapes of the whole text. Training
// and the service share it. Pure.
import { addUnit, HASH_START, hashUnits, mixHash } from "../text/hash.ts";
import { isSpaceless, scriptIndex } from "../text/scripts.ts";
import { type FoundCue, findRefusalCues } from "./refusal-cues.ts";
import { CODED, QUOTED, toSaidText } from "./said-text.ts";
import { unwrapAnswer } from "./unwrap.ts";

/** Features are hashed to this many buckets. */
export const REFUSAL_BUCKETS = 1 << 15;

/** The characters that are read: whoever refuses says so at once. */
const REFUSAL_CHARS = 320;
/** The beginnings of a longer word that are features. */
const PREFIX_UNITS = [3, 4, 5, 7] as const;
const LONGEST_RUN = 1;
/** The characters of a script without spaces that make one feature at most. */
const LONGEST_CHARACTERS = 4;

/** Keep features of different kinds apart. */
const SALT = { word: 0x1357, head: 0x2468, prefix: 0x4444, characters: 0x55, shape: 0x9999, last: 0x7777 } as const;

/** A word, a character of a script without spaces, or a mark that tells. */
const TOKEN = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\p{N}+|[.,:;!?¿¡。，！？、()[\]{}<>=*#\n]|[\u241e\u241f]/gu;

function isSpacelessText(token: string): boolean {
	return isSpaceless(scriptIndex(token.charCodeAt(0)));
}

/** The tokens of a text, each character of a script without spaces by itself. Numbers are all alike. */
function toTokens(text: string): string[] {
	const tokens: string[] = [];
	for (const [found] of text.toLowerCase().replaceAll("’", "'").matchAll(TOKEN)) {
		if (/^\p{N}/u.test(found)) tokens.push("0");
		else if (isSpacelessText(found)) tokens.push(...found);
		else tokens.push(found);
	}
	return tokens;
}

/** Where an answer is short or long, has many lines, or holds quotations and code. */
function toShapes(text: string, said: string): string[] {
	const lines = text.split("\n").length;
	return [
		`chars ${Math.min(10, Math.floor(Math.log2(text.length + 1)))}`,
		`lines ${Math.min(4, Math.floor(Math.log2(lines)))}`,
		...(said.includes(QUOTED) ? ["quoted"] : []),
		...(said.trimStart().startsWith(QUOTED) ? ["starts quoted"] : []),
		...(said.includes(CODED) ? ["coded"] : []),
		...(/^[^\n]{1,60}[,:：，!！]\n/.test(text) ? ["salutation"] : []),
		...(/^\p{L}[\p{L} ]{1,24}[:：] ?\S/u.test(text) ? ["labelled"] : []),
		...(/(?:^|\n)\s*(?:\d+[.)]|[-*•]) /.test(text) ? ["list"] : []),
		...(/\d/.test(said) ? ["digits"] : []),
	];
}

const SENTENCE_END = /[.!?。！？]+["”»」)]*\s*|\n+/g;

/** The sentences of a text. */
function toSentences(text: string): string[] {
	return text.split(SENTENCE_END).filter((sentence) => sentence.trim() !== "");
}

function toSize(count: number): number {
	return Math.min(6, Math.round(Math.log2(count + 1)));
}

/** The cues of one sentence: which ones, which follow each other, how much stands before and behind. @param place 2 for all later ones. */
function toSentenceFeatures(sentence: string, place: number, found: readonly FoundCue[]): string[] {
	const cues = [...new Set(found.map(({ cue }) => cue))];
	const pairs = cues.flatMap((cue) => cues.filter((other) => other > cue).map((other) => `c${cue}+${other}`));
	const single = [...cues.map((cue) => `c${cue}`), ...pairs];
	const next = found.map(({ cue, end }, index) => {
		const after = found[index + 1];
		return after ? `c${cue}>${after.cue}` : `c${cue}> ${toSize(sentence.length - end)}`;
	});
	const [first] = found;
	const start = first ? [`first c${first.cue}`, `before ${toSize(first.start)}`] : ["first plain"];
	return [...single, ...single.map((feature) => `${feature} s${place}`), ...next, ...(place === 0 ? start : [])];
}

/** The cues of an answer. One that says what it cannot do and then helps has sentences without any. */
function toCueFeatures(said: string): string[] {
	const sentences = toSentences(said.toLowerCase().replaceAll("’", "'")).map((sentence) => ({
		sentence,
		found: findRefusalCues(sentence),
	}));
	const known = [...new Set(sentences.flatMap(({ found }) => found.map(({ cue }) => cue)))];
	const plain = sentences.reduce((sum, { sentence, found }) => sum + (found.length === 0 ? sentence.length : 0), 0);
	return [
		...sentences.flatMap(({ sentence, found }, at) => toSentenceFeatures(sentence, Math.min(at, 2), found)),
		...known.flatMap((cue) => known.filter((other) => other > cue).map((other) => `t${cue}+${other}`)),
		...[`plain ${toSize(plain)}`, `cues ${Math.min(6, known.length)}`, `sentences ${toSize(sentences.length)}`],
	];
}

function toBucket(hash: number): number {
	return mixHash(hash) & (REFUSAL_BUCKETS - 1);
}

function toBeginnings(word: string): string[] {
	return PREFIX_UNITS.filter((units) => word.length > units).map((units) => word.slice(0, units));
}

/** The buckets of an answer's features, each at most once. */
export function readRefusalFeatures(answer: string): number[] {
	const text = unwrapAnswer(answer);
	const said = toSaidText(text.slice(0, 8 * REFUSAL_CHARS));
	const tokens = toTokens(said.slice(0, REFUSAL_CHARS));
	const buckets = new Set<number>();
	const add = (salt: number, hash: number) => buckets.add(toBucket(addUnit(hash, salt)));
	for (const [at] of tokens.entries()) {
		const spaceless = isSpacelessText(tokens[at] ?? "");
		const longest = spaceless ? LONGEST_CHARACTERS : LONGEST_RUN;
		let hash = HASH_START;
		for (let length = 1; length <= longest && at + length <= tokens.length; length++) {
			hash = addUnit(hashUnits(tokens[at + length - 1] ?? "") ^ Math.imul(hash, 31), length);
			add(SALT.word, hash);
			if (at === 0) add(SALT.head, hash);
		}
		if (!spaceless) for (const beginning of toBeginnings(tokens[at] ?? "")) add(SALT.prefix, hashUnits(beginning));
	}
	for (const shape of [...toShapes(text, said), ...toCueFeatures(said.slice(0, REFUSAL_CHARS))])
		add(SALT.shape, hashUnits(shape));
	return [...buckets];
}
