// Has the result of a quarantined tool read by a model without tools, within the money of the step. The prompt and the reading of the
// answer are in quarantine.ts.

import { maskMessages } from "../../inference/masked-call.ts";
import { textHash } from "../../proof/salted.ts";
import { joinText, type ModelAnswer } from "../../providers/model-call.ts";
import { toTurnNonce } from "../prompt.ts";
import { mergeCharges, sumChargesNanoUsd } from "../run/charges.ts";
import { countSteps } from "../run/run.ts";
import { toPromptTask } from "../step-pricer.edge.ts";
import type { LoopContext } from "./loop-context.ts";
import { isPriced, leftOfStep } from "./next-turn.edge.ts";
import { parseQuarantine, QUARANTINE_SCHEMA, quarantinePrompt } from "./quarantine.ts";
import { cutResult } from "./results.ts";
import { stepExchangeHash } from "./step-history.ts";
import type { RunTool } from "./tool.ts";
import type { ToolCall } from "./tool-call.ts";
import { toToolDefinition } from "./tool-definition.ts";
import { type OpenToolStep, TOOLS_STRATEGY } from "./tool-state.ts";
import { makeTurn, priceTurn } from "./tool-turn.edge.ts";

/** The answer's members are bounded, and need no more. */
const QUARANTINE_TOKENS = 1_024;

const NOT_READ = "The result could not be read: ";

/** A result as the next turn reads it, and the step with what that cost. */
interface QuarantinedRead {
	result: string;
	isError: boolean;
	open: OpenToolStep;
}

/** The model's answer as it stands in its schema. */
function toResult({ content }: ModelAnswer): { result: string; isError: boolean } {
	const read = parseQuarantine(joinText(content, "text") ?? "");
	if (read === null) return { result: `${NOT_READ}the model that was to read it gave no answer.`, isError: true };
	return { result: read, isError: false };
}

/** Reads a result in quarantine. Where that fails, or there is no money for it, the result is an error. */
export async function readInQuarantine(
	loop: LoopContext,
	open: OpenToolStep,
	{ id, turn, place }: ToolCall,
	tool: RunTool,
	whole: string,
): Promise<QuarantinedRead> {
	const { run, guard, planContext, record } = loop;
	const { text } = cutResult(whole);
	const gate = await loop.gateWith([text]);
	const nonce = toTurnNonce(`${run.spec.nonce} quarantine ${id}`, turn, place);
	const { name, description } = toToolDefinition(tool);
	const prompt = quarantinePrompt(nonce, { tool: name, description, subtask: open.subtask, result: text });
	const maxTokens = QUARANTINE_TOKENS;
	const limits = { maxTokens, temperature: 0, nonce };
	const { messages } = toPromptTask(prompt, limits);
	const mask = gate?.mask ?? null;
	const request = {
		messages: mask ? maskMessages(messages, mask) : messages,
		...{ tools: [], question: "", intensity: open.intensity, maxTokens, models: "cheapest" as const },
		...{ sticky: [], askLast: [], avoid: [], isLast: false, asksFor: "quarantine" },
	};
	const inSchema = priceTurn(planContext(), { ...loop.rules, gate }, { ...request, schema: QUARANTINE_SCHEMA });
	// Where no model can be held to it, the prompt alone asks for its form.
	const priced = isPriced(inSchema) ? inSchema : priceTurn(planContext(), { ...loop.rules, gate }, request);
	if (!isPriced(priced)) return { result: `${NOT_READ}no model that may read it is there.`, isError: true, open };
	const leftNanoUsd = leftOfStep(loop, open) - (open.lastNanoUsd ?? 0);
	const hold = priced.boundNanoUsd <= leftNanoUsd ? guard.hold(priced.boundNanoUsd) : null;
	if (!hold) return { result: `${NOT_READ}the money of this step does not cover it.`, isError: true, open };
	const hash = textHash(run.spec.salt);
	const { role, subtask, intensity, step } = open;
	const input_hash = stepExchangeHash(run.toolCalls, step, hash);
	const draft = { role, subtask, intensity, strategy: TOOLS_STRATEGY, input_hash };
	const { result, charge, readers, overrun, isSandbox } = await makeTurn(priced, {
		record: (part) => record({ ...part, step: draft }),
		isStopped: () => run.state.isCancelled,
	});
	hold.settle(countSteps(run.state), { costNanoUsd: sumChargesNanoUsd([charge]), overrun });
	const paid: OpenToolStep = { ...open, charge: mergeCharges(open.charge, charge) };
	const { state } = run;
	const tools = state.tools && { ...state.tools, open: { ...paid, phase: open.phase } };
	// Stored at once: what was paid stays paid if the object dies before the round is stored.
	run.endTurn(
		{
			...state,
			...(tools ? { tools } : {}),
			guard: guard.state,
			readers: [...new Set([...state.readers, ...readers])],
			isSandbox: state.isSandbox || isSandbox,
		},
		null,
	);
	const read = result.ok ? toResult(result.answer) : { result: `${NOT_READ}no model answered.`, isError: true };
	return { ...read, result: mask?.restore(read.result, "json") ?? read.result, open: paid };
}
