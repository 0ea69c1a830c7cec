// Lets an interrupted run go on under today's rules, and answers as the request wants it.
import type { KeyContext } from "../../account/context.ts";
import { fail, ok, type Result } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { usd } from "../../proof/money.ts";
import { rulesInForce } from "../../routing-config/in-force.edge.ts";
import type { RunResponse } from "../response.ts";
import { type AnswerMode, answerRun, RUN_NOT_FOUND, toRunResult } from "./answer.edge.ts";
import { agentRunClient } from "./client.edge.ts";
import { findControlRefusal } from "./control.edge.ts";
import type { InterruptedRun } from "./interruption.ts";
import { toRunLimits } from "./limits.ts";
import type { ResumeRules } from "./run.ts";
import { splitConfig } from "./run-config.ts";

/** The server's rules of today, for a run that is resumed. */
async function resumeRules(context: KeyContext, goal: string): Promise<Result<ResumeRules>> {
	const rules = await rulesInForce({}, context);
	if (!rules.ok) return rules;
	const { config, policy: compliance } = rules.value;
	if (!config) return ok({ compliance, config: null, maxCostNanoUsd: null });
	const { callConfig, maxCostNanoUsd } = splitConfig(config, goal);
	return ok({ compliance, config: callConfig, maxCostNanoUsd });
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
	return rules.ok ? ok(await agentRunClient(env, account.userId, runId).resume(rules.value)) : rules;
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
