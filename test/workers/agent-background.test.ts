// Runs in the background, and the webhooks that tell their end.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { fromBase64, verifySignature } from "../../src/proof/signing.ts";
import { expectAccounted, expectInterrupted, postRun, readRun } from "../support/agents.ts";
import { alarmAtMs, killObject } from "../support/faults.ts";
import {
	call,
	callWith,
	callWithKey,
	eventually,
	newKey,
	operator,
	type TestKey,
	type Upstream,
	usageOf,
	useSandbox,
	withKey,
} from "../support/service.ts";
import { useReceiver, WEBHOOK_URL, type WebhookReceiver } from "../support/webhook-receiver.ts";

let upstream: Upstream;
let receiver: WebhookReceiver | undefined;
let user: string;
let key: TestKey;
let isDown: boolean;
let gate: Promise<void> | null;

beforeEach(async () => {
	user = `background-${crypto.randomUUID()}`;
	key = await newKey("pro", user);
	isDown = false;
	gate = null;
	upstream = useSandbox(async (request) => {
		if (!(await request.text()).includes("Subtask 2 of 3")) return undefined;
		await gate;
		return isDown ? new Response("{}", { status: 500 }) : undefined;
	});
});
afterEach(() => {
	receiver?.restore();
	receiver = undefined;
	upstream.restore();
});

const BACKGROUND = { background: true, policy: "efficiency" };

/** Starts a run in the background. */
async function startInBackground(body: Record<string, unknown> = {}): Promise<RunResponse> {
	const response = await postRun(key, { ...BACKGROUND, ...body });
	expect(response.status, await response.clone().text()).toBe(202);
	const run = runSchema.parse(await response.json());
	expect(response.headers.get("location")).toBe(`/v1/agent/${run.run_id}`);
	return run;
}

/** The run when it has ended for good. */
async function ended({ run_id }: Pick<RunResponse, "run_id">): Promise<RunResponse> {
	await eventually(async () => (await readRun(key, run_id)).sealed);
	return readRun(key, run_id);
}

async function interrupted({ run_id }: Pick<RunResponse, "run_id">): Promise<RunResponse> {
	await eventually(async () => (await readRun(key, run_id)).status === "interrupted");
	return readRun(key, run_id);
}

async function errorOf(response: Response): Promise<unknown> {
	return { status: response.status, body: await response.json() };
}

function runObject(runId: string) {
	return env.AGENT_RUN.getByName(`run:${runId}`) as unknown as DurableObjectStub<undefined>;
}

/** Holds the second subtask until the returned function is called. */
function hold(): () => void {
	const held = Promise.withResolvers<void>();
	gate = held.promise;
	return held.resolve;
}

describe("a run in the background", () => {
	it("is answered at once with its state and its address, and goes on", async () => {
		const release = hold();
		const run = await startInBackground();
		expect(run).toMatchObject({ status: "running", sealed: false, output: "" });
		const location = `/v1/agent/${run.run_id}`;
		expect(await (await callWithKey(key.key, location)).json()).toMatchObject({ run_id: run.run_id });
		release();
		const whole = await ended(run);
		expect(whole.status).toBe("complete");
		await expectAccounted(key, whole);
	});

	it("is not streamed", async () => {
		const refused = await errorOf(await postRun(key, { ...BACKGROUND, stream: true }));
		expect(refused).toMatchObject({
			status: 422,
			body: { error: "invalid_request", issues: [{ path: "background" }] },
		});
		expect(upstream.requests).toEqual([]);
	});

	it("is refused before it starts like any other", async () => {
		expect((await postRun(key, { ...BACKGROUND, goal: " " })).status).toBe(400);
		expect((await postRun(key, { ...BACKGROUND, max_cost_usd: 99 })).status).toBe(402);
	});

	it("is one run under one idempotency key, however often and however it is asked for", async () => {
		const release = hold();
		const body = { idempotency_key: "one" };
		const [run, again] = await Promise.all([startInBackground(body), startInBackground(body)]);
		expect(again.run_id).toBe(run.run_id);
		const waiting = postRun(key, { policy: "efficiency", ...body });
		release();
		const whole = runSchema.parse(await (await waiting).json());
		expect(whole).toMatchObject({ run_id: run.run_id, status: "complete" });
		const repeated = await postRun(key, { ...BACKGROUND, ...body });
		expect([repeated.status, await repeated.json()]).toEqual([200, whole]);
		expect(await errorOf(await postRun(key, { ...BACKGROUND, ...body, max_steps: 4 }))).toMatchObject({ status: 409 });
		expect(upstream.requests).toHaveLength(5);
	});

	it("is another run under another key, and is read with every API key of its user", async () => {
		receiver = useReceiver();
		const runs = await Promise.all(
			["first", "second"].map((idempotency_key) => startInBackground({ idempotency_key, webhook: WEBHOOK_URL })),
		);
		const ids = runs.map(({ run_id }) => run_id).toSorted();
		expect(new Set(ids).size).toBe(2);
		await eventually(async () => receiver?.received.length === 2);
		const sent = receiver.received.map(({ body }) => (JSON.parse(body) as RunResponse).run_id);
		expect(sent.toSorted()).toEqual(ids);
		const second = await operator("POST", "/internal/keys", { user, plan: "pro" });
		const by = (await second.json()) as TestKey;
		for (const id of ids)
			for (const path of [`/v1/agent/${id}`, `/v1/agent/${id}/steps/0`])
				expect((await callWithKey(by.key, path)).status).toBe(200);
	});

	it("is read a hundred times while it goes on, without a call more", async () => {
		const release = hold();
		const run = await startInBackground();
		const reads = await Promise.all(Array.from({ length: 100 }, () => readRun(key, run.run_id)));
		expect(new Set(reads.map(({ status }) => status))).toEqual(new Set(["running"]));
		release();
		await expectAccounted(key, await ended(run));
		expect(upstream.requests).toHaveLength(5);
	});

	it("goes on when its object dies, and ends when it is cancelled", async () => {
		const release = hold();
		const run = await startInBackground();
		await eventually(async () => upstream.requests.length === 3);
		await killObject(runObject(run.run_id));
		gate = null;
		release();
		const whole = await ended(run);
		expect(whole).toMatchObject({ status: "complete", steps_taken: 6 });

		const releaseSecond = hold();
		const second = await startInBackground();
		const cancelling = callWithKey(key.key, `/v1/agent/${second.run_id}/cancel`, {});
		releaseSecond();
		expect(await (await cancelling).json()).toMatchObject({ status: "cancelled", sealed: true });
	});

	it("that is interrupted says so to a read; its key returns it, and only a resumption lets it go on", async () => {
		isDown = true;
		const body = { idempotency_key: "kept" };
		const run = await interrupted(await startInBackground(body));
		await expectInterrupted(key, run);
		isDown = false;
		const repeated = await postRun(key, { ...BACKGROUND, ...body });
		expect([repeated.status, await repeated.json()]).toEqual([202, run]);
		expect(await errorOf(await postRun(key, { policy: "efficiency", ...body }))).toMatchObject({
			status: 502,
			body: { error: "agent_error", run_id: run.run_id, output: run.output },
		});
		const resumed = await callWithKey(key.key, `/v1/agent/${run.run_id}/resume`, { background: true });
		expect([resumed.status, resumed.headers.get("location")]).toEqual([202, `/v1/agent/${run.run_id}`]);
		expect((await ended(run)).status).toBe("complete");
		const after = await callWithKey(key.key, `/v1/agent/${run.run_id}/resume`, { background: true });
		expect([after.status, await after.json()]).toEqual([200, await readRun(key, run.run_id)]);
		const both = { background: true, stream: true };
		expect((await callWithKey(key.key, `/v1/agent/${run.run_id}/resume`, both)).status).toBe(422);
	});

	it("is started by the tool as by the endpoint", async () => {
		const given = { name: "start_agent_run", arguments: { goal: "Say hi", background: true } };
		const params = { ...given, _meta: { progressToken: 1 } };
		const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
		const { headers: common, ...init } = withKey(key.key, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
		const response = await call("/v1/mcp", { ...init, headers: { ...common, ...headers } });
		const text = await response.text();
		expect(text).toContain('"status":"running"');
		expect(text).not.toContain("isError");
	});
});

describe("a POST that resumes by its idempotency key", () => {
	it("counts no second request of the day", async () => {
		isDown = true;
		const body = { policy: "efficiency", idempotency_key: "again" };
		expect((await postRun(key, body)).status).toBe(502);
		isDown = false;
		const used = async () => (await usageOf(key)).limits.daily_requests_used;
		expect(await used()).toBe(1);
		const resumed = await postRun(key, { ...body, background: true });
		expect(resumed.status).toBe(202);
		expect(await used()).toBe(1);
		const run = await ended((await resumed.json()) as RunResponse);
		expect(run.status).toBe("complete");
		await expectAccounted(key, run);
	});
});

/** Makes the next try of a run's webhook be due, and lets the alarm make it. */
async function nextTry(runId: string): Promise<void> {
	await runInDurableObject(runObject(runId), (_, { storage }) => {
		storage.sql.exec("UPDATE webhooks SET next_at_ms = 1");
	});
	await evictDurableObject(runObject(runId));
	await runDurableObjectAlarm(runObject(runId));
}

function waitingTries(runId: string): Promise<number[]> {
	return runInDurableObject(runObject(runId), (_, { storage }) =>
		storage.sql
			.exec<{ tries: number }>("SELECT tries FROM webhooks")
			.toArray()
			.map(({ tries }) => tries),
	);
}

async function signingKey(): Promise<Uint8Array> {
	const { keys } = (await (await call("/v1/proof/pubkey")).json()) as { keys: { public_key: string }[] };
	return fromBase64(keys[0]?.public_key ?? "") ?? new Uint8Array();
}

describe("a webhook", () => {
	it("tells the end of a run once, signed, without its output", async () => {
		receiver = useReceiver();
		const run = await ended(await startInBackground({ webhook: WEBHOOK_URL }));
		await eventually(async () => receiver?.received.length === 1);
		const [sent] = receiver.received;
		const { run_id, status, cost_consumed_usd, trajectory_proof } = run;
		const body = { type: "agent.run.ended", run_id, status, cost_consumed_usd, trajectory_proof };
		expect(sent).toMatchObject({ url: WEBHOOK_URL, body: JSON.stringify(body), redirect: "manual" });
		const header = (name: string) => sent?.headers.get(`webhook-${name}`) ?? "";
		expect(header("id")).toMatch(/^msg_[0-9A-Z]{26}$/);
		expect(Math.abs(Number(header("timestamp")) - Date.now() / 1_000)).toBeLessThan(60);
		const [version, signature = ""] = header("signature").split(",");
		const signed = `${header("id")}.${header("timestamp")}.${sent?.body}`;
		expect([version, await verifySignature(await signingKey(), signed, signature)]).toEqual(["v1a", true]);
		expect(await waitingTries(run_id)).toEqual([]);
		expect(JSON.stringify(run)).not.toContain("hooks.example.com");
		await expectAccounted(key, run);
	});

	it("is sent for a run that is waited for as well, and for one that is cancelled", async () => {
		receiver = useReceiver();
		const response = await postRun(key, { policy: "efficiency", webhook: WEBHOOK_URL });
		expect(response.status).toBe(200);
		await eventually(async () => receiver?.received.length === 1);
		const release = hold();
		const { run_id } = await startInBackground({ webhook: WEBHOOK_URL });
		const cancelling = callWithKey(key.key, `/v1/agent/${run_id}/cancel`, {});
		release();
		await cancelling;
		await eventually(async () => receiver?.received.length === 2);
		expect(JSON.parse(receiver.received[1]?.body ?? "")).toMatchObject({ run_id, status: "cancelled" });
	});

	it.each([
		["http://hooks.example.com/"],
		["https://hooks.example.com:8443/"],
		["https://other.example.com/"],
		["https://127.0.0.1/"],
		["https://[::1]/"],
		["not an address"],
		[""],
	])("to %j is refused before any call", async (webhook) => {
		const refused = await errorOf(await postRun(key, { ...BACKGROUND, webhook }));
		expect(refused).toMatchObject({ status: 422, body: { error: "webhook_unavailable" } });
		expect(upstream.requests).toEqual([]);
	});

	it.each(["WEBHOOK_HOSTS", "SIGNING_KEY"])("is refused by a service without %s", async (name) => {
		const body = { goal: "Say hi", background: true, webhook: WEBHOOK_URL };
		const response = await callWith({ [name]: "" } as Partial<Env>, "/v1/agent/run", withKey(key.key, body));
		expect(await errorOf(response)).toMatchObject({ status: 422, body: { error: "webhook_unavailable" } });
	});

	it("keeps its id and its body at every try, is signed anew, and is tried after the object was evicted", async () => {
		receiver = useReceiver((nth) => new Response(null, { status: nth < 4 ? 500 : 200 }));
		const { run_id } = await ended(await startInBackground({ webhook: WEBHOOK_URL }));
		await eventually(async () => receiver?.received.length === 1);
		for (let tries = 1; tries < 5; tries++) {
			expect(await waitingTries(run_id)).toEqual([tries]);
			const dueAtMs = (await alarmAtMs(runObject(run_id))) ?? 0;
			expect(dueAtMs - Date.now()).toBeGreaterThan(20_000);
			await nextTry(run_id);
			await eventually(async () => receiver?.received.length === tries + 1);
		}
		expect(new Set(receiver.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
		expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
		expect(await waitingTries(run_id)).toEqual([]);
		expect((await readRun(key, run_id)).alerts).toEqual([]);
	});

	it.each([
		["redirects", () => new Response(null, { status: 302, headers: { location: "https://hooks.example.com/other" } })],
		["breaks the connection", () => Promise.reject(new Error("Network connection lost."))],
	] as const)(
		"that its receiver never takes (it %s) is given up after five tries, with an alert",
		async (_, answer) => {
			receiver = useReceiver(answer);
			const run = await ended(await startInBackground({ webhook: WEBHOOK_URL }));
			await eventually(async () => receiver?.received.length === 1);
			for (let tries = 1; tries < 5; tries++) {
				await nextTry(run.run_id);
				await eventually(async () => receiver?.received.length === tries + 1);
			}
			await eventually(async () => (await readRun(key, run.run_id)).alerts.length === 1);
			const whole = await readRun(key, run.run_id);
			expect(whole.alerts).toMatchObject([
				{ level: "WARNING", code: "webhook_failed", threshold: null, consumed_usd: run.cost_consumed_usd },
			]);
			expect(JSON.stringify(whole)).not.toContain("hooks.example.com");
			expect({ ...whole, alerts: [] }).toEqual(run);
			await nextTry(run.run_id);
			expect(receiver.received).toHaveLength(5);
			await expectAccounted(key, whole);
		},
	);

	it("whose receiver hangs is tried again when the object has died meanwhile, and never a sixth time", async () => {
		receiver = useReceiver(() => new Promise<Response>(() => undefined));
		const run = await ended(await startInBackground({ webhook: WEBHOOK_URL }));
		for (let tries = 1; tries <= 5; tries++) {
			await eventually(async () => receiver?.received.length === tries);
			await killObject(runObject(run.run_id));
			expect(await waitingTries(run.run_id)).toEqual([tries]);
			await runInDurableObject(runObject(run.run_id), async (_, { storage }) => {
				storage.sql.exec("UPDATE webhooks SET next_at_ms = 1");
				await storage.setAlarm(Date.now());
			});
		}
		await eventually(async () => (await readRun(key, run.run_id)).alerts.length === 1);
		expect(receiver.received).toHaveLength(5);
		expect(await waitingTries(run.run_id)).toEqual([]);
	});

	it("has ten seconds for its answer", async () => {
		const aborted = Promise.withResolvers<number>();
		const startedAtMs = Date.now();
		receiver = useReceiver(
			(_, signal) =>
				new Promise<Response>((_resolve, reject) => {
					signal.addEventListener("abort", () => {
						aborted.resolve(Date.now() - startedAtMs);
						reject(signal.reason);
					});
				}),
		);
		const { run_id } = await startInBackground({ webhook: WEBHOOK_URL });
		expect(await aborted.promise).toBeGreaterThan(9_000);
		expect(await waitingTries(run_id)).toEqual([1]);
	});

	it("tells that a run is interrupted, and its end when it was resumed", async () => {
		receiver = useReceiver();
		isDown = true;
		const run = await interrupted(await startInBackground({ webhook: WEBHOOK_URL }));
		await eventually(async () => receiver?.received.length === 1);
		isDown = false;
		await callWithKey(key.key, `/v1/agent/${run.run_id}/resume`, {});
		await eventually(async () => receiver?.received.length === 2);
		const sent = receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
		expect(sent).toMatchObject([
			{ type: "agent.run.interrupted", status: "interrupted", cost_consumed_usd: run.cost_consumed_usd },
			{ type: "agent.run.ended", status: "complete" },
		]);
	});

	it("that hangs does not hold up a run that is resumed", async () => {
		receiver = useReceiver(() => new Promise<Response>(() => undefined));
		isDown = true;
		const run = await interrupted(await startInBackground({ webhook: WEBHOOK_URL }));
		await eventually(async () => receiver?.received.length === 1);
		isDown = false;
		const startedAtMs = Date.now();
		expect((await callWithKey(key.key, `/v1/agent/${run.run_id}/resume`, {})).status).toBe(200);
		expect(Date.now() - startedAtMs).toBeLessThan(8_000);
	});
});
