// A step whose models refused, as its run remembers and reports it. Pure.
import { judgeAnswer } from "../../answers/verdict.ts";
import type { Result } from "../../failure.ts";
import type { StrategyResult } from "../../orchestration/strategy.ts";
import type { RefusedStep, StepDraft } from "./run.ts";

/** Null for a step that was answered, and for one that failed. */
export function toRefusedStep(index: number, answer: Result<StrategyResult>): RefusedStep | null {
	if (!answer.ok || answer.value.instead !== "refusal") return null;
	const said = { text: answer.value.text, refusal: null, isFiltered: false, callsTools: false };
	return { index, lacksTools: judgeAnswer(said, { prompt: "", instructions: "" }).refusal === "lacks_tools" };
}

/** What the alert of a refused step says. */
export function refusedText(
	index: number,
	{ role, subtask }: Pick<StepDraft, "role" | "subtask">,
	{ lacksTools }: RefusedStep,
): string {
	const step = role === "finalize" ? "the final step" : `step ${index} (${JSON.stringify(subtask.slice(0, 80))})`;
	const what = lacksTools ? "says that a tool or a file is missing" : "refused";
	return `${step} ${what}, and so did every other model that was asked; what the other steps reached is shown`.toWellFormed();
}
