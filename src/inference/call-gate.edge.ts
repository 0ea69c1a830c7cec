// The compliance gate of a call: scans everything in it that a model would be sent, under the policies in force.
import type { ComplianceGate } from "../compliance/gate.ts";
import { loadGate } from "../compliance/load.ts";
import type { PolicyLevels } from "../compliance/policy-levels.ts";
import { type ScanOwner, scanConversation } from "../compliance/scans.edge.ts";
import type { ModelCall } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";
import { callConversation } from "./call-conversation.ts";

/** The gate for every model that is sent the call or anything derived from it; null without a policy. */
export async function gateFor(
	call: ModelCall,
	levels: PolicyLevels | null,
	settings: Settings,
	owner: ScanOwner,
): Promise<ComplianceGate | null> {
	if (!levels) return null;
	const { shippedGate } = await loadGate();
	return scanConversation(callConversation(call), (conversation) => shippedGate(levels, conversation, settings), owner);
}
