// Finds code in Markdown that every reader shows as code, so that nothing in it is a link. Only a plain form counts: where readers may
// differ, there is no code. Pure, and linear.

/** Start and end of a part of a text. */
type Span = readonly [start: number, end: number];

/** Languages whose blocks are shown as they are. Readers draw others, such as diagrams, and what they draw may load. */
const SHOWN_LANGUAGES: ReadonlySet<string> = new Set(
	"bash c c# c++ console cpp cs csharp css csv diff dockerfile elixir env go graphql haskell hcl html http ini java javascript js json jsonc jsonl jsx kotlin log lua makefile markdown md nginx patch perl php plain plaintext powershell proto ps1 py python r rb rs ruby rust scala scss sh shell sql svelte swift text toml ts tsx txt typescript vue xml yaml yml zsh".split(
		" ",
	),
);

/** What may stand before a block in its line: marks of quotes and lists. */
const LINE_MARKS = String.raw`[\s>*+\-\d.)]*`;
const FENCE_LIKE = new RegExp(`^${LINE_MARKS}(?:\`{3,}|~{3,})`);
const PLAIN_FENCE = /^( {0,3})(`{3,})([a-z\d+#]*)[ \t]*$/i;
/** Begins HTML, mathematics or metadata, in which fences are none. */
const OTHER_BLOCK = new RegExp(`^${LINE_MARKS}(?:<[a-z!?/]|\\$\\$|:::|%%)`, "i");

/** Some readers take what follows for metadata. */
const METADATA = /^(?:---|\+\+\+)[ \t]*(?:\n|$)/;

interface Fence {
	indent: string;
	ticks: string;
	language: string;
}

/** A line's fence; null for a line that has none, undefined for one that some readers take for a fence and others do not. */
function readFence(line: string): Fence | null | undefined {
	if (!FENCE_LIKE.test(line)) return null;
	const [, indent, ticks, language] = PLAIN_FENCE.exec(line) ?? [];
	if (indent === undefined || ticks === undefined || language === undefined) return undefined;
	return { indent, ticks, language: language.toLowerCase() };
}

/** Whether a line within a block of code is in it, ends it, or does either depending on the reader. */
function readWithin(open: Fence, line: string, fence: Fence | null): "in" | "end" | "unclear" {
	if (fence) {
		const isEnd = fence.indent === open.indent && fence.ticks === open.ticks && fence.language === "";
		return isEnd ? "end" : "unclear";
	}
	// A line that stands further left ends the list that the block is in, and so the block.
	return line.trim() === "" || line.startsWith(open.indent) ? "in" : "unclear";
}

function* toLines(text: string): Generator<{ line: string; start: number; end: number }> {
	let start = 0;
	for (const line of text.split("\n")) {
		yield { line, start, end: start + line.length };
		start += line.length + 1;
	}
}

/** The blocks of code, and the rest; null where readers may differ on where a block begins. */
function findFences(text: string): { code: Span[]; rest: Span[] } | null {
	const code: Span[] = [];
	const rest: Span[] = [];
	let open: (Fence & { start: number }) | null = null;
	let restStart = 0;
	for (const { line, start, end } of toLines(text)) {
		const fence = readFence(line);
		if (fence === undefined) return null;
		if (open) {
			const place = readWithin(open, line, fence);
			if (place === "unclear") return null;
			if (place === "in") continue;
			const isShown = open.language === "" || SHOWN_LANGUAGES.has(open.language);
			(isShown ? code : rest).push([open.start, end]);
			[open, restStart] = [null, end];
		} else if (fence) {
			rest.push([restStart, start]);
			open = { ...fence, start };
		} else if (OTHER_BLOCK.test(line)) return null;
	}
	return open ? null : { code, rest: [...rest, [restStart, text.length]] };
}

/**
 * What takes a tick before code does, or is read in another way: HTML, links that are not short, mathematics, an escaped tick, an address
 * that goes on with the tick.
 */
const TAKES_TICKS = /<[a-z!?/]|\](?:\((?![^()\s`]*\))|\[|:)|\$|\\`|(?:\/\/|www\.|@)\S*$/i;

/** Code within lines. Each line of its block pairs its ticks by itself. */
function* findTicks(text: string, [start, end]: Span): Generator<Span> {
	const block = /[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*/g;
	for (const { 0: lines, index } of text.slice(start, end).matchAll(block)) {
		if (!lines.includes("`") || lines.includes("``") || lines.includes("\\`")) continue;
		const parts = lines.split("`");
		const isPaired = lines.split("\n").every((line) => line.split("`").length % 2 === 1);
		if (!isPaired || parts.some((part, place) => place % 2 === 0 && TAKES_TICKS.test(part))) continue;
		let at = start + index;
		for (const [place, part] of parts.entries()) {
			// A bar ends a cell of a table, in code too.
			if (place % 2 === 1 && !part.includes("|")) yield [at - 1, at + part.length + 1];
			at += part.length + 1;
		}
	}
}

/** The parts of a text that are code to every reader, in their order. */
function findPlainCode(text: string): Span[] {
	if (!text.includes("`") || METADATA.test(text)) return [];
	const { code, rest } = findFences(text) ?? { code: [], rest: [] };
	return [...code, ...rest.flatMap((span) => [...findTicks(text, span)])].sort(([one], [other]) => one - other);
}

/** Says whether a place of a text is code to every reader. To be asked about places in their order. */
export function toCodeFinder(text: string): (at: number) => boolean {
	const spans = findPlainCode(text);
	let next = 0;
	return (at) => {
		while ((spans[next]?.[1] ?? Number.POSITIVE_INFINITY) <= at) next++;
		return (spans[next]?.[0] ?? Number.POSITIVE_INFINITY) <= at;
	};
}
