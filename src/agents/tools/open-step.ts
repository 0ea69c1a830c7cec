// The open tool step of a run: where its state stands, its record as far as it is known, and what a turn changes of its money.
import { textHash } from "../../proof/salted.ts";
import { joinText } from "../../providers/model-call.ts";
import type { StepHold } from "../guard.ts";
import { mergeCharges, sumChargesNanoUsd } from "../run/charges.ts";
import { countSteps, type RunState, type StepDraft } from "../run/run.ts";
import type { StepCalls } from "../step.edge.ts";
import type { LoopContext } from "./loop-context.ts";
import { stepExchangeHash } from "./step-history.ts";
import type { StoredTurn } from "./stored-calls.edge.ts";
import type { ToolCall } from "./tool-call.ts";
import { type OpenToolStep, TOOLS_STRATEGY, type ToolRunState } from "./tool-state.ts";

export function toolsOf({ run }: Pick<LoopContext, "run">): ToolRunState {
	const { tools } = run.state;
	if (!tools) throw new Error("a run without tools has no tool step");
	return tools;
}

export function openStepOf(loop: Pick<LoopContext, "run">): OpenToolStep {
	const { open } = toolsOf(loop);
	if (!open) throw new Error("no tool step is open");
	return open;
}

export const hashOf = ({ run }: Pick<LoopContext, "run">) => textHash(run.spec.salt);

/** The words of the newest turn, masked: the beginning of an answer that was cut. */
export function beginningOf(loop: Pick<LoopContext, "run" | "mask">): string {
	const { run, mask } = loop;
	const turn = run.toolCalls.turns(openStepOf(loop).step).at(-1);
	const text = (turn && joinText(turn.parts, "text")) ?? "";
	return mask?.maskText(text) ?? text;
}

/** The record of the open step, as far as it is known. */
export function draftStep(
	loop: LoopContext,
	{ step, role, subtask, intensity }: OpenToolStep,
	last?: StoredTurn,
	calls?: readonly ToolCall[],
): StepDraft {
	const input_hash = stepExchangeHash(loop.run.toolCalls, step, hashOf(loop), {
		...(last ? { last } : {}),
		...(calls ? { calls } : {}),
	});
	return { role, subtask, intensity, strategy: TOOLS_STRATEGY, input_hash };
}

/** The run's state with what a turn has cost and by whom it was read. Settles the turn's hold. */
export function settleTurn(
	loop: LoopContext,
	{ charge, readers, overrun, isSandbox }: StepCalls,
	hold: StepHold,
): RunState {
	const { run, guard, report } = loop;
	const { alerts } = hold.settle(countSteps(run.state), { costNanoUsd: sumChargesNanoUsd([charge]), overrun });
	for (const alert of alerts) report({ type: "alert", alert });
	const { state } = run;
	return {
		...state,
		guard: guard.state,
		readers: [...new Set([...state.readers, ...readers])],
		isSandbox: state.isSandbox || isSandbox,
		tools: { ...toolsOf(loop), open: { ...openStepOf(loop), charge: mergeCharges(openStepOf(loop).charge, charge) } },
	};
}
