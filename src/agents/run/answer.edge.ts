// How a request for a run is answered: with the run at its end, with its events before it, or at once.
import type { KeyContext } from "../../account/context.ts";
import { type Failure, fail } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { logError } from "../../http/log.edge.ts";
import type { ProgressEvent } from "../../http/long-answer.edge.ts";
import { toBudgetFailure } from "../../meter/budget-failure.ts";
import type { BudgetStatus } from "../../meter/key-budget.ts";
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
	const event = run.status === "requires_action" ? { event: "requires_action" as const } : {};
	return { ok: true, value: run, headers: isSandbox ? { "x-svc-sandbox": "1" } : {}, ...event };
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

/** How a body wants its answer. */
export function toAnswerMode(
	{ stream, background }: { stream?: boolean | null | undefined; background?: boolean | null | undefined },
	progress: (event: ProgressEvent) => void,
): AnswerMode {
	return { isBackground: background ?? false, report: stream ? (event) => progress({ ...event }) : null };
}

/** Why a run for which everything is resolved does not go on. */
function toStalledFailure(budget: BudgetStatus): Failure {
	const { message, ...failure } = toBudgetFailure(budget, null);
	const kept =
		"the answers were taken, and the run waits on: once the budget leaves more, the same request lets it go on";
	return { ...failure, message: `${message}; ${kept}` };
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
	/** The request is to let a waiting run go on: it is told where the key's budget does not leave one turn. */
	isToGoOn?: boolean;
}

/** Answers a request with its run: at its end, or as it stands. */
export async function answerRun(
	{ runId, key, isUnderWay, isToGoOn = false }: RequestedRun,
	{ env, account }: KeyContext,
	{ isBackground, report }: AnswerMode,
): Promise<JsonResult<RunResponse>> {
	const run = agentRunClient(env, account.userId, runId);
	const outcome = await (isBackground ? run.readStarted() : waitForOutcome(run, report));
	if (outcome === "abandoned" && key !== null) await releaseClaim(env, claimScope(account), key, runId);
	if (isToGoOn && typeof outcome !== "string" && outcome.stalled) return fail(toStalledFailure(outcome.stalled));
	if (!isBackground || typeof outcome === "string") return toOutcomeResult(outcome, runId);
	// A run that is over, or waits for somebody, is nothing that goes on: a request that only joins it has its whole answer.
	const standsStill = outcome.run.sealed || outcome.run.status === "requires_action";
	return standsStill && !isUnderWay ? toRunResult(outcome) : toAcceptedResult(outcome);
}
