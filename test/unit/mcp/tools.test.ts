// Tools as a model sees them, and the requests that their calls stand for.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../src/account/endpoint.ts";
import { ENDPOINTS } from "../../../src/endpoints.ts";
import { ok } from "../../../src/failure.ts";
import type { Endpoint } from "../../../src/http/endpoint.ts";
import {
	isTool,
	toInputSchema,
	toProgressText,
	toTool,
	toToolAnswer,
	toToolRequest,
	toTools,
} from "../../../src/mcp/tools.ts";

const tools = toTools(ENDPOINTS);

function made(more: Partial<Endpoint> & Pick<Endpoint, "path">): Endpoint {
	const plain = endpoint({
		id: "made",
		method: "POST",
		path: "/v1/made",
		access: "key",
		toolGroup: "chat",
		ids: "none",
		summary: "Made.",
		result: z.object({}),
		handle: async () => ok({}),
	});
	return { ...plain, ...more } as Endpoint;
}

/** Every value under a key, wherever it stands. */
function under(key: string, value: unknown): unknown[] {
	if (Array.isArray(value)) return value.flatMap((each) => under(key, each));
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, each]) => [...(name === key ? [each] : []), ...under(key, each)]);
}

describe("the tools", () => {
	it("show the members of every form of an answer, with the types that all forms agree on", () => {
		const result = z.union([
			z.object({ count: z.int(), name: z.string() }),
			z.object({ count: z.string(), day: z.string() }),
		]);
		expect(toTool(made({ path: "/v1/made", result })).outputSchema).toEqual({
			type: "object",
			properties: { count: { type: ["integer", "string"] }, name: { type: "string" }, day: { type: "string" } },
		});
	});

	it("answer JSON to anybody or to a key, and are for clients", () => {
		for (const each of ENDPOINTS.filter(isTool)) {
			expect(each.mediaType ?? "application/json", each.id).toBe("application/json");
			expect(each.internal, each.id).toBeUndefined();
		}
	});

	it("make no key and show none", () => {
		const aboutKeys = tools.filter(
			({ name, path }) => /(?:^|_)keys?(?:_|$)/.test(name) || /\/keys?(?:\/|$)/.test(path),
		);
		// The key that verifies signatures is for everybody.
		expect(aboutKeys.map(({ name }) => name)).toEqual(["get_public_key"]);
	});

	it("have names that every client takes, and descriptions of their own, which name only tools that there are", () => {
		const names = new Set(tools.map(({ name }) => name));
		for (const { name, description } of tools) {
			expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
			expect(description.length, name).toBeGreaterThan(20);
			for (const [named] of description.matchAll(/\b(?:create|list|get|check|invoke|preview)_\w+/g))
				expect(names, name).toContain(named);
		}
		expect(new Set(tools.map(({ description }) => description)).size).toBe(tools.length);
	});

	it.each(tools.map((tool) => [tool.name, tool] as const))(
		"%s takes an object whose schema refers to nothing",
		(_, tool) => {
			expect(tool.inputSchema["type"]).toBe("object");
			expect(under("$ref", tool.inputSchema)).toEqual([]);
			expect(under("$id", tool.inputSchema)).toEqual([]);
			const names = [...tool.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
			expect(tool.inputSchema["required"] ?? []).toEqual(expect.arrayContaining(names));
			expect(Object.keys(Object(tool.inputSchema["properties"]))).toEqual(expect.arrayContaining(names));
		},
	);

	it("ask for no stream", () => {
		const chat = tools.find(({ name }) => name === "create_chat_completion");
		expect(Object.keys(Object(chat?.inputSchema["properties"]))).toContain("messages");
		expect(Object.keys(Object(chat?.inputSchema["properties"]))).not.toContain("stream");
	});
});

describe("arguments of several places", () => {
	const params = z.object({ id: z.string() });

	it("are one list, in the order path, query, body", () => {
		const both = made({ path: "/v1/made/{id}", params, body: z.object({ b: z.number(), a: z.string().optional() }) });
		expect(toInputSchema(both)).toEqual({
			type: "object",
			properties: { id: { type: "string" }, b: { type: "number" }, a: { type: "string" } },
			required: ["id", "b"],
		});
	});

	it("are given once where path and body have the same name, for the path", () => {
		const clash = made({ path: "/v1/made/{id}", params, body: z.object({ id: z.string().max(3).optional() }) });
		expect(toInputSchema(clash)).toEqual({ type: "object", properties: { id: { type: "string" } }, required: ["id"] });
		expect(toToolRequest(clash, { id: "x", other: 1 })).toEqual({
			ok: true,
			value: { target: "/v1/made/x", body: '{"other":1}' },
		});
	});

	it("are refused where the body cannot do without the path's name", () => {
		const clash = made({ path: "/v1/made/{id}", params, body: z.object({ id: z.string() }) });
		expect(() => toInputSchema(clash)).toThrow("made: id has to be in two places");
	});

	it("are refused where a schema refers to itself", () => {
		const tree: z.ZodType = z.lazy(() => z.object({ children: z.array(tree) }));
		expect(() => toInputSchema(made({ path: "/v1/made", body: z.object({ tree }) }))).toThrow("not one plain object");
	});
});

describe("a call's request", () => {
	const find = (id: string) => ENDPOINTS.find((each) => each.id === id) as Endpoint;
	const value = (id: string, given: Record<string, unknown>) => {
		const request = toToolRequest(find(id), given);
		if (!request.ok) throw new Error("refused");
		return request.value;
	};

	it("has path parameters encoded and the others in the query of a GET", () => {
		expect(value("get_handoff_chain", { workspace_id: "a/b c", limit: 10, after: null })).toEqual({
			target: "/v1/handoff/chain/a%2Fb%20c?limit=10",
			body: null,
		});
		expect(value("get_usage", {})).toEqual({ target: "/v1/usage", body: null });
	});

	it("has the others in the body where there is one, unknown ones too, and never a stream", () => {
		const given = { messages: [], stream: true, stream_options: {}, odd: 1 };
		expect(value("create_chat_completion", given)).toEqual({
			target: "/v1/chat/completions",
			body: '{"messages":[],"odd":1}',
		});
	});

	it("leads nowhere else, whatever stands in the path", () => {
		for (const id of ["a/../../keys", "?x=1", "#", "%2e%2e", "\ud800", "a\\b"]) {
			const { target } = value("get_handoff", { handoff_id: id });
			const { pathname, search, hash } = new URL(target, "https://svc.test");
			expect(pathname.split("/").slice(0, 3)).toEqual(["", "v1", "handoff"]);
			expect([pathname.split("/").length, search, hash]).toEqual([4, "", ""]);
		}
		for (const id of [".", "..", "", null, undefined])
			expect(toToolRequest(find("get_handoff"), { handoff_id: id })).toMatchObject({
				ok: false,
				failure: { reason: "invalid_request", issues: [{ path: "handoff_id" }] },
			});
	});
});

describe("an answer", () => {
	it("is the body, without the white space that kept it alive, and failed by its status", () => {
		expect(toToolAnswer(200, '\n\n{"a":1}')).toEqual({ text: '{"a":1}', value: { a: 1 }, failed: false });
		expect(toToolAnswer(404, '{"error":"x"}')).toMatchObject({ value: { error: "x" }, failed: true });
	});

	it("that failed after its head was sent is a failure all the same", () => {
		expect(toToolAnswer(200, '\n{"error":"all_models_failed","message":"no","status":502}').failed).toBe(true);
		expect(toToolAnswer(200, '{"status":"complete","error":null}').failed).toBe(false);
	});

	it("that is no JSON object has its text alone", () => {
		for (const text of ["[1]", "null", "gone wrong", ""])
			expect(toToolAnswer(502, text)).toEqual({ text, value: null, failed: true });
	});
});

describe("progress", () => {
	it("is told in words", () => {
		expect(toProgressText({ type: "call_finished", stage: "propose", ok: true, cost_usd: 0.001, more: {} })).toBe(
			"call finished: stage propose, ok true, cost usd 0.001",
		);
		expect(toProgressText({})).toBe("progress");
		expect(toProgressText({ type: "step_done", text: "x".repeat(5_000) })).toBe(`step done: text ${"x".repeat(200)}`);
	});
});
