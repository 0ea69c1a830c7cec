// The quota of stored bytes of a meter's user: what is counted, what fits, and the sum on its way to D1.
import type { PlanId } from "../catalog/plans.ts";
import { database } from "../db/client.edge.ts";
import { logError } from "../http/log.edge.ts";
import { cachedSettings } from "../settings.ts";
import { recordStoredBytes, sumKeptBytes } from "./stored-bytes.store.ts";
import {
	type StorageVerdict,
	type StoredDeletion,
	type StoredTotals,
	type StoredWrite,
	storedQuotaBytes,
} from "./stored-bytes.ts";
import { StoredTable } from "./stored-table.edge.ts";

/** What the meter provides. */
interface QuotaOwner {
	/** Sets the meter's alarm. The earlier time wins. */
	arm(atMs: number): void;
	waitUntil(work: Promise<unknown>): void;
}

/** A write that is to be counted. */
export interface CountedWrite {
	/** Names the write: the same one counts once. */
	id: string;
	userId: string;
	plan: PlanId;
	write: StoredWrite;
}

export class StoredQuota {
	#env: Env;
	#table: StoredTable;
	#owner: QuotaOwner;

	constructor(sql: SqlStorage, env: Env, owner: QuotaOwner) {
		this.#env = env;
		this.#table = new StoredTable(sql);
		this.#owner = owner;
	}

	totals(plan: PlanId, nowMs: number): StoredTotals {
		const quotaBytes = storedQuotaBytes(plan, cachedSettings(this.#env).corporateStoredBytes);
		return { storedBytes: this.#table.totalBytes(nowMs), quotaBytes };
	}

	/** Counts a write before it is made, where it fits. */
	count({ id, userId, plan, write }: CountedWrite, nowMs: number): StorageVerdict {
		const verdict = this.#table.count(id, userId, write, this.totals(plan, nowMs).quotaBytes, nowMs);
		if (!verdict.stored || verdict.isReduced) this.#recountIfDue(nowMs);
		this.armForFlush(nowMs);
		return verdict;
	}

	/** Counts a write that is made in any case. */
	countAnyway(id: string, userId: string, write: StoredWrite, nowMs: number): void {
		this.#table.count(id, userId, write, null, nowMs);
		this.armForFlush(nowMs);
	}

	/** Counts what was deleted no more. */
	drop(id: string, userId: string, { keptBytes, rolling, eventBytes = 0 }: StoredDeletion, nowMs: number): void {
		this.countAnyway(id, userId, { rollingBytes: eventBytes, keptBytes: -keptBytes }, nowMs);
		if (rolling) this.#table.dropRolling(`${id}, texts`, userId, rolling, nowMs);
	}

	/** Whether the reduced form of a write was counted. */
	isReduced(id: string): boolean {
		return this.#table.isReduced(id);
	}

	/** Counts append-only bytes of the meter's own, which its plan does not refuse. */
	addRolling(userId: string, bytes: number, nowMs: number): void {
		this.#table.addRolling(userId, bytes, nowMs);
		this.armForFlush(nowMs);
	}

	/** Takes a write back that was not made. May be repeated. */
	giveBack(id: string, nowMs: number): void {
		this.#table.giveBack(id, nowMs);
		this.armForFlush(nowMs);
	}

	/** A write did not fit: perhaps because of bytes that were counted and never stored. The next one finds the true sum. */
	#recountIfDue(nowMs: number): void {
		const { userId } = this.#table;
		if (userId === null || !this.#table.isRecountDue(nowMs)) return;
		this.#table.beginRecount(nowMs);
		this.#owner.waitUntil(this.#recount(userId, nowMs));
	}

	async #recount(userId: string, startedAtMs: number): Promise<void> {
		try {
			const kept = await sumKeptBytes(database(this.#env.DB), userId);
			this.#table.endRecount(kept, startedAtMs, Date.now());
			this.armForFlush(Date.now());
		} catch (error) {
			logError("stored_bytes_not_recounted", error);
		}
	}

	/** Writes the sum to D1 where it is due; false when it is not. @throws when D1 refuses. */
	async flush(nowMs: number): Promise<boolean> {
		const sum = this.#table.outgoing(nowMs);
		if (!sum) return false;
		await recordStoredBytes(database(this.#env.DB), sum.userId, sum.bytes, nowMs);
		this.#table.markFlushed(sum, Date.now());
		return true;
	}

	/** Sets the alarm that flushes the sum. @param notBeforeMs when to try again after a failure. */
	armForFlush(nowMs: number, notBeforeMs = 0): void {
		const dueAtMs = this.#table.dueAtMs(nowMs);
		if (dueAtMs !== null) this.#owner.arm(Math.max(dueAtMs, notBeforeMs));
	}
}
