// Executes a run's actions, as its object does it in one alarm: one after the other for a minute or some calls. waiting.edge.ts says
// before each whether it may be executed, executor.edge.ts executes one, and run-ending.edge.ts does what follows when none is left.
// What an earlier instance of the object left under way is taken over first.
import { ulid } from "ulid";
import type { ComplianceGate } from "../../compliance/gate.ts";
import { logError } from "../../http/log.edge.ts";
import { type GuardState, SpendGuard } from "../guard.ts";
import { isPaused, isToWait } from "../tools/waiting.ts";
import { listCharges } from "./charges.ts";
import { planEvent } from "./events.ts";
import { RunExecutor } from "./executor.edge.ts";
import { callConfigFor } from "./interruption.ts";
import { toRunEfforts } from "./run.ts";
import type { RunParts } from "./run-parts.ts";
import { RunTexts } from "./run-texts.ts";
import type { StoredRun } from "./stored-run.edge.ts";
import { hasOnlyWaited, takeOver } from "./take-over.edge.ts";

/** The next try of a step stores its charge within this time from the end of the wait for it. */
const RETRY_GRACE_MS = 10_000;
/** One alarm goes on with the next action until it has lasted so long, or made so many calls: each alarm is a written row. */
const MAX_ALARM_MS = 60_000;
const MAX_ALARM_CALLS = 12;

export class RunActions {
	#env: Env;
	#owner: RunParts;
	/** This instance started the run, or took it over after a crash. */
	#isInCharge = false;

	constructor(env: Env, owner: RunParts) {
		this.#env = env;
		this.#owner = owner;
	}

	/** This instance starts the run, or resumes it. */
	takeCharge(): void {
		this.#isInCharge = true;
	}

	/** Executes what can be executed now, after a crash what follows from it first. Returns true when only the run's end is left. */
	async advance(run: StoredRun): Promise<boolean> {
		const { money, ownerOutbox } = this.#owner;
		try {
			await money.loadSettings();
			await run.toolCalls.openTexts(this.#env, run.spec.userId);
		} catch (error) {
			// Nothing was begun: the run goes on when its catalog and its texts can be read.
			logError("agent_run_waits", error, { run_id: run.spec.runId });
			this.#owner.retryLater();
			return false;
		}
		if (!this.#isInCharge && !run.pendingSettlement && !hasOnlyWaited(run, RETRY_GRACE_MS)) this.#takeOver(run);
		this.#isInCharge = true;
		if (run.pendingSettlement) return true;
		const untilMs = run.waitsUntilMs;
		if (untilMs === null) return this.#executeAll(run);
		ownerOutbox.arm(untilMs);
		return false;
	}

	/** An unexpected error counts as a death of the object. If settling failed, it is tried again. */
	recoverFromError(run: StoredRun): void {
		try {
			if (!run.pendingSettlement && run.state.fault === null) this.#takeOver(run);
		} catch (error) {
			logError("agent_run_not_taken_over", error, { run_id: run.spec.runId });
		}
		this.#owner.retryLater();
	}

	#takeOver(run: StoredRun): void {
		const charged = takeOver(run, Date.now());
		if (charged) this.#owner.waiters.publish({ type: "step_done", step: charged.record, text: charged.output });
	}

	/** Executes what can be executed now. Returns false while more is left: an alarm goes on with it, or somebody's answer. */
	async #executeAll(run: StoredRun): Promise<boolean> {
		const untilMs = Date.now() + MAX_ALARM_MS;
		for (;;) {
			if (!(await this.#mayGoOn(run))) return false;
			if (!(await this.#executeSome(run, untilMs))) return true;
			// What it then waits for is asked for at once, without another alarm.
			if (isToWait(run) && run.waitsUntilMs === null && Date.now() < untilMs) continue;
			this.#owner.ownerOutbox.arm(run.state.retry?.notBeforeMs ?? Date.now());
			return false;
		}
	}

	/** Whether a run waits for nobody. What is due of its waiting is done; if that fails, nothing was begun, and it is tried again. */
	async #mayGoOn(run: StoredRun): Promise<boolean> {
		try {
			return (await this.#owner.waiting.advance(run)) === "may_go_on";
		} catch (error) {
			logError("agent_run_waits", error, { run_id: run.spec.runId });
			this.#owner.retryLater();
			return false;
		}
	}

	/** Executes actions. Returns false when none is left; else the next one is for another alarm, or waits. */
	async #executeSome(run: StoredRun, untilMs: number): Promise<boolean> {
		const countCalls = () => listCharges(run).reduce((sum, { calls }) => sum + calls.length, 0);
		const before = countCalls();
		const isSoon = () =>
			run.waitsUntilMs === null && !isToWait(run) && Date.now() < untilMs && countCalls() - before < MAX_ALARM_CALLS;
		do {
			if (!(await this.#executeNext(run))) return false;
		} while (isSoon() && (await this.#hasLoadedSettings(run)));
		return true;
	}

	/** Whether the next action may follow in the same alarm: with the catalog of its own moment, as the first one's. */
	async #hasLoadedSettings({ spec }: StoredRun): Promise<boolean> {
		try {
			await this.#owner.money.loadSettings();
			return true;
		} catch (error) {
			logError("agent_run_waits", error, { run_id: spec.runId });
			return false;
		}
	}

	async #executeNext(run: StoredRun): Promise<boolean> {
		const { money, runOutbox, ownerOutbox } = this.#owner;
		const gate = await money.gateFor(run);
		const executor = await this.#createExecutor(run, gate);
		const hasExecuted = await executor.executeNext();
		if (hasExecuted && !runOutbox.isIdle()) ownerOutbox.flushSoon();
		const { retry } = run.state;
		// If this fails, the next try cannot be reserved, and fails without a cost.
		if (retry && !isPaused(run)) await money.keepOpen(run, gate, retry.notBeforeMs);
		return hasExecuted;
	}

	/** Whether money covers the run's next turn, where a turn is next. @param guard what the run may spend. */
	async canTurn(run: StoredRun, guard: GuardState): Promise<boolean> {
		return (await this.#createExecutor(run, null, guard)).canTurn();
	}

	/** Closes a tool step that a run leaves open at its end. */
	async closeToolStep(run: StoredRun): Promise<void> {
		await (await this.#createExecutor(run, await this.#owner.money.gateFor(run))).closeToolStep();
	}

	/** @param guard what the run may spend: by default as its state says. */
	async #createExecutor(
		run: StoredRun,
		gate: ComplianceGate | null,
		guard: GuardState = run.state.guard,
	): Promise<RunExecutor> {
		const { money, waiters, runOutbox } = this.#owner;
		const { spec } = run;
		const { policy, temperature, nonce } = spec;
		const config = callConfigFor(spec, run.state);
		const callGate = await money.callGateFor(run);
		const mask = callGate?.mask ?? null;
		const planEventId = `ae_${ulid()}`;
		return new RunExecutor({
			run,
			guard: SpendGuard.resume(guard),
			env: this.#env,
			planContext: () => money.planContext(spec),
			rules: { policy, config, gate: callGate, temperature, nonce, efforts: toRunEfforts(spec) },
			mask,
			texts: new RunTexts(mask),
			gateWith: (texts) => money.callGateFor(run, texts),
			queueEvent: (event) => runOutbox.addEvent(event),
			record: (charge) => money.record(run, charge, gate),
			report: (event) => waiters.publish(event),
			recordRefusal: (refusal) => money.recordRefusal(run, refusal),
			queuePlanEvent: (state) => runOutbox.addEvent(planEvent(spec, state, planEventId, Date.now())),
		});
	}
}
