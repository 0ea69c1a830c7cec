// Checks saved answers of GET /v1/agent/{run_id}/steps/{index}: a step's text against its hash and its place in the run's chain. What a
// step with tools did is checked in exchanges.ts.
import * as z from "zod";
import { SALT_FORM, textHash } from "../proof/salted.ts";
import { findAddedMembers } from "./added-members.ts";
import { type Finding, failedFinding, failedFindings, finding, unprovenFindings } from "./findings.ts";

/** The record of a step in its run's chain. */
export interface ChainedStep {
	input_hash: string;
	output_hash: string;
}

/** The run that steps are held against. */
export interface StepChain {
	run_id: string;
	steps: readonly ChainedStep[];
}

/** Members of every step's answer. */
export function stepFields() {
	return {
		object: z.literal("agent.step"),
		run_id: z.string(),
		index: z.int(),
		role: z.string(),
		subtask: z.string(),
		text: z.string(),
		truncated: z.boolean(),
		output_hash: z.string().nullable(),
	};
}

const plainStepSchema = z.object(stepFields());

/** Whether an answer is of a step with tools: it shows an exchange, or something that only stands beside one. */
export function hasExchange(document: unknown): boolean {
	return ["exchange", "calls", "input_hash"].some((name) => name in Object(document));
}

/** Whether a step is the one of the chain that it says. @param step with its `input_hash`, if it shows one. */
export function findPlaceFaults(
	{ run_id, index, ...shown }: { run_id: string; index: number; input_hash?: string; output_hash: string | null },
	chain: StepChain,
): string[] {
	const record = chain.steps[index];
	if (!record) return [`is of step ${index}, which the trajectory does not have`];
	const names = (["input_hash", "output_hash"] as const).filter(
		(name) => shown[name] !== undefined && shown[name] !== record[name],
	);
	return [
		...(run_id === chain.run_id ? [] : [`is of run ${run_id}, not of ${chain.run_id}`]),
		...names.map((name) => `has another ${name} than the trajectory's step`),
	];
}

/** Whether a step's text agrees with its hash, or is said to be cut. */
export function isTextSound({ text, truncated, output_hash }: z.output<typeof plainStepSchema>, salt: string): boolean {
	return (textHash(salt)(text) === output_hash) === !truncated;
}

/**
 * Checks the answer for a step without tools. It has no salt of its own.
 * @param chain of its run; null where the file has none.
 * @param salt the run's; null where nobody names it.
 */
export function checkPlainStep(document: unknown, chain: StepChain | null, salt: string | null): Finding[] {
	const parsed = plainStepSchema.safeParse(document);
	if (!parsed.success) return [failedFinding("step: is not what GET /v1/agent/{run_id}/steps/{index} answers")];
	const step = parsed.data;
	const what = `step ${step.index}`;
	const placeFaults = chain ? findPlaceFaults(step, chain) : [];
	const unproven = unprovenFindings(what, ["role", "subtask", ...findAddedMembers(document, step)]);
	if (placeFaults.length > 0) return [...failedFindings(placeFaults.map((text) => `${what}: ${text}`)), ...unproven];
	const note = (text: string): Finding => ({ verdict: "note", text: `${what}: ${text}` });
	if (salt === null || !SALT_FORM.test(salt))
		return [note("its text is not compared, for want of the run's salt"), ...unproven];
	if (step.truncated && isTextSound(step, salt)) return [note("its text is cut, and cannot be compared"), ...unproven];
	const sound = `${what}: its text has the hash ${step.output_hash}`;
	return [finding(isTextSound(step, salt), sound, `${what}: its text and output_hash do not agree`), ...unproven];
}
