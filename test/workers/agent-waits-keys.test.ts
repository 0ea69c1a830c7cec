// Runs that wait while the key that began them is rotated or revoked: the successor is the same side, and an owner may go on.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import { expectAccounted, postRun, readRun } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, newKey, type TestKey, withKey } from "../support/service.ts";
import { OPENAI_FORMAT, toolModel } from "../support/tool-model.ts";
import {
	errorOf,
	parseRun,
	pendingOf,
	pendingsOf,
	putTools,
	readUntil,
	resolve,
	sleep,
} from "../support/waiting-runs.ts";

const { upstream, key } = useService("pro");
/** Of the same user, and of another side. */
let other: TestKey;

const WORKSPACE = "w";
const READ_NOTE = {
	type: "function",
	name: "read_note",
	description: "Reads a note by its name.",
	parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
	effects: "read",
};

let model: ReturnType<typeof toolModel>;

/** Asks for notes, and repeats them. */
function readNotes(...names: string[]): void {
	const calls = names.map((name) => ({ name: "read_note", args: { name } }));
	model = toolModel(({ results }) => (results.length === 0 ? { calls } : { text: `Results: ${results.join(" | ")}` }));
	upstream.replace(model.answer);
}

function begin(by: TestKey, more: Record<string, unknown> = {}): Promise<RunResponse> {
	const asked = { goal: "Read the notes with the tool and say what they hold", workspace_id: WORKSPACE };
	return parseRun(postRun(by, { ...asked, brain_config: OPENAI_FORMAT, tools: [READ_NOTE], ...more }));
}

async function makeKey(options: object): Promise<TestKey> {
	const made = await callWithKey(other.key, "/v1/keys", options);
	return { ...(await made.json<TestKey>()), user_id: key.user_id };
}

/** The key in the place of another, which ends now or after an overlap. */
async function rotate({ key_id }: TestKey, overlap_seconds = 0): Promise<TestKey> {
	const rotated = await callWithKey(other.key, `/v1/keys/${key_id}/rotate`, { overlap_seconds });
	if (rotated.status !== 200) throw new Error(await rotated.text());
	return { ...(await rotated.json<TestKey>()), user_id: key.user_id };
}

async function revoke({ key_id }: TestKey): Promise<void> {
	expect((await call(`/v1/keys/${key_id}`, { ...withKey(other.key), method: "DELETE" })).status).toBe(200);
}

/** What a key with a budget has spent and holds, as its owner sees it. */
async function spendingOf({ key_id }: TestKey): Promise<unknown> {
	const list = await (await callWithKey(other.key, "/v1/keys")).json<{ data: Record<string, unknown>[] }>();
	const { spent_usd, held_usd } = list.data.find((each) => each["key_id"] === key_id) ?? {};
	return { spent_usd, held_usd };
}

const answer = (id: string | undefined, output: string) => ({ resolutions: [{ id, output }] });

beforeEach(async () => {
	other = await newKey("pro", key.user_id);
	await putTools(key, WORKSPACE, { allow: ["read_note"] });
});
afterEach(() => {
	vi.useRealTimers();
});
describe("a run whose key is rotated while it waits", () => {
	it("goes on when the successor answers, and is booked on the budget of the line", async () => {
		readNotes("alpha");
		const beginner = await makeKey({ role: "agent", budget_usd: 1, budget_period: "total" });
		const waiting = await begin(beginner);
		const second = await rotate(beginner);
		const third = await rotate(second);
		const { id } = pendingOf(waiting, "client_tool");
		const stranger = await errorOf(resolve(waiting, answer(id, "Buy oil."), await makeKey({ role: "agent" })));
		expect(stranger).toMatchObject({ status: 404, body: { error: "run_not_found" } });
		const run = await parseRun(resolve(waiting, answer(id, "Buy milk."), third));
		expect(run).toMatchObject({ status: "complete", sealed: true, output: "Results: Buy milk." });
		await expectAccounted(key, run);
		expect(await spendingOf(third)).toEqual({ spent_usd: run.cost_consumed_usd, held_usd: 0 });
	});

	it("goes on by itself when its time is over, and is cancelled and read by the successor", async () => {
		readNotes("alpha");
		const beginner = await makeKey({ role: "agent" });
		const silent = await begin(beginner, { tools: [{ ...READ_NOTE, timeout_s: 60 }] });
		const cancelled = await begin(beginner);
		const successor = await rotate(beginner);
		expect(await readRun(successor, cancelled.run_id)).toEqual(cancelled);
		const ended = await parseRun(callWithKey(successor.key, `/v1/agent/${cancelled.run_id}/cancel`, {}));
		expect(ended).toMatchObject({ status: "cancelled", sealed: true });
		await sleep(silent, 60_000);
		expect(await readUntil(other, silent, ({ sealed }) => sealed)).toMatchObject({ status: "complete" });
	});

	it("goes on while the key and its successor both hold", async () => {
		readNotes("alpha");
		const beginner = await makeKey({ role: "agent" });
		const waiting = await begin(beginner);
		await rotate(beginner, 3_600);
		const { id } = pendingOf(waiting, "client_tool");
		const run = await parseRun(resolve(waiting, answer(id, "Buy milk."), beginner));
		expect(run.status).toBe("complete");
	});

	it("is interrupted once the successor is revoked, too", async () => {
		readNotes("alpha");
		const beginner = await makeKey({ role: "agent" });
		const waiting = await begin(beginner);
		await revoke(await rotate(await rotate(beginner)));
		const { id } = pendingOf(waiting, "client_tool");
		const stopped = await errorOf(resolve(waiting, answer(id, "Buy milk."), other));
		expect(stopped).toMatchObject({ status: 502, body: { error: "agent_error", run_id: waiting.run_id } });
		expect(JSON.stringify(stopped.body)).toContain("an owner may resume it");
		expect(model.asked).toHaveLength(1);
	});
});

describe("a run whose key is revoked while it waits", () => {
	it("is interrupted, and an owner resumes it with what it waits for", async () => {
		readNotes("alpha", "beta");
		const beginner = await makeKey({ role: "owner" });
		const waiting = await begin(beginner);
		const [alpha, beta] = pendingsOf(waiting, "client_tool", "client_tool");
		await revoke(beginner);
		const interrupted = await errorOf(
			resolve(waiting, { resolutions: [{ id: alpha?.id, output: "Buy milk." }] }, other),
		);
		expect(interrupted).toMatchObject({ status: 502, body: { error: "agent_error", run_id: waiting.run_id } });
		const refused = await errorOf(resolve(waiting, { resolutions: [{ id: beta?.id, output: "Buy bread." }] }, other));
		expect(refused).toMatchObject({ status: 409, body: { error: "action_conflict", state: "interrupted" } });
		const resumed = await parseRun(callWithKey(other.key, `/v1/agent/${waiting.run_id}/resume`, {}));
		expect(resumed).toMatchObject({ status: "requires_action", pending: [{ id: beta?.id }] });
		const run = await parseRun(resolve(waiting, { resolutions: [{ id: beta?.id, output: "Buy bread." }] }, other));
		expect(run).toMatchObject({ status: "complete", output: "Results: Buy milk. | Buy bread." });
	});

	it("goes on when an owner has resumed it while it waited, and not for the revoked key", async () => {
		readNotes("alpha");
		const beginner = await makeKey({ role: "owner" });
		const waiting = await begin(beginner);
		const resume = (by: TestKey) => callWithKey(by.key, `/v1/agent/${waiting.run_id}/resume`, {});
		// As long as its key is good, nobody need vouch for the run: what is revoked later stops it all the same.
		expect(await parseRun(resume(other))).toEqual(waiting);
		await revoke(beginner);
		expect((await resume(beginner)).status).toBe(401);
		expect(await parseRun(resume(other))).toEqual(waiting);
		const { id } = pendingOf(waiting, "client_tool");
		const run = await parseRun(resolve(waiting, answer(id, "Buy milk."), other));
		expect(run).toMatchObject({ status: "complete", output: "Results: Buy milk." });
		await expectAccounted(key, run);
	});

	it("is interrupted although an owner has resumed it before the revocation", async () => {
		readNotes("alpha");
		const beginner = await makeKey({ role: "owner" });
		const waiting = await begin(beginner);
		await parseRun(callWithKey(other.key, `/v1/agent/${waiting.run_id}/resume`, {}));
		await revoke(beginner);
		const { id } = pendingOf(waiting, "client_tool");
		expect((await errorOf(resolve(waiting, answer(id, "Buy milk."), other))).status).toBe(502);
	});
});
