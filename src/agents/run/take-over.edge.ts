// Takes over a run whose object died. What was under way is charged, and the run goes on from its stored steps.
import { textHash } from "../../proof/salted.ts";
import { SpendGuard } from "../guard.ts";
import { isAtRest } from "../tools/waiting.ts";
import { chainFailedStep } from "./chain-step.ts";
import { mergeCharges, type StepCharge, sumChargesNanoUsd } from "./charges.ts";
import { nextAction } from "./next-action.ts";
import { nextTryAfterDeath } from "./retry.ts";
import { countSteps, type RunState, type RunStep } from "./run.ts";
import type { StoredRun } from "./stored-run.edge.ts";

/** Why a run ends whose object died too often. */
const DEATHS_TEXT = "the service stopped three times at one step";

/**
 * Whether the run only waited for a step's next try, or for somebody. An object that is evicted meanwhile has not died.
 * @param graceMs time from the end of the wait in which the next try stores its charge.
 */
export function hasOnlyWaited(run: StoredRun, graceMs: number): boolean {
	const { state, openCharge } = run;
	const { retry } = state;
	if (openCharge === null && isAtRest(run)) return true;
	return retry !== null && openCharge === null && Date.now() < retry.notBeforeMs + graceMs;
}

/**
 * Prepares a run for its next try after its object died. The calls under way are charged at their bounds, as a step of its own, which
 * is returned.
 */
export function takeOver(run: StoredRun, nowMs: number): RunStep | null {
	const { openCharge: open, state } = run;
	const retry = nextTryAfterDeath(state.retry, nowMs);
	const fault = retry || state.isCancelled ? state.fault : DEATHS_TEXT;
	const next: RunState = { ...state, retry, fault };
	if (!open) {
		// Only its settlement is left, which is repeated until it succeeds.
		if (nextAction(run.spec, state).kind === "end") return null;
		run.saveState(next);
		return null;
	}
	const charge: StepCharge = { calls: open.calls, estimated: open.estimated };
	const costNanoUsd = sumChargesNanoUsd([charge]);
	const guard = SpendGuard.resume(state.guard);
	guard.hold(costNanoUsd)?.settle(countSteps(state), { costNanoUsd });
	const readers = [...new Set([...state.readers, ...open.readers])];
	const { tools } = state;
	if (tools?.open) {
		// A turn is no step: it is charged within its own.
		const charged = { ...tools.open, charge: mergeCharges(tools.open.charge, charge) };
		run.endTurn({ ...next, readers, guard: guard.state, tools: { ...tools, open: charged } }, null);
		return null;
	}
	const { trajectory, step } = chainFailedStep(state.trajectory, open.step, charge, nowMs, textHash(run.spec.salt));
	const failedSteps = state.failedSteps + 1;
	run.endStep(charge, step, { ...next, trajectory, readers, failedSteps, guard: guard.state });
	return step;
}
