// AccountMeter: one Durable Object per user. Exact limits, revocations, open reservations, usage that D1 has not confirmed yet, and
// which owners of audit events to ask for what D1 does not have.
//
// Crash order. `admit` and `settle` are synchronous transactions and the platform sends no answer before they are durable:
// a caller that got one can rely on it. A reservation whose caller died is settled at its bound by the alarm. A settled
// row stays in the outbox until D1 has it; D1 ignores what it has already, so a flush may be repeated at any point.
import { DurableObject } from "cloudflare:workers";
import { database } from "../db/client.edge.ts";
import { migrate } from "../durable/migrations.edge.ts";
import { Outbox } from "../durable/outbox.edge.ts";
import { logError } from "../http/log.edge.ts";
import { settingsOf } from "../settings.ts";
import { METER_TABLES } from "./meter-tables.ts";
import { storedIds } from "./old-marks.store.ts";
import { PLANS, type PlanId } from "./plans.ts";
import { DAY_MINUTES, DayWindow, MINUTE_MS, MinuteWindow, minuteOf } from "./rolling-window.ts";
import { type Reservation, type Settlement, settleAtBound, type UsageRow } from "./settlement.ts";
import { recordSettlements } from "./settlements.store.ts";

/** A request that asks to be let in. */
export interface AdmitRequest {
	requestId: string;
	keyId: string;
	/** The plan the caller knows; the meter's own wins. */
	plan: PlanId;
	countsTowardsDay: boolean;
	reservation?: Reservation;
}

/** State of the limits after a verdict. */
export interface Quota {
	plan: PlanId;
	rpm: number;
	remaining: number;
	/** Until the minute window is empty again. */
	resetMs: number;
	dailyLimit: number | null;
	usedToday: number;
}

export type AdmitVerdict =
	| { admitted: true; quota: Quota }
	| { admitted: false; reason: "revoked" }
	/** The caller chose a model under another plan than the user has now. */
	| { admitted: false; reason: "plan_changed"; plan: PlanId }
	| { admitted: false; reason: "rate_limit_exceeded" | "daily_limit_exceeded"; quota: Quota; retryAfterMs: number };

/** `late`: the reservation was settled before, at its bound or so long ago that nobody knows how. */
export type SettleVerdict = "settled" | "late";

/** An owner of audit events that may hold what D1 does not have. */
export interface MarkedOwner {
	/** Its key as text, which is the owners' business. */
	owner: string;
	/** Number of its last mark. */
	mark: number;
}

const FLUSH_ROWS = 100;
const PURGE_EVERY_MS = 10_000;
/** A mark whose row does not come to D1 is its owner's to replace, or a reader's to find idle. */
const OLD_MARKS_EVERY_MS = 60_000;
const OLD_MARKS_AT_ONCE = 1_000;

export class AccountMeter extends DurableObject<Env> {
	#sql: SqlStorage;
	#minute: MinuteWindow;
	#day: DayWindow;
	#plan: PlanId | null;
	#revoked: Set<string>;
	#outbox: Outbox;
	#purgedAtMs = 0;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#sql = state.storage.sql;
		this.#outbox = new Outbox(state, {
			failureEvent: "meter_flush_failed",
			writeRound: () => this.#writeRound(),
		});
		migrate(state.storage, METER_TABLES);
		const now = Date.now();
		const times = this.#sql.exec<{ at_ms: number }>(
			"SELECT at_ms FROM admissions WHERE at_ms > ? ORDER BY at_ms",
			now - MINUTE_MS,
		);
		this.#minute = new MinuteWindow([...times].map((row) => row.at_ms));
		const minutes = this.#sql.exec<{ minute: number; requests: number }>(
			"SELECT minute, requests FROM minutes ORDER BY minute",
		);
		this.#day = new DayWindow([...minutes].map((row): [number, number] => [row.minute, row.requests]));
		this.#plan = ([...this.#sql.exec<{ plan: PlanId }>("SELECT plan FROM account")][0]?.plan as PlanId) ?? null;
		this.#revoked = new Set(
			[...this.#sql.exec<{ key_id: string }>("SELECT key_id FROM revoked_keys")].map((row) => row.key_id),
		);
		// An alarm may have been lost with the machine that held it; what is open asks for one again.
		this.#armForOpenWork(now, now);
	}

	#quota(plan: PlanId, nowMs: number): Quota {
		const { rpm, dailyRequests } = PLANS[plan];
		return {
			plan,
			rpm,
			remaining: Math.max(0, rpm - this.#minute.count(nowMs)),
			resetMs: this.#minute.msUntilEmpty(nowMs),
			dailyLimit: dailyRequests,
			usedToday: this.#day.count(nowMs),
		};
	}

	/** Counts a request against the user's limits and stores its reservation. Idempotent by request id. */
	admit(request: AdmitRequest): AdmitVerdict {
		const now = Date.now();
		const plan = this.#plan ?? request.plan;
		if (this.#revoked.has(request.keyId)) return { admitted: false, reason: "revoked" };
		if (plan !== request.plan && request.reservation) return { admitted: false, reason: "plan_changed", plan };

		const quota = this.#quota(plan, now);
		const full = quota.remaining === 0 || (quota.dailyLimit !== null && quota.usedToday >= quota.dailyLimit);
		// A repeated call for a request that is in already must not be refused for its own admission.
		if (full && this.#isKnown(request.requestId)) return { admitted: true, quota };
		if (quota.remaining === 0) {
			return { admitted: false, reason: "rate_limit_exceeded", quota, retryAfterMs: this.#minute.msUntilSlot(now) };
		}
		if (request.countsTowardsDay && quota.dailyLimit !== null && quota.usedToday >= quota.dailyLimit) {
			return { admitted: false, reason: "daily_limit_exceeded", quota, retryAfterMs: this.#day.msUntilSlot(now) };
		}

		if (!this.#insertAdmission(request, now)) return { admitted: true, quota };
		this.#minute.add(now);
		this.#purge(now);
		if (request.reservation) this.#outbox.arm(request.reservation.expiresAtMs);
		return { admitted: true, quota: this.#quota(plan, now) };
	}

	/** Stores an admission and counts its day; false when it is there already. */
	#insertAdmission({ requestId, reservation, countsTowardsDay }: AdmitRequest, nowMs: number): boolean {
		return this.ctx.storage.transactionSync(() => {
			const inserted = this.#sql.exec(
				"INSERT OR IGNORE INTO admissions (request_id, at_ms, reservation, expires_at_ms, closed_at_ms) VALUES (?, ?, ?, ?, ?)",
				requestId,
				nowMs,
				reservation ? JSON.stringify(reservation) : null,
				reservation?.expiresAtMs ?? null,
				reservation ? null : nowMs,
			);
			if (inserted.rowsWritten === 0) return false;
			if (countsTowardsDay) {
				const requests = this.#day.add(nowMs);
				this.#sql.exec("INSERT OR REPLACE INTO minutes (minute, requests) VALUES (?, ?)", minuteOf(nowMs), requests);
			}
			return true;
		});
	}

	#isKnown(requestId: string): boolean {
		return this.#sql.exec("SELECT 1 FROM admissions WHERE request_id = ?", requestId).toArray().length > 0;
	}

	/** Replaces a reservation with what really happened. Idempotent; a reservation that expired before stays as it was settled. */
	settle(settlement: Settlement): SettleVerdict {
		const { request_id: requestId, proof_hash: proofHash } = settlement.receipt;
		const closed = this.#sql.exec<{ proof_hash: string | null; closed_at_ms: number | null }>(
			"SELECT proof_hash, closed_at_ms FROM admissions WHERE request_id = ?",
			requestId,
		);
		const row = closed.toArray()[0];
		// Closed admissions are purged after a while: what is not known any more was settled, maybe at its bound.
		if (!row) return "late";
		if (row.closed_at_ms !== null) return row.proof_hash === proofHash ? "settled" : "late";
		this.#close(settlement);
		if (!this.#outbox.isFailing) this.ctx.waitUntil(this.#outbox.flush());
		return "settled";
	}

	#close(settlement: Settlement): void {
		const { request_id: requestId, proof_hash: proofHash } = settlement.receipt;
		this.ctx.storage.transactionSync(() => {
			this.#sql.exec(
				"UPDATE admissions SET reservation = NULL, expires_at_ms = NULL, proof_hash = ?, closed_at_ms = ? WHERE request_id = ?",
				proofHash,
				Date.now(),
				requestId,
			);
			this.#sql.exec(
				"INSERT OR IGNORE INTO outbox (request_id, settlement) VALUES (?, ?)",
				requestId,
				JSON.stringify(settlement),
			);
		});
	}

	/** Frees a reservation that cost nothing: no model was billed. */
	release(requestId: string): void {
		this.#sql.exec(
			"UPDATE admissions SET reservation = NULL, expires_at_ms = NULL, closed_at_ms = ? WHERE request_id = ? AND closed_at_ms IS NULL",
			Date.now(),
			requestId,
		);
	}

	/** Limits now, and the usage that D1 may not have yet, oldest first. */
	snapshot(plan: PlanId): { quota: Quota; pending: UsageRow[] } {
		const rows = this.#sql.exec<{ settlement: string }>("SELECT settlement FROM outbox ORDER BY rowid");
		return {
			quota: this.#quota(this.#plan ?? plan, Date.now()),
			pending: [...rows].map((row) => (JSON.parse(row.settlement) as Settlement).usage),
		};
	}

	/** Sets the user's plan; holds from the next request on. */
	setPlan(plan: PlanId): void {
		this.ctx.storage.transactionSync(() => {
			this.#sql.exec("DELETE FROM account");
			this.#sql.exec("INSERT INTO account (plan) VALUES (?)", plan);
		});
		this.#plan = plan;
	}

	/** Refuses a key from now on, for ever. */
	revokeKey(keyId: string): void {
		this.#sql.exec("INSERT OR IGNORE INTO revoked_keys (key_id) VALUES (?)", keyId);
		this.#revoked.add(keyId);
	}

	/** Marks an owner of audit events as holding what D1 does not have. A later mark has a larger number. */
	markOwner(owner: string, mark: number): void {
		this.#sql.exec(
			`INSERT INTO marked_owners (owner, mark) VALUES (?, ?)
			ON CONFLICT (owner) DO UPDATE SET mark = max(mark, excluded.mark), row_id = NULL`,
			owner,
			mark,
		);
	}

	/**
	 * Owners marked whose key begins so: all, or any `limit` of them, others each time, so that none that cannot be
	 * helped stands in the way of the rest.
	 */
	markedOwners(prefix: string, limit: number): MarkedOwner[] {
		const query =
			"SELECT owner, mark FROM marked_owners WHERE substr(owner, 1, length(?1)) = ?1 ORDER BY random() LIMIT ?2";
		const rows = this.#sql.exec<{ owner: string; mark: number }>(query, prefix, limit);
		return [...rows].map(({ owner, mark }) => ({ owner, mark }));
	}

	/** Takes an owner's marks up to this one away; a later one stays. */
	unmarkOwner(owner: string, mark: number): void {
		this.#sql.exec("DELETE FROM marked_owners WHERE owner = ? AND mark <= ?", owner, mark);
	}

	/** Answers, so that a health check can tell that objects run. */
	ping(): "pong" {
		return "pong";
	}

	/** Settles what expired and flushes what D1 does not have. Never throws: a failed alarm would end after a few retries. */
	override async alarm(): Promise<void> {
		this.#outbox.alarmRang();
		try {
			await this.#expire(Date.now());
			await this.#outbox.flush();
			await this.#dropOldMarks();
		} catch (error) {
			logError("meter_alarm_failed", error);
		}
		const now = Date.now();
		this.#armForOpenWork(now + this.#outbox.retryDelayMs, now + OLD_MARKS_EVERY_MS);
	}

	async #expire(nowMs: number): Promise<void> {
		const { signer } = settingsOf(this.env);
		const expired = this.#sql.exec<{ request_id: string; reservation: string }>(
			"SELECT request_id, reservation FROM admissions WHERE closed_at_ms IS NULL AND expires_at_ms <= ?",
			nowMs,
		);
		for (const row of expired.toArray()) {
			const settlement = await settleAtBound(JSON.parse(row.reservation) as Reservation, nowMs, signer);
			// Signing let other events in: only what is still open may be closed.
			const open = this.#sql.exec(
				"SELECT 1 FROM admissions WHERE request_id = ? AND closed_at_ms IS NULL",
				row.request_id,
			);
			if (open.toArray().length > 0) this.#close(settlement);
		}
	}

	async #writeRound(): Promise<boolean> {
		const rows = this.#sql
			.exec<{ request_id: string; settlement: string }>(
				"SELECT request_id, settlement FROM outbox ORDER BY rowid LIMIT ?",
				FLUSH_ROWS,
			)
			.toArray();
		if (rows.length === 0) return false;
		const settlements = rows.map((row) => JSON.parse(row.settlement) as Settlement);
		await recordSettlements(database(this.env.DB), settlements);
		this.#sql.exec(
			"DELETE FROM outbox WHERE request_id IN (SELECT value FROM json_each(?))",
			JSON.stringify(rows.map((row) => row.request_id)),
		);
		return true;
	}

	/** Takes away the marks of version 1 whose row has come to D1. */
	async #dropOldMarks(): Promise<void> {
		const old = "SELECT row_id FROM marked_owners WHERE row_id IS NOT NULL LIMIT ?";
		const rowIds = [...this.#sql.exec<{ row_id: string }>(old, OLD_MARKS_AT_ONCE)].map(({ row_id }) => row_id);
		if (rowIds.length === 0) return;
		const stored = JSON.stringify(await storedIds(database(this.env.DB), rowIds));
		this.#sql.exec("DELETE FROM marked_owners WHERE row_id IN (SELECT value FROM json_each(?))", stored);
	}

	/** @param flushAtMs when to try the outbox again, if there is anything in it; `oldMarksAtMs`: the same for old marks. */
	#armForOpenWork(flushAtMs: number, oldMarksAtMs: number): void {
		const [next] = this.#sql
			.exec<{ at: number | null }>("SELECT MIN(expires_at_ms) AS at FROM admissions WHERE closed_at_ms IS NULL")
			.toArray();
		if (next && next.at !== null) this.#outbox.arm(next.at);
		if (this.#sql.exec("SELECT 1 FROM outbox LIMIT 1").toArray().length > 0) this.#outbox.arm(flushAtMs);
		const oldMark = this.#sql.exec("SELECT 1 FROM marked_owners WHERE row_id IS NOT NULL LIMIT 1");
		if (oldMark.toArray().length > 0) this.#outbox.arm(oldMarksAtMs);
	}

	#purge(nowMs: number): void {
		if (nowMs - this.#purgedAtMs < PURGE_EVERY_MS) return;
		this.#purgedAtMs = nowMs;
		this.#sql.exec("DELETE FROM admissions WHERE at_ms < ?1 AND closed_at_ms < ?1", nowMs - MINUTE_MS);
		this.#sql.exec("DELETE FROM minutes WHERE minute <= ?", minuteOf(nowMs) - DAY_MINUTES);
	}
}
