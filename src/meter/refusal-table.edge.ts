// Refusals by compliance in the meter's SQLite, until D1 has their events. A minute's are flushed when it is over, because an event
// in D1 never changes. Readers are shown the event with its number so far.
import { ulid } from "ulid";
import {
	type ComplianceRefusal,
	MAX_REFUSALS_PER_MINUTE,
	MAX_UNFLUSHED_REFUSALS,
	minuteEndMs,
	toFoldedEvent,
	toRefusalEvent,
} from "./compliance-refusals.ts";
import { type MeterEvent, toStoredEvent } from "./meter-events.ts";
import { toMinute } from "./rolling-window.ts";

/** Events of one statement. */
const BATCH_EVENTS = 250;

interface RefusalRow extends Record<string, SqlStorageValue> {
	occasion: string;
	refusals: number;
	last_ms: number;
	event: string;
}

/** An event and the name of its row. */
interface CompleteRefusals {
	occasion: string;
	event: MeterEvent;
}

function toCompleteRefusals({ occasion, refusals, last_ms: lastAtMs, event }: RefusalRow): CompleteRefusals {
	return { occasion, event: toFoldedEvent({ event: toStoredEvent(event), refusals, lastAtMs }) };
}

export class RefusalTable {
	#sql: SqlStorage;
	#dueAtMs: number | null;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		this.#dueAtMs = this.#findDueMs();
	}

	#findDueMs(): number | null {
		const { oldest } = this.#sql
			.exec<{ oldest: number | null }>("SELECT min(minute) AS oldest FROM compliance_refusals")
			.one();
		return oldest === null ? null : minuteEndMs(oldest);
	}

	/** When the oldest refusals may be flushed; null when D1 has all. */
	get dueAtMs(): number | null {
		return this.#dueAtMs;
	}

	/** Counts a refusal in the event of its minute. A repeated call counts once. */
	record(refusal: ComplianceRefusal, nowMs: number): void {
		const { requestId, userId, keyId, likeness } = refusal;
		const minute = toMinute(nowMs);
		const own = `${minute} ${keyId} ${likeness}`;
		if (this.#count(own, requestId, nowMs)) return;
		const { all, of_minute: ofMinute } = this.#sql
			.exec<{ all: number; of_minute: number }>(
				`SELECT count(*) AS "all", coalesce(sum(minute = ?), 0) AS of_minute FROM compliance_refusals`,
				minute,
			)
			.one();
		const isShared = all >= MAX_UNFLUSHED_REFUSALS || ofMinute >= MAX_REFUSALS_PER_MINUTE;
		const shared = `${minute} ${keyId}`;
		if (isShared && this.#count(shared, requestId, nowMs)) return;
		const event = toRefusalEvent({ userId, keyId, eventId: `ae_${ulid(nowMs)}`, atMs: nowMs }, refusal, isShared);
		this.#sql.exec(
			"INSERT INTO compliance_refusals (occasion, minute, last_request, last_ms, refusals, event) VALUES (?, ?, ?, ?, 1, ?)",
			isShared ? shared : own,
			minute,
			requestId,
			nowMs,
			JSON.stringify(event),
		);
		this.#dueAtMs ??= minuteEndMs(minute);
	}

	/** Counts a refusal in an event; false when there is no such event. */
	#count(occasion: string, requestId: string, nowMs: number): boolean {
		const counted = this.#sql.exec(
			`UPDATE compliance_refusals SET refusals = refusals + (last_request <> ?1), last_ms = ?2, last_request = ?1
			WHERE occasion = ?3 RETURNING occasion`,
			requestId,
			nowMs,
			occasion,
		);
		return counted.toArray().length > 0;
	}

	/** Events of minutes that are over, as many as one statement takes. */
	complete(nowMs: number): CompleteRefusals[] {
		if (this.#dueAtMs === null || this.#dueAtMs > nowMs) return [];
		const rows = this.#sql.exec<RefusalRow>(
			"SELECT occasion, refusals, last_ms, event FROM compliance_refusals WHERE minute < ? ORDER BY minute LIMIT ?",
			toMinute(nowMs),
			BATCH_EVENTS,
		);
		return [...rows].map(toCompleteRefusals);
	}

	/** Forgets events that D1 has. */
	forget(refusals: readonly Pick<CompleteRefusals, "occasion">[]): void {
		const occasions = JSON.stringify(refusals.map(({ occasion }) => occasion));
		this.#sql.exec("DELETE FROM compliance_refusals WHERE occasion IN (SELECT value FROM json_each(?))", occasions);
		this.#dueAtMs = this.#findDueMs();
	}

	/** Events that D1 does not have, as they are now. */
	events(): MeterEvent[] {
		const rows = this.#sql.exec<RefusalRow>("SELECT occasion, refusals, last_ms, event FROM compliance_refusals");
		return [...rows].map((row) => toCompleteRefusals(row).event);
	}
}
