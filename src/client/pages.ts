// Lists that come in pages: as one sequence, and as a sequence that goes on with what is new.
import { type CallSettings, sleepUntilAborted } from "./transport.ts";

/** A page of a list; `next_cursor` is null on the last one. */
interface CursorPage<Item> {
	data: Item[];
	next_cursor: string | null;
}

/** The items of all pages, a page at a time. */
export async function* readAllPages<Item>(
	readPage: (cursor: string | undefined) => Promise<CursorPage<Item>>,
): AsyncGenerator<Item> {
	let cursor: string | undefined;
	do {
		const page = await readPage(cursor);
		yield* page.data;
		cursor = page.next_cursor ?? undefined;
	} while (cursor !== undefined);
}

/** The items of a sequence, once it has ended. */
export async function collectAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
	const all: Item[] = [];
	for await (const item of items) all.push(item);
	return all;
}

interface Dated {
	id: string;
	/** ISO 8601 in UTC. */
	created_at: string;
}

/** An item may be listed this much later than its time says. */
const OVERLAP_MS = 30_000;

/**
 * What is added to a list that is newest first, oldest first, as it is added. Never ends by itself.
 * @param readSince the items from a time on, newest first; undefined asks for the newest page alone.
 */
export async function* followList<Item extends Dated>(
	readSince: (since: string | undefined) => Promise<Item[]>,
	{ everyMs, signal }: { everyMs: number } & Pick<CallSettings, "signal">,
): AsyncGenerator<Item> {
	const seen = new Map<string, string>();
	let since: string | undefined;
	for (;;) {
		const fresh = (await readSince(since)).filter(({ id }) => !seen.has(id)).reverse();
		for (const item of fresh) {
			seen.set(item.id, item.created_at);
			yield item;
		}
		const last = fresh.at(-1)?.created_at;
		if (last !== undefined) {
			since = new Date(Date.parse(last) - OVERLAP_MS).toISOString();
			for (const [id, at] of seen) if (at < since) seen.delete(id);
		}
		await sleepUntilAborted(everyMs, signal);
	}
}
