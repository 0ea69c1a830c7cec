// Budgets of keys through the front door: never passed by a nano-dollar, whatever is called at once, cut, restarted or changed.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import type { KeyBudget } from "../../src/meter/key-budget.ts";
import { MeterState } from "../../src/meter/meter-state.edge.ts";
import type { Settlement } from "../../src/meter/settlement.ts";
import { countingSql, counts, resetCounts } from "../bench/counting/counts.ts";
import { postRun, readRun } from "../support/agents.ts";
import { always, faultyD1, useFaults } from "../support/faults.ts";
import { foldMeter } from "../support/folds.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import {
	call,
	callWithKey,
	chat,
	chatWith,
	db,
	eventually,
	receiptOf,
	type TestKey,
	withKey,
} from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor } from "../support/settlements.ts";

const DAY_MS = 86_400_000;

const { upstream, key: owner } = useService("corporate");
afterEach(() => {
	vi.useRealTimers();
});

interface BudgetView {
	key_id: string;
	key: string;
	budget_usd: number | null;
	budget_period: string | null;
	spent_usd: number | null;
	held_usd: number | null;
	resets_at: string | null;
}

interface BudgetError {
	error: { code: string } | string;
	code?: string;
	budget_usd: number;
	spent_usd: number;
	held_usd: number;
	resets_at: string | null;
	would_fit: { model: string; max_tokens: number; worst_case_usd: number } | null;
}

async function json<T>(response: Response | Promise<Response>, status = 200): Promise<T> {
	const answer = await response;
	const text = await answer.text();
	expect(answer.status, text).toBe(status);
	return JSON.parse(text) as T;
}

const make = (body: unknown, key = owner.key) => callWithKey(key, "/v1/keys", body);
const change = (id: string, body: unknown, key = owner.key) =>
	call(`/v1/keys/${id}`, { ...withKey(key, body), method: "PATCH" });

async function budgetKey(budgetNanoUsd: number, period = "total"): Promise<TestKey> {
	const { key, key_id } = await json<BudgetView>(make({ budget_usd: budgetNanoUsd / 1e9, budget_period: period }));
	return { ...owner, key, key_id };
}

async function viewOf({ key_id }: TestKey): Promise<BudgetView> {
	const { data } = await json<{ data: BudgetView[] }>(callWithKey(owner.key, "/v1/keys"));
	const view = data.find((one) => one.key_id === key_id);
	if (!view) throw new Error("the key is not listed");
	return view;
}

const PROMPT = { model: "gpt-5-nano", max_tokens: 500 };
/** Nano-USD: what the answer may cost is 200,000 alone. */
const LESS_THAN_THE_CALL = 150_000;
const ask = ({ key }: TestKey, more: Record<string, unknown> = {}) => chat(key, "Say hello", { ...PROMPT, ...more });

/** What the usual request may cost, and what it does, nano-USD. */
async function price(): Promise<{ bound: number; cost: number }> {
	const { id } = await json<{ id: string }>(ask(owner));
	const { bound_usd, cost_usd } = await receiptOf(id);
	return { bound: nano(Number(bound_usd)), cost: nano(Number(cost_usd)) };
}

/** What D1 says that a key's requests have cost, nano-USD. */
async function settledNanoUsd({ user_id, key_id }: Pick<TestKey, "user_id" | "key_id">): Promise<number> {
	await env.ACCOUNT_METER.getByName(user_id).flushNow();
	const sum = db.prepare("SELECT coalesce(sum(cost_nano_usd), 0) AS n FROM usage_days WHERE api_key_id = ?");
	return (await sum.bind(key_id).first<number>("n")) ?? 0;
}

describe("a budget", () => {
	it("is exact for 200 calls at once", async () => {
		const { bound, cost } = await price();
		const key = await budgetKey(3 * bound + 1);
		const answers = await Promise.all(Array.from({ length: 200 }, () => ask(key)));
		const served = answers.filter(({ status }) => status === 200).length;
		expect(served).toBeGreaterThanOrEqual(3);
		expect(answers.every(({ status }) => status === 200 || status === 402)).toBe(true);
		const spent = await settledNanoUsd(key);
		expect(spent).toBe(served * cost);
		expect(spent).toBeLessThanOrEqual(3 * bound + 1);
		expect(await viewOf(key)).toMatchObject({ spent_usd: spent / 1e9, held_usd: 0, resets_at: null });
	});

	it("refuses what does not fit, and says what would", async () => {
		const key = await budgetKey(LESS_THAN_THE_CALL, "month");
		const refused = await json<BudgetError>(ask(key), 402);
		expect(refused).toMatchObject({ error: "key_budget_exceeded", budget_usd: 0.00015, spent_usd: 0, held_usd: 0 });
		expect(refused.resets_at).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
		expect(refused.would_fit?.model).toBe("gpt-5-nano");
		const { max_tokens } = refused.would_fit ?? { max_tokens: 0 };
		expect(max_tokens).toBeGreaterThan(64);
		expect((await ask(key, { max_tokens: max_tokens + 1 })).status).toBe(402);
		expect((await ask(key, { max_tokens })).status).toBe(200);
	});

	it.each([0, 1e-10])("of %d USD is no budget, and the refusal says what to do instead", async (budget_usd) => {
		const { key_id } = await budgetKey(1_000);
		for (const answer of [make({ budget_usd }), change(key_id, { budget_usd })]) {
			const refused = await json<{ message: string; issues: unknown[] }>(answer, 422);
			expect(refused).toMatchObject({ error: "invalid_request", issues: [{ path: "budget_usd" }] });
			expect(refused.message).toMatch(/at least 0\.000000001 USD.*null.*delete it/);
		}
	});

	it("of next to nothing refuses everything that costs, and nothing else", async () => {
		const key = await budgetKey(1);
		const refused = await json<BudgetError>(ask(key), 402);
		expect(refused).toMatchObject({ budget_usd: 1e-9, spent_usd: 0, held_usd: 0, resets_at: null, would_fit: null });
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(200);
		expect(upstream.requests).toEqual([]);
	});

	it.each([
		["/v2/orchestrate", { messages: [{ role: "user", content: "Prove that there are infinitely many primes" }] }],
		["/v2/code", { task: "Write a function that adds two numbers" }],
	])("makes %s smaller, until it fits in what is left", async (path, body) => {
		const boundOf = async (answer: Response) =>
			nano(Number((await receiptOf(answer.headers.get("x-request-id") ?? ""))["bound_usd"]));
		const whole = await callWithKey(owner.key, path, body);
		expect(whole.status).toBe(200);
		const limit = Math.floor((await boundOf(whole)) / 2);
		const key = await budgetKey(limit);
		const smaller = await callWithKey(key.key, path, body);
		expect(smaller.status).toBe(200);
		expect(await boundOf(smaller)).toBeLessThanOrEqual(limit);
		const spent = await settledNanoUsd(key);
		expect(await viewOf(key)).toMatchObject({ spent_usd: spent / 1e9, held_usd: 0 });
		await json(change(key.key_id, { budget_usd: spent / 1e9 }));
		expect(await json<BudgetError>(callWithKey(key.key, path, body), 402)).toMatchObject({
			error: "key_budget_exceeded",
			spent_usd: spent / 1e9,
			would_fit: null,
		});
	});

	it("holds what a stream may cost until it is cut, and then what it cost", async () => {
		const { bound } = await price();
		const key = await budgetKey(bound);
		const response = await ask(key, { stream: true });
		expect(response.status).toBe(200);
		await response.body?.cancel();
		await eventually(async () => (await viewOf(key)).held_usd === 0);
		const spent = await settledNanoUsd(key);
		expect(spent).toBeLessThanOrEqual(bound);
		expect(await viewOf(key)).toMatchObject({ spent_usd: spent / 1e9 });
	});

	it("outlives its meter, and a D1 that refuses", async () => {
		const { bound, cost } = await price();
		const key = await budgetKey(bound + cost);
		const noWrites = { DB: faultyD1(env.DB, always("fail")) };
		expect((await chatWith(noWrites, key.key, "Say hello")).status).not.toBe(402);
		await evictDurableObject(env.ACCOUNT_METER.getByName(owner.user_id)).catch(() => undefined);
		const before = nano((await viewOf(key)).spent_usd ?? 0);
		for (let calls = 0; calls < 4; calls++) {
			await ask(key);
			await evictDurableObject(env.ACCOUNT_METER.getByName(owner.user_id)).catch(() => undefined);
		}
		const spent = nano((await viewOf(key)).spent_usd ?? 0);
		expect(spent).toBeGreaterThanOrEqual(before);
		expect(spent).toBeLessThanOrEqual(bound + cost);
		expect(spent).toBe(await settledNanoUsd(key));
	});

	it("is each key's own, and begins anew with its period", async () => {
		vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-12-31T12:00:00Z") });
		const { bound, cost } = await price();
		const [day, week] = [await budgetKey(bound, "day"), await budgetKey(bound, "week")];
		for (const key of [day, week]) {
			expect((await ask(key)).status).toBe(200);
			await json(change(key.key_id, { budget_usd: (LESS_THAN_THE_CALL + cost) / 1e9 }));
			expect((await ask(key)).status).toBe(402);
		}
		expect((await ask(owner)).status).toBe(200);
		const spent_usd = cost / 1e9;
		expect(await viewOf(day)).toMatchObject({ spent_usd, resets_at: "2027-01-01T00:00:00.000Z" });
		expect(await viewOf(week)).toMatchObject({ spent_usd, resets_at: "2027-01-04T00:00:00.000Z" });
		vi.setSystemTime(Date.now() + DAY_MS);
		expect(await viewOf(day)).toMatchObject({ spent_usd: 0, resets_at: "2027-01-02T00:00:00.000Z" });
		expect(await viewOf(week)).toMatchObject({ spent_usd, resets_at: "2027-01-04T00:00:00.000Z" });
	});

	it("may be changed while something is held, and holds from then on", async () => {
		const { bound } = await price();
		const key = await budgetKey(3 * bound, "month");
		const release = Promise.withResolvers<void>();
		upstream.replace(async () => {
			await release.promise;
			return undefined;
		});
		const first = ask(key);
		await eventually(async () => upstream.requests.length === 1);
		expect(await viewOf(key)).toMatchObject({ spent_usd: 0, held_usd: bound / 1e9 });
		const lowered = await json<BudgetView>(change(key.key_id, { budget_usd: (bound - 1) / 1e9 }));
		expect(lowered).toMatchObject({ budget_usd: (bound - 1) / 1e9, budget_period: "month", held_usd: bound / 1e9 });
		expect((await ask(key)).status).toBe(402);
		release.resolve();
		expect((await first).status).toBe(200);
		const without = await json<BudgetView>(change(key.key_id, { budget_usd: null }));
		expect(without).toMatchObject({ budget_usd: null, budget_period: null, spent_usd: null, held_usd: null });
		expect((await ask(key)).status).toBe(200);
		// What a key spends without a budget counts in one that it gets later.
		const again = await json<BudgetView>(change(key.key_id, { budget_usd: 1, budget_period: "day" }));
		expect(nano(again.spent_usd ?? 0)).toBe(await settledNanoUsd(key));
	});

	it("goes over to the key that replaces it", async () => {
		const { bound, cost } = await price();
		const key = await budgetKey(bound);
		expect((await ask(key)).status).toBe(200);
		await json(change(key.key_id, { budget_usd: (LESS_THAN_THE_CALL + cost) / 1e9 }));
		const rotated = await json<BudgetView>(callWithKey(owner.key, `/v1/keys/${key.key_id}/rotate`, {}));
		expect(rotated).toMatchObject({ budget_usd: (LESS_THAN_THE_CALL + cost) / 1e9, spent_usd: cost / 1e9 });
		expect((await ask({ ...owner, key: rotated.key })).status).toBe(402);
	});
});

describe("the list of keys", () => {
	it("shows with limits and budgets what each key has cost, whether it has a budget or not", async () => {
		const { cost } = await price();
		const key = await budgetKey(1e9, "month");
		const idle = await budgetKey(1e9);
		for (let n = 0; n < 2; n++) expect((await ask(key)).status).toBe(200);
		const today = new Date().toISOString().slice(0, 10);
		const costs = (usd: number, last_used_on: string | null) => ({
			...{ cost_today_usd: usd, cost_month_usd: usd, cost_total_usd: usd, last_used_on },
		});
		expect(await viewOf(owner)).toMatchObject({ budget_usd: null, spent_usd: null, ...costs(cost / 1e9, today) });
		expect(await viewOf(key)).toMatchObject({ spent_usd: (2 * cost) / 1e9, ...costs((2 * cost) / 1e9, today) });
		expect(await viewOf(idle)).toMatchObject({ spent_usd: 0, ...costs(0, null) });
		const rotated = await json<BudgetView>(callWithKey(owner.key, `/v1/keys/${key.key_id}/rotate`, {}));
		expect(rotated).toMatchObject(costs((2 * cost) / 1e9, today));
	});
});

describe("a key with a budget", () => {
	it("makes no key, rotates none, and widens no budget", async () => {
		const key = await budgetKey(1e9, "month");
		const other = await budgetKey(1e6, "month");
		for (const body of [{}, { budget_usd: 0.1, budget_period: "month" }])
			expect(await json(make(body, key.key), 403)).toMatchObject({ error: expect.anything(), member: "budget_usd" });
		expect((await callWithKey(key.key, `/v1/keys/${key.key_id}/rotate`, {})).status).toBe(403);
		for (const body of [{ budget_usd: 2 }, { budget_usd: null }, { budget_usd: 1, budget_period: "day" }])
			expect((await change(key.key_id, body, key.key)).status, JSON.stringify(body)).toBe(403);
		expect((await change(other.key_id, { budget_usd: 0.5 }, key.key)).status).toBe(403);
		expect((await change(key.key_id, { budget_usd: 0.5 }, key.key)).status).toBe(200);
		expect((await change(key.key_id, { name: "mine" }, key.key)).status).toBe(200);
	});
});

describe("an agent run on a budget", () => {
	it("has a cap that nobody named lowered to what is left, and says so", async () => {
		const key = await budgetKey(20_000_000);
		const run = await json<RunResponse>(postRun(key, { policy: "efficiency" }));
		expect(run.budget).toMatchObject({ max_cost_usd: 0.02, limited_by: "key_budget" });
		expect(nano((await viewOf(key)).spent_usd ?? 0)).toBe(nano(run.cost_consumed_usd));
		expect(await viewOf(key)).toMatchObject({ held_usd: 0 });
	});

	it("is refused where its named cap does not fit", async () => {
		const key = await budgetKey(20_000_000);
		const refused = await json<BudgetError>(postRun(key, { policy: "efficiency", max_cost_usd: 0.021 }), 402);
		expect(refused).toMatchObject({ budget_usd: 0.02, spent_usd: 0, held_usd: 0, would_fit: null });
		const run = await json<RunResponse>(postRun(key, { policy: "efficiency", max_cost_usd: 0.02 }));
		expect(run.budget).toMatchObject({ max_cost_usd: 0.02 });
		expect(run.budget).not.toHaveProperty("limited_by");
	});

	it("that is interrupted holds only what it cost, and goes on within what is left then", async () => {
		let isDown = true;
		upstream.replace(async (request) =>
			isDown && (await request.text()).includes("Subtask 2 of 3") ? new Response("{}", { status: 500 }) : undefined,
		);
		const key = await budgetKey(20_000_000);
		const failed = await json<RunResponse>(postRun(key, { policy: "efficiency" }), 502);
		const view = await viewOf(key);
		expect(nano(view.held_usd ?? 0)).toBe(nano(failed.cost_consumed_usd));
		isDown = false;
		const resume = () => callWithKey(key.key, `/v1/agent/${failed.run_id}/resume`, {});
		await json(change(key.key_id, { budget_usd: failed.cost_consumed_usd }));
		expect(await json<BudgetError>(resume(), 402)).toMatchObject({ would_fit: null });
		expect(await readRun(key, failed.run_id)).toMatchObject({ status: "interrupted" });
		await json(change(key.key_id, { budget_usd: 0.02 }));
		const run = await json<RunResponse>(resume());
		expect(run.status).toBe("complete");
		expect(nano((await viewOf(key)).spent_usd ?? 0)).toBe(nano(run.cost_consumed_usd));
	});
});

describe("alerts of a budget", () => {
	async function alerts(): Promise<{ threshold: number; key_id: string; spent_usd: number }[]> {
		await env.ACCOUNT_METER.getByName(owner.user_id).flushNow();
		const { data } = await json<{ data: { payload: { threshold: number; key_id: string; spent_usd: number } }[] }>(
			callWithKey(owner.key, "/v1/audit/events?event_type=key_budget_alert"),
		);
		return data.map(({ payload }) => payload).sort((a, b) => a.threshold - b.threshold);
	}

	it("are audit events, one for each threshold in a period", async () => {
		const { bound, cost } = await price();
		const key = await budgetKey(bound + cost, "day");
		await ask(key);
		await json(change(key.key_id, { budget_usd: (2 * cost) / 1e9 }));
		expect((await ask(key)).status).toBe(402);
		await json(change(key.key_id, { budget_usd: cost / 1e9 }));
		for (let calls = 0; calls < 3; calls++) expect((await ask(key)).status).toBe(402);
		const given = await alerts();
		expect(given.map(({ threshold }) => threshold)).toEqual([50, 80, 100]);
		for (const one of given) expect(one).toMatchObject({ key_id: key.key_id, spent_usd: cost / 1e9 });
	});

	async function alertsInD1(): Promise<number> {
		const query = "SELECT count(*) AS n FROM audit_events WHERE user_id = ? AND event_type = 'key_budget_alert'";
		return (await db.prepare(query).bind(owner.user_id).first<number>("n")) ?? 0;
	}

	it("wait in the meter while D1 refuses, and are listed all the same", async () => {
		const { bound, cost } = await price();
		const key = await budgetKey(bound + cost, "day");
		await ask(key);
		await json(change(key.key_id, { budget_usd: cost / 1e9 }));
		const faults = useFaults({
			DB: ({ target }) => (/insert into "audit_events"/i.test(target) ? "fail" : "pass"),
		});
		expect((await ask(key)).status).toBe(402);
		expect((await alerts()).map(({ threshold }) => threshold)).toEqual([50, 80, 100]);
		expect(await alertsInD1()).toBe(0);
		await evictDurableObject(env.ACCOUNT_METER.getByName(owner.user_id)).catch(() => undefined);
		faults.restore();
		expect((await alerts()).map(({ threshold }) => threshold)).toEqual([50, 80, 100]);
		expect(await alertsInD1()).toBe(3);
	});
});

/** Admits a request, and settles it. */
function spendOn(
	state: MeterState,
	budget: { budgetKeyId: string; keyBudget: KeyBudget | null },
	{ usage, receipt }: Settlement,
): void {
	const nowMs = Date.now();
	const id = aRequestId(nowMs);
	const expiresAtMs = nowMs + 1_000;
	const nanoUsd = usage.cost_nano_usd;
	state.admit({
		...{ id, apiKeyId: "key", atMs: nowMs, counting: "minute", isLimited: false, bookedDay: state.today(nowMs) },
		...{ ...budget, nanoUsd, expiresAtMs, reservation: reservationFor("usr", id, nanoUsd, expiresAtMs) },
	});
	const open = state.findOpen(id);
	if (!open) throw new Error("the request is open");
	state.settle(open, { usage: { ...usage, request_id: id }, receipt });
}

describe("the sums of keys that are revoked", () => {
	/** The keys that have a row of sums after a fold. */
	async function foldedKeys(): Promise<string[]> {
		await foldMeter(owner.user_id);
		return runInDurableObject(env.ACCOUNT_METER.getByName(owner.user_id), (_, { storage }) => {
			const rows = storage.sql.exec<{ budget_key: string }>("SELECT budget_key FROM key_spending ORDER BY 1");
			return [...rows].map(({ budget_key }) => budget_key);
		});
	}

	const revoke = ({ key_id }: Pick<TestKey, "key_id">) =>
		call(`/v1/keys/${key_id}`, { ...withKey(owner.key), method: "DELETE" });

	it("go when no key is left that they count for", async () => {
		const first = await budgetKey(1e9);
		expect((await ask(first)).status).toBe(200);
		const rotated = await json<BudgetView>(callWithKey(owner.key, `/v1/keys/${first.key_id}/rotate`, {}));
		expect((await ask({ ...owner, key: rotated.key })).status).toBe(200);
		expect(await foldedKeys()).toContain(first.key_id);
		const spent = (await viewOf({ ...owner, key_id: rotated.key_id })).spent_usd;
		expect(nano(spent ?? 0)).toBe((await settledNanoUsd(first)) + (await settledNanoUsd({ ...first, ...rotated })));
		await revoke(rotated);
		await evictDurableObject(env.ACCOUNT_METER.getByName(owner.user_id)).catch(() => undefined);
		expect((await ask(owner)).status).toBe(200);
		expect(await foldedKeys()).toEqual([owner.key_id]);
	});

	it("stay while a request is open that might need them", async () => {
		const key = await budgetKey(1e9);
		expect((await ask(key)).status).toBe(200);
		const release = Promise.withResolvers<void>();
		upstream.replace(async (request) => {
			if ((await request.text()).includes("hold")) await release.promise;
			return undefined;
		});
		const open = chat(key.key, "hold", PROMPT);
		await eventually(async () => upstream.requests.length === 1);
		await revoke(key);
		expect((await ask(owner)).status).toBe(200);
		expect(await foldedKeys()).toContain(key.key_id);
		release.resolve();
		expect((await open).status).toBe(200);
		expect(await foldedKeys()).toEqual([owner.key_id]);
	});

	it("of 5,000 keys leave as few rows as before them", async () => {
		const meter = env.ACCOUNT_METER.getByName(owner.user_id) as unknown as DurableObjectStub<undefined>;
		const ids = Array.from({ length: 5_000 }, (_, nth) => `key_${String(nth).padStart(26, "0")}`);
		const rows = await runInDurableObject(meter, async (_, { storage }) => {
			const state = new MeterState(storage, Date.now());
			const countRows = () => storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM key_spending").one().n;
			const settlement = await settlementFor("usr", aRequestId(), 123_456_789);
			const spend = (budgetKeyId: string) => spendOn(state, { budgetKeyId, keyBudget: null }, settlement);
			for (const id of ids) spend(id);
			state.foldNow(Date.now());
			const before = countRows();
			for (const id of ids) state.retireBudget(id);
			spend("key_last");
			state.foldNow(Date.now());
			return [before, countRows()];
		});
		expect(rows).toEqual([5_000, 1]);
	});
});

describe("what a meter writes and reads for a request", () => {
	it("is one row for its admission and one for its settlement, with a budget and without", async () => {
		const meter = env.ACCOUNT_METER.getByName(`usr_${crypto.randomUUID()}`);
		const rows = await runInDurableObject(meter, async (_, { storage }) => {
			const sql = countingSql(storage.sql);
			const counting = new Proxy(storage, {
				get: (target, name) => (name === "sql" ? sql : Reflect.get(target, name, target)),
			});
			const state = new MeterState(counting, Date.now());
			const settlement = await settlementFor("usr", aRequestId(), 10);
			const countRequest = async (keyBudget: KeyBudget | null) => {
				// What was read before is counted in the next microtask.
				await Promise.resolve();
				resetCounts();
				if (keyBudget) state.budgetStatus("key", keyBudget, Date.now());
				spendOn(state, { budgetKeyId: "key", keyBudget }, settlement);
				await Promise.resolve();
				return { written: counts.objectRowsWritten, read: counts.objectRowsRead };
			};
			return [await countRequest(null), await countRequest({ limitNanoUsd: 100, period: "day" })];
		});
		expect(rows[0]?.written).toBe(2);
		expect(rows[1]).toEqual(rows[0]);
	});
});
