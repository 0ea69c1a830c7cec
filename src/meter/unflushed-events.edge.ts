// Audit events of the meter's own on their way to D1: alerts of key budgets, and refusals by compliance. D1 having them, their bytes count.
import { database } from "../db/client.edge.ts";
import type { BudgetTable } from "./budget-table.edge.ts";
import { recordMeterEvents } from "./meter-events.store.ts";
import { type MeterEvent, toStoredEvent } from "./meter-events.ts";
import type { RefusalTable } from "./refusal-table.edge.ts";
import { eventBytes } from "./stored-bytes.ts";
import type { StoredQuota } from "./stored-quota.edge.ts";

export class UnflushedEvents {
	#env: Env;
	#alerts: BudgetTable;
	#refusals: RefusalTable;
	#stored: StoredQuota;

	constructor(env: Env, alerts: BudgetTable, refusals: RefusalTable, stored: StoredQuota) {
		this.#env = env;
		this.#alerts = alerts;
		this.#refusals = refusals;
		this.#stored = stored;
	}

	/** Events that D1 does not have, as they are now. */
	all(): MeterEvent[] {
		return [...this.#alerts.unflushed().map(({ event }) => toStoredEvent(event)), ...this.#refusals.events()];
	}

	/** Writes alerts to D1; false when there are none. @throws when D1 refuses. */
	async writeAlerts(): Promise<boolean> {
		const alerts = this.#alerts.hasUnflushed ? this.#alerts.unflushed() : [];
		if (alerts.length === 0) return false;
		const events = alerts.map(({ event }) => toStoredEvent(event));
		await recordMeterEvents(database(this.#env.DB), events);
		this.#alerts.markFlushed(alerts);
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
