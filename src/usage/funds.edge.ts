// Reserves and settles a request's money: at the user's meter, or in D1 when the meter is unreachable.

import type { KeyContext } from "../account/context.ts";
import { ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { toOutgoingRow } from "../meter/flush-batch.ts";
import type { ExtendVerdict } from "../meter/meter-calls.ts";
import { type Reservation, type Settlement, toSettlementRow } from "../meter/settlement.ts";
import { recordSettlements } from "../meter/settlements.store.ts";
import type { StoredWrite } from "../meter/stored-bytes.ts";
import { findReceipt } from "./receipts.store.ts";

export type ExtendOutcome = ExtendVerdict | "unreachable";

/** The money of one request, reserved before its first call and settled after the last. */
export interface Funds {
	/**
	 * Counts the request and stores its bound; durable before it returns. The client gets a refusal as its answer.
	 * @returns the salt of the receipt's hashes.
	 */
	reserve(reservation: Reservation, stored?: StoredWrite): Promise<Result<{ salt: string }>>;
	/**
	 * Replaces the open reservation by another, which is recorded if nobody settles; durable before it returns. `over_budget`: it
	 * holds more than the key's budget leaves, and the one before stays. `late`, `unreachable`: the request is no longer open, or the
	 * reservation could not be stored. Then no further call may be made for it.
	 */
	extend(reservation: Reservation): Promise<ExtendOutcome>;
	/** Replaces the reservation by its settlement. False when that could not be stored, or the request was settled at its bound before. */
	settle(settlement: Settlement, stored?: StoredWrite): Promise<boolean>;
	/** Releases a reservation that cost nothing. Never throws: on failure, which is logged, it is settled at its bound. */
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
		async reserve(reservation, stored) {
			try {
				const admitted = await context.admit(reservation, stored ? { stored } : {});
				if (!admitted.ok) return admitted;
				const { salt } = admitted.value;
				if (salt === null) throw new Error("a reservation has a salt");
				return ok({ salt });
			} catch (error) {
				// The reservation may be stored although the answer was lost, and no model will be called for it.
				context.waitUntil(release());
				throw error;
			}
		},
		async extend(reservation) {
			try {
				return await meter(account.userId).extend(requestId, reservation);
			} catch (error) {
				logError("extend_failed", error, { request_id: requestId });
				return "unreachable";
			}
		},
		async settle(settlement, stored) {
			try {
				return (await meter(account.userId).settle(settlement, stored)) === "settled";
			} catch (error) {
				logError("settle_failed", error, { request_id: requestId });
			}
			try {
				await recordSettlements(db, [toOutgoingRow(toSettlementRow(settlement))]);
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
