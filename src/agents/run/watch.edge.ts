// Watches a run without touching it: what it is now, what happens, and what it has come to. A run that is interrupted stays so.
import type { KeyContext } from "../../account/context.ts";
import { type Failure, fail } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { logError } from "../../http/log.edge.ts";
import type { ProgressEvent } from "../../http/long-answer.edge.ts";
import type { RunResponse } from "../response.ts";
import { RUN_NOT_FOUND, readRunEvents, toRunResult } from "./answer.edge.ts";
import { agentRunClient } from "./client.edge.ts";

/** Whether the key is still good, is asked this often. */
const CHECK_KEY_MS = 5_000;
/** Between a stream that broke and the next. A run's object may have moved, or its follower was too slow. */
const WATCH_AGAIN_MS = 1_000;

const KEY_ENDED: Failure = {
	reason: "invalid_api_key",
	message: "the API key has been revoked, changed or has expired, or the session has ended",
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Whether the key that the request came with is as good as it was then, and its session, if it came in one, is not ended. */
async function isKeyGood({ account, meter, session }: KeyContext): Promise<boolean> {
	const { expiresAtMs, version } = account.key;
	if (expiresAtMs !== null && Date.now() >= expiresAtMs) return false;
	const own = meter(account.userId);
	if (session && (await own.isSessionEnded(session.id))) return false;
	return (await own.keyStanding(account.keyId, version)) === "good";
}

/** Resolves with why watching must end, once the key has ended; null when the signal aborts before. */
async function untilKeyEnds(context: KeyContext, signal: AbortSignal): Promise<Failure | null> {
	const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
	while (!signal.aborted) {
		await Promise.race([pause(CHECK_KEY_MS), aborted]);
		// A meter that does not answer now is asked again.
		if (!signal.aborted && !(await isKeyGood(context).catch(() => true))) return KEY_ENDED;
	}
	return null;
}

/** Reports events until the stream ends. @returns what `ended` resolved with, if that was first. */
async function reportUntil<T>(
	events: ReadableStream<Uint8Array>,
	report: (event: ProgressEvent) => void,
	ended: Promise<T>,
): Promise<{ end: T } | null> {
	const givenUp = new AbortController();
	const lines = readRunEvents(events, givenUp.signal);
	const over = ended.then((end) => ({ end }));
	for (;;) {
		const next = await Promise.race([lines.next(), over]);
		if ("end" in next) {
			givenUp.abort();
			return next;
		}
		if (next.done) return null;
		report(next.value);
	}
}

/**
 * Reports a run as it is now (`{type: "run", run}`), then its events, and answers with the run when it is over or interrupted. After a
 * break it reports the run anew, so that nothing is missing and nothing counts twice.
 * @param left aborts when the client has left.
 */
export async function watchRun(
	runId: string,
	context: KeyContext,
	report: (event: ProgressEvent) => void,
	left: AbortSignal,
): Promise<JsonResult<RunResponse>> {
	const run = agentRunClient(context.env, context.account.userId, runId);
	const done = new AbortController();
	const ended = untilKeyEnds(context, AbortSignal.any([left, done.signal]));
	try {
		for (;;) {
			const watched = await run.watch();
			if (!watched) return fail(RUN_NOT_FOUND);
			const { view, events } = watched;
			if (!events) return toRunResult(view);
			report({ type: "run", run: view.run });
			const over = await reportUntil(events, report, ended).catch((error: unknown) => {
				logError("agent_events_lost", error, { run_id: runId });
				return null;
			});
			// Who has left reads no answer.
			if (over) return over.end ? fail(over.end) : toRunResult(view);
			const now = await run.read();
			if (now && now.run.status !== "running") return toRunResult(now);
			await Promise.race([pause(WATCH_AGAIN_MS), ended]);
		}
	} finally {
		done.abort();
	}
}
