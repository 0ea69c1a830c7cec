// What a meter's user stores, in the meter's SQLite: the sums, and the latest writes by name, so that each counts once.
//
// Crash order. A write is counted before it is made. If its maker dies in between, append-only bytes are counted for thirty days, and
// kept ones until they are counted anew in D1. That happens when a write is over the quota. Writes that were counted a moment ago may
// not be in D1 yet, so they are added to what D1 has: the sum may be too large until the next time, and is never too small.
import { toUtcDay } from "./budget-period.ts";
import { fitWrite, RollingBytes, type StorageVerdict, type StoredTotals, type StoredWrite } from "./stored-bytes.ts";

/** D1 gets the sum once in this time, at most. */
const SUM_EVERY_MS = 60_000;
/** From a write to the first flush, so that others go with it. */
const SUM_AFTER_MS = 5_000;
/** A write that is repeated later counts again. No caller tries for so long. */
const KEEP_WRITES_MS = 600_000;
/** From the count of a write until D1 has it, at most. */
const IN_FLIGHT_MS = 60_000;
/** Kept bytes are counted anew once in this time, at most. */
const RECOUNT_EVERY_MS = 600_000;

interface StoredRow extends Record<string, SqlStorageValue> {
	user_id: string;
	kept: number;
	days: string;
	flushed: number | null;
	recounted_at_ms: number;
}

interface WriteRow extends Record<string, SqlStorageValue> {
	day: number;
	rolling: number;
	kept: number;
	is_reduced: number;
}

/** The user's sum for D1. */
interface OutgoingSum {
	userId: string;
	bytes: number;
}

export class StoredTable {
	#sql: SqlStorage;
	#userId: string | null;
	#kept: number;
	#rolling: RollingBytes;
	/** What D1 has; null when it has nothing. */
	#flushed: number | null;
	#recountedAtMs: number;
	#flushedAtMs = Number.NEGATIVE_INFINITY;
	#changedAtMs = 0;
	#purgedAtMs = 0;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		const [row] = sql.exec<StoredRow>("SELECT user_id, kept, days, flushed, recounted_at_ms FROM stored").toArray();
		this.#userId = row?.user_id ?? null;
		this.#kept = row?.kept ?? 0;
		this.#rolling = new RollingBytes(row ? (JSON.parse(row.days) as [number, number][]) : []);
		this.#flushed = row?.flushed ?? null;
		this.#recountedAtMs = row?.recounted_at_ms ?? 0;
	}

	/** Whose bytes these are; null before the first write. */
	get userId(): string | null {
		return this.#userId;
	}

	totalBytes(nowMs: number): number {
		return this.#kept + this.#rolling.total(nowMs);
	}

	/** Counts a write, unless it was counted or is over the quota. @param id names the write. */
	count(
		id: string,
		userId: string,
		write: StoredWrite,
		quotaBytes: StoredTotals["quotaBytes"],
		nowMs: number,
	): StorageVerdict {
		const known = this.#find(id);
		if (known) return { stored: true, isReduced: known.is_reduced === 1 };
		const verdict = fitWrite(write, { storedBytes: this.totalBytes(nowMs), quotaBytes });
		if (!verdict.stored) return verdict;
		const rolling = verdict.isReduced ? (write.reducedRollingBytes ?? 0) : write.rollingBytes;
		const kept = verdict.isReduced ? 0 : write.keptBytes;
		this.#add(id, userId, { day: toUtcDay(nowMs), rolling, kept, is_reduced: verdict.isReduced ? 1 : 0 }, nowMs);
		return verdict;
	}

	#add(id: string, userId: string, { day, rolling, kept, is_reduced }: WriteRow, nowMs: number): void {
		this.#sql.exec(
			"INSERT INTO stored_writes (id, at_ms, day, rolling, kept, is_reduced) VALUES (?, ?, ?, ?, ?, ?)",
			id,
			nowMs,
			day,
			rolling,
			kept,
			is_reduced,
		);
		this.#change(userId, { kept, day, rolling }, nowMs);
		this.#purge(nowMs);
	}

	/** Counts append-only texts no more, because they were deleted before their time. May be repeated. */
	dropRolling(id: string, userId: string, { bytes, day }: { bytes: number; day: number }, nowMs: number): void {
		if (!this.#find(id)) this.#add(id, userId, { day, rolling: -bytes, kept: 0, is_reduced: 0 }, nowMs);
	}

	#find(id: string): WriteRow | undefined {
		return this.#sql
			.exec<WriteRow>("SELECT day, rolling, kept, is_reduced FROM stored_writes WHERE id = ?", id)
			.toArray()[0];
	}

	/** Whether the reduced form of a write was counted. */
	isReduced(id: string): boolean {
		return this.#find(id)?.is_reduced === 1;
	}

	/** Counts append-only bytes of the meter's own. */
	addRolling(userId: string, bytes: number, nowMs: number): void {
		this.#change(userId, { kept: 0, day: toUtcDay(nowMs), rolling: bytes }, nowMs);
	}

	/** Takes a write back that was not made. May be repeated. */
	giveBack(id: string, nowMs: number): void {
		const write = this.#find(id);
		if (!write || this.#userId === null) return;
		this.#sql.exec("DELETE FROM stored_writes WHERE id = ?", id);
		this.#change(this.#userId, { kept: -write.kept, day: write.day, rolling: -write.rolling }, nowMs);
	}

	#change(userId: string, { kept, day, rolling }: { kept: number; day: number; rolling: number }, nowMs: number): void {
		const all = this.#rolling.plus(day, rolling, nowMs);
		this.#write({ userId, kept: Math.max(0, this.#kept + kept), rolling: all }, nowMs);
		this.#changedAtMs = nowMs;
	}

	/** Writes the sums, then changes memory. */
	#write(
		{
			userId = this.#userId ?? "",
			kept = this.#kept,
			rolling = this.#rolling,
			flushed = this.#flushed,
			recountedAtMs = this.#recountedAtMs,
		}: {
			userId?: string;
			kept?: number;
			rolling?: RollingBytes;
			flushed?: number | null;
			recountedAtMs?: number;
		},
		nowMs: number,
	): void {
		this.#sql.exec(
			"INSERT OR REPLACE INTO stored (one, user_id, kept, days, flushed, recounted_at_ms) VALUES (1, ?, ?, ?, ?, ?)",
			userId,
			kept,
			JSON.stringify(rolling.days(nowMs)),
			flushed,
			recountedAtMs,
		);
		this.#userId = userId;
		this.#kept = kept;
		this.#rolling = rolling;
		this.#flushed = flushed;
		this.#recountedAtMs = recountedAtMs;
	}

	#purge(nowMs: number): void {
		if (nowMs - this.#purgedAtMs < SUM_EVERY_MS) return;
		this.#purgedAtMs = nowMs;
		this.#sql.exec("DELETE FROM stored_writes WHERE at_ms < ?", nowMs - KEEP_WRITES_MS);
	}

	/** Whether kept bytes are to be counted anew: writes do not fit, and the last time is a while ago. */
	isRecountDue(nowMs: number): boolean {
		return this.#userId !== null && Math.abs(nowMs - this.#recountedAtMs) >= RECOUNT_EVERY_MS;
	}

	/** A recount begins. */
	beginRecount(nowMs: number): void {
		this.#write({ recountedAtMs: nowMs }, nowMs);
	}

	/** Replaces the kept bytes by what D1 has. @param startedAtMs before D1 was asked. */
	endRecount(keptInD1: number, startedAtMs: number, nowMs: number): void {
		const { recent } = this.#sql
			.exec<{ recent: number }>(
				"SELECT coalesce(sum(max(kept, 0)), 0) AS recent FROM stored_writes WHERE at_ms >= ?",
				startedAtMs - IN_FLIGHT_MS,
			)
			.one();
		this.#write({ kept: keptInD1 + recent }, nowMs);
		this.#changedAtMs = nowMs;
	}

	/** When D1 is to get the sum: soon after a change, once a minute at most, and when a day leaves; null when it has it for good. */
	dueAtMs(nowMs: number): number | null {
		if (this.#userId === null) return null;
		if (this.totalBytes(nowMs) === (this.#flushed ?? 0)) return this.#rolling.nextLeaveMs(nowMs);
		return Math.max(this.#changedAtMs + SUM_AFTER_MS, this.#flushedAtMs + SUM_EVERY_MS);
	}

	/** The sum for D1, where it is due. */
	outgoing(nowMs: number): OutgoingSum | null {
		const dueAtMs = this.dueAtMs(nowMs);
		if (this.#userId === null || dueAtMs === null || dueAtMs > nowMs) return null;
		return { userId: this.#userId, bytes: this.totalBytes(nowMs) };
	}

	/** D1 has a sum. */
	markFlushed({ bytes }: OutgoingSum, nowMs: number): void {
		this.#flushedAtMs = nowMs;
		this.#write({ flushed: bytes }, nowMs);
	}
}
