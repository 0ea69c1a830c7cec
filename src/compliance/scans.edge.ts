// Schedules scans for sensitive data. A scan of some MiB takes seconds, and other requests of its isolate wait meanwhile. So long
// scans pause, users take turns, and short texts wait for nobody. What is found is up to detect.ts.
import type { Conversation } from "./conversation.ts";
import { ScanTurns } from "./scan-turns.ts";
import { runSteps, runStepsFor, type Steps } from "./steps.ts";

/** Who a scan is for. */
export interface ScanOwner {
	readonly user: string;
	/** Aborts when the request has ended; null where nobody waits for an answer. */
	readonly signal: AbortSignal | null;
}

/** The owner of scans that belong to no request: runs of agents that resume. They take turns as one user. */
export const NO_OWNER: ScanOwner = { user: "", signal: null };

/** Shorter texts are scanned at once: 4 ms of prose or code, 30 ms of the slowest text that we know. */
const LONG_CHARS = 32_768;

/**
 * Characters that one turn reads. It is counted in characters, because a Worker's clock stands still while it computes. Twice
 * as many make no scan faster by 2 %.
 */
const TURN_CHARS = 32_768;

/** How long a scan waits before it looks again whether it has the turn. */
const POLL_MS = 5;

/** After so many looks, the scan that has the turn is taken to be gone, because its request ended. */
const MAX_LOOKS = 50;

const turns = new ScanTurns();

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until a scan has the turn. */
async function awaitTurn(scan: symbol, { user, signal }: ScanOwner): Promise<void> {
	let looks = 0;
	let passed = turns.passed;
	turns.join(user, scan);
	while (turns.current !== scan) {
		await pause(POLL_MS);
		signal?.throwIfAborted();
		turns.join(user, scan);
		looks = turns.passed === passed ? looks + 1 : 0;
		passed = turns.passed;
		if (looks >= MAX_LOOKS) turns.dropCurrent();
	}
}

/**
 * Runs the scan of a conversation. A long one pauses after each turn. Each request runs its own scan: in a Worker, no request
 * may wait for a promise of another, and what a request still had to do ends with it.
 * @throws the signal's reason when the request has ended.
 */
export async function scanConversation<T>(
	conversation: Conversation,
	scan: (conversation: Conversation) => Steps<T>,
	owner: ScanOwner,
): Promise<T> {
	const chars = conversation.texts.reduce((sum, { text }) => sum + text.length, 0);
	const steps = scan(conversation);
	if (chars < LONG_CHARS) return runSteps(steps);
	const id = Symbol();
	try {
		for (;;) {
			await awaitTurn(id, owner);
			const step = runStepsFor(steps, TURN_CHARS);
			turns.pass();
			if (step.done) return step.value;
			await pause(0);
			owner.signal?.throwIfAborted();
		}
	} finally {
		turns.leave(owner.user, id);
	}
}
