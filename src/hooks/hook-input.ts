// What coding agents send to their hooks (Claude Code: code.claude.com/docs/en/hooks; Codex: developers.openai.com/codex/hooks), and
// what a hook answers. Both agents use the same names. Pure.
import * as z from "zod";
import type { Decision, EventOrigin } from "../audit/event.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Agent } from "./agents.ts";

function textMember(most: number) {
	return z.string().max(most, `must have at most ${most} characters`);
}

/** A hook's input. Each event has further members, which are not looked at. */
export const hookInputSchema = z.lazy(() =>
	z.looseObject({
		hook_event_name: textMember(64).min(1).describe("Such as PreToolUse."),
		session_id: textMember(256).nullish().describe("The agent's session."),
		cwd: textMember(4_096).nullish().describe("Where the agent works, absolute."),
		permission_mode: textMember(64).nullish().describe("Such as default, plan or bypassPermissions."),
		tool_name: textMember(256).nullish().describe("Such as Bash, Edit or mcp__server__tool."),
		tool_input: z.unknown().optional().describe("The tool's arguments."),
		tool_response: z.unknown().optional().describe("What the tool has answered."),
		tool_use_id: textMember(256).nullish().describe("The call of the tool."),
	}),
);
export type HookInput = z.output<typeof hookInputSchema>;

/** Events of a tool that has run, or has failed in running. */
const RECORDED_EVENTS: ReadonlySet<string> = new Set(["PostToolUse", "PostToolUseFailure"]);

/** What a hook's event is for the service: something to decide, something to record, or neither. */
export function readEventKind({ hook_event_name: name }: HookInput): "decide" | "record" | "other" {
	return name === "PreToolUse" ? "decide" : RECORDED_EVENTS.has(name) ? "record" : "other";
}

/** An agent's call of a tool. */
export interface HookCall {
	/** `Bash`, `Edit`, `apply_patch`, `mcp__server__tool` … */
	tool: string;
	input: JsonObject;
	/** Where the agent works, absolute. */
	folder: string;
}

/** The call that an input is about; the name of the member that it lacks to be one. */
export function toHookCall({ tool_name, tool_input, cwd }: HookInput): HookCall | "tool_name" | "tool_input" | "cwd" {
	if (!tool_name) return "tool_name";
	if (!isJsonObject(tool_input)) return "tool_input";
	if (!cwd) return "cwd";
	return { tool: tool_name, input: tool_input, folder: cwd };
}

/** Where an event comes from, as the audit log can be filtered by it. */
export function toEventOrigin(agent: Agent, { session_id, cwd, permission_mode }: HookInput): EventOrigin {
	return {
		agent,
		session_id: session_id ?? null,
		directory: cwd ?? null,
		permission_mode: permission_mode ?? null,
	};
}

/** A hook's answer: `{}` to go on under the agent's own rules, else what it is told. Never `allow`, which would lift those rules. */
export const hookAnswerSchema = z.lazy(() =>
	z.object({
		hookSpecificOutput: z
			.object({
				hookEventName: z.literal("PreToolUse"),
				permissionDecision: z.enum(["ask", "deny"]),
				permissionDecisionReason: z.string(),
			})
			.optional()
			.describe("Absent, the agent goes on under its own rules."),
	}),
);
export type HookAnswer = z.output<typeof hookAnswerSchema>;

/** No objection: the agent's own rules go on to decide. */
export const NO_OBJECTION: HookAnswer = {};

/** Codex has no way for a hook to ask, and lets pass what says so. There, what a person must decide is denied with the way to do it. */
const CODEX_CANNOT_ASK = "A person must decide: ask the user to run it, or to allow it in the workspace's manifest.";

/** A decision in the agent's form. */
export function toHookAnswer(agent: Agent, decision: Decision, reason: string): HookAnswer {
	if (decision === "allow") return NO_OBJECTION;
	const asks = decision !== "deny";
	const canAsk = agent === "claude-code";
	return {
		hookSpecificOutput: {
			hookEventName: "PreToolUse",
			permissionDecision: asks && canAsk ? "ask" : "deny",
			permissionDecisionReason: `svc policy: ${reason}${asks && !canAsk ? ` ${CODEX_CANNOT_ASK}` : ""}`,
		},
	};
}
