// Reservations of a meter: admits a request where limits, the key's budget and the quota of stored bytes have room for it; extends,
// settles or releases what it holds. Between a look at what is left and the row, nothing else runs.
import { PLANS, type PlanId } from "../catalog/plans.ts";
import { logError } from "../http/log.edge.ts";
import { toCountedSettlement } from "./counted-request.ts";
import type { ExpiredRequests } from "./expired-requests.edge.ts";
import type { KeyBudgets } from "./key-budgets.edge.ts";
import type { KeyStandings } from "./key-standings.edge.ts";
import { narrowerQuota, refuseOverLimit, toQuota } from "./limits.ts";
import type { MeterAccount } from "./meter-account.edge.ts";
import type { AdmitRequest, AdmitVerdict, BudgetRoom, ExtendVerdict, Quota, SettleVerdict } from "./meter-calls.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { type MinuteSums, SUMS_EVERY_MS } from "./minute-sums.edge.ts";
import type { LimitRefusal } from "./refusals.ts";
import type { RequestLookup } from "./request-lookup.edge.ts";
import type { OpenRequest } from "./request-table.edge.ts";
import type { Reservation, Settlement } from "./settlement.ts";
import type { StoredWrite } from "./stored-bytes.ts";
import type { StoredQuota } from "./stored-quota.edge.ts";

/** What the meter provides. */
interface ReservationOwner {
	account: MeterAccount;
	keys: KeyStandings;
	state: MeterState;
	budgets: KeyBudgets;
	stored: StoredQuota;
	lookup: RequestLookup;
	expired: ExpiredRequests;
	sums: MinuteSums;
	/** Sets the meter's alarm. The earlier time wins. */
	arm(atMs: number): void;
	/** Called when a clock that was ahead went back: then the first expiry is another. */
	onClockBack(nowMs: number): void;
}

export class Reservations {
	#owner: ReservationOwner;
	#state: MeterState;

	constructor(owner: ReservationOwner) {
		this.#owner = owner;
		this.#state = owner.state;
	}

	/** Counts a request and stores its reservation, where it fits. Idempotent by request id. */
	admit(request: AdmitRequest, salt: string | null, nowMs: number): AdmitVerdict {
		const { account, keys, stored } = this.#owner;
		const plan = account.plan ?? request.plan;
		const standing = keys.standing(request.keyId, request.keyVersion);
		if (standing !== "good") return { admitted: false, reason: standing };
		if (plan !== request.plan && request.reservation) return { admitted: false, reason: "plan_changed", plan };

		if (this.#state.followClock(nowMs)) this.#owner.onClockBack(nowMs);
		const refusal =
			this.#limitRefusal(request, plan, nowMs) ??
			this.#budgetRefusal(request, plan, nowMs) ??
			this.#storageRefusal(request, plan, nowMs);
		// A repeated call is not refused because of its own admission, and not counted again.
		if (refusal && !this.#state.wasAdmitted(request.requestId)) return refusal;
		if (!refusal) this.#count(request, nowMs);
		const quota = this.quota(plan, nowMs);
		const isReduced = request.stored !== undefined && stored.isReduced(request.requestId);
		return { admitted: true, quota: narrowerQuota(quota, this.#keyQuota(request, quota, nowMs)), isReduced, salt };
	}

	/** What a plan leaves. */
	quota(plan: PlanId, nowMs: number): Quota {
		const { rpm, dailyRequests } = PLANS[plan];
		return toQuota(plan, { rpm, dailyLimit: dailyRequests }, this.#state, nowMs);
	}

	/** The limits of a key; null when it has none of its own. */
	#keyQuota({ keyId, keyLimits }: AdmitRequest, ofPlan: Quota, nowMs: number): Quota | null {
		if (!keyLimits) return null;
		const limits = { rpm: keyLimits.rpm ?? ofPlan.rpm, dailyLimit: keyLimits.dailyRequests };
		return toQuota(ofPlan.plan, limits, this.#state.keys.windowsFor(keyId), nowMs);
	}

	/** The refusal by a limit of the plan or of the key; null when the request fits in all of them. */
	#limitRefusal(request: AdmitRequest, plan: PlanId, nowMs: number): LimitRefusal | null {
		const ofPlan = this.quota(plan, nowMs);
		const ofKey = this.#keyQuota(request, ofPlan, nowMs);
		const { countsTowardsDay, keyId } = request;
		return (
			refuseOverLimit("plan", ofPlan, countsTowardsDay, this.#state, nowMs) ??
			(ofKey && refuseOverLimit("key", ofKey, countsTowardsDay, this.#state.keys.windowsFor(keyId), nowMs))
		);
	}

	/** The refusal of a reservation that the key's budget has no room for; null when it fits. */
	#budgetRefusal(request: AdmitRequest, plan: PlanId, nowMs: number): AdmitVerdict | null {
		const budget = this.#owner.budgets.findExceeded(request, nowMs);
		return budget && { admitted: false, reason: "key_budget_exceeded", quota: this.quota(plan, nowMs), budget };
	}

	/**
	 * Counts what a request stores; its refusal where the quota has no room for it, else null. Called last, before the slot is written:
	 * if the object dies in between, the repeated call finds the write counted.
	 */
	#storageRefusal({ requestId: id, stored }: AdmitRequest, plan: PlanId, nowMs: number): AdmitVerdict | null {
		const verdict = stored ? this.#owner.stored.count({ id, ...stored, plan }, nowMs) : null;
		if (!verdict || verdict.stored) return null;
		return { admitted: false, reason: "storage_quota_exceeded", quota: this.quota(plan, nowMs), stored: verdict };
	}

	/** Stores and counts an admission, once. */
	#count(request: AdmitRequest, nowMs: number): void {
		const { requestId, countsTowardsDay, keyId, keyLimits, keyBudget, budgetKeyId, reservation } = request;
		this.#fold(nowMs);
		if (!reservation) {
			const limitedKeyId = keyLimits ? keyId : null;
			this.#state.admitFree({ requestId, isOfDay: countsTowardsDay, limitedKeyId }, nowMs);
			return;
		}
		this.#owner.account.learnUser(reservation.usage.user_id);
		this.#owner.sums.metrics?.begin(reservation.usage.user_id);
		const { expiresAtMs, holdNanoUsd: nanoUsd } = reservation;
		this.#state.admit({
			id: requestId,
			apiKeyId: keyId,
			atMs: nowMs,
			counting: countsTowardsDay ? "day" : "minute",
			isLimited: keyLimits !== null,
			budgetKeyId,
			bookedDay: this.#state.today(nowMs),
			nanoUsd,
			keyBudget,
			expiresAtMs,
			reservation,
		});
		this.#owner.arm(Math.min(expiresAtMs, nowMs + SUMS_EVERY_MS));
	}

	/** Folds where that is due. If that fails, a wake-up reads more rows, and the request is admitted all the same. */
	#fold(nowMs: number): void {
		try {
			this.#state.foldIfDue(nowMs);
		} catch (error) {
			logError("meter_fold_failed", error);
		}
	}

	/** Replaces a reservation by its settlement. Idempotent. A reservation that has expired stays settled at its bound. */
	async settle(settlement: Settlement, stored?: StoredWrite): Promise<SettleVerdict> {
		const { request_id: requestId, proof_hash: proofHash } = settlement.receipt;
		const { expired, lookup } = this.#owner;
		const open = await expired.findUnclaimed(requestId);
		if (!open) return lookup.receiptOf(requestId)?.proof_hash === proofHash ? "settled" : "late";
		const nowMs = Date.now();
		// Counted first, as in `admit`. What was paid for is stored whatever the quota says.
		if (stored) this.#owner.stored.countAnyway(`${requestId} settled`, settlement.usage.user_id, stored, nowMs);
		this.settleOpen(open, settlement, nowMs);
		this.#owner.arm(nowMs + SUMS_EVERY_MS);
		return "settled";
	}

	/** Settles a request, and stores the alerts that its cost gives rise to in the same transaction. */
	settleOpen(open: OpenRequest, settlement: Settlement, nowMs: number): void {
		this.#state.settle(open, settlement);
		this.#owner.sums.metrics?.count(toCountedSettlement(settlement), settlement.toolCalls);
		this.#owner.budgets.settled(open, settlement.usage, nowMs);
	}

	/**
	 * Replaces an open reservation by another, with a later end, another bound, or what a long run has spent so far. It is
	 * recorded if nobody settles the request. Idempotent; counts nothing.
	 */
	async extend(requestId: string, reservation: Reservation): Promise<ExtendVerdict> {
		const open = await this.#owner.expired.findUnclaimed(requestId);
		if (!open) return "late";
		const nowMs = Date.now();
		const room = reservation.holdNanoUsd > open.nanoUsd ? this.#owner.budgets.room(open, nowMs) : null;
		if (room && reservation.holdNanoUsd > room.mostNanoUsd) return "over_budget";
		this.#state.extend(open, reservation, nowMs);
		this.#owner.arm(reservation.expiresAtMs);
		return "extended";
	}

	/** Releases a reservation of a request that no model was billed for. */
	release(requestId: string, nowMs: number): void {
		const open = this.#state.findOpen(requestId);
		// D1 may have its settlement already.
		if (!open || open.isClaiming) return;
		this.#owner.stored.giveBack(requestId, nowMs);
		this.#state.release(open);
	}

	/** What an open request may hold in the budget of its key; null without a budget, and when it is not open. */
	room(requestId: string, nowMs: number): BudgetRoom | null {
		const open = this.#state.findOpen(requestId);
		return open ? this.#owner.budgets.room(open, nowMs) : null;
	}
}
