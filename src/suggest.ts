// Helps error messages quote input and suggest known words ("did you mean …?"). Pure.

/** Longer input is cut in messages. */
const MAX_QUOTED_CHARS = 60;

/** Quotes input for a message, cut to MAX_QUOTED_CHARS. */
export function quoteInput(text: string): string {
	const short = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS - 1)}…` : text;
	return JSON.stringify(short).toWellFormed();
}

/** Longer words get no suggestion. */
const MAX_SUGGESTION_CHARS = 64;

/** Edit distance of two short words (optimal string alignment: insert, delete, replace, swap neighbours). */
function editDistance(a: string, b: string): number {
	let before: number[] = [];
	let row = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++) {
			const same = a[i - 1] === b[j - 1];
			let edits = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
				edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
			next.push(edits);
		}
		before = row;
		row = next;
	}
	return row[b.length] ?? 0;
}

/** Finds the known word nearest to an unknown one; null when none is near. */
function nearestWord(unknown: string, known: Iterable<string>): string | null {
	if (unknown.length > MAX_SUGGESTION_CHARS) return null;
	const word = unknown.toLowerCase();
	let best: { word: string; edits: number } | null = null;
	for (const candidate of known) {
		const edits = editDistance(word, candidate.toLowerCase());
		if (edits <= Math.max(1, Math.floor(candidate.length / 3)) && (!best || edits < best.edits))
			best = { word: candidate, edits };
	}
	return best?.word ?? null;
}

/** Renders `; did you mean X?`, or an empty string when no known word is near. */
export function renderSuggestion(unknown: string, known: Iterable<string>): string {
	const nearest = nearestWord(unknown, known);
	return nearest === null ? "" : `; did you mean ${nearest}?`;
}

/** A name without case, hyphens and underscores: `maxCostUsd` and `MAX-COST-USD` are spellings of `max_cost_usd`. */
export function foldName(name: string): string {
	return name.toLowerCase().replace(/[-_]/g, "");
}

/** From this length on, a name with two slips still counts as mistyped. */
const LONG_NAME_CHARS = 9;

/** How many slips may make another name of a known one. */
export function allowedSlips(name: string): 1 | 2 {
	return name.length >= LONG_NAME_CHARS ? 2 : 1;
}

/**
 * Whether at most so many slips make one word of the other. A slip inserts, drops or replaces a letter, or swaps two neighbours.
 * Unlike a distance it is found without a table: what differs early is given up early.
 */
export function areWithinSlips(a: string, b: string, slips: number): boolean {
	if (Math.abs(a.length - b.length) > slips) return false;
	let same = 0;
	while (same < a.length && a[same] === b[same]) same++;
	if (same === a.length || same === b.length) return true;
	if (slips === 0) return false;
	const [restA, restB] = [a.slice(same + 1), b.slice(same + 1)];
	const isSwapped = a[same] === b[same + 1] && a[same + 1] === b[same];
	return (
		areWithinSlips(restA, restB, slips - 1) ||
		areWithinSlips(restA, b.slice(same), slips - 1) ||
		areWithinSlips(a.slice(same), restB, slips - 1) ||
		(isSwapped && areWithinSlips(restA.slice(1), restB.slice(1), slips - 1))
	);
}
