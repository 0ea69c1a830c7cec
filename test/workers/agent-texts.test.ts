// The texts of a run's steps: what their owner reads, for how long, and where they are not.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunResponse, type StepTextResponse, stepTextSchema } from "../../src/agents/response.ts";
import { MAX_STEP_TEXT_BYTES, StepTexts } from "../../src/agents/run/step-texts.edge.ts";
import { AGENT_RUN_TABLES } from "../../src/agents/run/tables.edge.ts";
import { migrate } from "../../src/durable/migrations.edge.ts";
import { tableNames } from "../../src/durable/table-rows.edge.ts";
import { Seal, TextSeal } from "../../src/durable/text-seal.edge.ts";
import { textHash } from "../../src/proof/salted.ts";
import { cachedSettings } from "../../src/settings.ts";
import { GOAL, postRun, readRun, runAgent } from "../support/agents.ts";
import { alarmAtMs } from "../support/faults.ts";
import { runSpec, runWith } from "../support/run-spec.ts";
import { call, callWithKey, eventually, newKey, type TestKey, type Upstream, useSandbox } from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";

let upstream: Upstream;
let key: TestKey;
let isDown: boolean;

beforeEach(async () => {
	isDown = false;
	upstream = useSandbox(async (request) =>
		isDown && (await request.text()).includes("Subtask 2 of 3") ? new Response("{}", { status: 500 }) : undefined,
	);
	key = await newKey("pro");
});
afterEach(() => upstream.restore());

const EFFICIENCY = { policy: "efficiency" };

function getStep(runId: string, index: number | string, by = key): Promise<Response> {
	return callWithKey(by.key, `/v1/agent/${runId}/steps/${index}`);
}

async function readStep(runId: string, index: number): Promise<StepTextResponse> {
	const response = await getStep(runId, index);
	expect(response.status, await response.clone().text()).toBe(200);
	expect(response.headers.get("cache-control")).toBe("no-store");
	return stepTextSchema.parse(await response.json());
}

async function errorOf(response: Response): Promise<unknown> {
	return [response.status, ((await response.json()) as { error: string }).error];
}

function runObject(runId: string) {
	return env.AGENT_RUN.getByName(`run:${runId}`) as unknown as DurableObjectStub<undefined>;
}

/** Everything that a run's object stores, as text; bytes are read as if they were text. */
function storedText(runId: string): Promise<string> {
	return runInDurableObject(runObject(runId), (_, { storage: { sql } }) =>
		tableNames(sql)
			.flatMap((table) => sql.exec(`SELECT * FROM ${table}`).toArray())
			.flatMap((row) => Object.values(row))
			.map((value) => (value instanceof ArrayBuffer ? new TextDecoder().decode(value) : String(value)))
			.join("\n"),
	);
}

/** Interrupts a run at its second subtask. */
async function interruptRun(body: Record<string, unknown> = {}): Promise<RunResponse> {
	isDown = true;
	const response = await postRun(key, { ...EFFICIENCY, ...body });
	expect(response.status).toBe(502);
	isDown = false;
	return readRun(key, ((await response.json()) as RunResponse).run_id);
}

describe("the text of a step", () => {
	it("is read by its owner, and is what the step's hash says", async () => {
		const { run_id, steps, plan, salt } = await runAgent(key, EFFICIENCY);
		const texts = await Promise.all(steps.map(({ index }) => readStep(run_id, index)));
		for (const [index, step] of texts.entries()) {
			const { role, output_hash } = steps[index] ?? {};
			expect(step).toMatchObject({ object: "agent.step", run_id, index, role, output_hash, truncated: false });
			expect(textHash(salt)(step.text)).toBe(output_hash);
		}
		expect(texts.map(({ subtask }) => subtask)).toEqual(["Plan", ...plan, "Final answer"]);
	});

	it("is read while the run goes on, and of an interrupted one", async () => {
		const { run_id, output, steps, salt } = await interruptRun();
		const { text } = await readStep(run_id, 1);
		expect(output).toContain(text);
		expect(textHash(salt)(text)).toBe(steps[1]?.output_hash);
		expect(await errorOf(await getStep(run_id, 2))).toEqual([404, "step_not_found"]);
	});

	it("is still there when the object was evicted, and stored sealed only", async () => {
		const { run_id } = await runAgent(key, EFFICIENCY);
		const { text } = await readStep(run_id, 1);
		await evictDurableObject(runObject(run_id));
		expect((await readStep(run_id, 1)).text).toBe(text);
		expect(text.length).toBeGreaterThan(20);
		expect(await storedText(run_id)).not.toContain(text);
	});

	it("is another's, and that of an unknown run or step, with 404", async () => {
		const { run_id } = await runAgent(key, { max_steps: 1 });
		expect(await errorOf(await getStep(run_id, 0, await newKey("pro")))).toEqual([404, "run_not_found"]);
		expect(await errorOf(await getStep("agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", 0))).toEqual([404, "run_not_found"]);
		for (const index of [1, -1, "00", "0x0", "1e1", "99999999999999999999", "%20"])
			expect(await errorOf(await getStep(run_id, index)), String(index)).toEqual([404, "step_not_found"]);
		expect((await call(`/v1/agent/${run_id}/steps/0`)).status).toBe(401);
	});

	it("stands in no log", async () => {
		const lines: string[] = [];
		const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
		const error = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
		const { run_id } = await runAgent(key, { goal: "Say hi", max_steps: 1 });
		const { text } = await readStep(run_id, 0);
		log.mockRestore();
		error.mockRestore();
		expect(lines.length).toBeGreaterThan(1);
		expect(lines.filter((line) => line.includes(text))).toEqual([]);
	});

	it("is gone after thirty days, by the object's alarm", async () => {
		const { run_id, output } = await runAgent(key, EFFICIENCY);
		await runDurableObjectAlarm(runObject(run_id));
		const days = (((await alarmAtMs(runObject(run_id))) ?? 0) - Date.now()) / 86_400_000;
		expect(days).toBeGreaterThan(29.9);
		expect(days).toBeLessThanOrEqual(30);
		await runInDurableObject(runObject(run_id), (_, { storage }) => {
			storage.sql.exec("UPDATE run SET texts_expire_at_ms = 1");
		});
		expect(await errorOf(await getStep(run_id, 1))).toEqual([404, "text_expired"]);
		await evictDurableObject(runObject(run_id));
		const count = () =>
			runInDurableObject(runObject(run_id), (_, { storage }) =>
				storage.sql.exec<{ n: number }>("SELECT count(texts) AS n FROM run").one(),
			);
		await eventually(async () => (await count()).n === 0);
		expect(await errorOf(await getStep(run_id, 1))).toEqual([404, "text_expired"]);
		expect(await errorOf(await getStep(run_id, 9))).toEqual([404, "step_not_found"]);
		expect((await readRun(key, run_id)).output).toBe(output);
	});
});

describe("a run whose texts may not be kept", () => {
	it("under a zero-retention policy has them as its working state, and deletes them when it ends for good", async () => {
		const { run_id } = await interruptRun({ compliance: { require_zero_retention: true } });
		const { text } = await readStep(run_id, 1);
		expect(await storedText(run_id)).toContain(JSON.stringify(text).slice(1, -1).split("\\n")[0]);
		const resumed = await callWithKey(key.key, `/v1/agent/${run_id}/resume`, {});
		expect(await resumed.json()).toMatchObject({ status: "complete" });
		for (const index of [0, 1, 2]) expect(await errorOf(await getStep(run_id, index))).toEqual([404, "text_expired"]);
		expect(await errorOf(await getStep(run_id, 7))).toEqual([404, "step_not_found"]);
		const stored = await runInDurableObject(runObject(run_id), (_, { storage: { sql } }) => ({
			tables: tableNames(sql),
			texts: sql.exec("SELECT texts FROM run").toArray(),
		}));
		expect(stored).toEqual({ tables: ["run"], texts: [{ texts: null }] });
	});

	it("under STORE_RESPONSES=off deletes them too", async () => {
		const gate = Promise.withResolvers<void>();
		upstream.restore();
		upstream = useSandbox(async (request) => {
			if ((await request.text()).includes("Subtask 2 of 3")) await gate.promise;
			return undefined;
		});
		const started = await postRun(key, { ...EFFICIENCY, background: true });
		const { run_id } = (await started.json()) as RunResponse;
		await eventually(async () => upstream.requests.length === 3);
		await runInDurableObject(runObject(run_id), (instance) => {
			const settings = cachedSettings((instance as unknown as { env: Env }).env);
			settings.storesTexts = false;
		});
		gate.resolve();
		await eventually(async () => (await readRun(key, run_id)).sealed);
		const read = await errorOf(await getStep(run_id, 1));
		await runInDurableObject(runObject(run_id), (instance) => {
			cachedSettings((instance as unknown as { env: Env }).env).storesTexts = true;
		});
		expect(read).toEqual([404, "text_expired"]);
	});
});

describe("long texts", () => {
	it("are cut at 1 MiB before they are sealed, and never sealed for another user, run or step", async () => {
		const text = "é".repeat(MAX_STEP_TEXT_BYTES);
		const { steps } = runWith([text]);
		const spec = runSpec();
		await runInDurableObject(runObject("agt_texts"), async (_, { storage }) => {
			migrate(storage, AGENT_RUN_TABLES);
			const texts = new StepTexts(storage.sql, env);
			for (const _ of "ab") (await texts.seal(spec, steps)).store();
			expect(await texts.read(spec, 0)).toBe("é".repeat(MAX_STEP_TEXT_BYTES / 2));
			await expect(texts.read({ ...spec, userId: "usr_2" }, 0)).rejects.toThrow("does not open");
			await expect(texts.read({ ...spec, runId: "agt_other" }, 0)).rejects.toThrow("does not open");
		});
	});

	it("are opened under the same key and name only", async () => {
		const seal = new TextSeal(Seal.ofKey(new Uint8Array(32).fill(1)));
		const bytes = await seal.seal("a", "\ufeffText");
		expect(await seal.open("a", bytes)).toBe("\ufeffText");
		expect(await seal.seal("a", "\ufeffText")).not.toEqual(bytes);
		await expect(seal.open("b", bytes)).rejects.toThrow("does not open");
		const other = new TextSeal(Seal.ofKey(new Uint8Array(32).fill(2)));
		await expect(other.open("a", bytes)).rejects.toThrow("does not open");
	});
});

describe("a streamed run", () => {
	it("tells the text of each step when the step is done, before the next begins", async () => {
		const events = eventsOf(await (await postRun(key, { ...EFFICIENCY, goal: GOAL, stream: true })).text());
		const run = JSON.parse(events.at(-1)?.data ?? "") as RunResponse;
		const done = events
			.map(({ data }) => JSON.parse(data) as { type: string; step?: { output_hash: string }; text?: string })
			.filter(({ type }) => type === "step_done");
		expect(done).toHaveLength(run.steps.length);
		for (const { step, text = "" } of done) expect(textHash(run.salt)(text)).toBe(step?.output_hash);
		expect(done.at(-1)?.text).toBe(run.output);
	});
});
