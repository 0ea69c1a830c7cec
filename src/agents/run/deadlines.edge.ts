// What of a run is due later: the tries of its webhooks, and the deletion of its steps' texts. The object's one alarm calls for both.
import { clipBytes } from "../../clip.ts";
import { hasTable } from "../../durable/table-rows.edge.ts";
import { logError } from "../../http/log.edge.ts";
import { cachedSettings } from "../../settings.ts";
import { WebhookDeliveries } from "../../webhooks/deliveries.edge.ts";
import { toWebhookRules, WEBHOOK_TABLE } from "../../webhooks/webhook.ts";
import type { BudgetAlert } from "../guard.ts";
import { type RunSnapshot, type StepTextResponse, toRunResponse, toStepTextResponse } from "../response.ts";
import type { RunState } from "./run.ts";
import { toRunWebhook, webhookAlert } from "./run-webhook.ts";
import { readOpenStep, readStepExchange } from "./step-exchange.edge.ts";
import { MAX_STEP_TEXT_BYTES, StepTexts, type TextRetention } from "./step-texts.edge.ts";
import type { StoredRun } from "./stored-run.edge.ts";

/** After an unexpected error, the alarm comes again this late. */
const RETRY_MS = 60_000;

const WEBHOOKS = "webhooks";

/** What the run's object provides. */
interface DeadlineOwner {
	run(): StoredRun | null;
	/** Sets the object's alarm. The earlier time wins. */
	arm(atMs: number): void;
	/** Adds the run's row to the outbox. Called in the transaction that stores the state. */
	queueRow(): void;
	/** An alert was stored with its row in the outbox. */
	alertStored(alert: BudgetAlert): void;
}

/** The texts of a run that ends, sealed and not stored yet. */
interface EndTexts {
	/** Null where none may be kept. */
	kept: TextRetention | null;
	store(): void;
}

export class RunDeadlines {
	#owner: DeadlineOwner;
	#webhooks: WebhookDeliveries;
	#texts: StepTexts;
	#env: Env;
	#sql: SqlStorage;

	constructor(sql: SqlStorage, env: Env, owner: DeadlineOwner) {
		this.#owner = owner;
		this.#env = env;
		this.#sql = sql;
		this.#texts = new StepTexts(sql, env);
		this.#webhooks = new WebhookDeliveries(sql, {
			rules: () => toWebhookRules(cachedSettings(env)),
			giveUp: (_, forget) => this.#reportWebhookFailed(forget),
		});
	}

	/** Whether the run has reported anything: its first webhook makes the table. */
	get #hasWebhooks(): boolean {
		return this.#owner.run()?.spec.webhook !== undefined && hasTable(this.#sql, WEBHOOKS);
	}

	/** Sets the alarm for what is due. To be called when the object starts, and after every change. */
	arm(): void {
		const webhookAtMs = this.#hasWebhooks ? this.#webhooks.nextAtMs : null;
		for (const atMs of [webhookAtMs, this.#texts.expiresAtMs]) if (atMs !== null) this.#owner.arm(atMs);
	}

	/** Deletes texts whose time is over, and makes the tries of webhooks that are due. Never throws. */
	async meet(): Promise<void> {
		try {
			if (this.#texts.deleteExpired()) this.#owner.run()?.toolCalls.deleteAll();
			const delivered = this.#hasWebhooks ? this.#webhooks.deliverDue() : undefined;
			// Each try has been counted by now. If the object dies in it, the next one is made all the same.
			this.arm();
			await delivered;
		} catch (error) {
			logError("agent_run_deadlines_failed", error);
			this.#owner.arm(Date.now() + RETRY_MS);
		}
	}

	/** Adds the webhook of a run that has ended or is interrupted. To be called in the transaction that stores this. */
	addWebhook(run: RunSnapshot): void {
		const { webhook } = run.spec;
		if (webhook === undefined) return;
		if (!hasTable(this.#sql, WEBHOOKS)) this.#sql.exec(WEBHOOK_TABLE);
		this.#webhooks.add(webhook, toRunWebhook(toRunResponse(run)));
	}

	/** What `sealTexts` gives to be stored, in bytes. */
	textBytes({ spec, state, steps }: Pick<RunSnapshot, "spec" | "state" | "steps">): number {
		if (!this.#texts.mayKeep(spec, state)) return 0;
		return this.#texts.bytes(steps) + (this.#owner.run()?.toolCalls.keptBytes ?? 0);
	}

	/**
	 * Seals the texts of a run that ends, where they may be kept; null where not. `store` belongs to the transaction of its end, and keeps
	 * what its tools were told and answered, or deletes it.
	 */
	async sealTexts({ spec, state, steps }: Pick<RunSnapshot, "spec" | "state" | "steps">): Promise<EndTexts> {
		const calls = this.#owner.run()?.toolCalls;
		if (!this.#texts.mayKeep(spec, state)) return { kept: null, store: () => calls?.deleteAll() };
		const { kept, store } = await this.#texts.seal(spec, steps);
		return {
			kept,
			store() {
				calls?.keepForReading();
				store();
			},
		};
	}

	/** The texts that are kept of a run that has ended, and the day since when they are; null when there are none. */
	get keptTexts(): StepTexts["kept"] {
		const kept = this.#texts.kept;
		return kept && { ...kept, bytes: kept.bytes + (this.#owner.run()?.toolCalls.keptBytes ?? 0) };
	}

	/** A step with its text, and of one with tools the exchange: from its run's working state, then as far as it is kept. */
	async readStep(run: StoredRun, index: number): Promise<StepTextResponse | "unknown" | "expired"> {
		const { spec, steps, end } = run;
		const step = steps[index];
		if (!step) return (index === steps.length && (await readOpenStep(run, this.#env))) || "unknown";
		const text = end ? await this.#texts.read(spec, index) : clipBytes(step.output, MAX_STEP_TEXT_BYTES);
		if (text === null) return "expired";
		return { ...toStepTextResponse(spec, step, text), ...(await readStepExchange(run, step.record, this.#env)) };
	}

	/** Adds an alert that a webhook was given up. The run's receipt does not cover alerts. */
	#reportWebhookFailed(forget: () => void): void {
		const run = this.#owner.run();
		if (!run) {
			forget();
			return;
		}
		const { spec, charges } = run;
		const alert = webhookAlert(spec, run.state, charges);
		const state: RunState = { ...run.state, webhookAlerts: [...(run.state.webhookAlerts ?? []), alert] };
		run.saveState(state, () => {
			forget();
			this.#owner.queueRow();
		});
		this.#owner.alertStored(alert);
	}
}
