// Interrupted runs: not signed, held for nothing, and resumed under the same cap.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { agentRunClient } from "../../src/agents/run/client.edge.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { expectAccounted, expectInterrupted, GOAL, postRun, readRun, runAgent } from "../support/agents.ts";
import { nano } from "../support/money.ts";
import {
	call,
	callWith,
	callWithKey,
	eventually,
	newKey,
	type TestKey,
	type Upstream,
	usageOf,
	useSandbox,
	withKey,
} from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";

let upstream: Upstream;
let key: TestKey;
let isDown: boolean;

beforeEach(async () => {
	key = await newKey("pro");
	isDown = true;
	upstream = useSandbox(async (request) =>
		isDown && (await request.text()).includes("Subtask 2 of 3") ? new Response("{}", { status: 500 }) : undefined,
	);
});
afterEach(() => upstream.restore());

/** A run that no model answered at its second subtask; the models answer again from now on. */
async function interruptRun(body: Record<string, unknown> = {}): Promise<RunResponse> {
	const response = await postRun(key, { policy: "efficiency", ...body });
	expect(response.status).toBe(502);
	const { run_id, cost_consumed_usd, output } = (await response.json()) as RunResponse;
	const run = await readRun(key, run_id);
	expect(run).toMatchObject({ cost_consumed_usd, output, steps_taken: 2 });
	isDown = false;
	return run;
}

function resume(runId: string, body: Record<string, unknown> = {}, by = key): Promise<Response> {
	return callWithKey(by.key, `/v1/agent/${runId}/resume`, body);
}

async function resumed(response: Response): Promise<RunResponse> {
	expect(response.status).toBe(200);
	const run = runSchema.parse(await response.json());
	await expectAccounted(key, run);
	return run;
}

function cancel(runId: string): Promise<Response> {
	return callWithKey(key.key, `/v1/agent/${runId}/cancel`, {});
}

function runObject(runId: string) {
	return env.AGENT_RUN.getByName(`run:${runId}`);
}

describe("an interrupted run", () => {
	it("is not signed and holds nothing but what it cost", async () => {
		const run = await interruptRun();
		await expectInterrupted(key, run);
		const list = (await (await callWithKey(key.key, "/v1/agent/runs")).json()) as { data: RunResponse[] };
		expect(list.data).toMatchObject([{ status: "interrupted", sealed: false }]);
	});

	it("goes on when it is resumed, pays for nothing twice, and is signed once", async () => {
		const run = await interruptRun();
		await evictDurableObject(runObject(run.run_id));
		const requests = upstream.requests.length;
		const whole = await resumed(await resume(run.run_id));
		expect(whole).toMatchObject({ run_id: run.run_id, status: "complete", sealed: true, steps_taken: 5 });
		expect(whole.steps.slice(0, 2)).toEqual(run.steps);
		expect(upstream.requests.length - requests).toBe(3);
		expect(await (await resume(run.run_id)).json()).toEqual(whole);
	});

	it("streams when it is resumed with stream", async () => {
		const { run_id } = await interruptRun();
		const events = eventsOf(await (await resume(run_id, { stream: true })).text());
		expect(events.at(-1)?.event).toBe("result");
		expect(events.filter(({ data }) => data.includes('"type":"finished"'))).toHaveLength(1);
		expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({ run_id, status: "complete" });
	});

	it("is interrupted again where still no model answers, and can be resumed again", async () => {
		const run = await interruptRun();
		isDown = true;
		const response = await resume(run.run_id);
		expect([response.status, await response.json()]).toMatchObject([502, { run_id: run.run_id }]);
		await expectInterrupted(key, await readRun(key, run.run_id));
		isDown = false;
		expect((await resumed(await resume(run.run_id))).status).toBe("complete");
	});

	it("is resumed by its idempotency key", async () => {
		const body = { policy: "efficiency", idempotency_key: "again" };
		const run = await interruptRun(body);
		const whole = await resumed(await postRun(key, body));
		expect(whole).toMatchObject({ run_id: run.run_id, status: "complete" });
		expect(await runAgent(key, body)).toEqual(whole);
	});

	it("is ended and signed by a cancellation, and cannot be resumed then", async () => {
		const run = await interruptRun();
		const cancelled = await resumed(await cancel(run.run_id));
		expect(cancelled).toMatchObject({ status: "cancelled", sealed: true, steps_taken: 2, output: run.output });
		const refused = await resume(run.run_id);
		expect([refused.status, await refused.json()]).toMatchObject([409, { error: "run_cancelled" }]);
		expect(await (await cancel(run.run_id)).json()).toEqual(cancelled);
	});

	it("is another user's, and unknown, with 404", async () => {
		const { run_id } = await interruptRun();
		expect((await resume(run_id, {}, await newKey("pro"))).status).toBe(404);
		expect((await resume("agt_01ARZ3NDEKTSV4RRFFQ69G5FAV")).status).toBe(404);
	});

	it("is 402 under a plan whose limit is below its cap", async () => {
		const user = `moved-${crypto.randomUUID()}`;
		key = await newKey("pro", user);
		const { run_id } = await interruptRun();
		const refused = await resume(run_id, {}, await newKey("free", user));
		expect([refused.status, await refused.json()]).toMatchObject([402, { error: "budget_exceeds_tier_limit" }]);
		await expectInterrupted(key, await readRun(key, run_id));
	});

	it("asks no model that the server's policy excludes by then", async () => {
		const run = await interruptRun();
		const providerOf = ({ model }: { model: string }) => CATALOG.findModel(model)?.provider ?? "";
		const excluded = [...new Set(run.steps.map(providerOf))];
		const compliance = { operator: { provider_denylist: excluded }, key: null, request: null };
		const client = agentRunClient(env, key.user_id, run.run_id);
		await client.resume({ compliance, config: null, maxCostNanoUsd: null });
		const whole = await resumed(await resume(run.run_id));
		expect(whole.status).toBe("complete");
		for (const step of whole.steps.slice(2)) expect(excluded).not.toContain(providerOf(step));
	});

	it("stays interrupted when the server's policy lets nobody serve it by then, and leaves an audit event", async () => {
		const goal = `${GOAL} under my SSN 412-68-3957`;
		const { run_id } = await interruptRun({ goal, compliance: { provider_denylist: ["zai"] } });
		const floor = { compliance: { block_data_classes: ["PII"], provider_allowlist: ["zai"] } };
		const get = async (name: string) => (name === "brain:default" ? JSON.stringify(floor) : null);
		const server: Partial<Env> = { KV: { get, put: async () => undefined } as unknown as KVNamespace };
		const asked = upstream.requests.length;
		const response = await callWith(server, `/v1/agent/${run_id}/resume`, withKey(key.key, {}));
		expect(response.status).toBe(502);
		expect(upstream.requests).toHaveLength(asked);
		await expectInterrupted(key, await readRun(key, run_id));
		const list = await callWithKey(key.key, "/v1/audit/events?event_type=compliance_blocked");
		const { data } = await list.json<{ data: unknown[] }>();
		expect(data).toMatchObject([
			{
				actor: `key:${key.key_id}`,
				payload: {
					request_id: run_id,
					endpoint: "resume_agent_run",
					policies: [{ level: "operator", members: ["block_data_classes", "provider_allowlist"] }],
					kinds: { PII: ["us_ssn"] },
					places: [{ path: "goal", message: null, kinds: ["us_ssn"] }],
					refusals: 1,
				},
			},
		]);
		expect(JSON.stringify(data)).not.toContain("412-68");
		const whole = await resumed(await resume(run_id));
		expect(whole.status).toBe("complete");
	});

	it("is signed as it is after seven days", async () => {
		const run = await interruptRun();
		await runInDurableObject(runObject(run.run_id), (_, { storage }) => {
			const { state } = storage.sql.exec<{ state: string }>("SELECT state FROM run").one();
			storage.sql.exec("UPDATE run SET state = ?", state.replace(/"resumableUntilMs":\d+/, '"resumableUntilMs":1'));
		});
		await evictDurableObject(runObject(run.run_id));
		await eventually(async () => (await readRun(key, run.run_id)).sealed);
		const ended = await readRun(key, run.run_id);
		expect(ended).toMatchObject({ status: "interrupted", sealed: true, steps_taken: 2 });
		await expectAccounted(key, ended);
		expect(await (await resume(run.run_id)).json()).toEqual(ended);
	});
});

describe("a run that was never interrupted", () => {
	it("is answered by a resumption as it is", async () => {
		isDown = false;
		const run = await runAgent(key, { policy: "efficiency" });
		expect(await (await resume(run.run_id)).json()).toEqual(run);
		expect(nano((await usageOf(key)).total_cost_usd)).toBe(nano(run.cost_consumed_usd));
		expect((await call(`/v1/proof/${run.run_id}`)).status).toBe(200);
	});
});
