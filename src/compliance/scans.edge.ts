// Schedules scans of long texts for sensitive data. A scan blocks its isolate, for seconds if the text has some MiB, so that other
// requests would wait for thirty scans in a row. After each long scan there is a rest. What is found is up to detect.ts.
import type { Conversation } from "./conversation.ts";

/** Shorter texts are scanned at once, because that takes little time. */
const LONG_CHARS = 32_768;

/** How long no long scan starts after one: 0.25 s after 2 Mi characters, which take a second or more. */
const REST_MS_PER_CHAR = 1 / 8192;

/** Texts of more than 4 Mi characters are not read (detect.ts). */
const MAX_REST_MS = 512;

/** The first in the queue that does not start within this time after a rest is taken to be gone. */
const MAX_TURN_MS = 250;
const POLL_MS = 5;

/** When the rest after the last long scan ends. */
let restUntilMs = 0;
/** Requests that wait for a long scan, in order of arrival. */
const queue = new Set<symbol>();

/** How long a request waits before it checks again; 0 if it is its turn. */
function remainingWaitMs(ticket: symbol): number {
	queue.add(ticket);
	const restedMs = Date.now() - restUntilMs;
	if (restedMs < 0) return -restedMs;
	const [first] = queue;
	return first === ticket || restedMs >= MAX_TURN_MS ? 0 : POLL_MS;
}

/** Removes a request from the queue, and those before it, which are gone. Any that is not joins again when it checks. */
function leaveQueue(ticket: symbol): void {
	for (const other of queue) {
		queue.delete(other);
		if (other === ticket) return;
	}
}

/**
 * Scans a conversation. Long ones are scanned in order of arrival, each after a rest. Nothing is awaited between the last look at the
 * clock and the scan, and no promise is shared: a request that ends delays no other for long.
 */
export async function scanConversation<T>(
	conversation: Conversation,
	scan: (conversation: Conversation) => T,
): Promise<T> {
	const chars = conversation.texts.reduce((sum, { text }) => sum + text.length, 0);
	if (chars < LONG_CHARS) return scan(conversation);
	const ticket = Symbol();
	for (let remainingMs = remainingWaitMs(ticket); remainingMs > 0; remainingMs = remainingWaitMs(ticket)) {
		const waitMs = remainingMs;
		await new Promise((resolve) => setTimeout(resolve, waitMs));
	}
	leaveQueue(ticket);
	const found = scan(conversation);
	restUntilMs = Date.now() + Math.min(MAX_REST_MS, Math.ceil(chars * REST_MS_PER_CHAR));
	return found;
}
