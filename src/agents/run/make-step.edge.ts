// Decides on a step of a run and makes it: the guard holds its worst case, and the money stays on hold until store-step.edge.ts has
// stored its end.
import type { Failure } from "../../failure.ts";
import { textHash } from "../../proof/salted.ts";
import type { HeldStep, StepHold } from "../guard.ts";
import { makeStep, type StepHooks, type StepResult, stepInputHash } from "../step.edge.ts";
import { MIN_VISIBLE_TOKENS, type StepStop } from "../step-decision.ts";
import { type PricedStep, StepPricer } from "../step-pricer.edge.ts";
import type { UnreadMessage } from "../tools/steering.ts";
import type { StepCharge } from "./charges.ts";
import type { PlannedStep } from "./planned-step.ts";
import { triedInVain } from "./retry.ts";
import { countSteps, type StepDraft } from "./run.ts";
import type { StepContext } from "./step-context.ts";
import { nextMarks } from "./step-head.edge.ts";

/** A step that was made, before its end is stored. */
export interface MadeStep {
	draft: StepDraft;
	hold: StepHold;
	result: StepResult;
	/** It was asked in the form of `output_schema`. */
	isFormed: boolean;
	/** Of a tool step: what its turns before have cost. */
	earlier?: StepCharge;
	/** Of a tool step: the messages that it has read. */
	read?: readonly UnreadMessage[];
	/** A limit ended it before its model was done. */
	isLimited?: boolean;
}

type StepOutcome = { kind: "stopped"; stop: StepStop } | { kind: "made"; made: MadeStep };

/** A decision on a step, and why compliance keeps the step from every model, where it does. */
interface StepVerdict {
	decision: (HeldStep & { priced: PricedStep }) | StepStop;
	refusal: Failure | null;
}

function decide(context: StepContext, step: PlannedStep): StepVerdict {
	const { guard, planContext, rules, run } = context;
	const { reserveNanoUsd, isOptional, leastTokens = MIN_VISIBLE_TOKENS } = step;
	const maxTokens = Math.max(step.leastTokens ?? 0, run.spec.maxTokens);
	const { retry } = run.state;
	const terms = {
		...step,
		askLast: retry?.askLast ?? [],
		avoid: triedInVain(retry),
		ceilingNanoUsd: guard.ceilingNanoUsd(reserveNanoUsd),
	};
	const stepRules = { ...rules, nonce: nextMarks(context).answersNonce };
	const pricer = new StepPricer(planContext(), stepRules, terms, maxTokens);
	const decision = guard.decideAndHold({
		worstCaseNanoUsd: (...call) => pricer.priceAt(...call)?.boundNanoUsd ?? null,
		completionNanoUsd(...call) {
			const priced = pricer.priceAt(...call);
			return priced ? pricer.completionNanoUsd(priced) : 0;
		},
		maxTokens,
		leastTokens,
		reserveNanoUsd,
		isOptional,
	});
	if (decision.kind === "stop") return { decision, refusal: pricer.refusal };
	const priced = pricer.priceAt(decision.intensity, decision.maxTokens, decision.models);
	if (!priced) throw new Error("what was decided on can be made");
	return { decision: { ...decision, priced }, refusal: null };
}

/** Decides on a step and makes it. */
export async function makePlannedStep(context: StepContext, step: PlannedStep): Promise<StepOutcome> {
	const { run, texts, report, record, recordRefusal } = context;
	const { decision, refusal } = decide(context, step);
	if (decision.kind === "stop") {
		if (decision.limit === "no_model" && refusal) await recordRefusal(refusal);
		return { kind: "stopped", stop: decision };
	}
	const { intensity, reason, hold, priced } = decision;
	const { role } = step;
	const subtask = texts.restore(step.subtask);
	const { strategy } = priced.size;
	report({ type: "step_started", index: countSteps(run.state), role, subtask, intensity, strategy, reason });
	const input_hash = stepInputHash(texts.restoreMessages(priced.messages), textHash(run.spec.salt));
	const draft: StepDraft = { role, subtask, intensity, strategy, input_hash };
	const hooks: StepHooks = {
		record: (charge) => record({ ...charge, step: draft }),
		isStopped: () => run.state.isCancelled,
	};
	const result = await makeStep(priced, hold.worstCaseNanoUsd, hooks, step.askAgain);
	return { kind: "made", made: { draft, hold, result, isFormed: priced.task.checksForm === true } };
}
