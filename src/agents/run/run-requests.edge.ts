// What requests change of a run, as its object does it: a run is cancelled, an interrupted one is resumed, and one that waits takes the
// answers it waits for, and goes on.
import type { Result } from "../../failure.ts";
import type { ResolutionBatch } from "../tools/resolution.ts";
import { type ResolveVerdict, resolveBatch } from "../tools/resolving.edge.ts";
import type { ResolverStand } from "../tools/resolving-key.edge.ts";
import { isAtRest, isPaused } from "../tools/waiting.ts";
import { lowerCap, resumedState } from "./interruption.ts";
import type { ResumeRules } from "./run.ts";
import type { RunActions } from "./run-actions.edge.ts";
import type { RunParts } from "./run-parts.ts";
import type { StoredRun } from "./stored-run.edge.ts";

/** What the run's object provides. */
interface RequestsOwner extends RunParts {
	actions: RunActions;
}

export class RunRequests {
	#env: Env;
	#owner: RequestsOwner;

	constructor(env: Env, owner: RequestsOwner) {
		this.#env = env;
		this.#owner = owner;
	}

	/** Stops further calls of a run, and ends its wait for another try or for a resumption. One that is over stays as it is. */
	cancel(run: StoredRun): void {
		if (run.end || run.pendingSettlement) return;
		const { state } = run;
		const fault = run.isInterrupted ? null : state.fault;
		run.saveState({ ...state, fault, isCancelled: true, resumableUntilMs: null });
		const hasWaited = state.retry !== null || state.resumableUntilMs !== null || isPaused(run);
		if (hasWaited) this.#owner.ownerOutbox.arm(Date.now());
	}

	/**
	 * Lets a run go on where it is interrupted and rules are given. One that waits waits on, and is vouched for by whoever may resume it.
	 * Any other stays as it is.
	 */
	async resume(run: StoredRun, rules: ResumeRules | null): Promise<void> {
		const { money, waiting } = this.#owner;
		if (rules && run.isInterrupted) {
			await money.loadSettings();
			const gate = await money.gateFor(run);
			// If the meter has settled the run, the next action finds that out, and closes it.
			const { capNanoUsd } = lowerCap(run.state, rules.maxCostNanoUsd);
			await money.keepOpen(run, gate, Date.now(), capNanoUsd);
			const isRevoked = await waiting.isRevoked(run);
			if (run.isInterrupted) this.#resumeInterrupted(run, rules, isRevoked);
		} else if (!run.isInterrupted) {
			await waiting.vouchFor(run);
			this.#goOnIfAnswered(run);
		}
	}

	/** @param isRevoked whoever resumes it vouches for it then: an owner. */
	#resumeInterrupted(run: StoredRun, rules: ResumeRules, isRevoked: boolean): void {
		const { money, waiters, actions, runOutbox, ownerOutbox } = this.#owner;
		const state = resumedState(run.spec, run.state, run.steps, rules, (id) => money.isKnownModel(id));
		const wait = state.wait && isRevoked ? { wait: { ...state.wait, isVouchedFor: true as const } } : {};
		run.saveState({ ...state, ...wait }, () => void runOutbox.addRun());
		actions.takeCharge();
		waiters.reportResumed();
		ownerOutbox.arm(Date.now());
	}

	/** Takes answers to what a run waits for, all or none. */
	async resolve(run: StoredRun, batch: ResolutionBatch, by: ResolverStand): Promise<Result<ResolveVerdict>> {
		const { runOutbox, ownerOutbox } = this.#owner;
		const taken = await resolveBatch(
			{ env: this.#env, run, by, queueRecords: (records) => runOutbox.addResolved(records) },
			batch,
		);
		if (taken.ok) this.#goOnIfAnswered(run);
		// An edit that the policy denies changes nothing, and has an event all the same.
		else if (!runOutbox.isIdle()) ownerOutbox.flushSoon();
		return taken;
	}

	/** Lets a run that has waited go on where nothing is left to answer. */
	#goOnIfAnswered(run: StoredRun): void {
		const { waiters, ownerOutbox } = this.#owner;
		const { wait } = run.state;
		if (run.end || !wait || wait.sinceMs === null) return;
		if (wait.stalled) run.saveState({ ...run.state, wait: { ...wait, stalled: null } });
		if (isAtRest(run)) return;
		waiters.reportResumed();
		// The next action's alarm serves the outbox, too.
		ownerOutbox.arm(Date.now());
		ownerOutbox.armAfterWrite();
	}
}
