// Budgets of keys through the front door while bindings fail, the meter dies and streams are cut: whatever happens, what is spent and
// held stays within the budget, and is in the end what the receipts say. VITE_FAULT_SEED and VITE_FAULT_RUNS choose other sequences.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import type { BudgetStatus } from "../../src/meter/key-budget.ts";
import { postRun, readRun } from "../support/agents.ts";
import { type Fault, killObject, useFaults } from "../support/faults.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, chat, db, eventually, meterOf, receiptOf, type TestKey } from "../support/service.ts";
import { type Ask, type Blow, type FaultyPlace, Trial } from "../support/trial.ts";

const SEED = Number(process.env["VITE_FAULT_SEED"] ?? 20_261_122);
const RUNS = Number(process.env["VITE_FAULT_RUNS"] ?? 8);
const SHRINKING_MS = 600_000;

async function budgetKey(owner: TestKey, budgetNanoUsd: number): Promise<TestKey> {
	const made = await callWithKey(owner.key, "/v1/keys", { budget_usd: budgetNanoUsd / 1e9, budget_period: "total" });
	if (made.status !== 200) throw new Error(await made.text());
	return { ...owner, ...((await made.json()) as TestKey) };
}

/** A key's budget as its meter has it. */
async function statusOf({ user_id, key_id }: TestKey, limitNanoUsd: number): Promise<BudgetStatus> {
	const budget = { limitNanoUsd, period: "total" as const };
	const [status] = await env.ACCOUNT_METER.getByName(user_id).budgets([{ budgetKeyId: key_id, budget }]);
	if (!status) throw new Error("a budget has a status");
	return status;
}

/** What D1 says that a key's requests have cost. */
async function costInD1({ user_id, key_id }: TestKey): Promise<number> {
	await meterOf({ user_id }).flushNow();
	const sum = db.prepare("SELECT coalesce(sum(cost_nano_usd), 0) AS n FROM usage_days WHERE api_key_id = ?");
	return (await sum.bind(key_id).first<number>("n")) ?? 0;
}

const anAsk = fc.record<Ask>({
	entrance: fc.constantFrom("chat", "responses", "messages"),
	words: fc.constantFrom("hello", "hello", "[[status 500]]", "[[cut]]", "[[no usage]]", "[[empty]]"),
	model: fc.constantFrom("auto", "gpt-5-nano"),
	stream: fc.boolean(),
	leaves: fc.constantFrom(false, false, true),
});
const aFault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>("fail", "failAfter", "failAfter", "pass");
const aBlow = fc.constantFrom<Blow>("evict", "kill", "kill", "alarm", "expiry");
const aPlace = fc.constantFrom<FaultyPlace>("d1 writes", "d1 writes", "admit", "admit", "settle", "settle", "release");

type Step = (trial: Trial) => Promise<void> | void;

/** A step with its words, so that a failing sequence can be read. */
function worded(name: string, step: Step): Step {
	return Object.assign(step, { [fc.toStringMethod]: () => name });
}

const aStep: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc
			.array(anAsk, { minLength: 1, maxLength: 4 })
			.map((asks) =>
				worded(
					`ask ${JSON.stringify(asks)}`,
					async (trial) => void (await Promise.all(asks.map((ask) => trial.ask(ask)))),
				),
			),
	},
	{
		weight: 3,
		arbitrary: fc
			.tuple(anAsk, aBlow)
			.map(([ask, blow]) => worded(`${blow} during ${JSON.stringify(ask)}`, (trial) => trial.askDuring(ask, blow))),
	},
	{
		weight: 4,
		arbitrary: fc
			.tuple(aPlace, fc.array(aFault, { minLength: 1, maxLength: 4 }))
			.map(([place, faults]) => worded(`${place}: ${JSON.stringify(faults)}`, (trial) => trial.faults(place, faults))),
	},
	{ weight: 2, arbitrary: aBlow.map((blow) => worded(blow, (trial) => trial.blow(blow))) },
);

it(
	"a budget holds, whatever fails, dies or is cut on the way, and is spent as the receipts say",
	async () => {
		const someSteps = fc.array(aStep, { minLength: 4, maxLength: 14 });
		const aLimit = fc.integer({ min: 300_000, max: 30_000_000 });
		const property = fc.asyncProperty(someSteps, aLimit, async (steps, limitNanoUsd) => {
			const trial = await Trial.begin((owner) => budgetKey(owner, limitNanoUsd));
			const expectWithin = async () => {
				const { spentNanoUsd, heldNanoUsd } = await statusOf(trial.key, limitNanoUsd);
				expect(spentNanoUsd + heldNanoUsd).toBeLessThanOrEqual(limitNanoUsd);
			};
			try {
				for (const step of steps) {
					await step(trial);
					await expectWithin();
				}
				await trial.recover();
				expect(await trial.held()).toEqual({ unsent: 0, open: 0, alarmAtMs: null });
				const { spentNanoUsd, heldNanoUsd } = await statusOf(trial.key, limitNanoUsd);
				expect(heldNanoUsd).toBe(0);
				expect(spentNanoUsd).toBeLessThanOrEqual(limitNanoUsd);
				expect(await costInD1(trial.key)).toBe(spentNanoUsd);
				const receipts = await Promise.all((await trial.settled()).map(({ request }) => receiptOf(request.request_id)));
				expect(receipts.reduce((sum, { cost_usd }) => sum + nano(Number(cost_usd)), 0)).toBe(spentNanoUsd);
			} finally {
				trial.end();
			}
		});
		await fc.assert(property, { seed: SEED, numRuns: RUNS });
	},
	SHRINKING_MS,
);

describe("a budget that everything calls on at once", () => {
	const { upstream, key: owner } = useService("corporate");

	const runObject = ({ run_id }: Pick<RunResponse, "run_id">) =>
		env.AGENT_RUN.getByName(`run:${run_id}`) as unknown as DurableObjectStub<undefined>;

	it("holds for orchestrations, code, runs, streams and chats together", async () => {
		const limitNanoUsd = 60_000_000;
		const key = await budgetKey(owner, limitNanoUsd);
		const messages = [{ role: "user", content: "Prove that there are infinitely many primes" }];
		const many = <T>(count: number, ask: () => Promise<T>) => Array.from({ length: count }, ask);
		const answers = await Promise.all([
			...many(40, () => chat(key.key, "Say hello", { model: "gpt-5-nano", max_tokens: 500 })),
			...many(20, async () => {
				const response = await chat(key.key, "Say hello [[long 3000]]", { model: "gpt-5-nano", stream: true });
				await response.body?.cancel();
				return response;
			}),
			...many(8, () => callWithKey(key.key, "/v2/orchestrate", { messages })),
			...many(4, () => callWithKey(key.key, "/v2/code", { task: "Write a function that adds two numbers" })),
			...many(4, () => postRun(key, { policy: "efficiency" })),
		]);
		const statuses = new Set(answers.map(({ status }) => status));
		expect([...statuses].filter((status) => status !== 200 && status !== 402)).toEqual([]);
		expect(statuses).toContain(200);
		await eventually(async () => (await statusOf(key, limitNanoUsd)).heldNanoUsd === 0);
		const { spentNanoUsd } = await statusOf(key, limitNanoUsd);
		expect(spentNanoUsd).toBeGreaterThan(0);
		expect(spentNanoUsd).toBeLessThanOrEqual(limitNanoUsd);
		expect(spentNanoUsd).toBe(await costInD1(key));
	});

	it("holds for a run whose object dies, and whose meter dies with it", async () => {
		let gate: Promise<void> | null = null;
		let isInSecondStep = false;
		upstream.replace(async (request) => {
			if (!(await request.text()).includes("Subtask 2 of 3")) return undefined;
			isInSecondStep = true;
			await gate;
			return undefined;
		});
		const limitNanoUsd = 20_000_000;
		const key = await budgetKey(owner, limitNanoUsd);
		const held = Promise.withResolvers<void>();
		gate = held.promise;
		const started = await postRun(key, { policy: "efficiency", background: true });
		const run = runSchema.parse(await started.json());
		// Not a number of calls: on a busy machine a model may be given up as hung, and another one be called.
		await eventually(async () => isInSecondStep);
		expect((await statusOf(key, limitNanoUsd)).heldNanoUsd).toBe(limitNanoUsd);
		await killObject(env.ACCOUNT_METER.getByName(owner.user_id) as unknown as DurableObjectStub<undefined>);
		await killObject(runObject(run));
		expect((await chat(key.key, "hi", { model: "gpt-5-nano" })).status).toBe(402);
		gate = null;
		held.resolve();
		await runInDurableObject(runObject(run), async (_, { storage }) => storage.setAlarm(Date.now()));
		await eventually(async () => (await readRun(key, run.run_id)).sealed);
		const whole = await readRun(key, run.run_id);
		expect(whole.status).toBe("complete");
		const { spentNanoUsd, heldNanoUsd } = await statusOf(key, limitNanoUsd);
		expect([spentNanoUsd, heldNanoUsd]).toEqual([nano(whole.cost_consumed_usd), 0]);
	});

	it("holds what a meter stored though its answer was lost", async () => {
		const limitNanoUsd = 3_000_000;
		const key = await budgetKey(owner, limitNanoUsd);
		for (const method of ["admit", "settle", "release"]) {
			const faults = useFaults({
				ACCOUNT_METER: (operation) => (operation.method === method ? "failAfter" : "pass"),
			});
			const answers = await Promise.all(
				Array.from({ length: 6 }, () => chat(key.key, "hi", { model: "gpt-5-nano", max_tokens: 500 })),
			);
			faults.restore();
			expect(answers.every(({ status }) => [200, 402, 503].includes(status))).toBe(true);
			const { spentNanoUsd, heldNanoUsd } = await statusOf(key, limitNanoUsd);
			expect(spentNanoUsd + heldNanoUsd).toBeLessThanOrEqual(limitNanoUsd);
		}
	});
});
