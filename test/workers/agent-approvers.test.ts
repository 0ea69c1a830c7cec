// Who may decide for a run, and what is recorded of a decision: keys of all roles, makers and rotations, through the front door.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { afterEach, describe, expect, it } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import { checkChain } from "../../src/verifier/chain.ts";
import { readRun, runAgent } from "../support/agents.ts";
import { always, inOrder, killObject, onlyFor, useFaults, writes } from "../support/faults.ts";
import { handOn, readChain } from "../support/ledger.ts";
import { useService } from "../support/per-test.ts";
import { type ChainEntry, verifyChain } from "../support/second-ledger.ts";
import {
	call,
	callWith,
	callWithKey,
	eventually,
	newKey,
	operator,
	proofOf,
	type TestKey,
	withKey,
} from "../support/service.ts";
import { OPENAI_FORMAT, readAsked, sayTurn, toolModel } from "../support/tool-model.ts";

const { upstream } = useService("corporate");

const WORKSPACE = "order-service";

interface Keys {
	[name: string]: TestKey;
}

/** A key of the operator's making. */
async function operatorKey(user: string, role: string): Promise<TestKey> {
	return (await operator("POST", "/internal/keys", { user, plan: "corporate", role })).json();
}

async function makeKey({ key, user_id }: TestKey, role: string, more: object = {}): Promise<TestKey> {
	return { ...(await (await callWithKey(key, "/v1/keys", { role, ...more })).json<TestKey>()), user_id };
}

/** Both keys work for a while. */
async function rotate({ key }: TestKey, target: TestKey): Promise<TestKey> {
	const path = `/v1/keys/${target.key_id}/rotate`;
	const made: TestKey = await (await callWithKey(key, path, { overlap_seconds: 3_600 })).json();
	return { ...made, user_id: target.user_id };
}

/** A user's keys in every relation to the key that begins a run, which is `beginner`. */
async function makeKeys(): Promise<Keys> {
	const user = `user ${ulid()}`;
	const before = await newKey("corporate", user);
	const other = await newKey("corporate", user);
	const approver = await operatorKey(user, "approver");
	const beginner = await rotate(other, before);
	const made = await makeKey(beginner, "owner");
	const othersApprover = await makeKey(other, "approver");
	return {
		beginner,
		before,
		after: await rotate(other, beginner),
		other,
		approver,
		agent: await operatorKey(user, "agent"),
		othersApprover,
		made,
		madeApprover: await makeKey(beginner, "approver"),
		madeAgent: await makeKey(beginner, "agent"),
		madeByMade: await makeKey(made, "approver"),
		// Whoever rotates a key is shown the new one.
		rotatedByMade: await rotate(made, othersApprover),
	};
}

/** Keys that are of the side of `beginner`, and those that are not, by what they may approve. */
const OWN_SIDE = ["beginner", "before", "after", "made", "madeApprover", "madeByMade", "rotatedByMade"];
const INDEPENDENT = ["other", "approver", "othersApprover"];
const NOBODY = ["agent", "madeAgent"];

const BODY = { workspace_id: WORKSPACE, plan: { approve: true }, policy: "efficiency" };

async function beginRun(key: TestKey, more: Record<string, unknown> = {}): Promise<RunResponse> {
	const run = await runAgent(key, { ...BODY, ...more });
	expect(run.status).toBe("requires_action");
	return run;
}

function pendingOf({ pending }: RunResponse) {
	const [first] = pending ?? [];
	if (!first) throw new Error("the run waits for nothing");
	return first;
}

function resolve(key: TestKey, run: RunResponse, body: Record<string, unknown>): Promise<Response> {
	return callWithKey(key.key, `/v1/agent/${run.run_id}/resolve`, body);
}

function decide(key: TestKey, run: RunResponse, decision: object = { decision: "approve" }): Promise<Response> {
	return resolve(key, run, { resolutions: [{ id: pendingOf(run).id, ...decision }], background: true });
}

interface Event {
	event_type: string;
	actor: string;
	workspace_id: string;
	payload: Record<string, unknown>;
}

async function decisionsOf(key: TestKey): Promise<Event[]> {
	const types = ["tool_approved", "tool_rejected"];
	const lists = types.map(async (type) => {
		const list = await callWithKey(key.key, `/v1/audit/events?event_type=${type}&workspace_id=${WORKSPACE}`);
		return (await list.json<{ data: Event[] }>()).data;
	});
	return (await Promise.all(lists)).flat();
}

/** Handoffs from a run to who decided. */
async function reviewsOf(key: TestKey, { run_id }: RunResponse) {
	const { data } = await readChain(key, "", WORKSPACE);
	return data.filter(({ from_tool, action_kind }) => from_tool === run_id && action_kind === "review");
}

const objectOf = ({ run_id }: RunResponse) => env.AGENT_RUN.getByName(`run:${run_id}`);

/** Waits until a run is sealed. */
async function readEnd(key: TestKey, run: RunResponse): Promise<RunResponse> {
	let now = await readRun(key, run.run_id);
	await eventually(async () => {
		await runDurableObjectAlarm(objectOf(run));
		now = await readRun(key, run.run_id);
		return now.sealed;
	});
	return now;
}

/** What a run that goes on waits for next. */
async function nextPending(key: TestKey, { run_id }: RunResponse) {
	let now = await readRun(key, run_id);
	await eventually(async () => {
		now = await readRun(key, run_id);
		return now.status === "requires_action" && (now.pending ?? []).length > 0;
	});
	return pendingOf(now);
}

/** A run whose plan waits, with the key that began it and one that may decide. */
async function waitingRun(more: Record<string, unknown> = {}) {
	const beginner = await newKey("corporate");
	const approver = await makeKey(await newKey("corporate", beginner.user_id), "approver");
	return { beginner, approver, run: await beginRun(beginner, more) };
}

let faults: { restore(): void } | null = null;
afterEach(() => {
	faults?.restore();
	faults = null;
});

describe("a plan", () => {
	it("of an owner's run takes an owner's or approver's key that is not of the run's side, and no other", async () => {
		const keys = await makeKeys();
		const beginner = keys["beginner"] as TestKey;
		const run = await beginRun(beginner);
		for (const name of [...OWN_SIDE, ...NOBODY]) {
			const response = await decide(keys[name] as TestKey, run);
			// An agent's key does not even read the run: it made none.
			const refused = NOBODY.includes(name) ? [404, "run_not_found"] : [403, "approval_forbidden"];
			expect([name, response.status, (await response.json<{ error: string }>()).error]).toEqual([name, ...refused]);
		}
		expect(await readRun(beginner, run.run_id)).toMatchObject({ status: "requires_action", pending: run.pending });
		expect(await decisionsOf(beginner)).toEqual([]);
		expect(await reviewsOf(beginner, run)).toEqual([]);
		for (const name of INDEPENDENT) {
			const again = await beginRun(beginner);
			const response = await decide(keys[name] as TestKey, again);
			expect([name, response.status, await response.text()]).toMatchObject([name, 202, expect.anything()]);
			expect((await readEnd(beginner, again)).status).toBe("complete");
		}
	});

	it("of an agent's run takes every owner's and approver's key, also the one that made the agent's", async () => {
		const keys = await makeKeys();
		const agent = keys["madeAgent"] as TestKey;
		const run = await beginRun(agent, { self_approval: true });
		expect(run.svc?.warnings).toMatchObject([{ param: "self_approval" }]);
		expect(run.self_approval).toBeUndefined();
		const refused = await decide(agent, run);
		expect([refused.status, await refused.json()]).toMatchObject([403, { error: "approval_forbidden" }]);
		for (const name of [...OWN_SIDE, ...INDEPENDENT]) {
			const again = await beginRun(agent, { self_approval: true });
			const response = await decide(keys[name] as TestKey, again);
			expect([name, response.status, await response.text()]).toMatchObject([name, 202, expect.anything()]);
			await readEnd(agent, again);
		}
		const decisions = await decisionsOf(keys["beginner"] as TestKey);
		expect(decisions.map(({ payload }) => payload["self_approval"])).toEqual(decisions.map(() => false));
		expect(decisions).toHaveLength(OWN_SIDE.length + INDEPENDENT.length);
	});

	it("of a run with self_approval takes its own side, and the record shows it", async () => {
		const keys = await makeKeys();
		const beginner = keys["beginner"] as TestKey;
		for (const name of [...OWN_SIDE, ...INDEPENDENT]) {
			const run = await beginRun(beginner, { self_approval: true });
			const response = await decide(keys[name] as TestKey, run);
			expect([name, response.status, await response.text()]).toMatchObject([name, 202, expect.anything()]);
			await readEnd(beginner, run);
			const [review] = await reviewsOf(beginner, run);
			const isOwnSide = OWN_SIDE.includes(name);
			expect([name, review?.risks.map(({ id }) => id)]).toEqual([name, isOwnSide ? ["self_approval"] : []]);
			const event = (await decisionsOf(beginner)).find(({ payload }) => payload["run_id"] === run.run_id);
			expect([name, event?.payload["self_approval"]]).toEqual([name, isOwnSide]);
		}
	});

	it("takes others alone where the manifest forbids self-approval, whatever the run has asked for", async () => {
		const beginner = await newKey("corporate");
		const run = await beginRun(beginner, { self_approval: true });
		const put = (tools: object) =>
			call(`/v1/workspace/${WORKSPACE}/manifest`, { ...withKey(beginner.key, { tools }), method: "PUT" });
		expect((await put({ self_approval: false })).status).toBe(200);
		const refused = await decide(beginner, run);
		expect([refused.status, await refused.json()]).toMatchObject([
			403,
			{
				error: "approval_forbidden",
				message: expect.stringContaining("the workspace's manifest forbids self_approval"),
			},
		]);
		expect((await put({})).status).toBe(200);
		expect((await decide(beginner, run)).status).toBe(202);
		await readEnd(beginner, run);
	});
});

const SEND = {
	type: "function",
	name: "send_mail",
	description: "Sends a mail.",
	parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
};

/** A run that calls `send_mail`, which the manifest has asked about, and then `ask_user`; begun by an agent's key. */
async function actingRun() {
	const owner = await newKey("corporate");
	const manifest = { tools: { ask: ["send_mail"], unknown: "allow" } };
	await call(`/v1/workspace/${WORKSPACE}/manifest`, { ...withKey(owner.key, manifest), method: "PUT" });
	const keys: Keys = {
		owner,
		agent: await makeKey(owner, "agent"),
		approver: await makeKey(owner, "approver"),
		otherAgent: await makeKey(owner, "agent"),
		readingAgent: await makeKey(owner, "agent", { own_only: false }),
	};
	const model = toolModel(({ results }) => {
		if (results.length === 0) return { calls: [{ name: "send_mail", args: { to: "ada@example.org" } }] };
		if (results.length === 1) return { calls: [{ name: "ask_user", args: { question: "Shall I go on?" } }] };
		return { text: "It is sent." };
	});
	upstream.replace(model.answer);
	const run = await runAgent(keys["agent"] as TestKey, {
		goal: "Send a mail to Ada, then ask the user whether to go on",
		workspace_id: WORKSPACE,
		policy: "efficiency",
		tools: [SEND, { type: "ask_user" }],
		brain_config: OPENAI_FORMAT,
	});
	return { keys, run };
}

/** What keys by name are answered that all ask for the same. */
async function askAll(keys: Keys, names: readonly string[], ask: (key: TestKey) => Promise<Response>) {
	const answers: Record<string, number> = {};
	for (const name of names) answers[name] = (await ask(keys[name] as TestKey)).status;
	return answers;
}

describe("a run that acts", () => {
	it("takes approvals from who may decide, and results, answers and messages from its own side or an owner", async () => {
		const { keys, run } = await actingRun();
		const { owner, agent, approver } = keys as { owner: TestKey; agent: TestKey; approver: TestKey };
		const approval = pendingOf(run);
		expect(approval).toMatchObject({ kind: "approval", tool: "send_mail", arguments: { to: "ada@example.org" } });
		// An agent's key that reads all the user's runs still decides on none.
		expect(await askAll(keys, ["agent", "readingAgent", "otherAgent"], (key) => decide(key, run))).toEqual({
			agent: 403,
			readingAgent: 403,
			otherAgent: 404,
		});
		expect((await decide(approver, run)).status).toBe(202);
		const result = await nextPending(agent, run);
		expect(result).toMatchObject({ kind: "client_tool", arguments: { to: "ada@example.org" } });
		expect(result.id).not.toBe(approval.id);

		const send = (key: TestKey) => resolve(key, run, { resolutions: [{ id: result.id, output: "sent" }] });
		expect(await askAll(keys, ["approver", "readingAgent", "otherAgent"], send)).toEqual({
			approver: 403,
			readingAgent: 403,
			otherAgent: 404,
		});
		const message = { id: "m1", text: "Be brief." };
		const steer = (key: TestKey) => resolve(key, run, { message });
		expect(await askAll(keys, ["approver", "readingAgent", "otherAgent"], steer)).toEqual({
			approver: 403,
			readingAgent: 403,
			otherAgent: 404,
		});
		// A batch counts as a whole: what the key may do is not taken without what it may not.
		const mixed = await resolve(approver, run, { resolutions: [{ id: approval.id, decision: "approve" }], message });
		expect(mixed.status).toBe(403);
		expect((await steer(owner)).status).toBe(200);
		expect((await send(agent)).status).toBe(200);

		const question = await nextPending(agent, run);
		expect(question).toMatchObject({ kind: "input" });
		const answer = (key: TestKey) => resolve(key, run, { resolutions: [{ id: question.id, payload: "yes" }] });
		expect(await askAll(keys, ["approver", "readingAgent", "otherAgent", "owner"], answer)).toEqual({
			approver: 403,
			readingAgent: 403,
			otherAgent: 404,
			owner: 200,
		});
		expect(await readEnd(agent, run)).toMatchObject({ status: "complete", output: "It is sent." });

		const [event, ...others] = await decisionsOf(owner);
		expect(others).toEqual([]);
		expect(event).toMatchObject({
			event_type: "tool_approved",
			actor: `key:${approver.key_id}`,
			payload: {
				kind: "approval",
				pending_id: approval.id,
				tool: "send_mail",
				decision: "approve",
				action_digest: approval.action_digest,
				policy_event_id: approval.policy?.event_id,
			},
		});
		const [review] = await reviewsOf(owner, run);
		expect(review).toMatchObject({ id: event?.payload["handoff_id"], to_tool: approver.key_id, signed: true });
		expect(JSON.stringify([event, review])).not.toContain("ada@example.org");
		await expectSoundChain(owner);
	});
});

describe("an approved call", () => {
	it("is handed out before a model reads a result in quarantine that came with the approval", async () => {
		const beginner = await newKey("corporate");
		const owner = await newKey("corporate", beginner.user_id);
		const manifest = { tools: { ask: ["send_mail"], unknown: "allow" } };
		await call(`/v1/workspace/${WORKSPACE}/manifest`, { ...withKey(owner.key, manifest), method: "PUT" });
		const calls = [
			{ name: "send_mail", args: { to: "ada@example.org" } },
			{ name: "read_page", args: {} },
		];
		const model = toolModel(({ results }) => (results.length === 0 ? { calls } : { text: "It is sent." }));
		let isReading = false;
		let isSeen = false;
		upstream.replace(async (request) => {
			const sent = await request.clone().text();
			if (!sent.includes("You read the result of a tool for another model")) return model.answer(request);
			isReading = true;
			while (!isSeen) await new Promise((go) => setTimeout(go, 5));
			const text = JSON.stringify({ summary: "A page.", facts: [], has_instructions: false });
			return sayTurn({ text }, readAsked(sent).isStream);
		});
		const page = { ...SEND, name: "read_page", effects: "read", quarantine: true, parameters: { type: "object" } };
		const run = await runAgent(beginner, {
			goal: "Send a mail to Ada, then read the page and say what it is about",
			workspace_id: WORKSPACE,
			policy: "efficiency",
			tools: [SEND, page],
			brain_config: OPENAI_FORMAT,
		});
		const resolutions = (run.pending ?? []).map(({ id, kind }) =>
			kind === "approval" ? { id, decision: "approve" } : { id, output: "A page" },
		);
		const answered = resolve(owner, run, { resolutions });
		await eventually(async () => isReading);
		const step = await callWithKey(owner.key, `/v1/agent/${run.run_id}/steps/1`);
		const { calls: shown } = await step.json<{ calls: { state: string; result: string | null }[] }>();
		isSeen = true;
		expect(shown).toMatchObject([{ state: "dispatched" }, { state: "done", result: "A page" }]);
		const waits = [{ kind: "client_tool", tool: "send_mail" }];
		expect(await (await answered).json()).toMatchObject({ status: "requires_action", pending: waits });
	});
});

/** Whether both verifiers find a chain sound. */
async function expectSoundChain(key: TestKey): Promise<void> {
	const path = `/v1/handoff/chain/${encodeURIComponent(WORKSPACE)}`;
	const document = await (await callWithKey(key.key, path)).json<{ data: ChainEntry[]; verification: object }>();
	expect(document.verification).toMatchObject({ ok: true, reasons: [] });
	const { keys } = await (await call("/v1/proof/pubkey")).json<{ keys: { key_id: string; public_key: string }[] }>();
	const trusted = keys.map(({ key_id, public_key }) => [key_id, Buffer.from(public_key, "base64")] as const);
	expect(verifyChain(document.data, new Map(trusted))).toMatchObject({
		ok: true,
		n: document.data.length,
		reasons: [],
	});
	const publicKeys = trusted.map(([, publicKey]) => new Uint8Array(publicKey));
	const findings = await checkChain(document, publicKeys, null);
	expect(findings.filter(({ verdict }) => verdict === "FAIL")).toEqual([]);
}

describe("a decision", () => {
	it.each([
		["approve", "tool_approved", "Approved: the plan of run"],
		["reject", "tool_rejected", "Rejected: the plan of run"],
	] as const)("to %s is an event and a handoff of the workspace, bound to what was shown", async (...expected) => {
		const [decision, event_type, objective] = expected;
		const { beginner, approver, run } = await waitingRun();
		const { id, action_digest } = pendingOf(run);
		const reason = decision === "reject" ? "not that table" : null;
		const decided = { decision, ...(reason === null ? {} : { reason }) };
		expect((await decide(approver, run, decided)).status).toBeLessThan(300);
		// The same again changes nothing.
		expect((await decide(approver, run, decided)).status).toBeLessThan(300);
		const ended = await readEnd(beginner, run);
		expect(ended.status).toBe(decision === "approve" ? "complete" : "cancelled");
		const [review, ...others] = await reviewsOf(beginner, run);
		expect(others).toEqual([]);
		expect(review).toMatchObject({
			objective: `${objective} ${run.run_id}`,
			to_tool: approver.key_id,
			action_kind: "review",
			validation: [
				{ id: "action_digest", description: action_digest },
				{ id: "decision", description: decision },
			],
			signed: true,
		});
		expect(await decisionsOf(beginner)).toMatchObject([
			{
				event_type,
				actor: `key:${approver.key_id}`,
				workspace_id: WORKSPACE,
				payload: {
					run_id: run.run_id,
					kind: "plan",
					pending_id: id,
					decision,
					action_digest,
					proposed_digest: action_digest,
					self_approval: false,
					reason,
					handoff_id: review?.id,
				},
			},
		]);
		await expectSoundChain(beginner);
	});

	it("that changes the plan binds what it was changed to, and says what was put up", async () => {
		const { beginner, approver, run } = await waitingRun();
		const { action_digest } = pendingOf(run);
		const edit = { decision: "edit", arguments: { plan: ["Name one river of France"] } };
		expect((await decide(approver, run, edit)).status).toBe(202);
		await readEnd(beginner, run);
		const [event] = await decisionsOf(beginner);
		expect(event).toMatchObject({
			event_type: "tool_approved",
			payload: { decision: "edit", proposed_digest: action_digest },
		});
		expect(event?.payload["action_digest"]).not.toBe(action_digest);
		const [review] = await reviewsOf(beginner, run);
		expect(review?.validation[0]?.description).toBe(event?.payload["action_digest"]);
	});

	it("is recorded once when the ledger's answers are lost and the run's object dies", async () => {
		const { beginner, approver, run } = await waitingRun();
		faults = useFaults({
			WORKSPACE_LEDGER: onlyFor(["append", "record"], inOrder(["failAfter", "failAfter", "failAfter", "fail"])),
		});
		expect((await decide(approver, run)).status).toBe(202);
		await killObject(objectOf(run));
		await readEnd(beginner, run);
		faults.restore();
		expect(await reviewsOf(beginner, run)).toHaveLength(1);
		expect(await decisionsOf(beginner)).toHaveLength(1);
		await expectSoundChain(beginner);
	});

	it("is acted on while the ledger is away, and the run is sealed once the ledger has it", async () => {
		const { beginner, approver, run } = await waitingRun();
		faults = useFaults({ WORKSPACE_LEDGER: onlyFor(["append"], always("fail")) });
		expect((await decide(approver, run)).status).toBe(202);
		await eventually(async () => {
			await runDurableObjectAlarm(objectOf(run));
			return (await readRun(beginner, run.run_id)).steps.length === run.steps.length + 4;
		});
		for (let i = 0; i < 3; i++) await runDurableObjectAlarm(objectOf(run));
		expect(await readRun(beginner, run.run_id)).toMatchObject({ sealed: false });
		faults.restore();
		expect(await readEnd(beginner, run)).toMatchObject({ status: "complete", sealed: true });
		expect(await reviewsOf(beginner, run)).toHaveLength(1);
		expect((await proofOf(run.run_id)).valid).toBe(true);
	});

	it("is acted on while D1 takes no writes, and is recorded once D1 does", async () => {
		const { beginner, approver, run } = await waitingRun();
		faults = useFaults({ DB: (operation) => (writes(operation) ? "fail" : "pass") });
		expect((await decide(approver, run)).status).toBe(202);
		await eventually(async () => {
			await runDurableObjectAlarm(objectOf(run));
			return (await readRun(beginner, run.run_id)).steps.length > run.steps.length;
		});
		faults.restore();
		expect(await readEnd(beginner, run)).toMatchObject({ status: "complete", sealed: true });
		expect(await reviewsOf(beginner, run)).toHaveLength(1);
		expect(await decisionsOf(beginner)).toHaveLength(1);
	});

	it("is refused while a signed chain has no signing key, and the plan waits on", async () => {
		const { beginner, approver, run } = await waitingRun();
		const resolutions = [{ id: pendingOf(run).id, decision: "approve" }];
		const path = `/v1/agent/${run.run_id}/resolve`;
		const unsigned = { SIGNING_KEY: "" } as Partial<Env>;
		await handOn(beginner, { workspace_id: WORKSPACE });
		const refused = await callWith(unsigned, path, withKey(approver.key, { resolutions }));
		expect([refused.status, await refused.json()]).toMatchObject([503, { error: "signing_unavailable" }]);
		expect((await readRun(beginner, run.run_id)).pending).toEqual(run.pending);
		expect((await decide(approver, run)).status).toBe(202);
		await readEnd(beginner, run);
	});

	it("counts what it records, and is made with a full quota all the same", async () => {
		const beginner = await newKey("personal");
		const approver = await makeKey(await newKey("personal", beginner.user_id), "approver");
		const run = await beginRun(beginner);
		const storage = async () =>
			(await (await callWithKey(beginner.key, "/v1/usage")).json<{ storage: Record<string, number> }>()).storage;
		const { quota_bytes: quota = 0, stored_bytes: before = 0 } = await storage();
		await meterClient(env.ACCOUNT_METER, beginner.user_id).countStored({
			id: ulid(),
			userId: beginner.user_id,
			plan: "personal",
			write: { rollingBytes: quota - before, keptBytes: 0 },
		});
		const reason = "x".repeat(2_000);
		expect((await decide(approver, run, { decision: "reject", reason })).status).toBeLessThan(300);
		await readEnd(beginner, run);
		expect(await decisionsOf(beginner)).toHaveLength(1);
		expect(await reviewsOf(beginner, run)).toHaveLength(1);
		expect((await storage())["stored_bytes"]).toBeGreaterThan(quota + reason.length);
	});
});
