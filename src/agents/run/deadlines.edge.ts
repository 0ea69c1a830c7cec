// What of a run is due later: the tries of its webhooks, and the deletion of its steps' texts. The object's one alarm calls for both.
import { clipBytes } from "../../clip.ts";
import { logError } from "../../http/log.edge.ts";
import { cachedSettings } from "../../settings.ts";
import { WebhookDeliveries } from "../../webhooks/deliveries.edge.ts";
import { toWebhookRules } from "../../webhooks/webhook.ts";
import type { BudgetAlert } from "../guard.ts";
import { type RunSnapshot, type StepTextResponse, toRunResponse, toStepTextResponse } from "../response.ts";
import type { RunState } from "./run.ts";
import { toRunWebhook, webhookAlert } from "./run-webhook.ts";
import { MAX_STEP_TEXT_BYTES, StepTexts } from "./step-texts.edge.ts";
import type { StoredRun } from "./stored-run.edge.ts";

/** After an unexpected error, the alarm comes again this late. */
const RETRY_MS = 60_000;

/** What the run's object provides. */
interface DeadlineOwner {
	run(): StoredRun | null;
	/** Sets the object's alarm. The earlier time wins. */
	arm(atMs: number): void;
	/** Adds the run's row to the outbox. Called in the transaction that stores the state. */
	queueRow(run: RunSnapshot): void;
	/** An alert was stored with its row in the outbox. */
	alertStored(alert: BudgetAlert): void;
}

export class RunDeadlines {
	#owner: DeadlineOwner;
	#webhooks: WebhookDeliveries;
	#texts: StepTexts;

	constructor(sql: SqlStorage, env: Env, owner: DeadlineOwner) {
		this.#owner = owner;
		this.#texts = new StepTexts(sql, env);
		this.#webhooks = new WebhookDeliveries(sql, {
			rules: () => toWebhookRules(cachedSettings(env)),
			giveUp: (_, forget) => this.#reportWebhookFailed(forget),
		});
	}

	/** Sets the alarm for what is due. To be called when the object starts, and after every change. */
	arm(): void {
		for (const atMs of [this.#webhooks.nextAtMs, this.#texts.expiresAtMs]) if (atMs !== null) this.#owner.arm(atMs);
	}

	/** Deletes texts whose time is over, and makes the tries of webhooks that are due. Never throws. */
	async meet(): Promise<void> {
		try {
			this.#texts.deleteExpired();
			const delivered = this.#webhooks.deliverDue();
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
		if (webhook !== undefined) this.#webhooks.add(webhook, toRunWebhook(toRunResponse(run)));
	}

	/** What `keepTexts` will store, in bytes. */
	textBytes({ spec, state, steps }: Pick<RunSnapshot, "spec" | "state" | "steps">): number {
		return this.#texts.bytes(spec, state, steps);
	}

	/** Seals the texts of a run that has ended, where they may be kept. May be repeated. */
	keepTexts({ spec, state, steps }: Pick<RunSnapshot, "spec" | "state" | "steps">): Promise<void> {
		return this.#texts.keep(spec, state, steps);
	}

	/** The texts that are kept of a run that has ended, and the day since when they are; null when there are none. */
	get keptTexts(): StepTexts["kept"] {
		return this.#texts.kept;
	}

	/** A step with its text: while the run goes on from its working state, then as far as it is kept. */
	async readStep({ spec, steps, end }: StoredRun, index: number): Promise<StepTextResponse | "unknown" | "expired"> {
		const step = steps[index];
		if (!step) return "unknown";
		const text = end ? await this.#texts.read(spec, index) : clipBytes(step.output, MAX_STEP_TEXT_BYTES);
		return text === null ? "expired" : toStepTextResponse(spec, step, text);
	}

	/** Adds an alert that a webhook was given up. The run's receipt does not cover alerts. */
	#reportWebhookFailed(forget: () => void): void {
		const run = this.#owner.run();
		if (!run) {
			forget();
			return;
		}
		const { spec, steps, charges, end } = run;
		const alert = webhookAlert(spec, run.state, charges);
		const state: RunState = { ...run.state, webhookAlerts: [...(run.state.webhookAlerts ?? []), alert] };
		run.saveState(state, () => {
			forget();
			this.#owner.queueRow({ spec, state, steps, charges, end });
		});
		this.#owner.alertStored(alert);
	}
}
