// Ends a tool step: in the words of its last turn, in what was said before where that has none, or without a result. run/store-step.edge.ts
// stores what it ends in.
import { ok } from "../../failure.ts";
import { Comparison } from "../../orchestration/agreement.ts";
import { nonAnswerRating, supportFor } from "../../orchestration/confidence.ts";
import type { StrategyResult } from "../../orchestration/strategy.ts";
import { type AssistantPart, joinText } from "../../providers/model-call.ts";
import type { StepHold } from "../guard.ts";
import { chainFailedStep } from "../run/chain-step.ts";
import type { StepCharge } from "../run/charges.ts";
import { countSteps, type RunState, type StepDraft } from "../run/run.ts";
import type { StepCalls, StepResult } from "../step.edge.ts";
import { failCall, isOver } from "./call-states.ts";
import type { LoopContext } from "./loop-context.ts";
import type { ChosenTurn } from "./next-turn.edge.ts";
import { beginningOf, draftStep, hashOf, openStepOf, toolsOf } from "./open-step.ts";
import { toWordsTask } from "./read-words.edge.ts";
import { fillResult, NOT_RUN } from "./results.ts";
import type { UnreadMessage } from "./steering.ts";
import { callsOfStep } from "./step-history.ts";
import type { SealedChanges, StoredTurn } from "./stored-calls.edge.ts";
import { countCalls, MAX_STEP_CALLS, type OpenToolStep, type ToolStepEnding, withCounts } from "./tool-state.ts";
import type { TurnAnswer } from "./tool-turn.edge.ts";

/**
 * Why a step ends without words of its last turn: its limit, that the models which were asked to go on rejected its exchange, or that
 * they wrote out calls in words.
 */
type WordlessEnding = ToolStepEnding | "rejected" | "written";

/** What the text of such a step says. */
const WORDLESS: Readonly<Record<WordlessEnding, string>> = {
	money: "What was left of this step's money did not cover another turn, so it came to no answer.",
	max_tool_calls: "The step made all the tool calls that it may make, and came to no answer.",
	loop: "The step came to no answer: it made the same tool call again and again.",
	rejected: "The models that were asked to go on with this step rejected what it had come to, so it came to no answer.",
	written: "The models of this step wrote tool calls into their text in place of making them, so it came to no answer.",
};

/** A tool step that has ended: the answer of its last turn, and what that cost beside the turns before. */
export interface EndedToolStep {
	draft: StepDraft;
	/** Of the last turn. */
	hold: StepHold;
	/** Its charge is that of the last turn. */
	result: StepResult;
	/** Of the turns before. */
	earlier: StepCharge;
	/** The last turn, and results that were cut for it. */
	changes: SealedChanges;
	/** What it changes of the run's state. */
	change: Pick<RunState, "tools">;
	/** The messages that it has read. More may arrive until it is stored. */
	read: readonly UnreadMessage[];
	/** A limit ended it: its answer stands for what was reached. */
	isLimited: boolean;
}

/** What the model has said beside its calls, newest last, and a sentence that says how the step ended. */
function wordsSoFar(loop: LoopContext, ending: WordlessEnding): string {
	const turns = loop.run.toolCalls.turns(openStepOf(loop).step);
	const said = turns.flatMap(({ parts }) => joinText(parts, "text") ?? []).filter((text) => text.trim() !== "");
	return [...said, WORDLESS[ending]].join("\n\n");
}

/** Why a step got no more calls because of its models, for people. */
const MODELS_ENDED = {
	rejected: "the models that were asked for its next turn rejected it; the exchange may be too long for them",
	written: "its models wrote out calls in words, which are not run; ask models that call tools",
} as const;

const toCountText = (calls: number) => (calls === 1 ? "one tool call" : `${calls} tool calls`);

/** Says what ended the step. A loop has its own alert. */
function reportEnding(loop: LoopContext, ending: WordlessEnding): void {
	const { run, guard, report } = loop;
	if (ending === "loop") return;
	if (ending === "rejected" || ending === "written") {
		report({ type: "alert", alert: guard.reportToolsEnded(countSteps(run.state), MODELS_ENDED[ending]) });
		return;
	}
	const isRunLimit = countCalls(toolsOf(loop)) >= (run.spec.maxToolCalls ?? 0);
	const why =
		ending === "money"
			? "what is left of its money does not cover what another turn may cost; raise max_cost_usd or max_cost_per_step"
			: isRunLimit
				? `the run has made its ${toCountText(run.spec.maxToolCalls ?? 0)}; raise max_tool_calls`
				: `a step makes at most ${MAX_STEP_CALLS} tool calls; ask for smaller parts, each of which gets a step`;
	report({ type: "alert", alert: guard.reportToolsEnded(countSteps(run.state), why) });
}

/** The end of a step without a further turn: its exchange is what is stored of it. */
async function endAsStored(
	loop: LoopContext,
	value: StrategyResult,
	hold: StepHold,
	calls: StepCalls,
	isLimited: boolean,
): Promise<EndedToolStep> {
	const { run, env } = loop;
	const open = openStepOf(loop);
	return {
		draft: draftStep(loop, open),
		hold,
		result: { ...calls, answer: ok(value) },
		earlier: open.charge,
		changes: await run.toolCalls.seal(env, run.spec.userId, open.step, {}),
		change: { tools: withCounts({ ...toolsOf(loop), open: null }, run.toolCalls.calls) },
		read: [],
		isLimited,
	};
}

/**
 * The end of a step whose last turn gave no words or could not be paid, or whose next one its models rejected. What was reached
 * before is not lost for that.
 */
export async function endWithoutWords(
	loop: LoopContext,
	ending: WordlessEnding,
	hold: StepHold,
	calls: StepCalls,
): Promise<EndedToolStep> {
	const { mask } = loop;
	const open = openStepOf(loop);
	reportEnding(loop, ending);
	const text = wordsSoFar(loop, ending);
	const value: StrategyResult = {
		...{ text: mask?.maskText(text) ?? text, model: open.models[0], ...nonAnswerRating("blank") },
		...{ agreement: 1, escalated: false, isCut: false, instead: "blank" as const },
	};
	return endAsStored(loop, value, hold, calls, true);
}

/** The end of a step whose answer was cut, and that nobody went on with. */
export async function endCut(loop: LoopContext, hold: StepHold, calls: StepCalls): Promise<EndedToolStep> {
	const open = openStepOf(loop);
	if (open.ending !== null) reportEnding(loop, open.ending);
	const text = beginningOf(loop);
	const weighted = { text, quality: open.cut?.quality ?? 0, isCut: true };
	const value: StrategyResult = {
		...{
			text,
			model: open.models[0],
			...supportFor(weighted, [weighted], new Comparison(toWordsTask(open.subtask, open.maxTokens))),
		},
		...{ agreement: 1, escalated: false, isCut: true },
	};
	return endAsStored(loop, value, hold, calls, open.ending !== null);
}

/** The end of the step, to be stored by the executor. */
export async function endInWords(
	loop: LoopContext,
	{ before, newestBytes, ending }: ChosenTurn,
	answered: TurnAnswer,
	hold: StepHold,
	content: readonly AssistantPart[],
	value: StrategyResult,
): Promise<EndedToolStep> {
	const { run, env } = loop;
	const open = openStepOf(loop);
	const { result: _, account: __, ...calls } = answered;
	const parts = content.filter(({ type }) => type !== "tool_call");
	const turn: StoredTurn & { turn: number } = {
		...{ turn: open.turns, steering: before.steering.map((said) => ({ ...said, turn: open.turns })) },
		...{ note: before.note, model: value.model, parts },
	};
	if (ending !== null) reportEnding(loop, ending);
	const recut = recutNewest(loop, open, newestBytes);
	const sealed = await run.toolCalls.seal(env, run.spec.userId, open.step, { turn, calls: recut });
	const changed = callsOfStep(run.toolCalls, open.step).map(
		(call) => recut.find(({ call: { id } }) => id === call.id)?.call ?? call,
	);
	return {
		draft: draftStep(loop, open, turn, changed),
		hold,
		result: { ...calls, answer: ok(value) },
		earlier: open.charge,
		changes: sealed,
		change: { tools: withCounts({ ...toolsOf(loop), open: null }, run.toolCalls.calls) },
		read: before.unread,
		isLimited: ending !== null,
	};
}

/** Closes the open step, if there is one: its calls end, and it is charged for its turns without a result. */
export async function closeToolStep(loop: LoopContext): Promise<void> {
	const { run, env, report } = loop;
	const { tools } = run.state;
	if (!tools?.open) return;
	const { spec, toolCalls } = run;
	const { step, charge } = tools.open;
	const ended = callsOfStep(toolCalls, step)
		.filter((call) => !isOver(call))
		.map((call) => {
			const { texts, mark } = fillResult(toolCalls.texts(call.id).arguments, NOT_RUN.stopped(), true, hashOf(loop));
			return { call: { ...failCall(call, mark), isRead: true, endedAtMs: Date.now() }, texts };
		});
	const sealed = await toolCalls.seal(env, spec.userId, step, { calls: ended });
	const changed = new Map(ended.map(({ call }) => [call.id, call]));
	const all = toolCalls.calls.map((call) => changed.get(call.id) ?? call);
	const state = { ...run.state, tools: withCounts({ ...tools, open: null }, all) };
	if (charge.calls.length === 0) {
		run.saveCalls(state, sealed);
		return;
	}
	const draft = draftStep(
		loop,
		tools.open,
		undefined,
		all.filter((call) => call.step === step),
	);
	const failed = chainFailedStep(state.trajectory, draft, charge, Date.now(), hashOf(loop));
	const failedSteps = state.failedSteps + 1;
	run.endStep(charge, failed.step, { ...state, trajectory: failed.trajectory, failedSteps }, () =>
		toolCalls.store(sealed),
	);
	toolCalls.apply(sealed);
	report({ type: "step_done", step: failed.step.record, text: "" });
}

/** The calls of the newest turn whose results were cut for the last turn, as it has read them. */
function recutNewest(loop: LoopContext, { step, turns }: OpenToolStep, newestBytes: number) {
	const { toolCalls } = loop.run;
	return toolCalls.ofTurn(step, turns - 1).flatMap((call) => {
		const { arguments: args, result, whole } = toolCalls.texts(call.id);
		if (result === null) return [];
		const { texts, mark } = fillResult(args, result, call.isError, hashOf(loop), newestBytes);
		if (texts.result === result) return [];
		return [{ call: { ...call, ...mark, isCut: true }, texts: { ...texts, whole: whole ?? result } }];
	});
}
