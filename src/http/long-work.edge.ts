// Runs what a request computes over its body, which may be long: in turns with the long computations of others (turns/).
import type { Steps } from "../turns/steps.ts";
import { inOneTurn, inTurns, inTurnsOnceLong, type TurnOwner } from "../turns/turns.edge.ts";
import type { RequestContext } from "./context.ts";
import { addressOwner } from "./deployment.ts";

/** What decides whether a request waits, and behind whom. */
export type LongRequest = Pick<RequestContext, "bodyOwner" | "address" | "signal" | "bodyChars">;

function toOwner({ bodyOwner, address, signal }: LongRequest): TurnOwner {
	return { user: bodyOwner ?? addressOwner(address), signal };
}

/**
 * Runs steps over the body of a request, or over something longer that it stands for.
 * @throws the signal's reason when the client has left, and what the steps throw.
 */
export function runInTurns<T>(request: LongRequest, steps: Steps<T>, chars = 0): Promise<T> {
	return inTurns(steps, Math.max(chars, request.bodyChars ?? 0), toOwner(request));
}

/** Runs steps that may be long although the body of their request is short. */
export function runInTurnsOnceLong<T>(request: LongRequest, steps: Steps<T>): Promise<T> {
	return inTurnsOnceLong(steps, request.bodyChars ?? 0, toOwner(request));
}

/** Runs a computation over the body of a request that cannot be cut. */
export function runInOneTurn<T>(request: LongRequest, compute: () => T): Promise<T> {
	return inOneTurn(compute, request.bodyChars ?? 0, toOwner(request));
}
