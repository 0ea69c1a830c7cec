// The body of a run's request: its schema, its goal, and the hash that compares bodies under one idempotency key. Pure.
import * as z from "zod";
import { nameFields } from "../account/request-names.ts";
import { fail, ok, type Result } from "../failure.ts";
import { workspaceIdSchema } from "../ids.ts";
import { taskTextSchema } from "../inference/task-text.ts";
import { reasoningEffortField } from "../orchestration/request.ts";
import { POLICIES } from "../orchestration/strategy.ts";
import { type Hash, hashObject } from "../proof/hash.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { MAX_WEBHOOK_URL_CHARS } from "../webhooks/webhook.ts";
import { runLimitFields } from "./run/limits.ts";
import { resolutionFields } from "./tools/resolution.ts";
import { toolFields } from "./tools/tool-request.ts";

const MAX_KEY_CHARS = 200;
const MAX_TIME_ZONE_CHARS = 64;
/** Default output limit of each call (docs/reference/conventions.md, "Limits"). */
export const DEFAULT_AGENT_MAX_TOKENS = 1_024;
export const DEFAULT_AGENT_TEMPERATURE = 0.5;
/** The zone of the date that steps are told. */
export const DEFAULT_TIME_ZONE = "UTC";

/** The fields that say how a run is answered. They change nothing of the run. */
function answerFields() {
	return {
		stream: z.boolean().nullish().describe("Progress as Server-Sent Events, then the run."),
		background: z.boolean().nullish().describe("Answer at once with 202 and the run; not with `stream`."),
	};
}

/** Whether a name is that of an IANA time zone. An offset such as `+01:00` is none. */
function isTimeZone(name: string): boolean {
	if (!/^[A-Za-z]/.test(name)) return false;
	try {
		new Intl.DateTimeFormat("en-US", { timeZone: name });
		return true;
	} catch {
		return false;
	}
}

/** A `null` counts as absent. */
export const agentRunRequestSchema = z.lazy(() =>
	z.object({
		goal: taskTextSchema().nullish().describe("The goal; at most 256 KiB."),
		prompt: taskTextSchema().nullish().describe("The same, where `goal` is blank."),
		...runLimitFields(),
		policy: z.enum(POLICIES).nullish().describe("First intensity; `balanced` by default."),
		idempotency_key: z
			.string()
			.min(1)
			.max(MAX_KEY_CHARS)
			.nullish()
			.describe("The same key and body again join the first run and spend nothing."),
		max_tokens: z
			.int()
			.positive()
			.nullish()
			.describe(`Most tokens of each call; ${DEFAULT_AGENT_MAX_TOKENS} by default.`),
		temperature: z.number().min(0).max(2).nullish().describe(`${DEFAULT_AGENT_TEMPERATURE} by default.`),
		reasoning_effort: reasoningEffortField(),
		time_zone: z
			.string()
			.max(MAX_TIME_ZONE_CHARS)
			.refine(isTimeZone, "is no IANA time zone")
			.nullish()
			.describe("IANA zone of the date that each step is told, such as `Europe/Warsaw`; `UTC` by default."),
		workspace_id: workspaceIdSchema
			.nullish()
			.describe("Where its audit events belong; with tools it is required, and its manifest judges their calls."),
		...toolFields(),
		...ruleFields(),
		...nameFields(),
		...answerFields(),
		webhook: z
			.string()
			.max(MAX_WEBHOOK_URL_CHARS)
			.nullish()
			.describe(
				"An https address that is told when the run has ended or is interrupted; its host is one that the operator allows.",
			),
	}),
);

/** A run that is resumed stays as it was requested. */
export const resumeRequestSchema = z.lazy(() => z.object(answerFields()));

/** What a run waits for, answered. */
export const resolveRequestSchema = z.lazy(() => z.object({ ...resolutionFields(), ...answerFields() }));

/** How a request wants its answer. */
type AnswerForm = z.output<z.ZodObject<ReturnType<typeof answerFields>>>;

/** Refuses a stream of an answer that comes at once. */
export function checkAnswerForm({ stream, background }: AnswerForm): Result<null> {
	if (!stream || !background) return ok(null);
	const message = "a run in the background is answered at once, and has no stream";
	return fail({ reason: "invalid_request", issues: [{ path: "background", message }] });
}

export type AgentRunRequest = z.output<typeof agentRunRequestSchema>;

/** `goal`, or `prompt` when `goal` is blank. */
export function parseGoal({ goal, prompt }: Pick<AgentRunRequest, "goal" | "prompt">): Result<string> {
	const text = [goal, prompt].find((candidate) => candidate != null && candidate.trim() !== "");
	return text == null ? fail({ reason: "no_goal" }) : ok(text);
}

/**
 * Two bodies with one hash are the same request. `stream` and `background` are not hashed.
 * @param rawBody as parsed, before validation.
 */
export function bodyHash(rawBody: unknown): Hash {
	const { stream: _, background: __, ...body } = Object(rawBody) as Record<string, unknown>;
	return hashObject({ type: "svc.agent-body.v1", body });
}
