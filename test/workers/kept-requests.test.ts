// How long requests are kept: whole days leave, their sums stay, and whoever asks for one that has left is told from when on they are kept.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { killObject } from "../support/faults.ts";
import { callWithKey, chat, newKey, type TestKey, type Upstream, usageOf, useSandbox } from "../support/service.ts";

const DAY_MS = 86_400_000;
const KEPT_DAYS = 400;
const START_MS = Date.UTC(2027, 0, 10, 12);

let upstream: Upstream;
let key: TestKey;
const stub = () => env.ACCOUNT_METER.getByName(key.user_id);

beforeEach(async () => {
	upstream = useSandbox();
	vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
	key = await newKey("pro");
});
afterEach(() => {
	vi.useRealTimers();
	upstream.restore();
});

/** A chat on a day after the first. @returns its id. */
async function chatOnDay(day: number): Promise<string> {
	vi.setSystemTime(START_MS + day * DAY_MS);
	const response = await chat(key.key, `day ${day}`);
	expect(response.status).toBe(200);
	return ((await response.json()) as { id: string }).id;
}

async function listedIds(): Promise<string[]> {
	const { data } = (await (await callWithKey(key.key, "/v1/requests")).json()) as { data: { request_id: string }[] };
	return data.map(({ request_id }) => request_id);
}

async function totals() {
	const { total_requests, total_cost_usd } = await usageOf(key);
	return { total_requests, total_cost_usd };
}

it("removes whole days once they are over, and nothing of their sums", async () => {
	const ids = [];
	for (const day of [0, 1, KEPT_DAYS]) ids.push(await chatOnDay(day));
	const [first = "", second = "", last = ""] = ids;
	const before = await totals();
	expect(before.total_requests).toBe(3);
	await runDurableObjectAlarm(stub());
	expect(await listedIds()).toEqual([last, second, first]);
	expect(await usageOf(key)).toMatchObject({ kept_since: null });

	vi.setSystemTime(START_MS + (KEPT_DAYS + 1) * DAY_MS);
	await runDurableObjectAlarm(stub());
	expect(await listedIds()).toEqual([last, second]);
	expect(await usageOf(key)).toMatchObject({ ...before, kept_since: "2027-01-11" });
	const removed = await callWithKey(key.key, `/v1/requests/${first}`);
	expect([removed.status, await removed.json()]).toMatchObject([
		404,
		{ error: "request_not_found", kept_since: "2027-01-11", message: expect.stringContaining("2027-01-11") },
	]);
	expect((await callWithKey(key.key, `/v1/requests/${second}`)).status).toBe(200);
	const list = await callWithKey(key.key, "/v1/requests?limit=1");
	expect(await list.json()).toMatchObject({ kept_since: "2027-01-11" });
	const byDay = await callWithKey(key.key, "/v1/usage?group_by=day&since=2027-01-10&until=2027-01-11");
	expect(await byDay.json()).toMatchObject({ total: { requests: 2 } });
	const feedback = await callWithKey(key.key, "/v1/feedback", { request_id: first, score: 1 });
	expect(feedback.status).toBe(404);
});

it("says nothing of a request that is unknown and would be kept", async () => {
	await chatOnDay(0);
	await chatOnDay(KEPT_DAYS + 1);
	await runDurableObjectAlarm(stub());
	const unknown = await callWithKey(key.key, "/v1/requests/svc-01M8ZZZZZZAAAAAAAAAAAAAAAA");
	expect(unknown.status).toBe(404);
	const { kept_since } = (await unknown.json()) as { kept_since?: string };
	// The id is of 2026: before what is kept, like every request that was removed.
	expect(kept_since).toBe("2027-01-11");
	const later = await callWithKey(key.key, "/v1/requests/svc-01P0ZZZZZZAAAAAAAAAAAAAAAA");
	expect(await later.json()).not.toHaveProperty("kept_since");
});

it("goes on with what a meter that died has left", async () => {
	const ids = [];
	for (const day of [0, 0, 1, 2]) ids.push(await chatOnDay(day));
	vi.setSystemTime(START_MS + (KEPT_DAYS + 1) * DAY_MS);
	await runDurableObjectAlarm(stub());
	await killObject(stub() as unknown as DurableObjectStub<undefined>);
	expect(await listedIds()).toEqual(ids.slice(2).toReversed());
	vi.setSystemTime(START_MS + (KEPT_DAYS + 2) * DAY_MS);
	await evictDurableObject(stub());
	await runDurableObjectAlarm(stub());
	expect(await listedIds()).toEqual(ids.slice(3));
	expect(await usageOf(key)).toMatchObject({ total_requests: 4, kept_since: "2027-01-12" });
});
