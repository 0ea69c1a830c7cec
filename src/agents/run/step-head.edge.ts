// How the prompts of a run's next step begin, and by what they are marked.
import { type PromptHead, type StepMarks, toDateText, toStepMarks } from "../prompt.ts";
import { DEFAULT_TIME_ZONE } from "../request.ts";
import { countSteps } from "./run.ts";
import type { StepContext } from "./step-context.ts";

/** The marks of the next step's prompts. Another try of a step has the same ones: no text came of the earlier try. */
export function nextMarks({ run: { state }, rules }: StepContext): StepMarks {
	return toStepMarks(rules.nonce, countSteps(state) - state.failedSteps);
}

/** How the prompts of the next step begin. Its date is that of now. */
export function nextHead(context: StepContext): PromptHead {
	const { run, texts } = context;
	const { timeZone, outputSchema } = run.spec;
	const { goal } = texts.maskSpec(run.spec);
	return {
		goal,
		date: toDateText(Date.now(), timeZone ?? DEFAULT_TIME_ZONE),
		marks: nextMarks(context),
		...(outputSchema ? { outputSchema: texts.mask(JSON.stringify(outputSchema)) } : {}),
	};
}
