// Finds a receipt by its request id alone, for anybody. A failed lookup counts as a miss of its address.

import type { ServiceContext } from "../account/context.ts";
import { countMiss } from "../account/misses.edge.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import type { RequestIdParts } from "../account/request-tag.ts";
import { ok, type Result } from "../failure.ts";
import type { StoredReceipt } from "../meter/settlement.ts";
import { findReceiptOrUser } from "./receipts.store.ts";

/** An unknown id of this age is remembered as unknown for a while. A younger one may still get its receipt. */
const OLD_MS = 86_400_000;
const UNKNOWN_FOR_MS = 600_000;
const MOST_UNKNOWN = 10_000;

/** Unknown ids, and until when they are not looked up again. */
const unknownIds = new Map<string, number>();

function rememberUnknown(requestId: string, nowMs: number): void {
	unknownIds.delete(requestId);
	if (unknownIds.size >= MOST_UNKNOWN) unknownIds.delete(unknownIds.keys().next().value ?? "");
	unknownIds.set(requestId, nowMs + UNKNOWN_FOR_MS);
}

/**
 * Looks in D1, then in the meter that the id leads to: at most one batch in D1 and one call of an object. D1 comes first,
 * because a meter that was unreachable may not know what D1 has. A meter keeps for a minute what it flushes in between.
 */
async function searchReceipt(
	{ db, meter, startedAtMs, timings }: ServiceContext,
	requestId: string,
	{ userNumber, atMs }: RequestIdParts,
): Promise<StoredReceipt | undefined> {
	if ((unknownIds.get(requestId) ?? 0) > startedAtMs) return undefined;
	const { receipt, userId } = await timings.measure("d1", () => findReceiptOrUser(db, requestId, userNumber));
	if (receipt) return receipt;
	const pending = userId === undefined ? null : await meter(userId).receipt(requestId);
	if (!pending && startedAtMs - atMs > OLD_MS) rememberUnknown(requestId, startedAtMs);
	return pending ?? undefined;
}

/**
 * The receipt of a request or a run; null when there is none. A malformed id is not looked up. An unknown one counts as a
 * miss of its address, and is refused when there are too many.
 */
export async function lookUpReceipt(context: ServiceContext, requestId: string): Promise<Result<StoredReceipt | null>> {
	const parts = parseRequestId(requestId, context.settings);
	if (!parts) return ok(null);
	const receipt = await searchReceipt(context, requestId, parts);
	if (receipt) return ok(receipt);
	const refused = await countMiss("proof", context);
	return refused ? { ok: false, failure: refused } : ok(null);
}
