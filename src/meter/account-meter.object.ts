// AccountMeter: one Durable Object per user, and the one home of the user's requests, receipts and sums. It keeps exact limits, revocations,
// open reservations, and marks of the owners that hold audit events D1 does not have.
//
// Crash order. `admit` and `settle` write one row each, and the platform sends no answer before the row is durable. Sums follow from the
// rows. A reservation whose caller died is settled by the alarm: at its bound, unless D1 has a settlement that a Worker stranded there
// while this object was away. So the object writes its own there first, and settles with what it reads back. From the moment that it
// may ask D1, the row says so, and nothing else settles the request. D1 gets sums once a minute, with an admission or the alarm.
import { PLANS, type PlanId } from "../catalog/plans.ts";
import { database } from "../db/client.edge.ts";
import { BackedUpObject } from "../durable/backed-up-object.edge.ts";
import { migrate } from "../durable/migrations.edge.ts";
import type { BackupPlan } from "../durable/object-rows.edge.ts";
import { Outbox } from "../durable/outbox.edge.ts";
import { logError } from "../http/log.edge.ts";
import { cachedSettings } from "../settings.ts";
import { toWebhookRules } from "../webhooks/webhook.ts";
import { DAY_MS } from "./budget-period.ts";
import type { ComplianceRefusal } from "./compliance-refusals.ts";
import { ConsoleSessions } from "./console-sessions.edge.ts";
import { toCountedSettlement } from "./counted-request.ts";
import { DataKey } from "./data-key.edge.ts";
import { ExpiredRequests } from "./expired-requests.edge.ts";
import { toUnbilledRow, type UnbilledRequest } from "./failed-request.ts";
import type { SumColumn, SumRange } from "./fold-table.edge.ts";
import { HeldRequests } from "./held-requests.edge.ts";
import type { SealedTexts } from "./kept-texts.ts";
import type { BudgetStatus, KeyCosts } from "./key-budget.ts";
import { KeyBudgets } from "./key-budgets.edge.ts";
import { KeyStandings } from "./key-standings.edge.ts";
import { narrowerQuota, refuseOverLimit, toQuota } from "./limits.ts";
import { MarkedOwnerTable } from "./marked-owner-table.edge.ts";
import { MeterAccount } from "./meter-account.edge.ts";
import {
	type AdmitRequest,
	type AdmitVerdict,
	type BudgetQuery,
	type BudgetRoom,
	type ChangedBudget,
	type CheckedDay,
	type ExtendVerdict,
	type GivenFeedback,
	type KeyStanding,
	type MarkedOwner,
	type MeterFeedbackVerdict,
	type MeterSnapshot,
	type NamedCounts,
	type PageVerdict,
	type Quota,
	RECENT_ROWS,
	RECORDS_PER_MINUTE,
	type RecordVerdict,
	type SettleVerdict,
} from "./meter-calls.ts";
import { recordMeterEvents } from "./meter-events.store.ts";
import { type MeterEvent, toStoredEvent } from "./meter-events.ts";
import { type CountedDecision, MeterMetrics } from "./meter-metrics.edge.ts";
import { MeterState } from "./meter-state.edge.ts";
import { METER_TABLES } from "./meter-tables.ts";
import type { NamedColumn, NameSums } from "./name-sums.edge.ts";
import { RefusalTable } from "./refusal-table.edge.ts";
import type { LimitRefusal } from "./refusals.ts";
import { RequestKeeper } from "./request-keeper.edge.ts";
import type {
	ArchivedRequest,
	MeterPage,
	RatedRequest,
	RemovedRequest,
	RequestDetail,
	RequestPageQuery,
} from "./request-page.ts";
import { readRequestPage } from "./request-reader.edge.ts";
import type { OpenRequest } from "./request-table.edge.ts";
import { MinuteWindow } from "./rolling-window.ts";
import type { HeldSessionRequests, SessionHeads, SessionsQuery } from "./session-page.ts";
import type { Reservation, Settlement, StoredReceipt } from "./settlement.ts";
import { eventBytes, type StorageVerdict, type StoredDeletion, type StoredWrite } from "./stored-bytes.ts";
import { type CountedWrite, StoredQuota } from "./stored-quota.edge.ts";
import { toListedRequest } from "./stored-request.ts";
import { TextTable } from "./text-table.edge.ts";
import type { NamedTimes } from "./time-sums.ts";
import { forgetEarlierSums, highestRevision, recordUsageDays } from "./usage-days.store.ts";
import type { MeterSeries, SeriesQuery } from "./usage-series.ts";

/** From an audit event of the meter's own to its flush, so that others go with it. */
const FLUSH_EVENTS_AFTER_MS = 250;
/** When the alarm flushes an alert, should the object die before its timer. */
const ALERT_FLUSH_MS = 10_000;
/** When requests are moved or removed again, after a failure. */
const KEEP_AGAIN_MS = 60_000;
/** D1 gets sums once in this time, at most. */
const SUMS_EVERY_MS = 60_000;

/** Sums of one statement: about 200 bytes each, and D1 takes 2 MB. */
const SUMS_AT_ONCE = 2_000;

export class AccountMeter extends BackedUpObject {
	#sql: SqlStorage;
	#meterState: MeterState;
	#account: MeterAccount;
	#keys: KeyStandings;
	#budgets: KeyBudgets;
	#refusals: RefusalTable;
	#stored: StoredQuota;
	#dataKey: DataKey;
	#outbox: Outbox;
	#held: HeldRequests;
	#expired: ExpiredRequests;
	#texts: TextTable;
	#consoleSessions: ConsoleSessions;
	#owners: MarkedOwnerTable;
	#keeper: RequestKeeper;
	/** Null while nobody reads metrics. */
	#metrics: MeterMetrics | null = null;
	#metricsTriedAtMs = Date.now();
	#sumsSentAtMs = Date.now();
	/** Whether sums are to be sent before they are due. */
	#areSumsWanted = false;
	/** Whether this instance has sent sums. Until then its alarm sends them, which may be why it woke. */
	#hasSentSums = false;
	/** Records of hooks. Forgotten with the object, as the limit is there to bound what a loop writes. */
	#records = new MinuteWindow();

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#sql = state.storage.sql;
		this.#outbox = new Outbox(state, {
			failureEvent: "meter_flush_failed",
			writeRound: () => this.#writeRound(),
		});
		migrate(state.storage, METER_TABLES);
		const now = Date.now();
		this.#account = new MeterAccount(this.#sql);
		this.#keys = new KeyStandings(this.#sql);
		this.#consoleSessions = new ConsoleSessions(this.#sql);
		this.#owners = new MarkedOwnerTable(this.#sql);
		this.#meterState = new MeterState(state.storage, now, this.#keys.retiredBudgets);
		this.#budgets = new KeyBudgets(this.#sql, this.#meterState, {
			rules: () => toWebhookRules(cachedSettings(env)),
			onEvent: (nowMs) => this.#eventStored(nowMs),
		});
		this.#refusals = new RefusalTable(this.#sql);
		this.#texts = new TextTable(this.#sql);
		this.#keeper = new RequestKeeper(state.storage, this.#meterState, env);
		this.#held = new HeldRequests(this.#sql, this.#meterState, this.#keeper);
		this.#dataKey = new DataKey(this.#sql, env);
		this.#expired = new ExpiredRequests(env, {
			account: this.#account,
			state: this.#meterState,
			keeper: this.#keeper,
			dataKey: this.#dataKey,
			settle: (open, settlement, nowMs) => this.#settle(open, settlement, nowMs),
			waitUntil: (work) => state.waitUntil(work),
		});
		this.#stored = new StoredQuota(this.#sql, env, {
			arm: (atMs) => this.#outbox.arm(atMs),
			waitUntil: (work) => state.waitUntil(work),
		});
		// The alarm may have been lost with its machine, so open work sets it again. One that is set earlier stays: it may be for sums.
		state.blockConcurrencyWhile(async () => {
			this.#metrics = await MeterMetrics.open(this.#sql, env, this.#meterState, this.#account.userId);
			await this.#outbox.learnAlarm();
			this.#armForOpenWork(now);
		});
	}

	/** All rows: those of open requests, too, which the alarm of the restored meter settles at their bounds. */
	override backupPlan(): BackupPlan {
		return { schema: METER_TABLES };
	}

	/** D1 may have sums of a later state than the backup's. */
	override adaptRestored(): void {
		this.#sql.exec("UPDATE account SET revision_base = NULL");
		// It counts as another source, from here on.
		this.#sql.exec("DELETE FROM unsent_metrics");
	}

	/** An audit event is to be flushed, and perhaps a webhook to be sent. */
	#eventStored(nowMs: number): void {
		this.#outbox.arm(nowMs + ALERT_FLUSH_MS);
		this.#armForWebhooks();
		this.#outbox.flushIn(FLUSH_EVENTS_AFTER_MS);
	}

	#armForWebhooks(): void {
		const { nextAtMs } = this.#budgets.webhooks;
		if (nextAtMs !== null) this.#outbox.arm(nextAtMs);
	}

	/** Sends sums and metrics where that is due, so that no timer waits for it: a waiting object is billed. */
	#sendSumsIfDue(nowMs: number): void {
		if (!(this.#areSumsDue(nowMs) || this.#areMetricsDue(nowMs)) || this.#outbox.isFailing) return;
		this.ctx.waitUntil(this.#outbox.flush());
	}

	#areSumsDue(nowMs: number): boolean {
		const isDue = this.#areSumsWanted || Math.abs(nowMs - this.#sumsSentAtMs) >= SUMS_EVERY_MS;
		return isDue && this.#meterState.hasUnsent;
	}

	#areMetricsDue(nowMs: number): boolean {
		const isDue = this.#areSumsWanted || Math.abs(nowMs - this.#metricsTriedAtMs) >= SUMS_EVERY_MS;
		return isDue && (this.#metrics?.hasUnsent ?? false);
	}

	#quota(plan: PlanId, nowMs: number): Quota {
		const { rpm, dailyRequests } = PLANS[plan];
		return toQuota(plan, { rpm, dailyLimit: dailyRequests }, this.#meterState, nowMs);
	}

	/** The limits of a key; null when it has none of its own. */
	#keyQuota({ keyId, keyLimits }: AdmitRequest, ofPlan: Quota, nowMs: number): Quota | null {
		if (!keyLimits) return null;
		const limits = { rpm: keyLimits.rpm ?? ofPlan.rpm, dailyLimit: keyLimits.dailyRequests };
		return toQuota(ofPlan.plan, limits, this.#meterState.keys.windowsFor(keyId), nowMs);
	}

	/**
	 * Counts a request against the limits of user and key, and stores its reservation. Idempotent by request id. Its salt is made before:
	 * a request that cannot have one is not counted.
	 */
	async admit(request: AdmitRequest): Promise<AdmitVerdict> {
		const salt = request.reservation ? await this.#dataKey.salt(request.requestId) : null;
		return this.#admit(request, salt);
	}

	/** The salt of the hashes in the receipt of a request or a run. */
	salt(requestId: string): Promise<string> {
		return this.#dataKey.salt(requestId);
	}

	/** A key of the user's for one purpose. */
	subkey(purpose: string): Promise<Uint8Array> {
		return this.#dataKey.subkey(purpose);
	}

	#admit(request: AdmitRequest, salt: string | null): AdmitVerdict {
		const now = Date.now();
		const plan = this.#account.plan ?? request.plan;
		const state = this.#keys.standing(request.keyId, request.keyVersion);
		if (state !== "good") return { admitted: false, reason: state };
		if (plan !== request.plan && request.reservation) return { admitted: false, reason: "plan_changed", plan };

		if (this.#meterState.followClock(now)) this.#armForOpenWork(now);
		const refusal =
			this.#limitRefusal(request, plan, now) ??
			this.#budgetRefusal(request, plan, now) ??
			this.#storageRefusal(request, plan, now);
		// A repeated call is not refused because of its own admission, and not counted again.
		if (refusal && !this.#meterState.wasAdmitted(request.requestId)) return refusal;
		if (!refusal) this.#count(request, now);
		this.#sendSumsIfDue(now);
		const quota = this.#quota(plan, now);
		const isReduced = request.stored !== undefined && this.#stored.isReduced(request.requestId);
		return { admitted: true, quota: narrowerQuota(quota, this.#keyQuota(request, quota, now)), isReduced, salt };
	}

	/** Stores and counts an admission, once. */
	#count(request: AdmitRequest, nowMs: number): void {
		const { requestId, countsTowardsDay, keyId, keyLimits, keyBudget, budgetKeyId, reservation } = request;
		this.#fold(nowMs);
		if (!reservation) {
			const limitedKeyId = keyLimits ? keyId : null;
			this.#meterState.admitFree({ requestId, isOfDay: countsTowardsDay, limitedKeyId }, nowMs);
			return;
		}
		this.#account.learnUser(reservation.usage.user_id);
		this.#metrics?.begin(reservation.usage.user_id);
		const { expiresAtMs, holdNanoUsd: nanoUsd } = reservation;
		this.#meterState.admit({
			id: requestId,
			apiKeyId: keyId,
			atMs: nowMs,
			counting: countsTowardsDay ? "day" : "minute",
			isLimited: keyLimits !== null,
			budgetKeyId,
			bookedDay: this.#meterState.today(nowMs),
			nanoUsd,
			keyBudget,
			expiresAtMs,
			reservation,
		});
		this.#outbox.arm(Math.min(expiresAtMs, nowMs + SUMS_EVERY_MS));
	}

	/** Takes a record of a coding agent's hook, which counts against no limit but that of records. */
	takeRecord(keyId: string, keyVersion: number): RecordVerdict {
		const now = Date.now();
		const state = this.#keys.standing(keyId, keyVersion);
		if (state !== "good") return { taken: false, reason: state };
		if (this.#records.count(now) >= RECORDS_PER_MINUTE)
			return { taken: false, reason: "rate_limit_exceeded", retryAfterMs: this.#records.msUntilSlot(now) };
		this.#records.add(now);
		return { taken: true };
	}

	/** Takes a page of the console, which counts against no limit but that of pages. */
	takePage(sessionId: string): PageVerdict {
		return this.#consoleSessions.takePage(sessionId, Date.now());
	}

	/** Counts a decision of the policy for the metrics. Idempotent. */
	countCheck(userId: string, check: CountedDecision): void {
		if (!this.#metrics) return;
		this.#metrics.begin(userId);
		this.#metrics.countCheck(check);
		this.#outbox.arm(Date.now() + SUMS_EVERY_MS);
	}

	/** The refusal by a limit of the plan or of the key; null when the request fits in all of them. */
	#limitRefusal(request: AdmitRequest, plan: PlanId, nowMs: number): LimitRefusal | null {
		const ofPlan = this.#quota(plan, nowMs);
		const ofKey = this.#keyQuota(request, ofPlan, nowMs);
		const { countsTowardsDay, keyId } = request;
		return (
			refuseOverLimit("plan", ofPlan, countsTowardsDay, this.#meterState, nowMs) ??
			(ofKey && refuseOverLimit("key", ofKey, countsTowardsDay, this.#meterState.keys.windowsFor(keyId), nowMs))
		);
	}

	/** The refusal of a reservation that the key's budget has no room for; null when it fits. */
	#budgetRefusal(request: AdmitRequest, plan: PlanId, nowMs: number): AdmitVerdict | null {
		const budget = this.#budgets.findExceeded(request, nowMs);
		return budget && { admitted: false, reason: "key_budget_exceeded", quota: this.#quota(plan, nowMs), budget };
	}

	/**
	 * Counts what a request stores; its refusal where the quota has no room for it, else null. Called last, before the slot is written:
	 * if the object dies in between, the repeated call finds the write counted.
	 */
	#storageRefusal({ requestId: id, stored }: AdmitRequest, plan: PlanId, nowMs: number): AdmitVerdict | null {
		const verdict = stored ? this.#stored.count({ id, ...stored, plan }, nowMs) : null;
		if (!verdict || verdict.stored) return null;
		return { admitted: false, reason: "storage_quota_exceeded", quota: this.#quota(plan, nowMs), stored: verdict };
	}

	/** Settles a request, and stores the alerts that its cost gives rise to in the same transaction. */
	#settle(open: OpenRequest, settlement: Settlement, nowMs: number): void {
		this.#meterState.settle(open, settlement);
		this.#metrics?.count(toCountedSettlement(settlement));
		this.#budgets.settled(open, settlement.usage, nowMs);
	}

	/** Folds where that is due. If that fails, a wake-up reads more rows, and the request is admitted all the same. */
	#fold(nowMs: number): void {
		try {
			this.#meterState.foldIfDue(nowMs);
		} catch (error) {
			logError("meter_fold_failed", error);
		}
	}

	/** Replaces a reservation by its settlement. Idempotent. A reservation that has expired stays settled at its bound. */
	async settle(settlement: Settlement, stored?: StoredWrite): Promise<SettleVerdict> {
		const { request_id: requestId, proof_hash: proofHash } = settlement.receipt;
		const open = await this.#expired.findUnclaimed(requestId);
		if (!open) return this.#held.receiptOf(requestId)?.proof_hash === proofHash ? "settled" : "late";
		const nowMs = Date.now();
		// Counted first, as in `admit`. What was paid for is stored whatever the quota says.
		if (stored) this.#stored.countAnyway(`${requestId} settled`, settlement.usage.user_id, stored, nowMs);
		this.#settle(open, settlement, nowMs);
		this.#outbox.arm(nowMs + SUMS_EVERY_MS);
		return "settled";
	}

	/** Counts what is stored by a request that was admitted before. Idempotent by the write's id. */
	countStored(write: CountedWrite): StorageVerdict {
		return this.#stored.count({ ...write, plan: this.#account.plan ?? write.plan }, Date.now());
	}

	/** Counts what was deleted no more. Idempotent by the deletion's id. */
	dropStored(id: string, userId: string, deletion: StoredDeletion): void {
		this.#stored.drop(id, userId, deletion, Date.now());
	}

	/** Takes back what was counted under a name, because it was not stored. Idempotent. */
	giveBackStored(id: string): void {
		this.#stored.giveBack(id, Date.now());
	}

	/**
	 * Replaces an open reservation by another, with a later end, another bound, or what a long run has spent so far. It is
	 * recorded if nobody settles the request. Idempotent; counts nothing.
	 */
	async extend(requestId: string, reservation: Reservation): Promise<ExtendVerdict> {
		const open = await this.#expired.findUnclaimed(requestId);
		if (!open) return "late";
		const nowMs = Date.now();
		const room = reservation.holdNanoUsd > open.nanoUsd ? this.#budgets.room(open, nowMs) : null;
		if (room && reservation.holdNanoUsd > room.mostNanoUsd) return "over_budget";
		this.#meterState.extend(open, reservation, nowMs);
		this.#outbox.arm(reservation.expiresAtMs);
		return "extended";
	}

	/** What an open request may hold in the budget of its key; null without a budget, and when it is not open. */
	room(requestId: string): BudgetRoom | null {
		const open = this.#meterState.findOpen(requestId);
		return open ? this.#budgets.room(open, Date.now()) : null;
	}

	/** Budgets of keys now, in the order of the queries. */
	budgets(queries: readonly BudgetQuery[]): BudgetStatus[] {
		const nowMs = Date.now();
		return queries.map(({ budgetKeyId, budget }) => this.#meterState.budgetStatus(budgetKeyId, budget, nowMs));
	}

	/** What the requests of keys have cost, in the order of the ids. @param budgetKeyIds the keys that costs are booked on. */
	keyCosts(budgetKeyIds: readonly string[]): KeyCosts[] {
		const nowMs = Date.now();
		return budgetKeyIds.map((id) => this.#meterState.keyCosts(id, nowMs));
	}

	/** Releases a reservation of a request that no model was billed for. */
	release(requestId: string): void {
		const open = this.#meterState.findOpen(requestId);
		// D1 may have its settlement already.
		if (!open || open.isClaiming) return;
		this.#stored.giveBack(requestId, Date.now());
		this.#meterState.release(open);
	}

	/** Limits now, and usage up to the last settled request. */
	snapshot(plan: PlanId): MeterSnapshot {
		const nowMs = Date.now();
		return {
			quota: this.#quota(this.#account.plan ?? plan, nowMs),
			stored: this.#stored.totals(this.#account.plan ?? plan, nowMs),
			totals: this.#meterState.totals(),
			recent: this.#meterState.table.latest(RECENT_ROWS).map(toListedRequest),
			holds: this.#meterState.holds(),
			keptSince: this.#keeper.keptSince,
		};
	}

	/** Sums of a range of days under the names of a column. */
	sumsBy(column: SumColumn, range: SumRange): NamedCounts[] {
		return this.#meterState.sumsBy(column, range);
	}

	/** How long requests of a range of days took, and how many others failed, under the names of a column. */
	timesBy(column: SumColumn | NamedColumn, range: SumRange): NamedTimes[] {
		return column === "end_user" || column === "session_id"
			? this.#meterState.failed.countsBy(column, range)
			: this.#meterState.timesBy(column, range);
	}

	/** Usage of a range of days under names of clients, from its latest requests. */
	nameSums(column: NamedColumn, range: SumRange): Promise<NameSums> {
		return this.#held.nameSums(column, range);
	}

	/** Usage over time, and what it was read from. */
	usageSeries(query: SeriesQuery): MeterSeries {
		return this.#held.series(query);
	}

	/** The requests of a page, one more than it holds if there are more, and which archives may have others. */
	requestPage(query: RequestPageQuery): Promise<MeterPage> {
		return readRequestPage(this.#meterState, this.#keeper, query);
	}

	/** Keeps sealed texts of a request until they expire. Idempotent. */
	keepTexts(texts: SealedTexts): void {
		this.ctx.storage.transactionSync(() => this.#texts.put(texts));
		this.#outbox.arm(texts.expiresAtMs);
	}

	/** Sealed texts of a request; null where none are kept. */
	texts(requestId: string): Omit<SealedTexts, "requestId"> | null {
		return this.#texts.find(requestId, Date.now());
	}

	/** Sessions whose newest request arrived in a range of time. */
	sessionHeads(query: SessionsQuery): Promise<SessionHeads> {
		return this.#held.sessionHeads(query);
	}

	/** What the requests of sessions come to, and the archives that may have others. */
	sessionRequests(sessionIds: readonly string[], apiKeyIds: readonly string[] | null): Promise<HeldSessionRequests> {
		return this.#held.sessionRequests(sessionIds, apiKeyIds);
	}

	/** A settled request; `open` while it is not settled. */
	request(requestId: string): RequestDetail | RemovedRequest | ArchivedRequest | "open" | null {
		return this.#held.detail(requestId);
	}

	/** The receipt of a settled request; `open` while it is not settled. */
	receipt(requestId: string): StoredReceipt | ArchivedRequest | "open" | null {
		return this.#held.receipt(requestId);
	}

	/** The same for anybody: `busy` after so many a second. */
	publicReceipt(requestId: string): StoredReceipt | ArchivedRequest | "open" | "busy" | "unbilled" | null {
		return this.#held.publicReceipt(requestId, Date.now());
	}

	/** Stores feedback on a settled request, or changes what it has while it is open. */
	giveFeedback(given: GivenFeedback): MeterFeedbackVerdict {
		return this.#held.giveFeedback(given);
	}

	/** Settled requests behind one, oldest first. @param after a request id; empty for the first. */
	decisions(after: string, limit: number): { rated: RatedRequest[]; archives: number[] } {
		return this.#held.decisions(after, limit);
	}

	/** Days behind one that have sums, oldest first. */
	daysAfter(day: string, limit: number): string[] {
		return this.#meterState.daysAfter(day, limit);
	}

	/** The sums of a day, and what its rows come to at the same moment, if they all are here. */
	checkDay(day: string): Promise<CheckedDay> {
		return this.#held.checkDay(day);
	}

	/** Writes to D1 what it lacks, sums that are not due as well. */
	async flushNow(): Promise<void> {
		this.#areSumsWanted = true;
		await this.#outbox.flush();
		// A flush that was under way may have looked at the sums before.
		const hasUnsent = this.#meterState.hasUnsent || this.#metrics?.hasUnsent;
		if (hasUnsent && !this.#outbox.isFailing) await this.#outbox.flush();
		this.#areSumsWanted = false;
	}

	/** Sets the user's plan from the next request on. */
	setPlan(plan: PlanId): void {
		this.#account.setPlan(plan);
	}

	/** Refuses requests that carry an earlier version of a key, and learns its budget. */
	changeKey(keyId: string, version: number, { budgetKeyId, budget }: ChangedBudget): void {
		if (this.#keys.change(keyId, version)) this.#budgets.table.change(budgetKeyId, budget);
	}

	/** Whether a key may still be used that was good as this version. */
	keyStanding(keyId: string, version: number): KeyStanding {
		return this.#keys.standing(keyId, version);
	}

	/** Refuses a key from now on, for ever. @param retiredBudget the key that its costs are booked on, if all keys of it are revoked. */
	revokeKey(keyId: string, retiredBudget: string | null): void {
		this.#keys.revoke(keyId, retiredBudget);
		if (retiredBudget !== null) this.#meterState.retireBudget(retiredBudget);
	}

	/** Remembers a session of the console as ended until it would end by itself. */
	endSession(sessionId: string, endsAtMs: number): void {
		this.#consoleSessions.end(sessionId, endsAtMs, Date.now());
	}

	isSessionEnded(sessionId: string): boolean {
		return this.#consoleSessions.isEnded(sessionId);
	}

	/** Marks an owner: it holds audit events that D1 does not have. A later mark has a larger number. */
	markOwner(owner: string, mark: number): void {
		this.#owners.mark(owner, mark);
	}

	/** Marked owners whose key has a prefix: all, or `limit` of them at random. */
	markedOwners(prefix: string, limit: number): MarkedOwner[] {
		return this.#owners.some(prefix, limit);
	}

	/** Removes an owner's marks up to this one; a later one stays. */
	unmarkOwner(owner: string, mark: number): void {
		this.#owners.unmark(owner, mark);
	}

	/** Counts a refusal by compliance in an audit event of its minute, which is flushed when that is over. */
	recordRefusal(refusal: ComplianceRefusal): void {
		this.#refusals.record(refusal, Date.now());
		this.#armForRefusals(0);
	}

	/** Stores requests that failed without a bill, or counts them where others are alike. Idempotent. */
	recordFailed(userId: string, failed: readonly UnbilledRequest[]): void {
		this.#account.learnUser(userId);
		const recorded = this.ctx.storage.transactionSync(() =>
			failed.filter((each) => this.#meterState.recordFailed(each)),
		);
		this.#metrics?.begin(userId);
		for (const each of recorded) this.#metrics?.count(toUnbilledRow(each));
		// Written with the rows, for what they count for is not read from them again.
		if (recorded.length > 0 && this.#metrics?.keep()) this.#outbox.arm(Date.now() + SUMS_EVERY_MS);
		// So that they are removed in time, even if nothing else is to be done.
		this.#outbox.arm(Date.now() + DAY_MS);
	}

	/** Audit events of this meter that D1 does not have. */
	unflushedEvents(): MeterEvent[] {
		return [...this.#budgets.table.unflushed().map(({ event }) => toStoredEvent(event)), ...this.#refusals.events()];
	}

	/** For health checks: an answer shows that objects run. */
	ping(): "pong" {
		return "pong";
	}

	/** Settles expired reservations and flushes. Never throws: the platform gives up an alarm after a few failures. */
	override async alarm(): Promise<void> {
		this.#outbox.alarmFired();
		const delivered = this.#deliverAlerts();
		try {
			await this.#expired.settleExpired();
			if (this.#hasSentSums) await this.#outbox.flush();
			else await this.flushNow();
		} catch (error) {
			logError("meter_alarm_failed", error);
		}
		this.#armForOpenWork(Date.now() + this.#outbox.retryDelayMs);
		this.#armForSums(Date.now() + this.#outbox.retryDelayMs);
		await this.#keep(Date.now());
		this.#forgetTexts(Date.now());
		// A receiver that hangs delays the next alarm, which expires reservations, by ten seconds at most.
		await delivered;
	}

	/** Removes texts that have expired. Never throws. */
	#forgetTexts(nowMs: number): void {
		try {
			this.#texts.removeExpired(nowMs);
		} catch (error) {
			logError("texts_not_removed", error);
			this.#outbox.arm(nowMs + KEEP_AGAIN_MS);
			return;
		}
		this.#armForTexts();
	}

	#armForTexts(): void {
		const { nextExpiryMs } = this.#texts;
		if (nextExpiryMs !== null) this.#outbox.arm(nextExpiryMs);
	}

	/** Moves old requests into archives and removes older ones, some at a time. Never throws. */
	async #keep(nowMs: number): Promise<void> {
		if (this.#account.userId === null) return;
		try {
			const againAtMs = await this.#keeper.keep(this.#account.userId, nowMs);
			if (againAtMs !== null) this.#outbox.arm(againAtMs);
		} catch (error) {
			logError("requests_not_kept", error);
			this.#outbox.arm(nowMs + KEEP_AGAIN_MS);
		}
	}

	/** Makes the tries of webhooks that are due. Never throws. */
	async #deliverAlerts(): Promise<void> {
		try {
			await this.#budgets.webhooks.deliverDue();
		} catch (error) {
			logError("key_webhooks_failed", error);
		}
	}

	/** Takes over settlements that Workers have stranded in D1 while this object was away. Idempotent. */
	async takeStranded(userId: string): Promise<void> {
		this.#account.learnUser(userId);
		await this.#expired.takeStranded(userId);
		this.#armForSums(Date.now());
	}

	async #writeRound(): Promise<boolean> {
		return (
			(await this.#writeAlerts()) ||
			(await this.#writeRefusals()) ||
			(await this.#stored.flush(Date.now())) ||
			(await this.#writeSums()) ||
			this.#sendMetrics()
		);
	}

	/** Writes sums to D1 where they are due; false when they are not. */
	async #writeSums(): Promise<boolean> {
		if (this.#account.userId === null || !this.#areSumsDue(Date.now())) return false;
		const db = database(this.env.DB);
		const base = this.#account.revisionBase ?? (await highestRevision(db, this.#account.userId));
		// D1 may have sums of a later state than the one that was restored.
		if (this.#account.revisionBase === null) this.#meterState.markAllUnsent();
		const sums = this.#meterState.unsentSums(base);
		for (let from = 0; from < sums.length; from += SUMS_AT_ONCE) {
			const some = sums.slice(from, from + SUMS_AT_ONCE);
			await recordUsageDays(db, this.#account.userId, some);
			this.#meterState.markSent(some, base);
		}
		if (this.#account.revisionBase === null) {
			await forgetEarlierSums(db, this.#account.userId, base);
			this.#account.setRevisionBase(base);
		}
		this.#sumsSentAtMs = Date.now();
		this.#hasSentSums = true;
		return true;
	}

	/** Sends metrics where they are due. While object `Metrics` is away, nothing else waits for it: the next minute sends the same. */
	async #sendMetrics(): Promise<false> {
		const nowMs = Date.now();
		if (!this.#areMetricsDue(nowMs)) return false;
		this.#metricsTriedAtMs = nowMs;
		try {
			await this.#metrics?.send();
		} catch (error) {
			logError("metrics_not_sent", error);
			this.#outbox.arm(nowMs + SUMS_EVERY_MS);
		}
		return false;
	}

	async #writeAlerts(): Promise<boolean> {
		const alerts = this.#budgets.table.hasUnflushed ? this.#budgets.table.unflushed() : [];
		if (alerts.length === 0) return false;
		const events = alerts.map(({ event }) => toStoredEvent(event));
		await recordMeterEvents(database(this.env.DB), events);
		this.#budgets.table.markFlushed(alerts);
		this.#countEvents(events);
		return true;
	}

	async #writeRefusals(): Promise<boolean> {
		const refusals = this.#refusals.complete(Date.now());
		if (refusals.length === 0) return false;
		await recordMeterEvents(
			database(this.env.DB),
			refusals.map(({ event }) => event),
		);
		this.#refusals.forget(refusals);
		this.#countEvents(refusals.map(({ event }) => event));
		return true;
	}

	/** Counts events of the meter's own, which D1 has now. */
	#countEvents(events: readonly MeterEvent[]): void {
		for (const { user_id, payload } of events) this.#stored.addRolling(user_id, eventBytes(payload), Date.now());
	}

	/** @param flushAtMs when to flush again, if anything is unflushed. */
	#armForOpenWork(flushAtMs: number): void {
		const { earliestExpiryMs } = this.#meterState;
		// One that has expired and is open waits for D1.
		const claimAtMs = Date.now() + this.#expired.retryDelayMs;
		if (earliestExpiryMs !== null) this.#outbox.arm(Math.max(earliestExpiryMs, claimAtMs));
		if (this.#budgets.table.hasUnflushed) this.#outbox.arm(flushAtMs);
		this.#armForWebhooks();
		this.#armForTexts();
		this.#armForRefusals(flushAtMs);
		this.#stored.armForFlush(Date.now(), flushAtMs);
	}

	/** Sends sums when that is due. Not for an object that wakes: what it has not folded may have been sent before. */
	#armForSums(notBeforeMs: number): void {
		if (this.#meterState.hasUnsent) this.#outbox.arm(Math.max(this.#sumsSentAtMs + SUMS_EVERY_MS, notBeforeMs));
		if (this.#metrics?.hasUnsent) this.#outbox.arm(Math.max(this.#metricsTriedAtMs + SUMS_EVERY_MS, notBeforeMs));
	}

	/** Flushes refusals when their minute is over. @param notBeforeMs when to try again after a failure. */
	#armForRefusals(notBeforeMs: number): void {
		const { dueAtMs } = this.#refusals;
		if (dueAtMs !== null) this.#outbox.arm(Math.max(dueAtMs, notBeforeMs));
	}
}
