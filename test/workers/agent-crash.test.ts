// Where a run may die, and what of it is there afterwards: one spend, one receipt, a proof that holds.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import type { Reservation } from "../../src/meter/settlement.ts";
import { expectAccounted, postRun, postVerify, readRun, readTrajectory, runAgent } from "../support/agents.ts";
import { type Fault, killObject, type Operation, useFaults, writes } from "../support/faults.ts";
import { nano } from "../support/money.ts";
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

let upstream: Upstream;
let key: TestKey;
let faults: { restore(): void } | undefined;
/** Got before the faults: they are for the platform's own tools. */
let runStub: (runId: string) => DurableObjectStub<undefined>;
let meterStub: () => ReturnType<typeof env.ACCOUNT_METER.getByName>;

beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("pro");
	const getRun = env.AGENT_RUN.getByName.bind(env.AGENT_RUN);
	const getMeter = env.ACCOUNT_METER.getByName.bind(env.ACCOUNT_METER);
	runStub = (runId) => getRun(`run:${runId}`) as unknown as DurableObjectStub<undefined>;
	meterStub = () => getMeter(key.user_id);
});
afterEach(() => {
	faults?.restore();
	faults = undefined;
	upstream.restore();
});

/** The only run of the key's user. */
async function onlyRun(): Promise<string> {
	const { open } = await usageOf(key);
	return open[0]?.request_id ?? "";
}

async function isOver(runId: string): Promise<boolean> {
	return (await readRun(key, runId)).status !== "running";
}

/** What a killed run looks like to whoever posted it, and to everybody afterwards. */
async function expectInterrupted(response: Response, runId: string): Promise<RunResponse> {
	expect(response.status).toBe(502);
	expect(await response.json()).toMatchObject({ error: "agent_error", run_id: runId });
	const run = await readRun(key, runId);
	expect(run.status).toBe("interrupted");
	expect(run.final_message).toMatch(/interrupted/);
	await expectAccounted(key, run);
	return run;
}

describe("a run whose object is killed", () => {
	it.each([0, 1, 2, 3, 4])(
		"while its call %i is under way is interrupted, with what was done, and spends once",
		async (nth) => {
			upstream.restore();
			let runId = "";
			let calls = 0;
			upstream = useSandbox(async () => {
				if (calls++ !== nth) return undefined;
				runId = await onlyRun();
				await killObject(runStub(runId));
				return undefined;
			});
			const response = await postRun(key, { policy: "efficiency" });
			const run = await expectInterrupted(response, runId);
			expect(run.steps_taken).toBe(nth);
			// The call under way may have been billed.
			const steps = run.steps.reduce((sum, { cost_usd }) => sum + nano(cost_usd), 0);
			expect(nano(run.cost_consumed_usd)).toBeGreaterThan(steps);
			expect((await proofOf(runId)).receipt).toMatchObject({ outcome: "cut", estimated: true });
			expect(upstream.requests).toHaveLength(nth + 1);
		},
	);

	it("in the middle of a panel is charged for every call that had begun", async () => {
		upstream.restore();
		let runId = "";
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 2 of 3")) return undefined;
			runId = await onlyRun();
			await killObject(runStub(runId));
			return undefined;
		});
		const run = await expectInterrupted(await postRun(key, { policy: "depth" }), runId);
		expect(run.steps_taken).toBe(2);
		const calls = Object.values((await usageOf(key)).by_model).reduce((sum, { requests }) => sum + requests, 0);
		// The plan, five of the first subtask, and the three that had begun.
		expect(calls).toBe(9);
	});

	it("comes back by itself when nobody waits for it", async () => {
		upstream.restore();
		let runId = "";
		let isKilled = false;
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 2 of 3")) return undefined;
			runId = await onlyRun();
			faults = useFaults({ AGENT_RUN: ({ method }) => (method === "waitForEnd" ? "fail" : "pass") });
			isKilled = true;
			await killObject(runStub(runId));
			return undefined;
		});
		const posted = postRun(key, { policy: "efficiency" });
		await eventually(async () => isKilled);
		expect((await posted).status).toBe(503);
		faults?.restore();
		faults = undefined;
		await runDurableObjectAlarm(runStub(runId));
		await eventually(() => isOver(runId));
		await expectAccounted(key, await readRun(key, runId));
	});
});

/** Operations of a run on what lies outside its object, in which it may die. */
function isOfRun({ method, target }: Operation): boolean {
	return (
		["extend", "settle", "markOwner"].includes(method) ||
		(writes({ target, method, args: [] }) && /agent_runs|audit_events/.test(target))
	);
}

describe("a run whose object is killed at any step outward", () => {
	/** Runs with a kill at the nth such operation, before it is applied or after; false when the run had fewer. */
	async function runWithKill(nth: number, fault: Fault): Promise<boolean> {
		key = await newKey("pro");
		let runId = "";
		let seen = 0;
		let isKilled = false;
		const plan = (operation: Operation): Fault => {
			if (!isOfRun(operation) || seen++ !== nth) return "pass";
			isKilled = true;
			void killObject(runStub(runId));
			return fault;
		};
		faults = useFaults({
			ACCOUNT_METER: plan,
			DB: plan,
			AGENT_RUN: (operation) => {
				if (operation.method === "start") runId = (operation.args[0] as { runId: string }).runId;
				return "pass";
			},
		});
		const response = await postRun(key, { policy: "efficiency", max_steps: 3 });
		faults.restore();
		faults = undefined;
		await eventually(() => isOver(runId));
		const run = await readRun(key, runId);
		expect([200, 502], `operation ${nth}`).toContain(response.status);
		expect(run.status, `operation ${nth}`).toBe(response.status === 200 ? "complete" : "interrupted");
		await expectAccounted(key, run);
		const list = (await (await callWithKey(key.key, "/v1/agent/runs")).json()) as { data: { status: string }[] };
		expect(
			list.data.map(({ status }) => status),
			`operation ${nth}`,
		).toEqual([run.status]);
		const events = (await (await callWithKey(key.key, "/v1/audit/events?event_type=agent_record")).json()) as {
			data: unknown[];
		};
		expect(events.data).toHaveLength(1);
		return isKilled;
	}

	it.each(["fail", "failAfter", "hangAfter"] as const)(
		"(%s) is settled once, and shown as it was settled",
		async (fault) => {
			let nth = 0;
			while (await runWithKill(nth, fault)) nth++;
			expect(nth).toBeGreaterThan(6);
		},
	);
});

describe("a run that its meter has settled", () => {
	/** Lets the reservation of a run be over now. */
	async function expire(runId: string): Promise<void> {
		const reservation = await runInDurableObject(meterStub(), (_, { storage }) => {
			const { body } = storage.sql.exec<{ body: string }>("SELECT body FROM slots WHERE request_id = ?", runId).one();
			return JSON.parse(body) as Reservation;
		});
		await meterStub().extend(runId, { ...reservation, expiresAtMs: 1 });
		await runDurableObjectAlarm(meterStub());
	}

	it("while its object was away takes what was settled as its spend", async () => {
		upstream.restore();
		let runId = "";
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 2 of 3")) return undefined;
			runId = await onlyRun();
			await expire(runId);
			await killObject(runStub(runId));
			return undefined;
		});
		const run = await expectInterrupted(await postRun(key, { policy: "efficiency" }), runId);
		expect(run.steps_taken).toBe(2);
	});

	it("while it went on makes no further call, and is what the receipt says", async () => {
		upstream.restore();
		let runId = "";
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 1 of 3")) return undefined;
			runId = await onlyRun();
			await expire(runId);
			return undefined;
		});
		const run = await expectInterrupted(await postRun(key, { policy: "efficiency" }), runId);
		// The step that was under way has an answer, but the receipt does not know of it.
		expect(run.steps_taken).toBe(1);
		expect(upstream.requests).toHaveLength(2);
	});
});

describe("a run that cannot be settled", () => {
	it("is not answered as a success, and is settled when its meter is back", async () => {
		let runId = "";
		faults = useFaults({
			ACCOUNT_METER: ({ method }) => (["settle", "receipt"].includes(method) ? "fail" : "pass"),
			DB: (operation) => (writes(operation) || /settlements/.test(operation.target) ? "fail" : "pass"),
			AGENT_RUN: ({ method, args }) => {
				if (method === "start") runId = (args[0] as { runId: string }).runId;
				return "pass";
			},
		});
		const response = await postRun(key, { policy: "efficiency" });
		expect(response.status).toBe(503);
		expect(await response.json()).toMatchObject({ error: "receipt_unavailable", request_id: runId });
		expect((await readRun(key, runId)).status).toBe("running");
		faults.restore();
		faults = undefined;
		await runDurableObjectAlarm(runStub(runId));
		await eventually(() => isOver(runId));
		const run = await readRun(key, runId);
		expect(run.status).toBe("complete");
		await expectAccounted(key, run);
	});
});

describe("a run that D1 does not take", () => {
	it("is listed, read and in the audit log all the same, and is there when D1 is back", async () => {
		faults = useFaults({ DB: (operation) => (writes(operation) ? "fail" : "pass") });
		const run = await runAgent(key, { policy: "efficiency", max_steps: 1 });
		const list = async () => (await callWithKey(key.key, "/v1/agent/runs")).json();
		expect(await list()).toMatchObject({ count: 1, data: [{ run_id: run.run_id, status: "complete" }] });
		expect(await readRun(key, run.run_id)).toEqual(run);
		const events = async () =>
			((await (await callWithKey(key.key, "/v1/audit/events")).json()) as { data: unknown[] }).data;
		expect(await events()).toHaveLength(2);
		faults.restore();
		faults = undefined;
		await runDurableObjectAlarm(runStub(run.run_id));
		const rows = await env.DB.prepare("SELECT status FROM agent_runs WHERE id = ?").bind(run.run_id).all();
		expect(rows.results).toEqual([{ status: "complete" }]);
		expect(await list()).toMatchObject({ count: 1, data: [{ status: "complete" }] });
		expect(await events()).toHaveLength(2);
	});

	it("is read from its object where D1 cannot be read", async () => {
		const run = await runAgent(key, { max_steps: 1 });
		faults = useFaults({ DB: ({ target }) => (/agent_runs/.test(target) ? "fail" : "pass") });
		expect(await readRun(key, run.run_id)).toEqual(run);
		expect((await callWithKey(key.key, "/v1/agent/runs")).status).toBe(503);
	});
});

describe("a run whose beginning is lost", () => {
	it("leaves its key to the next, who waits for it", async () => {
		const body = { idempotency_key: "lost", max_steps: 1 };
		faults = useFaults({ AGENT_RUN: ({ method }) => (method === "start" ? "fail" : "pass") });
		expect((await postRun(key, body)).status).toBe(503);
		faults.restore();
		faults = undefined;
		const joined = await postRun(key, body);
		expect(joined.status).toBe(503);
		const run = await runAgent(key, body);
		expect(run.status).toBe("complete");
		expect((await readTrajectory(key, run.run_id)).verification.valid).toBe(true);
		expect(await postVerify({ run_id: run.run_id, trajectory_proof: run.trajectory_proof, steps: [] })).toMatchObject({
			issued: true,
		});
	});
});
