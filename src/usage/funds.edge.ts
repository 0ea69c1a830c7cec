// Where a request's money is reserved and settled: the user's meter, and D1 where the meter cannot be reached.

import type { KeyContext } from "../account/context.ts";
import type { Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { type Reservation, type Settlement, toSettlementRow } from "../meter/settlement.ts";
import { recordSettlements } from "../meter/settlements.store.ts";
import { findReceipt } from "./receipts.store.ts";

/** Reserves before the first call of a run and settles after the last. */
export interface Funds {
	/** Counts the request and holds its worst case; durable before it answers. A refusal is what the client gets. */
	reserve(reservation: Reservation): Promise<Result<unknown>>;
	/**
	 * Replaces the open reservation by another, which is what is recorded if nobody settles; durable before it answers. False
	 * when the request is not open any more or that could not be stored: then nothing more may be called for it.
	 */
	extend(reservation: Reservation): Promise<boolean>;
	/** Replaces the reservation by what happened; false when that could not be stored, or the request was settled at its bound before. */
	settle(settlement: Settlement): Promise<boolean>;
	/** Frees a reservation that cost nothing. Never throws: what cannot be freed is settled at its bound, which is logged. */
	release(): Promise<void>;
}

type FundsContext = Pick<KeyContext, "admit" | "db" | "meter" | "requestId" | "waitUntil"> & {
	account: Pick<KeyContext["account"], "userId">;
};

/** The funds of a request's user. */
export function createFunds(context: FundsContext): Funds {
	const { account, db, meter, requestId } = context;
	const release = async () => {
		try {
			await meter(account.userId).release(requestId);
		} catch (error) {
			logError("release_failed", error, { request_id: requestId });
		}
	};
	return {
		async reserve(reservation) {
			try {
				return await context.admit(reservation);
			} catch (error) {
				// The reservation may stand all the same, though its answer was lost, and no model will be called for it.
				context.waitUntil(release());
				throw error;
			}
		},
		async extend(reservation) {
			try {
				return (await meter(account.userId).extend(requestId, reservation)) === "extended";
			} catch (error) {
				logError("extend_failed", error, { request_id: requestId });
				return false;
			}
		},
		async settle(settlement) {
			try {
				return (await meter(account.userId).settle(settlement)) === "settled";
			} catch (error) {
				logError("settle_failed", error, { request_id: requestId });
			}
			try {
				await recordSettlements(db, [JSON.stringify(toSettlementRow(settlement))]);
				const stored = await findReceipt(db, requestId);
				return stored?.proof_hash === settlement.receipt.proof_hash;
			} catch (error) {
				logError("settle_directly_failed", error, { request_id: requestId });
				return false;
			}
		},
		release,
	};
}
