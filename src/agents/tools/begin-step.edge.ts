// Begins a tool step: decides on its money, its models and its length, and stores how it opens. Its turns are tool-loop.edge.ts's.
import type { StepPurpose } from "../run/planned-step.ts";
import { countSteps } from "../run/run.ts";
import type { StepStop } from "../step-decision.ts";
import { toPromptTask } from "../step-pricer.edge.ts";
import type { LoopContext } from "./loop-context.ts";
import { maskedTools } from "./next-turn.edge.ts";
import { toolsOf } from "./open-step.ts";
import { toOpening } from "./step-history.ts";
import { type OpenToolStep, TOOLS_STRATEGY } from "./tool-state.ts";
import { priceLastAfter, priceTurn } from "./tool-turn.edge.ts";

/** A tool step's money and its place. */
export interface ToolStepRequest extends StepPurpose {
	shareNanoUsd: number;
	reserveNanoUsd: number;
	/** Its number among the run's steps with an answer. */
	number: number;
}

/** Begins a tool step. Returns why it cannot be made; null when it has begun. */
export async function beginToolStep(loop: LoopContext, request: ToolStepRequest): Promise<StepStop | null> {
	const { run, guard, env, mask, report, recordRefusal } = loop;
	const { spec, state } = run;
	const { reserveNanoUsd, shareNanoUsd, role, number } = request;
	const pricer = startPricer(loop, request);
	const ceilingNanoUsd = guard.ceilingNanoUsd(reserveNanoUsd);
	const decision = guard.decideAndHold({
		worstCaseNanoUsd: pricer.boundNanoUsd,
		maxTokens: spec.maxTokens,
		reserveNanoUsd,
	});
	if (decision.kind === "stop") {
		const refusal = decision.limit === "no_model" ? pricer.refusal() : null;
		if (refusal) await recordRefusal(refusal);
		return decision;
	}
	const { intensity, maxTokens, models: by, hold, reason, worstCaseNanoUsd } = decision;
	// Each turn holds its own part.
	hold.release();
	const subtask = mask?.restore(request.subtask) ?? request.subtask;
	const open: OpenToolStep = {
		step: toolsOf(loop).steps,
		phase: "turn",
		// With a form, the final step may still bring its words into it.
		...{ role: spec.outputSchema ? "subtask" : role, subtask, intensity, by, maxTokens, number },
		models: pricer.models(intensity, maxTokens, by),
		limitNanoUsd: Math.max(worstCaseNanoUsd, Math.min(shareNanoUsd, ceilingNanoUsd)),
		charge: { calls: [], estimated: false },
		...{ turns: 0, calls: 0, lastCall: null, ending: null, note: null, rejected: [] },
	};
	const opening = toOpening(request.messagesFor(maxTokens), mask);
	const sealed = await run.toolCalls.seal(env, spec.userId, open.step, { opening });
	const tools = { ...toolsOf(loop), steps: open.step + 1, open };
	run.saveCalls({ ...state, guard: guard.state, retry: null, tools }, sealed);
	const index = countSteps(state);
	report({ type: "step_started", index, role, subtask, intensity, strategy: TOOLS_STRATEGY, reason });
	return null;
}

/** Prices the first turn of a step with the last one after it. Each combination is priced once. */
function startPricer(loop: LoopContext, request: ToolStepRequest) {
	const context = loop.planContext();
	const { rules } = loop;
	const tools = maskedTools(loop);
	const known = new Map<string, ReturnType<typeof price>>();
	const price = (...[intensity, maxTokens, models]: Parameters<typeof boundNanoUsd>) => {
		const limits = { maxTokens, temperature: rules.temperature, nonce: rules.nonce };
		const { messages } = toPromptTask(request.messagesFor(maxTokens), limits, request.question);
		const turn = {
			...{ messages, tools, intensity, maxTokens, models, asksFor: "turn", isLast: false },
			question: request.question ?? request.subtask,
			...{ sticky: [], askLast: [], avoid: [] },
		};
		return { first: priceTurn(context, rules, turn), last: priceLastAfter(context, rules, turn) };
	};
	const priceOnce = (...terms: Parameters<typeof boundNanoUsd>) => {
		const key = terms.join(" ");
		const priced = known.get(key) ?? price(...terms);
		known.set(key, priced);
		return priced;
	};
	const boundNanoUsd: Parameters<LoopContext["guard"]["decideAndHold"]>[0]["worstCaseNanoUsd"] = (...terms) => {
		const { first, last } = priceOnce(...terms);
		return "boundNanoUsd" in first && "boundNanoUsd" in last ? first.boundNanoUsd + last.boundNanoUsd : null;
	};
	return {
		boundNanoUsd,
		models: (...terms: Parameters<typeof boundNanoUsd>): OpenToolStep["models"] => {
			const { first } = priceOnce(...terms);
			if (!("models" in first)) throw new Error("what was decided on can be made");
			return first.models;
		},
		refusal: () =>
			[...known.values()].flatMap(({ first }) => ("refusal" in first ? (first.refusal ?? []) : [])).at(0) ?? null,
	};
}
