// Plans the masks of a conversation: a placeholder for every value that was found in it. Values are numbered by message, so that a
// longer conversation changes no number of a shorter one. Pure.
import type { Conversation, PlacedText, TextPlace } from "../conversation.ts";
import { findClass } from "../detection/kinds.ts";
import { type DataFinding, type Detection, UNREAD } from "../findings.ts";
import type { DataClass } from "../vocabulary.ts";
import { isJson, type JsonToken, jsonTokens, unescapeJson } from "./json-tokens.ts";
import { Mask, type TextForm } from "./mask.ts";
import { cutsWord } from "./value-finder.ts";
import { trimQuotes, valueParts } from "./value-parts.ts";

/**
 * How texts are masked, by their place. Where it is null, nobody here knows what a placeholder would do to the text. Signed
 * reasoning must come back unchanged. Of definitions and schemas only what says something is masked.
 */
const FORM_BY_PLACE: Readonly<Record<TextPlace, TextForm | null>> = {
	text: "text",
	refusal: "text",
	reasoning: "text",
	tool_result: "text",
	tool_call: "json",
	image_address: null,
	provider_block: null,
	name: "text",
	tool_definition: "text",
	schema: "text",
	stop: "text",
	user: "text",
	unknown_field: null,
};

/** Whether a span of a text is masked there. */
function isMaskable({ place, maskable }: PlacedText, { start, end }: { start: number; end: number }): boolean {
	if (FORM_BY_PLACE[place] === null) return false;
	if (maskable === undefined) return true;
	let low = 0;
	for (let high = maskable.length; low < high; ) {
		const middle = (low + high) >> 1;
		if ((maskable[middle]?.[0] ?? 0) <= start) low = middle + 1;
		else high = middle;
	}
	return end <= (maskable[low - 1]?.[1] ?? -1);
}

/** The part of a finding that is used here. */
type FoundSpan = Pick<DataFinding, "text" | "start" | "end" | "since"> & { readonly kind: string };

/** A value of this length, or longer, that is more than a word is replaced within words, too. */
const MIN_DISTINCT_CHARS = 6;

/** Whether a value is hardly ever part of a word that means something else. */
function isDistinct(value: string): boolean {
	return value.length >= MIN_DISTINCT_CHARS && /[^\p{L}\p{M}]/u.test(value);
}

interface Span {
	start: number;
	end: number;
	kind: string;
}

/** Overlapping spans as one, of the kind of the longest. */
function mergeSpans(found: readonly Span[]): (Span & { parts: Span[] })[] {
	const merged: (Span & { parts: Span[] })[] = [];
	for (const span of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
		const last = merged.at(-1);
		if (!last || span.start >= last.end) {
			merged.push({ ...span, parts: [span] });
			continue;
		}
		last.parts.push(span);
		const longest = last.parts.reduce((best, part) => (part.end - part.start > best.end - best.start ? part : best));
		last.kind = longest.kind;
		last.end = Math.max(last.end, span.end);
	}
	return merged;
}

/** The values that a span of a JSON text covers: of strings what they say, of names only if nothing else is covered. */
function jsonValues(text: string, tokens: readonly JsonToken[], { start, end }: Pick<Span, "start" | "end">): string[] {
	const covered = tokens.filter((token) => token.start < end && token.end > start);
	if (covered.length === 0) return [text.slice(start, end)];
	const values = covered.filter(({ isName }) => !isName);
	return (values.length > 0 ? values : covered).map((token) => {
		if (!token.isString) return text.slice(token.start, token.end);
		return unescapeJson(text.slice(Math.max(start, token.start + 1), Math.min(end, token.end - 1)));
	});
}

/** The findings of these classes. */
export function findMasked(findings: readonly DataFinding[], classes: readonly DataClass[]): DataFinding[] {
	return findings.filter(({ kind }) => {
		const dataClass = findClass(kind);
		return dataClass !== null && classes.includes(dataClass);
	});
}

/**
 * The classes of a conversation of which something is left when these are masked: what stands where nothing is masked, and what is
 * known to be there, but not where. Of texts that were not read it says nothing.
 */
export function remainingClasses(
	{ texts }: Pick<Conversation, "texts">,
	{ classes, kinds, findings }: Detection,
	masked: readonly DataClass[],
): DataClass[] {
	const located = new Set<string>();
	const left = new Set<string>();
	for (const finding of findings) {
		located.add(finding.kind);
		const placed = texts[finding.text];
		if (!placed || !isMaskable(placed, finding)) left.add(finding.kind);
	}
	return classes.filter(
		(name) =>
			!masked.includes(name) ||
			(kinds[name] ?? []).some((kind) => left.has(kind) || (!located.has(kind) && kind !== UNREAD)),
	);
}

interface PlannedText extends PlacedText {
	found: readonly Span[];
	/** Null for a text of which not all is masked, or nothing. */
	form: TextForm | null;
}

/** How a text is masked as a whole; null if it is not. */
function toForm({ text, place, maskable }: PlacedText): TextForm | null {
	const isWhole = maskable?.some(([start, end]) => start === 0 && end === text.length) ?? true;
	return isWhole ? FORM_BY_PLACE[place] : null;
}

/** Texts with what is found in them. */
function withFindings(texts: readonly PlacedText[], found: readonly FoundSpan[]): PlannedText[] {
	const byText = new Map<number, Span[]>();
	for (const { text, start, end, kind } of found) {
		const spans = byText.get(text);
		if (spans) spans.push({ start, end, kind });
		else byText.set(text, [{ start, end, kind }]);
	}
	return texts.map((text, index) => ({ ...text, found: byText.get(index) ?? [], form: toForm(text) }));
}

/** Texts with what is found in them only because of a later one, by the message of that one. */
function findLate(texts: readonly PlacedText[], found: readonly FoundSpan[]): Map<number, PlannedText[]> {
	const late = new Map<number, FoundSpan[]>();
	for (const finding of found) {
		if (finding.since === undefined) continue;
		const message = texts[finding.since]?.message ?? -1;
		const findings = late.get(message);
		if (findings) findings.push(finding);
		else late.set(message, [finding]);
	}
	return new Map(Array.from(late, ([message, findings]) => [message, withFindings(texts, findings)]));
}

/** Adds the values of one text to a mask, in their order. */
function addFound(mask: Mask, placed: PlannedText): void {
	const { text, form, found } = placed;
	const tokens = form === "json" && isJson(text) ? [...jsonTokens(text)] : null;
	const add = (untrimmed: Span, isPart: boolean) => {
		const span = tokens ? untrimmed : trimQuotes(text, untrimmed);
		const isCut = tokens === null && cutsWord(text, span);
		for (const value of tokens ? jsonValues(text, tokens, span) : [text.slice(span.start, span.end)]) {
			const isAnywhere = isCut || isDistinct(value);
			if (isPart) mask.addPart(value, span.kind, isAnywhere);
			else mask.addValue(value, span.kind, isAnywhere);
			for (const part of valueParts(value, span.kind)) mask.addPart(part, span.kind, false);
		}
	};
	for (const span of mergeSpans(found)) {
		// What stands where nothing is masked gets a number where it stands elsewhere.
		add(span, !isMaskable(placed, span));
		for (const part of span.parts) if (part.start > span.start || part.end < span.end) add(part, true);
	}
}

/** Texts by message. Those outside of messages come first: they change least from turn to turn. */
function groupByMessage(texts: readonly PlannedText[]): [message: number, texts: PlannedText[]][] {
	const groups = new Map<number, PlannedText[]>();
	for (const text of texts) {
		const message = text.message ?? -1;
		const group = groups.get(message);
		if (group) group.push(text);
		else groups.set(message, [text]);
	}
	return [...groups].sort(([a], [b]) => a - b);
}

function prepareAll(mask: Mask, texts: readonly PlannedText[]): void {
	for (const { text, form } of texts) if (form) mask.prepare(text, form);
}

/**
 * The mask of a conversation. The same value is masked wherever it stands, found there or not.
 * @param found what is to be masked.
 */
export function planMask({ texts }: Pick<Conversation, "texts">, found: readonly FoundSpan[]): Mask {
	const mask = new Mask();
	if (found.length === 0) return mask;
	const planned = withFindings(
		texts,
		found.filter(({ since }) => since === undefined),
	);
	const late = findLate(texts, found);
	for (const [message, group] of groupByMessage(planned)) {
		for (const { text, form } of group) if (form) mask.reservePlaceholders(text);
		for (const text of [...group, ...(late.get(message) ?? [])]) addFound(mask, text);
		if (mask.hasParts) prepareAll(mask, group);
	}
	prepareAll(mask, planned);
	return mask;
}
