// Many pendings of one turn: answered in drawn orders, some at a time and several requests at once; and answers at the edge of their time.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectAccounted, postRun, readRun } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { newKey, type TestKey } from "../support/service.ts";
import { OPENAI_FORMAT, type ScriptedTurn, toolModel } from "../support/tool-model.ts";
import {
	errorOf,
	parseRun,
	pendingOf,
	putTools,
	resolve,
	type ShownPending,
	withAlarms,
} from "../support/waiting-runs.ts";

const { upstream, key } = useService("pro");
/** Of the same user: decides. */
let other: TestKey;

type Calls = NonNullable<ScriptedTurn["calls"]>;

function tool(name: string, more: object = {}) {
	const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
	return { type: "function", name, description: `Does ${name}.`, parameters, ...more };
}

let model: ReturnType<typeof toolModel>;

/** A run whose model makes these calls in its first turn, and then repeats their results. */
function begin(calls: Calls): Promise<Response> {
	model = toolModel(({ results }) => (results.length === 0 ? { calls } : { text: `Results: ${results.join(" | ")}` }));
	upstream.replace(model.answer);
	return postRun(key, {
		goal: "Do what the tools can do and say what they have done, in one sentence",
		workspace_id: "w",
		brain_config: OPENAI_FORMAT,
		tools: [tool("read", { effects: "read" }), tool("send"), tool("drop"), { type: "ask_user" }],
	});
}

beforeEach(async () => {
	other = await newKey("pro", key.user_id);
	await putTools(key, "w", { allow: ["read", "ask_user"], ask: ["send"], deny: ["drop"] });
});
afterEach(() => {
	vi.useRealTimers();
});

/** Numbers from 0 to 1, the same for a seed (a linear congruential generator). */
function drawFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
		return state / 4_294_967_296;
	};
}

const numberOf = ({ arguments: args }: ShownPending) => Number((args as { n?: number })?.n ?? -1);

/** What is said to a pending: of three approvals one is edited and one rejected. */
function toResolution(pending: ShownPending): object {
	const { id, kind } = pending;
	const n = numberOf(pending);
	if (kind === "input") return { id, payload: "yes" };
	if (kind === "client_tool")
		return n % 5 === 0 ? { id, output: `no ${n}`, is_error: true } : { id, output: `did ${n}` };
	if (n % 3 === 0) return { id, decision: "reject", reason: `not ${n}` };
	return n % 3 === 1 ? { id, decision: "approve" } : { id, decision: "edit", arguments: { n: n + 100 } };
}

const TWENTY: Calls = Array.from({ length: 20 }, (_, n) => {
	if (n === 19) return { name: "ask_user", args: { question: "Shall I?" } };
	return { name: ["read", "send", "send", "drop"][n % 4] ?? "read", args: { n } };
});

describe("twenty calls of one turn", () => {
	it.each([1, 2, 3])("come to the same whatever the order of their answers (%i)", async (seed) => {
		const draw = drawFrom(seed);
		let run = await parseRun(begin(TWENTY));
		const seen = new Set<string>();
		while (run.status === "requires_action") {
			const open = (run.pending ?? []).toSorted(() => draw() - 0.5);
			for (const { id } of open) seen.add(id);
			const some = open.slice(0, 1 + Math.floor(draw() * open.length));
			const byApprover = some.filter(({ kind }) => kind === "approval");
			const bySide = some.filter(({ kind }) => kind !== "approval");
			// What one key may not say is taken by nobody's side: the whole request is refused.
			if (byApprover.length > 0 && bySide.length > 0)
				expect((await resolve(run, { resolutions: some.map(toResolution) }, key)).status).toBe(403);
			const requests = [
				...byApprover.map((pending) => [[pending], other] as const),
				...(bySide.length > 0 ? [[bySide, key] as const] : []),
			];
			// Each is sent twice at the same moment: the second changes nothing.
			const answers = await Promise.all(
				[...requests, ...requests].map(([pendings, by]) =>
					resolve(run, { resolutions: pendings.map(toResolution) }, by),
				),
			);
			expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
			run = await readRun(key, run.run_id);
		}
		expect(run).toMatchObject({
			status: "complete",
			tool_calls: { requested: 20, allowed: 6, denied: 4, approved: 7, rejected: 3, expired: 0 },
		});
		expect(model.asked).toHaveLength(2);
		// Each approved call waited twice, and no id was used again.
		expect(seen.size).toBe(6 + 10 + 7);
		for (const said of ["did 4", "no 0", "not 9", "did 102"]) expect(run.output).toContain(said);
		await expectAccounted(key, run);
	});
});

describe("an answer", () => {
	it("is taken a millisecond before its time is over, and not at that moment", async () => {
		const calls = [{ name: "read", args: { n: 1 } }];
		const [early, late] = [await parseRun(begin(calls)), await parseRun(begin(calls))];
		const at = (run: typeof early, ms: number) => {
			const { id, expires_at } = pendingOf(run, "client_tool");
			vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(expires_at) + ms });
			return resolve(run, { resolutions: [{ id, output: "did it" }] }, key);
		};
		const refused = await errorOf(at(late, 0));
		expect(refused).toMatchObject({ status: 409, body: { error: "action_conflict", state: "dispatched" } });
		const run = await parseRun(withAlarms(early, at(early, -1)));
		expect(run).toMatchObject({ status: "complete", output: "Results: did it" });
	});

	it("to the user's question that is no text is refused, and what says the same as what was put up is an edit", async () => {
		const waiting = await parseRun(
			begin([
				{ name: "ask_user", args: { question: "Shall I?" } },
				{ name: "send", args: { n: 1 } },
			]),
		);
		const [question, approval] = waiting.pending ?? [];
		for (const payload of [7, true, { text: "yes" }, ["yes"], ""]) {
			const refused = await errorOf(resolve(waiting, { resolutions: [{ id: question?.id, payload }] }, key));
			expect([payload, refused.status]).toEqual([payload, 422]);
		}
		const same = { id: approval?.id, decision: "edit", arguments: { n: 1 } };
		const edited = await parseRun(resolve(waiting, { resolutions: [same] }, other));
		const client = edited.pending?.find(({ kind }) => kind === "client_tool");
		expect(client).toMatchObject({ arguments: { n: 1 }, action_digest: approval?.action_digest });
		const approved = await errorOf(
			resolve(waiting, { resolutions: [{ id: approval?.id, decision: "approve" }] }, other),
		);
		const decided = { decision: "edit", key_id: other.key_id };
		expect(approved).toMatchObject({ status: 409, body: { error: "action_conflict", state: "dispatched", decided } });
	});
});
