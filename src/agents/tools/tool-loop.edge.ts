// Works on a tool step: a loop of turns on one model and of calls, until the model answers in words or a limit ends it. Each turn is one
// action of the run, and stored before the next. Calls are judged and their results read in call-round.edge.ts; run/store-step.edge.ts
// stores the end of the step.
//
// Money. The step may cost its limit at most. Before a turn, its worst case with the actual messages is held beside the worst case of
// the last turn that may have to follow it. When both do not fit, the last turn comes now: it may call no tools, and its newest results
// are cut as far as it needs.
import type { NonAnswer } from "../../answers/verdict.ts";
import { type Failure, StorageUnavailableError } from "../../failure.ts";
import { logError } from "../../http/log.edge.ts";
import { restoreAnswer } from "../../inference/masked-call.ts";
import { sayInstead } from "../../orchestration/strategy.ts";
import { type AssistantPart, partsOfType } from "../../providers/model-call.ts";
import { SpendGuard, type StepHold } from "../guard.ts";
import { mergeCharges, sumChargesNanoUsd } from "../run/charges.ts";
import type { StepPurpose } from "../run/planned-step.ts";
import type { StepCalls } from "../step.edge.ts";
import type { StepStop } from "../step-decision.ts";
import { beginToolStep, type ToolStepRequest } from "./begin-step.edge.ts";
import { CallRound } from "./call-round.edge.ts";
import { closeToolStep, type EndedToolStep, endCut, endInWords, endWithoutWords } from "./end-step.edge.ts";
import type { LoopContext } from "./loop-context.ts";
import { type ChosenTurn, chooseTurn } from "./next-turn.edge.ts";
import { beginningOf, draftStep, openStepOf } from "./open-step.ts";
import { readTurnWords } from "./read-words.edge.ts";
import { unreadMessages } from "./steering.ts";
import { listOutsideTexts } from "./step-history.ts";
import {
	isFailedForGood,
	storeBeginning,
	storeCalls,
	storeFailedTurn,
	storeRejected,
	storeSteered,
} from "./store-turn.edge.ts";
import { MAX_REJECTED } from "./tool-state.ts";
import { makeTurn, type TurnAnswer } from "./tool-turn.edge.ts";

const NO_CALLS: StepCalls = {
	charge: { calls: [], estimated: false },
	readers: [],
	overrun: false,
	isSandbox: false,
};

/** The waits until a policy that was out of reach is read again: twice as long each time. */
const FIRST_JUDGING_WAIT_MS = 1_000;
const MAX_JUDGING_WAIT_MS = 60_000;
type TurnOutcome = { kind: "stored" } | { kind: "stopped"; stop: StepStop } | { kind: "ended"; step: EndedToolStep };

const STORED: TurnOutcome = { kind: "stored" };

/** Parts of an answer as later turns send them back: what only their model can read is marked so. */
function toOwnParts(content: readonly AssistantPart[], model: string, account: string): AssistantPart[] {
	const reader = { onlyFor: model, ...(account === "" ? {} : { account }) };
	return content.map((part) => {
		if (part.type === "reasoning" || part.type === "provider") return { ...part, ...reader };
		return part.type === "tool_call" && part.signature !== undefined ? { ...part, ...reader } : part;
	});
}

/** The failure of a turn whose models said nothing of use. */
function unansweredBy(model: string, why: NonAnswer): Failure {
	const attempts = [`${model}: ${sayInstead(why)}`];
	return { reason: "all_models_failed", attempts, costUsd: 0, retryAfterMs: null };
}

/** The model that rejected a turn: none was asked after it. */
function rejectedBy({ charge: { attempts = [] } }: TurnAnswer): string | null {
	return attempts.at(-1)?.model ?? null;
}

/** What a step asks, by which its answer is judged. */
const questionOf = ({ question, subtask }: StepPurpose): string => question ?? subtask;

export class ToolLoop {
	#loop: LoopContext;

	constructor(loop: LoopContext) {
		this.#loop = loop;
	}

	/** What the run's owner has said since the last turn, and what the service says. */
	#beforeTurn() {
		const { run } = this.#loop;
		const unread = unreadMessages(run.state);
		const steering = unread.map(({ id, n }) => ({ id, text: run.toolCalls.message(n) }));
		return { steering, unread, note: openStepOf(this.#loop).note };
	}

	/**
	 * Whether the run's owner has said something while a turn was made, and money covers another turn, which reads it. What was said
	 * while the model wrote its answer would else be read by nobody.
	 */
	#isSteeredMeanwhile(purpose: StepPurpose, { before }: ChosenTurn, { charge }: TurnAnswer): boolean {
		const { guard } = this.#loop;
		const now = this.#beforeTurn();
		if (now.unread.every(({ n }) => before.unread.some((read) => read.n === n))) return false;
		const { spentNanoUsd, capNanoUsd } = guard.state;
		const spentAfter = Math.min(capNanoUsd, spentNanoUsd + sumChargesNanoUsd([charge]));
		const after = { ...this.#loop, guard: SpendGuard.resume({ ...guard.state, spentNanoUsd: spentAfter }) };
		const open = openStepOf(this.#loop);
		const charged = { ...open, charge: mergeCharges(open.charge, charge) };
		return !("limit" in chooseTurn(after, charged, questionOf(purpose), now));
	}

	/** Whether the money covers the next turn of the open step. @param purpose that it began with. */
	canTurn(purpose: StepPurpose): boolean {
		const chosen = chooseTurn(this.#loop, openStepOf(this.#loop), questionOf(purpose), this.#beforeTurn());
		return !("limit" in chosen) || chosen.limit !== "step_cap";
	}

	/** Makes the next turn of the open step. @param purpose that it began with. */
	async turn(purpose: StepPurpose): Promise<TurnOutcome> {
		const { run, guard, record, recordRefusal } = this.#loop;
		const open = openStepOf(this.#loop);
		const chosen = chooseTurn(this.#loop, open, questionOf(purpose), this.#beforeTurn());
		if ("limit" in chosen && open.cut) {
			const freeHold = guard.hold(0);
			if (!freeHold) throw new Error("nothing can always be held");
			return { kind: "ended", step: await endCut(this.#loop, freeHold, NO_CALLS) };
		}
		if ("limit" in chosen) {
			if (chosen.refusal) await recordRefusal(chosen.refusal);
			const isOutOfMoney = chosen.limit === "step_cap" && open.charge.calls.length > 0;
			const freeHold = isOutOfMoney ? guard.hold(0) : null;
			if (freeHold) return { kind: "ended", step: await endWithoutWords(this.#loop, "money", freeHold, NO_CALLS) };
			const reason = "no turn of the step fits into what is left of its money";
			return { kind: "stopped", stop: { kind: "stop", limit: chosen.limit, reason } };
		}
		const hold = guard.hold(chosen.priced.boundNanoUsd);
		if (!hold) throw new Error("a turn that was chosen fits");
		const draft = draftStep(this.#loop, open);
		const answered = await makeTurn(chosen.priced, {
			record: (charge) => record({ ...charge, step: draft }),
			isStopped: () => run.state.isCancelled,
		});
		return answered.result.ok
			? this.#readAnswer(purpose, chosen, answered, hold)
			: this.#leaveFailed(chosen, answered, hold, answered.result.failure);
	}

	/**
	 * What follows a turn that no model answered. A model that rejected it is left for another one. A step that has come to something
	 * ends with that where the turn was its last and is not tried again, or where all rejected it.
	 */
	async #leaveFailed(
		{ ending }: ChosenTurn,
		answered: TurnAnswer,
		hold: StepHold,
		failure: Failure,
	): Promise<TurnOutcome> {
		const loop = this.#loop;
		const open = openStepOf(loop);
		const { result: _, account: __, ...calls } = answered;
		if (loop.run.state.isCancelled) {
			storeFailedTurn(loop, answered, hold, failure);
			return STORED;
		}
		if (open.cut) return { kind: "ended", step: await endCut(loop, hold, calls) };
		const rejecting = failure.reason === "upstream_rejected" ? rejectedBy(answered) : null;
		if (rejecting !== null && open.rejected.length < MAX_REJECTED && !open.rejected.includes(rejecting)) {
			storeRejected(loop, answered, hold, rejecting);
			return STORED;
		}
		const wordless = ending ?? (rejecting !== null && open.turns > 0 ? "rejected" : null);
		if (wordless !== null && isFailedForGood(loop, answered, failure))
			return { kind: "ended", step: await endWithoutWords(loop, wordless, hold, calls) };
		storeFailedTurn(loop, answered, hold, failure);
		return STORED;
	}

	async #readAnswer(
		purpose: StepPurpose,
		chosen: ChosenTurn,
		answered: TurnAnswer,
		hold: StepHold,
	): Promise<TurnOutcome> {
		const loop = this.#loop;
		const open = openStepOf(loop);
		const { result, account, ...calls } = answered;
		if (!result.ok) throw new Error("only an answer is read");
		const answer = restoreAnswer(result.answer, loop.mask, "text");
		const content = toOwnParts(answer.content, result.model, account);
		const hasCalls = partsOfType<AssistantPart, "tool_call">(content, "tool_call").length > 0;
		if (hasCalls && chosen.ending === null && !open.cut) {
			await storeCalls(loop, chosen, answered, hold, content);
			return STORED;
		}
		const asked = { call: chosen.priced.call, question: questionOf(purpose) };
		const { spec } = loop.run;
		const given = [spec.goal, ...listOutsideTexts(loop.run)];
		const toolNames = (spec.tools ?? []).map(({ name }) => name);
		const beginning = open.cut ? beginningOf(loop) : null;
		const reading = readTurnWords(result, asked, open, beginning, { toolNames, given });
		if (reading.kind === "answer" && !open.cut && this.#isSteeredMeanwhile(purpose, chosen, answered)) {
			storeSteered(loop, answered, hold);
			return STORED;
		}
		if (reading.kind === "answer")
			return { kind: "ended", step: await endInWords(loop, chosen, answered, hold, content, reading.value) };
		if (reading.kind === "written")
			return { kind: "ended", step: await endWithoutWords(loop, chosen.ending ?? "written", hold, calls) };
		if (reading.kind === "nothing" && open.cut) return { kind: "ended", step: await endCut(loop, hold, calls) };
		if (reading.kind === "nothing" && chosen.ending !== null)
			return { kind: "ended", step: await endWithoutWords(loop, chosen.ending, hold, calls) };
		if (reading.kind === "beginning") await storeBeginning(loop, chosen, answered, hold, content);
		else if (reading.kind === "again") storeRejected(loop, answered, hold, result.model, reading.note);
		else storeFailedTurn(loop, answered, hold, unansweredBy(result.model, reading.why));
		return STORED;
	}

	/** Begins a tool step. Returns why it cannot be made; null when it has begun. */
	begin(request: ToolStepRequest): Promise<StepStop | null> {
		return beginToolStep(this.#loop, request);
	}

	/** Closes the open step, if there is one: its calls end, and it is charged for its turns without a result. */
	close(): Promise<void> {
		return closeToolStep(this.#loop);
	}

	/** Judges the calls of the newest turn. Where the policy is out of reach, that is tried again later. */
	async judge(): Promise<void> {
		const { run } = this.#loop;
		try {
			await new CallRound(this.#loop).run();
		} catch (error) {
			if (!(error instanceof StorageUnavailableError)) throw error;
			logError("tool_call_not_judged", error, { run_id: run.spec.runId });
			const { failedTries = 0, deaths = 0, askLast = [] } = run.state.retry ?? {};
			const waitMs = Math.min(MAX_JUDGING_WAIT_MS, FIRST_JUDGING_WAIT_MS * 2 ** failedTries);
			const retry = { failedTries: failedTries + 1, deaths, askLast, notBeforeMs: Date.now() + waitMs };
			run.saveState({ ...run.state, retry });
		}
	}
}
