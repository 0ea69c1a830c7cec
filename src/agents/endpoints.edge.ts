// The endpoints of agent runs.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { dropStored } from "../account/drop-stored.edge.ts";
import { endpoint } from "../account/endpoint.ts";
import { readableMakers } from "../account/makers.ts";
import { NAME_FIELDS, sessionWarnings } from "../account/request-names.ts";
import { toActor } from "../audit/event.ts";
import { readFromOwners } from "../audit/owners.edge.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { type Endpoint, type IdSources, type JsonResult, KEY_ROLES } from "../http/endpoint.ts";
import { cursorParam, nextPageMembers, toNextPage } from "../http/list-answer.ts";
import { readListCursor } from "../http/list-position.ts";
import { logError } from "../http/log.edge.ts";
import { longAnswer, type ProgressEvent } from "../http/long-answer.edge.ts";
import { booleanParam, integerParam, timestampParam } from "../http/query.ts";
import type { ClientWarning } from "../inference/client-fields.ts";
import { findFormIssues, ignoredMemberWarnings } from "../inference/ignored-members.ts";
import { withRefusalTrail } from "../inference/record-refusal.edge.ts";
import { type AgentRunRequest, agentRunRequestSchema, checkAnswerForm, resumeRequestSchema } from "./request.ts";
import { resolveRunEndpoint } from "./resolve-endpoint.edge.ts";
import {
	type RunResponse,
	type RunSummary,
	runSchema,
	runStatusSchema,
	runSummarySchema,
	stepTextSchema,
	toTrajectoryResponse,
	trajectorySchema,
	UNLISTED_RUN_MEMBERS,
} from "./response.ts";
import { RUN_NOT_FOUND, toAnswerMode, toOutcomeResult, toRunResult } from "./run/answer.edge.ts";
import { agentRunClient } from "./run/client.edge.ts";
import { findControlRefusal, findReadRefusal } from "./run/control.edge.ts";
import { resumeRun } from "./run/resume.edge.ts";
import { isOwnRunId, parseRunId } from "./run/run-ids.edge.ts";
import { mergeRunPage } from "./run/run-page.ts";
import type { RunView } from "./run/run-view.ts";
import { findRun, findRuns } from "./run/runs.store.ts";
import { startOrJoinRun } from "./run/start.edge.ts";
import { watchRun } from "./run/watch.edge.ts";
import { verifyTrajectoryEndpoint } from "./verify.edge.ts";

const DEFAULT_LISTED_RUNS = 50;
const MAX_LISTED_RUNS = 200;

const runIdParam = z.lazy(() => z.object({ run_id: z.string() }));

const RUN: IdSources = { run_id: { answerOf: "start_agent_run" } };

const IN_BACKGROUND = "With `background: true`: the run as it stands, which goes on.";

/** The warning that a request for self-approval is in vain; none where it is not. */
function selfApprovalWarnings({ self_approval }: AgentRunRequest, { account }: KeyContext): ClientWarning[] {
	if (self_approval !== true || account.key.role === "owner") return [];
	const message = "self_approval counts only for runs that an owner's key begins";
	return [{ code: "parameter_dropped", param: "self_approval", message }];
}

/** Starts or joins a run, and warns of what the body asks for in vain. */
async function startRun(
	body: AgentRunRequest,
	context: KeyContext,
	progress: (event: ProgressEvent) => void,
): Promise<JsonResult<RunResponse>> {
	const issues = findFormIssues(context.rawBody, body);
	if (issues.length > 0) return fail({ reason: "invalid_request", issues });
	const form = checkAnswerForm(body);
	if (!form.ok) return form;
	const result = await startOrJoinRun(body, context, toAnswerMode(body, progress));
	const ignored = [
		...ignoredMemberWarnings(context.rawBody, body),
		...selfApprovalWarnings(body, context),
		...sessionWarnings(context),
	];
	if (!result.ok || ignored.length === 0) return result;
	const warnings = [...ignored, ...(result.value.svc?.warnings ?? [])];
	return { ...result, value: { ...result.value, svc: { warnings } } };
}

const startRunEndpoint = endpoint({
	id: "start_agent_run",
	// Each session pays for the list: what a client of MCP rarely gives is left out of it, and taken all the same.
	unlistedArguments: [
		...["rules", "reasoning_effort", "webhook", "brain_config", "time_zone", "output_schema", "compliance"],
		...["function", "strict", "commands", "files", "hosts", "max_calls", "timeout_s", "quarantine"],
		...[
			"max_tool_calls",
			"plan",
			"self_approval",
			"prompt",
			"temperature",
			"max_tokens",
			"max_cost_per_step",
			"policy",
		],
		...NAME_FIELDS,
	],
	unlistedMembers: UNLISTED_RUN_MEMBERS,
	method: "POST",
	path: "/v1/agent/run",
	access: "key",
	admission: "handler",
	requestKind: "agent",
	toolGroup: "agents",
	isDefaultTool: true,
	command: "run",
	page: "runs",
	summary: "Works on a goal in steps, under a cap that is never exceeded, and answers with the run and its proof.",
	description:
		"For a goal of several steps; it costs at most `max_cost_usd` and goes on when its caller leaves. With `tools` it may stop with status `requires_action`: resolve_agent_run answers what is in `pending`.",
	emptyField: { name: "goal", failure: { reason: "no_goal" } },
	streamsProgress: true,
	body: agentRunRequestSchema,
	result: runSchema,
	background: IN_BACKGROUND,
	eventStream:
		"With `stream: true`: `event: progress` with what happens (`planned`, `step_started`, `step_done`, `tool_called`, `tool_judged`, `tool_done`, `alert`, `finished`), then `event: result` with the run, `event: requires_action` with a run that waits, or `event: error`.",
	ids: { workspace_id: { chosenIn: "create_handoff" }, idempotency_key: { chosenIn: "start_agent_run" } },
	example: {
		body: {
			max_cost_usd: 0.05,
			goal: "1. Name three rivers of France\n2. Say where each begins\n3. Put them in a table",
		},
	},
	handle: ({ body, context }) =>
		longAnswer(context, { stream: body.stream ?? false }, (progress) =>
			withRefusalTrail(startRun(body, context, progress), context),
		),
});

const listRunsEndpoint = endpoint({
	id: "list_agent_runs",
	method: "GET",
	path: "/v1/agent/runs",
	access: "key",
	roles: KEY_ROLES,
	toolGroup: "agents",
	page: "runs",
	summary: "The caller's runs, newest first.",
	description: "To find a run's id, its status and what it has cost; its steps are get_agent_trajectory's.",
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, Number.MAX_SAFE_INTEGER)
				.default(DEFAULT_LISTED_RUNS)
				.describe(`At most ${MAX_LISTED_RUNS}; a higher number counts as ${MAX_LISTED_RUNS}.`),
			status: runStatusSchema.optional().describe("Only runs of this status."),
			since: timestampParam.optional().describe("Only runs that began then or later."),
			until: timestampParam.optional().describe("Only runs that began before."),
			cursor: cursorParam(),
		}),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			count: z.int().describe("Runs on this page."),
			...nextPageMembers(),
			data: z.array(runSummarySchema),
		}),
	),
	ids: { cursor: { pageAfter: "start_agent_run" } },
	example: { query: { limit: "1" } },
	async handle({ query, context }) {
		const { account, db, env } = context;
		const { status, since, until } = query;
		const after = readListCursor(query.cursor, (id) => parseRunId(id, context) !== null);
		if (!after.ok) return after;
		const page = {
			filter: { status, since, until, apiKeyIds: readableMakers(account) ?? undefined },
			after: after.value,
			limit: Math.min(query.limit, MAX_LISTED_RUNS),
		};
		// Objects are read before D1: what they flush in between is then found in D1.
		const owned = await readFromOwners(context, "run", ({ id }) =>
			agentRunClient(env, account.userId, id).unflushedRun(),
		);
		if (!owned.ok) return owned;
		const unflushed = owned.value.flatMap(({ row }) => row ?? []);
		const stored = await context.timings.measure("d1", () => findRuns(db, account.userId, page));
		const { entries, nextCursor } = mergeRunPage(stored, unflushed, page);
		return ok({
			object: "list" as const,
			count: entries.length,
			...toNextPage(nextCursor),
			data: entries.map(({ summary }) => JSON.parse(summary) as RunSummary),
		});
	},
});

/** One of the runs that the caller reads: from D1 when it is over, else from its object. */
async function findOwnRun(runId: string, context: KeyContext): Promise<Result<RunView>> {
	const { account, db, env, timings } = context;
	if (!isOwnRunId(runId, context)) return fail(RUN_NOT_FOUND);
	const refused = await findReadRefusal(runId, context);
	if (refused) return fail(refused);
	const stored = await timings
		.measure("d1", () => findRun(db, account.userId, runId))
		.catch((error: unknown) => {
			logError("agent_run_unread", error);
			return null;
		});
	if (stored !== null) return ok(JSON.parse(stored) as RunView);
	const view = await agentRunClient(env, account.userId, runId).read();
	return view ? ok(view) : fail(RUN_NOT_FOUND);
}

const getRunEndpoint = endpoint({
	id: "get_agent_run",
	unlistedMembers: UNLISTED_RUN_MEMBERS,
	method: "GET",
	path: "/v1/agent/{run_id}",
	access: "key",
	roles: KEY_ROLES,
	// A run in the background is polled.
	countsTowardsDay: false,
	toolGroup: "agents",
	isDefaultTool: true,
	page: "runs",
	summary: "One of the caller's runs as it stands.",
	description: "To look after a run under way, or to read the output of one that is over.",
	params: runIdParam,
	result: runSchema,
	ids: RUN,
	async handle({ params, context }) {
		const found = await findOwnRun(params.run_id, context);
		return found.ok ? toRunResult(found.value) : found;
	},
});

const getTrajectoryEndpoint = endpoint({
	id: "get_agent_trajectory",
	method: "GET",
	path: "/v1/agent/{run_id}/trajectory",
	access: "key",
	roles: KEY_ROLES,
	toolGroup: "agents",
	command: "verify",
	page: "runs",
	summary: "The steps of a run with their proofs, recomputed; with `full` as whole hashes and what verifies them.",
	description: "To show somebody what was done at what cost; `verify_request` is what verify_trajectory takes.",
	params: runIdParam,
	query: z.lazy(() =>
		z.object({ full: booleanParam().default(false).describe("With true whole hashes and `verify_request`.") }),
	),
	result: trajectorySchema,
	ids: RUN,
	example: { query: { full: "true" } },
	async handle({ params, query, context }) {
		const found = await findOwnRun(params.run_id, context);
		return found.ok ? ok(toTrajectoryResponse(found.value.run, query.full)) : found;
	},
});

const cancelRunEndpoint = endpoint({
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
	ids: RUN,
	handle: ({ params: { run_id: runId }, context }) =>
		longAnswer(context, { stream: false }, async () => {
			if (!isOwnRunId(runId, context)) return fail(RUN_NOT_FOUND);
			const refused = await findControlRefusal(runId, context);
			if (refused) return fail(refused);
			const cancelled = await agentRunClient(context.env, context.account.userId, runId).cancel();
			if (!cancelled) return fail(RUN_NOT_FOUND);
			const { outcome } = cancelled;
			// An interrupted run is a valid answer here: it has ended.
			return typeof outcome === "string" ? toOutcomeResult(outcome, runId) : toRunResult(outcome);
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

const deleteRunEndpoint = endpoint({
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
	ids: RUN,
	async handle({ params: { run_id: runId }, context }) {
		const { account, env } = context;
		if (!isOwnRunId(runId, context)) return fail(RUN_NOT_FOUND);
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

const resumeRunEndpoint = endpoint({
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
	eventStream:
		"With `stream: true`: `event: progress` with what happens, then `event: result` with the run, `event: requires_action` with a run that waits, or `event: error`.",
	ids: RUN,
	example: { body: {} },
	handle: ({ params: { run_id: runId }, body, context }) =>
		longAnswer(context, { stream: body.stream ?? false }, async (progress) => {
			const form = checkAnswerForm(body);
			if (!form.ok) return form;
			if (!isOwnRunId(runId, context)) return fail(RUN_NOT_FOUND);
			return resumeRun(runId, context, toAnswerMode(body, progress));
		}),
});

const watchRunEndpoint = endpoint({
	id: "watch_agent_run",
	method: "GET",
	path: "/v1/agent/{run_id}/events",
	access: "key",
	roles: KEY_ROLES,
	countsTowardsDay: false,
	toolGroup: null,
	page: "runs",
	summary: "What happens in one of the caller's runs, until it is over or interrupted; then the run.",
	description: "To look on: watching changes nothing, and lets no interrupted run go on.",
	params: runIdParam,
	query: z.lazy(() =>
		z.object({
			stream: booleanParam()
				.default(true)
				.describe("With false, one JSON body: the run, when it is over or interrupted."),
		}),
	),
	result: runSchema,
	eventStream:
		"`event: progress` with the run as it is (`type: run`), then what happens as where the run was started, then `event: result` with the run, `event: requires_action` with a run that waits, or `event: error`.",
	ids: RUN,
	example: { query: { stream: "false" } },
	handle: ({ params: { run_id: runId }, query: { stream }, context }) =>
		longAnswer(context, { stream }, async (progress, signal) => {
			// One that is over is found without its object.
			const found = await findOwnRun(runId, context);
			if (!found.ok) return found;
			if (found.value.run.status === "running") return watchRun(runId, context, progress, signal);
			progress({ type: "run", run: found.value.run });
			return toRunResult(found.value);
		}),
});

/** The index of a step in a path. Malformed text is the index of no step. */
function parseStepIndex(text: string): number {
	return /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : -1;
}

const getStepEndpoint = endpoint({
	id: "get_agent_step",
	method: "GET",
	path: "/v1/agent/{run_id}/steps/{index}",
	access: "key",
	roles: KEY_ROLES,
	cacheControl: "no-store",
	toolGroup: "agents",
	page: "runs",
	summary:
		"One step of a run with the text that it wrote, and of a step with tools what was called, decided and answered.",
	description: "For thirty days after the run's end; then, and where nothing may be kept, it is 404 text_expired.",
	params: z.lazy(() => z.object({ run_id: z.string(), index: z.string().describe("From 0.") })),
	result: stepTextSchema,
	ids: RUN,
	example: { params: { index: "0" } },
	async handle({ params: { run_id: runId, index }, context }) {
		if (!isOwnRunId(runId, context)) return fail(RUN_NOT_FOUND);
		const refused = await findReadRefusal(runId, context);
		if (refused) return fail(refused);
		const step = await agentRunClient(context.env, context.account.userId, runId).readStep(parseStepIndex(index));
		if (step === null) return fail(RUN_NOT_FOUND);
		if (step === "unknown") return fail({ reason: "step_not_found", message: "the run has no such step" });
		if (step === "expired")
			return fail({ reason: "text_expired", message: "the text of this step is not kept any more" });
		return ok(step);
	},
});

export const agentEndpoints: readonly Endpoint[] = [
	startRunEndpoint,
	listRunsEndpoint,
	verifyTrajectoryEndpoint,
	getRunEndpoint,
	getTrajectoryEndpoint,
	getStepEndpoint,
	watchRunEndpoint,
	cancelRunEndpoint,
	resumeRunEndpoint,
	resolveRunEndpoint,
	deleteRunEndpoint,
];
