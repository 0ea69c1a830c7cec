// Answers what one of the user's runs waits for, as a request does it: its object takes the answers, and the request is answered with
// what is left, or as the one that started the run.
import type { KeyContext } from "../../account/context.ts";
import { mayRead } from "../../account/makers.ts";
import { fail } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { usd } from "../../proof/money.ts";
import type { RunResponse } from "../response.ts";
import { type AnswerMode, answerRun, RUN_NOT_FOUND } from "../run/answer.edge.ts";
import { agentRunClient } from "../run/client.edge.ts";
import { toRunLimits } from "../run/limits.ts";
import { findSigningRefusal } from "./deliver-review.edge.ts";
import type { ResolutionKind } from "./may-resolve.ts";
import { type ResolutionBody, readBatch } from "./resolution.ts";
import { readResolverStand } from "./resolving-key.edge.ts";

/** Hands a body's answers to a run, and answers with the run. */
export async function resolveRun(
	runId: string,
	body: ResolutionBody,
	context: KeyContext,
	mode: AnswerMode,
): Promise<JsonResult<RunResponse>> {
	const { account, env } = context;
	const batch = readBatch(body);
	if (!batch.ok) return batch;
	const run = agentRunClient(env, account.userId, runId);
	const standing = await run.standing();
	if (!standing || !mayRead(account, standing.starter.keyId)) return fail(RUN_NOT_FOUND);
	const limits = toRunLimits({ max_cost_usd: usd(standing.capNanoUsd) }, account.plan);
	if (!limits.ok) return limits;
	const { resolutions, message } = batch.value;
	const { workspaceId } = standing.starter;
	if (workspaceId !== null && resolutions.some(({ form }) => form === "decision")) {
		const refused = await findSigningRefusal(context, workspaceId);
		if (refused) return fail(refused);
	}
	const kinds: ResolutionKind[] = resolutions.flatMap(({ id }) => standing.kinds[id] ?? []);
	const by = await readResolverStand(standing.starter, message ? [...kinds, "message"] : kinds, context);
	const taken = await run.resolve(batch.value, by);
	if (!taken) return fail(RUN_NOT_FOUND);
	if (!taken.ok) return taken;
	const requested = { runId, key: null, isUnderWay: true, isToGoOn: true };
	// With something left there is nothing to wait for.
	const isBackground = mode.isBackground && taken.value.left === 0;
	return answerRun(requested, context, { ...mode, isBackground });
}
