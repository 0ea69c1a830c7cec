// Lets long computations take turns. One that takes seconds would hold up every other request of its isolate. So at most one
// computes at a time, it pauses after each turn, users take turns, and short computations wait for nobody.
import { BoundedMap } from "../bounded-map.ts";
import { TurnRotation } from "./rotation.ts";
import { runSteps, runStepsFor, type Steps } from "./steps.ts";

/** Who a computation is for. */
export interface TurnOwner {
	readonly user: string;
	/** Aborts when the request has ended; null where nobody waits for an answer. */
	readonly signal: AbortSignal | null;
}

/** Computations over fewer characters run at once: 4 ms of a scan of prose, up to 80 ms of texts made to be slow. */
export const LONG_CHARS = 32_768;

/** Characters that one turn reads. They are counted, because a Worker's clock stands still while it computes. */
const TURN_CHARS = 32_768;

/** How long a computation waits before it looks again whether it has the turn. */
const POLL_MS = 5;

/** After so many looks, the computation that has the turn is taken to be gone, because its request ended. */
const MAX_LOOKS = 50;

/** Shorter turns end without a rest. */
const LONG_TURN_MS = 10;

/** Well below the time that {@link MAX_LOOKS} take, so that a rest is not taken for a request that ended. */
const MAX_REST_MS = 150;

const turns = new TurnRotation();

/** Waits for the platform's timer, so that other requests and what they wait for go on meanwhile. */
function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until a computation has the turn. */
async function awaitTurn(computation: symbol, { user, signal }: TurnOwner): Promise<void> {
	let looks = 0;
	let passed = turns.passed;
	turns.join(user, computation);
	while (turns.current !== computation) {
		await pause(POLL_MS);
		signal?.throwIfAborted();
		turns.join(user, computation);
		looks = turns.passed === passed ? looks + 1 : 0;
		passed = turns.passed;
		if (looks >= MAX_LOOKS) turns.dropCurrent();
	}
}

/**
 * Rests after a turn. What cannot be cut may take a tenth of a second, and a request of another user needs some ten steps, each of
 * which would wait for such a turn. So nobody has the turn for as long as the last one took.
 */
async function rest(startedMs: number): Promise<void> {
	await pause(0);
	const tookMs = Date.now() - startedMs;
	if (tookMs >= LONG_TURN_MS) await pause(Math.min(tookMs, MAX_REST_MS));
}

/**
 * Runs a computation. A long one waits for its turn and pauses after each. Each request runs its own: in a Worker, no request may
 * wait for a promise of another, and what a request still had to do ends with it.
 * @param chars the size of what it reads, which decides whether it is long.
 * @throws the signal's reason when the request has ended, and what the steps throw.
 */
export async function inTurns<T>(steps: Steps<T>, chars: number, owner: TurnOwner): Promise<T> {
	if (chars < LONG_CHARS) return runSteps(steps);
	const computation = Symbol();
	try {
		for (;;) {
			await awaitTurn(computation, owner);
			const startedMs = Date.now();
			const step = runStepsFor(steps, TURN_CHARS);
			await rest(startedMs);
			turns.pass();
			if (step.done) return step.value;
			owner.signal?.throwIfAborted();
		}
	} finally {
		turns.leave(owner.user, computation);
	}
}

/** For so long after one of a user's short texts has proved long, the user's others wait for their turn before they begin. */
const SUSPECT_MS = 10_000;
/** When the last short text of a user proved long, ms since the epoch. */
const surprises = new BoundedMap<string, number>(1_000);

/**
 * Runs a computation over a text that may be short and stand for much work, as a schema or a script does. It begins at once, and takes
 * turns when it has proved long.
 */
export async function inTurnsOnceLong<T>(steps: Steps<T>, chars: number, owner: TurnOwner): Promise<T> {
	if (chars < LONG_CHARS && Math.abs(Date.now() - (surprises.get(owner.user) ?? 0)) >= SUSPECT_MS) {
		const first = runStepsFor(steps, LONG_CHARS);
		if (first.done) return first.value;
		surprises.set(owner.user, Date.now());
	}
	return inTurns(steps, LONG_CHARS, owner);
}

/** Runs a computation that cannot be cut: in one turn, if it reads so many characters that it is long. */
export function inOneTurn<T>(compute: () => T, chars: number, owner: TurnOwner): Promise<T> {
	// biome-ignore lint/correctness/useYield: there is nothing to pause for.
	function* whole(): Steps<T> {
		return compute();
	}
	return inTurns(whole(), chars, owner);
}
