// Runs the scans of a conversation for sensitive data, which take turns with other long computations (turns/). What is found is up
// to detect.ts.
import type { Steps } from "../turns/steps.ts";
import { inTurns, type TurnOwner } from "../turns/turns.edge.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Runs the scan of a conversation. One of a long conversation pauses after each turn.
 * @throws the signal's reason when the request has ended.
 */
export function scanConversation<T>(
	conversation: Conversation,
	scan: (conversation: Conversation) => Steps<T>,
	owner: TurnOwner,
): Promise<T> {
	const chars = conversation.texts.reduce((sum, { text }) => sum + text.length, 0);
	return inTurns(scan(conversation), chars, owner);
}
