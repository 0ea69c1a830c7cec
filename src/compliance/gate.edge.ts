// Builds the gate of a conversation: scans it, and infers what pattern matching cannot see where a policy asks for that.
import type { Settings } from "../settings.ts";
import type { TurnOwner } from "../turns/turns.edge.ts";
import type { Conversation } from "./conversation.ts";
import type { Detection } from "./findings.ts";
import type { ComplianceGate } from "./gate.ts";
import { loadGate } from "./load.ts";
import { type PolicyLevels, readsInferred } from "./policy-levels.ts";
import { scanConversation } from "./scans.edge.ts";

/** Loads the learned classifier on first use: policies that do not ask for it do not pay for its weights. */
async function infer(
	conversation: Conversation,
	settings: Pick<Settings, "detectorUrl">,
	owner: TurnOwner,
): Promise<Detection> {
	const { inferDetection } = await import("./inferred.edge.ts");
	return inferDetection(conversation, settings, owner);
}

/** The gate of policies on everything that a model would be sent. */
export async function gateConversation(
	levels: PolicyLevels,
	conversation: Conversation,
	settings: Pick<Settings, "catalog" | "attestations" | "detectorUrl">,
	owner: TurnOwner,
): Promise<ComplianceGate> {
	const { shippedGate } = await loadGate();
	const inferred = readsInferred(levels) ? await infer(conversation, settings, owner) : null;
	return scanConversation(conversation, (scanned) => shippedGate(levels, scanned, settings, inferred), owner);
}
