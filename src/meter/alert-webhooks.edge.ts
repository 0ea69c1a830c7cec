// The webhooks of budget alerts, in the meter's SQLite. webhooks/ signs and sends. One that is given up becomes an audit event.
import { ulid } from "ulid";
import { WebhookDeliveries } from "../webhooks/deliveries.edge.ts";
import { MAX_WEBHOOK_TRIES, type WebhookMessage, type WebhookRules } from "../webhooks/webhook.ts";
import { type BudgetAlertBody, webhookFailedEvent } from "./budget-alerts.ts";
import type { StoredBudgetAlert } from "./budget-table.edge.ts";

interface AlertWebhookOwner {
	rules(): WebhookRules;
	/** Stores the audit event of a webhook that was given up. */
	storeEvent(event: StoredBudgetAlert, atMs: number): void;
}

export class AlertWebhooks {
	#sql: SqlStorage;
	#deliveries: WebhookDeliveries;

	constructor(sql: SqlStorage, { rules, storeEvent }: AlertWebhookOwner) {
		this.#sql = sql;
		this.#deliveries = new WebhookDeliveries(sql, {
			rules,
			giveUp: (message, forget) => {
				const atMs = Date.now();
				storeEvent(this.#toFailure(message, atMs), atMs);
				forget();
			},
		});
	}

	/** Adds an alert, due at once. To be called in the transaction that stores its audit event. */
	add(userId: string, address: string, body: BudgetAlertBody): void {
		// An object that an alarm wakes does not know whose it is.
		this.#sql.exec("INSERT OR IGNORE INTO webhook_user (one, user_id) VALUES (1, ?)", userId);
		this.#deliveries.add(address, body);
	}

	/** When the next try is due; null when nothing is left to deliver. */
	get nextAtMs(): number | null {
		return this.#deliveries.nextAtMs;
	}

	/** Makes the tries that are due. The next ones are stored before it returns its promise. */
	deliverDue(): Promise<void> {
		return this.#deliveries.deliverDue();
	}

	#toFailure({ id, body }: WebhookMessage, atMs: number): StoredBudgetAlert {
		const { user_id: userId } = this.#sql.exec<{ user_id: string }>("SELECT user_id FROM webhook_user").one();
		const cause = { userId, eventId: `ae_${ulid(atMs)}`, atMs };
		const event = webhookFailedEvent(cause, JSON.parse(body) as BudgetAlertBody, MAX_WEBHOOK_TRIES);
		return { occasion: id, resetsAt: event.created_at, event: JSON.stringify(event) };
	}
}
