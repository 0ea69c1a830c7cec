// What a run's output is made of: the results of its subtasks, its sections and its final answer. Pure.
import { textHash } from "../../proof/salted.ts";
import { excerptResults, type SubtaskResult } from "../excerpt.ts";
import { assembleSections, findSections, type Section } from "../sections.ts";
import { trajectoryProof } from "../trajectory.ts";
import type { RunSpec, RunState, RunStep } from "./run.ts";

/** The results of the subtasks so far. */
export function subtaskResults(steps: readonly RunStep[]): SubtaskResult[] {
	return steps
		.filter(({ hasResult, record }) => hasResult && record.role === "subtask")
		.map(({ record: { index }, subtask, output }) => ({ index, subtask, output }));
}

/** The most that several results together may take as the output. */
const MAX_PARTIAL_BYTES = 200_000;

const isBlank = ({ output }: Pick<RunStep, "output">) => output.trim() === "";

/** The parts of a run's state that its output depends on. Both stay as they are for the steps that exist. */
type OutputRules = Pick<RunState, "assembly" | "cutSteps" | "refusedSteps">;

/** The results that are shown: those that are no refusals, unless all are. */
function shownResults({ refusedSteps = [] }: OutputRules, steps: readonly RunStep[]): SubtaskResult[] {
	const results = subtaskResults(steps);
	const given = results.filter(({ index }) => !refusedSteps.some((refused) => refused.index === index));
	return given.length > 0 ? given : results;
}

/** The final step's answer, if it counts: neither blank nor a refusal, where there are results. */
function findShownFinal(rules: OutputRules, steps: readonly RunStep[]): RunStep | undefined {
	const final = findFinal(steps);
	if (!final) return undefined;
	const isRefused = rules.refusedSteps?.some(({ index }) => index === final.record.index) ?? false;
	const results = shownResults(rules, steps);
	return (isBlank(final) || isRefused) && !results.every(isBlank) ? undefined : final;
}

function findFinal(steps: readonly RunStep[]): RunStep | undefined {
	return steps.find(({ hasResult, record }) => hasResult && record.role === "finalize");
}

/** The sections that the output is assembled of; null where it is not. */
export function findRunSections(rules: OutputRules, steps: readonly RunStep[]): Section[] | null {
	const { assembly, cutSteps = [] } = rules;
	const shown = new Set(shownResults(rules, steps).map(({ index }) => index));
	// A section that was refused is blank: the others keep their headings, and it is left out.
	const results = subtaskResults(steps).map(({ index, output }) => ({
		text: shown.has(index) ? output : "",
		isCut: shown.has(index) && cutSteps.includes(index),
	}));
	return findSections(assembly, results);
}

/**
 * The run's output so far: its sections with what the final step wrote around them, else the final step's answer, else the results of
 * the subtasks. A blank final answer does not count, and no refusal beside what others reached.
 */
export function bestOutput(rules: OutputRules, steps: readonly RunStep[]): string {
	const results = shownResults(rules, steps);
	const final = findShownFinal(rules, steps);
	const sections = findRunSections(rules, steps);
	if (sections) return assembleSections(sections, final?.output ?? "");
	if (final) return final.output;
	const [only, ...others] = results;
	return only && others.length === 0 ? only.output : excerptResults(results, MAX_PARTIAL_BYTES);
}

/** Whether the output limit ended a text that the output holds. */
export function isOutputCut(rules: OutputRules, steps: readonly RunStep[]): boolean {
	const cut = new Set(rules.cutSteps ?? []);
	const final = findShownFinal(rules, steps);
	const isFinalCut = final !== undefined && cut.has(final.record.index);
	const sections = findRunSections(rules, steps);
	if (sections) return isFinalCut || sections.some(({ isCut }) => isCut);
	if (final && !isBlank(final)) return isFinalCut;
	return shownResults(rules, steps).some(({ index }) => cut.has(index));
}

/** Root of a run's trajectory so far. */
export function currentProof(
	{ salt }: Pick<RunSpec, "salt">,
	state: OutputRules & Pick<RunState, "trajectory">,
	steps: readonly RunStep[],
): string {
	return trajectoryProof(state.trajectory, textHash(salt)(bestOutput(state, steps)));
}
