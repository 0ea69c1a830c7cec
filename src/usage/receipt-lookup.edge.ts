// Finds a receipt by its request id alone, for anybody. The id leads to the user's meter. A failed lookup counts as a miss of its address.

import type { ServiceContext } from "../account/context.ts";
import { countMiss } from "../account/misses.edge.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import type { RequestIdParts } from "../account/request-tag.ts";
import { BoundedMap } from "../bounded-map.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Settlement, StoredReceipt } from "../meter/settlement.ts";
import { findSettled, type SettledContext } from "./settled.edge.ts";
import { findUserId, rememberedUserId } from "./user-numbers.store.ts";

/** An unknown id of this age is remembered as unknown for a while. A younger one may still get its receipt. */
const OLD_MS = 86_400_000;
const UNKNOWN_FOR_MS = 600_000;
const MOST_UNKNOWN = 10_000;

/** Unknown ids, and until when they are not looked up again. */
const unknownIds = new BoundedMap<string, number>(MOST_UNKNOWN);

/** Receipts that were looked up, by id, and until when they are shown from memory: they may be removed in between. */
const seen = new BoundedMap<string, { receipt: StoredReceipt; untilMs: number }>(1_000);
const SEEN_FOR_MS = 3_600_000;
/** Longer receipts are asked for each time. */
const MOST_SEEN_CHARS = 8_000;

/** Users whose meter answers no more look-ups for now, and until when: it is not asked meanwhile. */
const busyUntilMs = new BoundedMap<string, number>(1_000);

function remember(receipt: StoredReceipt, nowMs: number): void {
	if (receipt.receipt.length > MOST_SEEN_CHARS) return;
	seen.set(receipt.request_id, { receipt, untilMs: nowMs + SEEN_FOR_MS });
}

const TOO_MANY: Failure = {
	reason: "rate_limit_exceeded",
	message: "too many receipts of this user are asked for at once; try again in a second",
	retryAfterMs: 1_000,
};

const NOT_BILLED: Failure = {
	reason: "proof_not_found",
	message: "this request failed and nothing was billed, so it has no receipt",
};

function receiptOf({ receipt }: Settlement): StoredReceipt {
	return receipt;
}

/** The receipt of a user's request or run. */
export function findReceipt(context: SettledContext, userId: string, requestId: string): Promise<StoredReceipt | null> {
	const ask = () => context.meter(userId).receipt(requestId);
	return findSettled(context, { userId, requestId }, ask, receiptOf);
}

async function askForReceipt(context: ServiceContext, userId: string, requestId: string) {
	if ((busyUntilMs.get(userId) ?? 0) > Date.now()) return "busy";
	const ask = () => context.meter(userId).publicReceipt(requestId);
	const found = await findSettled<StoredReceipt | "busy" | "unbilled", StoredReceipt>(
		context,
		{ userId, requestId },
		ask,
		receiptOf,
	);
	// The meter counts whole seconds.
	if (found === "busy") busyUntilMs.set(userId, (Math.floor(Date.now() / 1_000) + 1) * 1_000);
	return found;
}

async function searchReceipt(
	context: ServiceContext,
	requestId: string,
	{ userNumber, atMs }: RequestIdParts,
): Promise<StoredReceipt | "busy" | "unbilled" | null> {
	const { db, startedAtMs, timings } = context;
	const known = seen.get(requestId);
	if (known && known.untilMs > startedAtMs) return known.receipt;
	if ((unknownIds.get(requestId) ?? 0) > startedAtMs || userNumber === null) return null;
	const remembered = rememberedUserId(userNumber);
	let found = remembered === undefined ? null : await askForReceipt(context, remembered, requestId);
	if (found === null) {
		const userId = await timings.measure("d1", () => findUserId(db, userNumber));
		if (userId !== undefined && userId !== remembered) found = await askForReceipt(context, userId, requestId);
	}
	if (found === null && startedAtMs - atMs > OLD_MS) unknownIds.set(requestId, startedAtMs + UNKNOWN_FOR_MS);
	if (found !== null && typeof found === "object") remember(found, startedAtMs);
	return found;
}

/**
 * The receipt of a request or a run; null when there is none. A malformed id is not looked up. An unknown one counts as a
 * miss of its address, and is refused when there are too many.
 */
export async function lookUpReceipt(context: ServiceContext, requestId: string): Promise<Result<StoredReceipt | null>> {
	const parts = parseRequestId(requestId, context.settings);
	if (!parts) return ok(null);
	const found = await searchReceipt(context, requestId, parts);
	if (found === "busy") return fail(TOO_MANY);
	if (found === "unbilled") return fail(NOT_BILLED);
	if (found) return ok(found);
	const refused = await countMiss("proof", context);
	return refused ? fail(refused) : ok(null);
}
