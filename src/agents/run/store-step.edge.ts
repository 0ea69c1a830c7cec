// Stores the end of a step: its cost, its answer, and the state of the run after it. Then the run's followers are told.
import { logError } from "../../http/log.edge.ts";
import { parseJson } from "../../json.ts";
import { textHash } from "../../proof/salted.ts";
import type { BudgetAlert } from "../guard.ts";
import { withoutTaintedLinks } from "../tools/judge-result.edge.ts";
import { withRead } from "../tools/steering.ts";
import { toReadTexts } from "../tools/step-history.ts";
import { chainEndedStep } from "./chain-step.ts";
import { listCharges, mergeCharges, type StepCharge, sumChargesNanoUsd } from "./charges.ts";
import type { MadeStep } from "./make-step.edge.ts";
import { type CheckForm, rememberForm, unwrapFormed } from "./output-form.ts";
import type { PlannedStep } from "./planned-step.ts";
import { countSteps, type RefusedStep, type RunState, type RunStep } from "./run.ts";
import type { StepContext } from "./step-context.ts";
import {
	changeAfterFailure,
	refusedText,
	rememberLimited,
	rememberRefused,
	toRefusedStep,
	toStoredAnswer,
} from "./step-end.ts";

/** What a step that was made changes beside its own end. */
export interface StepEffect {
	/** Of the run's state, by an answer. */
	change: Partial<RunState>;
	/** The check of the run's output; null where it has no form. */
	checkForm: CheckForm | null;
	/** Stores what belongs to the step's end. Called in its transaction. */
	alsoStore(state: RunState): void;
}

/** An answer with the values that its prompt had masked, and where it has a form without the words around it. */
function restoreOutput(
	{ texts }: StepContext,
	text: string,
	{ jsonSchema, form }: PlannedStep,
	{ isFormed }: MadeStep,
	checkForm: CheckForm | null,
): string {
	const isJson = jsonSchema || isFormed || (form && parseJson(text) !== undefined);
	const written = texts.restore(text, isJson ? "json" : "text");
	return form && checkForm ? unwrapFormed(checkForm, form, written) : written;
}

/** A step's text without images and links that do not lead where the run's owner has been. */
async function withoutOthersLinks({ run }: StepContext, output: string): Promise<string> {
	const { spec, state } = run;
	if (!state.tools || state.tools.untrusted.length === 0) return output;
	return withoutTaintedLinks(spec.userId, output, toReadTexts(run), spec.outputSchema !== undefined);
}

/** Settles the step's hold. Returns the alerts that its cost and its answer cause. */
function settle(
	{ run, guard, texts }: StepContext,
	{ draft, hold, result: { answer, charge, overrun } }: MadeStep,
	refused: RefusedStep | null,
): BudgetAlert[] {
	const index = countSteps(run.state);
	const { alerts } = hold.settle(index, { costNanoUsd: sumChargesNanoUsd([charge]), overrun });
	const strays = answer.ok ? texts.describeStrays(answer.value.text) : null;
	if (strays !== null) alerts.push(guard.reportStrays(index, strays));
	if (refused) alerts.push(guard.reportRefused(index, refusedText(draft, refused)));
	return alerts;
}

/** What an answer, or its failing, changes of the run's state. */
function changeByAnswer(
	{ run, planContext }: StepContext,
	{ draft, result: { answer } }: MadeStep,
	change: Partial<RunState>,
	charge: StepCharge,
): Partial<RunState> {
	if (answer.ok) return { ...change, retry: null };
	return changeAfterFailure(run.state, answer.failure, draft, change, {
		billed: charge.calls.map(({ model }) => model),
		waitsMs: planContext().settings.stepRetryWaitsMs,
		nowMs: Date.now(),
	});
}

/** Stores the end of a step. A try that failed before it cost anything is no step. */
export async function storeStep(
	context: StepContext,
	step: PlannedStep,
	made: MadeStep,
	{ change, checkForm, alsoStore }: StepEffect,
): Promise<void> {
	const { run, guard, report, queuePlanEvent } = context;
	const { draft, result, isFormed, earlier, read = [], isLimited = false } = made;
	const { answer, readers, isSandbox } = result;
	const { spec } = run;
	const {
		isGoalMet,
		output: written,
		...stored
	} = toStoredAnswer(answer, result.charge, { ...step, isLimited }, spec.intendedModel);
	const output = await withoutOthersLinks(context, restoreOutput(context, written, step, made, checkForm));
	const refused = toRefusedStep(countSteps(run.state), answer);
	const alerts = settle(context, made, refused);
	const charge = earlier ? mergeCharges(earlier, result.charge) : result.charge;
	const state: RunState = {
		...withRead(run.state, read),
		guard: guard.state,
		readers: [...new Set([...run.state.readers, ...readers])],
		isSandbox: run.state.isSandbox || isSandbox,
		...changeByAnswer(context, made, change, charge),
		isGoalMet: run.state.isGoalMet || isGoalMet,
		...rememberRefused(run.state, refused),
	};
	const store = (ended: RunStep | null, { owesPlanEvent, ...next }: RunState) =>
		run.endStep(charge, ended, next, () => {
			if (owesPlanEvent) queuePlanEvent(next);
			alsoStore(next);
		});
	if (!answer.ok && charge.calls.length === 0) {
		store(null, state);
	} else {
		const end = { ...stored, outputHash: textHash(spec.salt)(output), charge, atMs: Date.now() };
		const { trajectory, record } = chainEndedStep(run.state.trajectory, draft, end);
		const isPlan = "plan" in change;
		const hasResult = answer.ok && !isPlan;
		const next: RunState = {
			...state,
			trajectory,
			failedSteps: state.failedSteps + (state.retry ? 1 : 0),
			cutSteps: [...(state.cutSteps ?? []), ...(hasResult && answer.value.isCut ? [record.index] : [])],
			...rememberLimited(state, record.index, isLimited),
		};
		const ended: RunStep = { record, subtask: draft.subtask, hasResult, output };
		const steps = [...run.steps, ended];
		store(ended, { ...next, ...rememberForm(checkForm, spec, { state: next, steps }, isFormed) });
		report({ type: "step_done", step: record, text: output });
	}
	for (const alert of alerts) report({ type: "alert", alert });
	if (sumChargesNanoUsd(listCharges(run)) !== guard.spentNanoUsd)
		logError("agent_spend_differs", new Error("guard and charges differ"), { run_id: spec.runId });
}
