// What the meter owes when things go wrong: nothing lost, nothing counted twice.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AccountMeter } from "../../src/meter/account-meter.object.ts";
import type { MeterClient } from "../../src/meter/meter-client.edge.ts";
import type { Settlement } from "../../src/meter/settlement.ts";
import {
	alarmAtMs,
	always,
	type Fault,
	type FaultPlan,
	faultyD1,
	faultyNamespace,
	inOrder,
	onlyFor,
	useFaults,
	writes,
} from "../support/faults.ts";
import {
	callWith,
	chat,
	chatWith,
	db,
	eventually,
	newKey,
	receiptOf,
	requestsInD1,
	settledCount,
	type TestKey,
	type Upstream,
	type UsageReport,
	usageOf,
	useSandbox,
	withKey,
} from "../support/service.ts";
import { aRequestId, UNLIMITED_KEY } from "../support/settlements.ts";

/** When a reservation of now has expired: the longest run and the margin behind it are over. */
const AFTER_ANY_RUN_MS = 660_000;

let upstream: Upstream;
let key: TestKey;
let meter: DurableObjectStub<AccountMeter>;

beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("pro");
	meter = env.ACCOUNT_METER.getByName(key.user_id);
});
afterEach(() => {
	vi.useRealTimers();
	upstream.restore();
});

async function usageTotals(): Promise<Pick<UsageReport, "total_requests" | "total_cost_usd">> {
	const { total_requests, total_cost_usd } = await usageOf(key);
	return { total_requests, total_cost_usd };
}

/** Ids of requests that are reserved and neither settled nor released. */
async function openReservations(): Promise<string[]> {
	const open = "SELECT id FROM requests WHERE expires_at_ms IS NOT NULL";
	return runInDurableObject(meter, (_, { storage }) => [...storage.sql.exec<{ id: string }>(open)].map(({ id }) => id));
}

/** A meter whose named methods never reach the object. */
function meterWithout(...methods: (keyof MeterClient)[]): Env["ACCOUNT_METER"] {
	return faultyNamespace(env.ACCOUNT_METER, onlyFor(methods, always("fail")));
}

const noDatabase = faultyD1(env.DB, always("fail"));

describe("a reservation that nobody settles", () => {
	/** Leaves a reservation behind, as a process that died during the upstream call does. */
	async function abandon(): Promise<string> {
		upstream.restore();
		upstream = useSandbox(() => new Promise(() => undefined));
		void chatWith({ ACCOUNT_METER: meterWithout("settle", "release") }, key.key, "left behind").catch(() => undefined);
		await eventually(async () => upstream.requests.length === 1);
		return (await openReservations())[0] ?? "";
	}

	it("is settled at its bound by the alarm, once, with a receipt that says so", async () => {
		const id = await abandon();
		expect(await usageTotals()).toEqual({ total_requests: 0, total_cost_usd: 0 });
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AFTER_ANY_RUN_MS });
		await evictDurableObject(meter);
		await runDurableObjectAlarm(meter);
		await runDurableObjectAlarm(meter);
		await eventually(async () => (await settledCount(key)) === 1);
		const receipt = await receiptOf(id);
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true, cost_usd: receipt["bound_usd"] });
		expect(await usageTotals()).toEqual({ total_requests: 1, total_cost_usd: receipt["bound_usd"] });
		expect(await settledCount(key)).toBe(1);
	});

	it("keeps its settlement when the real one comes too late, which is then not delivered", async () => {
		upstream.restore();
		let answer: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => (answer = resolve));
		upstream = useSandbox(async () => {
			await gate;
			return undefined;
		});
		const pending = chat(key.key, "slow");
		await eventually(async () => upstream.requests.length === 1);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AFTER_ANY_RUN_MS });
		await runDurableObjectAlarm(meter);
		vi.useRealTimers();
		answer();
		const response = await pending;
		expect(response.status).toBe(503);
		expect(await response.json()).toMatchObject({ error: "receipt_unavailable" });
		await eventually(async () => (await settledCount(key)) === 1);
		expect((await usageTotals()).total_requests).toBe(1);
	});

	it.each([
		["the meter is away, so that the real one goes to D1", meterWithout("settle"), 0],
		["the real one comes much later", env.ACCOUNT_METER, AFTER_ANY_RUN_MS],
	])("keeps its settlement though %s", async (_, ACCOUNT_METER, laterMs) => {
		upstream.restore();
		const gate = Promise.withResolvers<undefined>();
		upstream = useSandbox(() => gate.promise);
		const pending = chatWith({ ACCOUNT_METER }, key.key, "slow");
		await eventually(async () => upstream.requests.length === 1);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AFTER_ANY_RUN_MS });
		await runDurableObjectAlarm(meter);
		await eventually(async () => (await settledCount(key)) === 1);
		const settled = await usageTotals();
		vi.setSystemTime(Date.now() + laterMs);
		expect(await usageTotals()).toEqual(settled);
		vi.useRealTimers();
		gate.resolve(undefined);
		const response = await pending;
		expect([response.status, await response.json()]).toMatchObject([503, { error: "receipt_unavailable" }]);
		expect(await usageTotals()).toEqual(settled);
	});
});

describe("admitting", () => {
	it("the same request again counts once, even when the first was the last that fitted", async () => {
		const free = await newKey("free");
		const own = env.ACCOUNT_METER.getByName(free.user_id);
		const request = (requestId: string) => ({
			requestId,
			keyId: free.key_id,
			...UNLIMITED_KEY,
			plan: "free" as const,
			countsTowardsDay: true,
		});
		for (let i = 0; i < 10; i++) {
			const id = aRequestId();
			for (const _ of [1, 2])
				expect(await own.admit(request(id))).toMatchObject({ admitted: true, quota: { usedToday: i + 1 } });
		}
		expect(await own.admit(request(aRequestId()))).toMatchObject({ admitted: false, reason: "rate_limit_exceeded" });
	});
});

describe("a meter whose answer is lost", () => {
	it("to an admission lets nobody in, and nothing is charged for it", async () => {
		const ACCOUNT_METER = faultyNamespace(env.ACCOUNT_METER, onlyFor(["admit"], inOrder(["failAfter", "failAfter"])));
		expect((await chatWith({ ACCOUNT_METER }, key.key, "hi")).status).toBe(503);
		expect(upstream.requests).toEqual([]);
		await eventually(async () => (await openReservations()).length === 0);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AFTER_ANY_RUN_MS });
		await runDurableObjectAlarm(meter);
		expect(await usageTotals()).toEqual({ total_requests: 0, total_cost_usd: 0 });
	});

	it("to a settlement changes nothing: it is settled once", async () => {
		const ACCOUNT_METER = faultyNamespace(env.ACCOUNT_METER, onlyFor(["settle"], always("failAfter")));
		const response = await chatWith({ ACCOUNT_METER }, key.key, "hi");
		expect(response.status).toBe(200);
		const { svc } = (await response.json()) as { svc: { cost: { total_usd: number } } };
		await eventually(async () => (await settledCount(key)) === 1);
		expect(await usageTotals()).toEqual({ total_requests: 1, total_cost_usd: svc.cost.total_usd });
	});
});

describe("settling", () => {
	/** The settlement of a request as D1 has it. */
	async function strandedOf(id: string): Promise<Settlement> {
		const query = "SELECT settlement FROM stranded_settlements WHERE request_id = ?";
		return JSON.parse((await db.prepare(query).bind(id).first<string>("settlement")) ?? "null") as Settlement;
	}

	it("goes to D1 when the meter is away, which takes it over as soon as it is told, and counts it once", async () => {
		const response = await chatWith({ ACCOUNT_METER: meterWithout("settle") }, key.key, "hi");
		expect(response.status).toBe(200);
		const { id, svc } = (await response.json()) as { id: string; svc: { cost: { total_usd: number } } };
		await eventually(async () => (await settledCount(key)) === 1);
		const before = await usageTotals();
		expect(before).toEqual({ total_requests: 1, total_cost_usd: svc.cost.total_usd });
		expect(await meter.settle(await strandedOf(id))).toBe("settled");
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AFTER_ANY_RUN_MS });
		await runDurableObjectAlarm(meter);
		expect(await usageTotals()).toEqual(before);
		expect(await receiptOf(id)).toMatchObject({ outcome: "complete", estimated: false });
	});

	it("shows in usage as open while the meter has not taken it over, though its receipt is public", async () => {
		const ACCOUNT_METER = meterWithout("settle", "takeStranded");
		const { id } = (await (await chatWith({ ACCOUNT_METER }, key.key, "hi")).json()) as { id: string };
		expect(await receiptOf(id)).toMatchObject({ outcome: "complete", estimated: false });
		const detail = await callWith({}, `/v1/requests/${id}`, withKey(key.key));
		expect([detail.status, await detail.json()]).toMatchObject([200, { request_id: id }]);
		const { open, total_requests } = await usageOf(key);
		expect([open.map(({ request_id }) => request_id), total_requests]).toEqual([[id], 0]);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AFTER_ANY_RUN_MS });
		await runDurableObjectAlarm(meter);
		expect(await usageOf(key)).toMatchObject({ total_requests: 1, open: [], held_usd: 0 });
		expect(await receiptOf(id)).toMatchObject({ outcome: "complete", estimated: false });
	});

	it("that fails everywhere withholds the answer", async () => {
		// The key is looked up once before, so that only settling needs D1.
		await chat(key.key, "warm");
		const response = await chatWith({ ACCOUNT_METER: meterWithout("settle"), DB: noDatabase }, key.key, "withheld");
		const advice = ["retry-after", "x-should-retry"].map((name) => response.headers.get(name));
		// The call is paid for: a retry would pay again.
		expect([response.status, ...advice]).toEqual([503, null, "false"]);
		const body = await response.text();
		expect(JSON.parse(body)).toMatchObject({ error: "receipt_unavailable" });
		expect(body).not.toContain("sandbox");
	});
});

describe("a meter that is away", () => {
	it("lets nobody in, and no model is called", async () => {
		const response = await chatWith({ ACCOUNT_METER: meterWithout("admit") }, key.key, "hi");
		expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
		expect(await response.json()).toMatchObject({ error: "storage_unavailable" });
		expect(upstream.requests).toEqual([]);
	});
});

describe("D1 that fails the meter's sums", () => {
	let faults: { restore(): void } | undefined;
	afterEach(() => faults?.restore());

	/** Five answers while D1's writes go wrong; reads see them all. */
	async function fiveAnswers(
		plan: FaultPlan,
	): Promise<{ ids: string[]; totals: Awaited<ReturnType<typeof usageTotals>> }> {
		faults = useFaults({ DB: (operation) => (writes(operation) ? plan(operation) : "pass") });
		const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => chat(key.key, `hi ${i}`)));
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
		const totals = await usageTotals();
		expect(totals.total_requests).toBe(5);
		return { ids: answers.map(({ headers }) => headers.get("x-request-id") ?? ""), totals };
	}

	it.each<[string, Fault[]]>([
		["before it is applied", ["fail"]],
		["after it was applied", ["failAfter"]],
		["twice", ["failAfter", "fail"]],
	])("%s, loses nothing and counts nothing twice", async (_, sequence) => {
		const { ids, totals } = await fiveAnswers(inOrder(sequence));
		for (const _ of sequence) await runDurableObjectAlarm(meter);
		await eventually(async () => (await requestsInD1(key)) === 5);
		expect(await usageTotals()).toEqual(totals);
		for (const id of ids) await receiptOf(id);
	});

	const hour = "for an hour, through an eviction, shows every request meanwhile and has them all in the end";
	it(hour, async () => {
		let tries = 0;
		const { ids, totals } = await fiveAnswers(() => {
			tries++;
			return "fail";
		});
		await evictDurableObject(meter);
		const endsAtMs = Date.now() + 3_600_000;
		for (let atMs = await alarmAtMs(meter); atMs !== null && atMs < endsAtMs; atMs = await alarmAtMs(meter)) {
			vi.useFakeTimers({ toFake: ["Date"], now: atMs });
			await runDurableObjectAlarm(meter);
			expect(await usageTotals()).toEqual(totals);
		}
		expect(await requestsInD1(key)).toBe(0);
		// It keeps asking, and ever less often: once a minute in the end.
		expect(tries).toBeGreaterThan(50);
		expect(tries).toBeLessThan(80);
		faults?.restore();
		await runDurableObjectAlarm(meter);
		expect(await requestsInD1(key)).toBe(5);
		expect(await usageTotals()).toEqual(totals);
		for (const id of ids) await receiptOf(id);
	});
});

describe("D1 that is away", () => {
	it("is 503 with Retry-After for what reads it, never 404 or 500, and usage goes on", async () => {
		const { id } = (await (await chat(key.key, "warm")).json()) as { id: string };
		const paths = ["/v1/keys", "/v1/usage?group_by=key", `/v1/proof/${id}`];
		for (const path of paths) {
			const response = await callWith({ DB: noDatabase }, path, withKey(key.key));
			expect([response.status, response.headers.get("retry-after")], path).toEqual([503, "2"]);
			expect(await response.json()).toMatchObject({ error: "storage_unavailable" });
		}
		expect((await callWith({ DB: noDatabase }, "/v1/usage", withKey(key.key))).status).toBe(200);
	});

	it("shows in /health, which names it", async () => {
		const response = await callWith({ DB: noDatabase }, "/health");
		expect(response.status).toBe(503);
		expect(await response.json()).toMatchObject({
			status: "degraded",
			checks: { d1: { ok: false }, kv: { ok: true }, durable_objects: { ok: true } },
		});
	});

	it("leaves no query parameters in the log", async () => {
		await chat(key.key, "warm");
		const lines: string[] = [];
		const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
		await callWith({ DB: noDatabase }, "/v1/keys", withKey(key.key));
		spy.mockRestore();
		expect(lines.join()).toContain("D1_ERROR");
		expect(lines.join()).not.toContain(key.user_id);
	});
});

describe("a client that hangs up", () => {
	it("stops the upstream call and is still accounted for", async () => {
		upstream.restore();
		let aborted = false;
		const hangUp = new AbortController();
		upstream = useSandbox(
			(request) =>
				new Promise((_, reject) => {
					request.signal.addEventListener("abort", () => {
						aborted = true;
						reject(new Error("aborted"));
					});
				}),
		);
		const body = { messages: [{ role: "user", content: "never mind" }] };
		const init = { ...withKey(key.key, body), signal: hangUp.signal };
		const response = callWith({}, "/v1/chat/completions", init);
		await eventually(async () => upstream.requests.length === 1);
		hangUp.abort();
		const id = (await response).headers.get("x-request-id") ?? "";
		expect(aborted).toBe(true);
		const receipt = await receiptOf(id);
		expect(receipt).toMatchObject({ outcome: "client_closed", estimated: true });
		expect(receipt["cost_usd"]).toBeGreaterThan(0);
		expect(receipt["cost_usd"]).toBeLessThanOrEqual(receipt["bound_usd"] as number);
		expect((await usageTotals()).total_requests).toBe(1);
	});
});
