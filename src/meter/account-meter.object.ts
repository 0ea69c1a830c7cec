// AccountMeter: one Durable Object per user, and the one home of the user's requests, receipts and sums. It keeps exact limits, revocations,
// open reservations, and marks of the owners that hold audit events D1 does not have.
//
// Crash order. `admit` and `settle` write one row each, and the platform sends no answer before the row is durable. Sums follow from the
// rows. A reservation whose caller died is settled by the alarm: at its bound, unless D1 has a settlement that a Worker stranded there
// while this object was away. So the object writes its own there first, and settles with what it reads back. From the moment that it
// may ask D1, the row says so, and nothing else settles the request. D1 gets sums once a minute, with an admission or the alarm.
import type { PlanId } from "../catalog/plans.ts";
import { BackedUpObject } from "../durable/backed-up-object.edge.ts";
import { migrate } from "../durable/migrations.edge.ts";
import type { BackupPlan } from "../durable/object-rows.edge.ts";
import { Outbox } from "../durable/outbox.edge.ts";
import { logError } from "../http/log.edge.ts";
import { cachedSettings } from "../settings.ts";
import { toWebhookRules } from "../webhooks/webhook.ts";
import { Admissions } from "./admissions.edge.ts";
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
	RECENT_ROWS,
	RECORDS_PER_MINUTE,
	type RecordVerdict,
	type SettleVerdict,
} from "./meter-calls.ts";
import type { MeterEvent } from "./meter-events.ts";
import { type CountedDecision, MeterMetrics } from "./meter-metrics.edge.ts";
import { MeterState } from "./meter-state.edge.ts";
import { METER_TABLES } from "./meter-tables.ts";
import { MinuteSums, SUMS_EVERY_MS } from "./minute-sums.edge.ts";
import type { NamedColumn, NameSums } from "./name-sums.edge.ts";
import { RefusalTable } from "./refusal-table.edge.ts";
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
import type { StorageVerdict, StoredDeletion, StoredWrite } from "./stored-bytes.ts";
import { type CountedWrite, StoredQuota } from "./stored-quota.edge.ts";
import { toListedRequest } from "./stored-request.ts";
import { TextTable } from "./text-table.edge.ts";
import type { NamedTimes } from "./time-sums.ts";
import { UnflushedEvents } from "./unflushed-events.edge.ts";
import type { MeterSeries, SeriesQuery } from "./usage-series.ts";

/** From an audit event of the meter's own to its flush, so that others go with it. */
const FLUSH_EVENTS_AFTER_MS = 250;
/** When the alarm flushes an alert, should the object die before its timer. */
const ALERT_FLUSH_MS = 10_000;
/** When requests are moved or removed again, after a failure. */
const KEEP_AGAIN_MS = 60_000;
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
	#admissions: Admissions;
	#sums: MinuteSums;
	#events: UnflushedEvents;
	#texts: TextTable;
	#consoleSessions: ConsoleSessions;
	#owners: MarkedOwnerTable;
	#keeper: RequestKeeper;
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
		const arm = (atMs: number) => this.#outbox.arm(atMs);
		this.#stored = new StoredQuota(this.#sql, env, {
			arm,
			waitUntil: (work) => state.waitUntil(work),
		});
		this.#events = new UnflushedEvents(env, this.#budgets.table, this.#refusals, this.#stored);
		this.#sums = new MinuteSums(env, this.#account, this.#meterState, arm);
		this.#admissions = new Admissions({
			account: this.#account,
			keys: this.#keys,
			state: this.#meterState,
			budgets: this.#budgets,
			stored: this.#stored,
			sums: this.#sums,
			arm,
			onClockBack: (nowMs) => this.#armForOpenWork(nowMs),
		});
		// The alarm may have been lost with its machine, so open work sets it again. One that is set earlier stays: it may be for sums.
		state.blockConcurrencyWhile(async () => {
			this.#sums.metrics = await MeterMetrics.open(this.#sql, env, this.#meterState, this.#account.userId);
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
		if (!this.#sums.isDue(nowMs) || this.#outbox.isFailing) return;
		this.ctx.waitUntil(this.#outbox.flush());
	}

	/**
	 * Counts a request against the limits of user and key, and stores its reservation. Idempotent by request id. Its salt is made before:
	 * a request that cannot have one is not counted.
	 */
	async admit(request: AdmitRequest): Promise<AdmitVerdict> {
		const salt = request.reservation ? await this.#dataKey.salt(request.requestId) : null;
		const nowMs = Date.now();
		const verdict = this.#admissions.admit(request, salt, nowMs);
		if (verdict.admitted) this.#sendSumsIfDue(nowMs);
		return verdict;
	}

	/** The salt of the hashes in the receipt of a request or a run. */
	salt(requestId: string): Promise<string> {
		return this.#dataKey.salt(requestId);
	}

	/** A key of the user's for one purpose. */
	subkey(purpose: string): Promise<Uint8Array> {
		return this.#dataKey.subkey(purpose);
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
		if (!this.#sums.metrics) return;
		this.#sums.metrics.begin(userId);
		this.#sums.metrics.countCheck(check);
		this.#outbox.arm(Date.now() + SUMS_EVERY_MS);
	}

	/** Settles a request, and stores the alerts that its cost gives rise to in the same transaction. */
	#settle(open: OpenRequest, settlement: Settlement, nowMs: number): void {
		this.#meterState.settle(open, settlement);
		this.#sums.metrics?.count(toCountedSettlement(settlement));
		this.#budgets.settled(open, settlement.usage, nowMs);
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
			quota: this.#admissions.quota(this.#account.plan ?? plan, nowMs),
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
		this.#sums.areWanted = true;
		await this.#outbox.flush();
		// A flush that was under way may have looked at the sums before.
		if (this.#sums.hasUnsent && !this.#outbox.isFailing) await this.#outbox.flush();
		this.#sums.areWanted = false;
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
		this.#sums.metrics?.begin(userId);
		for (const each of recorded) this.#sums.metrics?.count(toUnbilledRow(each));
		// Written with the rows, for what they count for is not read from them again.
		if (recorded.length > 0 && this.#sums.metrics?.keep()) this.#outbox.arm(Date.now() + SUMS_EVERY_MS);
		// So that they are removed in time, even if nothing else is to be done.
		this.#outbox.arm(Date.now() + DAY_MS);
	}

	/** Audit events of this meter that D1 does not have. */
	unflushedEvents(): MeterEvent[] {
		return this.#events.all();
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
			if (this.#sums.hasSent) await this.#outbox.flush();
			else await this.flushNow();
		} catch (error) {
			logError("meter_alarm_failed", error);
		}
		this.#armForOpenWork(Date.now() + this.#outbox.retryDelayMs);
		this.#sums.armForSending(Date.now() + this.#outbox.retryDelayMs);
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
		this.#sums.armForSending(Date.now());
	}

	async #writeRound(): Promise<boolean> {
		return (
			(await this.#events.writeAlerts()) ||
			(await this.#events.writeRefusals()) ||
			(await this.#stored.flush(Date.now())) ||
			(await this.#sums.write()) ||
			this.#sums.sendMetrics()
		);
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

	/** Flushes refusals when their minute is over. @param notBeforeMs when to try again after a failure. */
	#armForRefusals(notBeforeMs: number): void {
		const { dueAtMs } = this.#refusals;
		if (dueAtMs !== null) this.#outbox.arm(Math.max(dueAtMs, notBeforeMs));
	}
}
