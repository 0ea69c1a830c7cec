// The budgets of a meter's keys: what they leave, what an open request may hold of them, and the alerts that spending gives rise to.
import { ulid } from "ulid";
import type { WebhookRules } from "../webhooks/webhook.ts";
import { AlertWebhooks } from "./alert-webhooks.edge.ts";
import { budgetAlertEvent, reachedThresholds, toBudgetAlertBody } from "./budget-alerts.ts";
import { BudgetTable, type StoredBudgetAlert } from "./budget-table.edge.ts";
import { type BudgetStatus, budgetLeftNanoUsd, type MeteredBudget } from "./key-budget.ts";
import type { AdmitRequest, BudgetRoom } from "./meter-calls.ts";
import type { MeterEventCause } from "./meter-events.ts";
import type { MeterState } from "./meter-state.edge.ts";
import type { OpenRequest } from "./request-table.edge.ts";
import type { UsageRow } from "./settlement.ts";

/** A budget whose spending has changed. */
interface AlertedBudget {
	budgetKeyId: string;
	alertWebhook: string | undefined;
	status: BudgetStatus;
}

export class KeyBudgets {
	readonly table: BudgetTable;
	readonly webhooks: AlertWebhooks;
	#meterState: MeterState;
	#onEvent: (nowMs: number) => void;

	/** @param onEvent called when an audit event is stored, which D1 does not have, and perhaps a webhook to be sent. */
	constructor(
		sql: SqlStorage,
		meterState: MeterState,
		{ rules, onEvent }: { rules: () => WebhookRules; onEvent: (nowMs: number) => void },
	) {
		this.table = new BudgetTable(sql);
		this.#meterState = meterState;
		this.#onEvent = onEvent;
		const storeEvent = (event: StoredBudgetAlert, atMs: number) => this.#storeEvent(event, atMs);
		this.webhooks = new AlertWebhooks(sql, { rules, storeEvent });
	}

	#storeEvent(event: StoredBudgetAlert, atMs: number): void {
		this.table.give(event, new Date(atMs).toISOString());
		this.#onEvent(atMs);
	}

	/** The budget that has no room for a request's reservation; null when it fits, or there is none. */
	findExceeded({ keyId, keyBudget, budgetKeyId, reservation }: AdmitRequest, nowMs: number): BudgetStatus | null {
		if (!keyBudget || !reservation) return null;
		const status = this.#meterState.budgetStatus(budgetKeyId, keyBudget, nowMs);
		if (reservation.holdNanoUsd <= budgetLeftNanoUsd(status)) return null;
		// A budget that was lowered may have reached a threshold without a settlement.
		const { alertWebhook } = keyBudget;
		this.#alert({ budgetKeyId, alertWebhook, status }, { userId: reservation.usage.user_id, keyId, atMs: nowMs });
		return status;
	}

	/** What an open request may hold in the budget of its key; null without a budget. */
	room(open: OpenRequest, nowMs: number): BudgetRoom | null {
		const found = this.#find(open);
		if (!found) return null;
		const budget = this.#meterState.budgetStatus(found.budgetKeyId, found.budget, nowMs, open);
		return { heldNanoUsd: open.nanoUsd, mostNanoUsd: budgetLeftNanoUsd(budget), budget };
	}

	/** Stores the alerts that a settlement gives rise to. To be called in its transaction. */
	settled(open: OpenRequest, { user_id: userId, api_key_id: keyId }: UsageRow, nowMs: number): void {
		const found = this.#find(open);
		if (!found) return;
		const status = this.#meterState.budgetStatus(found.budgetKeyId, found.budget, nowMs);
		const { budgetKeyId, budget } = found;
		this.#alert({ budgetKeyId, alertWebhook: budget.alertWebhook, status }, { userId, keyId, atMs: nowMs });
	}

	/** The budget of a request's key; null without one. */
	#find({ budgetKeyId, keyBudget }: OpenRequest): { budgetKeyId: string; budget: MeteredBudget } | null {
		const budget = this.table.latest(budgetKeyId, keyBudget);
		return budget && { budgetKeyId, budget };
	}

	/** Stores an audit event for each threshold that a key has reached, once a period, and its webhook. */
	#alert({ budgetKeyId, alertWebhook, status }: AlertedBudget, cause: Omit<MeterEventCause, "eventId">): void {
		const { period, resetsAt } = status;
		const { userId, keyId, atMs } = cause;
		const start = this.#meterState.budgetPeriodStart(status, atMs);
		for (const threshold of reachedThresholds(status)) {
			const occasion = `${budgetKeyId} ${period} ${start} ${threshold}`;
			if (this.table.wasGiven(occasion)) continue;
			const event = budgetAlertEvent({ ...cause, eventId: `ae_${ulid(atMs)}` }, threshold, status);
			if (alertWebhook) this.webhooks.add(userId, alertWebhook, toBudgetAlertBody(keyId, threshold, status));
			this.#storeEvent({ occasion, resetsAt, event: JSON.stringify(event) }, atMs);
		}
	}
}
