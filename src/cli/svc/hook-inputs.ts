// What coding agents tell their hooks before a tool runs, as a policy check; and the check's decision in the agent's own form.
// Claude Code: docs.claude.com/en/docs/claude-code/hooks. Codex: developers.openai.com/codex/hooks. Pure.
import { basename, relative, resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJson } from "../../json.ts";
import { toShellWord } from "../../text/shell-word.ts";
import type { PolicyAnswer, PolicyBody } from "./check.ts";

export const AGENTS = ["claude-code", "codex"] as const;
export type Agent = (typeof AGENTS)[number];

/** An agent's call of a tool. */
export interface ToolCall {
	/** `Bash`, `Edit`, `apply_patch`, `mcp__server__tool` … */
	tool: string;
	input: JsonObject;
	/** Where the agent works, absolute. */
	folder: string;
}

/** Reads a hook's input. Null for text that is none, which must not pass. */
export function parseToolCall(text: string): ToolCall | null {
	const hook = parseJson(text);
	if (!isJsonObject(hook)) return null;
	const { hook_event_name, tool_name, tool_input, cwd } = hook;
	if (hook_event_name !== "PreToolUse" && hook_event_name !== "PermissionRequest") return null;
	if (typeof tool_name !== "string" || !isJsonObject(tool_input) || typeof cwd !== "string") return null;
	return { tool: tool_name, input: tool_input, folder: cwd };
}

/** A path as the workspace's rules name it: relative to its root where it is below. An agent means it from its own folder. */
function toWorkspacePath(path: string, folder: string, root: string): string {
	const whole = resolve(folder, path);
	const below = relative(root, whole);
	return below === "" ? "." : /^\.\.(\/|$)/.test(below) ? whole : below;
}

/** A command with the folder that it starts in. All commands of a check share one shell. */
function inFolder(command: string, { folder }: ToolCall, root: string): string[] {
	const place = toWorkspacePath(folder, folder, root);
	return place === "." ? [command] : [`cd ${toShellWord(place)}`, command];
}

/** The files that a patch of Codex names, and what becomes of them. */
function patchedFiles(patch: string): { path: string; isDeleted: boolean }[] {
	return [...patch.matchAll(/^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/gm)].map(
		([, verb, path = ""]) => ({
			path,
			isDeleted: verb === "Delete File",
		}),
	);
}

function shellText(command: unknown): string | null {
	if (typeof command === "string") return command;
	if (!Array.isArray(command)) return null;
	return command.map((word) => toShellWord(String(word))).join(" ");
}

type CheckParts = Pick<PolicyBody, "action" | "action_kind" | "commands" | "files_affected">;

function firstText(...values: unknown[]): string | undefined {
	return values.find((value) => typeof value === "string" && value !== "") as string | undefined;
}

/** What a tool call does; null where its input does not say. */
type ToolReader = (call: ToolCall, root: string) => CheckParts | null;

function readCommand(call: ToolCall, root: string): CheckParts | null {
	const { input } = call;
	const command = shellText(input["command"] ?? input["cmd"]);
	if (command === null || command.trim() === "") return null;
	const action = firstText(input["description"], input["justification"]) ?? "Run a command";
	return { action, commands: inFolder(command, call, root) };
}

function readPatch({ input, folder }: ToolCall, root: string): CheckParts | null {
	const files = patchedFiles(firstText(input["command"], input["patch"], input["input"]) ?? "");
	if (files.length === 0) return null;
	return {
		action: "Apply a patch",
		action_kind: files.some(({ isDeleted }) => isDeleted) ? "delete" : "edit",
		files_affected: files.map(({ path }) => toWorkspacePath(path, folder, root)),
	};
}

function readEdit({ tool, input, folder }: ToolCall, root: string): CheckParts | null {
	const path = firstText(input["file_path"], input["notebook_path"], input["path"]);
	if (path === undefined) return null;
	return { action: `${tool} a file`, action_kind: "edit", files_affected: [toWorkspacePath(path, folder, root)] };
}

/** Reading shows a secret as `cat` does. */
function readRead({ input, folder }: ToolCall, root: string): CheckParts | null {
	const path = firstText(input["file_path"], input["path"]);
	return path === undefined
		? null
		: { action: "Read a file", commands: [`cat -- ${toShellWord(toWorkspacePath(path, folder, root))}`] };
}

/** Fetching asks a host as `curl` does. */
function readFetch({ input }: ToolCall): CheckParts | null {
	const url = firstText(input["url"]);
	return url === undefined ? null : { action: "Fetch a page", commands: [`curl -- ${toShellWord(url)}`] };
}

const READERS: ReadonlyMap<string, ToolReader> = new Map([
	...["Bash", "Monitor", "PowerShell", "shell", "local_shell", "shell_command", "exec_command"].map(
		(tool) => [tool, readCommand] as const,
	),
	...["Write", "Edit", "MultiEdit", "NotebookEdit"].map((tool) => [tool, readEdit] as const),
	["apply_patch", readPatch],
	["Read", readRead],
	["WebFetch", readFetch],
]);

/**
 * A tool call as what is checked. Null for tools that the policy has no words for: the agent's own rules decide on them.
 * `unreadable`: a tool that is judged, with input that does not say what it would do, which must not pass.
 */
export function toPolicyCheck(call: ToolCall, root: string): CheckParts | "unreadable" | null {
	const read = READERS.get(call.tool);
	return read ? (read(call, root) ?? "unreadable") : null;
}

/** The workspace's id where none is given: the name of its folder, in the letters that ids have. */
export function nameWorkspace(root: string): string {
	const name = basename(root)
		.replace(/[^A-Za-z0-9._:/@-]/g, "-")
		.slice(0, 128);
	return /^\.{0,2}$/.test(name) ? "workspace" : name;
}

/** What a hook answers: what it prints, and how it ends. */
export interface HookAnswer {
	stdout: string;
	stderr: string;
	exitCode: number;
}

/** No objection: the agent's own rules go on to decide. */
export const NO_OBJECTION: HookAnswer = { stdout: "", stderr: "", exitCode: 0 };

function decided(permissionDecision: "ask" | "deny", permissionDecisionReason: string): HookAnswer {
	const hookSpecificOutput = { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason };
	return { stdout: `${JSON.stringify({ hookSpecificOutput })}\n`, stderr: "", exitCode: 0 };
}

/** A refusal without a decision: exit code 2 blocks in both agents, and what is on standard error is read by the model. */
export function refuse(reason: string): HookAnswer {
	return { stdout: "", stderr: `${reason}\n`, exitCode: 2 };
}

/**
 * A decision in the agent's form. What is allowed is left to the agent's own rules: a hook that said `allow` would lift them. Codex
 * has no way for a hook to ask, and lets pass what says so; there, what a person must decide is denied with the way to do it.
 */
export function toHookAnswer(
	agent: Agent,
	{ decision, reason }: Pick<PolicyAnswer, "decision" | "reason">,
): HookAnswer {
	if (decision === "allow") return NO_OBJECTION;
	const text = `svc policy: ${reason}`;
	if (decision === "deny") return decided("deny", text);
	if (agent === "claude-code") return decided("ask", text);
	return decided(
		"deny",
		`${text} A person must decide: ask the user to run it, or to allow it in the workspace's manifest.`,
	);
}
