// Complaints about what a stranger wrote: "Did you mean …?", and their text quoted in a message. Pure.

/** Longer texts are cut in messages. */
const MAX_QUOTED_CHARS = 60;

/** A text of a stranger's in a message: quoted and short. */
export function quote(text: string): string {
	const short = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS - 1)}…` : text;
	return JSON.stringify(short).toWellFormed();
}

/** Longer words are nobody's slip. */
const MAX_LENGTH = 64;

/** Edits (insert, delete, replace, swap neighbours) between two short words: optimal string alignment. */
function distance(a: string, b: string): number {
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

/** The known word nearest to one that is unknown, when it is near enough to have been meant. */
export function nearestWord(unknown: string, known: Iterable<string>): string | null {
	if (unknown.length > MAX_LENGTH) return null;
	const word = unknown.toLowerCase();
	let best: { word: string; edits: number } | null = null;
	for (const candidate of known) {
		const edits = distance(word, candidate.toLowerCase());
		if (edits <= Math.max(1, Math.floor(candidate.length / 3)) && (!best || edits < best.edits))
			best = { word: candidate, edits };
	}
	return best?.word ?? null;
}

/** The words to put behind a complaint: empty when nothing comes near. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
	const nearest = nearestWord(unknown, known);
	return nearest === null ? "" : `; did you mean ${nearest}?`;
}
