// Usage over time through the front door: what was asked today, by what, in whose hours, and for whose key.
import { expect, it } from "vitest";
import { useService } from "../support/per-test.ts";
import { callWithKey, chat, newKey } from "../support/service.ts";

const { key: owner } = useService("corporate");

interface Points {
	requests: number[];
	failed: number[];
	tokens: number[];
	cost_usd: number[];
}

interface Series {
	time_zone: string;
	source: string;
	starts: string[];
	total: {
		requests: number;
		failed: number;
		refused: number;
		tokens: number;
		cost_usd: number;
		latency_ms: { p50: number; p95: number } | null;
	};
	latency_ms: unknown[];
	data: (Points & { id: string | null; name: string | null })[];
	others: Points | null;
}

async function seriesOf(key: string, query = "", status = 200): Promise<Series> {
	const response = await callWithKey(key, `/v1/usage/series${query}`);
	const text = await response.text();
	expect(response.status, text).toBe(status);
	return JSON.parse(text);
}

it("adds up to what usage says, in the last step of 31 days", async () => {
	for (const model of ["gpt-6-luna", "gpt-6-luna", "mistral-small-latest"])
		await (await chat(owner.key, "Say hello", { model })).text();
	const usage = await (await callWithKey(owner.key, "/v1/usage")).json<{
		total_tokens: number;
		total_cost_usd: number;
	}>();
	const series = await seriesOf(owner.key);
	expect(series).toMatchObject({ source: "requests", time_zone: "UTC", others: null });
	expect(series.starts.length).toBe(31);
	expect(series.total).toMatchObject({
		requests: 3,
		tokens: usage.total_tokens,
		cost_usd: usage.total_cost_usd,
		latency_ms: { p50: expect.any(Number), p95: expect.any(Number) },
	});
	expect(series.data).toHaveLength(1);
	expect(series.data[0]?.requests.at(-1)).toBe(3);
	expect(series.latency_ms.slice(0, -1).every((of) => of === null)).toBe(true);
});

it("tells models, providers, sessions and end users apart", async () => {
	await (await chat(owner.key, "Say hello", { model: "gpt-6-luna", user: "ada" })).text();
	await (await chat(owner.key, "Say hello", { model: "mistral-small-latest" })).text();
	const names = async (grouping: string) =>
		(await seriesOf(owner.key, `?group_by=${grouping}`)).data.map(({ name }) => name).toSorted();
	expect(await names("model")).toHaveLength(2);
	expect(await names("provider")).toHaveLength(2);
	expect(await names("end_user")).toEqual(["ada", null]);
	expect(await names("session")).toEqual([null]);
	const one = await seriesOf(owner.key, "?group_by=model&limit=1");
	expect(one.data).toHaveLength(1);
	expect(one.others?.requests.at(-1)).toBe(1);
});

it("calls keys by their names, and counts a key under each of its tags", async () => {
	const response = await callWithKey(owner.key, "/v1/keys", { name: "ci", tags: ["batch", "nightly"], role: "agent" });
	const made = await response.json<{ key: string; key_id: string }>();
	await (await chat(made.key, "Say hello")).text();
	await (await chat(owner.key, "Say hello")).text();
	const byKey = await seriesOf(owner.key, "?group_by=key");
	expect(byKey.data.map(({ id, name }) => [id, name])).toContainEqual([made.key_id, "ci"]);
	const byTag = await seriesOf(owner.key, "?group_by=tag");
	expect(byTag.data.map(({ name }) => name).toSorted()).toEqual(["batch", "nightly", null]);
	// Each request is counted once in all, although it is in two tags.
	expect(byTag.total.requests).toBe(2);
	// An agent's key reads its own.
	expect((await seriesOf(made.key)).total.requests).toBe(1);
});

it("goes by the hours of a time zone", async () => {
	await (await chat(owner.key, "Say hello")).text();
	const since = new Date(Date.now() - 24 * 3_600_000).toISOString();
	const series = await seriesOf(owner.key, `?step=hour&time_zone=Asia/Kathmandu&since=${since}`);
	expect(series.time_zone).toBe("Asia/Kathmandu");
	expect(series.starts).toHaveLength(25);
	expect(series.starts.every((start) => start.includes(":15:00"))).toBe(true);
	expect(series.total.requests).toBe(1);
});

it.each([
	["?time_zone=Mars/Olympus", "time_zone"],
	["?step=hour&since=2025-11-01&until=2026-11-01", "since"],
	["?since=2026-11-02&until=2026-11-01", "since"],
	["?limit=51", "limit"],
	["?group_by=day", "group_by"],
])("%s is refused, with what is wrong", async (query, path) => {
	const answer = await seriesOf((await newKey("pro")).key, query, 422);
	expect(JSON.stringify(answer)).toContain(path);
});
