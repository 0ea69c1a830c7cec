// Which calls of a strategy its answer depends on, and an engine that keeps money for them. So a step may begin with less than its
// strategy's worst case: it goes as far as the actual cost allows, and still reaches its answer. Pure.
import type { Failure } from "../failure.ts";
import { AGREE_STAGE } from "../orchestration/agreement-judge.ts";
import type { Engine, Question } from "../orchestration/strategy.ts";

/** Whether a strategy's answer depends on a call. The others compare answers, or belong to later rounds. */
export function isNecessary({ stage }: Pick<Question, "stage">): boolean {
	const [name, round = "0"] = stage.split(":");
	return name !== AGREE_STAGE && Number(round) === 0;
}

/** The failure of calls that are not made. */
const NO_ROOM: Failure = {
	reason: "all_models_failed",
	attempts: ["no room in what is left of the step's bound"],
	costUsd: 0,
	retryAfterMs: null,
};

/**
 * The engine that makes any other call only where what is left also covers the necessary calls that are still to come.
 * @param necessary the strategy's necessary questions, each at its longest.
 * @param boundFor the most that a question can cost, nano-USD.
 * @param leftNanoUsd what is left of the step's bound.
 */
export function keepForNecessary(
	engine: Engine,
	necessary: readonly Question[],
	boundFor: (question: Question) => number,
	leftNanoUsd: () => number,
): Engine {
	let toCome = necessary;
	const isCovered = (questions: readonly Question[]) => {
		const total = [...questions, ...toCome].reduce((sum, question) => sum + boundFor(question), 0);
		return total <= leftNanoUsd();
	};
	return {
		...engine,
		ask: async (questions) => {
			const stages = new Set(questions.map(({ stage }) => stage));
			toCome = toCome.filter(({ stage }) => !stages.has(stage));
			const mustWait = toCome.length > 0 && !questions.every(isNecessary);
			if (!mustWait || isCovered(questions)) return engine.ask(questions);
			return questions.map(() => ({ ok: false, failure: NO_ROOM, unaffordable: true }));
		},
	};
}
