// Models of a server on one's own machine, from `svc models add` to answers that official clients read.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OllamaDouble, startOllama } from "../support/ollama.ts";
import { ServiceHome } from "./process.ts";

/** The service waits so long for the head of an answer, and Ollama's models take longer to load. */
const HEAD_MS = 1_000;
const LOAD_MS = 2_500;

/** Rows that the operator adds by hand: a model that is not there, and a provider that is not waited for so long. */
const BY_HAND = `
  - {id: missing, provider: ollama, upstream: "missing:7b", tier: budget, prices: {input: 0, output: 0},
     limits: {context_window: 8192, max_output_tokens: 1024}}
  - {id: late, provider: hurried, upstream: "late:70b", tier: budget, prices: {input: 0, output: 0},
     limits: {context_window: 8192, max_output_tokens: 1024}}
`;

let home: ServiceHome;
let ollama: OllamaDouble;

/** The command in a process of its own, as its user runs it: the double answers meanwhile. */
async function addModels(): Promise<string> {
	const child = spawn(process.execPath, ["src/cli/svc.ts", "models", "add", "ollama", "--url", ollama.url], {
		cwd: home.dir,
		env: { PATH: process.env["PATH"] },
	});
	let output = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output += text;
	});
	await new Promise((resolve) => child.on("exit", resolve));
	return output;
}

beforeAll(async () => {
	home = await ServiceHome.makeMigrated();
	ollama = await startOllama([
		{ name: "llama3.2:3b", capabilities: ["completion", "tools"], contextLength: 131_072, loadMs: LOAD_MS },
		{ name: "qwen3:8b", capabilities: ["completion", "tools"], contextLength: 40_960 },
		{ name: "late:70b", capabilities: ["completion"], contextLength: 8_192, loadMs: 10_000 },
	]);
	const file = join(home.dir, "local.yaml");
	const hurried = `  - {id: hurried, template: ollama, base_url: "${ollama.url}/v1", timeout_ms: 300}\nmodels:\n`;
	writeFileSync(file, (await addModels()).replace("models:\n", hurried) + BY_HAND);
	const checked = spawnSync(process.execPath, ["src/cli/catalog.ts", "check", file], { cwd: home.dir });
	expect([checked.status, checked.stderr.toString()]).toEqual([0, ""]);
	await home.startReady({ CATALOG_FILE: file, UPSTREAM_TIMEOUT_MS: String(HEAD_MS), SANDBOX: "0" });
});
afterAll(async () => {
	await home?.remove();
	await ollama?.stop();
});

const openai = () => new OpenAI({ baseURL: `${home.url}/v1`, apiKey: home.key() });
const ask = { role: "user" as const, content: "Say hello" };
const weather = {
	type: "function" as const,
	function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

describe("a local model", () => {
	it("is waited for while it loads, costs nothing, and says so", async () => {
		const answer = await openai().chat.completions.create({ model: "ollama/llama3.2:3b", messages: [ask] });
		expect(answer.model).toBe("ollama/llama3.2:3b");
		expect(answer.choices[0]?.message.content).toBe("Hello from llama3.2:3b.");
		expect(answer.usage).toMatchObject({ prompt_tokens: 26, completion_tokens: 9 });
		expect(answer).toMatchObject({ svc: { cost: { total_usd: 0, estimated: false } } });
		expect(ollama.chats.map(({ headers }) => headers.authorization)).toEqual([undefined]);
		const { receipt, valid } = (await (
			await fetch(`${home.url}/v1/proof/${answer.id.replace("chatcmpl-", "svc-")}`)
		).json()) as {
			receipt: Record<string, unknown>;
			valid: boolean;
		};
		expect([valid, receipt]).toMatchObject([
			true,
			{ cost_usd: 0, catalog_version: expect.stringMatching(/\+[0-9a-f]{12}$/) },
		]);
	});

	it("streams, with its usage at the end", async () => {
		const stream = await openai().chat.completions.create({
			model: "ollama/qwen3:8b",
			messages: [ask],
			stream: true,
			stream_options: { include_usage: true },
		});
		let [text, tokens] = ["", 0];
		for await (const { choices, usage } of stream) {
			text += choices[0]?.delta.content ?? "";
			tokens += usage?.total_tokens ?? 0;
		}
		expect([text, tokens]).toEqual(["Hello from qwen3:8b.", 35]);
	});

	it("calls tools, in a stream and whole, and reads their results", async () => {
		const first = { model: "ollama/qwen3:8b", messages: [ask], tools: [weather] };
		const { choices } = await openai().chat.completions.create(first);
		const [call] = choices[0]?.message.tool_calls ?? [];
		expect(call).toMatchObject({ type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } });
		const streamed = await openai().chat.completions.stream(first).finalChatCompletion();
		expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: "weather" } });
		if (!call || !choices[0]) throw new Error("no call");
		const last = await openai().chat.completions.create({
			...first,
			messages: [ask, choices[0].message, { role: "tool", tool_call_id: call.id, content: "sunny" }],
		});
		expect(last.choices[0]?.message.content).toBe("Hello from qwen3:8b.");
	});

	it("that loads for longer than its provider is waited for is passed over, and so is one that is not there", async () => {
		for (const model of ["late", "missing"]) {
			const config = { brain_config: { fallback: ["ollama/qwen3:8b"] } };
			const answer = await openai().chat.completions.create({ model, messages: [ask], ...config });
			expect(answer).toMatchObject({
				model: "ollama/qwen3:8b",
				svc: { fallback: true, fallback_from: model, fallback_to: "ollama/qwen3:8b", cost: { total_usd: 0 } },
			});
		}
	});

	it("that is not there is named as what fails, where nothing stands in for it", async () => {
		await expect(
			openai().chat.completions.create({ model: "missing", messages: [ask] }, { maxRetries: 0 }),
		).rejects.toThrow("missing at ollama: the provider does not serve this model (status 404)");
	});

	it("answers Anthropic's client, too: whole, in a stream and with tools", async () => {
		const client = new Anthropic({ baseURL: home.url, apiKey: home.key() });
		const streamed = client.messages.stream({
			model: "ollama/qwen3:8b",
			max_tokens: 100,
			messages: [ask],
			tools: [{ name: "weather", input_schema: { type: "object", properties: { city: { type: "string" } } } }],
		});
		expect(await streamed.finalMessage()).toMatchObject({
			stop_reason: "tool_use",
			content: [{ type: "tool_use", name: "weather", input: { city: "Paris" } }],
		});
		const message = await client.messages.create({ model: "ollama/qwen3:8b", max_tokens: 100, messages: [ask] });
		expect(message).toMatchObject({
			model: "ollama/qwen3:8b",
			content: [{ type: "text", text: "Hello from qwen3:8b." }],
		});
	});

	it("is listed as the operator's, and left to requests that name it", async () => {
		const { data } = await openai().models.list();
		const own = data.filter(({ id }) => id.startsWith("ollama/"));
		expect(own).toMatchObject([
			{ id: "ollama/llama3.2:3b", source: "operator", available: true },
			{ id: "ollama/qwen3:8b", source: "operator", available: true },
			{ id: "ollama/late:70b", source: "operator", available: true },
		]);
		await expect(openai().chat.completions.create({ model: "auto", messages: [ask] })).rejects.toThrow(
			/no model|provider/i,
		);
	});
});
