// The coding agents, and how each is started without a terminal against the service: configured with the lines of the quick starts,
// in a home of its own.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderCommandConfig, renderCurlConfig, renderHttpConfig } from "../../src/cli/svc/hook-config.ts";
import type { Agent } from "../../src/hooks/agents.ts";
import type { AgentPackage } from "./install.ts";

/** What an agent is started with. */
export interface AgentTask {
	/** Origin of the service. */
	url: string;
	key: string;
	/** A model id of the service. */
	model: string;
	prompt: string;
	/** What it asks before each tool call: the service itself, without a workspace, which the service refuses, or `svc hook`. */
	hook?: "service" | "refused" | "program";
}

interface AgentCommand {
	/** Arguments of Node. */
	args: string[];
	variables: Record<string, string>;
}

export interface CodingAgent extends AgentPackage {
	title: string;
	/** What it prints when the prompt does not fit the context window. */
	overflowText: RegExp;
	/** The start of an installed package, in a home that is empty yet. */
	command(packageDir: string, home: string, task: AgentTask): AgentCommand;
}

/** The block of the quick starts in a language that has a text in it, for the service and the model of a task. */
function quickStartBlock(language: string, text: string, { url, model }: AgentTask): string {
	const page = readFileSync(join(import.meta.dirname, "../../src/docs/quick-starts.md"), "utf8");
	const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)];
	const block = blocks.find(([, name, lines = ""]) => name === language && lines.includes(text))?.[2];
	if (block === undefined) throw new Error(`the quick starts have no ${language} block with ${text}`);
	return block.replaceAll("http://127.0.0.1:8787", url).replaceAll(/\bauto\b/g, model);
}

const SVC = join(import.meta.dirname, "../../src/cli/svc.ts");

/** How long an agent waits for the service, as its hook says. */
const HOOK_TIMEOUT_SECONDS = 20;

/** The configuration that `svc hook --print-config` prints, with this checkout's command, and the variables that it needs. */
function hookConfig(agent: Agent, { hook, url, key }: AgentTask): { text: string; variables: Record<string, string> } {
	if (hook === undefined) return { text: "", variables: {} };
	const variables = { SVC_BASE_URL: url, SVC_API_KEY: key };
	if (hook === "program") {
		const words = [process.execPath, SVC, "hook", agent, "-w", "agents"];
		return { text: renderCommandConfig(agent, words).text, variables };
	}
	const render = agent === "codex" ? renderCurlConfig : renderHttpConfig;
	const workspace = hook === "refused" ? "" : "agents";
	return { text: render({ origin: url, workspace }, HOOK_TIMEOUT_SECONDS).text, variables };
}

const codex: CodingAgent = {
	title: "Codex",
	name: "@openai/codex",
	version: "0.169.0",
	overflowText: /ran out of room in the model's context window/,
	command(packageDir, home, task) {
		const hook = hookConfig("codex", task);
		writeFileSync(join(home, "config.toml"), `${quickStartBlock("toml", "model_provider", task)}\n${hook.text}`);
		// A person trusts a hook in Codex's terminal.
		const trust = task.hook ? ["--dangerously-bypass-hook-trust"] : [];
		const settings = {
			// The only command is an `echo` of the test's, and not every machine lets a process build a sandbox.
			sandbox_mode: "danger-full-access",
			approval_policy: "never",
			// What is refused is refused at once.
			"model_providers.svc.request_max_retries": 0,
			"model_providers.svc.stream_max_retries": 0,
		};
		const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${JSON.stringify(value)}`]);
		return {
			args: [join(packageDir, "bin/codex.js"), "exec", ...trust, "--skip-git-repo-check", ...options, task.prompt],
			variables: { CODEX_HOME: home, SVC_API_KEY: task.key, ...hook.variables },
		};
	},
};

const claudeCode: CodingAgent = {
	title: "Claude Code",
	name: "@anthropic-ai/claude-code",
	version: "2.1.330",
	overflowText: /Prompt is too long · the request is ~250000 tokens \(limit 200000\)/,
	command(packageDir, home, task) {
		const configDir = join(home, ".claude");
		mkdirSync(configDir);
		const hook = hookConfig("claude-code", task);
		if (hook.text !== "") writeFileSync(join(configDir, "settings.json"), hook.text);
		const exports = quickStartBlock("sh", "ANTHROPIC_BASE_URL", task).matchAll(/^export (\w+)=(\S+)$/gm);
		const variables = [...exports].map(([, name = "", value = ""]) => [name, value.replace("$SVC_API_KEY", task.key)]);
		return {
			args: [join(packageDir, "cli-wrapper.cjs"), "-p", "--allowedTools=Bash", "--", task.prompt],
			variables: {
				CLAUDE_CONFIG_DIR: configDir,
				CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
				DISABLE_AUTOUPDATER: "1",
				...hook.variables,
				...Object.fromEntries(variables),
			},
		};
	},
};

export const CODING_AGENTS: readonly CodingAgent[] = [codex, claudeCode];
