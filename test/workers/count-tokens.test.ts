// The token count of a Messages body through the front door: an estimate, which no model is asked for and no day is charged for.
import { describe, expect, it } from "vitest";
import { useService } from "../support/per-test.ts";
import { call } from "../support/service.ts";

const { upstream, key } = useService("free");

function count(body: unknown, headers: Record<string, string> = { "x-api-key": key.key }): Promise<Response> {
	return call("/v1/messages/count_tokens", {
		method: "POST",
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
}

const HELLO = { model: "claude-opus-5-5", messages: [{ role: "user", content: "Hello there, you" }] };

describe("the count of a prompt's tokens", () => {
	it("is an estimate, says so, and asks no model", async () => {
		const response = await count(HELLO);
		expect([response.status, await response.json()]).toEqual([
			200,
			{ input_tokens: 4, svc: { estimated: true, method: "characters" } },
		]);
		expect(upstream.requests).toEqual([]);
	});

	it("grows with system, tools and results", async () => {
		const read = async (body: unknown) => (await (await count(body)).json<{ input_tokens: number }>()).input_tokens;
		const tool = { name: "weather", description: "d".repeat(400), input_schema: { type: "object" } };
		const result = { type: "tool_result", tool_use_id: "toolu_1", content: "r".repeat(400) };
		const more = { ...HELLO, system: "s".repeat(400), tools: [tool] };
		expect(await read({ ...HELLO, system: "s".repeat(400) })).toBe(104);
		expect(await read(more)).toBeGreaterThan(204);
		const messages = [...HELLO.messages, { role: "user", content: [result] }];
		expect((await read({ ...more, messages })) - (await read(more))).toBe(100);
	});

	it("refuses what a message would be refused for, in Anthropic's form", async () => {
		const bodies = [
			{ ...HELLO, messages: [{ role: "user", content: [{ type: "hologram" }] }] },
			{ ...HELLO, tools: [{ type: "web_search_20250305", name: "web_search" }], tool_choice: { type: "any" } },
			{ messages: [{ role: "assistant", content: [{ type: "redacted_thinking", data: "svc1AAAA" }] }] },
			{ messages: [] },
		];
		const refused = await Promise.all(
			bodies.map(async (body) => {
				const response = await count(body);
				const { type, error } = await response.json<{ type: string; error: { type: string; code: string } }>();
				return [response.status, type, error.type, error.code];
			}),
		);
		expect(refused).toEqual([
			[422, "error", "invalid_request_error", "invalid_request"],
			[422, "error", "invalid_request_error", "invalid_request"],
			[400, "error", "invalid_request_error", "invalid_encrypted_content"],
			[400, "error", "invalid_request_error", "no_messages"],
		]);
	});

	it("needs a key", async () => {
		const response = await count(HELLO, {});
		expect([response.status, await response.json()]).toMatchObject([401, { error: { type: "authentication_error" } }]);
	});
});
