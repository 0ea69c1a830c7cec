// The compliance gate of a call: scans everything in it that a model would be sent, under the policies in force.
import { gateConversation } from "../compliance/gate.edge.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import type { PolicyLevels } from "../compliance/policy-levels.ts";
import type { ModelCall } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";
import type { TurnOwner } from "../turns/turns.edge.ts";
import { callConversation } from "./call-conversation.ts";

/** The gate for every model that is sent the call or anything derived from it; null without a policy. */
export async function gateFor(
	call: ModelCall,
	levels: PolicyLevels | null,
	settings: Settings,
	owner: TurnOwner,
): Promise<ComplianceGate | null> {
	if (!levels) return null;
	return gateConversation(levels, callConversation(call), settings, owner);
}
