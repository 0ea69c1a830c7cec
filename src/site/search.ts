// Finds sections of documents and endpoints by words. All words must occur; one in a heading weighs most. Pure.

/** A section of a page, or an endpoint. */
export interface IndexedSection {
	/** Where it stands: path with anchor. */
	url: string;
	title: string;
	/** Title of its page. */
	page: string;
	/** Its text, in one line. */
	text: string;
}

export interface FoundSection extends IndexedSection {
	/** The text around the first word that was found, in parts; every second one is what was searched for. Letters are not marked. */
	snippet: string[];
}

const MAX_FOUND = 20;
const MAX_WORDS = 8;
const SNIPPET_CHARS = 160;
/** What stands before the found word. */
const LEAD_CHARS = 50;

function wordsIn(query: string): string[] {
	return query
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== "")
		.slice(0, MAX_WORDS);
}

/** Whether a word begins at an index: "run" is rather searched for in "run_id" than in "prune". */
function beginsWord(text: string, index: number): boolean {
	return index === 0 || !/[\p{L}\p{N}]/u.test(text[index - 1] ?? "");
}

function weighWord(word: string, title: string, page: string, text: string): number {
	const inTitle = title.indexOf(word);
	const inText = text.indexOf(word);
	const titleWeight = inTitle < 0 ? 0 : title === word ? 24 : beginsWord(title, inTitle) ? 12 : 6;
	const textWeight = inText < 0 ? 0 : beginsWord(text, inText) ? 2 : 1;
	return titleWeight + textWeight + (page.includes(word) ? 1 : 0);
}

/** 0 when a word is missing. */
function weighSection({ title, page, text }: IndexedSection, words: readonly string[]): number {
	const lower = [title, page, text].map((part) => part.toLowerCase()) as [string, string, string];
	const weights = words.map((word) => weighWord(word, ...lower));
	if (weights.includes(0)) return 0;
	// Words that stand together are rather meant than words of one section.
	const phrase = words.join(" ");
	const together = words.length > 1 ? (lower[0].includes(phrase) ? 12 : 0) + (lower[2].includes(phrase) ? 6 : 0) : 0;
	return weights.reduce((sum, weight) => sum + weight, together);
}

/** Where a word stands in a text: at the beginning of a word if it does anywhere; -1 if it does not occur. */
function findWord(text: string, word: string): number {
	for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + 1))
		if (beginsWord(text, index)) return index;
	return text.indexOf(word);
}

function cutSnippet(text: string, words: readonly string[]): string[] {
	const lower = text.toLowerCase();
	const [first] = words
		// A letter stands in nearly every word, and says nothing about the place.
		.filter((word) => word.length > 1)
		.map((word) => ({ word, index: findWord(lower, word) }))
		.filter(({ index }) => index >= 0)
		.toSorted((a, b) => a.index - b.index);
	if (!first) return [text.slice(0, SNIPPET_CHARS)];
	const { index, word } = first;
	const start = index <= LEAD_CHARS ? 0 : Math.max(0, text.lastIndexOf(" ", index - LEAD_CHARS) + 1);
	const end = index + word.length;
	return [
		`${start > 0 ? "… " : ""}${text.slice(start, index)}`,
		text.slice(index, end),
		`${text.slice(end, start + SNIPPET_CHARS)}${text.length > start + SNIPPET_CHARS ? " …" : ""}`,
	];
}

/** The sections with all words of a query, best first. */
export function searchSections(index: readonly IndexedSection[], query: string): FoundSection[] {
	const words = wordsIn(query);
	if (words.length === 0) return [];
	return index
		.map((section) => ({ section, weight: weighSection(section, words) }))
		.filter(({ weight }) => weight > 0)
		.toSorted((a, b) => b.weight - a.weight)
		.slice(0, MAX_FOUND)
		.map(({ section }) => ({ ...section, snippet: cutSnippet(section.text, words) }));
}
