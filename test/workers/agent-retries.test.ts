// Agent runs on an upstream that drops, cuts, refuses and falls silent: a single fault loses nothing, and the cap holds.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoredRun } from "../../src/agents/run/stored-run.edge.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { cachedSettings } from "../../src/settings.ts";
import { expectAccounted, expectInterrupted, postRun, readRun, runAgent } from "../support/agents.ts";
import { answers } from "../support/scripted.ts";
import {
	callWithKey,
	eventually,
	newKey,
	proofOf,
	type TestKey,
	type Upstream,
	usageOf,
	useSandbox,
} from "../support/service.ts";
import { TEST_RETRY_WAIT_MS } from "../support/variables.ts";

let upstream: Upstream;
let key: TestKey;

beforeEach(async () => {
	key = await newKey("pro");
});
afterEach(() => {
	upstream.restore();
	restoreIdleTime();
});

const IDLE_MS = 200;

/** Objects of all test files of this isolate share the settings that {@link shortenIdleTime} changes. */
let restoreIdleTime = () => {};

/** An answer that begins, and then breaks off or falls silent. */
function partialAnswer(end: (stream: ReadableStreamDefaultController<Uint8Array>) => void): Response {
	const body = new ReadableStream<Uint8Array>({
		start(stream) {
			const part = 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"One"}}]}\n\n';
			stream.enqueue(new TextEncoder().encode(part));
			end(stream);
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const FAULTS: Record<string, () => Response> = {
	drops: () => {
		throw new Error("Network connection lost.");
	},
	cuts: () => partialAnswer((stream) => stream.close()),
	"falls silent": () => partialAnswer(() => undefined),
	"is limited": () => new Response("{}", { status: 429, headers: { "retry-after": "1" } }),
	"is broken": () => new Response("{}", { status: 500 }),
};
/** Faults after which the provider may charge. */
const CHARGED = ["drops", "cuts", "falls silent"];

/** Puts a fault on calls whose prompt holds `text`; on the first `times` of them. Returns when each was made. */
function failCalls(fault: string, text: string, times = Number.POSITIVE_INFINITY): { atMs: number[] } {
	const failed: { atMs: number[] } = { atMs: [] };
	upstream = useSandbox(async (request) => {
		const prompt = await request.text();
		// The plan's call comes before the settings of its object's later calls are read.
		if (fault === "falls silent" && prompt.includes("You split the goal")) await shortenIdleTime();
		if (!prompt.includes(text) || failed.atMs.length >= times) return undefined;
		failed.atMs.push(Date.now());
		return FAULTS[fault]?.();
	});
	return failed;
}

/** Has the runs' objects wait less for a provider that has begun to answer. */
async function shortenIdleTime(): Promise<void> {
	const [open] = (await usageOf(key)).open;
	await runInDurableObject(env.AGENT_RUN.getByName(`run:${open?.request_id}`), (run) => {
		const { env: bindings } = run as unknown as { env: Env };
		const settings = cachedSettings(bindings);
		const { upstreamIdleTimeoutMs } = settings;
		if (upstreamIdleTimeoutMs === IDLE_MS) return;
		restoreIdleTime = () => void Object.assign(settings, { upstreamIdleTimeoutMs });
		settings.upstreamIdleTimeoutMs = IDLE_MS;
	});
}

describe.each(Object.keys(FAULTS))("a provider that %s", (fault) => {
	it.each(["Subtask 2 of 3", "You write the final answer"])(
		"once, at a call with %j, costs the run at most that call",
		async (text) => {
			const failed = failCalls(fault, text, 1);
			const run = await runAgent(key, { policy: "efficiency", max_steps: 5 });
			expect(failed.atMs).toHaveLength(1);
			expect(run).toMatchObject({ status: "complete" });
			expect(run.output).toContain("3 results");
			const empty = run.steps.filter(({ confidence }) => confidence === 0);
			expect(empty.length).toBeLessThanOrEqual(CHARGED.includes(fault) ? 1 : 0);
			expect(run.steps_taken).toBe(5 + empty.length);
			await expectAccounted(key, run);
		},
	);

	it("at every call of a step ends the run after four tries, with what it has and the rest of its cap", async () => {
		const failed = failCalls(fault, "Subtask 2 of 3");
		const response = await postRun(key, { policy: "efficiency" });
		expect(response.status).toBe(502);
		const error = (await response.json()) as { run_id: string };
		expect(error).toMatchObject({ error: "agent_error" });
		expect(failed.atMs.length).toBeGreaterThanOrEqual(4);
		const run = await readRun(key, error.run_id);
		expect(run.output).not.toBe("");
		expect(run.cost_consumed_usd).toBeLessThan(run.max_cost_usd / 2);
		const [first = 0] = failed.atMs;
		// The Retry-After of a second is longer than the waits. Timers may fire a millisecond early.
		const waitMs = fault === "is limited" ? 1_000 : TEST_RETRY_WAIT_MS;
		expect((failed.atMs.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(3 * (waitMs - 1));
		await expectInterrupted(key, run);
	});
});

describe("a provider that refuses", () => {
	it.each([400, 402, 403])("with %i is not asked for the step again", async (status) => {
		let asked = 0;
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 1 of 3")) return undefined;
			asked++;
			return new Response("{}", { status });
		});
		const began = Date.now();
		const response = await postRun(key, { policy: "efficiency" });
		expect(response.status).toBe(502);
		expect(Date.now() - began).toBeLessThan(4_000);
		expect(asked).toBeLessThanOrEqual(3);
	});
});

describe("models that answer with nothing but zero-width spaces", () => {
	const BLANK = "\u200b\u200b\u200b";
	/** The providers of the others answer in formats of their own. */
	const body = { policy: "efficiency", max_steps: 5, brain_config: { blocked: ["anthropic", "google"] } };

	/** Has the first so many different models that are asked for the second step say nothing, whenever they are asked. */
	function silence(models: number): { blank: Set<string>; asked: string[] } {
		const seen = { blank: new Set<string>(), asked: [] as string[] };
		upstream = useSandbox(async (request) => {
			const text = await request.text();
			if (!text.includes("Subtask 2 of 3")) return undefined;
			const { model } = JSON.parse(text) as { model: string };
			seen.asked.push(model);
			if (seen.blank.size < models) seen.blank.add(model);
			return seen.blank.has(model) ? answers(BLANK) : undefined;
		});
		return seen;
	}

	it("leave the step to another model within the same step, which pays both", async () => {
		const seen = silence(1);
		const run = await runAgent(key, body);
		expect(run).toMatchObject({ status: "complete", steps_taken: 5 });
		expect(seen.asked).toHaveLength(2);
		const upstreamModel = (id: string | undefined) => CATALOG.findModel(id ?? "")?.upstream_model;
		expect(upstreamModel(run.steps[2]?.model)).toBe(seen.asked[1]);
		expect(run.steps[2]?.confidence).toBeGreaterThan(0);
		const { receipt } = await proofOf(run.run_id);
		expect(receipt).toMatchObject({ n_steps: 5, cost_usd: run.cost_consumed_usd });
		await expectAccounted(key, run);
	});

	it("in three tries of a step are asked no more, and each try is paid", async () => {
		const seen = silence(3);
		const run = await runAgent(key, body);
		expect(run).toMatchObject({ status: "complete", steps_taken: 5 + 3 });
		expect(run.output).toContain("3 results");
		// After the plan and the first subtask.
		const tries = run.steps.slice(2, 6);
		const last = tries.pop();
		for (const { confidence, cost_usd } of tries) {
			expect(confidence).toBe(0);
			expect(cost_usd).toBeGreaterThan(0);
		}
		const upstreamModel = CATALOG.findModel(last?.model ?? "")?.upstream_model ?? "";
		expect(upstreamModel).toBe(seen.asked.at(-1));
		expect(seen.blank).not.toContain(upstreamModel);
		expect(seen.blank.size).toBe(3);
		expect(last?.confidence).toBeGreaterThan(0);
		await expectAccounted(key, run);
	});
});

describe("a cap", () => {
	/** One step, whose answers cannot be shortened. */
	const BODY = { goal: "Say hi", policy: "efficiency", max_steps: 1, max_tokens: 64 };

	/** The worst case of one try, and how many calls it makes when all fail. */
	async function measureTry(): Promise<{ worstCaseUsd: number; calls: number }> {
		const failed = failCalls("cuts", "Goal 1");
		const response = await postRun(await newKey("pro"), { ...BODY, stream: true });
		const worstCase = /costs at most ([\d.]+) USD/.exec(await response.text());
		upstream.restore();
		const gaps = failed.atMs.slice(1).map((atMs, at) => atMs - (failed.atMs[at] ?? 0));
		return {
			worstCaseUsd: Number(worstCase?.[1]),
			calls: gaps.findIndex((gapMs) => gapMs >= TEST_RETRY_WAIT_MS - 1) + 1,
		};
	}

	it("with room for one more try allows it", async () => {
		const { worstCaseUsd, calls } = await measureTry();
		failCalls("cuts", "Goal 1", calls);
		const run = await runAgent(key, { ...BODY, max_cost_usd: 2 * worstCaseUsd });
		expect(run).toMatchObject({ status: "complete", steps_taken: 2 });
		await expectAccounted(key, run);
	});

	it("with room for a single try has it made, and ends the run within the cap when it fails", async () => {
		const { worstCaseUsd } = await measureTry();
		failCalls("cuts", "Goal 1");
		const run = await runAgent(key, { ...BODY, max_cost_usd: worstCaseUsd });
		expect(run).toMatchObject({ status: "budget_exhausted", steps_taken: 1 });
		await expectAccounted(key, run);
	});

	it("is never passed while every call fails", async () => {
		const { worstCaseUsd } = await measureTry();
		failCalls("cuts", "Goal 1");
		const run = await runAgent(key, { ...BODY, max_cost_usd: 2.5 * worstCaseUsd });
		expect(run.status).toBe("budget_exhausted");
		expect(run.steps_taken).toBeGreaterThan(1);
		await expectAccounted(key, run);
	});
});

describe("an idempotency key", () => {
	it("answers with the run that a broken call did not end", async () => {
		failCalls("drops", "Subtask 2 of 3", 1);
		const body = { policy: "efficiency", idempotency_key: "once" };
		const run = await runAgent(key, body);
		expect(await runAgent(key, body)).toEqual(run);
		await expectAccounted(key, run);
	});
});

describe("a run that waits for another try", () => {
	it("ends at once when it is cancelled", async () => {
		upstream = useSandbox(async (request) =>
			(await request.text()).includes("Subtask 2 of 3")
				? new Response("{}", { status: 429, headers: { "retry-after": "60" } })
				: undefined,
		);
		const posted = postRun(key, { policy: "efficiency" });
		await eventually(async () => upstream.requests.some(({ status }) => status === 429));
		const runId = (await usageOf(key)).open[0]?.request_id ?? "";
		const isWaiting = () =>
			runInDurableObject(
				env.AGENT_RUN.getByName(`run:${runId}`),
				(_, { storage }) => StoredRun.load(storage)?.waitsUntilMs != null,
			);
		await eventually(isWaiting);
		const cancelled = await callWithKey(key.key, `/v1/agent/${runId}/cancel`, {});
		expect(await cancelled.json()).toMatchObject({ status: "cancelled", run_id: runId });
		expect((await posted).status).toBe(200);
		await expectAccounted(key, await readRun(key, runId));
	});
});
