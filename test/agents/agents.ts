// The coding agents, and how each is started without a terminal against the service: configured as README says, in a home of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentPackage } from "./install.ts";

/** What an agent is started with. */
export interface AgentTask {
	/** Origin of the service. */
	url: string;
	key: string;
	/** A model id of the service. */
	model: string;
	prompt: string;
}

interface AgentCommand {
	/** Arguments of Node. */
	args: string[];
	variables: Record<string, string>;
}

export interface CodingAgent extends AgentPackage {
	title: string;
	/** The start of an installed package, in a home that is empty yet. */
	command(packageDir: string, home: string, task: AgentTask): AgentCommand;
}

const codex: CodingAgent = {
	title: "Codex",
	name: "@openai/codex",
	version: "0.169.0",
	command(packageDir, home, { url, key, model, prompt }) {
		const config = [
			`model = "${model}"`,
			'model_provider = "svc"',
			// The only command is an `echo` of the test's, and not every machine lets a process build a sandbox.
			'sandbox_mode = "danger-full-access"',
			'approval_policy = "never"',
			"[model_providers.svc]",
			'name = "svc"',
			`base_url = "${url}/v1"`,
			'wire_api = "responses"',
			'env_key = "SVC_API_KEY"',
			// What is refused is refused at once.
			"request_max_retries = 0",
			"stream_max_retries = 0",
		];
		writeFileSync(join(home, "config.toml"), `${config.join("\n")}\n`);
		return {
			args: [join(packageDir, "bin/codex.js"), "exec", "--skip-git-repo-check", prompt],
			variables: { CODEX_HOME: home, SVC_API_KEY: key },
		};
	},
};

const claudeCode: CodingAgent = {
	title: "Claude Code",
	name: "@anthropic-ai/claude-code",
	version: "2.1.330",
	command(packageDir, home, { url, key, model, prompt }) {
		mkdirSync(join(home, ".claude"));
		return {
			args: [join(packageDir, "cli-wrapper.cjs"), "-p", "--model", model, "--allowedTools=Bash", "--", prompt],
			variables: {
				CLAUDE_CONFIG_DIR: join(home, ".claude"),
				ANTHROPIC_BASE_URL: url,
				ANTHROPIC_AUTH_TOKEN: key,
				CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
				DISABLE_AUTOUPDATER: "1",
			},
		};
	},
};

export const CODING_AGENTS: readonly CodingAgent[] = [codex, claudeCode];
