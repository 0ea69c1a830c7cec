// Audit events of the meter's own: alerts of key budgets with their webhooks, and refusals by compliance. They wait here until D1 has them,
// and count as stored bytes from then on.
import { database } from "../db/client.edge.ts";
import type { Outbox } from "../durable/outbox.edge.ts";
import { logError } from "../http/log.edge.ts";
import type { ComplianceRefusal } from "./compliance-refusals.ts";
import type { KeyBudgets } from "./key-budgets.edge.ts";
import { recordMeterEvents } from "./meter-events.store.ts";
import { type MeterEvent, toStoredEvent } from "./meter-events.ts";
import { RefusalTable } from "./refusal-table.edge.ts";
import { eventBytes } from "./stored-bytes.ts";
import type { StoredQuota } from "./stored-quota.edge.ts";

/** From an event to its flush, so that others go with it. */
const FLUSH_EVENTS_AFTER_MS = 250;
/** When the alarm flushes an alert, should the object die before its timer. */
const ALERT_FLUSH_MS = 10_000;

/** What the meter provides. */
interface EventOwner {
	budgets: KeyBudgets;
	stored: StoredQuota;
	outbox: Outbox;
}

export class OwnEvents {
	#env: Env;
	#budgets: KeyBudgets;
	#refusals: RefusalTable;
	#stored: StoredQuota;
	#outbox: Outbox;

	constructor(sql: SqlStorage, env: Env, { budgets, stored, outbox }: EventOwner) {
		this.#env = env;
		this.#budgets = budgets;
		this.#refusals = new RefusalTable(sql);
		this.#stored = stored;
		this.#outbox = outbox;
	}

	/** To be called when an alert is stored, which is to be flushed. It may have a webhook, which is to be sent. */
	alertStored(nowMs: number): void {
		this.#outbox.arm(nowMs + ALERT_FLUSH_MS);
		this.#armForWebhooks();
		this.#outbox.flushIn(FLUSH_EVENTS_AFTER_MS);
	}

	/** Counts a refusal by compliance in an event of its minute, which is flushed when that is over. */
	recordRefusal(refusal: ComplianceRefusal, nowMs: number): void {
		this.#refusals.record(refusal, nowMs);
		this.#armForRefusals(0);
	}

	/** Makes the tries of webhooks that are due. Never throws. */
	async deliverAlerts(): Promise<void> {
		try {
			await this.#budgets.webhooks.deliverDue();
		} catch (error) {
			logError("key_webhooks_failed", error);
		}
	}

	/** Sets the alarm for what is left. @param flushAtMs when to flush again, if anything is unflushed. */
	arm(flushAtMs: number): void {
		if (this.#budgets.table.hasUnflushed) this.#outbox.arm(flushAtMs);
		this.#armForWebhooks();
		this.#armForRefusals(flushAtMs);
	}

	#armForWebhooks(): void {
		const { nextAtMs } = this.#budgets.webhooks;
		if (nextAtMs !== null) this.#outbox.arm(nextAtMs);
	}

	/** Flushes refusals when their minute is over. @param notBeforeMs when to try again after a failure. */
	#armForRefusals(notBeforeMs: number): void {
		const { dueAtMs } = this.#refusals;
		if (dueAtMs !== null) this.#outbox.arm(Math.max(dueAtMs, notBeforeMs));
	}

	/** Events that D1 does not have, as they are now. */
	all(): MeterEvent[] {
		return [...this.#budgets.table.unflushed().map(({ event }) => toStoredEvent(event)), ...this.#refusals.events()];
	}

	/** Writes alerts to D1; false when there are none. @throws when D1 refuses. */
	async writeAlerts(): Promise<boolean> {
		const alerts = this.#budgets.table.hasUnflushed ? this.#budgets.table.unflushed() : [];
		if (alerts.length === 0) return false;
		const events = alerts.map(({ event }) => toStoredEvent(event));
		await recordMeterEvents(database(this.#env.DB), events);
		this.#budgets.table.markFlushed(alerts);
		this.#count(events);
		return true;
	}

	/** Writes refusals of minutes that are over to D1; false when there are none. @throws when D1 refuses. */
	async writeRefusals(): Promise<boolean> {
		const refusals = this.#refusals.complete(Date.now());
		if (refusals.length === 0) return false;
		const events = refusals.map(({ event }) => event);
		await recordMeterEvents(database(this.#env.DB), events);
		this.#refusals.forget(refusals);
		this.#count(events);
		return true;
	}

	#count(events: readonly MeterEvent[]): void {
		for (const { user_id, payload } of events) this.#stored.addRolling(user_id, eventBytes(payload), Date.now());
	}
}
