// `svc hook`: answers a coding agent's hook before each tool call. Whatever goes wrong, the call does not pass.
import { resolve } from "node:path";
import { SvcError } from "../../client/errors.ts";
import type { Command, Flag, GivenWords } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import {
	AGENT_TIMEOUT_SECONDS,
	blocksOnFailure,
	DIRECT_TIMEOUT_SECONDS,
	type HookConfig,
	type HookTarget,
	readClaudeVersion,
	renderCommandConfig,
	renderCurlConfig,
	renderHttpConfig,
	renderManagedConfig,
} from "./hook-config.ts";
import {
	AGENTS,
	type Agent,
	type HookAnswer,
	NO_OBJECTION,
	nameWorkspace,
	parseToolCall,
	refuse,
	toHookAnswer,
	toPolicyCheck,
} from "./hook-inputs.ts";
import type { CommandSession } from "./session.ts";

/** Well below the 30 s that agents give the hook as configured. */
const DEFAULT_TIMEOUT_SECONDS = 15;

/** The agent would stop a hook that waits longer than it does, and let the call pass. */
const LONGEST_TIMEOUT_SECONDS = AGENT_TIMEOUT_SECONDS - 5;

function readTimeoutSeconds(given: GivenWords, otherwise: number): number {
	const seconds = given.number("timeout") ?? otherwise;
	if (seconds <= 0 || seconds > LONGEST_TIMEOUT_SECONDS)
		throw new UsageError(`--timeout takes more than 0 and at most ${LONGEST_TIMEOUT_SECONDS} seconds`);
	return seconds;
}

/**
 * No answer of the service. A rate limit is one: an agent could bring it about to get calls through. So is a 2xx that is not the
 * service's, as a proxy's page is not.
 */
function isAway(error: unknown): boolean {
	return error instanceof SvcError && (error.status === null || error.status >= 500);
}

async function answerHook(agent: Agent, given: GivenWords, session: CommandSession): Promise<HookAnswer> {
	const call = parseToolCall(await session.terminal.readInput());
	if (!call) return refuse("svc hook: this is no input of a PreToolUse hook, so nothing is permitted");
	const { variables } = session.terminal;
	const root = given.text("root") ?? variables["CLAUDE_PROJECT_DIR"] ?? call.folder;
	const parts = toPolicyCheck(call, root);
	if (parts === null) return NO_OBJECTION;
	if (parts === "unreadable") return refuse(`svc hook: the input of ${call.tool} does not say what it would do`);
	const workspace_id = given.text("workspace") ?? variables["SVC_WORKSPACE"] ?? nameWorkspace(root);
	try {
		const body = { ...parts, workspace_id, context: { agent, tool: call.tool } };
		const timeoutMs = 1_000 * readTimeoutSeconds(given, DEFAULT_TIMEOUT_SECONDS);
		const client = session.client({ timeoutMs, maxRetries: 0 });
		return toHookAnswer(agent, await client.policy.check(body, { signal: session.signal }));
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		if (given.is("fail-open") && isAway(error)) {
			session.note(`svc hook: ${why}; let pass, as --fail-open says`);
			return NO_OBJECTION;
		}
		return refuse(`svc hook: no decision, so nothing is permitted: ${why}`);
	}
}

/** How long `claude --version` may take. It starts a large program. */
const VERSION_TIMEOUT_MS = 10_000;

/** Whether the Claude Code of this machine can be stopped by an HTTP hook that fails. Says why not. */
async function canBlockOverHttp(session: CommandSession): Promise<boolean> {
	const found = await session.terminal.readProgram("claude", ["--version"], VERSION_TIMEOUT_MS);
	const version = "output" in found ? readClaudeVersion(found.output) : null;
	if (version !== null && blocksOnFailure(version)) return true;
	const unread = "failure" in found ? `claude ${found.failure}` : "claude --version names no version";
	const why = version === null ? unread : `Claude Code ${version} lets a call pass whose HTTP hook fails`;
	session.note(`${why}: the hook runs this program instead, which takes longer for each call`);
	return false;
}

/** The words that start this program as the hook: the service and the place that were chosen, and what else was said. */
function toHookWords(agent: Agent, given: GivenWords, session: CommandSession): readonly string[] {
	const root = given.text("root");
	const options = {
		workspace: given.text("workspace"),
		root: root === undefined ? undefined : resolve(session.terminal.folder, root),
		timeout: given.text("timeout"),
		url: session.connection().origin,
	};
	const words = Object.entries(options).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, value]));
	return [...session.terminal.program, "hook", agent, ...words, ...(given.is("fail-open") ? ["--fail-open"] : [])];
}

/** The place that a configuration names, which is made once and for all calls. */
function chooseTarget(agent: Agent, given: GivenWords, session: CommandSession): HookTarget {
	const { variables, folder } = session.terminal;
	const { origin } = session.connection();
	const workspace = given.text("workspace") ?? variables["SVC_WORKSPACE"];
	const isManaged = given.is("managed");
	if (isManaged && !workspace)
		throw new UsageError("--managed needs --workspace: this folder's name is not the organisation's");
	const project = variables["CLAUDE_PROJECT_DIR"] ?? folder;
	// Codex has one file for all projects, and an organisation has many machines: each call's own folder is the root there.
	const isOneProject = agent === "claude-code" && !isManaged;
	const chosen = given.text("root") ?? (isOneProject ? project : undefined);
	const root = chosen === undefined ? undefined : resolve(folder, chosen);
	return { origin, workspace: workspace || nameWorkspace(root ?? project), root };
}

async function chooseConfig(agent: Agent, given: GivenWords, session: CommandSession): Promise<HookConfig> {
	const seconds = readTimeoutSeconds(given, DIRECT_TIMEOUT_SECONDS);
	const target = chooseTarget(agent, given, session);
	const isOpen = given.is("fail-open");
	if (given.is("managed")) {
		if (isOpen) throw new UsageError("--managed takes no --fail-open: an HTTP hook lets all failures pass or none");
		return renderManagedConfig(target, seconds);
	}
	// Only this program tells a service that is away from one that refuses.
	if (!isOpen && agent === "codex") return renderCurlConfig(target, seconds);
	if (!isOpen && (await canBlockOverHttp(session))) return renderHttpConfig(target, seconds);
	return renderCommandConfig(agent, toHookWords(agent, given, session));
}

/** Prints a configuration, and nothing else, on standard output. */
async function printConfig(agent: Agent, given: GivenWords, session: CommandSession): Promise<number> {
	const { file, text } = await chooseConfig(agent, given, session);
	session.write(text);
	session.note(`add this to ${file}`);
	if (/\$SVC_API_KEY/.test(text)) session.note("the agent is to be started with SVC_API_KEY in its environment");
	if (agent === "codex")
		session.note("Codex skips a hook until you have trusted it, without a word in codex exec: /hooks in its terminal");
	return EXIT.ok;
}

const MANAGED_FLAG: Readonly<Record<string, Flag>> = {
	managed: { about: "with --print-config: an organisation's managed settings" },
};

function hookCommand(agent: Agent): Command {
	const name = { "claude-code": "Claude Code", codex: "Codex" }[agent];
	return {
		name: `hook ${agent}`,
		about: `check what ${name} is about to do`,
		// Any other failure would let the call pass.
		failureCode: EXIT.notAsked,
		details: [
			`Reads the hook's input and answers in ${name}'s own form. --print-config shows what to configure.`,
			"Without an answer of the service nothing is permitted.",
		],
		flags: {
			"print-config": { about: "print the configuration for the agent, and nothing else on standard output" },
			...(agent === "claude-code" ? MANAGED_FLAG : {}),
			workspace: { value: "ID", short: "w", about: "default: SVC_WORKSPACE, or the name of the root folder" },
			root: { value: "DIR", about: "the workspace's root; default: the project's folder" },
			timeout: {
				value: "SECONDS",
				about: `how long to wait for the service; ${DEFAULT_TIMEOUT_SECONDS} by default, at most ${LONGEST_TIMEOUT_SECONDS}`,
			},
			"fail-open": { about: "let pass while the service is away or answers 5xx" },
		},
		async run(given, session) {
			if (given.is("print-config")) return printConfig(agent, given, session);
			if (given.is("managed")) throw new UsageError("--managed goes with --print-config");
			const answer = await answerHook(agent, given, session).catch((error: unknown) =>
				refuse(`svc hook: ${error instanceof Error ? error.message : String(error)}`),
			);
			session.terminal.write(answer.stdout);
			session.terminal.writeError(answer.stderr);
			return answer.exitCode;
		},
	};
}

export const hookCommands: readonly Command[] = AGENTS.map(hookCommand);
