// `svc hook`: answers a coding agent's hook before each tool call. Whatever goes wrong, the call does not pass.
import { resolve } from "node:path";
import { SvcError } from "../../client/errors.ts";
import { AGENTS, type Agent } from "../../hooks/agents.ts";
import { toShellWord } from "../../text/shell-word.ts";
import type { Command, GivenWords } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import {
	AGENT_TIMEOUT_SECONDS,
	type HookOutput,
	nameWorkspace,
	PASSES,
	parseHookInput,
	refuse,
	renderHookConfig,
	toHookOutput,
} from "./hook-inputs.ts";
import type { CommandSession } from "./session.ts";

/** Well below the 30 s that agents give the hook as configured. */
const DEFAULT_TIMEOUT_SECONDS = 15;

/** The agent would stop a hook that waits longer than it does, and let the call pass. */
const LONGEST_TIMEOUT_SECONDS = AGENT_TIMEOUT_SECONDS - 5;

function readTimeoutMs(given: GivenWords): number {
	const seconds = given.number("timeout") ?? DEFAULT_TIMEOUT_SECONDS;
	if (seconds <= 0 || seconds > LONGEST_TIMEOUT_SECONDS)
		throw new UsageError(`--timeout takes more than 0 and at most ${LONGEST_TIMEOUT_SECONDS} seconds`);
	return 1_000 * seconds;
}

/** No answer of the service. A rate limit is one: an agent could bring it about to get calls through. */
function isAway(error: unknown): boolean {
	return error instanceof SvcError && (error.status === null || error.status >= 500);
}

async function answerHook(agent: Agent, given: GivenWords, session: CommandSession): Promise<HookOutput> {
	const input = parseHookInput(await session.terminal.readInput());
	if (!input) return refuse("svc hook: this is no input of a hook, so nothing is permitted");
	const { variables } = session.terminal;
	const folder = typeof input["cwd"] === "string" ? input["cwd"] : undefined;
	const root = given.text("root") ?? variables["CLAUDE_PROJECT_DIR"] ?? folder;
	const workspace = given.text("workspace") ?? variables["SVC_WORKSPACE"] ?? nameWorkspace(root ?? "");
	try {
		const timeoutMs = readTimeoutMs(given);
		const client = session.client({ timeoutMs, maxRetries: 0 });
		const query = { workspace, ...(root === undefined ? {} : { root: resolve(root) }) };
		return toHookOutput(await client.hooks.ask(agent, input, query, { signal: session.signal }));
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		if (given.is("fail-open") && isAway(error)) {
			session.note(`svc hook: ${why}; let pass, as --fail-open says`);
			return PASSES;
		}
		return refuse(`svc hook: no decision, so nothing is permitted: ${why}`);
	}
}

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
			"print-config": { about: "print the configuration for the agent" },
			workspace: { value: "ID", short: "w", about: "default: SVC_WORKSPACE, or the name of the root folder" },
			root: { value: "DIR", about: "the workspace's root; default: the project's folder" },
			timeout: {
				value: "SECONDS",
				about: `how long to wait for the service; ${DEFAULT_TIMEOUT_SECONDS} by default, at most ${LONGEST_TIMEOUT_SECONDS}`,
			},
			"fail-open": { about: "let pass when the service does not answer" },
		},
		async run(given, session) {
			if (given.is("print-config")) {
				readTimeoutMs(given);
				const options = ["workspace", "root", "timeout", "url"].flatMap((flag) => {
					const value = given.text(flag);
					return value === undefined ? [] : [`--${flag}`, toShellWord(value)];
				});
				const words = ["svc", "hook", agent, ...options, ...(given.is("fail-open") ? ["--fail-open"] : [])];
				// Without `svc` on the path the shell ends with 127, which agents take for no objection.
				const { file, text } = renderHookConfig(agent, `${words.join(" ")} || exit 2`);
				session.write(text);
				session.note(`add this to ${file}`);
				if (agent === "codex") session.note("Codex runs a hook only once you have trusted it: /hooks in its terminal");
				return EXIT.ok;
			}
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
