// The compliance gate on a run's goal. It applies to every step, because all that a step's models are sent derives from
// the goal and from what its tools return.
import type { ComplianceGate } from "../compliance/gate.ts";
import type { PolicyLevels } from "../compliance/policy-levels.ts";
import { gateFor } from "../inference/call-gate.edge.ts";
import type { JsonObject } from "../json.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import { userMessage } from "../orchestration/strategy.ts";
import type { ToolDefinition } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";
import type { TurnOwner } from "../turns/turns.edge.ts";
import { schemaOutput } from "./run/output-form.ts";

/** Everything that comes from outside into a run. */
export interface GoalTexts {
	goal: string;
	/** Definitions of its tools. */
	tools?: readonly ToolDefinition[];
	outputSchema?: JsonObject;
	/** What it has read since, in order: results of tools, and what its owner said. A longer list changes no mask of a shorter one. */
	texts?: readonly string[];
}

/** Null without a policy. */
export function gateForGoal(
	{ goal, tools = [], outputSchema, texts = [] }: GoalTexts,
	levels: PolicyLevels | null,
	settings: Settings,
	owner: TurnOwner,
): Promise<ComplianceGate | null> {
	const messages = [goal, ...texts].map(userMessage);
	const call = toQuestionCall({ messages, maxTokens: 1, temperature: undefined, json: false });
	const output = outputSchema ? schemaOutput(outputSchema) : call.output;
	return gateFor({ ...call, tools: [...tools], output }, levels, settings, owner);
}
