// The tools that the service runs itself, by name: the definitions that models are sent, and the results of those that run at once. A
// question to the user waits for a person (ask-user.ts). Pure.
import { ASK_USER_FORM } from "./ask-user.ts";
import { COMPUTE_FORM, type ComputeResult, compute } from "./compute/compute.ts";
import type { FindResult } from "./compute/table-sources.ts";
import type { BuiltInToolName, ToolForm } from "./tool.ts";

const BUILT_IN_FORMS: Readonly<Record<BuiltInToolName, ToolForm>> = { compute: COMPUTE_FORM, ask_user: ASK_USER_FORM };

export const builtInForm = (name: BuiltInToolName): ToolForm => BUILT_IN_FORMS[name];

/**
 * Runs a tool that needs nobody.
 * @param args as parsed from the call.
 * @param options.results finds an earlier result of the run, whole (`findResult`).
 */
export function runBuiltIn(_tool: "compute", args: unknown, { results }: { results: FindResult }): ComputeResult {
	return compute(args, results);
}

/** A call whose result may be read by a later one. */
export interface EndedCall {
	id: string;
	modelId: string;
	tool: string;
	/** Whole, not as the model was shown it; null without one. */
	result: string | null;
	isError: boolean;
}

/**
 * The result that a model's reference means: a call's id, a tool's name for its last result, or `name#2` for its second call.
 * @param calls of the run, in order.
 */
export function findResult(calls: readonly EndedCall[], reference: string): string | null {
	const wanted = reference.trim();
	const byId = calls.find(({ id, modelId }) => id === wanted || modelId === wanted);
	if (byId) return byId.result;
	const [, name = wanted, number] = /^(.+)#(\d{1,4})$/.exec(wanted) ?? [];
	const ofTool = calls.filter(({ tool }) => tool === name);
	if (number !== undefined) return ofTool[Number(number) - 1]?.result ?? null;
	return ofTool.findLast(({ result, isError }) => result !== null && !isError)?.result ?? null;
}
