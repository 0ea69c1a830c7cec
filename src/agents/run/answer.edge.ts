// How a request for a run is answered: with the run at its end, with its events before it, or at once.
import type { KeyContext } from "../../account/context.ts";
import { type Failure, fail } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { logError } from "../../http/log.edge.ts";
import type { ProgressEvent } from "../../http/long-answer.edge.ts";
import type { RunResponse } from "../response.ts";
import { claimScope } from "./claims.edge.ts";
import { type AgentRunClient, agentRunClient, releaseClaim } from "./client.edge.ts";
import type { RunOutcome, RunView } from "./run-view.ts";

/** After the run's end, events still under way are awaited this long. */
const LAST_EVENTS_MS = 1_000;

export const RUN_NOT_FOUND: Failure = { reason: "run_not_found", message: "there is no such run of yours" };
export const RUN_NOT_STARTED: Failure = {
	reason: "storage_unavailable",
	message: "the run could not be begun; try again",
};

/** A run as an endpoint's result. */
export function toRunResult({ run, isSandbox }: RunView): Extract<JsonResult<RunResponse>, { ok: true }> {
	return { ok: true, value: run, headers: isSandbox ? { "x-svc-sandbox": "1" } : {} };
}

/** The result for a request that waited for a run. */
export function toOutcomeResult(outcome: RunOutcome, runId: string): JsonResult<RunResponse> {
	if (outcome === "abandoned") return fail(RUN_NOT_STARTED);
	if (outcome === "unsettled") return fail({ reason: "receipt_unavailable", requestId: runId });
	const {
		status,
		final_message: message = "the run was interrupted",
		cost_consumed_usd: costUsd,
		output,
	} = outcome.run;
	if (status === "interrupted" || status === "running")
		return fail({ reason: "agent_error", message, runId, costUsd, output });
	return toRunResult(outcome);
}

/** How a request wants its answer. */
export interface AnswerMode {
	/** At once. */
	isBackground: boolean;
	/** Receives the run's events; null for a client that does not stream. */
	report: ((event: ProgressEvent) => void) | null;
}

/** A run in the background: 202 with its state and its address. */
function toAcceptedResult(view: RunView): JsonResult<RunResponse> {
	const { value, headers } = toRunResult(view);
	return { ok: true, status: 202, value, headers: { ...headers, location: `/v1/agent/${value.run_id}` } };
}

/** The events of a run, as they come. @param stream one JSON object per line. @param signal gives the stream up. */
export async function* readRunEvents(
	stream: ReadableStream<Uint8Array>,
	signal?: AbortSignal,
): AsyncGenerator<ProgressEvent> {
	let rest = "";
	for await (const text of stream.pipeThrough(new TextDecoderStream(), signal ? { signal } : {})) {
		const lines = (rest + text).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) yield JSON.parse(line) as ProgressEvent;
	}
}

/** Forwards the run's events as they come. When that fails, the run is answered all the same. */
async function forwardEvents(run: AgentRunClient, report: (event: ProgressEvent) => void): Promise<void> {
	try {
		for await (const event of readRunEvents(await run.follow())) report(event);
	} catch (error) {
		logError("agent_events_lost", error);
	}
}

function waitForLastEvents(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, LAST_EVENTS_MS));
}

/** Waits for the end of a run, and forwards its events meanwhile. */
async function waitForOutcome(run: AgentRunClient, report: AnswerMode["report"]): Promise<RunOutcome> {
	const ended = run.waitForEnd();
	if (report) await Promise.race([forwardEvents(run, report), ended.then(waitForLastEvents, () => null)]);
	return ended;
}

/** The run that a request starts, joins or lets go on. */
interface RequestedRun {
	runId: string;
	/** The request's idempotency key, if it has one. */
	key: string | null;
	/** The request started the run, or lets it go on. In the background it is then answered with 202 however fast the run is. */
	isUnderWay: boolean;
}

/** Answers a request with its run: at its end, or as it stands. */
export async function answerRun(
	{ runId, key, isUnderWay }: RequestedRun,
	{ env, account }: KeyContext,
	{ isBackground, report }: AnswerMode,
): Promise<JsonResult<RunResponse>> {
	const run = agentRunClient(env, account.userId, runId);
	const outcome = await (isBackground ? run.readStarted() : waitForOutcome(run, report));
	if (outcome === "abandoned" && key !== null) await releaseClaim(env, claimScope(account), key, runId);
	if (!isBackground || typeof outcome === "string") return toOutcomeResult(outcome, runId);
	return outcome.run.sealed && !isUnderWay ? toRunResult(outcome) : toAcceptedResult(outcome);
}
