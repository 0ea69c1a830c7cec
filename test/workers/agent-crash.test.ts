// Where a run may die, and what of it is there afterwards: one spend, one receipt, a proof that holds.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import { RequestTable } from "../../src/meter/request-table.edge.ts";
import type { Reservation } from "../../src/meter/settlement.ts";
import {
	expectAccounted,
	expectInterrupted,
	expectSettled,
	postRun,
	postVerify,
	readRun,
	readTrajectory,
	runAgent,
} from "../support/agents.ts";
import { type Fault, isOfStranded, killObject, type Operation, useFaults, writes } from "../support/faults.ts";
import {
	callWithKey,
	eventually,
	inMeter,
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
	vi.useRealTimers();
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

/** A run that was killed and went on, as whoever posted it gets it. */
async function expectComplete(response: Response, runId: string): Promise<RunResponse> {
	expect(response.status).toBe(200);
	const run = await readRun(key, runId);
	expect(run.status).toBe("complete");
	expect(await response.json()).toEqual(run);
	await expectAccounted(key, run);
	return run;
}

/** A run that could not go on, as whoever posted it gets it. */
async function expectAgentError(response: Response, runId: string): Promise<RunResponse> {
	expect(response.status).toBe(502);
	const run = await readRun(key, runId);
	const { cost_consumed_usd, output } = run;
	expect(await response.json()).toMatchObject({ error: "agent_error", run_id: runId, cost_consumed_usd, output });
	expect(run.status).toBe("interrupted");
	expect(run.final_message).toMatch(/interrupted/);
	return run;
}

describe("a run whose object is killed", () => {
	it.each([0, 1, 2, 3, 4])(
		"while its call %i is under way goes on, and shows that call as a step without a result",
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
			const run = await expectComplete(await postRun(key, { policy: "efficiency", max_steps: 5 }), runId);
			expect(run.output).toContain("3 results");
			expect(run.steps_taken).toBe(6);
			const [dead, next] = run.steps.slice(nth);
			expect(dead).toMatchObject({ confidence: 0, role: nth === 4 ? "finalize" : "subtask" });
			expect(dead).toMatchObject({ role: next?.role, model: next?.model, input_hash: next?.input_hash });
			expect(dead?.cost_usd).toBeGreaterThan(next?.cost_usd ?? 0);
			expect((await proofOf(runId)).receipt).toMatchObject({ outcome: "complete", estimated: true });
			expect(upstream.requests).toHaveLength(6);
		},
	);

	/** Kills the run at each call for its second subtask, so often. */
	function killAtSecondSubtask(times = Number.POSITIVE_INFINITY): { runId: string; kills: number } {
		const killed = { runId: "", kills: 0 };
		upstream.restore();
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 2 of 3") || killed.kills >= times) return undefined;
			killed.kills++;
			killed.runId = await onlyRun();
			await killObject(runStub(killed.runId));
			return undefined;
		});
		return killed;
	}

	it("in the middle of a panel is charged for every call that had begun", async () => {
		const killed = killAtSecondSubtask(1);
		const response = await postRun(key, { policy: "depth" });
		const run = await expectComplete(response, killed.runId);
		expect(run.steps_taken).toBe(6);
		const calls = Object.values((await usageOf(key)).by_model).reduce((sum, { requests }) => sum + requests, 0);
		// The plan, three times three identical proposals, which end a panel, the final step, and the three that had begun.
		expect(calls).toBe(14);
	});

	it("twice at one step goes on, and three times is interrupted with what it has", async () => {
		const twice = killAtSecondSubtask(2);
		const response = await postRun(key, { policy: "efficiency" });
		expect((await expectComplete(response, twice.runId)).steps_taken).toBe(7);
		key = await newKey("pro");
		const always = killAtSecondSubtask();
		const run = await expectAgentError(await postRun(key, { policy: "efficiency" }), always.runId);
		expect(always.kills).toBe(3);
		expect(run.steps.map(({ confidence }) => confidence > 0)).toEqual([true, true, false, false, false]);
		expect(run.output).not.toBe("");
		await expectInterrupted(key, run);
	});

	it("can be cancelled when it has gone on", async () => {
		const gate = Promise.withResolvers<void>();
		let calls = 0;
		upstream.restore();
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 2 of 3")) return undefined;
			if (calls++ === 0) await killObject(runStub(await onlyRun()));
			else await gate.promise;
			return undefined;
		});
		const posted = postRun(key, { policy: "efficiency" });
		await eventually(async () => calls === 2);
		const runId = await onlyRun();
		const cancelling = callWithKey(key.key, `/v1/agent/${runId}/cancel`, {});
		const isCancelled = () =>
			runInDurableObject(runStub(runId), (_, { storage }) =>
				storage.sql.exec<{ state: string }>("SELECT state FROM run").one().state.includes('"isCancelled":true'),
			);
		await eventually(isCancelled);
		gate.resolve();
		const cancelled = await cancelling;
		const run = (await (await posted).json()) as RunResponse;
		expect(run.status).toBe("cancelled");
		expect(await cancelled.json()).toEqual(run);
		await expectAccounted(key, run);
	});

	it("comes back by itself when nobody waits for it", async () => {
		const killed = killAtSecondSubtask(1);
		faults = useFaults({ AGENT_RUN: ({ method }) => (method === "waitForEnd" ? "fail" : "pass") });
		const posted = postRun(key, { policy: "efficiency" });
		await eventually(async () => killed.kills === 1);
		expect((await posted).status).toBe(503);
		const { runId } = killed;
		faults?.restore();
		faults = undefined;
		await runDurableObjectAlarm(runStub(runId));
		await eventually(() => isOver(runId));
		const run = await readRun(key, runId);
		expect(run.status).toBe("complete");
		await expectAccounted(key, run);
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
		expect(response.status, `operation ${nth}`).toBe(200);
		expect(run.status, `operation ${nth}`).toBe("complete");
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
			expect(nth).toBeGreaterThanOrEqual(6);
		},
	);
});

/** Lets the reservation of a run be over now. */
async function expireReservation(runId: string): Promise<void> {
	const reservation = await inMeter(key, (sql): Reservation => {
		const table = new RequestTable(sql);
		const row = table.find(runId);
		if (!row) throw new Error("the run is admitted");
		const [hold] = table.holds([row.n]);
		const spentNanoUsd = hold?.spent_nano_usd ?? 0;
		return { ...table.reserved(row, key.user_id), spentNanoUsd, holdNanoUsd: row.nanoUsd, expiresAtMs: 1 };
	});
	await meterStub().extend(runId, reservation);
}

describe("a run that its meter has settled", () => {
	/** Lets the meter settle a run whose object cannot be asked. */
	async function expire(runId: string): Promise<void> {
		await expireReservation(runId);
		const away = useFaults({ AGENT_RUN: ({ method }) => (method === "abandon" ? "fail" : "pass") });
		await runDurableObjectAlarm(meterStub());
		away.restore();
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
		const run = await expectAgentError(await postRun(key, { policy: "efficiency" }), runId);
		expect(run.steps_taken).toBe(2);
		await expectSettled(key, run);
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
		const run = await expectAgentError(await postRun(key, { policy: "efficiency" }), runId);
		// The step that was under way has an answer, but the receipt does not know of it.
		expect(run.steps_taken).toBe(1);
		expect(upstream.requests).toHaveLength(2);
		await expectSettled(key, run);
	});
});

describe("a run whose reservation has expired", () => {
	it("goes on when its meter wakes its object, and keeps every step", async () => {
		upstream.restore();
		let runId = "";
		let calls = 0;
		upstream = useSandbox(async (request) => {
			if (!(await request.text()).includes("Subtask 2 of 3") || calls++ > 0) return undefined;
			runId = await onlyRun();
			await expireReservation(runId);
			await killObject(runStub(runId));
			await runDurableObjectAlarm(meterStub());
			return undefined;
		});
		const run = await expectComplete(await postRun(key, { policy: "efficiency" }), runId);
		expect(run.steps.map(({ confidence }) => confidence > 0)).toEqual([true, true, false, true, true, true]);
	});
});

describe("a run that cannot be settled", () => {
	it("is not answered as a success, and is settled when its meter is back", async () => {
		let runId = "";
		faults = useFaults({
			ACCOUNT_METER: ({ method }) => (["settle", "receipt"].includes(method) ? "fail" : "pass"),
			DB: (operation) => (writes(operation) || isOfStranded(operation.target) ? "fail" : "pass"),
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

	it("is released when its time is over: it is in no total, and its key's next run begins", async () => {
		const body = { idempotency_key: "lost", max_steps: 1 };
		let runId = "";
		faults = useFaults({
			AGENT_RUN: ({ method, args }) => {
				if (method !== "start") return "pass";
				runId = (args[0] as { runId: string }).runId;
				return "fail";
			},
		});
		expect((await postRun(key, body)).status).toBe(503);
		faults.restore();
		faults = undefined;
		expect((await usageOf(key)).open).toMatchObject([{ request_id: runId }]);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
		await runDurableObjectAlarm(meterStub());
		expect(await usageOf(key)).toMatchObject({
			total_requests: 0,
			total_cost_usd: 0,
			open: [],
			held_usd: 0,
			recent: [],
		});
		expect((await callWithKey(key.key, `/v1/agent/${runId}`)).status).toBe(404);
		vi.useRealTimers();
		// The key still names it, for whoever comes first.
		expect((await postRun(key, body)).status).toBe(503);
		await expectAccounted(key, await runAgent(key, body));
	});

	it("is settled as it was begun when only the answer of its beginning is lost", async () => {
		faults = useFaults({ AGENT_RUN: ({ method }) => (method === "start" ? "failAfter" : "pass") });
		const body = { idempotency_key: "lost answer", max_steps: 1, policy: "efficiency" };
		expect((await postRun(key, body)).status).toBe(503);
		faults.restore();
		faults = undefined;
		await runDurableObjectAlarm(meterStub());
		const run = await runAgent(key, body);
		await expectAccounted(key, run);
	});
});
