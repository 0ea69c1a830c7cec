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
	]);
	const file = join(home.dir, "local.yaml");
	writeFileSync(file, await addModels());
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

	it("answers Anthropic's client, too", async () => {
		const client = new Anthropic({ baseURL: home.url, apiKey: home.key() });
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
		]);
		await expect(openai().chat.completions.create({ model: "auto", messages: [ask] })).rejects.toThrow(
			/no model|provider/i,
		);
	});
});
