// Admits requests: the meter's verdict as a failure or as rate-limit headers.

import { PLANS } from "../catalog/plans.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { toBudgetFailure } from "../meter/budget-failure.ts";
import type { BudgetStatus } from "../meter/key-budget.ts";
import { type AdmitVerdict, type Quota, RECORDS_PER_MINUTE } from "../meter/meter-calls.ts";
import { type LimitRefusal, Refusals } from "../meter/refusals.ts";
import type { Reservation } from "../meter/settlement.ts";
import { ROLLING_DAYS, type StoredWrite } from "../meter/stored-bytes.ts";
import { forgetAccount } from "./auth.edge.ts";
import type { Account, AdmitOptions, Admitted, CountedStorage, KeyContext, ServiceContext } from "./context.ts";

/** A duration as OpenAI's rate-limit headers write it: `850ms`, `12.5s`. */
function formatDuration(ms: number): string {
	return ms < 1000 ? `${Math.ceil(ms)}ms` : `${Math.ceil(ms / 100) / 10}s`;
}

/** `x-ratelimit-*-requests` of the minute window. */
export function quotaHeaders(quota: Quota): Record<string, string> {
	return {
		"x-ratelimit-limit-requests": String(quota.rpm),
		"x-ratelimit-remaining-requests": String(quota.remaining),
		"x-ratelimit-reset-requests": formatDuration(quota.resetMs),
	};
}

/** A wait in words: `42 seconds`, `3 hours 12 minutes`. */
export function describeWait(ms: number): string {
	const minutes = Math.ceil(ms / 60_000);
	if (minutes < 2) return `${Math.ceil(ms / 1000)} seconds`;
	return minutes < 60 ? `${minutes} minutes` : `${Math.floor(minutes / 60)} hours ${minutes % 60} minutes`;
}

function toLimitFailure(verdict: LimitRefusal): Failure {
	const { limitOf, quota, retryAfterMs } = verdict;
	const limited = limitOf === "key" ? "this API key" : `the ${PLANS[quota.plan].displayName} plan`;
	if (verdict.reason === "rate_limit_exceeded") {
		const message = `${limited} allows ${quota.rpm} requests per minute; try again in ${describeWait(retryAfterMs)}`;
		return { reason: "rate_limit_exceeded", message, retryAfterMs };
	}
	const dailyLimit = quota.dailyLimit ?? 0;
	return {
		reason: "daily_limit_exceeded",
		message: `${limited} allows ${dailyLimit} requests in 24 hours and ${quota.usedToday} were made; the next is free in ${describeWait(retryAfterMs)}`,
		plan: quota.plan,
		dailyLimit,
		usedToday: quota.usedToday,
		retryAfterMs,
	};
}

/** The refusal of a write that the plan's quota of stored bytes has no room for. */
function toStorageFailure({ storedBytes, quotaBytes }: { storedBytes: number; quotaBytes: number }): Failure {
	const message = `what you store counts ${storedBytes} bytes, and with this it would be more than the ${quotaBytes} of your plan; shares, manifests and runs that have ended count until they are deleted, checks, handoffs and events for ${ROLLING_DAYS} days`;
	return { reason: "storage_quota_exceeded", message, storedBytes, quotaBytes };
}

const refusals = new Refusals();

/** Forgets the refusals of a user or a key in this isolate, after plan or keys have changed. */
export function forgetRefusals(id: string): void {
	refusals.forget(id);
}

/** The admission of one request: requested at most once, kept for the headers. */
export class Admission {
	/** Set when the meter has answered. */
	outcome: Result<Admitted> | null = null;
	/** Whether the request was taken as a record, which counts against no limit of plan or key. */
	isRecord = false;
	/** Limits for the headers, of an admission or a refusal. */
	quota: Quota | null = null;
	/** The key's budget, when the meter has refused the reservation for it. */
	tightBudget: BudgetStatus | null = null;

	/** Of what the request stores, the reduced form was counted. */
	#isReduced = false;
	#context: ServiceContext;
	#account: Account;
	#countsTowardsDay: boolean;

	constructor(context: ServiceContext, account: Account, countsTowardsDay: boolean) {
		this.#context = context;
		this.#account = account;
		this.#countsTowardsDay = countsTowardsDay;
	}

	/** The refusal that this isolate remembers; null when the meter must be asked. */
	knownRefusal(countsTowardsDay = this.#countsTowardsDay): Failure | null {
		if (this.#context.session?.isPageRead) return null;
		const verdict = refusals.find(this.#account, countsTowardsDay, Date.now());
		if (!verdict) return null;
		this.quota = verdict.quota;
		return toLimitFailure(verdict);
	}

	/** Asks the meter, unless this isolate remembers a refusal. */
	async request(
		reservation?: Reservation,
		{ countsTowardsDay = this.#countsTowardsDay, stored }: AdmitOptions = {},
	): Promise<Result<Admitted>> {
		if (this.outcome?.ok) return this.outcome;
		if (this.#context.session?.isPageRead && !reservation && !stored) {
			this.outcome = await this.#requestPageRead();
			return this.outcome;
		}
		const known = this.knownRefusal(countsTowardsDay);
		if (known) {
			this.outcome = fail(known);
			return this.outcome;
		}
		const meter = this.#context.meter(this.#account.userId);
		const request = {
			requestId: this.#context.requestId,
			keyId: this.#account.keyId,
			keyVersion: this.#account.key.version,
			keyLimits: this.#account.key.limits,
			keyBudget: this.#account.key.budget,
			budgetKeyId: this.#account.key.budgetKeyId ?? this.#account.keyId,
			plan: this.#account.plan.id,
			countsTowardsDay,
			...(reservation ? { reservation } : {}),
			...(stored ? { stored: { userId: this.#account.userId, write: stored } } : {}),
		};
		const verdict = await this.#context.timings.measure("admit", () => meter.admit(request));
		// From here on, its user's limits bound what the request keeps in memory.
		this.#context.bodyTicket?.release();
		if (!verdict.admitted && verdict.reason === "key_budget_exceeded") {
			// No outcome: the request counts all the same, which is then asked for without a reservation.
			this.quota = verdict.quota;
			this.tightBudget = verdict.budget;
			return fail(toBudgetFailure(verdict.budget, null));
		}
		if (!verdict.admitted && verdict.reason === "storage_quota_exceeded") {
			// No outcome either: what is not stored counts as a request all the same.
			this.quota = verdict.quota;
			return fail(toStorageFailure(verdict.stored));
		}
		this.outcome = this.#toOutcome(verdict);
		if (verdict.admitted) this.#isReduced = verdict.isReduced;
		return this.outcome;
	}

	/** Counts what the request stores: in its admission, or after it. */
	async store(write: StoredWrite): Promise<Result<CountedStorage>> {
		if (!this.outcome && !this.isRecord) {
			const verdict = await this.request(undefined, { stored: write });
			return verdict.ok ? ok({ isReduced: this.#isReduced }) : verdict;
		}
		const { requestId: id, timings } = this.#context;
		const { userId, plan } = this.#account;
		const meter = this.#context.meter(userId);
		const verdict = await timings.measure("admit", () => meter.countStored({ id, userId, plan: plan.id, write }));
		return verdict.stored ? ok({ isReduced: verdict.isReduced }) : fail(toStorageFailure(verdict));
	}

	/** Takes back what was counted. Never throws: what is lost here is counted anew, or leaves after thirty days. */
	async giveBackStored(): Promise<void> {
		const { requestId } = this.#context;
		try {
			await this.#context.meter(this.#account.userId).giveBackStored(requestId);
		} catch (error) {
			logError("stored_bytes_not_given_back", error, { request_id: requestId });
		}
	}

	/** Asks the meter whether it takes the request as a record. */
	async requestRecord(): Promise<Result<null>> {
		const { userId, keyId, key } = this.#account;
		const meter = this.#context.meter(userId);
		const verdict = await this.#context.timings.measure("admit", () => meter.takeRecord(keyId, key.version));
		this.isRecord = true;
		if (verdict.taken) return ok(null);
		if (verdict.reason !== "rate_limit_exceeded") return fail(this.#keyFailure(verdict.reason));
		const { retryAfterMs } = verdict;
		const message = `a user's hooks may record ${RECORDS_PER_MINUTE} events a minute; try again in ${describeWait(retryAfterMs)}`;
		return fail({ reason: "rate_limit_exceeded", message, retryAfterMs });
	}

	/** Asks the meter whether the key is still good, for what a page of the console reads: the page itself was counted. */
	async #requestPageRead(): Promise<Result<Admitted>> {
		const { userId, keyId, key } = this.#account;
		const meter = this.#context.meter(userId);
		const state = await this.#context.timings.measure("admit", () => meter.keyStanding(keyId, key.version));
		return state === "good" ? ok({ salt: null }) : fail(this.#keyFailure(state));
	}

	/** The failure of a key that the meter refuses. */
	#keyFailure(reason: "revoked" | "key_changed"): Failure {
		if (reason === "revoked") return { reason: "invalid_api_key", message: "the API key is unknown or revoked" };
		forgetAccount(this.#account.userId);
		return { reason: "key_changed" };
	}

	#toOutcome(
		verdict: Exclude<AdmitVerdict, { reason: "key_budget_exceeded" | "storage_quota_exceeded" }>,
	): Result<Admitted> {
		if (!verdict.admitted && (verdict.reason === "revoked" || verdict.reason === "key_changed"))
			return fail(this.#keyFailure(verdict.reason));
		if (!verdict.admitted && verdict.reason === "plan_changed") {
			forgetAccount(this.#account.userId);
			return fail({ reason: "plan_changed", plan: verdict.plan });
		}
		this.quota = verdict.quota;
		if (verdict.admitted) return ok({ salt: verdict.salt });
		refusals.remember(this.#account, verdict, Date.now());
		return fail(toLimitFailure(verdict));
	}
}

/** The context of a protected endpoint. */
export function toKeyContext(context: ServiceContext, account: Account, admission: Admission): KeyContext {
	// The same object, so that the stages around a handler see what it changes.
	const admit: KeyContext["admit"] = (reservation, options) => admission.request(reservation, options);
	const store: KeyContext["store"] = (write) => admission.store(write);
	const giveBackStored: KeyContext["giveBackStored"] = () => admission.giveBackStored();
	const admitRecord: KeyContext["admitRecord"] = () => admission.requestRecord();
	return Object.assign(context, { account, admit, admitRecord, store, giveBackStored });
}
