// A user's usage as it is now: the meter's totals, and the latest rows of the meter and of D1.

import type { KeyContext } from "../account/context.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { PendingPage } from "../meter/meter-books.edge.ts";
import type { MeterClient, Quota } from "../meter/meter-client.edge.ts";
import type { OpenHold, RecentUsage } from "../meter/settlement.ts";
import { type CountedUsage, UsageTotals } from "../meter/usage-totals.ts";
import { RECENT_ROWS, readUsage } from "./usage.store.ts";

/** ULIDs rise with time, so the id settles ties of the same millisecond. */
function newestFirst(a: RecentUsage, b: RecentUsage): number {
	return `${b.created_at} ${b.request_id}` < `${a.created_at} ${a.request_id}` ? -1 : 1;
}

const totalsUnknown: Failure = {
	reason: "storage_unavailable",
	message: "the totals of earlier requests could not be read; try again",
};

/** Rows that the meter counts and D1 may have otherwise, from their first page on. */
async function doubtfulRows(meter: MeterClient, { rows: first, next }: PendingPage): Promise<CountedUsage[]> {
	const rows = [...first];
	for (let after = next; after !== null; ) {
		const page = await meter.doubtful(after);
		rows.push(...page.rows);
		after = page.next;
	}
	return rows;
}

/** A user's limits, totals and latest requests, newest first. */
export interface CurrentUsage {
	quota: Quota;
	totals: UsageTotals;
	recent: RecentUsage[];
	/** Requests that are not settled yet; what they hold is in no total. */
	holds: OpenHold[];
}

/**
 * A user's usage up to the last answered request: totals as the meter has them, the latest rows from D1 and the meter. Where a
 * settlement went straight to D1, because the meter was away, D1's row counts, as it will for the meter.
 */
export async function currentUsage({
	account,
	db,
	meter,
	timings,
}: Pick<KeyContext, "account" | "db" | "meter" | "timings">): Promise<Result<CurrentUsage>> {
	const own = meter(account.userId);
	// The meter first: what it flushes after this is found in D1.
	const { quota, totals: counted, recent: pending, open, holds, doubtful: page } = await own.snapshot(account.plan.id);
	if (counted === null) return fail(totalsUnknown);
	const doubtful = await doubtfulRows(own, page);
	// A reservation that was open then and has expired since is on a later page, and not in the totals.
	const wereOpen = new Set(open);
	const ids = [...open, ...doubtful.map(({ request_id }) => request_id)];
	const stored = await timings.measure("d1", () => readUsage(db, account.userId, ids));
	const totals = new UsageTotals(counted);
	for (const row of doubtful) {
		const { request_id: id } = row;
		const isElsewhere = stored.rows.has(id) || stored.oldIds.has(id);
		if (isElsewhere && !wereOpen.has(id)) totals.subtractRow(row);
	}
	for (const row of stored.rows.values()) totals.addRow(row);
	const rows = new Map([...pending, ...stored.recent].map((row) => [row.request_id, row]));
	const recent = [...rows.values()].sort(newestFirst).slice(0, RECENT_ROWS);
	return ok({ quota, totals, recent, holds: holds.filter(({ request_id }) => !stored.rows.has(request_id)) });
}
