// Whether a run's output has the form of `output_schema`, and the rule that asks for it. The check itself is answers/form-check.ts,
// which executor.edge.ts loads. Pure.
import type { FormCheck } from "../../answers/form-check.ts";
import { type JsonObject, parseJson } from "../../json.ts";
import type { OutputFormat } from "../../providers/model-call.ts";
import type { RunSpec, RunState, RunStep } from "./run.ts";
import { bestOutput } from "./run-output.ts";

/** The check of JSON by a schema, once it is loaded. */
export type CheckForm = (text: string, output: OutputFormat) => FormCheck;

/** How a client's schema is sent: to be held to where the model can, without the limits of a strict one. */
export function schemaOutput(schema: JsonObject): OutputFormat {
	return { type: "json_schema", name: "output", schema };
}

/** What is wrong with a text; null where it has the form. What cannot be checked is at least JSON. */
function findOutputFault(checkForm: CheckForm, schema: JsonObject, text: string): string | null {
	const check = checkForm(text, schemaOutput(schema));
	if (check) return check.isMet ? null : check.fault;
	return parseJson(text) === undefined ? "The text is not JSON, or there is more than JSON." : null;
}

/** Texts in an answer that may be the JSON that it stands for: what its fences hold, and all between the outermost brackets. */
function* likelyJson(text: string): Generator<string> {
	for (const [, inside = ""] of text.matchAll(/^```[\w-]{0,20}[ \t]*\n([\s\S]*?)\n```[ \t]*$/gm)) yield inside.trim();
	const from = text.search(/[{[]/);
	const to = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
	if (from >= 0 && to > from) yield text.slice(from, to + 1);
}

/** An answer without the words and the fence around its JSON, if that has the form; else the answer as it is. */
export function unwrapFormed(checkForm: CheckForm, schema: JsonObject, text: string): string {
	if (findOutputFault(checkForm, schema, text) === null) return text;
	return [...likelyJson(text)].find((json) => findOutputFault(checkForm, schema, json) === null) ?? text;
}

/**
 * The change of state by the check of the output with its newest step; none in a run without a schema.
 * @param isAsked the step was asked in that form.
 */
export function rememberForm(
	checkForm: CheckForm | null,
	{ outputSchema }: Pick<RunSpec, "outputSchema">,
	{ state, steps }: { state: RunState; steps: readonly RunStep[] },
	isAsked: boolean,
): Pick<RunState, "form"> {
	if (!outputSchema || !checkForm || !steps.at(-1)?.hasResult) return {};
	const fault = findOutputFault(checkForm, outputSchema, bestOutput(state, steps));
	return { form: { fault, isAsked } };
}
