// AccountMeter: one Durable Object per user. Exact limits, revocations, open reservations, usage with its totals, and which
// owners of audit events to ask for what D1 does not have.
//
// Crash order. `admit` and `settle` are one row each, and the platform sends no answer before it is durable: a caller that got
// one can rely on it. A reservation whose caller died is settled at its bound by the alarm. What is settled goes to D1 a moment
// later, by a timer; the alarm of its reservation, which is still set, sees to it if the object dies first. D1 ignores what it
// has already, so a flush may be repeated at any point; what it said is then folded into the totals (meter-books.edge.ts).
import { DurableObject } from "cloudflare:workers";
import { PLANS, type PlanId } from "../catalog/plans.ts";
import { database } from "../db/client.edge.ts";
import { migrate } from "../durable/migrations.edge.ts";
import { Outbox } from "../durable/outbox.edge.ts";
import { logError } from "../http/log.edge.ts";
import { cachedSettings } from "../settings.ts";
import { cutDown } from "./flush-batch.ts";
import { type FlushBatch, MeterBooks, type PendingPage } from "./meter-books.edge.ts";
import type {
	AdmitRequest,
	AdmitVerdict,
	ExtendVerdict,
	MarkedOwner,
	MeterSnapshot,
	Quota,
	SettleVerdict,
	Standing,
} from "./meter-calls.ts";
import { METER_TABLES } from "./meter-tables.ts";
import { type Reservation, type Settlement, type StoredReceipt, settleAtBound } from "./settlement.ts";
import { findCountedUsage, isTooLarge, recordSettlements } from "./settlements.store.ts";
import type { Slot } from "./slots.ts";

/** From the first settlement on, for others to go with it. Longer would cost more for the object's time than the rows it saves. */
const FLUSH_AFTER_MS = 250;
const RECENT_ROWS = 20;

export class AccountMeter extends DurableObject<Env> {
	#sql: SqlStorage;
	#books: MeterBooks;
	#plan: PlanId | null;
	#revoked: Set<string>;
	#outbox: Outbox;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#sql = state.storage.sql;
		this.#outbox = new Outbox(state, {
			failureEvent: "meter_flush_failed",
			writeRound: () => this.#writeRound(),
		});
		migrate(state.storage, METER_TABLES);
		const now = Date.now();
		this.#books = new MeterBooks(this.#sql, now);
		this.#plan = ([...this.#sql.exec<{ plan: PlanId }>("SELECT plan FROM account")][0]?.plan as PlanId) ?? null;
		this.#revoked = new Set(
			[...this.#sql.exec<{ key_id: string }>("SELECT key_id FROM revoked_keys")].map((row) => row.key_id),
		);
		// An alarm may have been lost with the machine that held it; what is open asks for one again.
		this.#armForOpenWork(now);
		if (this.#books.hasUnfolded) this.#outbox.flushIn(FLUSH_AFTER_MS);
	}

	#quota(plan: PlanId, nowMs: number): Quota {
		const { rpm, dailyRequests } = PLANS[plan];
		return {
			plan,
			rpm,
			remaining: Math.max(0, rpm - this.#books.minute.count(nowMs)),
			resetMs: this.#books.minute.msUntilEmpty(nowMs),
			dailyLimit: dailyRequests,
			usedToday: this.#books.day.count(nowMs),
		};
	}

	/** Counts a request against the user's limits and stores its reservation. Idempotent by request id. */
	admit(request: AdmitRequest): AdmitVerdict {
		const now = Date.now();
		const plan = this.#plan ?? request.plan;
		if (this.#revoked.has(request.keyId)) return { admitted: false, reason: "revoked" };
		if (plan !== request.plan && request.reservation) return { admitted: false, reason: "plan_changed", plan };

		const quota = this.#quota(plan, now);
		// A repeated call for a request that is in already is neither counted again nor refused for its own admission.
		if (this.#books.find(request.requestId)) return { admitted: true, quota };
		if (quota.remaining === 0) {
			return {
				admitted: false,
				reason: "rate_limit_exceeded",
				quota,
				retryAfterMs: this.#books.minute.msUntilSlot(now),
			};
		}
		if (request.countsTowardsDay && quota.dailyLimit !== null && quota.usedToday >= quota.dailyLimit) {
			return { admitted: false, reason: "daily_limit_exceeded", quota, retryAfterMs: this.#books.day.msUntilSlot(now) };
		}

		this.#makeRoom(now);
		this.#books.admit(request.requestId, request.countsTowardsDay, request.reservation ?? null, now);
		if (request.reservation) this.#outbox.arm(request.reservation.expiresAtMs);
		return { admitted: true, quota: this.#quota(plan, now) };
	}

	/** Folds in time for slots to be used again. Nobody is kept out because that fails: then the table grows. */
	#makeRoom(nowMs: number): void {
		try {
			this.#books.foldIfWorthIt(nowMs);
		} catch (error) {
			logError("meter_fold_failed", error);
		}
	}

	/** Replaces a reservation with what really happened. Idempotent; a reservation that expired before stays as it was settled. */
	settle(settlement: Settlement): SettleVerdict {
		const { request_id: requestId, proof_hash: proofHash } = settlement.receipt;
		const slot = this.#books.find(requestId);
		// A closed slot is another request's after a while: what is not known any more was settled, maybe at its bound.
		if (!slot) return "late";
		if (slot.closedAtMs !== null) return slot.proofHash === proofHash ? "settled" : "late";
		this.#books.settle(slot, settlement, Date.now());
		this.#outbox.flushIn(FLUSH_AFTER_MS);
		return "settled";
	}

	/**
	 * Replaces an open reservation by another: with a later end, another bound, or what a long run has spent so far in it.
	 * It is what is recorded if nobody settles the request; idempotent, and nothing is counted or made final by it.
	 */
	extend(requestId: string, reservation: Reservation): ExtendVerdict {
		const slot = this.#books.find(requestId);
		if (!slot || slot.closedAtMs !== null) return "late";
		this.#books.extend(slot, reservation);
		this.#outbox.arm(reservation.expiresAtMs);
		return "extended";
	}

	/** Frees a reservation that cost nothing: no model was billed. */
	release(requestId: string): void {
		const slot = this.#books.find(requestId);
		if (slot && slot.closedAtMs === null) this.#books.release(slot, Date.now());
	}

	/** Limits now, and usage up to the last settled request. Of bounded size, whatever D1 lacks. */
	async snapshot(plan: PlanId): Promise<MeterSnapshot> {
		// What D1 may know otherwise is settled by the flush, where D1 takes it.
		if (this.#books.hasDoubtful && !this.#outbox.isFailing) await this.#outbox.flush();
		return {
			quota: this.#quota(this.#plan ?? plan, Date.now()),
			totals: this.#books.totals(),
			recent: this.#books.recentPending(RECENT_ROWS),
			open: this.#books.openIds(),
			holds: this.#books.holds(),
			doubtful: this.#books.doubtfulPage(0),
		};
	}

	/** A further page of the snapshot's `doubtful`, behind the `next` of the page before. */
	doubtful(after: number): PendingPage {
		return this.#books.doubtfulPage(after);
	}

	/** The receipt of a request that was settled here not long ago, or that D1 does not have. */
	receipt(requestId: string): StoredReceipt | null {
		const slot = this.#books.find(requestId);
		return (slot && this.#books.settlementOf(slot)?.receipt) ?? null;
	}

	/** Flushes, and tells where the totals stand. */
	async standing(): Promise<Standing> {
		await this.#outbox.flush();
		return { totals: this.#books.storedTotals(), unsettled: this.#books.unsettledIds() };
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
			ON CONFLICT (owner) DO UPDATE SET mark = max(mark, excluded.mark)`,
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
			this.#books.fold(Date.now());
		} catch (error) {
			logError("meter_alarm_failed", error);
		}
		this.#armForOpenWork(Date.now() + this.#outbox.retryDelayMs);
	}

	async #expire(nowMs: number): Promise<void> {
		const { signer } = cachedSettings(this.env);
		// Signing lets other events in: only what is still open, and still over, may be closed.
		const isOver = ({ expiresAtMs }: Slot) => expiresAtMs !== null && expiresAtMs <= nowMs;
		for (const slot of this.#books.expired(nowMs)) {
			if (!isOver(slot)) continue;
			const settlement = await settleAtBound(this.#books.reservationOf(slot), nowMs, signer);
			if (isOver(slot)) this.#books.settle(slot, settlement, nowMs, true);
		}
	}

	async #writeRound(): Promise<boolean> {
		const outgoing = this.#books.nextOutgoing();
		if (outgoing.rows.length === 0) return false;
		const inserted = await this.#record(outgoing);
		const otherIds = outgoing.rows.map(({ row }) => row.request_id).filter((id) => !inserted.has(id));
		const others = otherIds.length === 0 ? new Map() : await findCountedUsage(database(this.env.DB), otherIds);
		this.#books.confirm(outgoing, inserted, others);
		this.#books.foldIfWorthIt(Date.now());
		return true;
	}

	/** Stores rows. One that D1 refuses for its size is cut down: it must neither be asked for ever nor hold up the others. */
	async #record({ rows }: FlushBatch): Promise<Set<string>> {
		const db = database(this.env.DB);
		const texts = rows.map(({ text }) => text);
		try {
			return await recordSettlements(db, texts);
		} catch (error) {
			if (!isTooLarge(error)) throw error;
			const inserted = new Set<string>();
			for (const outgoing of rows) {
				for (const id of await this.#recordAlone(outgoing)) inserted.add(id);
			}
			return inserted;
		}
	}

	async #recordAlone(outgoing: FlushBatch["rows"][number]): Promise<Set<string>> {
		const db = database(this.env.DB);
		try {
			return await recordSettlements(db, [outgoing.text]);
		} catch (error) {
			if (!isTooLarge(error)) throw error;
			logError("settlement_cut_down", error, { request_id: outgoing.row.request_id });
			return recordSettlements(db, [cutDown(outgoing).text]);
		}
	}

	/** @param flushAtMs when to try the outbox again, if there is anything in it. */
	#armForOpenWork(flushAtMs: number): void {
		const { earliestExpiryMs, hasUnfolded } = this.#books;
		if (earliestExpiryMs !== null) this.#outbox.arm(earliestExpiryMs);
		if (hasUnfolded) this.#outbox.arm(flushAtMs);
	}
}
