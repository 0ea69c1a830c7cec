// What a user stores: texts that are kept until they are deleted, and a rolling sum of append-only rows by day. Pure; the clock is
// an argument.

import { utf8ToBytes } from "@noble/hashes/utils.js";
import { PLANS, type PlanId } from "../catalog/plans.ts";
import { DAY_MS, toUtcDay } from "./budget-period.ts";

/** Append-only rows count for so many days, the current one included. */
export const ROLLING_DAYS = 30;

/** What a row counts beside its texts: ids, times and index entries. */
export const STORED_ROW_BYTES = 256;

/** What an audit event counts as. */
export function eventBytes(payload: string): number {
	return utf8ToBytes(payload).length + STORED_ROW_BYTES;
}

/** What one request stores, in bytes. */
export interface StoredWrite {
	/** Rows that are never deleted. They count for thirty days. */
	rollingBytes: number;
	/** Texts that count while they are stored. Below 0 where some are deleted. */
	keptBytes: number;
	/** Of append-only rows that are stored in this form where the whole one is over the quota; absent where there is none. */
	reducedRollingBytes?: number;
}

/** What a deletion gives back, in bytes. */
export interface StoredDeletion {
	keptBytes: number;
	/** Texts that would have left by themselves, and the day that they count on. */
	rolling?: { bytes: number; day: number };
	/** The deletion's own audit event, which counts as any. */
	eventBytes?: number;
}

/** What a user stores, and may store. */
export interface StoredTotals {
	storedBytes: number;
	/** Null where nothing limits it. */
	quotaBytes: number | null;
}

/** `isReduced`: the reduced form was counted, because the whole one is over the quota. */
export type StorageVerdict =
	| { stored: true; isReduced: boolean }
	| ({ stored: false; quotaBytes: number } & StoredTotals);

/** The most bytes that a user of a plan may store. @param corporateBytes the operator's setting; null for no limit. */
export function storedQuotaBytes(plan: PlanId, corporateBytes: number | null): number | null {
	return PLANS[plan].storedBytes ?? corporateBytes;
}

/** Bytes of the last thirty days, by day. */
export class RollingBytes {
	#days: Map<number, number>;

	/** @param days day number → bytes. */
	constructor(days: Iterable<readonly [number, number]> = []) {
		this.#days = new Map(days);
	}

	/** The days that count, oldest first. A clock that steps back brings none back, and takes none away that is to come. */
	days(nowMs: number): [number, number][] {
		const oldest = toUtcDay(nowMs) - ROLLING_DAYS;
		return [...this.#days].filter(([day, bytes]) => day > oldest && bytes > 0).toSorted(([a], [b]) => a - b);
	}

	total(nowMs: number): number {
		return this.days(nowMs).reduce((sum, [, bytes]) => sum + bytes, 0);
	}

	/** The days with more bytes on one of them, or less below 0. Changes nothing. */
	plus(day: number, bytes: number, nowMs: number): RollingBytes {
		const days = new Map(this.days(nowMs));
		days.set(day, Math.max(0, (days.get(day) ?? 0) + bytes));
		return new RollingBytes(days);
	}

	/** When the oldest day leaves, ms since the epoch; null when there is none. */
	nextLeaveMs(nowMs: number): number | null {
		const [oldest] = this.days(nowMs);
		return oldest ? (oldest[0] + ROLLING_DAYS) * DAY_MS : null;
	}
}

/** What of a write fits in a quota: all of it, its reduced form, or nothing. */
export function fitWrite(
	{ rollingBytes, keptBytes, reducedRollingBytes }: StoredWrite,
	{ storedBytes, quotaBytes }: StoredTotals,
): StorageVerdict {
	const adds = rollingBytes + keptBytes;
	if (quotaBytes === null || adds <= 0 || storedBytes + adds <= quotaBytes) return { stored: true, isReduced: false };
	if (reducedRollingBytes !== undefined) return { stored: true, isReduced: true };
	return { stored: false, storedBytes, quotaBytes };
}
