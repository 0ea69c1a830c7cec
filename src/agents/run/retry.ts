// When a step that failed, or whose object died, is tried again, and after how long a wait. executor.edge.ts makes the tries; the
// run's alarm ends the waits. Pure.
import type { Failure } from "../../failure.ts";
import type { Member, Panel } from "../../orchestration/strategy.ts";

/** A longer Retry-After ends the tries: the callers of the run wait meanwhile. */
const MAX_RETRY_AFTER_MS = 600_000;
/** So many deaths at one step end the run: the step may be their cause. */
const MAX_DEATHS = 3;

/** A step that is to be tried again. */
export interface StepRetry {
	/** Tries that ended without an answer. */
	failedTries: number;
	/** How often the run's object died at the step. */
	deaths: number;
	/** When the next try may begin, ms since the epoch. */
	notBeforeMs: number;
	/** Models that were billed for a try without an answer. They are asked after all others. */
	askLast: string[];
}

/** The wait before a step's next try; null when it is not tried again. */
function retryWaitMs(failure: Failure, failedTries: number, waitsMs: readonly number[]): number | null {
	const waitMs = waitsMs[failedTries - 1] ?? null;
	// The run's reservation could not be extended, so nothing was called.
	if (failure.reason === "storage_unavailable") return waitMs;
	if (waitMs === null || failure.reason !== "all_models_failed" || failure.isFinal) return null;
	const afterMs = failure.retryAfterMs ?? 0;
	return afterMs <= MAX_RETRY_AFTER_MS ? Math.max(waitMs, afterMs) : null;
}

/**
 * The next try of a step that failed; null when it is not tried again.
 * @param earlier the try that failed, null for the first.
 * @param billed models that were billed for it.
 * @param waitsMs the least wait before the second try, the third and so on. After the last of them, no try follows.
 */
export function nextTry(
	failure: Failure,
	earlier: StepRetry | null,
	billed: readonly string[],
	waitsMs: readonly number[],
	nowMs: number,
): StepRetry | null {
	const failedTries = (earlier?.failedTries ?? 0) + 1;
	const waitMs = retryWaitMs(failure, failedTries, waitsMs);
	if (waitMs === null) return null;
	const askLast = [...new Set([...(earlier?.askLast ?? []), ...billed])];
	return { failedTries, deaths: earlier?.deaths ?? 0, notBeforeMs: nowMs + waitMs, askLast };
}

/** The next try of a step at which the run's object died; null after the third death. */
export function nextTryAfterDeath(earlier: StepRetry | null, nowMs: number): StepRetry | null {
	const { failedTries = 0, deaths = 0, askLast = [] } = earlier ?? {};
	return deaths + 1 < MAX_DEATHS ? { failedTries, deaths: deaths + 1, notBeforeMs: nowMs, askLast } : null;
}

/** After so many tries without an answer, the models that were billed for them are asked no more where another may serve. */
const MAX_VAIN_TRIES = 3;

/** The models that a step's next try does without. */
export function triedInVain(retry: StepRetry | null): readonly string[] {
	return retry && retry.failedTries >= MAX_VAIN_TRIES ? retry.askLast : [];
}

/** Models in the order they are asked: those that failed a try before come last. */
export function orderForRetry<T extends readonly [string, ...string[]]>(
	models: T,
	askLast: readonly string[],
): readonly [string, ...string[]] {
	const failed = models.filter((id) => askLast.includes(id));
	const [first = models[0], ...rest] = [...models.filter((id) => !askLast.includes(id)), ...failed];
	return [first, ...rest];
}

/** The panel with each member's failed models after its others. */
export function orderPanel(panel: Panel, askLast: readonly string[]): Panel {
	const order = (member: Member) => orderForRetry(member, askLast);
	const {
		members: [first, ...rest],
		judge,
		comparer,
	} = panel;
	const ordered: Panel = { ...panel, members: [order(first), ...rest.map(order)], judge: order(judge) };
	return comparer ? { ...ordered, comparer: order(comparer) } : ordered;
}
