// AccountMeter: one Durable Object per user, and the one home of the user's requests, receipts and sums. Here are its calls, its alarm, and
// what is written together; what a call without a comment does is said where it goes.
//
// Crash order. `admit` and `settle` write one row each, and the platform sends no answer before the row is durable. Sums follow from the
// rows. A reservation whose caller died is settled by the alarm. D1 gets sums once a minute, with an admission or the alarm.
import type { PlanId } from "../catalog/plans.ts";
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
import { DataKey } from "./data-key.edge.ts";
import { ExpiredRequests } from "./expired-requests.edge.ts";
import { toUnbilledRow, type UnbilledRequest } from "./failed-request.ts";
import type { SumColumn, SumRange } from "./fold-table.edge.ts";
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
import { OwnEvents } from "./own-events.edge.ts";
import { RequestKeeper } from "./request-keeper.edge.ts";
import { RequestLookup } from "./request-lookup.edge.ts";
import type {
	ArchivedRequest,
	MeterPage,
	RatedRequest,
	RemovedRequest,
	RequestDetail,
	RequestPageQuery,
} from "./request-page.ts";
import { readRequestPage } from "./request-reader.edge.ts";
import { Reservations } from "./reservations.edge.ts";
import { MinuteWindow } from "./rolling-window.ts";
import type { HeldSessionRequests, SessionHeads, SessionsQuery } from "./session-page.ts";
import type { Reservation, Settlement, StoredReceipt } from "./settlement.ts";
import type { StorageVerdict, StoredDeletion, StoredWrite } from "./stored-bytes.ts";
import { type CountedWrite, StoredQuota } from "./stored-quota.edge.ts";
import { toListedRequest } from "./stored-request.ts";
import { TextTable } from "./text-table.edge.ts";
import type { NamedTimes } from "./time-sums.ts";
import type { MeterSeries, SeriesQuery } from "./usage-series.ts";

/** When requests are moved or removed again, after a failure. */
const KEEP_AGAIN_MS = 60_000;

export class AccountMeter extends BackedUpObject {
	#sql: SqlStorage;
	#meterState: MeterState;
	#account: MeterAccount;
	#keys: KeyStandings;
	#budgets: KeyBudgets;
	#stored: StoredQuota;
	#dataKey: DataKey;
	#outbox: Outbox;
	#lookup: RequestLookup;
	#expired: ExpiredRequests;
	#reservations: Reservations;
	#sums: MinuteSums;
	#events: OwnEvents;
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
		const arm = (atMs: number) => this.#outbox.arm(atMs);
		const waitUntil = (work: Promise<unknown>) => state.waitUntil(work);
		this.#account = new MeterAccount(this.#sql);
		this.#keys = new KeyStandings(this.#sql);
		this.#consoleSessions = new ConsoleSessions(this.#sql);
		this.#owners = new MarkedOwnerTable(this.#sql);
		this.#meterState = new MeterState(state.storage, now, this.#keys.retiredBudgets);
		this.#budgets = new KeyBudgets(this.#sql, this.#meterState, {
			rules: () => toWebhookRules(cachedSettings(env)),
			onEvent: (nowMs) => this.#events.alertStored(nowMs),
		});
		this.#texts = new TextTable(this.#sql);
		this.#keeper = new RequestKeeper(state.storage, this.#meterState, env);
		this.#lookup = new RequestLookup(this.#sql, this.#meterState, this.#keeper);
		this.#dataKey = new DataKey(this.#sql, env);
		this.#expired = new ExpiredRequests(env, {
			account: this.#account,
			state: this.#meterState,
			keeper: this.#keeper,
			dataKey: this.#dataKey,
			settle: (open, settlement, nowMs) => this.#reservations.settleOpen(open, settlement, nowMs),
			release: (requestId, nowMs) => this.#reservations.release(requestId, nowMs),
			waitUntil,
		});
		this.#stored = new StoredQuota(this.#sql, env, { arm, waitUntil });
		this.#events = new OwnEvents(this.#sql, env, {
			budgets: this.#budgets,
			stored: this.#stored,
			outbox: this.#outbox,
		});
		this.#sums = new MinuteSums(env, this.#account, this.#meterState, arm);
		this.#reservations = new Reservations({
			account: this.#account,
			keys: this.#keys,
			state: this.#meterState,
			budgets: this.#budgets,
			stored: this.#stored,
			lookup: this.#lookup,
			expired: this.#expired,
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
		const verdict = this.#reservations.admit(request, salt, nowMs);
		if (verdict.admitted) this.#sendSumsIfDue(nowMs);
		return verdict;
	}

	salt(requestId: string): Promise<string> {
		return this.#dataKey.salt(requestId);
	}

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

	settle(settlement: Settlement, stored?: StoredWrite): Promise<SettleVerdict> {
		return this.#reservations.settle(settlement, stored);
	}

	extend(requestId: string, reservation: Reservation): Promise<ExtendVerdict> {
		return this.#reservations.extend(requestId, reservation);
	}

	release(requestId: string): void {
		this.#reservations.release(requestId, Date.now());
	}

	room(requestId: string): BudgetRoom | null {
		return this.#reservations.room(requestId, Date.now());
	}

	/** Counts what is stored by a request that was admitted before. Idempotent by the write's id. */
	countStored(write: CountedWrite): StorageVerdict {
		return this.#stored.count({ ...write, plan: this.#account.plan ?? write.plan }, Date.now());
	}

	dropStored(id: string, userId: string, deletion: StoredDeletion): void {
		this.#stored.drop(id, userId, deletion, Date.now());
	}

	giveBackStored(id: string): void {
		this.#stored.giveBack(id, Date.now());
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

	/** Limits now, and usage up to the last settled request. */
	snapshot(plan: PlanId): MeterSnapshot {
		const nowMs = Date.now();
		return {
			quota: this.#reservations.quota(this.#account.plan ?? plan, nowMs),
			stored: this.#stored.totals(this.#account.plan ?? plan, nowMs),
			totals: this.#meterState.totals(),
			recent: this.#meterState.table.latest(RECENT_ROWS).map(toListedRequest),
			holds: this.#meterState.holds(),
			keptSince: this.#keeper.keptSince,
		};
	}

	sumsBy(column: SumColumn, range: SumRange): NamedCounts[] {
		return this.#meterState.sumsBy(column, range);
	}

	/** How long requests of a range of days took, and how many others failed, under the names of a column. */
	timesBy(column: SumColumn | NamedColumn, range: SumRange): NamedTimes[] {
		return column === "end_user" || column === "session_id"
			? this.#meterState.failed.countsBy(column, range)
			: this.#meterState.timesBy(column, range);
	}

	nameSums(column: NamedColumn, range: SumRange): Promise<NameSums> {
		return this.#lookup.nameSums(column, range);
	}

	usageSeries(query: SeriesQuery): MeterSeries {
		return this.#lookup.series(query);
	}

	requestPage(query: RequestPageQuery): Promise<MeterPage> {
		return readRequestPage(this.#meterState, this.#keeper, query);
	}

	/** Keeps sealed texts of a request until they expire. Idempotent. */
	keepTexts(texts: SealedTexts): void {
		this.ctx.storage.transactionSync(() => this.#texts.put(texts));
		this.#outbox.arm(texts.expiresAtMs);
	}

	texts(requestId: string): Omit<SealedTexts, "requestId"> | null {
		return this.#texts.find(requestId, Date.now());
	}

	sessionHeads(query: SessionsQuery): Promise<SessionHeads> {
		return this.#lookup.sessionHeads(query);
	}

	sessionRequests(sessionIds: readonly string[], apiKeyIds: readonly string[] | null): Promise<HeldSessionRequests> {
		return this.#lookup.sessionRequests(sessionIds, apiKeyIds);
	}

	request(requestId: string): RequestDetail | RemovedRequest | ArchivedRequest | "open" | null {
		return this.#lookup.detail(requestId);
	}

	receipt(requestId: string): StoredReceipt | ArchivedRequest | "open" | null {
		return this.#lookup.receipt(requestId);
	}

	publicReceipt(requestId: string): StoredReceipt | ArchivedRequest | "open" | "busy" | "unbilled" | null {
		return this.#lookup.publicReceipt(requestId, Date.now());
	}

	giveFeedback(given: GivenFeedback): MeterFeedbackVerdict {
		return this.#lookup.giveFeedback(given);
	}

	decisions(after: string, limit: number): { rated: RatedRequest[]; archives: number[] } {
		return this.#lookup.decisions(after, limit);
	}

	daysAfter(day: string, limit: number): string[] {
		return this.#meterState.daysAfter(day, limit);
	}

	checkDay(day: string): Promise<CheckedDay> {
		return this.#lookup.checkDay(day);
	}

	/** Writes to D1 what it lacks, sums that are not due as well. */
	async flushNow(): Promise<void> {
		this.#sums.areWanted = true;
		await this.#outbox.flush();
		// A flush that was under way may have looked at the sums before.
		if (this.#sums.hasUnsent && !this.#outbox.isFailing) await this.#outbox.flush();
		this.#sums.areWanted = false;
	}

	setPlan(plan: PlanId): void {
		this.#account.setPlan(plan);
	}

	/** Refuses requests that carry an earlier version of a key, and learns its budget. */
	changeKey(keyId: string, version: number, { budgetKeyId, budget }: ChangedBudget): void {
		if (this.#keys.change(keyId, version)) this.#budgets.table.change(budgetKeyId, budget);
	}

	keyStanding(keyId: string, version: number): KeyStanding {
		return this.#keys.standing(keyId, version);
	}

	/** Refuses a key from now on, for ever. @param retiredBudget the key that its costs are booked on, if all keys of it are revoked. */
	revokeKey(keyId: string, retiredBudget: string | null): void {
		this.#keys.revoke(keyId, retiredBudget);
		if (retiredBudget !== null) this.#meterState.retireBudget(retiredBudget);
	}

	endSession(sessionId: string, endsAtMs: number): void {
		this.#consoleSessions.end(sessionId, endsAtMs, Date.now());
	}

	isSessionEnded(sessionId: string): boolean {
		return this.#consoleSessions.isEnded(sessionId);
	}

	markOwner(owner: string, mark: number): void {
		this.#owners.mark(owner, mark);
	}

	markedOwners(prefix: string, limit: number): MarkedOwner[] {
		return this.#owners.some(prefix, limit);
	}

	unmarkOwner(owner: string, mark: number): void {
		this.#owners.unmark(owner, mark);
	}

	recordRefusal(refusal: ComplianceRefusal): void {
		this.#events.recordRefusal(refusal, Date.now());
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
		const delivered = this.#events.deliverAlerts();
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
		this.#events.arm(flushAtMs);
		this.#armForTexts();
		this.#stored.armForFlush(Date.now(), flushAtMs);
	}
}
