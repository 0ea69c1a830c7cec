// What the owner of a run reads of a step with tools, beside its text: the exchange, and what recomputes its hash. A step that is still
// open is read as it stands.
import { textHash } from "../../proof/salted.ts";
import type { StepTextResponse } from "../response.ts";
import { type StepExchangeView, toStepExchangeView } from "../tools/step-view.ts";
import { TOOLS_STRATEGY } from "../tools/tool-state.ts";
import type { StepRecord } from "./run.ts";
import type { StoredRun } from "./stored-run.edge.ts";

async function readToolStep({ spec, toolCalls }: StoredRun, env: Env, step: number): Promise<StepExchangeView | null> {
	const stored = await toolCalls.readStep(env, spec.userId, step);
	return stored && spec.salt !== undefined ? toStepExchangeView(stored, spec.salt, textHash(spec.salt)) : null;
}

/** The exchange of a step that has ended; null where it has no tools, or none is kept. */
export async function readStepExchange(
	run: StoredRun,
	{ index, strategy, input_hash }: StepRecord,
	env: Env,
): Promise<StepExchangeView | null> {
	if (strategy !== TOOLS_STRATEGY || !run.state.tools) return null;
	const before = run.steps.slice(0, index).filter(({ record }) => record.strategy === TOOLS_STRATEGY).length;
	// A tool step that cost nothing has no record. The hash says which of those from here on it is.
	for (let step = before; step < run.state.tools.steps; step++) {
		const view = await readToolStep(run, env, step);
		if (view?.input_hash === input_hash) return view;
	}
	return null;
}

/** The step with tools that is open, as it stands; null when there is none, or its first turn is not stored yet. */
export async function readOpenStep(run: StoredRun, env: Env): Promise<StepTextResponse | null> {
	const { spec, state, steps, end } = run;
	const open = end === null ? state.tools?.open : null;
	const view = open ? await readToolStep(run, env, open.step) : null;
	if (!open || !view) return null;
	return {
		...{ object: "agent.step", run_id: spec.runId, index: steps.length, role: open.role, subtask: open.subtask },
		...{ text: "", truncated: false, output_hash: null },
		...view,
	};
}
