// The endpoint that answers what a waiting run asks for.
import { endpoint } from "../account/endpoint.ts";
import { fail } from "../failure.ts";
import { KEY_ROLES } from "../http/endpoint.ts";
import { longAnswer } from "../http/long-answer.edge.ts";
import { parseExactJson } from "../json.ts";
import { checkAnswerForm, resolveRequestSchema } from "./request.ts";
import { runSchema, UNLISTED_RUN_MEMBERS } from "./response.ts";
import { RUN_NOT_FOUND, toAnswerMode } from "./run/answer.edge.ts";
import { isOwnRunId } from "./run/run-ids.edge.ts";
import { describeStream, RUN_ID_SOURCES, runIdParam } from "./run-path.ts";
import { resolveRun } from "./tools/resolve.edge.ts";

export const resolveRunEndpoint = endpoint({
	id: "resolve_agent_run",
	unlistedArguments: ["message", "background"],
	unlistedMembers: UNLISTED_RUN_MEMBERS,
	method: "POST",
	path: "/v1/agent/{run_id}/resolve",
	access: "key",
	roles: KEY_ROLES,
	requestKind: "agent",
	countsTowardsDay: false,
	toolGroup: "agents",
	isDefaultTool: true,
	command: "run",
	page: "waiting",
	summary: "Answers some or all of what a waiting run asks for; once all is answered, the run goes on.",
	description:
		"For a run whose status is `requires_action`: `pending` says what it waits for. With some answered, the answer says what is left; with all, it is that of start_agent_run. The same answers again change nothing. An answer that comes after another one is 409 `action_conflict`: `decided` says what was decided, by which key (`key_id`) and when (`at`). An `approval` or a `plan` takes an approver's or owner's key that neither began the run nor comes from the one that did.",
	params: runIdParam,
	streamsProgress: true,
	body: resolveRequestSchema,
	// A result may hold an id of 64 bits.
	parseBody: parseExactJson,
	result: runSchema,
	background: "With `background: true`, once all is answered: the run as it stands, which goes on.",
	eventStream: describeStream("With `stream: true`: `event: progress` with what happens"),
	ids: RUN_ID_SOURCES,
	example: { body: { resolutions: [] } },
	handle: ({ params: { run_id: runId }, body, context }) =>
		longAnswer(context, { stream: body.stream ?? false }, async (progress) => {
			const form = checkAnswerForm(body);
			if (!form.ok) return form;
			if (!isOwnRunId(runId, context)) return fail(RUN_NOT_FOUND);
			return resolveRun(runId, body, context, toAnswerMode(body, progress));
		}),
});
