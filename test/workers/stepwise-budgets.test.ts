// What `efficiency` reserves of a key's budget: the cheap path first, and more only when it climbs or repairs.
import { describe, expect, it } from "vitest";
import { codeSchema } from "../../src/code-mode/response.ts";
import { orchestrationSchema } from "../../src/orchestration/response.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, eventually, proofOf, usageOf } from "../support/service.ts";
import { resultsOf, stageOf } from "../support/stages.ts";

const { upstream, key } = useService("corporate");

const PROSE = "Describe for our newsletter what a lighthouse keeper in Norway does on a stormy night in winter.";
/** So short an answer is cut, and cut answers agree with nothing: the cascade climbs. */
const CLIMBING = { max_tokens: 10 };

interface Made {
	key: string;
	key_id: string;
}

async function budgetKey(budgetUsd: number): Promise<Made> {
	const made = await callWithKey(key.key, "/v1/keys", { budget_usd: budgetUsd, budget_period: "total" });
	return made.json<Made>();
}

async function spentBy({ key_id }: Made): Promise<{ spent_usd: number; held_usd: number }> {
	const { data } = await (await callWithKey(key.key, "/v1/keys")).json<{
		data: { key_id: string; spent_usd: number; held_usd: number }[];
	}>();
	const found = data.find((one) => one.key_id === key_id);
	if (!found) throw new Error("the key is not listed");
	return found;
}

function ask(by: string, more: Record<string, unknown> = {}, words = ""): Promise<Response> {
	return callWithKey(by, "/v2/orchestrate", {
		messages: [{ role: "user", content: `${PROSE} ${words}` }],
		policy: "efficiency",
		...more,
	});
}

async function answered(response: Promise<Response>) {
	const { status, body } = await response.then(async (got) => ({ status: got.status, body: await got.json() }));
	if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
	return orchestrationSchema.parse(body);
}

describe("a cascade under efficiency", () => {
	/** What it reserves where every step is asked: nobody answers. */
	const wholeBound = async () => (await answered(ask(key.key, {}, "[[unwilling]]"))).svc.cost.bound_usd;

	it("reserves its first step, and not what it might climb to", async () => {
		const { svc, id } = await answered(ask(key.key));
		expect(resultsOf({ svc })).toHaveLength(1);
		expect(svc.cost.bound_usd).toBeLessThan((await wholeBound()) / 2);
		expect(svc.cost.total_usd).toBeLessThanOrEqual(svc.cost.bound_usd);
		expect(await proofOf(id)).toMatchObject({ valid: true, receipt: { bound_usd: svc.cost.bound_usd } });
	});

	it("lets a small budget serve several at once, where their cheap paths have room", async () => {
		const small = await budgetKey(await wholeBound());
		const responses = await Promise.all(Array.from({ length: 4 }, () => ask(small.key)));
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		expect((await spentBy(small)).held_usd).toBe(0);
	});

	it("holds more when it climbs, never less than it may spend, and says so in its receipt", async () => {
		const first = await answered(ask(key.key, { ...CLIMBING, max_cost_usd: 1e-9 }));
		const climbed = await answered(ask(key.key, CLIMBING));
		expect(climbed.svc.orchestration.escalated).toBe(true);
		expect(climbed.svc.cost.bound_usd).toBeGreaterThan(first.svc.cost.bound_usd);
		expect(climbed.svc.cost.total_usd).toBeLessThanOrEqual(climbed.svc.cost.bound_usd);
		const sum = resultsOf(climbed).reduce((total, { cost_usd }) => total + nano(cost_usd), 0);
		expect(nano(climbed.svc.cost.total_usd)).toBe(sum);
		expect((await proofOf(climbed.id)).receipt).toMatchObject({
			bound_usd: climbed.svc.cost.bound_usd,
			cost_usd: climbed.svc.cost.total_usd,
		});
	});

	it("stops where the budget has no room for its next step, with the answer so far", async () => {
		const whole = await answered(ask(key.key, CLIMBING));
		const steps = (whole.svc.stages ?? []).filter(({ name }) => name.startsWith("step:"));
		expect(steps).toHaveLength(4);
		const small = await budgetKey(whole.svc.cost.bound_usd / 2);
		const stopped = await answered(ask(small.key, CLIMBING));
		expect(stageOf(stopped, "step:0").detail).toMatchObject({ stopped_by: "budget" });
		expect(stopped.choices[0].message.content).not.toBe("");
		expect(stopped.svc.cost.bound_usd).toBeLessThanOrEqual(whole.svc.cost.bound_usd / 2);
		const { spent_usd, held_usd } = await spentBy(small);
		expect({ spent_usd, held_usd }).toEqual({ spent_usd: stopped.svc.cost.total_usd, held_usd: 0 });
		expect((await proofOf(stopped.id)).valid).toBe(true);
	});

	it("holds no more than the bound of the calls under way while they go on", async () => {
		const { bound_usd } = (await answered(ask(key.key))).svc.cost;
		const gate = Promise.withResolvers<void>();
		upstream.replace(async () => {
			await gate.promise;
			return undefined;
		});
		const asking = ask(key.key);
		await eventually(async () => (await usageOf(key)).open.length === 1 && upstream.requests.length === 1);
		expect((await usageOf(key)).held_usd).toBe(bound_usd);
		gate.resolve();
		expect((await asking).status).toBe(200);
	});

	it("passes no budget where many climb at once and every call costs its bound", async () => {
		const { bound_usd } = (await answered(ask(key.key, CLIMBING, "[[overrun]]"))).svc.cost;
		const small = await budgetKey(2.5 * bound_usd);
		const responses = await Promise.all(Array.from({ length: 24 }, () => ask(small.key, CLIMBING, "[[overrun]]")));
		const served = responses.filter(({ status }) => status === 200);
		expect(responses.every(({ status }) => status === 200 || status === 402)).toBe(true);
		const costs = await Promise.all(
			served.map(async (response) => (await answered(Promise.resolve(response))).svc.cost),
		);
		for (const { total_usd, bound_usd: most } of costs) expect(total_usd).toBeLessThanOrEqual(most);
		const { spent_usd, held_usd } = await spentBy(small);
		expect(held_usd).toBe(0);
		expect(nano(spent_usd)).toBe(costs.reduce((sum, { total_usd }) => sum + nano(total_usd), 0));
		expect(spent_usd).toBeLessThanOrEqual(2.5 * bound_usd);
		expect(served.length).toBeGreaterThan(2);
	});

	it("is refused where not even the cheapest model's answer fits", async () => {
		const { key: none } = await budgetKey(1e-9);
		const refused = await ask(none);
		expect([refused.status, await refused.json()]).toMatchObject([402, { error: "key_budget_exceeded" }]);
		expect(upstream.requests).toEqual([]);
	});
});

describe("code under efficiency", () => {
	const write = async (by: string, task: string) =>
		codeSchema.parse(await (await callWithKey(by, "/v2/code", { task, policy: "efficiency", max_tokens: 400 })).json());

	it("reserves its first cycle, and more for repairs", async () => {
		const clean = await write(key.key, "Write a Python function that adds two numbers");
		const repaired = await write(key.key, "Write a Python function that adds two numbers [[flawed]]");
		expect(repaired.iterations).toBe(2);
		expect(repaired.svc.cost.bound_usd).toBeGreaterThan(clean.svc.cost.bound_usd);
		expect(repaired.svc.cost.total_usd).toBeLessThanOrEqual(repaired.svc.cost.bound_usd);
		const whole = await callWithKey(key.key, "/v2/code", { task: "Add two numbers in Python", max_tokens: 400 });
		expect(codeSchema.parse(await whole.json()).svc.cost.bound_usd).toBeGreaterThan(clean.svc.cost.bound_usd);
	});
});
