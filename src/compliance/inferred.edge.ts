// What a conversation holds beyond pattern matching: statements by the learned classifier, and what the operator's analyzer finds.
// It is asked only under a policy that says `detect: "inferred"`.
import type { Settings } from "../settings.ts";
import type { TurnOwner } from "../turns/turns.edge.ts";
import { analyzeConversation } from "./analyzer.edge.ts";
import type { Conversation } from "./conversation.ts";
import { type Detection, joinDetections, unreadDetection } from "./findings.ts";
import { scanConversation } from "./scans.edge.ts";
import { inferStatements } from "./statements/infer.ts";

/** What is inferred. If the analyzer does not answer, the conversation counts as unread: it may hold anything. */
export async function inferDetection(
	conversation: Conversation,
	{ detectorUrl }: Pick<Settings, "detectorUrl">,
	owner: TurnOwner,
): Promise<Detection> {
	const analyzed = detectorUrl === null ? undefined : analyzeConversation(detectorUrl, conversation);
	const stated = await scanConversation(conversation, inferStatements, owner);
	if (analyzed === undefined) return stated;
	return joinDetections(stated, (await analyzed) ?? unreadDetection());
}
