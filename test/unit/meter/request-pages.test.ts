// Pages that are read from a meter and from archives: complete and in order, whoever has what.

import { ulid } from "ulid";
import { expect, it } from "vitest";
import { toListPage, toPagePart } from "../../../src/http/list-page.ts";
import { parseListCursor } from "../../../src/http/list-position.ts";
import { requestNumber } from "../../../src/meter/request-number.ts";
import { mergePages } from "../../../src/meter/request-pages.ts";

interface Entry {
	request_id: string;
	created_at: string;
}

const START_MS = Date.UTC(2027, 0, 1);
const entry = (nth: number): Entry => ({
	request_id: `svc-${ulid(START_MS + nth * 1_000)}`,
	created_at: new Date(START_MS + nth * 1_000).toISOString(),
});
const toPosition = ({ created_at, request_id }: Entry) => ({ created_at, id: request_id });

/** A page of a store. */
function read(store: readonly Entry[], before: number, limit: number) {
	const found = store.filter(({ request_id }) => requestNumber(request_id) < before).slice(0, limit + 1);
	return toPagePart(found, limit, toPosition);
}

it.each([1, 2, 3, 7, 50])("show each request once in its place, on pages of %i", (limit) => {
	const all = Array.from({ length: 40 }, (_, nth) => entry(40 - nth));
	// Some are in both, as while they are moved; the meter keeps runs between those of the archive.
	const own = all.filter((_, nth) => nth < 15 || nth % 5 === 0);
	const archived = all.filter((_, nth) => nth >= 12 && nth % 5 !== 0);
	const listed: Entry[] = [];
	for (let before = Number.MAX_SAFE_INTEGER; ; ) {
		const merged = mergePages(read(own, before, limit), read(archived, before, limit));
		const { entries, nextCursor } = toListPage(merged, limit, toPosition);
		listed.push(...entries);
		if (nextCursor === null) break;
		const after = parseListCursor(nextCursor, () => true);
		before = requestNumber(after?.id ?? "");
	}
	expect(listed).toEqual(all);
});
