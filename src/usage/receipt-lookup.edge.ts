// Finds a receipt by its request id alone, for anybody. The id leads to the user's meter. A failed lookup counts as a miss of its address.

import type { ServiceContext } from "../account/context.ts";
import { countMiss } from "../account/misses.edge.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import type { RequestIdParts } from "../account/request-tag.ts";
import { ok, type Result, StorageUnavailableError } from "../failure.ts";
import type { StoredReceipt } from "../meter/settlement.ts";
import { findStranded, toSealedReceipt } from "../meter/stranded.store.ts";
import { findUserId } from "./user-numbers.store.ts";

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

type LookupContext = Pick<ServiceContext, "db" | "meter" | "timings">;

/**
 * The receipt of a user's request. One that the meter knows as open may have a settlement that is stranded in D1, and so may all while
 * the meter is away.
 */
export async function findReceipt(
	{ db, meter, timings }: LookupContext,
	userId: string,
	requestId: string,
): Promise<StoredReceipt | null> {
	const stranded = async () => {
		const settlement = await timings.measure("d1", () => findStranded(db, requestId));
		return settlement?.usage.user_id === userId ? toSealedReceipt(settlement) : null;
	};
	try {
		const found = await meter(userId).receipt(requestId);
		return found === "open" ? stranded() : found;
	} catch (error) {
		if (!(error instanceof StorageUnavailableError)) throw error;
		const receipt = await stranded();
		if (receipt) return receipt;
		throw error;
	}
}

async function searchReceipt(
	context: ServiceContext,
	requestId: string,
	{ userNumber, atMs }: RequestIdParts,
): Promise<StoredReceipt | null> {
	const { db, startedAtMs, timings } = context;
	if ((unknownIds.get(requestId) ?? 0) > startedAtMs || userNumber === null) return null;
	const userId = await timings.measure("d1", () => findUserId(db, userNumber));
	const receipt = userId === undefined ? null : await findReceipt(context, userId, requestId);
	if (!receipt && startedAtMs - atMs > OLD_MS) rememberUnknown(requestId, startedAtMs);
	return receipt;
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
