// Finds identifiers of the table in a text: shape, then check digits, then the evidence around them.
import { IDENTIFIERS, type Identifier } from "./identifiers.ts";
import type { Kind } from "./kinds.ts";
import { isWordAt, type WordMake } from "./words.ts";

const BEFORE = 64;
const AFTER = 40;

/** The lower-cased text around a span, the span included. */
export function surroundings(text: string, start: number, end: number): string {
	return text.slice(Math.max(0, start - BEFORE), end + AFTER).toLowerCase();
}

/** Whether a span is no part of something longer, such as a UUID, a version, a decimal or the name of a mailbox. */
export function standsAlone(text: string, start: number, end: number): boolean {
	const before = text.charCodeAt(start - 1);
	if ((before === 45 || before === 46) && isWordAt(text, start - 2)) return false;
	if (isWordAt(text, end)) return false;
	const after = text.charCodeAt(end);
	return !(after === 64 || ((after === 45 || after === 46) && isWordAt(text, end + 1)));
}

/** Where the text begins and ends without white space: a value that fills it is a bare value. */
export interface Extent {
	readonly start: number;
	readonly end: number;
}

interface Candidate {
	readonly identifier: Identifier;
	readonly end: number;
}

function candidateAt(text: string, start: number, identifier: Identifier): Candidate | undefined {
	const { shape, check, refused } = identifier;
	shape.lastIndex = start;
	if (!shape.test(text)) return undefined;
	const end = shape.lastIndex;
	if (!standsAlone(text, start, end)) return undefined;
	if (check === undefined && refused === undefined) return { identifier, end };
	const written = text.slice(start, end).replace(/[^A-Za-z0-9]/g, "");
	const value = shape.ignoreCase ? written.toUpperCase() : written;
	if (refused?.test(value) || check?.(value) === false) return undefined;
	return { identifier, end };
}

/** Whether a word can begin an identifier: it holds a digit, or is short and has one behind it ("DE 136…"). */
function canBegin(text: string, end: number, length: number, make: WordMake): boolean {
	if (make !== "letters") return true;
	if (length > 2) return false;
	const next = text.charCodeAt(end);
	const digit = text.charCodeAt(end + 1);
	return (next === 32 || next === 45) && digit > 47 && digit < 58;
}

/**
 * Reports the kinds of identifiers that begin at a word.
 * @param extent where the text's own characters lie: only there can a value be bare.
 */
export function identifyAt(
	text: string,
	start: number,
	end: number,
	make: WordMake,
	extent: Extent,
	seen: Set<Kind>,
): void {
	const identifiers = canBegin(text, end, end - start, make) ? IDENTIFIERS[end - start] : undefined;
	if (identifiers === undefined) return;
	const bare: Identifier[] = [];
	let around: string | undefined;
	for (const identifier of identifiers) {
		if (seen.has(identifier.kind)) continue;
		const candidate = candidateAt(text, start, identifier);
		if (candidate === undefined) continue;
		if (identifier.needs !== "shape" && identifier.context !== undefined) {
			around ??= surroundings(text, start, candidate.end);
			if (identifier.context.test(around)) {
				seen.add(identifier.kind);
				continue;
			}
		}
		if (identifier.needs === "shape") seen.add(identifier.kind);
		else if (identifier.needs === "bare" && start === extent.start && candidate.end === extent.end)
			bare.push(identifier);
	}
	if (bare.length === 0) return;
	// A check digit says more than a shape that any number has.
	const checked = bare.filter(({ check }) => check !== undefined);
	for (const { kind } of checked.length > 0 ? checked : bare) seen.add(kind);
}
