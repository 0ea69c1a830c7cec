// A request's money at its user's meter: reserved before the first call, settled after the last. A settlement that the meter cannot take is
// stranded in D1, from where the meter takes it over.

import type { KeyContext } from "../account/context.ts";
import { ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { ExtendVerdict } from "../meter/meter-calls.ts";
import type { Reservation, Settlement } from "../meter/settlement.ts";
import type { StoredWrite } from "../meter/stored-bytes.ts";
import { strand } from "../meter/stranded.store.ts";

export type ExtendOutcome = ExtendVerdict | "unreachable";

/** The money of a request that is admitted. */
export interface OpenFunds {
	/**
	 * Replaces the open reservation by another, which is recorded if nobody settles; durable before it returns. `over_budget`: it
	 * holds more than the key's budget leaves, and the one before stays. `late`, `unreachable`: the request is no longer open, or the
	 * reservation could not be stored. Then no further call may be made for it.
	 */
	extend(reservation: Reservation): Promise<ExtendOutcome>;
	/** Replaces the reservation by its settlement. False when that could not be stored, or the request has another one. */
	settle(settlement: Settlement, stored?: StoredWrite): Promise<boolean>;
	/** Releases a reservation that cost nothing. Never throws: on failure, which is logged, it is settled at its bound. */
	release(): Promise<void>;
}

/** The money of a request that is to be admitted with its reservation. */
export interface Funds extends OpenFunds {
	/**
	 * Counts the request and stores its bound; durable before it returns. The client gets a refusal as its answer.
	 * @returns the salt of the receipt's hashes.
	 */
	reserve(reservation: Reservation, stored?: StoredWrite): Promise<Result<{ salt: string }>>;
}

type OpenFundsContext = Pick<KeyContext, "db" | "meter" | "requestId" | "waitUntil"> & {
	account: Pick<KeyContext["account"], "userId">;
};

/** The funds of a user's request that was admitted before. */
export function openFunds(context: OpenFundsContext): OpenFunds {
	const { account, db, meter, requestId } = context;
	const own = () => meter(account.userId);
	const takeOver = async () => {
		try {
			await own().takeStranded(account.userId);
		} catch (error) {
			logError("stranded_settlement_waits", error, { request_id: requestId });
		}
	};
	return {
		async extend(reservation) {
			try {
				return await own().extend(requestId, reservation);
			} catch (error) {
				logError("extend_failed", error, { request_id: requestId });
				return "unreachable";
			}
		},
		async settle(settlement, stored) {
			try {
				return (await own().settle(settlement, stored)) === "settled";
			} catch (error) {
				logError("settle_failed", error, { request_id: requestId });
			}
			try {
				const [first] = await strand(db, [settlement], Date.now());
				context.waitUntil(takeOver());
				return first?.receipt.proof_hash === settlement.receipt.proof_hash;
			} catch (error) {
				logError("settlement_not_stranded", error, { request_id: requestId });
				return false;
			}
		},
		async release() {
			try {
				await own().release(requestId);
			} catch (error) {
				logError("release_failed", error, { request_id: requestId });
			}
		},
	};
}

/** The funds of a request on its way. */
export function createFunds(context: OpenFundsContext & Pick<KeyContext, "admit" | "trail">): Funds {
	const open = openFunds(context);
	const { trail } = context;
	return {
		...open,
		async release() {
			trail.isReserved = false;
			await open.release();
		},
		async reserve(reservation, stored) {
			try {
				const admitted = await context.admit(reservation, stored ? { stored } : {});
				if (!admitted.ok) return admitted;
				const { salt } = admitted.value;
				if (salt === null) throw new Error("a reservation has a salt");
				trail.isReserved = true;
				return ok({ salt });
			} catch (error) {
				// The reservation may be stored although the answer was lost, and no model will be called for it.
				context.waitUntil(open.release());
				throw error;
			}
		},
	};
}
