// AccountMeter: one Durable Object per user. It keeps exact limits, revocations, open reservations, usage with its totals, and
// marks of the owners that hold audit events D1 does not have.
//
// Crash order. `admit` and `settle` write one row each, and the platform sends no answer before the row is durable. A
// reservation whose caller died is settled at its bound by the alarm. A timer flushes settlements to D1 a moment later; if the
// object dies first, the alarm of their reservations, which is still set, flushes them. D1 ignores rows that it has, so a flush
// may be repeated at any point. Its amounts are then folded into the totals (meter-state.edge.ts).
import { PLANS, type PlanId } from "../catalog/plans.ts";
import { database } from "../db/client.edge.ts";
import { BackedUpObject } from "../durable/backed-up-object.edge.ts";
import { migrate } from "../durable/migrations.edge.ts";
import type { BackupPlan } from "../durable/object-rows.edge.ts";
import { Outbox } from "../durable/outbox.edge.ts";
import type { PagePart } from "../http/list-page.ts";
import { logError } from "../http/log.edge.ts";
import { withEmptyOutput } from "../proof/receipt.ts";
import { cachedSettings } from "../settings.ts";
import { toWebhookRules } from "../webhooks/webhook.ts";
import type { ComplianceRefusal } from "./compliance-refusals.ts";
import { DataKey } from "./data-key.edge.ts";
import type { BudgetStatus, KeyCosts } from "./key-budget.ts";
import { KeyBudgets } from "./key-budgets.edge.ts";
import { narrowerQuota, refuseOverLimit, toQuota } from "./limits.ts";
import {
	type AdmitRequest,
	type AdmitVerdict,
	type BudgetQuery,
	type BudgetRoom,
	type ChangedBudget,
	type ExtendVerdict,
	type FlushedTotals,
	type MarkedOwner,
	type MeterSnapshot,
	type Quota,
	RECENT_ROWS,
	RECORDS_PER_MINUTE,
	type RecordVerdict,
	type SettleVerdict,
} from "./meter-calls.ts";
import { recordMeterEvents } from "./meter-events.store.ts";
import { type MeterEvent, toStoredEvent } from "./meter-events.ts";
import { MeterState, type PendingPage } from "./meter-state.edge.ts";
import { METER_TABLES } from "./meter-tables.ts";
import { RefusalTable } from "./refusal-table.edge.ts";
import type { LimitRefusal } from "./refusals.ts";
import { type ListedRequest, type RequestDetail, type RequestPageQuery, toRequestDetail } from "./request-page.ts";
import { MinuteWindow } from "./rolling-window.ts";
import type { RollupPart } from "./rollup.ts";
import { type Reservation, type Settlement, type StoredReceipt, settleAtBound } from "./settlement.ts";
import { findCountedUsage, recordSettlements } from "./settlements.store.ts";
import type { Slot } from "./slots.ts";
import { eventBytes, type StorageVerdict, type StoredDeletion, type StoredWrite } from "./stored-bytes.ts";
import { type CountedWrite, StoredQuota } from "./stored-quota.edge.ts";

/** From the first settlement to its flush, so that others go with it. Waiting longer would cost more in duration than it saves in rows. */
const FLUSH_AFTER_MS = 250;
/** The same within a second of the last flush. So the meter of a busy user flushes once a second, which saves a tenth of a request's CPU. */
const BUSY_FLUSH_AFTER_MS = 1_000;
const BUSY_WITHIN_MS = 1_000;
/** When the alarm flushes an alert, should the object die before its timer. */
const ALERT_FLUSH_MS = 10_000;

export class AccountMeter extends BackedUpObject {
	#sql: SqlStorage;
	#meterState: MeterState;
	#plan: PlanId | null;
	#revoked: Set<string>;
	/** The latest versions of keys that were changed. */
	#keyVersions: Map<string, number>;
	#budgets: KeyBudgets;
	#refusals: RefusalTable;
	#stored: StoredQuota;
	#dataKey: DataKey;
	#outbox: Outbox;
	#flushedAtMs = Number.NEGATIVE_INFINITY;
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
		const revoked = [
			...this.#sql.exec<{ key_id: string; retired_budget: string | null }>(
				"SELECT key_id, retired_budget FROM revoked_keys",
			),
		];
		this.#revoked = new Set(revoked.map(({ key_id }) => key_id));
		const retiredBudgets = revoked.flatMap(({ retired_budget }) => retired_budget ?? []);
		this.#meterState = new MeterState(this.#sql, now, retiredBudgets);
		this.#plan = ([...this.#sql.exec<{ plan: PlanId }>("SELECT plan FROM account")][0]?.plan as PlanId) ?? null;
		const versions = this.#sql.exec<{ key_id: string; version: number }>("SELECT key_id, version FROM key_versions");
		this.#keyVersions = new Map([...versions].map(({ key_id, version }) => [key_id, version]));
		this.#budgets = new KeyBudgets(this.#sql, this.#meterState, {
			rules: () => toWebhookRules(cachedSettings(env)),
			onEvent: (nowMs) => this.#eventStored(nowMs),
		});
		this.#refusals = new RefusalTable(this.#sql);
		this.#dataKey = new DataKey(this.#sql, env);
		this.#stored = new StoredQuota(this.#sql, env, {
			arm: (atMs) => this.#outbox.arm(atMs),
			waitUntil: (work) => state.waitUntil(work),
		});
		// The alarm may have been lost with its machine, so open work sets it again.
		this.#armForOpenWork(now);
		if (this.#hasUnflushed) this.#outbox.flushIn(FLUSH_AFTER_MS);
	}

	/** All rows: those of open requests, too, which the alarm of the restored meter settles at their bounds. */
	override backupPlan(): BackupPlan {
		return { schema: METER_TABLES };
	}

	/** Whether only this object may know of something that D1 is to have. */
	get #hasUnflushed(): boolean {
		return this.#meterState.hasUnfolded || this.#budgets.table.hasUnflushed;
	}

	/** An audit event is to be flushed, and perhaps a webhook to be sent. */
	#eventStored(nowMs: number): void {
		this.#outbox.arm(nowMs + ALERT_FLUSH_MS);
		this.#armForWebhooks();
		this.#flushSoon(nowMs);
	}

	#armForWebhooks(): void {
		const { nextAtMs } = this.#budgets.webhooks;
		if (nextAtMs !== null) this.#outbox.arm(nextAtMs);
	}

	/** Flushes a moment later; once a second at most while requests keep coming. */
	#flushSoon(nowMs: number): void {
		const isBusy = nowMs - this.#flushedAtMs < BUSY_WITHIN_MS;
		this.#outbox.flushIn(isBusy ? BUSY_FLUSH_AFTER_MS : FLUSH_AFTER_MS);
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
		const plan = this.#plan ?? request.plan;
		if (this.#revoked.has(request.keyId)) return { admitted: false, reason: "revoked" };
		if ((this.#keyVersions.get(request.keyId) ?? 0) > request.keyVersion)
			return { admitted: false, reason: "key_changed" };
		if (plan !== request.plan && request.reservation) return { admitted: false, reason: "plan_changed", plan };

		// A repeated call is neither counted again nor refused because of its own admission.
		if (!this.#meterState.find(request.requestId)) {
			if (this.#meterState.followClock(now)) this.#armForOpenWork(now);
			const refusal =
				this.#limitRefusal(request, plan, now) ??
				this.#budgetRefusal(request, plan, now) ??
				this.#storageRefusal(request, plan, now);
			if (refusal) return refusal;
			this.#makeRoom(now);
			const { requestId, countsTowardsDay, keyId, keyLimits, keyBudget, budgetKeyId, reservation } = request;
			const limitedKeyId = keyLimits ? keyId : null;
			this.#meterState.admit(
				{ requestId, countsTowardsDay, limitedKeyId, keyBudget, budgetKeyId },
				reservation ?? null,
				now,
			);
			if (reservation) this.#outbox.arm(reservation.expiresAtMs);
		}
		const quota = this.#quota(plan, now);
		const isReduced = request.stored !== undefined && this.#stored.isReduced(request.requestId);
		return { admitted: true, quota: narrowerQuota(quota, this.#keyQuota(request, quota, now)), isReduced, salt };
	}

	/** Takes a record of a coding agent's hook, which counts against no limit but that of records. */
	takeRecord(keyId: string, keyVersion: number): RecordVerdict {
		const now = Date.now();
		if (this.#revoked.has(keyId)) return { taken: false, reason: "revoked" };
		if (!this.isKeyGood(keyId, keyVersion)) return { taken: false, reason: "key_changed" };
		if (this.#records.count(now) >= RECORDS_PER_MINUTE)
			return { taken: false, reason: "rate_limit_exceeded", retryAfterMs: this.#records.msUntilSlot(now) };
		this.#records.add(now);
		return { taken: true };
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

	/** Settles a slot, and stores the alerts that its cost gives rise to in the same transaction. */
	#settle(slot: Slot, settlement: Settlement, nowMs: number, isDoubtful = false): void {
		this.#meterState.settle(slot, settlement, nowMs, isDoubtful);
		this.#budgets.settled(slot, settlement.usage, nowMs);
	}

	/** Folds, so that slots can be reused. If that fails, the table grows and the request is admitted all the same. */
	#makeRoom(nowMs: number): void {
		try {
			this.#meterState.foldIfWorthIt(nowMs);
		} catch (error) {
			logError("meter_fold_failed", error);
		}
	}

	/** Replaces a reservation by its settlement. Idempotent. A reservation that has expired stays settled at its bound. */
	settle(settlement: Settlement, stored?: StoredWrite): SettleVerdict {
		const { request_id: requestId, proof_hash: proofHash } = settlement.receipt;
		const slot = this.#meterState.find(requestId);
		// Slots are reused: a request without a slot was settled long ago, maybe at its bound.
		if (!slot) return "late";
		if (slot.closedAtMs !== null) return slot.proofHash === proofHash ? "settled" : "late";
		const nowMs = Date.now();
		// Counted first, as in `admit`. What was paid for is stored whatever the quota says.
		if (stored) this.#stored.countAnyway(`${requestId} settled`, settlement.usage.user_id, stored, nowMs);
		this.#settle(slot, settlement, nowMs);
		this.#flushSoon(nowMs);
		return "settled";
	}

	/** Counts what is stored by a request that was admitted before. Idempotent by the write's id. */
	countStored(write: CountedWrite): StorageVerdict {
		return this.#stored.count({ ...write, plan: this.#plan ?? write.plan }, Date.now());
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
	extend(requestId: string, reservation: Reservation): ExtendVerdict {
		const slot = this.#meterState.find(requestId);
		if (!slot || slot.closedAtMs !== null) return "late";
		const nowMs = Date.now();
		const room = reservation.holdNanoUsd > slot.nanoUsd ? this.#budgets.room(slot, nowMs) : null;
		if (room && reservation.holdNanoUsd > room.mostNanoUsd) return "over_budget";
		this.#meterState.extend(slot, reservation, nowMs);
		this.#outbox.arm(reservation.expiresAtMs);
		return "extended";
	}

	/** What an open request may hold in the budget of its key; null without a budget, and when it is not open. */
	room(requestId: string): BudgetRoom | null {
		const slot = this.#meterState.find(requestId);
		return slot && slot.closedAtMs === null ? this.#budgets.room(slot, Date.now()) : null;
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
		const slot = this.#meterState.find(requestId);
		if (!slot || slot.closedAtMs !== null) return;
		this.#stored.giveBack(requestId, Date.now());
		this.#meterState.release(slot, Date.now());
	}

	/** Limits now, and usage up to the last settled request. Its size is bounded, however much D1 lacks. */
	async snapshot(plan: PlanId): Promise<MeterSnapshot> {
		// A flush resolves what is doubtful, unless D1 is unreachable.
		if (this.#meterState.hasDoubtful && !this.#outbox.isFailing) await this.#outbox.flush();
		return {
			quota: this.#quota(this.#plan ?? plan, Date.now()),
			stored: this.#stored.totals(this.#plan ?? plan, Date.now()),
			totals: this.#meterState.totals(),
			recent: this.#meterState.recentPending(RECENT_ROWS),
			open: this.#meterState.openIds(),
			holds: this.#meterState.holds(),
			doubtful: this.#meterState.doubtfulPage(0),
		};
	}

	/** A further page of the snapshot's `doubtful`; `after` is `next` of the page before. */
	doubtful(after: number): PendingPage {
		return this.#meterState.doubtfulPage(after);
	}

	/** What each settlement that D1 may lack adds to the rollup there: one page; `after` is `next` of the page before. */
	pendingParts(after: number): PendingPage<RollupPart[]> {
		return this.#meterState.pendingPage(after);
	}

	/** The requests of a page among those that D1 may lack. */
	pendingRequests(query: RequestPageQuery): PagePart<ListedRequest> {
		return this.#meterState.pendingRequests(query);
	}

	/** A request that was settled a moment ago, or that D1 does not have. */
	request(requestId: string): RequestDetail | null {
		const slot = this.#meterState.find(requestId);
		const settlement = slot && this.#meterState.settlement(slot);
		return settlement ? toRequestDetail(settlement) : null;
	}

	/** The receipt of a request that was settled a moment ago, or that D1 does not have. */
	receipt(requestId: string): StoredReceipt | null {
		const slot = this.#meterState.find(requestId);
		return (slot && this.#meterState.settlement(slot)?.receipt) ?? null;
	}

	/** The API key of a request that was settled a moment ago, or that D1 does not have; null when there is no such request. */
	settledBy(requestId: string): string | null {
		const slot = this.#meterState.find(requestId);
		return (slot && this.#meterState.settlement(slot)?.usage.api_key_id) ?? null;
	}

	/** Flushes, and returns the totals of what D1 has. */
	async flushedTotals(): Promise<FlushedTotals> {
		await this.#outbox.flush();
		return { totals: this.#meterState.storedTotals(), uncounted: this.#meterState.uncountedIds() };
	}

	/** Sets the user's plan from the next request on. */
	setPlan(plan: PlanId): void {
		this.ctx.storage.transactionSync(() => {
			this.#sql.exec("DELETE FROM account");
			this.#sql.exec("INSERT INTO account (plan) VALUES (?)", plan);
		});
		this.#plan = plan;
	}

	/** Refuses requests that carry an earlier version of a key, and learns its budget. */
	changeKey(keyId: string, version: number, { budgetKeyId, budget }: ChangedBudget): void {
		const latest = Math.max(version, this.#keyVersions.get(keyId) ?? 0);
		this.#sql.exec("INSERT OR REPLACE INTO key_versions (key_id, version) VALUES (?, ?)", keyId, latest);
		this.#keyVersions.set(keyId, latest);
		if (latest === version) this.#budgets.table.change(budgetKeyId, budget);
	}

	/** Whether a key may still be used that was good as this version. */
	isKeyGood(keyId: string, version: number): boolean {
		return !this.#revoked.has(keyId) && (this.#keyVersions.get(keyId) ?? 0) <= version;
	}

	/** Remembers a session of the console as ended until it would end by itself. Forgets those that have. */
	endSession(sessionId: string, endsAtMs: number): void {
		this.#sql.exec("DELETE FROM ended_sessions WHERE ends_at_ms <= ?", Date.now());
		this.#sql.exec("INSERT OR IGNORE INTO ended_sessions (session, ends_at_ms) VALUES (?, ?)", sessionId, endsAtMs);
	}

	isSessionEnded(sessionId: string): boolean {
		return [...this.#sql.exec("SELECT 1 FROM ended_sessions WHERE session = ?", sessionId)].length > 0;
	}

	/** Refuses a key from now on, for ever. @param retiredBudget the key that its costs are booked on, if all keys of it are revoked. */
	revokeKey(keyId: string, retiredBudget: string | null): void {
		this.#sql.exec(
			`INSERT INTO revoked_keys (key_id, retired_budget) VALUES (?, ?)
			ON CONFLICT (key_id) DO UPDATE SET retired_budget = coalesce(excluded.retired_budget, retired_budget)`,
			keyId,
			retiredBudget,
		);
		this.#revoked.add(keyId);
		if (retiredBudget !== null) this.#meterState.retireBudget(retiredBudget);
	}

	/** Marks an owner: it holds audit events that D1 does not have. A later mark has a larger number. */
	markOwner(owner: string, mark: number): void {
		this.#sql.exec(
			`INSERT INTO marked_owners (owner, mark) VALUES (?, ?)
			ON CONFLICT (owner) DO UPDATE SET mark = max(mark, excluded.mark)`,
			owner,
			mark,
		);
	}

	/**
	 * Marked owners whose key has a prefix: all, or `limit` of them at random, so that owners which cannot flush do not keep
	 * others from their turn.
	 */
	markedOwners(prefix: string, limit: number): MarkedOwner[] {
		const query =
			"SELECT owner, mark FROM marked_owners WHERE substr(owner, 1, length(?1)) = ?1 ORDER BY random() LIMIT ?2";
		const rows = this.#sql.exec<{ owner: string; mark: number }>(query, prefix, limit);
		return [...rows].map(({ owner, mark }) => ({ owner, mark }));
	}

	/** Counts a refusal by compliance in an audit event of its minute, which is flushed when that is over. */
	recordRefusal(refusal: ComplianceRefusal): void {
		this.#refusals.record(refusal, Date.now());
		this.#armForRefusals(0);
	}

	/** Audit events of this meter that D1 does not have. */
	unflushedEvents(): MeterEvent[] {
		return [...this.#budgets.table.unflushed().map(({ event }) => toStoredEvent(event)), ...this.#refusals.events()];
	}

	/** Removes an owner's marks up to this one; a later one stays. */
	unmarkOwner(owner: string, mark: number): void {
		this.#sql.exec("DELETE FROM marked_owners WHERE owner = ? AND mark <= ?", owner, mark);
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
			await this.#expire(Date.now());
			await this.#outbox.flush();
			this.#meterState.fold(Date.now());
		} catch (error) {
			logError("meter_alarm_failed", error);
		}
		this.#armForOpenWork(Date.now() + this.#outbox.retryDelayMs);
		// A receiver that hangs delays the next alarm, which expires reservations, by ten seconds at most.
		await delivered;
	}

	/** Makes the tries of webhooks that are due. Never throws. */
	async #deliverAlerts(): Promise<void> {
		try {
			await this.#budgets.webhooks.deliverDue();
		} catch (error) {
			logError("key_webhooks_failed", error);
		}
	}

	async #expire(nowMs: number): Promise<void> {
		const { signer } = cachedSettings(this.env);
		// Other events run while a receipt is signed: check again that the slot is open and expired.
		const isExpired = ({ expiresAtMs }: Slot) => expiresAtMs !== null && expiresAtMs <= nowMs;
		for (const slot of this.#meterState.expiredSlots(nowMs)) {
			if (!isExpired(slot)) continue;
			const reservation = this.#meterState.reservation(slot);
			const settlement = await settleAtBound(await this.#withOutput(reservation), nowMs, signer);
			if (isExpired(slot)) this.#settle(slot, settlement, nowMs, true);
		}
	}

	/** A reservation whose receipt says that nothing was delivered, where it was written before the request had its salt. */
	async #withOutput(reservation: Reservation): Promise<Reservation> {
		const { receipt } = reservation;
		if (receipt.output_hash !== null) return reservation;
		try {
			return { ...reservation, receipt: withEmptyOutput(receipt, await this.#dataKey.salt(receipt.request_id)) };
		} catch (error) {
			// What it cost is recorded all the same.
			logError("data_key_closed", error);
			return reservation;
		}
	}

	async #writeRound(): Promise<boolean> {
		const batch = this.#meterState.nextBatch();
		if (batch.rows.length === 0)
			return (await this.#writeAlerts()) || (await this.#writeRefusals()) || this.#stored.flush(Date.now());
		this.#flushedAtMs = Date.now();
		const inserted = await recordSettlements(database(this.env.DB), batch.rows);
		const otherIds = batch.rows.map(({ row }) => row.request_id).filter((id) => !inserted.has(id));
		const others = await findCountedUsage(database(this.env.DB), otherIds);
		this.#meterState.markStored(batch, inserted, others);
		this.#meterState.foldIfWorthIt(Date.now());
		return true;
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
		if (earliestExpiryMs !== null) this.#outbox.arm(earliestExpiryMs);
		if (this.#hasUnflushed) this.#outbox.arm(flushAtMs);
		this.#armForWebhooks();
		this.#armForRefusals(flushAtMs);
		this.#stored.armForFlush(Date.now(), flushAtMs);
	}

	/** Flushes refusals when their minute is over. @param notBeforeMs when to try again after a failure. */
	#armForRefusals(notBeforeMs: number): void {
		const { dueAtMs } = this.#refusals;
		if (dueAtMs !== null) this.#outbox.arm(Math.max(dueAtMs, notBeforeMs));
	}
}
