// A run that waits, with fifty who answer at once, a week of silence, and others' keys and ids.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { expectAccounted, postRun } from "../support/agents.ts";
import { readChain } from "../support/ledger.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, newKey, type TestKey, withKey } from "../support/service.ts";
import { type RunPending, ToolClient } from "../support/tool-client.ts";
import { OPENAI_FORMAT, toolModel } from "../support/tool-model.ts";

const WORKSPACE = "races";
const DAY_MS = 24 * 60 * 60 * 1_000;

const { upstream, key } = useService("pro");

afterEach(() => {
	vi.useRealTimers();
});

const objectOf = (runId: string) => env.AGENT_RUN.getByName(`run:${runId}`) as unknown as DurableObjectStub<undefined>;

function tool(name: string, more: Record<string, unknown> = {}) {
	const parameters = { type: "object", properties: { n: { type: "string" } }, required: ["n"] };
	return { type: "function", name, description: `Does ${name}.`, parameters, ...more };
}

const TOOLS = [
	tool("read_note", { effects: "read", timeout_s: 604_800 }),
	tool("send_mail"),
	tool("slow", { timeout_s: 1 }),
];

/** A model that calls one tool once, or each of several in turn, and then says what came of it. */
function modelOf(...names: [string, ...string[]]) {
	const model = toolModel(({ messages, results }) => {
		const made = messages.filter(({ role, tool_calls }) => role === "assistant" && tool_calls).length;
		const name = names[made];
		if (name === undefined) return { text: `What came back: ${results.join(" and ")}.` };
		return { calls: [{ id: `call_of_${made}`, name, args: { n: `alpha ${made}` } }] };
	});
	upstream.replace(model.answer);
	return model;
}

/** A run of the key's user that waits. */
async function begin(by: TestKey = key): Promise<RunResponse> {
	const manifest = { tools: { ask: ["send_mail"], unknown: "allow" } };
	await call(`/v1/workspace/${WORKSPACE}/manifest`, { ...withKey(by.key, manifest), method: "PUT" });
	const response = await postRun(by, {
		goal: "Look after the note called alpha and say what came of it, in one sentence",
		...{ workspace_id: WORKSPACE, policy: "efficiency", self_approval: true, tools: TOOLS },
		brain_config: OPENAI_FORMAT,
	});
	const text = await response.text();
	expect(response.status, text).toBe(200);
	const run = runSchema.parse(JSON.parse(text));
	expect(run.status).toBe("requires_action");
	return run;
}

function pendingOf({ pending }: RunResponse): RunPending {
	const [first, ...others] = pending ?? [];
	if (!first || others.length > 0) throw new Error(`one pending is expected: ${JSON.stringify(pending)}`);
	return first;
}

const FIFTY = Array.from({ length: 50 }, (_, n) => n);

/** Answers of fifty requests at once, by status. */
async function askAtOnce(asks: readonly (() => Promise<Response>)[]): Promise<{ status: number; body: string }[]> {
	return Promise.all(
		asks.map(async (ask) => {
			const response = await ask();
			return { status: response.status, body: await response.text() };
		}),
	);
}

const statusesOf = (answers: readonly { status: number }[]) =>
	[...new Set(answers.map(({ status }) => status))].toSorted();

async function decisionsOf(by: TestKey, { run_id }: RunResponse): Promise<number[]> {
	const events = ["tool_approved", "tool_rejected"].map(async (type) => {
		const response = await callWithKey(by.key, `/v1/audit/events?event_type=${type}`);
		const { data } = await response.json<{ data: { payload: Record<string, unknown> }[] }>();
		return data.filter(({ payload }) => payload["run_id"] === run_id).length;
	});
	const { data } = await readChain(by, "", WORKSPACE);
	const [approved = 0, rejected = 0] = await Promise.all(events);
	return [approved + rejected, data.filter(({ from_tool }) => from_tool === run_id).length];
}

/** Answers whatever the run still waits for, and checks its end. */
async function end({ run_id }: RunResponse): Promise<RunResponse> {
	const client = new ToolClient({ beginner: key, decider: key }, objectOf, ({ kind }) =>
		kind === "approval" ? { decision: "approve" } : { output: "late" },
	);
	const run = await client.drive(run_id);
	vi.useRealTimers();
	for (const [action, ids] of client.dispatches) expect([action, ids.length]).toEqual([action, 1]);
	await expectAccounted(key, run);
	return run;
}

describe("fifty who answer at once", () => {
	it("with the same result act once, and all are told so", async () => {
		const model = modelOf("read_note");
		const run = await begin();
		const { id } = pendingOf(run);
		const resolve = () =>
			callWithKey(key.key, `/v1/agent/${run.run_id}/resolve`, { resolutions: [{ id, output: "milk" }] });
		expect(statusesOf(await askAtOnce(FIFTY.map(() => resolve)))).toEqual([200]);
		expect(await end(run)).toMatchObject({ status: "complete", output: "What came back: milk." });
		expect(model.asked).toHaveLength(2);
	});

	it("with different results act once, and the others learn what has become of it", async () => {
		const model = modelOf("read_note");
		const run = await begin();
		const { id } = pendingOf(run);
		const answers = await askAtOnce(
			FIFTY.map((n) => () => {
				const resolutions = [{ id, output: `milk ${n}`, ...(n % 2 ? { is_error: false } : {}) }];
				return callWithKey(key.key, `/v1/agent/${run.run_id}/resolve`, { resolutions });
			}),
		);
		expect(statusesOf(answers)).toEqual([200, 409]);
		const [taken, ...others] = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
		expect(others).toEqual([]);
		expect(answers.filter(({ body }) => body.includes("action_conflict"))).toHaveLength(49);
		expect(await end(run)).toMatchObject({ status: "complete", output: `What came back: milk ${taken}.` });
		expect(model.asked).toHaveLength(2);
	});

	it("with decisions of all kinds decide once, with one record", async () => {
		modelOf("send_mail");
		const run = await begin();
		const { id } = pendingOf(run);
		const words = [
			{ decision: "approve" },
			{ decision: "reject", reason: "not now" },
			{ decision: "edit", arguments: { n: "beta" } },
		];
		const answers = await askAtOnce(
			FIFTY.map((n) => () => {
				const resolutions = [{ id, ...words[n % words.length] }];
				return callWithKey(key.key, `/v1/agent/${run.run_id}/resolve`, { resolutions, background: n % 2 === 0 });
			}),
		);
		const taken = answers.filter(({ status }) => status < 300);
		expect(taken.length).toBeGreaterThan(0);
		expect(statusesOf(answers.filter(({ status }) => status >= 300))).toEqual([409]);
		// Whoever said the same as the first is told the same.
		const kinds = new Set(answers.flatMap(({ status }, n) => (status < 300 ? [n % words.length] : [])));
		expect(kinds.size).toBe(1);
		await end(run);
		expect(await decisionsOf(key, run)).toEqual([1, 1]);
	});

	it.each(["cancel", "resume", "message", "cancel, resume and message"])("beside %s act once at most", async (what) => {
		const model = modelOf("read_note");
		const run = await begin();
		const { id } = pendingOf(run);
		const path = `/v1/agent/${run.run_id}`;
		const asks = FIFTY.map((n) => () => {
			const kinds = what.split(/, | and /);
			const kind = n % 3 === 0 ? kinds[n % kinds.length] : "output";
			if (kind === "cancel" || kind === "resume") return callWithKey(key.key, `${path}/${kind}`, {});
			if (kind === "message")
				return callWithKey(key.key, `${path}/resolve`, { message: { id: `m${n % 4}`, text: `Be brief, ${n % 4}.` } });
			return callWithKey(key.key, `${path}/resolve`, { resolutions: [{ id, output: `milk ${n % 5}` }] });
		});
		const answers = await askAtOnce(asks);
		for (const { status, body } of answers) expect([200, 409], body).toContain(status);
		const ended = await end(run);
		expect(["complete", "cancelled"]).toContain(ended.status);
		expect(model.asked.length).toBeLessThanOrEqual(2);
		const [last] = model.asked.slice(-1);
		for (const n of [0, 1, 2, 3]) expect(last?.body.split(`Be brief, ${n}.`).length ?? 1).toBeLessThanOrEqual(2);
	});

	it("at the very moment at which their time is over, act once at most", async () => {
		const model = modelOf("slow");
		const run = await begin();
		const { id, expires_at } = pendingOf(run);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(expires_at) - 1 });
		const resolve = (n: number) => () =>
			callWithKey(key.key, `/v1/agent/${run.run_id}/resolve`, {
				resolutions: [{ id, output: `milk ${n}` }],
				background: true,
			});
		const before = askAtOnce(FIFTY.slice(0, 25).map(resolve));
		ToolClient.pass(1);
		const [first, , second] = await Promise.all([
			before,
			runDurableObjectAlarm(objectOf(run.run_id)),
			askAtOnce(FIFTY.slice(25).map(resolve)),
		]);
		const answers = [...first, ...second];
		for (const { status, body } of answers) expect([202, 409], body).toContain(status);
		const taken = answers.flatMap(({ status }, n) => (status === 202 ? [n] : []));
		expect(taken.length).toBeLessThanOrEqual(1);
		const ended = await end(run);
		const said = taken.length === 1 ? `milk ${taken[0]}` : "No result of this call came in time";
		expect(ended.output).toContain(said);
		expect(ended.tool_calls).toMatchObject({ expired: 1 - taken.length });
		expect(model.asked).toHaveLength(2);
	});
});

describe("a run that waits for a week", () => {
	/** Without what differs from run to run. */
	const toSteady = (body: string) => body.replace(/\b[0-9a-f]{16}\b/g, "NONCE");

	/** The run once it waits again, or is over. Its own alarms are late where the clock was moved. */
	async function readNext({ run_id }: RunResponse): Promise<RunResponse> {
		for (;;) {
			if (vi.isFakeTimers()) await runDurableObjectAlarm(objectOf(run_id));
			else await new Promise((resolve) => setTimeout(resolve, 20));
			const run = runSchema.parse(await (await callWithKey(key.key, `/v1/agent/${run_id}`)).json());
			if (run.sealed || (run.pending ?? []).length > 0) return run;
		}
	}

	/** Makes the run, with the waits of a test before each answer. */
	async function make(wait: (run: RunResponse) => Promise<void>): Promise<{ run: RunResponse; sent: string[] }> {
		const model = modelOf("read_note", "send_mail", "read_note");
		let run = await begin();
		while (run.status === "requires_action") {
			await wait(run);
			const { id, kind } = pendingOf(run);
			const resolutions = [kind === "approval" ? { id, decision: "approve" } : { id, output: `the result of ${kind}` }];
			const body = { resolutions, background: true };
			const response = await callWithKey(key.key, `/v1/agent/${run.run_id}/resolve`, body);
			expect(response.status, await response.text()).toBe(202);
			run = await readNext(run);
		}
		return { run, sent: model.asked.map(({ body }) => toSteady(body)) };
	}

	it("goes on after three restarts with the same bytes upstream", async () => {
		const plain = await make(async () => undefined);
		expect(plain.run.status).toBe("complete");
		Object.assign(key, await newKey("pro"));
		let isFirst = true;
		const paused = await make(async (run) => {
			if (!isFirst) return evictDurableObject(objectOf(run.run_id));
			isFirst = false;
			for (let restart = 0; restart < 3; restart++) {
				await evictDurableObject(objectOf(run.run_id));
				ToolClient.pass((7 * DAY_MS) / 3 - 60_000);
				await runDurableObjectAlarm(objectOf(run.run_id));
				await runDurableObjectAlarm(env.ACCOUNT_METER.getByName(key.user_id));
			}
			const response = await callWithKey(key.key, `/v1/agent/${run.run_id}`);
			expect(await response.json()).toMatchObject({ status: "requires_action", pending: run.pending });
		});
		vi.useRealTimers();
		expect(paused.run).toMatchObject({ status: "complete", output: plain.run.output });
		expect(paused.sent).toHaveLength(4);
		expect(paused.sent).toEqual(plain.sent);
		expect(paused.run.cost_consumed_usd).toBe(plain.run.cost_consumed_usd);
		await expectAccounted(key, paused.run);
	});
});

describe("a run of others", () => {
	it("shows nothing to another user's keys, and takes nothing of them", async () => {
		modelOf("send_mail");
		const run = await begin();
		const { id } = pendingOf(run);
		const stranger = await newKey("pro");
		const path = `/v1/agent/${run.run_id}`;
		const asks: [string, unknown?][] = [
			[path],
			[`${path}/steps/0`],
			[`${path}/steps/1`],
			[`${path}/events`],
			[`${path}/trajectory?full=true`],
			[`${path}/resolve`, { resolutions: [{ id, decision: "approve" }] }],
			[`${path}/resolve`, { resolutions: [] }],
			[`${path}/resolve`, { message: { id: "m", text: "Go on." } }],
			[`${path}/cancel`, {}],
			[`${path}/resume`, {}],
		];
		for (const [asked, body] of asks) {
			const response = await callWithKey(stranger.key, asked, body);
			const text = await response.text();
			expect([asked, response.status]).toEqual([asked, 404]);
			for (const secret of [id, "alpha", "send_mail", WORKSPACE])
				expect([asked, text]).not.toEqual([asked, expect.stringContaining(secret)]);
		}
		for (const list of [
			"/v1/agent/runs",
			"/v1/agent/runs?status=requires_action",
			"/v1/audit/events",
			`/v1/handoff/chain/${WORKSPACE}`,
		]) {
			const text = await (await callWithKey(stranger.key, list)).text();
			expect(text).not.toContain(run.run_id);
			expect(text).not.toContain(id);
		}
		const now = await (await callWithKey(key.key, path)).json();
		expect(now).toMatchObject({ status: "requires_action", pending: run.pending });
		await end(run);
		expect(await decisionsOf(stranger, run)).toEqual([0, 0]);
	});

	it("has pendings that no other run takes, be it of the same user", async () => {
		modelOf("read_note");
		const run = await begin();
		const other = await begin();
		const stranger = await newKey("pro");
		const strangers = await begin(stranger);
		for (const { id } of [pendingOf(other), pendingOf(strangers), { id: "pnd_01M8J9CZNBTVEKKD067CDNYS83" }]) {
			const resolutions = [
				{ id: pendingOf(run).id, output: "x" },
				{ id, output: "y" },
			];
			const response = await callWithKey(key.key, `/v1/agent/${run.run_id}/resolve`, { resolutions });
			expect(response.status).toBe(422);
			expect(await response.text()).toContain("resolutions.1.id");
		}
		for (const [each, by] of [
			[run, key],
			[other, key],
			[strangers, stranger],
		] as const) {
			const now = await (await callWithKey(by.key, `/v1/agent/${each.run_id}`)).json();
			expect(now).toMatchObject({ status: "requires_action", pending: each.pending });
			await callWithKey(by.key, `/v1/agent/${each.run_id}/cancel`, {});
		}
	});
});
