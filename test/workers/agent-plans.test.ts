// Plans that wait for approval: a run stops after its plan, and goes on as a person decides.
import { evictDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { expectAccounted, GOAL, postRun, readRun } from "../support/agents.ts";
import {
	call,
	callWithKey,
	eventually,
	newKey,
	type TestKey,
	type Upstream,
	useSandbox,
	withKey,
} from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";
import { errorOf, parseRun, pendingOf, readUntil, resolve, runObject, sleep } from "../support/waiting-runs.ts";
import { useReceiver, WEBHOOK_URL, type WebhookReceiver } from "../support/webhook-receiver.ts";

let upstream: Upstream;
let receiver: WebhookReceiver;
/** Begins the runs. */
let key: TestKey;
/** Of the same user: decides. */
let other: TestKey;

beforeEach(async () => {
	key = await newKey("pro");
	other = await newKey("pro", key.user_id);
	upstream = useSandbox();
	receiver = useReceiver();
});
afterEach(() => {
	vi.useRealTimers();
	receiver.restore();
	upstream.restore();
});

const DAY_MS = 24 * 60 * 60 * 1_000;
const BODY = { policy: "efficiency", workspace_id: "team/app", plan: { approve: true } };

const planOf = (run: RunResponse) => pendingOf(run, "plan");

const decide = (run: Pick<RunResponse, "run_id">, body: object, by = other) => resolve(run, body, by);

describe("a plan that waits for approval", () => {
	it("stops the run after step 0, with the plan and its bound, and nothing held but what it may need", async () => {
		const run = await parseRun(postRun(key, BODY));
		expect(run).toMatchObject({ status: "requires_action", sealed: false, steps_taken: 1 });
		expect(planOf(run)).toMatchObject({
			tool: null,
			arguments: { plan: run.plan, bound_usd: run.remaining_usd, max_steps: 50 },
			policy: null,
			tainted_by: [],
			unsourced: [],
		});
		expect(await readRun(key, run.run_id)).toEqual(run);
		const list = await callWithKey(key.key, "/v1/agent/runs?status=requires_action");
		const { data } = await list.json<{ data: RunResponse[] }>();
		const { id, kind, tool, action_digest, expires_at } = planOf(run);
		expect(data.map(({ run_id, pending }) => [run_id, pending])).toEqual([
			[run.run_id, [{ id, kind, tool, action_digest, expires_at }]],
		]);
	});

	it("goes on when it is approved, and is accounted for as any run", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		const { id } = planOf(waiting);
		const run = await parseRun(decide(waiting, { resolutions: [{ id, decision: "approve" }] }));
		expect(run).toMatchObject({ run_id: waiting.run_id, status: "complete", sealed: true, plan: waiting.plan });
		expect(run).not.toHaveProperty("pending");
		await expectAccounted(key, run);
		// The same again changes nothing, and another decision comes too late.
		expect(await parseRun(decide(waiting, { resolutions: [{ id, decision: "approve" }] }))).toEqual(run);
		const late = await errorOf(await decide(waiting, { resolutions: [{ id, decision: "reject" }] }));
		const decided = { decision: "approve", key_id: expect.stringMatching(/^key_/), at: expect.any(String) };
		const body = { error: "action_conflict", id, state: "approved", decided, pending: [] };
		expect(late).toMatchObject({ status: 409, body });
	});

	it("is edited by a person, and the run works on the edited plan", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		const { id } = planOf(waiting);
		const wrong = { id, decision: "edit", arguments: { plan: ["Name a river", " "] } };
		const refused = await errorOf(await decide(waiting, { resolutions: [wrong] }));
		expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: "resolutions.0.arguments.plan.1" }] } });
		const plan = ["Name one river", "Say where it ends"];
		const shown = planOf(waiting).arguments;
		for (const other of [{ bound_usd: 0.000_1 }, { max_steps: 2 }, { cap: 1 }]) {
			const edit = { id, decision: "edit", arguments: { ...shown, plan, ...other } };
			const [name] = Object.keys(other);
			// Who lowers a bound must not believe that it holds.
			expect(await errorOf(await decide(waiting, { resolutions: [edit] }))).toMatchObject({
				status: 422,
				body: { issues: [{ path: `resolutions.0.arguments.${name}`, message: expect.stringContaining("only plan") }] },
			});
		}
		const edit = { id, decision: "edit", arguments: { ...shown, plan } };
		const run = await parseRun(decide(waiting, { resolutions: [edit] }));
		expect(run).toMatchObject({ status: "complete", plan });
		expect(upstream.requests.length).toBeGreaterThan(2);
		await expectAccounted(key, run);
	});

	it("ends the run as cancelled when it is rejected, with the reason, at what it has cost", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		const asked = upstream.requests.length;
		const { id } = planOf(waiting);
		const run = await parseRun(decide(waiting, { resolutions: [{ id, decision: "reject", reason: "too dear" }] }));
		expect(run).toMatchObject({ status: "cancelled", sealed: true, cost_consumed_usd: waiting.cost_consumed_usd });
		expect(run.final_message).toContain("its plan was rejected (too dear)");
		expect(upstream.requests).toHaveLength(asked);
		await expectAccounted(key, run);
	});

	it("is not approved by the key that began the run, unless it asked for that, and the record shows it", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		const resolution = { id: planOf(waiting).id, decision: "approve" };
		const refused = await errorOf(await decide(waiting, { resolutions: [resolution] }, key));
		expect(refused).toMatchObject({ status: 403, body: { error: "approval_forbidden" } });
		expect(await readRun(key, waiting.run_id)).toEqual(waiting);
		const own = await parseRun(postRun(key, { ...BODY, self_approval: true }));
		const run = await parseRun(decide(own, { resolutions: [{ id: planOf(own).id, decision: "approve" }] }, key));
		expect(run.status).toBe("complete");
	});

	it("is rejected when nobody has decided in time", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		await sleep(waiting, DAY_MS);
		const run = await readUntil(key, waiting, ({ sealed }) => sealed);
		expect(run).toMatchObject({ status: "cancelled", cost_consumed_usd: waiting.cost_consumed_usd });
		const { id } = planOf(waiting);
		const late = await errorOf(await decide(waiting, { resolutions: [{ id, decision: "approve" }] }));
		expect(late).toMatchObject({ status: 409, body: { error: "action_conflict", state: "expired", decided: null } });
		await expectAccounted(key, run);
	});

	it("is decided on once by fifty at the same moment", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		const { id } = planOf(waiting);
		const decisions = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? "approve" : "reject"));
		const answers = await Promise.all(
			decisions.map(async (decision) => {
				const response = await decide(waiting, { resolutions: [{ id, decision }] });
				return { decision, status: response.status, body: (await response.json()) as Record<string, unknown> };
			}),
		);
		const taken = new Set(answers.filter(({ status }) => status === 200).map(({ decision }) => decision));
		expect(taken.size).toBe(1);
		expect(answers.filter(({ status }) => status === 409)).toHaveLength(25);
		const run = await readRun(key, waiting.run_id);
		expect(run.sealed).toBe(true);
		await expectAccounted(key, run);
		const events = await callWithKey(key.key, "/v1/audit/events?workspace_id=team/app");
		const { data } = await events.json<{ data: { event_type: string }[] }>();
		expect(data.filter(({ event_type }) => event_type.startsWith("tool_"))).toHaveLength(1);
	});

	it("lets a run be cancelled and then deleted, and nothing else may delete it", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		const path = `/v1/agent/${waiting.run_id}`;
		const remove = () => call(path, { ...withKey(key.key), method: "DELETE" });
		const early = await errorOf(await remove());
		expect(early).toMatchObject({ status: 409, body: { error: "run_not_ended" } });
		const run = await parseRun(callWithKey(key.key, `${path}/cancel`, {}));
		expect(run).toMatchObject({ status: "cancelled", cost_consumed_usd: waiting.cost_consumed_usd });
		await expectAccounted(key, run);
		const late = await errorOf(
			await decide(waiting, { resolutions: [{ id: planOf(waiting).id, decision: "approve" }] }),
		);
		expect(late).toMatchObject({ status: 409, body: { error: "action_conflict", state: "closed" } });
		expect((await remove()).status).toBe(200);
	});

	it("is answered by a repeated POST and by a resumption as it is", async () => {
		const body = { ...BODY, idempotency_key: "again" };
		const waiting = await parseRun(postRun(key, body));
		expect(await parseRun(postRun(key, body))).toEqual(waiting);
		expect(await parseRun(callWithKey(key.key, `/v1/agent/${waiting.run_id}/resume`, {}))).toEqual(waiting);
		expect(await errorOf(await decide(waiting, { resolutions: [] }))).toMatchObject({
			status: 422,
			body: {
				issues: [
					{ path: "resolutions", message: expect.stringContaining(`${planOf(waiting).id} (plan: {id, decision`) },
				],
			},
		});
		await evictDurableObject(runObject(waiting));
		expect(await parseRun(postRun(key, body))).toEqual(waiting);
	});

	it("ends the streams of all who follow with requires_action and the run", async () => {
		const events = eventsOf(await (await postRun(key, { ...BODY, stream: true })).text());
		expect(events.at(-1)?.event).toBe("requires_action");
		const waiting = runSchema.parse(JSON.parse(events.at(-1)?.data ?? ""));
		expect(events.filter(({ data }) => data.includes('"type":"requires_action"'))).toHaveLength(1);
		const watched = eventsOf(await (await callWithKey(key.key, `/v1/agent/${waiting.run_id}/events`)).text());
		expect(watched.at(-1)?.event).toBe("requires_action");
		const { id } = planOf(waiting);
		const body = { resolutions: [{ id, decision: "approve" }], stream: true };
		const gone = eventsOf(await (await decide(waiting, body)).text());
		expect(gone.at(-1)?.event).toBe("result");
		expect(gone.filter(({ data }) => data.includes('"type":"finished"'))).toHaveLength(1);
		expect(gone.filter(({ data }) => data.includes('"type":"requires_action"'))).toHaveLength(0);
	});

	it("is told by a signed webhook, without a text of the user or of a model", async () => {
		const waiting = await parseRun(postRun(key, { ...BODY, webhook: WEBHOOK_URL }));
		await eventually(async () => receiver.received.length > 0);
		const [sent] = receiver.received;
		const { id, kind, tool, action_digest, expires_at } = planOf(waiting);
		expect(JSON.parse(sent?.body ?? "")).toEqual({
			type: "agent.run.requires_action",
			run_id: waiting.run_id,
			status: "requires_action",
			cost_consumed_usd: waiting.cost_consumed_usd,
			trajectory_proof: waiting.trajectory_proof,
			pending: [{ id, kind, tool, action_digest, expires_at }],
		});
		await parseRun(decide(waiting, { resolutions: [{ id, decision: "approve" }] }));
		await eventually(async () => receiver.received.length > 1);
		expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
			"agent.run.requires_action",
			"agent.run.ended",
		]);
	});

	it("survives the death of the object, and asks no model for what is stored", async () => {
		const waiting = await parseRun(postRun(key, BODY));
		const asked = upstream.requests.length;
		for (let n = 0; n < 4; n++) {
			await evictDurableObject(runObject(waiting));
			expect(await readRun(key, waiting.run_id)).toEqual(waiting);
		}
		expect(upstream.requests).toHaveLength(asked);
		const { id } = planOf(waiting);
		const run = await parseRun(decide(waiting, { resolutions: [{ id, decision: "approve" }] }));
		expect(run.status).toBe("complete");
		expect(run.steps.slice(0, 1)).toEqual(waiting.steps);
	});
});

describe("a run whose plan needs no model", () => {
	it.each([
		["a goal that names its subtasks", GOAL, 3],
		["a trivial one", "What is the capital of France?", 50],
	])("waits with %s before it has called anybody", async (_, goal, max_steps) => {
		const waiting = await parseRun(postRun(key, { ...BODY, goal, max_steps }));
		expect(waiting).toMatchObject({ status: "requires_action", steps_taken: 0, cost_consumed_usd: 0 });
		expect(upstream.requests).toHaveLength(0);
		const { id } = planOf(waiting);
		const run = await parseRun(decide(waiting, { resolutions: [{ id, decision: "approve" }] }));
		expect(run.sealed).toBe(true);
		expect(upstream.requests.length).toBeGreaterThan(0);
		await expectAccounted(key, run);
	});
});
