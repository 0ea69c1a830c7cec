// The gate that a call has to pass: everything in it that a model would be sent, held against the policy in force.
import type { ComplianceGate } from "../compliance/gate.ts";
import { loadGate } from "../compliance/load.ts";
import type { CompliancePolicy } from "../compliance/policy.ts";
import { scanTexts } from "../compliance/scans.edge.ts";
import { allCallTexts, type ModelCall } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";

/** Null without a policy. The gate holds for every model that is sent the call, or anything made of it. */
export async function gateFor(
	call: ModelCall,
	policy: CompliancePolicy | null,
	settings: Settings,
): Promise<ComplianceGate | null> {
	if (!policy) return null;
	const { shippedGate } = await loadGate();
	return scanTexts(allCallTexts(call), (texts) => shippedGate(policy, texts, settings));
}
