// Cuts a text into units that the classifier reads one by one: sentences, parts of long ones, and short lines together. Pure.

/** A part of a text, in UTF-16 units; the end is exclusive. */
export interface TextUnit {
	readonly start: number;
	readonly end: number;
}

/** A longer sentence is cut, where a comma or a space allows it. */
const MAX_UNIT_CHARS = 200;
/** No cut before this part of the longest unit. */
const MIN_CUT_CHARS = 100;
/** Lines are joined up to this length: a form's fields say little alone. */
const MIN_LINE_CHARS = 60;

const NEWLINE = 0x0a;
const FULL_STOP = 0x2e;

/** What a code unit does to a unit of text, as bits. */
const MARK_FLAG = { firmEnd: 1, softEnd: 2, comma: 4, space: 8 } as const;

/** By code unit. A set of characters would take most of the time. */
const MARKS = new Uint8Array(0x10000);
for (const [characters, mark] of [
	// They end a sentence whatever follows them.
	["。！？؟।…", MARK_FLAG.firmEnd],
	// They end one before a space.
	[".!?;؛", MARK_FLAG.softEnd],
	[",،，、;:", MARK_FLAG.comma],
	["\u00a0\u3000", MARK_FLAG.space],
] as const)
	for (let at = 0; at < characters.length; at++)
		MARKS[characters.charCodeAt(at)] = (MARKS[characters.charCodeAt(at)] ?? 0) | mark;
MARKS.fill(MARK_FLAG.space, 0, 0x21);

function has(unit: number, mark: number): boolean {
	return ((MARKS[unit] ?? 0) & mark) !== 0;
}

function isSpace(unit: number): boolean {
	return has(unit, MARK_FLAG.space);
}

/** Whether a full stop ends an abbreviation of one or two letters, or a number such as a date's day. */
function endsAbbreviation(text: string, stop: number): boolean {
	let start = stop;
	while (start > 0 && stop - start < 3 && !isSpace(text.charCodeAt(start - 1))) start--;
	return stop - start < 3;
}

function endsSentence(text: string, at: number): boolean {
	const unit = text.charCodeAt(at);
	if (has(unit, MARK_FLAG.firmEnd)) return true;
	if (!has(unit, MARK_FLAG.softEnd)) return false;
	const next = at + 1 < text.length ? text.charCodeAt(at + 1) : NEWLINE;
	return isSpace(next) && !(unit === FULL_STOP && endsAbbreviation(text, at));
}

/** Where a unit that has become too long is cut: after the last comma, else the last space. */
function findCut(text: string, start: number, end: number): number {
	for (let at = end - 1; at >= start + MIN_CUT_CHARS; at--)
		if (has(text.charCodeAt(at), MARK_FLAG.comma)) return at + 1;
	for (let at = end - 1; at >= start + MIN_CUT_CHARS; at--) if (isSpace(text.charCodeAt(at))) return at + 1;
	return end;
}

/** Whether a line break ends a unit: before an empty line, and after enough text. */
function endsAtBreak(text: string, start: number, at: number): boolean {
	return at - start >= MIN_LINE_CHARS || text.charCodeAt(at + 1) === NEWLINE;
}

/** A unit without the spaces around it; none if nothing else is there. */
function trimUnit(text: string, start: number, end: number): TextUnit[] {
	let [from, to] = [start, end];
	while (from < to && isSpace(text.charCodeAt(from))) from++;
	while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
	return to > from ? [{ start: from, end: to }] : [];
}

/** The units of a text in order. Between them stand only spaces. */
export function* textUnits(text: string): Generator<TextUnit> {
	let start = 0;
	for (let at = 0; at < text.length; at++) {
		const isLong = at + 1 - start >= MAX_UNIT_CHARS;
		if (MARKS[text.charCodeAt(at)] === 0 && !isLong) continue;
		let end = start;
		if (endsSentence(text, at)) end = at + 1;
		else if (text.charCodeAt(at) === NEWLINE && endsAtBreak(text, start, at)) end = at;
		else if (isLong) end = findCut(text, start, at + 1);
		if (end === start) continue;
		yield* trimUnit(text, start, end);
		start = end;
	}
	yield* trimUnit(text, start, text.length);
}
