// Builds the gate of a conversation: scans it, and infers what pattern matching cannot see where a policy asks for that.
import { loadDetector } from "../load-detector.ts";
import type { Settings } from "../settings.ts";
import type { TurnOwner } from "../turns/turns.edge.ts";
import { analyzeConversation } from "./analyzer.edge.ts";
import type { Conversation } from "./conversation.ts";
import { type Detection, joinDetections, unreadDetection } from "./findings.ts";
import type { ComplianceGate } from "./gate.ts";
import { loadGate } from "./load.ts";
import { type PolicyLevels, readsInferred } from "./policy-levels.ts";
import { scanConversation } from "./scans.edge.ts";

/**
 * What a conversation holds beyond pattern matching: statements by the learned classifier, and what the operator's analyzer finds.
 * If the analyzer does not answer, the conversation counts as unread: it may hold anything. The classifier is loaded on first
 * use: policies that do not ask for it do not pay for its weights.
 */
async function inferDetection(
	conversation: Conversation,
	{ detectorUrl }: Pick<Settings, "detectorUrl">,
	owner: TurnOwner,
): Promise<Detection> {
	const analyzed = detectorUrl === null ? undefined : analyzeConversation(detectorUrl, conversation);
	const { inferStatements } = await (await loadDetector()).loadStatements();
	const stated = await scanConversation(conversation, inferStatements, owner);
	if (analyzed === undefined) return stated;
	return joinDetections(stated, (await analyzed) ?? unreadDetection());
}

/** The gate of policies on everything that a model would be sent. */
export async function gateConversation(
	levels: PolicyLevels,
	conversation: Conversation,
	settings: Pick<Settings, "catalog" | "attestations" | "detectorUrl">,
	owner: TurnOwner,
): Promise<ComplianceGate> {
	const [{ shippedGate }, { detectInSteps }] = await Promise.all([loadGate(), loadDetector()]);
	const inferred = readsInferred(levels) ? await inferDetection(conversation, settings, owner) : null;
	const detection = await scanConversation(conversation, detectInSteps, owner);
	return shippedGate(levels, conversation, detection, settings, inferred);
}
