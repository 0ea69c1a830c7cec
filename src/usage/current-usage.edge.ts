// A user's usage as it is now: the meter's totals, and the latest rows of the meter and of D1.

import type { KeyContext } from "../account/context.ts";
import { RECENT_ROWS } from "../meter/meter-calls.ts";
import { type Quota, readAllRows } from "../meter/meter-client.edge.ts";
import type { OpenHold, RecentUsage } from "../meter/settlement.ts";
import type { StoredTotals } from "../meter/stored-bytes.ts";
import { UsageTotals } from "../meter/usage-totals.ts";
import { readUsage } from "./usage.store.ts";

/** ULIDs rise with time, so the id decides between rows of the same millisecond. */
function newestUsageFirst(a: RecentUsage, b: RecentUsage): number {
	return `${b.created_at} ${b.request_id}` < `${a.created_at} ${a.request_id}` ? -1 : 1;
}

/** A user's limits, totals and latest requests, newest first. */
interface CurrentUsage {
	quota: Quota;
	totals: UsageTotals;
	recent: RecentUsage[];
	/** What the user stores, and may store. */
	stored: StoredTotals;
	/** Requests that are not settled yet. Their holds are in no total. */
	holds: OpenHold[];
}

/**
 * A user's usage up to the last answered request. Totals are the meter's; the latest rows come from the meter and D1. A
 * settlement may have gone straight to D1 while the meter was unreachable: then D1's row counts, as it will in the meter.
 */
export async function currentUsage({
	account,
	db,
	meter,
	timings,
}: Pick<KeyContext, "db" | "meter" | "timings"> & {
	account: Pick<KeyContext["account"], "userId" | "plan">;
}): Promise<CurrentUsage> {
	const own = meter(account.userId);
	// The meter is read first: what it flushes after this is found in D1.
	const snapshot = await own.snapshot(account.plan.id);
	const { quota, stored: storedTotals, totals: counted, recent: pending, open, holds, doubtful: page } = snapshot;
	const doubtful = await readAllRows(page, own.doubtful);
	// A request that was open in the snapshot may expire before a later page is read: it is on that page, but not in the totals.
	const wereOpen = new Set(open);
	const ids = [...open, ...doubtful.map(({ request_id }) => request_id)];
	const stored = await timings.measure("d1", () => readUsage(db, account.userId, ids));
	const totals = new UsageTotals(counted);
	for (const row of doubtful) {
		if (stored.counted.has(row.request_id) && !wereOpen.has(row.request_id)) totals.subtractRow(row);
	}
	for (const row of stored.counted.values()) totals.addRow(row);
	const rows = new Map([...pending, ...stored.recent].map((row) => [row.request_id, row]));
	const recent = [...rows.values()].sort(newestUsageFirst).slice(0, RECENT_ROWS);
	const unsettled = holds.filter(({ request_id }) => !stored.counted.has(request_id));
	return { quota, totals, recent, stored: storedTotals, holds: unsettled };
}
