// The gate that a call has to pass: everything in it that a model would be sent, held against the policy in force.
import type { Gate } from "../compliance/gate.ts";
import { loadGate } from "../compliance/load.ts";
import type { CompliancePolicy } from "../compliance/policy.ts";
import { scanned } from "../compliance/scans.edge.ts";
import { everyTextOf, type ModelCall } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";

/** Null without a policy. The gate holds for every model that is sent the call, or anything made of it. */
export async function gateOn(
	call: ModelCall,
	policy: CompliancePolicy | null,
	settings: Settings,
): Promise<Gate | null> {
	if (!policy) return null;
	const { shippedGate } = await loadGate();
	return scanned(everyTextOf(call), (texts) => shippedGate(policy, texts, settings));
}
