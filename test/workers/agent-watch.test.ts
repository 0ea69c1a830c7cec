// Looking on at a run: what it is, what happens, what it has come to. Nothing is changed by that.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { postRun, readRun, runAgent } from "../support/agents.ts";
import { killObject } from "../support/faults.ts";
import {
	callWithKey,
	eventually,
	newKey,
	operator,
	type TestKey,
	type Upstream,
	useSandbox,
} from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";

let upstream: Upstream;
let key: TestKey;
let isDown: boolean;
let release: () => void;
let gate: Promise<void> | null;

beforeEach(async () => {
	key = await newKey("pro");
	isDown = false;
	gate = null;
	release = () => undefined;
	upstream = useSandbox(async (request) => {
		if (!(await request.text()).includes("Subtask 2 of 3")) return undefined;
		await gate;
		return isDown ? new Response("{}", { status: 500 }) : undefined;
	});
});
afterEach(() => {
	release();
	upstream.restore();
});

/** Holds the second subtask until `release` is called. */
function hold(): void {
	const held = Promise.withResolvers<void>();
	gate = held.promise;
	release = held.resolve;
}

async function startRun(): Promise<RunResponse> {
	return runSchema.parse(await (await postRun(key, { background: true, policy: "efficiency" })).json());
}

const eventsPath = (runId: string) => `/v1/agent/${runId}/events`;
const watch = (runId: string, { key: secret } = key) => callWithKey(secret, eventsPath(runId));

interface Watched {
	event: string;
	data: Record<string, unknown> & { type?: string; run?: RunResponse };
}

/** Collects the events of a stream while it comes. */
function collect(response: Response): { events: Watched[]; whole: Promise<void> } {
	expect(response.headers.get("content-type")).toContain("text/event-stream");
	const events: Watched[] = [];
	const read = async () => {
		let text = "";
		for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
			text += piece;
			const end = text.lastIndexOf("\n\n") + 2;
			for (const { event, data } of eventsOf(text.slice(0, end))) events.push({ event, data: JSON.parse(data) });
			text = text.slice(end);
		}
	};
	return { events, whole: read() };
}

const names = (events: readonly Watched[]) =>
	events.map(({ event, data }) => (event === "progress" ? data.type : event));

describe("watching a run", () => {
	it("tells what it is, what happens from then on, and what it has come to", async () => {
		hold();
		const { run_id: id } = await startRun();
		await eventually(async () => (await readRun(key, id)).steps_taken >= 1);
		const { events, whole } = collect(await watch(id));
		await eventually(async () => events.length > 0);
		const before = events[0]?.data.run;
		expect(before).toMatchObject({ run_id: id, status: "running" });
		release();
		await whole;
		expect(names(events).filter((name) => name === "run")).toHaveLength(1);
		expect(names(events).slice(-2)).toEqual(["finished", "result"]);
		const result = events.at(-1)?.data as unknown as RunResponse;
		expect(result).toEqual(await readRun(key, id));
		// The steps that it had, and those that came, are all of its steps, none twice.
		const came = events.flatMap(({ data }) =>
			data.type === "step_done" ? [(data["step"] as { index: number }).index] : [],
		);
		expect([...(before?.steps.map(({ index }) => index) ?? []), ...came]).toEqual(
			result.steps.map(({ index }) => index),
		);
	});

	it("is answered at once for one that is over, and counts nothing towards the day", async () => {
		const run = await runAgent(key);
		const used = async () =>
			((await (await callWithKey(key.key, "/v1/usage")).json()) as { limits: { daily_requests_used: number } }).limits
				.daily_requests_used;
		const before = await used();
		const { events, whole } = collect(await watch(run.run_id));
		await whole;
		expect(names(events)).toEqual(["run", "result"]);
		expect(events.at(-1)?.data).toEqual(await readRun(key, run.run_id));
		const body = await (await callWithKey(key.key, `${eventsPath(run.run_id)}?stream=false`)).json();
		expect(body).toEqual(await readRun(key, run.run_id));
		expect(await used()).toBe(before);
	});

	it("waits for the end where it is not streamed", async () => {
		hold();
		const { run_id: id } = await startRun();
		const answer = callWithKey(key.key, `${eventsPath(id)}?stream=false`);
		await eventually(async () => (await readRun(key, id)).steps_taken >= 1);
		release();
		expect(await (await answer).json()).toMatchObject({ run_id: id, status: "complete", sealed: true });
	});

	it("lets an interrupted one stay as it is, and makes no call for it", async () => {
		isDown = true;
		const { run_id: id } = await startRun();
		await eventually(async () => (await readRun(key, id)).status === "interrupted");
		const calls = upstream.requests.length;
		isDown = false;
		for (const _ of "abc") {
			const { events, whole } = collect(await watch(id));
			await whole;
			expect(names(events).at(-1)).toBe("result");
			expect(events.at(-1)?.data).toMatchObject({ status: "interrupted", sealed: false });
		}
		expect(upstream.requests.length).toBe(calls);
		expect((await readRun(key, id)).status).toBe("interrupted");
	});

	it("ends with the run when that is interrupted meanwhile", async () => {
		hold();
		isDown = true;
		const { run_id: id } = await startRun();
		await eventually(async () => (await readRun(key, id)).steps_taken >= 1);
		const { events, whole } = collect(await watch(id));
		release();
		await whole;
		expect(events.at(-1)).toMatchObject({ event: "result", data: { status: "interrupted" } });
	});

	it("goes on when the run's object dies, with the run as it is then", async () => {
		hold();
		const { run_id: id } = await startRun();
		await eventually(async () => (await readRun(key, id)).steps_taken >= 1);
		const { events, whole } = collect(await watch(id));
		await eventually(async () => events.length > 0);
		await killObject(env.AGENT_RUN.getByName(`run:${id}`) as unknown as DurableObjectStub<undefined>);
		await eventually(async () => names(events).filter((name) => name === "run").length > 1);
		release();
		await whole;
		expect(events.at(-1)).toMatchObject({ event: "result", data: { run_id: id, sealed: true } });
	});

	it("serves a hundred at once", async () => {
		key = await newKey("corporate");
		hold();
		const { run_id: id } = await startRun();
		await eventually(async () => (await readRun(key, id)).steps_taken >= 1);
		const followers = await Promise.all(Array.from({ length: 100 }, async () => collect(await watch(id))));
		release();
		await Promise.all(followers.map(({ whole }) => whole));
		for (const { events } of followers)
			expect(events.at(-1)).toMatchObject({ event: "result", data: { sealed: true } });
	});

	it("ends soon after its key is revoked", async () => {
		hold();
		const { run_id: id } = await startRun();
		await eventually(async () => (await readRun(key, id)).steps_taken >= 1);
		const { events, whole } = collect(await watch(id));
		await eventually(async () => events.length > 0);
		expect((await operator("POST", `/internal/keys/${key.key_id}/revoke`)).status).toBe(200);
		await whole;
		expect(events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "invalid_api_key" }, status: 401 } });
	});

	it("of another's run, of nobody's, and of what is no id is 404, and makes no object", async () => {
		const { run_id: id } = await runAgent(key);
		const stranger = await newKey("pro");
		for (const path of [id, `agt_${"0".repeat(26)}`, "agt_", "x"]) {
			const response = await watch(path, stranger);
			expect(response.status).toBe(404);
			expect(await response.json()).toMatchObject({ error: "run_not_found" });
		}
	});

	it("shows the goal, and the tokens of each step, which lists and proofs leave out", async () => {
		const goal = `1. Name a river\n2. Name a city ${"x".repeat(500)}`;
		const run = await runAgent(key, { goal });
		expect(run.goal).toBe(goal);
		for (const { tokens = 0, input_tokens = 0 } of run.steps) {
			expect(input_tokens).toBeGreaterThan(0);
			expect(tokens).toBeGreaterThan(input_tokens);
		}
		const list = await (await callWithKey(key.key, "/v1/agent/runs")).text();
		expect(list).not.toContain("x".repeat(300));
		await evictDurableObject(env.AGENT_RUN.getByName(`run:${run.run_id}`));
		expect(await readRun(key, run.run_id)).toEqual(run);
		const trajectory = await (await callWithKey(key.key, `/v1/agent/${run.run_id}/trajectory?full=true`)).json<{
			verify_request: object;
		}>();
		const verified = await callWithKey(key.key, "/v1/agent/verify", trajectory.verify_request);
		expect(await verified.json()).toMatchObject({ valid: true });
	});
});
