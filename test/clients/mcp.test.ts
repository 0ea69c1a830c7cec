// The official MCP client against the running service, in both eras of the protocol: tools with progress and errors,
// resources, prompts, a wrong key.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
let apiKey = "";

beforeAll(async () => {
	service = await startTestService();
	apiKey = (await service.newKey("corporate")).key;
});
afterAll(() => service?.stop());

function serviceUrl(): string {
	if (!service) throw new Error("the service did not start");
	return service.url;
}

/** A client that is connected; `auto` speaks the newest revision that both sides know. */
async function connect(mode: "legacy" | "auto", key = apiKey, query = ""): Promise<Client> {
	const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
	const headers = { Authorization: `Bearer ${key}` };
	await client.connect(
		new StreamableHTTPClientTransport(new URL(`${serviceUrl()}/v1/mcp${query}`), { requestInit: { headers } }),
	);
	return client;
}

const chat = { name: "create_chat_completion", arguments: { messages: [{ role: "user", content: "Say hello" }] } };

describe.each(["legacy", "auto"] as const)("the official client (%s)", (mode) => {
	let client: Client;
	beforeAll(async () => {
		client = await connect(mode);
	});
	afterAll(() => client.close());

	it("learns who serves it", () => {
		expect(client.getProtocolEra()).toBe(mode === "auto" ? "modern" : "legacy");
		expect(client.getServerVersion()).toMatchObject({ name: "svc" });
		expect(client.getInstructions()).toContain("Tools are the endpoints");
	});

	it("finds the tools of the default group", async () => {
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual(
			expect.arrayContaining(["create_chat_completion", "check_policy", "invoke_skill"]),
		);
		expect(tools.length).toBe(13);
	});

	it("finds every tool of the manifest where it asks for all", async () => {
		const whole = await connect(mode, apiKey, "?tools=all");
		const { tools } = await whole.listTools();
		await whole.close();
		const manifest = (await (await fetch(`${serviceUrl()}/v1/mcp/manifest`)).json()) as { tools: { name: string }[] };
		expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
	});

	it("calls a tool and hears of its progress", async () => {
		const heard: number[] = [];
		const result = await client.callTool(chat, { onprogress: ({ progress }) => heard.push(progress) });
		expect(result.isError).toBeUndefined();
		expect(result.structuredContent).toMatchObject({ object: "chat.completion", svc: { proof: { verifiable: true } } });
		expect(heard[0]).toBe(0);
	});

	it("calls a tool without asking for progress", async () => {
		const { structuredContent } = await client.callTool(chat);
		expect(structuredContent).toMatchObject({
			choices: [{ message: { content: expect.stringContaining("Say hello") } }],
		});
	});

	it("begins a run with tools, does what it asks for, and has it approved by somebody else's key", async () => {
		await fetch(`${serviceUrl()}/v1/workspace/mcp/manifest`, {
			method: "PUT",
			headers: { authorization: `Bearer ${apiKey}` },
			body: JSON.stringify({ tools: { ask: ["send_*"] } }),
		});
		const pendingOf = ({ structuredContent }: Awaited<ReturnType<Client["callTool"]>>) =>
			(structuredContent as { pending?: { id: string; kind: string }[] } | undefined)?.pending?.[0];
		const tools = [{ type: "function", name: "send_note", parameters: { type: "object" } }];
		const begun = await client.callTool({
			name: "start_agent_run",
			arguments: { goal: "Send ada@example.com the note: deployed", workspace_id: "mcp", tools },
		});
		const { run_id } = begun.structuredContent as { run_id: string };
		const resolve = (by: Client, resolution: object) =>
			by.callTool({ name: "resolve_agent_run", arguments: { run_id, resolutions: [resolution] } });
		const approval = { id: pendingOf(begun)?.id, decision: "approve" };

		const own = await resolve(client, approval);
		expect([own.isError, own.structuredContent]).toMatchObject([true, { error: "approval_forbidden" }]);
		const made = await fetch(`${serviceUrl()}/v1/keys`, {
			method: "POST",
			headers: { authorization: `Bearer ${apiKey}` },
			body: JSON.stringify({ role: "agent" }),
		});
		const agent = await connect(mode, ((await made.json()) as { key: string }).key);
		const byAgent = await agent.callTool({
			name: "start_agent_run",
			arguments: { goal: "Send ada@example.com the note: deployed", workspace_id: "mcp", tools },
		});
		const agentsRun = (byAgent.structuredContent as { run_id: string }).run_id;
		const approved = await client.callTool({
			name: "resolve_agent_run",
			arguments: { run_id: agentsRun, resolutions: [{ id: pendingOf(byAgent)?.id, decision: "approve" }] },
		});
		expect(pendingOf(approved)).toMatchObject({ kind: "client_tool", tool: "send_note" });
		const ended = await agent.callTool({
			name: "resolve_agent_run",
			arguments: { run_id: agentsRun, resolutions: [{ id: pendingOf(approved)?.id, output: "sent" }] },
		});
		await agent.close();
		expect(ended.structuredContent).toMatchObject({ status: "complete", tool_calls: { requested: 1, approved: 1 } });
	});

	it("is told of a tool's failure as a result that a model can read", async () => {
		const result = await client.callTool({ name: "get_model", arguments: { id: "nope" } });
		expect(result).toMatchObject({ isError: true, structuredContent: { error: "model_not_found" } });
	});

	it("is told of a tool that there is not", async () => {
		await expect(client.callTool({ name: "nope", arguments: {} })).rejects.toThrow("there is no tool nope");
	});

	it("reads skills as resources and as prompts", async () => {
		const { resources } = await client.listResources();
		expect(resources.map(({ uri }) => uri)).toContain("svc://skills/debugging");
		const { contents } = await client.readResource({ uri: "svc://skills/debugging" });
		expect(contents).toMatchObject([{ mimeType: "text/markdown", text: expect.stringContaining("# Debugging") }]);
		const { prompts } = await client.listPrompts();
		expect(prompts.length).toBeGreaterThan(20);
		const prompt = await client.getPrompt({ name: "debugging", arguments: { task: "It hangs." } });
		expect(prompt.messages.at(-1)).toMatchObject({ content: { text: "It hangs." } });
		const { resourceTemplates } = await client.listResourceTemplates();
		expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("svc://brain/{share_id}");
	});
});

it("a wrong key is refused before anything is said", async () => {
	const other = apiKey.endsWith("0") ? "1" : "0";
	await expect(connect("legacy", `${apiKey.slice(0, -1)}${other}`)).rejects.toThrow(/malformed|401/);
});

it("the manifest's address is the server's, and its config holds no key", async () => {
	const manifest = (await (await fetch(`${serviceUrl()}/v1/mcp/manifest`)).json()) as {
		base_url: string;
		install: { claude_code_config: { mcpServers: { svc: { url: string; headers: Record<string, string> } } } };
	};
	const { url, headers } = manifest.install.claude_code_config.mcpServers.svc;
	expect([manifest.base_url, url]).toEqual([serviceUrl(), `${serviceUrl()}/v1/mcp`]);
	// biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts its key in.
	expect(headers["Authorization"]).toBe("Bearer ${SVC_API_KEY}");
});
