// `npm run test:agents`: lets the published coding agents, and the quick starts of the documents, work against the service with
// its sandbox, and reports each run.
//
//   --if-available   an agent that npm cannot fetch is named as not run, without failing
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { ServiceHome } from "../clients/process.ts";
import { type AgentTask, CODING_AGENTS, type CodingAgent } from "./agents.ts";
import { installPackage } from "./install.ts";
import { checkQuickStarts } from "./quick-starts.ts";

/** The most that one run may take. An agent that is refused repeats for minutes. */
const RUN_TIMEOUT_MS = 60_000;

interface AgentCheck {
	title: string;
	model: string;
	prompt: string;
	hook?: AgentTask["hook"];
	/** What the agent must print. */
	expected(agent: CodingAgent): RegExp;
}

/** The shell's arithmetic shows that the command was run, and not only repeated. */
const TOOL_PROMPT = "run echo $((6*7)) sesame";
const TOOL_ANSWER = /The tool answered: [\s\S]*42 sesame/;

/** The last model of some providers: together they speak all wire formats, and Codex knows OpenAI's as its own. */
const MODELS = ["openai", "anthropic", "google", "mistral"].flatMap((provider) =>
	CATALOG.models
		.filter((model) => model.provider === provider)
		.slice(-1)
		.map(({ id }) => id),
);

const CHECKS: readonly AgentCheck[] = [
	{
		title: "answers a prompt",
		model: "auto",
		prompt: "Say sesame",
		expected: () => /The sandbox answers for \S+: you wrote "/,
	},
	...["auto", ...MODELS].map((model) => ({
		title: "completes a tool call",
		model,
		prompt: TOOL_PROMPT,
		expected: () => TOOL_ANSWER,
	})),
	...(["service", "program"] as const).flatMap((hook): AgentCheck[] => [
		{
			title: `runs what its hook, the ${hook}, lets pass`,
			model: "auto",
			prompt: TOOL_PROMPT,
			hook,
			expected: () => TOOL_ANSWER,
		},
		{
			title: `is stopped by its hook, the ${hook}`,
			model: "auto",
			prompt: "run git push --force origin main",
			hook,
			expected: () => /svc policy: Denied: [^\n]*git push --force/,
		},
	]),
	{
		title: "runs nothing where its hook is refused",
		model: "auto",
		prompt: TOOL_PROMPT,
		hook: "refused",
		expected: () => /^(?![\s\S]*42 sesame)[\s\S]*(?:HTTP|error:) 422\b/,
	},
	{
		title: "says that the context is full",
		model: "auto",
		prompt: "Say sesame [[overflow]]",
		expected: ({ overflowText }) => overflowText,
	},
];

interface AgentOutcome {
	output: string;
	elapsedMs: number;
}

/** Runs an agent in a fresh home and a fresh folder, with no variable of this machine but the path. */
async function runAgent(agent: CodingAgent, packageDir: string, task: AgentTask): Promise<AgentOutcome> {
	const dir = mkdtempSync(join(tmpdir(), "svc-agent-"));
	const home = mkdtempSync(join(dir, "home-"));
	const { args, variables } = agent.command(packageDir, home, task);
	const startedAtMs = Date.now();
	const child = spawn(process.execPath, args, {
		cwd: mkdtempSync(join(dir, "work-")),
		env: { PATH: process.env["PATH"], HOME: home, TMPDIR: dir, ...variables },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: RUN_TIMEOUT_MS,
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (chunk) => {
			output += chunk;
		});
	}
	await once(child, "close");
	rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
	return { output, elapsedMs: Date.now() - startedAtMs };
}

/** Runs all checks of an agent. @returns how many failed. */
async function checkAgent(agent: CodingAgent, packageDir: string, service: ServiceHome): Promise<number> {
	let failures = 0;
	for (const { title, model, prompt, hook, expected } of CHECKS) {
		const task = { url: service.url, key: service.key(), model, prompt, ...(hook ? { hook } : {}) };
		const { output, elapsedMs } = await runAgent(agent, packageDir, task);
		const pattern = expected(agent);
		const passed = pattern.test(output);
		const seconds = (elapsedMs / 1_000).toFixed(1);
		console.log(`${passed ? "ok  " : "FAIL"} ${agent.title} ${agent.version} ${title} (${model}), ${seconds} s`);
		if (passed) continue;
		failures++;
		console.log(`     expected ${pattern}, got:\n${output.replaceAll(/^/gm, "     | ")}`);
	}
	return failures;
}

/** The agents that could be installed, each with its folder. */
function installAgents(): { available: [CodingAgent, string][]; missing: number } {
	const available: [CodingAgent, string][] = [];
	for (const agent of CODING_AGENTS) {
		try {
			available.push([agent, installPackage(agent)]);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			console.log(`not run: ${agent.title}: ${agent.name}@${agent.version} cannot be fetched: ${reason}`);
		}
	}
	return { available, missing: CODING_AGENTS.length - available.length };
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { "if-available": { type: "boolean", default: false } } });
	const { available, missing } = installAgents();
	let failures = values["if-available"] ? 0 : missing;
	const service = await ServiceHome.make();
	try {
		await service.startReady();
		// Side by side: an agent waits for the service most of the time.
		const failed = await Promise.all(available.map(([agent, packageDir]) => checkAgent(agent, packageDir, service)));
		failures += failed.reduce((sum, count) => sum + count, 0);
		const quickStarts = await checkQuickStarts(service);
		failures += quickStarts.failures + (values["if-available"] ? 0 : quickStarts.missing);
	} finally {
		await service.remove();
	}
	process.exitCode = failures > 0 ? 1 : 0;
}

await main();
