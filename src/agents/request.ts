// The body of a run: its schema, its goal, and by what two bodies under one idempotency key are told apart. Pure.
import * as z from "zod";
import { fail, ok, type Result } from "../failure.ts";
import { workspaceIdSchema } from "../ids.ts";
import { POLICIES } from "../orchestration/strategy.ts";
import { type Hash, hashObject } from "../proof/hash.ts";
import { utf8Length } from "../providers/wire.ts";
import { runLimitFields } from "./run-limits.ts";

/** A run's object keeps its goal in one row, of at most 2 MB. */
const MAX_GOAL_BYTES = 1_000_000;
const MAX_KEY_CHARS = 200;
/** Output limit of each call where the client sets none (docs/reference.md, "Limits"). */
export const DEFAULT_MAX_TOKENS = 1_024;
export const DEFAULT_TEMPERATURE = 0.5;

/** Fields of the body; a `null` counts as absent. */
export const agentRunRequestSchema = z.lazy(() =>
	z.object({
		goal: z.string().nullish().describe("What is to be reached."),
		prompt: z.string().nullish().describe("The same, where `goal` is missing or blank."),
		...runLimitFields(),
		policy: z.enum(POLICIES).nullish().describe("`balanced` by default."),
		idempotency_key: z
			.string()
			.min(1)
			.max(MAX_KEY_CHARS)
			.nullish()
			.describe("A second request with the same key and body joins the first run and spends nothing."),
		max_tokens: z.int().positive().nullish().describe(`Of each model call; ${DEFAULT_MAX_TOKENS} by default.`),
		temperature: z.number().min(0).max(2).nullish().describe(`${DEFAULT_TEMPERATURE} by default.`),
		workspace_id: workspaceIdSchema.nullish().describe("Where the run's audit events belong."),
		compliance: z
			.record(z.string(), z.unknown())
			.nullish()
			.describe("A compliance policy: models that it excludes see nothing; before the config's."),
		brain_config: z
			.record(z.string(), z.unknown())
			.nullish()
			.describe("A routing config in its normal form, over the server's; validate_brain_config reads one."),
		stream: z.boolean().nullish().describe("Progress as Server-Sent Events, then the run."),
	}),
);

export type AgentRunRequest = z.output<typeof agentRunRequestSchema>;

/** What is to be reached: `goal`, else `prompt`. */
export function goalOf({ goal, prompt }: Pick<AgentRunRequest, "goal" | "prompt">): Result<string> {
	const path = goal != null && goal.trim() !== "" ? "goal" : "prompt";
	const text = (path === "goal" ? goal : prompt) ?? "";
	if (text.trim() === "") return fail({ reason: "no_goal" });
	if (utf8Length(text) <= MAX_GOAL_BYTES) return ok(text);
	const message = `must have at most ${MAX_GOAL_BYTES} bytes`;
	return fail({ reason: "invalid_request", issues: [{ path, message }] });
}

/**
 * What tells one body from another under the same idempotency key; how the answer is delivered does not.
 * @param rawBody as parsed, before validation changed anything.
 */
export function bodyHash(rawBody: unknown): Hash {
	const { stream: _, ...body } = Object(rawBody) as Record<string, unknown>;
	return hashObject({ type: "svc.agent-body.v1", body });
}
