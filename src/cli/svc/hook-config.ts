// What coding agents are configured with so that a hook is asked before each tool. Pure.
// Claude Code: code.claude.com/docs/en/hooks and /settings. Codex: developers.openai.com/codex/hooks.
import { toShellWord } from "../../text/shell-word.ts";
import type { Agent } from "./hook-inputs.ts";

/** A configuration, and where it belongs. */
export interface HookConfig {
	file: string;
	text: string;
}

/** How long an agent waits for a hook that is a program. One that it had to stop is no objection to it. */
export const AGENT_TIMEOUT_SECONDS = 30;

/** How long a hook waits for the service where it is asked without this program. */
export const DIRECT_TIMEOUT_SECONDS = 20;

/** The first Claude Code in which a hook that fails can block. Older ones ignore `onFailure` and let the call pass. */
const BLOCKING_VERSION = "2.1.295";

/** The variable that holds the key. The key itself stands in no file. */
const KEY_VARIABLE = "SVC_API_KEY";

/** The version that `claude --version` names: `2.1.330 (Claude Code)`. Null for other texts. */
export function readClaudeVersion(output: string): string | null {
	return /^(\d+\.\d+\.\d+)(?: |\s*$)/.exec(output)?.[1] ?? null;
}

/** Whether a version of Claude Code blocks a call whose HTTP hook fails. */
export function blocksOnFailure(version: string): boolean {
	const [own, first] = [version, BLOCKING_VERSION].map((text) => text.split(".").map(Number));
	const at = first?.findIndex((part, index) => part !== own?.[index]) ?? -1;
	return at < 0 || (own?.[at] ?? 0) > (first?.[at] ?? 0);
}

/** Where a hook asks: the service's address without a version, and the place that is judged. */
export interface HookTarget {
	origin: string;
	workspace: string;
	/** Absolute; left out where an agent's own folder is the root. */
	root?: string | undefined;
}

function toHookUrl(agent: Agent, { origin, workspace, root }: HookTarget): string {
	const query = [["workspace", workspace], ...(root === undefined ? [] : [["root", root]])];
	const search = query.map(([name, value = ""]) => `${name}=${encodeURIComponent(value)}`);
	return `${origin}/v1/hooks/${agent}?${search.join("&")}`;
}

function toJsonText(settings: unknown): string {
	return `${JSON.stringify(settings, null, 2)}\n`;
}

/** Claude Code's hooks that ask the service over HTTP. What is only recorded afterwards blocks nothing when it fails. */
function toHttpHooks(url: string, timeout: number): Record<string, unknown> {
	const headers = { Authorization: `Bearer $${KEY_VARIABLE}` };
	const ask = { type: "http", url, timeout };
	const sent = { headers, allowedEnvVars: [KEY_VARIABLE] };
	const group = (hook: unknown) => [{ matcher: "*", hooks: [hook] }];
	return {
		PreToolUse: group({ ...ask, onFailure: "block", ...sent }),
		PostToolUse: group({ ...ask, ...sent }),
	};
}

/** Settings of Claude Code that ask the service over HTTP, with nothing installed. They are for {@link blocksOnFailure} alone. */
export function renderHttpConfig(target: HookTarget, timeoutSeconds: number): HookConfig {
	const hooks = toHttpHooks(toHookUrl("claude-code", target), timeoutSeconds);
	return { file: ".claude/settings.json", text: toJsonText({ hooks }) };
}

/** An organisation's settings: its hooks alone run, they reach this service alone, and no version that would let calls pass starts. */
export function renderManagedConfig(target: HookTarget, timeoutSeconds: number): HookConfig {
	const settings = {
		requiredMinimumVersion: BLOCKING_VERSION,
		allowManagedHooksOnly: true,
		allowedHttpHookUrls: [`${target.origin}/v1/hooks/claude-code*`],
		httpHookAllowedEnvVars: [KEY_VARIABLE],
		hooks: toHttpHooks(toHookUrl("claude-code", target), timeoutSeconds),
	};
	return { file: "managed-settings.json", text: toJsonText(settings) };
}

/** A hook of Codex: a line of shell. */
function toCodexHook(event: string, matcher: string | null, command: string): string {
	return `
[[hooks.${event}]]
${matcher === null ? "" : `matcher = ${JSON.stringify(matcher)}\n`}
[[hooks.${event}.hooks]]
type = "command"
command = ${JSON.stringify(command)}
timeout = ${AGENT_TIMEOUT_SECONDS}
`;
}

function toCodexConfig(hooks: readonly string[]): HookConfig {
	return { file: "~/.codex/config.toml", text: `[features]\nhooks = true\n${hooks.join("")}` };
}

/** The configuration of Codex, whose hooks are commands: curl asks the service, and its failure blocks the call. */
export function renderCurlConfig(target: HookTarget, timeoutSeconds: number): HookConfig {
	const url = toShellWord(toHookUrl("codex", target));
	const ask = [
		`curl -sSf --max-time ${timeoutSeconds}`,
		`-H "Authorization: Bearer $${KEY_VARIABLE}" -H 'Content-Type: application/json'`,
		`--data-binary @- ${url}`,
	].join(" ");
	return toCodexConfig([
		toCodexHook("PreToolUse", null, `${ask} || exit 2`),
		toCodexHook("PostToolUse", null, `${ask} > /dev/null`),
	]);
}

/**
 * The configuration of an agent that runs this program.
 * @param words what starts it. Agents let a call pass whose hook cannot be started: a shell ends with 127 then, which becomes 2.
 */
export function renderCommandConfig(agent: Agent, words: readonly string[]): HookConfig {
	const command = `${words.map(toShellWord).join(" ")} || exit 2`;
	if (agent === "codex") return toCodexConfig([toCodexHook("PreToolUse", "Bash|apply_patch", command)]);
	const matcher = "Bash|PowerShell|Monitor|Write|Edit|MultiEdit|NotebookEdit|Read|WebFetch";
	const PreToolUse = [{ matcher, hooks: [{ type: "command", command, timeout: AGENT_TIMEOUT_SECONDS }] }];
	return { file: ".claude/settings.json", text: toJsonText({ hooks: { PreToolUse } }) };
}
