// Finds the labels of values in a text, in any script: "password", "生年月日", "пароль". What follows one is read elsewhere.
import labelLists from "./lists/labels.json" with { type: "json" };

/** What labels announce, a list for each. */
const LABEL_GROUPS = [
	"password",
	"accessCode",
	"network",
	"lock",
	"seed",
	"name",
	"relation",
	"birth",
	"phone",
	"nationalId",
	"recordNumber",
	"account",
	"card",
	"cardCode",
	"income",
	"debt",
	"owed",
] as const satisfies readonly (keyof typeof labelLists)[];
export type LabelGroup = (typeof LABEL_GROUPS)[number];

interface Label {
	readonly word: string;
	/** Its third code unit, so that most labels are skipped without a call; null if it has two. */
	readonly third: number | null;
	readonly group: LabelGroup;
	/** A letter before or after it would make it another word. */
	readonly isBoundedBefore: boolean;
	readonly isBoundedAfter: boolean;
	/** Any ending may follow. */
	readonly isStem: boolean;
}

/** Scripts that write no spaces between words, and those that write articles, prepositions and endings without one. */
const JOINS_BEFORE =
	/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Arabic}\p{Script=Hebrew}]/u;
const JOINS_AFTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]$/u;
const LETTER_OR_MARK = /[\p{L}\p{M}]/u;

/** Pairs of letters with which a label begins: nearly all places of a text have another and are skipped. */
const hasLabelBeginning = new Uint8Array(1 << 16);
const labelsByBeginning = new Map<number, Label[]>();

function toBeginning(text: string, at: number): number {
	return ((text.charCodeAt(at) * 251) ^ text.charCodeAt(at + 1)) & 0xffff;
}

function toLabel(entry: string, group: LabelGroup): Label {
	const isStem = entry.endsWith("*");
	const word = isStem ? entry.slice(0, -1) : entry;
	return {
		word,
		third: word.length > 2 ? word.charCodeAt(2) : null,
		group,
		isStem,
		isBoundedBefore: !JOINS_BEFORE.test(word),
		isBoundedAfter: !isStem && LETTER_OR_MARK.test(word.charAt(word.length - 1)) && !JOINS_AFTER.test(word),
	};
}

for (const group of LABEL_GROUPS)
	for (const entry of labelLists[group]) {
		const label = toLabel(entry, group);
		const beginning = toBeginning(label.word, 0);
		hasLabelBeginning[beginning] = 1;
		labelsByBeginning.set(beginning, [...(labelsByBeginning.get(beginning) ?? []), label]);
	}
// The longest label at a place says most.
for (const labels of labelsByBeginning.values()) labels.sort((a, b) => b.word.length - a.word.length);

function isLabelLetterAt(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	if (code < 128) return (code > 64 && code < 91) || (code > 96 && code < 123);
	return LETTER_OR_MARK.test(text.charAt(at));
}

function isInsideAsciiWord(lower: string, at: number): boolean {
	const first = lower.charCodeAt(at);
	return first > 96 && first < 123 && at > 0 && isLabelLetterAt(lower, at - 1);
}

/** Where a stem's word ends. */
function findStemEnd(text: string, from: number): number {
	let end = from;
	while (end < from + 12 && isLabelLetterAt(text, end)) end++;
	return end;
}

function findLabelEnd(lower: string, at: number, { word, third, isBoundedBefore, isBoundedAfter }: Label): number {
	if (third !== null && lower.charCodeAt(at + 2) !== third) return -1;
	if (!lower.startsWith(word, at)) return -1;
	if (isBoundedBefore && at > 0 && isLabelLetterAt(lower, at - 1)) return -1;
	const end = at + word.length;
	return isBoundedAfter && isLabelLetterAt(lower, end) ? -1 : end;
}

/**
 * The text in lower case with straight apostrophes. It has the length of the text, so that offsets hold in both: İ, the only
 * letter whose lower case is longer, becomes i.
 */
export function toLabelText(text: string): string {
	return text.replace(/İ/g, "I").replace(/[’ʼ]/g, "'").toLowerCase();
}

/**
 * Calls `visit` for each label that begins between two offsets of a text from `toLabelText`, in order; at one place for the
 * longest label of each group.
 */
export function eachLabel(
	lower: string,
	from: number,
	to: number,
	visit: (group: LabelGroup, start: number, end: number) => void,
): void {
	for (let at = from; at < to && at + 1 < lower.length; at++) {
		const beginning = toBeginning(lower, at);
		if (hasLabelBeginning[beginning] !== 1 || isInsideAsciiWord(lower, at)) continue;
		let seen: LabelGroup[] | null = null;
		for (const label of labelsByBeginning.get(beginning) ?? []) {
			if (seen?.includes(label.group)) continue;
			const end = findLabelEnd(lower, at, label);
			if (end < 0) continue;
			seen = [...(seen ?? []), label.group];
			visit(label.group, at, label.isStem ? findStemEnd(lower, end) : end);
		}
	}
}
