// The tool manifest: the endpoints as tools, at whatever address they are asked for, kept in KV without it.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { ENDPOINTS } from "../../src/endpoints.ts";
import { toTools } from "../../src/mcp/tools.ts";
import { call } from "../support/service.ts";

interface Manifest {
	base_url: string;
	tool_count: number;
	tools: { name: string; path: string; url: string; auth_required: boolean; input_schema: unknown }[];
	install: { claude_code_config: unknown };
}

/** @param KV as an isolate has it. */
async function manifestAt(origin: string, KV: KVNamespace = env.KV): Promise<Manifest> {
	const execution = createExecutionContext();
	const response = await app.fetch(new Request(`${origin}/v1/mcp/manifest`), { ...env, KV }, execution);
	await waitOnExecutionContext(execution);
	expect(response.status).toBe(200);
	return response.json();
}

/** KV as another isolate has it: what this one remembers of it does not hold there. */
function anotherIsolate(): KVNamespace {
	const get = (...parameters: unknown[]) => Reflect.apply(env.KV.get, env.KV, parameters);
	const put = (...parameters: unknown[]) => Reflect.apply(env.KV.put, env.KV, parameters);
	return { get, put } as unknown as KVNamespace;
}

describe("the tool manifest", () => {
	it("has every tool with its schema, and addresses of the host that was asked", async () => {
		const tools = toTools(ENDPOINTS);
		for (const origin of ["https://svc.test", "https://other.test:8443"]) {
			const manifest = await manifestAt(origin);
			expect(manifest).toMatchObject({ object: "mcp.manifest", base_url: origin, tool_count: tools.length });
			expect(manifest.tools.map(({ name, input_schema }) => [name, input_schema])).toEqual(
				tools.map(({ name, inputSchema }) => [name, inputSchema]),
			);
			for (const { path, url } of manifest.tools) expect(url).toBe(`${origin}${path}`);
			expect(manifest.install.claude_code_config).toMatchObject({
				mcpServers: { svc: { transport: "http", url: `${origin}/v1/mcp`, auth: { type: "bearer" } } },
			});
		}
	});

	it("says which tools need a key", async () => {
		const { tools } = await manifestAt("https://svc.test");
		const needs = Object.fromEntries(tools.map(({ name, auth_required }) => [name, auth_required]));
		expect([needs["get_usage"], needs["list_models"], needs["preview_compliance"]]).toEqual([true, false, true]);
	});

	it("keeps in KV one text a version, which names no host", async () => {
		await manifestAt("https://stranger.test", anotherIsolate());
		const { keys } = await env.KV.list({ prefix: "mcp:manifest:" });
		expect(keys.map(({ name }) => name)).toEqual([`mcp:manifest:${env.CF_VERSION_METADATA.id}`]);
		expect(await env.KV.get(keys[0]?.name ?? "")).not.toContain("stranger");
	});

	it("is answered without KV", async () => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		const away = () => Promise.reject(new Error("away"));
		const { tool_count } = await manifestAt("https://svc.test", { get: away, put: away } as unknown as KVNamespace);
		expect(tool_count).toBe(toTools(ENDPOINTS).length);
		vi.restoreAllMocks();
	});

	it.each(["[{", "[{}]", "null"])("is written anew over %j in KV, which is none", async (text) => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		const name = `mcp:manifest:${env.CF_VERSION_METADATA.id}`;
		await env.KV.put(name, text);
		await manifestAt("https://svc.test", anotherIsolate());
		expect((await env.KV.get(name))?.slice(0, 9)).toBe('[{"name":');
		vi.restoreAllMocks();
	});

	it("is not changed by headers that a stranger chooses", async () => {
		const plain = await (await call("/v1/mcp/manifest")).text();
		const headers = { "x-forwarded-host": "evil.test", forwarded: "host=evil.test", origin: "https://evil.test" };
		expect(await (await call("/v1/mcp/manifest", { headers })).text()).toBe(plain);
	});
});
