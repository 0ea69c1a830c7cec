// The endpoint that starts a run.
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { NAME_FIELDS, sessionWarnings } from "../account/request-names.ts";
import { fail } from "../failure.ts";
import type { JsonResult } from "../http/endpoint.ts";
import { longAnswer, type ProgressEvent } from "../http/long-answer.edge.ts";
import type { ClientWarning } from "../inference/client-fields.ts";
import { findFormIssues, ignoredMemberWarnings } from "../inference/ignored-members.ts";
import { withRefusalTrail } from "../inference/record-refusal.edge.ts";
import { type AgentRunRequest, agentRunRequestSchema, checkAnswerForm } from "./request.ts";
import { type RunResponse, runSchema, UNLISTED_RUN_MEMBERS } from "./response.ts";
import { toAnswerMode } from "./run/answer.edge.ts";
import { startOrJoinRun } from "./run/start.edge.ts";
import { describeStream, IN_BACKGROUND } from "./run-path.ts";

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

export const startRunEndpoint = endpoint({
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
	eventStream: describeStream(
		"With `stream: true`: `event: progress` with what happens (`planned`, `step_started`, `step_done`, `tool_called`, `tool_judged`, `tool_done`, `alert`, `finished`)",
	),
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
