// Settlements that were stranded in D1: written by a Worker whose user's meter is away, or by the meter when a reservation expires. What
// stands there first is the settlement of its request; whoever comes later reads it back.
import { and, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { jsonList, rowsFromJson } from "../db/rows.ts";
import { strandedSettlements } from "../db/schema.ts";
import type { Settlement } from "./settlement.ts";

/** Rows that were taken over are kept so long, for whoever asks late. */
const KEEP_TAKEN_MS = 30 * 86_400_000;
/** Rows of one reading. */
const MOST_READ = 100;

function fromStored(text: string): Settlement {
	return JSON.parse(text) as Settlement;
}

/**
 * Writes settlements, unless their requests have some.
 * @returns the settlements that stand there now.
 */
export async function strand(db: Database, settlements: readonly Settlement[], nowMs: number): Promise<Settlement[]> {
	const rows = settlements.map((settlement) => ({
		request_id: settlement.usage.request_id,
		user_id: settlement.usage.user_id,
		settlement: JSON.stringify(settlement),
		proof_hash: settlement.receipt.proof_hash,
		stranded_at: new Date(nowMs).toISOString(),
		taken_at: null,
	}));
	const written = db.insert(strandedSettlements).select(rowsFromJson(strandedSettlements, rows)).onConflictDoNothing();
	const ids = settlements.map(({ usage }) => usage.request_id);
	const readBack = db
		.select({ settlement: strandedSettlements.settlement })
		.from(strandedSettlements)
		.where(inArray(strandedSettlements.requestId, jsonList(ids)));
	const [, found] = await db.batch([written, readBack]);
	return found.map(({ settlement }) => fromStored(settlement));
}

/** The stranded settlement of a request. */
export async function findStranded(db: Database, requestId: string): Promise<Settlement | undefined> {
	const row = await db
		.select({ settlement: strandedSettlements.settlement })
		.from(strandedSettlements)
		.where(eq(strandedSettlements.requestId, requestId))
		.get();
	return row && fromStored(row.settlement);
}

/** Some settlements of a user that the meter has not taken over. */
export async function listUntaken(db: Database, userId: string): Promise<Settlement[]> {
	const rows = await db
		.select({ settlement: strandedSettlements.settlement })
		.from(strandedSettlements)
		.where(and(eq(strandedSettlements.userId, userId), isNull(strandedSettlements.takenAt)))
		.limit(MOST_READ)
		.all();
	return rows.map(({ settlement }) => fromStored(settlement));
}

/** Records that the meter has taken settlements over, and deletes those that it took over long ago. */
export async function markTaken(
	db: Database,
	userId: string,
	requestIds: readonly string[],
	nowMs: number,
): Promise<void> {
	const { requestId, takenAt } = strandedSettlements;
	const now = new Date(nowMs).toISOString();
	await db.batch([
		db
			.update(strandedSettlements)
			.set({ takenAt: sql`coalesce(${takenAt}, ${now})` })
			.where(inArray(requestId, jsonList(requestIds))),
		db
			.delete(strandedSettlements)
			.where(and(eq(strandedSettlements.userId, userId), lt(takenAt, new Date(nowMs - KEEP_TAKEN_MS).toISOString()))),
	]);
}
