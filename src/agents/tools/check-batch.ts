// What a batch of answers means for a run as it is now: what it changes, that all of it was taken before, or why none of it is taken.
// Pure.
import { type Failure, fail, ok, type Result } from "../../failure.ts";
import { mayCallTools, nextAction } from "../run/next-action.ts";
import type { StoredRun } from "../run/stored-run.edge.ts";
import { mayResolve, type ResolutionKind } from "./may-resolve.ts";
import type { PendingEntry } from "./pending.ts";
import {
	type HashedResolution,
	type PendingChange,
	planResolutions,
	type ResolutionBatch,
	refuseMember,
	refuseNothing,
	type SteeringMessage,
} from "./resolution.ts";
import type { ResolverStand } from "./resolving-key.edge.ts";
import { toSteeringPlace } from "./steering.ts";
import { knownPendings, listPendings, toPendingEntry } from "./waiting.ts";

/** What a batch changes: nothing, where all of it was taken before. */
export interface BatchChanges {
	changes: PendingChange[];
	message: SteeringMessage | null;
}

/** Whether a run takes no answers: it is over, about to be, or to be resumed first. */
export function isClosed({ state, end, pendingSettlement, isInterrupted }: StoredRun): boolean {
	return end !== null || pendingSettlement !== null || isInterrupted || state.isCancelled || state.fault !== null;
}

function closedText({ end, isInterrupted, state }: StoredRun): string {
	if (isInterrupted)
		return "the run is interrupted: POST /v1/agent/{run_id}/resume lets it go on, and then it waits again";
	return `the run is over (${end?.status ?? (state.isCancelled ? "cancelled" : "ending")})`;
}

/** Why the key may not resolve what it names; null when it may. Pendings that the run does not have are refused as unknown later. */
export function findForbidden(
	run: StoredRun,
	{ resolutions, message }: ResolutionBatch,
	{ key, rules }: ResolverStand,
): Failure | null {
	const known = knownPendings(run);
	const kinds: ResolutionKind[] = resolutions.flatMap(({ id }) => known.get(id)?.kind ?? []);
	for (const kind of [...kinds, ...(message ? (["message"] as const) : [])]) {
		const permitted = mayResolve(kind, key, rules);
		if (!permitted.ok) return permitted.failure;
	}
	return null;
}

/** Refuses a batch for what its run has come to. @param state of the run, or of its message with this id. */
function refuseBatch(
	why: string,
	{ pending = [], ...told }: { id: string | null; state: string; pending?: PendingEntry[] },
) {
	return fail({ reason: "action_conflict", message: `${why}; nothing was taken`, ...told, decided: null, pending });
}

/** Whether a turn may come that reads what the run is told. */
function readsMessages({ spec, state }: StoredRun): boolean {
	const { kind } = nextAction(spec, state);
	return kind === "subtask" ? mayCallTools({ spec, state }) : kind !== "finalize" && kind !== "end";
}

/** A message that the run does not have yet; null where there is none. */
function findNewMessage(run: StoredRun, message: SteeringMessage | null): Result<SteeringMessage | null> {
	if (!message) return ok(null);
	if (!run.spec.tools) {
		const text = "is read before a turn of a step with tools, and this run has no tools";
		return refuseMember("message", text);
	}
	const known = run.state.wait?.messages.find(({ id }) => id === message.id);
	if (!known && !isClosed(run) && !readsMessages(run)) {
		const text = "the run makes no further turn that could read it, and writes its output";
		return refuseBatch(text, { id: message.id, state: "running" });
	}
	if (!known) return ok(message);
	if (known.hash === toSteeringPlace(message, run.spec.salt).hash) return ok(null);
	const state = known.isRead ? "read" : "accepted";
	const pending = listPendings(run).map(toPendingEntry);
	return refuseBatch(`the run has another message with the id ${message.id}`, { id: message.id, state, pending });
}

/** What a batch changes of a run as it is now. */
export function checkBatch(
	run: StoredRun,
	resolutions: readonly HashedResolution[],
	message: SteeringMessage | null,
	nowMs: number,
): Result<BatchChanges> {
	const present = isClosed(run) ? [] : listPendings(run).map(toPendingEntry);
	if (resolutions.length === 0 && !message && present.length > 0) return refuseNothing(present);
	const planned = planResolutions(resolutions, knownPendings(run), present, nowMs);
	if (!planned.ok) return planned;
	const news = findNewMessage(run, message);
	if (!news.ok) return news;
	const hasNews = planned.value.length > 0 || news.value !== null;
	if (!hasNews || !isClosed(run)) return ok({ changes: planned.value, message: news.value });
	const id = planned.value[0]?.pending.id ?? message?.id ?? null;
	const state = run.isInterrupted ? "interrupted" : (run.end?.status ?? "running");
	return refuseBatch(closedText(run), { id, state });
}
