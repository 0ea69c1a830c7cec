// The compliance gate on a run's goal. It applies to every step, because all that a step's models are sent derives from the goal.
import type { ComplianceGate } from "../compliance/gate.ts";
import type { PolicyLevels } from "../compliance/policy-levels.ts";
import { gateFor } from "../inference/call-gate.edge.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import { userMessage } from "../orchestration/strategy.ts";
import type { Settings } from "../settings.ts";
import type { TurnOwner } from "../turns/turns.edge.ts";

/** Null without a policy. */
export function gateForGoal(
	goal: string,
	levels: PolicyLevels | null,
	settings: Settings,
	owner: TurnOwner,
): Promise<ComplianceGate | null> {
	const call = toQuestionCall({ messages: [userMessage(goal)], maxTokens: 1, temperature: undefined, json: false });
	return gateFor(call, levels, settings, owner);
}
