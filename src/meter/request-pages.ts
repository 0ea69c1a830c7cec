// Merges what a meter and its archives have of a page. Pure.
import type { PagePart } from "../http/list-page.ts";
import { requestNumber } from "./request-number.ts";

/** A request in a list, as far as its place goes. */
interface Placed {
	request_id: string;
}

/** Merges two lists, newest first, each of which stays in its own order: rows of one millisecond have another than their ids. */
function mergeInOrder<Entry extends Placed>(first: readonly Entry[], second: readonly Entry[]): Entry[] {
	const merged: Entry[] = [];
	let next = 0;
	for (const entry of first) {
		const n = requestNumber(entry.request_id);
		for (let other = second[next]; other && requestNumber(other.request_id) > n; other = second[++next])
			merged.push(other);
		merged.push(entry);
	}
	return [...merged, ...second.slice(next)];
}

/**
 * Merges two parts of a page that are newest first, up to where both have looked. Of a request that both have, the first one's counts.
 * @returns one entry more than the page holds, if there are more, as each of the parts.
 */
export function mergePages<Entry extends Placed>(own: PagePart<Entry>, archived: PagePart<Entry>): PagePart<Entry> {
	const ownIds = new Set(own.entries.map(({ request_id }) => request_id));
	const others = archived.entries.filter(({ request_id }) => !ownIds.has(request_id));
	const endOf = ({ readTo }: PagePart<Entry>) => (readTo ? requestNumber(readTo.id) : -1);
	const [ownEnd, archivedEnd] = [endOf(own), endOf(archived)];
	const seenTo = (end: number) => (entry: Entry) => requestNumber(entry.request_id) >= end;
	if (ownEnd >= archivedEnd)
		return { entries: mergeInOrder(own.entries, others.filter(seenTo(ownEnd))), readTo: own.readTo };
	return { entries: mergeInOrder(own.entries.filter(seenTo(archivedEnd)), others), readTo: archived.readTo };
}
