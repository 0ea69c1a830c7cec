// `svc models add` against doubles of model servers: what it prints is a catalog without a mistake.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { checkCatalog } from "../../../../src/cli/catalog-file.ts";
import { runCommandLine } from "../../../../src/cli/svc/main.ts";
import type { Terminal } from "../../../../src/cli/svc/terminal.ts";
import { startOllama } from "../../../support/ollama.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const stop of stops.splice(0)) await stop();
});

/** Runs the command; its exit code and what it wrote. */
async function add(...words: string[]) {
	const [written, failed]: string[][] = [[], []];
	const terminal = {
		variables: {},
		folder: "/nowhere",
		isOutputShown: false,
		isErrorShown: false,
		write: (text: string) => void written?.push(text),
		writeError: (text: string) => void failed?.push(text),
		onInterrupt: () => () => undefined,
	} as unknown as Terminal;
	const code = await runCommandLine(["models", "add", ...words], terminal);
	return { code, output: written?.join("") ?? "", errors: failed?.join("") ?? "" };
}

/** The catalog of what was printed, which must have no mistake. */
function catalogOf(output: string) {
	const { catalog, errors } = checkCatalog(new TextEncoder().encode(output), "printed", {
		isLocal: true,
		hosts: new Set(),
	});
	expect(errors).toEqual([]);
	return {
		models: catalog.models.filter(({ owner }) => owner),
		providers: catalog.providers.filter(({ owner }) => owner),
	};
}

/** A server that answers paths with JSON, and all others with 404. */
async function serve(answers: Record<string, unknown>): Promise<string> {
	const server = createServer((request, response) => {
		const answer = answers[request.url ?? ""];
		response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
		response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? { error: "not found" }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	stops.push(() => new Promise((resolve) => server.close(() => resolve())));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the models of Ollama", () => {
	it("are entries with what it says of them, and the rest is marked as a guess", async () => {
		const ollama = await startOllama(
			[
				{ name: "llama3.2:3b", capabilities: ["completion", "tools"], contextLength: 131_072 },
				{ name: "qwen3:8b", capabilities: ["completion", "tools", "thinking"], contextLength: 40_960 },
				{
					name: "gemma3:latest",
					capabilities: ["completion", "vision"],
					contextLength: 131_072,
					parameters: 'stop "<end>"\nnum_ctx                        16384',
				},
				{ name: "nomic-embed-text:latest", capabilities: ["embedding"], contextLength: 2_048 },
				{ name: "odd name: #1", capabilities: ["completion"], contextLength: 1_000 },
			],
			{ "qwen3:8b": 32_768 },
		);
		stops.push(ollama.stop);
		for (const url of [ollama.url, `${ollama.url}/`, `${ollama.url}/v1`]) {
			const { code, output } = await add("ollama", "--url", url);
			expect(code).toBe(0);
			const { models, providers } = catalogOf(output);
			expect(providers).toMatchObject([{ id: "ollama", base_url: `${ollama.url}/v1`, auth: "none" }]);
			expect(
				models.map(({ id, upstream_model, limits, supports, prices }) => ({
					id,
					upstream_model,
					limits,
					supports,
					prices,
				})),
			).toMatchObject([
				{
					id: "ollama/llama3.2:3b",
					upstream_model: "llama3.2:3b",
					limits: { context_window: 4_096, max_output_tokens: 2_048 },
					supports: { tools: true, vision: false },
					prices: [{ input: 0, output: 0 }],
				},
				{ id: "ollama/qwen3:8b", limits: { context_window: 32_768, max_output_tokens: 4_096 } },
				{ id: "ollama/gemma3:latest", limits: { context_window: 16_384 }, supports: { tools: false, vision: true } },
				{ id: "ollama/odd-name:-1", upstream_model: "odd name: #1", limits: { context_window: 1_000 } },
			]);
			expect(output).toContain("the model itself reads 131072");
			expect(output.split("\n").filter((line) => line.includes("tier:") && !line.includes("GUESS"))).toEqual([]);
		}
	});

	it("at its usual address need no address", async () => {
		const { renderCatalogEntries } = await import("../../../../src/cli/svc/add-models.ts");
		const { MODEL_SERVERS } = await import("../../../../src/cli/svc/model-servers.ts");
		for (const [id, server] of Object.entries(MODEL_SERVERS)) {
			const models = [{ name: "m", contextWindow: null, tools: null, vision: null, thinks: false }];
			const { providers } = catalogOf(`${renderCatalogEntries(id, server, server.url, models).join("\n")}\n`);
			expect(providers).toMatchObject([{ id, base_url: `${server.url}/v1` }]);
		}
	});
});

describe("the models of other servers", () => {
	it("of vLLM have its max_model_len", async () => {
		const id = "Qwen/Qwen3-8B";
		const url = await serve({
			"/v1/models": {
				object: "list",
				data: [{ id, object: "model", created: 1, owned_by: "vllm", root: id, parent: null, max_model_len: 40_960 }],
			},
		});
		const { models } = catalogOf((await add("vllm", "--url", url)).output);
		expect(models).toMatchObject([{ id: `vllm/${id}`, upstream_model: id, limits: { context_window: 40_960 } }]);
	});

	it("of llama.cpp have the context that is in force, not the one that they were trained with", async () => {
		const url = await serve({
			"/v1/models": { object: "list", data: [{ id: "m.gguf", meta: { n_ctx_train: 131_072 } }] },
			"/props": { default_generation_settings: { n_ctx: 8_192 }, modalities: { vision: true, audio: false } },
		});
		const { models } = catalogOf((await add("llama-cpp", "--url", url)).output);
		expect(models).toMatchObject([{ limits: { context_window: 8_192 }, supports: { vision: true } }]);
	});

	it("of LM Studio are those that chat, by its own list or else by OpenAI's", async () => {
		const own = await serve({
			"/api/v0/models": {
				object: "list",
				data: [
					{
						id: "a",
						type: "llm",
						state: "loaded",
						max_context_length: 131_072,
						loaded_context_length: 4_096,
						capabilities: ["tool_use"],
					},
					{ id: "b", type: "vlm", state: "not-loaded", max_context_length: 32_768 },
					{ id: "c", type: "embeddings", max_context_length: 2_048 },
				],
			},
		});
		expect(catalogOf((await add("lm-studio", "--url", own)).output).models).toMatchObject([
			{ id: "lm-studio/a", limits: { context_window: 4_096 }, supports: { tools: true, vision: false } },
			{ id: "lm-studio/b", limits: { context_window: 32_768 }, supports: { vision: true } },
		]);
		const plain = await serve({ "/v1/models": { data: [{ id: "a" }] } });
		const { output } = await add("lm-studio", "--url", plain);
		expect(catalogOf(output).models).toMatchObject([{ limits: { context_window: 8_192 } }]);
		expect(output).toMatch(/context_window: 8192 {2}# GUESS/);
	});
});

describe("what a catalog does not take as it is", () => {
	it("is a context of more tokens than it takes: the most that it takes", async () => {
		const url = await serve({ "/v1/models": { data: [{ id: "scout", max_model_len: 10_485_760 }] } });
		const { models } = catalogOf((await add("vllm", "--url", url)).output);
		expect(models).toMatchObject([{ limits: { context_window: 10_000_000 } }]);
	});
});

describe("names", () => {
	const idsOf = async (...names: string[]) => {
		const url = await serve({ "/v1/models": { data: names.map((id) => ({ id, max_model_len: 4_096 })) } });
		const { code, output } = await add("vllm", "--url", url);
		expect(code).toBe(0);
		return catalogOf(output).models.map(({ id, upstream_model }) => [id, upstream_model]);
	};

	it("that a catalog takes for one are told apart", async () => {
		expect(await idsOf("Sql-Adapter", "sql-adapter", "sql adapter", "qwen2.5", "qwen2-5", "sql-adapter-2")).toEqual([
			["vllm/Sql-Adapter", "Sql-Adapter"],
			["vllm/sql-adapter-2", "sql-adapter"],
			["vllm/sql-adapter-3", "sql adapter"],
			["vllm/qwen2.5", "qwen2.5"],
			["vllm/qwen2-5-2", "qwen2-5"],
			["vllm/sql-adapter-2-2", "sql-adapter-2"],
		]);
	});

	it("that are long or in another script are entries of a catalog, too", async () => {
		const [long, other] = ["m".repeat(127), `${"m".repeat(127)}n`];
		const rows = await idsOf(long, other, "模型", "日本");
		expect(rows.map(([, upstream]) => upstream)).toEqual([long, other, "模型", "日本"]);
		expect(new Set(rows.map(([id]) => id)).size).toBe(4);
	});
});

describe("a server that cannot be asked", () => {
	it.each([
		[["ollama", "--url", "http://127.0.0.1:1"], "nothing answers at http://127.0.0.1:1: is Ollama running?"],
		[["ollama", "--url", "ftp://x"], "ftp://x is no http or https address"],
		[["olama"], "a server is one of: ollama, vllm, llama-cpp, lm-studio; not olama"],
		[[], "the server is missing"],
	])("is named: %j", async (words, said) => {
		const { code, output, errors } = await add(...words);
		expect([code, output]).toEqual([2, ""]);
		expect(errors).toContain(said);
	});

	it("is named where its answer breaks off", async () => {
		const server = createServer((_, response) => {
			response.writeHead(200, { "content-length": "1000" });
			response.write('{"models":', () => response.destroy());
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		stops.push(() => new Promise((resolve) => server.close(() => resolve())));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const { code, errors } = await add("ollama", "--url", url);
		expect([code, errors]).toEqual([2, expect.stringContaining(`the answer of ${url}/api/tags broke off`)]);
	});

	it("is told from another kind of server, from one without models, and from one that answers no JSON", async () => {
		const said = async (answers: Record<string, unknown>) => {
			const { code, errors } = await add("ollama", "--url", await serve(answers));
			expect(code).toBe(2);
			return errors;
		};
		expect(await said({})).toContain("status 404: is that Ollama?");
		expect(await said({ "/api/tags": { data: [] } })).toContain("answers, but not as Ollama does");
		expect(await said({ "/api/tags": "<html>" })).toContain("answers no JSON");
		expect(await said({ "/api/tags": { models: [] } })).toContain("has no model that chats; ollama pull");
	});
});
