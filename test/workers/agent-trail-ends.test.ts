// The trail of runs with tools, however they end: what their owner saved is checked by the client's verifier and by a second
// implementation, and every change of it is found.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunResponse, type StepTextResponse, stepTextSchema } from "../../src/agents/response.ts";
import { verifyProof } from "../../src/client/verification.ts";
import { postRun, readRun } from "../support/agents.ts";
import { changedCopies } from "../support/changed-copies.ts";
import { useService } from "../support/per-test.ts";
import { exchangeOf, type KnownCall } from "../support/second-exchange.ts";
import { canonical, saltedHash } from "../support/second-ledger.ts";
import { call, callWithKey, newKey, type TestKey, withKey } from "../support/service.ts";
import { OPENAI_FORMAT, toolModel } from "../support/tool-model.ts";
import { parseRun, pendingOf, pendingsOf, putTools, readUntil, resolve, sleep } from "../support/waiting-runs.ts";

const { upstream, key } = useService("pro");
/** Of the same user: decides. */
let other: TestKey;
/** No model answers a turn with results. */
let isDown: boolean;

const DAY_MS = 24 * 60 * 60 * 1_000;

const tool = (name: string, more: object = {}) => ({
	...{ type: "function", name, description: `Does ${name}.`, parameters: { type: "object" }, ...more },
});

/** A run whose model calls two tools in its first turn, one of which a person is asked about, and then ends in words. */
async function begin(by: TestKey = key): Promise<RunResponse> {
	const calls = [
		{ name: "look", args: { n: 1 } },
		{ name: "send", args: { n: 2 } },
	];
	const { answer } = toolModel(({ results }) =>
		results.length === 0 ? { text: "I call.", calls } : { text: "Done." },
	);
	upstream.replace(async (request) => {
		const body = await request.clone().text();
		return isDown && body.includes('"tool_call_id"') ? new Response("{}", { status: 500 }) : answer(request);
	});
	const body = {
		workspace_id: "w",
		brain_config: OPENAI_FORMAT,
		tools: [tool("look", { effects: "read" }), tool("send")],
	};
	return parseRun(postRun(by, { goal: "Read the note alpha and mail it to Ada, then say what you did", ...body }));
}

beforeEach(async () => {
	isDown = false;
	other = await newKey("pro", key.user_id);
	await putTools(key, "w", { allow: ["look"], ask: ["send"] });
});
afterEach(() => {
	vi.useRealTimers();
});

async function saved(path: string): Promise<string> {
	const response = await callWithKey(key.key, path);
	const text = await response.text();
	if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
	return text;
}

/** The exchange that the second implementation makes of what the owner reads. */
function recompute({ exchange, said, steering, calls, salt }: Required<StepTextResponse>): string {
	const known = calls.map((each, place): KnownCall => {
		const approval = exchange.calls[place]?.approval ?? null;
		return { ...each, approval, arguments: JSON.stringify(each.arguments) };
	});
	return saltedHash(salt, canonical(exchangeOf(salt, { messages: exchange.messages, said, steering, calls: known })));
}

/** Checks what was saved of a run, and that no change of its exchange goes unseen. @param faults that it has as it is. */
async function expectTrail(runId: string, states: string[], faults: string[] = []): Promise<void> {
	const [run, step, chain, publicKeys] = await Promise.all(
		[`agent/${runId}`, `agent/${runId}/steps/1`, "handoff/chain/w", "proof/pubkey"].map((path) => saved(`/v1/${path}`)),
	);
	const proof = await call(`/v1/proof/${runId}`);
	const beside = [run, chain, ...(proof.status === 200 ? [await proof.text()] : [])];
	const findFaults = async (shown: string) => {
		const { findings } = await verifyProof([...beside, shown].join("\n"), { publicKeys: publicKeys ?? "" });
		return findings.flatMap(({ verdict, text }) => (verdict === "FAIL" ? [text] : []));
	};
	const read = stepTextSchema.parse(JSON.parse(step ?? "")) as Required<StepTextResponse>;
	expect(read.calls.map(({ state }) => state)).toEqual(states);
	expect(recompute(read)).toBe(read.input_hash);
	expect(await findFaults(step ?? "")).toEqual(faults);
	for (const { path, copy } of changedCopies(read.exchange)) {
		const found = await findFaults(JSON.stringify({ ...read, exchange: copy }));
		expect([path, found.length > faults.length]).toEqual([path, true]);
	}
}

const UNSIGNED = (status: string) => [
	`receipt: none yet; the run is ${status}, and is signed when it has ended for good`,
];

describe("the trail of a run with tools", () => {
	it("holds where nobody answered or approved in time", async () => {
		const run = await begin();
		await sleep(run, DAY_MS + 1);
		const ended = await readUntil(key, run, ({ sealed }) => sealed);
		expect(ended).toMatchObject({
			status: "complete",
			tool_calls: { requested: 2, allowed: 1, approved: 0, expired: 2 },
		});
		await expectTrail(run.run_id, ["expired", "rejected"]);
	});

	it("holds where it was interrupted after a call that a person had edited, unsigned; and once it is resumed", async () => {
		const run = await begin();
		const [look, send] = pendingsOf(run, "client_tool", "approval");
		const edit = { id: send?.id, decision: "edit", arguments: { n: 3 } };
		await parseRun(resolve(run, { resolutions: [edit] }, other));
		isDown = true;
		const waits = await readRun(key, run.run_id);
		const resolutions = (waits.pending ?? []).map(({ id }) => ({ id, output: id === look?.id ? "seen" : "sent" }));
		expect((await resolve(run, { resolutions }, key)).status).toBe(502);
		expect(await readRun(key, run.run_id)).toMatchObject({ status: "interrupted", sealed: false });
		await expectTrail(run.run_id, ["done", "done"], UNSIGNED("interrupted"));
		isDown = false;
		const ended = await parseRun(callWithKey(key.key, `/v1/agent/${run.run_id}/resume`, {}));
		expect(ended).toMatchObject({ status: "complete", sealed: true, tool_calls: { approved: 1, allowed: 1 } });
		await expectTrail(run.run_id, ["done", "done"]);
	});

	it("holds where nobody resumed it within seven days", async () => {
		const run = await begin();
		const [, send] = pendingsOf(run, "client_tool", "approval");
		const approved = await parseRun(resolve(run, { resolutions: [{ id: send?.id, decision: "approve" }] }, other));
		isDown = true;
		const resolutions = pendingsOf(approved, "client_tool", "client_tool").map(({ id }) => ({
			id,
			output: "no",
			is_error: true,
		}));
		expect((await resolve(run, { resolutions }, key)).status).toBe(502);
		await sleep(run, 7 * DAY_MS + 1);
		const ended = await readUntil(key, run, ({ sealed }) => sealed);
		expect(ended).toMatchObject({ status: "interrupted", tool_calls: { approved: 1, allowed: 1 } });
		await expectTrail(run.run_id, ["failed", "failed"]);
	});

	it("holds where it was cancelled while a person was to decide, and one call had run", async () => {
		const run = await begin();
		const [look] = pendingsOf(run, "client_tool", "approval");
		await parseRun(resolve(run, { resolutions: [{ id: look?.id, output: "seen" }] }, key));
		await parseRun(callWithKey(key.key, `/v1/agent/${run.run_id}/cancel`, {}));
		await expectTrail(run.run_id, ["done", "failed"]);
	});

	it("holds where its key was revoked when a person had rejected a call, and an owner resumed it", async () => {
		const agent = await (await callWithKey(key.key, "/v1/keys", { role: "agent" })).json<TestKey>();
		const run = await begin(agent);
		const [, send] = pendingsOf(run, "client_tool", "approval");
		await parseRun(resolve(run, { resolutions: [{ id: send?.id, decision: "reject", reason: "no" }] }, other));
		expect((await call(`/v1/keys/${agent.key_id}`, { ...withKey(key.key), method: "DELETE" })).status).toBe(200);
		const waits = pendingOf(await parseRun(callWithKey(key.key, `/v1/agent/${run.run_id}/resume`, {})), "client_tool");
		const ended = await parseRun(resolve(run, { resolutions: [{ id: waits.id, output: "seen" }] }, key));
		expect(ended).toMatchObject({ status: "complete", sealed: true });
		await expectTrail(run.run_id, ["done", "rejected"]);
	});
});
