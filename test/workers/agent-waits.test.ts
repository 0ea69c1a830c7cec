// Runs that wait for their client, for an approver or for their user: what they answer, hold and survive meanwhile.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import { expectAccounted, postRun, readRun } from "../support/agents.ts";
import { useFaults } from "../support/faults.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, db, eventually, newKey, type TestKey, withKey } from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";
import { type AskedModel, allText, OPENAI_FORMAT, type ScriptedTurn, toolModel } from "../support/tool-model.ts";
import {
	errorOf,
	parseRun,
	pendingOf,
	pendingsOf,
	putTools,
	readUntil,
	resolve,
	runObject,
	sleep,
	withAlarms,
} from "../support/waiting-runs.ts";

const { upstream, key } = useService("pro");
/** Of the same user: decides. */
let other: TestKey;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WORKSPACE = "w";

const READ_NOTE = {
	type: "function",
	name: "read_note",
	description: "Reads a note by its name.",
	parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
	effects: "read",
};
const RUN_COMMAND = {
	type: "function",
	name: "run_command",
	description: "Runs a command.",
	parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
	commands: ["/command"],
};

const TOOLS = { allow: ["read_note", "ask_user"], ask: ["run_command"] };

let model: ReturnType<typeof toolModel>;

function script(turns: (asked: AskedModel) => ScriptedTurn): void {
	model = toolModel(turns);
	upstream.replace(model.answer);
}

/** A script of turns one after the other, and words at the end that repeat the last results. */
function callOnce(...calls: NonNullable<ScriptedTurn["calls"]>): void {
	script((asked) => (asked.results.length === 0 ? { calls } : { text: `Results: ${asked.results.join(" | ")}` }));
}

function begin(more: Record<string, unknown> = {}, by: TestKey = key): Promise<Response> {
	return postRun(by, {
		goal: "Read the note called alpha with the tool and say what it holds, in one sentence",
		workspace_id: WORKSPACE,
		brain_config: OPENAI_FORMAT,
		tools: [READ_NOTE, RUN_COMMAND, { type: "ask_user" }],
		...more,
	});
}

beforeEach(async () => {
	other = await newKey("pro", key.user_id);
	await putTools(key, WORKSPACE, TOOLS);
});
afterEach(() => {
	vi.useRealTimers();
});

describe("a run that waits for its client", () => {
	it("says what is left, and goes on when everything is answered", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } }, { name: "read_note", args: { name: "beta" } });
		const waiting = await parseRun(begin());
		const [alpha, beta] = pendingsOf(waiting, "client_tool", "client_tool");
		expect(alpha).toMatchObject({ tool: "read_note", arguments: { name: "alpha" }, policy: { decision: "allow" } });
		const some = await parseRun(resolve(waiting, { resolutions: [{ id: beta?.id, output: "Buy bread." }] }, key));
		expect(some).toMatchObject({ status: "requires_action", pending: [{ id: alpha?.id }] });
		expect(await readRun(key, waiting.run_id)).toEqual(some);
		const all = { resolutions: [{ id: alpha?.id, output: { text: "Buy milk.", lines: 1 } }] };
		const run = await parseRun(resolve(waiting, all, key));
		expect(run).toMatchObject({
			status: "complete",
			output: 'Results: {"text":"Buy milk.","lines":1} | Buy bread.',
			tool_calls: { requested: 2, allowed: 2, expired: 0 },
		});
		await expectAccounted(key, run);
		expect(await parseRun(resolve(waiting, all, key))).toEqual(run);
		const other = await errorOf(resolve(waiting, { resolutions: [{ id: alpha?.id, output: "Buy oil." }] }, key));
		expect(other).toMatchObject({ status: 409, body: { error: "action_conflict", id: alpha?.id, state: "done" } });
	});

	it("takes what a request answers together, or nothing of it", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } }, { name: "read_note", args: { name: "beta" } });
		const waiting = await parseRun(begin());
		const [alpha, beta] = pendingsOf(waiting, "client_tool", "client_tool");
		const good = { id: alpha?.id, output: "Buy milk." };
		const bad: [object, string, number][] = [
			[{ id: "pnd_01ARZ3NDEKTSV4RRFFQ69G5FAV", output: "x" }, "resolutions.1.id", 422],
			[{ id: beta?.id, decision: "approve" }, "resolutions.1", 422],
			[{ id: beta?.id }, "resolutions.1", 422],
			[{ id: beta?.id, output: "x", payload: "y" }, "resolutions.1", 422],
			[{ id: alpha?.id, output: "Buy milk." }, "resolutions.1.id", 422],
		];
		for (const [resolution, path, status] of bad) {
			const refused = await errorOf(resolve(waiting, { resolutions: [good, resolution] }, key));
			expect(refused).toMatchObject({ status, body: { error: "invalid_request", issues: [{ path }] } });
			expect(await readRun(key, waiting.run_id)).toEqual(waiting);
		}
	});

	it("is answered once by fifty at the same moment, and asks its model once", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "client_tool");
		const answers = await Promise.all(
			Array.from({ length: 50 }, (_, at) =>
				errorOf(resolve(waiting, { resolutions: [{ id, output: `Result ${at % 2}` }] }, key)),
			),
		);
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(25);
		expect(answers.filter(({ status }) => status === 409)).toHaveLength(25);
		expect(model.asked).toHaveLength(2);
		const run = await readRun(key, waiting.run_id);
		expect(answers.filter(({ status }) => status === 200).map(({ body }) => body)).toEqual(Array(25).fill(run));
		await expectAccounted(key, run);
	});

	it("hands out arguments and results to its owner alone", async () => {
		callOnce({ name: "read_note", args: { name: "secret-of-alpha" } });
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "client_tool");
		const list = await (await callWithKey(key.key, "/v1/agent/runs?status=requires_action")).text();
		expect(list).toContain(id);
		expect(list).not.toContain("secret-of-alpha");
		const stranger = await newKey("pro");
		expect((await resolve(waiting, { resolutions: [] }, stranger)).status).toBe(404);
		await parseRun(resolve(waiting, { resolutions: [{ id, output: "secret-result" }] }, key));
		const { results } = await db.prepare("SELECT * FROM audit_events").all();
		expect(JSON.stringify(results)).not.toContain("secret-result");
	});

	it("gets an error result when its client is silent, and goes on by itself", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin({ tools: [{ ...READ_NOTE, timeout_s: 120 }] }));
		const { id, expires_at } = pendingOf(waiting, "client_tool");
		expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(2 * MINUTE_MS);
		await sleep(waiting, 2 * MINUTE_MS);
		const run = await readUntil(key, waiting, ({ sealed }) => sealed);
		expect(run).toMatchObject({ status: "complete", tool_calls: { requested: 1, allowed: 1, expired: 1 } });
		expect(run.output).toContain("No result of this call came in time");
		const late = await errorOf(resolve(waiting, { resolutions: [{ id, output: "Buy milk." }] }, key));
		expect(late).toMatchObject({ status: 409, body: { error: "action_conflict", state: "expired" } });
		await expectAccounted(key, run);
	});

	it("refuses what comes after its time, even if nobody has looked since", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "client_tool");
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * MINUTE_MS });
		const late = await errorOf(resolve(waiting, { resolutions: [{ id, output: "Buy milk." }] }, key));
		expect(late).toMatchObject({ status: 409, body: { error: "action_conflict" } });
		expect(model.asked).toHaveLength(1);
	});

	it("ends with its stream, which another stream goes on", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const events = eventsOf(await (await begin({ stream: true })).text());
		expect(events.at(-1)?.event).toBe("requires_action");
		const waiting = JSON.parse(events.at(-1)?.data ?? "") as RunResponse;
		const { id } = pendingOf(waiting, "client_tool");
		const body = { resolutions: [{ id, output: "Buy milk." }], stream: true };
		const gone = eventsOf(await (await resolve(waiting, body, key)).text());
		expect(gone.at(-1)?.event).toBe("result");
		expect(JSON.parse(gone.at(-1)?.data ?? "")).toMatchObject({ status: "complete" });
	});

	it("goes on in the background, and is answered with 202", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "client_tool");
		const body = { resolutions: [{ id, output: "Buy milk." }], background: true };
		await parseRun(resolve(waiting, body, key), 202);
		expect((await readUntil(key, waiting, ({ sealed }) => sealed)).status).toBe("complete");
	});

	it("is answered with 200 by a repeated POST in the background, as by one that waits", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const named = { idempotency_key: "in the background", background: true };
		const begun = await parseRun(begin(named), 202);
		const waiting = await readUntil(key, begun, ({ status }) => status === "requires_action");
		for (const more of [named, { ...named, background: false }]) {
			const again = await begin(more);
			expect([again.status, again.headers.get("location")]).toEqual([200, null]);
			expect(await again.json()).toEqual(waiting);
		}
		const { id } = pendingOf(waiting, "client_tool");
		await parseRun(resolve(waiting, { resolutions: [{ id, output: "Buy milk." }], background: true }, key), 202);
		const run = await readUntil(key, waiting, ({ sealed }) => sealed);
		expect(await parseRun(begin(named))).toEqual(run);
		await expectAccounted(key, run);
	});

	it("is answered by a resumption as it is, with a body or without", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin());
		const { headers } = withKey(key.key);
		const bodies: [body: string | undefined, type: string | null][] = [
			[undefined, null],
			["", "application/json"],
			["{}", "text/plain"],
			["{}", "application/x-www-form-urlencoded"],
			['{"background":true}', "application/json"],
		];
		for (const [body, type] of bodies) {
			const sent = { ...headers, ...(type === null ? {} : { "content-type": type }) };
			const init = { method: "POST", headers: sent, ...(body === undefined ? {} : { body }) };
			expect(await parseRun(call(`/v1/agent/${waiting.run_id}/resume`, init))).toEqual(waiting);
		}
		expect(model.asked).toHaveLength(1);
	});

	it("survives seven days and three deaths, and sends what it would have sent", async () => {
		const tools = [{ ...READ_NOTE, timeout_s: 604_800 }];
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const quick = await parseRun(begin({ tools }));
		await parseRun(
			resolve(quick, { resolutions: [{ id: pendingOf(quick, "client_tool").id, output: "Buy milk." }] }, key),
		);
		const [, expected] = model.asked;
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const slow = await parseRun(begin({ tools }));
		for (let day = 0; day < 6; day += 2) {
			await sleep(slow, 2 * DAY_MS);
			expect(await readRun(key, slow.run_id)).toEqual(slow);
		}
		const { id } = pendingOf(slow, "client_tool");
		const run = await parseRun(withAlarms(slow, resolve(slow, { resolutions: [{ id, output: "Buy milk." }] }, key)));
		expect(run.status).toBe("complete");
		expect(model.asked).toHaveLength(2);
		const normal = (body = "") => body.replaceAll(/call_[0-9a-z]+|toolu_[0-9a-z]+|[0-9a-f]{8,}/gi, "#");
		expect(normal(model.asked[1]?.body)).toBe(normal(expected?.body));
	});

	it("is ended after thirty days, signed, with what it waited for closed", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin());
		await sleep(waiting, 30 * DAY_MS);
		const run = await readUntil(key, waiting, ({ sealed }) => sealed);
		expect(run).toMatchObject({ status: "interrupted", cost_consumed_usd: waiting.cost_consumed_usd });
		expect(run.final_message).toContain("30 days");
		const { id } = pendingOf(waiting, "client_tool");
		const late = await errorOf(resolve(waiting, { resolutions: [{ id, output: "Buy milk." }] }, key));
		expect(late).toMatchObject({ status: 409, body: { error: "action_conflict", state: "failed" } });
	});

	it("is ended by a cancellation, at what it has cost", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin());
		const run = await parseRun(callWithKey(key.key, `/v1/agent/${waiting.run_id}/cancel`, {}));
		expect(run).toMatchObject({ status: "cancelled", sealed: true, cost_consumed_usd: waiting.cost_consumed_usd });
		expect(run).not.toHaveProperty("pending");
		const { id } = pendingOf(waiting, "client_tool");
		const late = await errorOf(resolve(waiting, { resolutions: [{ id, output: "Buy milk." }] }, key));
		expect(late).toMatchObject({ status: 409, body: { error: "action_conflict", state: "failed", pending: [] } });
		await expectAccounted(key, run);
	});
});

describe("a run that waits for an approval", () => {
	const COMMAND = { name: "run_command", args: { command: "npm test" } };

	it("hands an approved call to its client under an id of its own", async () => {
		callOnce(COMMAND);
		const waiting = await parseRun(begin());
		const approval = pendingOf(waiting, "approval");
		expect(approval).toMatchObject({ tool: "run_command", arguments: COMMAND.args });
		const own = await errorOf(resolve(waiting, { resolutions: [{ id: approval.id, decision: "approve" }] }, key));
		expect(own).toMatchObject({ status: 403, body: { error: "approval_forbidden" } });
		const approved = await parseRun(
			resolve(waiting, { resolutions: [{ id: approval.id, decision: "approve" }] }, other),
		);
		const client = pendingOf(approved, "client_tool");
		expect(client.id).not.toBe(approval.id);
		expect(client).toMatchObject({ arguments: COMMAND.args, action_digest: approval.action_digest });
		const run = await parseRun(resolve(waiting, { resolutions: [{ id: client.id, output: "ok" }] }, key));
		expect(run).toMatchObject({ status: "complete", output: "Results: ok", tool_calls: { approved: 1, allowed: 0 } });
		await expectAccounted(key, run);
	});

	it("tells the model why a call was rejected", async () => {
		callOnce(COMMAND);
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "approval");
		const run = await parseRun(
			resolve(waiting, { resolutions: [{ id, decision: "reject", reason: "not on a Friday" }] }, other),
		);
		expect(run).toMatchObject({ status: "complete", tool_calls: { rejected: 1, approved: 0 } });
		expect(run.output).toContain("not on a Friday");
		await expectAccounted(key, run);
	});

	it("waits between tries while D1 does not give the manifest that an approved call is checked by", async () => {
		callOnce(COMMAND);
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "approval");
		let tries = 0;
		let isAway = true;
		const faults = useFaults({
			DB: ({ target }) => {
				if (!isAway || !target.includes("manifests")) return "pass";
				tries++;
				return "fail";
			},
		});
		try {
			const answer = resolve(waiting, { resolutions: [{ id, decision: "approve" }] }, other);
			await eventually(async () => tries > 0);
			await new Promise((go) => setTimeout(go, 500));
			expect(tries).toBeLessThan(5);
			isAway = false;
			pendingOf(await parseRun(answer), "client_tool");
		} finally {
			faults.restore();
		}
	});

	it("runs an edited call, which the policy judges anew", async () => {
		callOnce(COMMAND);
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "approval");
		const edit = (args: object) => ({ resolutions: [{ id, decision: "edit", arguments: args }] });
		const denied = await errorOf(resolve(waiting, edit({ command: "rm -rf /" }), other));
		expect(denied).toMatchObject({ status: 422, body: { issues: [{ path: "resolutions.0.arguments" }] } });
		expect(JSON.stringify(denied.body)).toContain("still waits");
		const unfit = await errorOf(resolve(waiting, edit({ order: "npm test" }), other));
		expect(unfit).toMatchObject({ status: 422, body: { issues: [{ path: "resolutions.0.arguments" }] } });
		// Who edits must not approve another number than he wrote.
		const rounded = await errorOf(resolve(waiting, edit({ command: "npm test", id: 2 ** 53 + 2 }), other));
		expect(rounded).toMatchObject({ status: 422, body: { message: expect.stringContaining("9007199254740994") } });
		expect(await readRun(key, waiting.run_id)).toEqual(waiting);
		const edited = await parseRun(resolve(waiting, edit({ command: "npm run lint" }), other));
		const client = pendingOf(edited, "client_tool");
		expect(client.arguments).toEqual({ command: "npm run lint" });
		expect(client.action_digest).not.toBe(pendingOf(waiting, "approval").action_digest);
		const run = await parseRun(resolve(waiting, { resolutions: [{ id: client.id, output: "clean" }] }, key));
		expect(run).toMatchObject({ status: "complete", tool_calls: { approved: 1 } });
		await expectAccounted(key, run);
	});

	it("is judged anew where the manifest has changed since its approval was asked for", async () => {
		callOnce(COMMAND);
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "approval");
		await putTools(key, WORKSPACE, { deny: ["run_command"] });
		const run = await parseRun(resolve(waiting, { resolutions: [{ id, decision: "approve" }] }, other));
		expect(run).toMatchObject({ status: "complete", tool_calls: { denied: 1 } });
		expect(run.output).not.toContain("Results: ok");
		await expectAccounted(key, run);
	});

	it("counts as rejected after a day", async () => {
		callOnce(COMMAND);
		const waiting = await parseRun(begin());
		await sleep(waiting, DAY_MS);
		const run = await readUntil(key, waiting, ({ sealed }) => sealed);
		expect(run.output).toContain("Nobody approved this call in time");
		await expectAccounted(key, run);
	});

	it("decides on several at the same moment, each once", async () => {
		callOnce(COMMAND, { ...COMMAND, args: { command: "npm run build" } }, { name: "read_note", args: { name: "a" } });
		const waiting = await parseRun(begin());
		const [test, build, note] = pendingsOf(waiting, "approval", "approval", "client_tool");
		const answers = await Promise.all([
			resolve(waiting, { resolutions: [{ id: test?.id, decision: "approve" }] }, other),
			resolve(waiting, { resolutions: [{ id: build?.id, decision: "approve" }] }, other),
			resolve(waiting, { resolutions: [{ id: note?.id, output: "a note" }] }, key),
		]);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
		const approved = await readRun(key, waiting.run_id);
		const clients = pendingsOf(approved, "client_tool", "client_tool");
		const outputs = { resolutions: clients.map(({ id }) => ({ id, output: "ok" })) };
		const run = await parseRun(resolve(waiting, outputs, key));
		expect(run).toMatchObject({ status: "complete", tool_calls: { requested: 3, approved: 2, allowed: 1 } });
		expect(model.asked).toHaveLength(2);
		await expectAccounted(key, run);
	});
});

describe("a run that waits for its user", () => {
	it("takes an answer that it offered, and no other", async () => {
		callOnce({ name: "ask_user", args: { question: "Which account?", choices: ["Main", "Savings"] } });
		const waiting = await parseRun(begin());
		const { id, arguments: asked } = pendingOf(waiting, "input");
		expect(asked).toEqual({ question: "Which account?", choices: ["Main", "Savings"] });
		const wrong = await errorOf(resolve(waiting, { resolutions: [{ id, payload: "Third" }] }, key));
		expect(wrong).toMatchObject({ status: 422, body: { issues: [{ path: "resolutions.0.payload" }] } });
		const run = await parseRun(resolve(waiting, { resolutions: [{ id, payload: "Savings" }] }, key));
		expect(run).toMatchObject({ status: "complete" });
		expect(run.output).toContain("Savings");
		await expectAccounted(key, run);
	});

	it("reads a message before its next turn, once", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const waiting = await parseRun(begin());
		const { id } = pendingOf(waiting, "client_tool");
		const message = { id: "m1", text: "Answer in French, please." };
		expect(await parseRun(resolve(waiting, { message }, key))).toEqual(waiting);
		expect(await parseRun(resolve(waiting, { message }, key))).toEqual(waiting);
		const changed = await errorOf(resolve(waiting, { message: { ...message, text: "In Latin." } }, key));
		expect(changed).toMatchObject({ status: 409, body: { error: "action_conflict", id: "m1" } });
		await evictDurableObject(runObject(waiting));
		const body = { resolutions: [{ id, output: "Buy milk." }], message };
		const run = await parseRun(resolve(waiting, body, key));
		expect(run.status).toBe("complete");
		const [first, second] = model.asked;
		expect(first && allText(first)).not.toContain("French");
		expect((second ? allText(second) : "").split("Answer in French").length - 1).toBe(1);
		expect(second?.messages.findLast(({ role }) => role === "user")?.content).toContain("Answer in French");
		await expectAccounted(key, run);
	});
});

describe("the money of a run that waits", () => {
	/** A key with a budget. */
	async function makeSpender(): Promise<TestKey> {
		const made = await callWithKey(other.key, "/v1/keys", { budget_usd: 1, budget_period: "total" });
		return { ...(await made.json<TestKey>()), user_id: key.user_id };
	}

	it("is what it spent and one turn, and after a quarter of an hour what it spent alone", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const spender = await makeSpender();
		const tools = [{ ...READ_NOTE, timeout_s: 86_400 }];
		const waiting = await parseRun(begin({ max_cost_usd: 0.5, tools }, spender));
		const spent = nano(waiting.cost_consumed_usd);
		const held = async () => {
			const room = await meterClient(env.ACCOUNT_METER, key.user_id).room(waiting.run_id);
			return room?.heldNanoUsd ?? null;
		};
		const first = (await held()) ?? 0;
		expect(first).toBeGreaterThan(spent);
		expect(first).toBeLessThan(nano(0.1));
		await sleep(waiting, 15 * MINUTE_MS);
		expect(await held()).toBe(spent);
		expect(await readRun(key, waiting.run_id)).toEqual(waiting);
		const { id } = pendingOf(waiting, "client_tool");
		const answer = resolve(waiting, { resolutions: [{ id, output: "Buy milk." }] }, spender);
		expect((await parseRun(withAlarms(waiting, answer))).status).toBe("complete");
	});

	it("is short where the key's budget leaves no turn: the answer is kept, and the same request goes on later", async () => {
		callOnce({ name: "read_note", args: { name: "alpha" } });
		const spender = await makeSpender();
		const waiting = await parseRun(begin({ max_cost_usd: 0.5 }, spender));
		const change = (budget_usd: number) =>
			call(`/v1/keys/${spender.key_id}`, { ...withKey(other.key, { budget_usd }), method: "PATCH" });
		expect((await change(waiting.cost_consumed_usd)).status).toBe(200);
		const { id } = pendingOf(waiting, "client_tool");
		const body = { resolutions: [{ id, output: "Buy milk." }] };
		const short = await errorOf(resolve(waiting, body, spender));
		expect(short).toMatchObject({ status: 402, body: { error: "key_budget_exceeded" } });
		expect(JSON.stringify(short.body)).toContain("the answers were taken");
		const stalled = await readRun(spender, waiting.run_id);
		expect(stalled).toMatchObject({ status: "requires_action", pending: [] });
		expect(stalled.final_message).toContain("budget");
		await evictDurableObject(runObject(waiting));
		const changed = await errorOf(resolve(waiting, { resolutions: [{ id, output: "Buy oil." }] }, spender));
		expect(changed.status).toBe(409);
		expect((await errorOf(resolve(waiting, body, spender))).status).toBe(402);
		expect(model.asked).toHaveLength(1);
		expect((await change(1)).status).toBe(200);
		const run = await parseRun(resolve(waiting, body, spender));
		expect(run).toMatchObject({ status: "complete", output: "Results: Buy milk." });
	});
});
