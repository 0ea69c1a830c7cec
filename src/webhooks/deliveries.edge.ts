// The webhooks that an object still has to deliver. Each try is counted before it is made, so that an object that dies in the middle
// of one goes on with the next, and none is tried more than five times. The object's alarm calls; its owner is told of a delivery
// that was given up.
import { ulid } from "ulid";
import {
	findWebhookFault,
	MAX_WEBHOOK_TRIES,
	nextTryAtMs,
	WEBHOOK_TIMEOUT_MS,
	type WebhookMessage,
	type WebhookRules,
	webhookHeaders,
} from "./webhook.ts";

interface WebhookRow extends Record<string, SqlStorageValue> {
	id: string;
	url: string;
	body: string;
	/** Tries that have begun. */
	tries: number;
	next_at_ms: number;
}

/** Tries of one round. An alarm that rings with more due rings again at once. */
const MAX_ROUND_TRIES = 20;

interface DeliveryOwner {
	rules(): WebhookRules;
	/** Stores that a message was given up, and calls `forget` in the same transaction. */
	giveUp(message: WebhookMessage, forget: () => void): void;
}

/** One try. True when the receiver answered with a status of 200 to 299 in time. Never throws, and never logs the address. */
async function tryDelivery(url: string, message: WebhookMessage, rules: WebhookRules): Promise<boolean> {
	const { signer } = rules;
	if (!signer || findWebhookFault(url, rules) !== null) return false;
	const late = new AbortController();
	// A timer that is not cleared would keep the object in memory.
	const timer = setTimeout(() => late.abort(), WEBHOOK_TIMEOUT_MS);
	try {
		const response = await fetch(url, {
			method: "POST",
			headers: await webhookHeaders(message, signer, Date.now()),
			body: message.body,
			redirect: "manual",
			signal: late.signal,
		});
		void response.body?.cancel().catch(() => undefined);
		return response.ok;
	} catch {
		return false;
	} finally {
		clearTimeout(timer);
	}
}

export class WebhookDeliveries {
	#sql: SqlStorage;
	#owner: DeliveryOwner;

	constructor(sql: SqlStorage, owner: DeliveryOwner) {
		this.#sql = sql;
		this.#owner = owner;
	}

	/** Adds a message, due at once. To be called in the transaction of what it reports. */
	add(url: string, body: object): void {
		this.#sql.exec(
			"INSERT INTO webhooks (id, url, body, tries, next_at_ms) VALUES (?, ?, ?, 0, ?)",
			`msg_${ulid()}`,
			url,
			JSON.stringify(body),
			Date.now(),
		);
	}

	/** When the next try is due; null when nothing is left to deliver. */
	get nextAtMs(): number | null {
		return this.#sql.exec<{ at: number | null }>("SELECT min(next_at_ms) AS at FROM webhooks").one().at;
	}

	/** Makes the tries that are due, longest due first. The next ones are stored before it returns its promise. */
	async deliverDue(): Promise<void> {
		const due = this.#sql
			.exec<WebhookRow>(
				"SELECT * FROM webhooks WHERE next_at_ms <= ? ORDER BY next_at_ms, id LIMIT ?",
				Date.now(),
				MAX_ROUND_TRIES,
			)
			.toArray();
		await Promise.all(due.map((row) => this.#deliver(row)));
	}

	async #deliver(row: WebhookRow): Promise<void> {
		const tries = row.tries + 1;
		this.#sql.exec(
			"UPDATE webhooks SET tries = ?, next_at_ms = ? WHERE id = ?",
			tries,
			nextTryAtMs(tries, Date.now()),
			row.id,
		);
		const forget = () => void this.#sql.exec("DELETE FROM webhooks WHERE id = ?", row.id);
		// After the last try, the object died before its outcome was known.
		const isLate = tries > MAX_WEBHOOK_TRIES;
		if (!isLate && (await tryDelivery(row.url, row, this.#owner.rules()))) forget();
		else if (tries >= MAX_WEBHOOK_TRIES) this.#owner.giveUp(row, forget);
	}
}
