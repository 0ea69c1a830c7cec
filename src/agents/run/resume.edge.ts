// Lets an interrupted run go on under today's rules, and answers as the request wants it.
import type { KeyContext } from "../../account/context.ts";
import { fail, ok, type Result } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { toBudgetFailure } from "../../meter/budget-failure.ts";
import { usd } from "../../proof/money.ts";
import type { RunResponse } from "../response.ts";
import { type AnswerMode, answerRun, RUN_NOT_FOUND, toRunResult } from "./answer.edge.ts";
import { agentRunClient } from "./client.edge.ts";
import { findControlRefusal } from "./control.edge.ts";
import type { InterruptedRun } from "./interruption.ts";
import { toRunLimits } from "./limits.ts";
import { resumeRules } from "./resume-rules.edge.ts";

/** The lower of a limit and of what the budget of the run's key lets it cost; a failure where that leaves nothing to go on with. */
async function affordableNanoUsd(
	runId: string,
	limitNanoUsd: number | null,
	{ account, meter }: KeyContext,
): Promise<Result<number | null>> {
	const room = await meter(account.userId).room(runId);
	if (!room) return ok(limitNanoUsd);
	if (room.mostNanoUsd <= room.heldNanoUsd) return fail(toBudgetFailure(room.budget, null));
	return ok(Math.min(limitNanoUsd ?? room.mostNanoUsd, room.mostNanoUsd));
}

/**
 * Lets one of the user's interrupted runs go on, under the lower of its cap and today's limits. It stays as it is when another request
 * was faster.
 */
export async function resumeInterrupted(
	runId: string,
	{ goal, capNanoUsd }: InterruptedRun,
	context: KeyContext,
): Promise<Result<{ isCancelled: boolean } | null>> {
	const { account, env } = context;
	const limits = toRunLimits({ max_cost_usd: usd(capNanoUsd) }, account.plan);
	if (!limits.ok) return limits;
	const rules = await resumeRules(context, goal);
	if (!rules.ok) return rules;
	const maxCostNanoUsd = await affordableNanoUsd(runId, rules.value.maxCostNanoUsd, context);
	if (!maxCostNanoUsd.ok) return maxCostNanoUsd;
	const resumed = { ...rules.value, maxCostNanoUsd: maxCostNanoUsd.value };
	return ok(await agentRunClient(env, account.userId, runId).resume(resumed));
}

/** Resumes one of the user's runs, and answers with it. A run that has ended stays as it is. */
export async function resumeRun(
	runId: string,
	context: KeyContext,
	mode: AnswerMode,
): Promise<JsonResult<RunResponse>> {
	const refused = await findControlRefusal(runId, context);
	if (refused) return fail(refused);
	const client = agentRunClient(context.env, context.account.userId, runId);
	const interrupted = await client.interrupted();
	const resumed = interrupted ? await resumeInterrupted(runId, interrupted, context) : ok(await client.resume(null));
	if (!resumed.ok) return resumed;
	if (!resumed.value) return fail(RUN_NOT_FOUND);
	if (resumed.value.isCancelled)
		return fail({ reason: "run_cancelled", message: "the run was cancelled, and cannot be resumed" });
	const view = interrupted ? null : await client.read();
	if (view?.run.sealed) return toRunResult(view);
	return answerRun({ runId, key: null, isUnderWay: interrupted !== null }, context, mode);
}
