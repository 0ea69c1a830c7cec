// A page of a list that is read newest first, merged from several sources, none of which may have looked at all of its entries. Pure.
import { type ListPosition, renderCursor } from "./list-position.ts";

/** What one source knows of a page. */
export interface PagePart<Entry> {
	/** Newest first. */
	entries: readonly Entry[];
	/** The source has looked at all entries down to this position; null when it has looked at all of them. */
	readTo: ListPosition | null;
}

export interface ListPage<Entry> {
	entries: Entry[];
	/** Null on the last page. */
	nextCursor: string | null;
	/** Where a page that is not full ends although there may be more: its sources have looked at enough entries. */
	searchedBackTo: string | null;
}

/** Compares newest first; by id where times are equal. */
export function compareNewestFirst(a: ListPosition, b: ListPosition): number {
	if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
	return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** The part that a source found, which was asked for one entry more than a page holds. */
export function toPagePart<Entry>(
	entries: readonly Entry[],
	limit: number,
	toPosition: (entry: Entry) => ListPosition,
): PagePart<Entry> {
	const last = entries.at(-1);
	return { entries, readTo: last && entries.length > limit ? toPosition(last) : null };
}

/** The newest position that any of the parts was read to: what lies behind it, some source has not looked at. */
function newestEnd(parts: readonly PagePart<unknown>[]): ListPosition | null {
	const ends = parts.flatMap(({ readTo }) => readTo ?? []);
	return ends.toSorted(compareNewestFirst)[0] ?? null;
}

/**
 * Merges the parts of a page. Of entries with the same id, that of the last part counts.
 * @param limit the most entries of the page.
 */
export function mergePageParts<Entry>(
	parts: readonly PagePart<Entry>[],
	limit: number,
	toPosition: (entry: Entry) => ListPosition,
): ListPage<Entry> {
	const end = newestEnd(parts);
	const byId = new Map(parts.flatMap(({ entries }) => entries.map((entry) => [toPosition(entry).id, entry])));
	const known = [...byId.values()]
		.filter((entry) => end === null || compareNewestFirst(toPosition(entry), end) <= 0)
		.sort((a, b) => compareNewestFirst(toPosition(a), toPosition(b)));
	const entries = known.slice(0, limit);
	const last = entries.at(-1);
	if (last && known.length > limit)
		return { entries, nextCursor: renderCursor(toPosition(last)), searchedBackTo: null };
	if (!end) return { entries, nextCursor: null, searchedBackTo: null };
	return { entries, nextCursor: renderCursor(end), searchedBackTo: entries.length < limit ? end.created_at : null };
}

/**
 * The page of one source, in the source's own order.
 * @param part of one entry more than the page holds, if there are more.
 */
export function toListPage<Entry>(
	{ entries: found, readTo }: PagePart<Entry>,
	limit: number,
	toPosition: (entry: Entry) => ListPosition,
): ListPage<Entry> {
	const entries = found.slice(0, limit);
	const last = entries.at(-1);
	if (last && found.length > limit)
		return { entries, nextCursor: renderCursor(toPosition(last)), searchedBackTo: null };
	if (!readTo) return { entries, nextCursor: null, searchedBackTo: null };
	return {
		entries,
		nextCursor: renderCursor(readTo),
		searchedBackTo: entries.length < limit ? readTo.created_at : null,
	};
}
