// The receipt of a request by its id alone, for anybody: where it is looked for, and what looking in vain costs.

import type { ServiceContext } from "../account/context.ts";
import { countMiss } from "../account/misses.edge.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import type { RequestIdParts } from "../account/request-tag.ts";
import { ok, type Result } from "../failure.ts";
import type { StoredReceipt } from "../meter/settlement.ts";
import { findReceiptOrUser } from "./receipts.store.ts";

/** An id this old that nobody knows is not asked for again for a while; a younger one may still get its receipt. */
const OLD_MS = 86_400_000;
const UNKNOWN_FOR_MS = 600_000;
const MOST_UNKNOWN = 10_000;

/** Ids that led nowhere, and until when that is believed. */
const unknown = new Map<string, number>();

function rememberUnknown(requestId: string, nowMs: number): void {
	unknown.delete(requestId);
	if (unknown.size >= MOST_UNKNOWN) unknown.delete(unknown.keys().next().value ?? "");
	unknown.set(requestId, nowMs + UNKNOWN_FOR_MS);
}

/**
 * The receipt of a request: D1's, else its meter's, which the id leads to. At most one batch in D1 and one call of an object.
 * D1 first, because a meter that was away may not know what D1 has; what it flushes in between it still knows for a minute.
 */
async function search(
	{ db, meter, startedAtMs, timings }: ServiceContext,
	requestId: string,
	{ userNumber, atMs }: RequestIdParts,
): Promise<StoredReceipt | undefined> {
	if ((unknown.get(requestId) ?? 0) > startedAtMs) return undefined;
	const { receipt, userId } = await timings.measure("d1", () => findReceiptOrUser(db, requestId, userNumber));
	if (receipt) return receipt;
	const pending = userId === undefined ? null : await meter(userId).receipt(requestId);
	if (!pending && startedAtMs - atMs > OLD_MS) rememberUnknown(requestId, startedAtMs);
	return pending ?? undefined;
}

/**
 * The receipt under the id of a request or a run; null when there is none. An id of another form costs nothing; one that
 * leads nowhere counts as a guess of its address, and is refused beyond its limit.
 */
export async function lookUpReceipt(context: ServiceContext, requestId: string): Promise<Result<StoredReceipt | null>> {
	const parts = parseRequestId(requestId, context.settings);
	if (!parts) return ok(null);
	const receipt = await search(context, requestId, parts);
	if (receipt) return ok(receipt);
	const refused = await countMiss("proof", context);
	return refused ? { ok: false, failure: refused } : ok(null);
}
