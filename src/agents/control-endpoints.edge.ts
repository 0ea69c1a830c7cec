// The endpoints that cancel, resume and delete a run.
import * as z from "zod";
import { dropStored } from "../account/drop-stored.edge.ts";
import { endpoint } from "../account/endpoint.ts";
import { toActor } from "../audit/event.ts";
import { type Failure, fail, ok } from "../failure.ts";
import { longAnswer } from "../http/long-answer.edge.ts";
import { checkAnswerForm, resumeRequestSchema } from "./request.ts";
import { runSchema, UNLISTED_RUN_MEMBERS } from "./response.ts";
import { RUN_NOT_FOUND, toAnswerMode, toOutcomeResult, toRunResult } from "./run/answer.edge.ts";
import { agentRunClient } from "./run/client.edge.ts";
import { findControlRefusal } from "./run/control.edge.ts";
import { resumeRun } from "./run/resume.edge.ts";
import { describeStream, IN_BACKGROUND, RUN_ID_SOURCES, runIdParam } from "./run-path.ts";

export const cancelRunEndpoint = endpoint({
	id: "cancel_agent_run",
	unlistedMembers: UNLISTED_RUN_MEMBERS,
	method: "POST",
	effect: "replaces",
	path: "/v1/agent/{run_id}/cancel",
	access: "key",
	toolGroup: "agents",
	isDefaultTool: true,
	page: "runs",
	summary: "Stops a run before its next call, and answers with its result; a run that is over stays as it is.",
	description: "What the run has cost by then stays charged, and its partial output is kept.",
	params: runIdParam,
	result: runSchema,
	ids: RUN_ID_SOURCES,
	handle: ({ params: { run_id: runId }, context }) =>
		longAnswer(context, { stream: false }, async () => {
			const refused = await findControlRefusal(runId, context);
			if (refused) return fail(refused);
			const cancelled = await agentRunClient(context.env, context.account.userId, runId).cancel();
			if (!cancelled) return fail(RUN_NOT_FOUND);
			const { outcome } = cancelled;
			// An interrupted run is a valid answer here: it has ended.
			return typeof outcome === "string" ? toOutcomeResult(outcome, runId) : toRunResult(outcome);
		}),
});

export const resumeRunEndpoint = endpoint({
	id: "resume_agent_run",
	method: "POST",
	path: "/v1/agent/{run_id}/resume",
	access: "key",
	requestKind: "agent",
	countsTowardsDay: false,
	toolGroup: "agents",
	command: "run",
	page: "runs",
	summary: "Lets an interrupted run go on under its cap, and answers with the run at its end.",
	description:
		"For a run whose status is `interrupted` and whose `sealed` is false, within seven days. It goes on from its stored steps; nothing that was paid for is done again. Of a run that has ended, or that waits for somebody, it answers with that run.",
	params: runIdParam,
	streamsProgress: true,
	body: resumeRequestSchema,
	isBodyOptional: true,
	result: runSchema,
	background: IN_BACKGROUND,
	eventStream: describeStream("With `stream: true`: `event: progress` with what happens"),
	ids: RUN_ID_SOURCES,
	example: { body: {} },
	handle: ({ params: { run_id: runId }, body, context }) =>
		longAnswer(context, { stream: body.stream ?? false }, async (progress) => {
			const form = checkAnswerForm(body);
			if (!form.ok) return form;
			return resumeRun(runId, context, toAnswerMode(body, progress));
		}),
});

const RUN_NOT_ENDED: Failure = {
	reason: "run_not_ended",
	message: "the run has not ended; cancel it, and delete it then",
};
const RUN_NOT_DELETED: Failure = {
	reason: "storage_unavailable",
	message: "the run's last events are not stored yet; try again",
};

export const deleteRunEndpoint = endpoint({
	id: "delete_agent_run",
	method: "DELETE",
	path: "/v1/agent/{run_id}",
	access: "key",
	toolGroup: null,
	summary: "Deletes a run that has ended, with its goal, output and texts, and frees their bytes.",
	description: "Its receipt, its usage and its audit events stay. One under way is cancelled first.",
	params: runIdParam,
	result: z.lazy(() =>
		z.object({
			object: z.literal("agent.run"),
			run_id: z.string(),
			deleted: z.literal(true),
			freed_bytes: z.int(),
		}),
	),
	ids: RUN_ID_SOURCES,
	async handle({ params: { run_id: runId }, context }) {
		const { account, env } = context;
		const refused = await findControlRefusal(runId, context);
		if (refused) return fail(refused);
		const deletion = await agentRunClient(env, account.userId, runId).delete(toActor(account));
		if (deletion === null) return fail(RUN_NOT_FOUND);
		if (deletion === "not_ended") return fail(RUN_NOT_ENDED);
		if (deletion === "unflushed") return fail(RUN_NOT_DELETED);
		await dropStored(`run ${runId} deleted`, account.userId, deletion, context);
		const freed_bytes = deletion.keptBytes + (deletion.rolling?.bytes ?? 0);
		return ok({ object: "agent.run" as const, run_id: runId, deleted: true as const, freed_bytes });
	},
});
