// The endpoints that read runs: their list, one run with its steps, and what happens in it.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { readableMakers } from "../account/makers.ts";
import { readFromOwners } from "../audit/owners.edge.ts";
import { fail, ok, type Result } from "../failure.ts";
import { KEY_ROLES } from "../http/endpoint.ts";
import { cursorParam, nextPageMembers, toNextPage } from "../http/list-answer.ts";
import { readListCursor } from "../http/list-position.ts";
import { logError } from "../http/log.edge.ts";
import { longAnswer } from "../http/long-answer.edge.ts";
import { booleanParam, integerParam, timestampParam } from "../http/query.ts";
import {
	type RunSummary,
	runSchema,
	runStatusSchema,
	runSummarySchema,
	stepTextSchema,
	toTrajectoryResponse,
	trajectorySchema,
	UNLISTED_RUN_MEMBERS,
} from "./response.ts";
import { RUN_NOT_FOUND, toRunResult } from "./run/answer.edge.ts";
import { agentRunClient } from "./run/client.edge.ts";
import { findReadRefusal } from "./run/control.edge.ts";
import { parseRunId } from "./run/run-ids.edge.ts";
import { mergeRunPage } from "./run/run-page.ts";
import type { RunView } from "./run/run-view.ts";
import { findRun, findRuns } from "./run/runs.store.ts";
import { watchRun } from "./run/watch.edge.ts";
import { describeStream, RUN_ID_SOURCES, runIdParam } from "./run-path.ts";

const DEFAULT_LISTED_RUNS = 50;
const MAX_LISTED_RUNS = 200;

export const listRunsEndpoint = endpoint({
	id: "list_agent_runs",
	method: "GET",
	path: "/v1/agent/runs",
	access: "key",
	roles: KEY_ROLES,
	toolGroup: "agents",
	page: "runs",
	summary: "The caller's runs, newest first.",
	description:
		"To find a run's id, its status and what it has cost, and with `status=requires_action` what waits; its steps are get_agent_trajectory's.",
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

export const getRunEndpoint = endpoint({
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
	description: "To see how a run stands and what it waits for (`pending`), or to read its output.",
	params: runIdParam,
	result: runSchema,
	ids: RUN_ID_SOURCES,
	async handle({ params, context }) {
		const found = await findOwnRun(params.run_id, context);
		return found.ok ? toRunResult(found.value) : found;
	},
});

export const getTrajectoryEndpoint = endpoint({
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
	ids: RUN_ID_SOURCES,
	example: { query: { full: "true" } },
	async handle({ params, query, context }) {
		const found = await findOwnRun(params.run_id, context);
		return found.ok ? ok(toTrajectoryResponse(found.value.run, query.full)) : found;
	},
});

/** The index of a step in a path. Malformed text is the index of no step. */
function parseStepIndex(text: string): number {
	return /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : -1;
}

export const getStepEndpoint = endpoint({
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
	ids: RUN_ID_SOURCES,
	example: { params: { index: "0" } },
	async handle({ params: { run_id: runId, index }, context }) {
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

export const watchRunEndpoint = endpoint({
	id: "watch_agent_run",
	method: "GET",
	path: "/v1/agent/{run_id}/events",
	access: "key",
	roles: KEY_ROLES,
	countsTowardsDay: false,
	toolGroup: null,
	page: "runs",
	summary: "What happens in one of the caller's runs, until it is over, waits or is interrupted; then the run.",
	description: "To look on: watching changes nothing, and lets no interrupted run go on.",
	params: runIdParam,
	query: z.lazy(() =>
		z.object({
			stream: booleanParam()
				.default(true)
				.describe("With false, one JSON body: the run, when it is over, waits or is interrupted."),
		}),
	),
	result: runSchema,
	eventStream: describeStream(
		"`event: progress` with the run as it is (`type: run`), then what happens as where the run was started",
	),
	ids: RUN_ID_SOURCES,
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
