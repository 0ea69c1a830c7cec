// What a request leaves behind for its operator: one line, with everything but content and keys, and a header that says where the time went.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, chat, eventually } from "../support/service.ts";
import { readStream } from "../support/sse.ts";

const { key } = useService("pro");
let lines: string[];
beforeEach(() => {
	lines = [];
	for (const method of ["log", "warn", "error"] as const)
		vi.spyOn(console, method).mockImplementation((...line: unknown[]) => void lines.push(line.join(" ")));
});
afterEach(() => {
	vi.restoreAllMocks();
});

/** The lines of one request. */
function linesOf(response: Response): Record<string, unknown>[] {
	const id = response.headers.get("x-request-id") ?? "";
	return lines.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as Record<string, unknown>);
}

const MS = expect.any(Number);
const SECRET = "xyzzy-secret-word";

describe("the log", () => {
	it("has one line per request, with who, what, how it ended, what it cost and how long each stage took", async () => {
		const response = await chat(key.key, SECRET);
		const { model, svc } = (await response.json()) as { model: string; svc: { cost: { total_usd: number } } };
		expect(linesOf(response)).toEqual([
			{
				level: "info",
				event: "request",
				request_id: response.headers.get("x-request-id"),
				method: "POST",
				status: 200,
				endpoint: "create_chat_completion",
				user_id: key.user_id,
				key_id: key.key_id,
				model,
				provider: expect.any(String),
				mode: expect.any(String),
				fallback: false,
				outcome: "complete",
				cost_usd: svc.cost.total_usd,
				estimated: false,
				auth_ms: MS,
				body_ms: MS,
				admit_ms: MS,
				upstream_ms: MS,
				settle_ms: MS,
				duration_ms: MS,
			},
		]);
	});

	it("has a stream's line when the stream has ended, with its outcome and cost", async () => {
		const response = await chat(key.key, `${SECRET} [[cut]]`, { stream: true });
		const { chunks } = await readStream(response);
		await eventually(async () => linesOf(response).length === 1);
		const costUsd = chunks.at(-1)?.svc?.cost.total_usd;
		expect(linesOf(response)).toMatchObject([
			{ outcome: "cut", cost_usd: costUsd, first_delta_ms: MS, upstream_ms: MS },
		]);
	});

	it("names the reason of every refusal", async () => {
		const refused: [Promise<Response>, number, string][] = [
			[chat("svc_sk_wrong", SECRET), 401, "invalid_api_key"],
			[callWithKey(key.key, "/v1/chat/completions", { messages: SECRET }), 422, "invalid_request"],
			[chat(key.key, `[[status 500]] ${SECRET}`), 502, "all_models_failed"],
			[call(`/v1/${SECRET}`), 404, "not_found"],
		];
		for (const [pending, status, error] of refused) {
			const response = await pending;
			await response.text();
			expect(linesOf(response).filter(({ event }) => event === "request")).toMatchObject([{ status, error }]);
		}
	});

	it("never holds content, keys, unknown paths or query values", async () => {
		await (await chat(key.key, SECRET)).text();
		await (await chat(key.key, `${SECRET} [[garbage]]`)).text();
		await readStream(await chat(key.key, SECRET, { stream: true }));
		await call(`/v1/${SECRET}?${SECRET}`);
		await callWithKey(key.key, `/v1/savings?baseline=${SECRET}`);
		await callWithKey(key.key, "/v1/route", { prompt: SECRET, [SECRET]: SECRET, routing_mode: SECRET });
		await call("/v1/chat/completions", {
			method: "POST",
			body: `{"${SECRET}`,
			headers: { authorization: `Bearer ${key.key}` },
		});
		const written = lines.join("\n");
		expect(lines.length).toBeGreaterThanOrEqual(7);
		expect(written).not.toContain(SECRET);
		expect(written).not.toContain(key.key.slice(0, 20));
		expect(written).not.toContain("The sandbox answers");
	});
});

describe("Server-Timing", () => {
	it("says where the time went, on answers and on refusals", async () => {
		const whole = await chat(key.key, "hi");
		expect(whole.headers.get("server-timing")).toMatch(
			/^auth;dur=\d+, body;dur=\d+, admit;dur=\d+, upstream;dur=\d+, settle;dur=\d+, total;dur=\d+$/,
		);
		expect((await call("/v1/plans")).headers.get("server-timing")).toMatch(/^total;dur=\d+$/);
		expect((await chat("svc_sk_wrong", "hi")).headers.get("server-timing")).toMatch(/^auth;dur=\d+, total;dur=\d+$/);
		const streamed = await chat(key.key, "hi", { stream: true });
		expect(streamed.headers.get("server-timing")).toMatch(/first_delta;dur=\d+, total;dur=\d+$/);
		await streamed.text();
	});

	it("counts the time that the model takes to the model", async () => {
		const response = await chat(key.key, "[[slow 300]] hi");
		const stages = Object.fromEntries(
			(response.headers.get("server-timing") ?? "").split(", ").map((stage) => stage.split(";dur=")),
		);
		expect(Number(stages["upstream"])).toBeGreaterThanOrEqual(299);
		expect(Number(stages["total"])).toBeGreaterThanOrEqual(Number(stages["upstream"]));
	});
});
