// Stores a turn of a tool step that does not end it: one with calls, one whose answer was cut, one without an answer, one that failed.
import { ulid } from "ulid";
import type { Failure } from "../../failure.ts";
import { CONTINUE_PROMPT, wholeBeginning } from "../../orchestration/continuation.ts";
import { type AssistantPart, joinText } from "../../providers/model-call.ts";
import type { StepHold } from "../guard.ts";
import { countSteps } from "../run/run.ts";
import { changeAfterFailure } from "../run/step-end.ts";
import type { StepCalls } from "../step.edge.ts";
import type { LoopContext } from "./loop-context.ts";
import type { ChosenTurn } from "./next-turn.edge.ts";
import { hashOf, openStepOf, settleTurn, toolsOf } from "./open-step.ts";
import { withRead } from "./steering.ts";
import { callsOfStep } from "./step-history.ts";
import type { StoredTurn } from "./stored-calls.edge.ts";
import { type OpenToolStep, withCounts } from "./tool-state.ts";
import type { TurnAnswer } from "./tool-turn.edge.ts";
import { leftOutNote, toTurnCalls } from "./turn-calls.ts";

/** One note of two, each once. */
function joinNotes(before: string | null, more: string | null): string | null {
	if (before === null || more === null) return before ?? more;
	return before.includes(more) ? before : `${before}\n\n${more}`;
}

/** What a turn without an answer changes of its run: another try follows, or the run is interrupted. */
function changeAfterTurn(loop: LoopContext, { charge }: StepCalls, failure: Failure) {
	const { run, planContext } = loop;
	const billed = charge.calls.map(({ model }) => model);
	const { stepRetryWaitsMs: waitsMs } = planContext().settings;
	return changeAfterFailure(run.state, failure, openStepOf(loop), {}, { billed, waitsMs, nowMs: Date.now() });
}

/** Whether a turn without an answer is not tried again. */
export function isFailedForGood(loop: LoopContext, answered: StepCalls, failure: Failure): boolean {
	return changeAfterTurn(loop, answered, failure).fault !== undefined;
}

/** Stores that a turn was charged and gave nothing. Another try follows, or the run is interrupted. */
export function storeFailedTurn(loop: LoopContext, answered: StepCalls, hold: StepHold, failure: Failure): void {
	const { run } = loop;
	const state = settleTurn(loop, answered, hold);
	const change = changeAfterTurn(loop, answered, failure);
	const tools = state.tools;
	const open = tools?.open && { ...tools.open, rejected: change.fault === undefined ? tools.open.rejected : [] };
	run.endTurn({ ...state, ...change, ...(tools && open ? { tools: { ...tools, open } } : {}) }, null);
}

/**
 * Stores that a model answered with what is no answer, or rejected the turn. Another model is asked at once.
 * @param note is said before the next turn.
 */
export function storeRejected(
	loop: LoopContext,
	answered: StepCalls,
	hold: StepHold,
	model: string,
	note: string | null = null,
): void {
	const state = settleTurn(loop, answered, hold);
	const tools = state.tools;
	if (!tools?.open) throw new Error("the step is open");
	const { rejected, note: before } = tools.open;
	const open = { ...tools.open, rejected: [...rejected, model], note: joinNotes(before, note) };
	loop.run.endTurn({ ...state, tools: { ...tools, open } }, null);
}

/**
 * Stores that a turn was charged whose words count no more, because the run's owner said something while they were written. The same
 * model answers anew.
 */
export function storeSteered(loop: LoopContext, answered: TurnAnswer, hold: StepHold): void {
	const { result } = answered;
	if (!result.ok) throw new Error("only an answer has words");
	const state = settleTurn(loop, answered, hold);
	const tools = state.tools;
	if (!tools?.open) throw new Error("the step is open");
	const models = [result.model, ...tools.open.models.filter((id) => id !== result.model)] as const;
	loop.run.endTurn({ ...state, retry: null, tools: { ...tools, open: { ...tools.open, models } } }, null);
}

/** Stores a turn with its calls, which are judged next. */
export async function storeCalls(
	loop: LoopContext,
	{ before, priced, lastNanoUsd }: ChosenTurn,
	answered: TurnAnswer,
	hold: StepHold,
	content: readonly AssistantPart[],
): Promise<void> {
	const { run, env, report, guard } = loop;
	const { result } = answered;
	if (!result.ok) throw new Error("only an answer has calls");
	const { spec } = run;
	const open = openStepOf(loop);
	const earlierIds = new Set(callsOfStep(run.toolCalls, open.step).map(({ modelId }) => modelId));
	const calls = await toTurnCalls(content, open.turns, earlierIds, {
		tools: spec.tools ?? [],
		maxToolCalls: spec.maxToolCalls ?? 0,
		maxTokens: open.maxTokens,
		state: toolsOf(loop),
		earlier: run.toolCalls.calls,
		open,
		isCut: result.answer.finishReason === "length",
		hash: hashOf(loop),
		newId: () => `call_${ulid()}`,
	});
	const turn: StoredTurn & { turn: number } = {
		...{ turn: open.turns, steering: before.steering.map((said) => ({ ...said, turn: open.turns })) },
		...{ note: before.note, model: result.model, parts: calls.parts },
	};
	const sealed = await run.toolCalls.seal(env, spec.userId, open.step, { turn, calls: calls.made });
	const settled = settleTurn(loop, answered, hold);
	if (calls.open.ending === "loop" && open.ending === null) {
		// A name that the run has no tool for is the model's text.
		const last = calls.made.at(-1)?.call;
		const name = last?.definition ? last.tool : "a tool that there is not";
		report({ type: "alert", alert: guard.reportLoop(countSteps(run.state), name) });
	}
	const tools = withCounts(
		{
			...toolsOf(loop),
			callsByTool: calls.callsByTool,
			open: {
				...open,
				...calls.open,
				...{ phase: "judge", turns: open.turns + 1, rejected: [], note: leftOutNote(calls.leftOut) },
				turnNanoUsd: priced.boundNanoUsd,
				lastNanoUsd,
				charge: settled.tools?.open?.charge ?? open.charge,
				models: [result.model, ...open.models.filter((id) => id !== result.model)],
			},
		},
		[...run.toolCalls.calls, ...calls.made.map(({ call }) => call)],
	);
	run.endTurn(withRead({ ...settled, guard: guard.state, retry: null, tools }, before.unread), sealed);
	for (const { call } of calls.made)
		report({ type: "tool_called", call_id: call.id, tool: call.tool, state: call.state });
}

/** Stores the beginning of an answer that the output limit has cut. The same model goes on with it, where the money covers that. */
export async function storeBeginning(
	loop: LoopContext,
	{ before, ending }: ChosenTurn,
	answered: TurnAnswer,
	hold: StepHold,
	content: readonly AssistantPart[],
): Promise<void> {
	const { run, env } = loop;
	const { result } = answered;
	if (!result.ok) throw new Error("only an answer is cut");
	const open = openStepOf(loop);
	const parts: AssistantPart[] = [
		...content.filter(({ type }) => type !== "text" && type !== "tool_call"),
		{ type: "text", text: wholeBeginning(joinText(content, "text") ?? "") },
	];
	const turn: StoredTurn & { turn: number } = {
		...{ turn: open.turns, steering: before.steering.map((said) => ({ ...said, turn: open.turns })) },
		...{ note: before.note, model: result.model, parts },
	};
	const sealed = await run.toolCalls.seal(env, run.spec.userId, open.step, { turn });
	const settled = settleTurn(loop, answered, hold);
	const next: OpenToolStep = {
		...open,
		...{
			ending,
			cut: { quality: result.quality },
			turns: open.turns + 1,
			note: CONTINUE_PROMPT,
			rejected: [],
			lastNanoUsd: 0,
		},
		charge: settled.tools?.open?.charge ?? open.charge,
		models: [result.model, ...open.models.filter((id) => id !== result.model)],
	};
	run.endTurn(withRead({ ...settled, retry: null, tools: { ...toolsOf(loop), open: next } }, before.unread), sealed);
}
