// A run that acts, killed or refused at each of its operations outward: what was dispatched is dispatched once, what was decided is
// recorded once, and the money adds up. VITE_HURT_ALL=1 goes through every point; else every few of them.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectAccounted, postRun } from "../support/agents.ts";
import { type Fault, killObject, type Operation, useFaults, writes } from "../support/faults.ts";
import { readChain } from "../support/ledger.ts";
import { call, callWithKey, newKey, type TestKey, type Upstream, useSandbox, withKey } from "../support/service.ts";
import { isAgain, type RunPending, ToolClient } from "../support/tool-client.ts";
import { OPENAI_FORMAT, type ScriptedTurn, toolModel } from "../support/tool-model.ts";

const ALL_POINTS = import.meta.env["VITE_HURT_ALL"] === "1";
/** The suite meets one in so many operations, other ones in each way. */
const STRIDE = ALL_POINTS ? 1 : 31;
const WORKSPACE = "hurt";

let upstream: Upstream;
let faults: { restore(): void } | undefined;
/** Got before the faults. */
const getRun = env.AGENT_RUN.getByName.bind(env.AGENT_RUN);
const objectOf = (runId: string) => getRun(`run:${runId}`) as unknown as DurableObjectStub<undefined>;

beforeEach(() => {
	upstream = useSandbox();
});
afterEach(() => {
	faults?.restore();
	faults = undefined;
	vi.useRealTimers();
	upstream.restore();
});

function tool(name: string, more: Record<string, unknown> = {}) {
	const parameters = { type: "object", properties: { n: { type: "string" } }, required: ["n"] };
	return { type: "function", name, description: `Does ${name}.`, parameters, ...more };
}

const MANIFEST = { tools: { deny: ["forbidden"], ask: ["send_*"], allow: ["read_note", "slow"], unknown: "allow" } };

const BODY = {
	goal: "Read the notes called alpha and beta, send both, and say what you did, in one sentence",
	workspace_id: WORKSPACE,
	policy: "efficiency",
	idempotency_key: "hurt",
	plan: { approve: true },
	tools: [
		tool("read_note", { effects: "read" }),
		tool("send_mail"),
		tool("forbidden"),
		tool("slow", { effects: "read", timeout_s: 60 }),
		{ type: "compute" },
		{ type: "ask_user" },
	],
	brain_config: OPENAI_FORMAT,
};

const TURNS: ScriptedTurn[] = [
	{
		calls: [
			{ name: "read_note", args: { n: "alpha" } },
			{ name: "send_mail", args: { n: "one" } },
			{ name: "send_mail", args: { n: "two" } },
			{ name: "send_mail", args: { n: "three" } },
			{ name: "forbidden", args: { n: "four" } },
			{ name: "compute", args: { expression: "2 + 3" } },
			{ name: "ask_user", args: { question: "Shall I go on?" } },
		],
	},
	{
		calls: [
			{ name: "read_note", args: { n: "broken" } },
			{ name: "slow", args: { n: "late" } },
			{ name: "nothing", args: {} },
		],
	},
	{ text: "I have read the notes and sent what was approved." },
];

/** What the client does with a pending. */
function answer({ kind, tool: name, arguments: args }: RunPending): Record<string, unknown> | null {
	const { n = "" } = (args ?? {}) as { n?: string };
	if (kind === "plan") return { decision: "approve" };
	if (kind === "input") return { payload: "yes" };
	if (kind === "approval") {
		if (n === "two") return { decision: "edit", arguments: { n: "2" } };
		return { decision: n === "three" ? "reject" : "approve" };
	}
	if (name === "slow") return null;
	return n === "broken" ? { output: "no such note", is_error: true } : { output: `done ${n}` };
}

interface Journal {
	client: ToolClient;
	key: TestKey;
	runId: string;
	/** Bodies of turns, in order. */
	asked: string[];
	/** Operations that the plan was asked about. */
	operations: number;
	/** Requests of planning and of others. */
	requests: number;
}

type Decide = (operation: Operation, kill: () => void) => Fault;

/** Makes the whole run, with faults. */
async function makeRun(decide: Decide): Promise<Journal> {
	const beginner = await newKey("pro");
	const decider = await newKey("pro", beginner.user_id);
	await call(`/v1/workspace/${WORKSPACE}/manifest`, { ...withKey(beginner.key, MANIFEST), method: "PUT" });
	let runId = "";
	let operations = 0;
	const plan = (operation: Operation): Fault => {
		if (runId === "" || !isCounted(operation)) return "pass";
		operations++;
		return decide(operation, () => void killObject(objectOf(runId)));
	};
	const model = toolModel(({ messages }) => {
		const made = messages.filter(({ role, tool_calls }) => role === "assistant" && tool_calls).length;
		return TURNS[made] ?? { text: "I am done with it." };
	});
	upstream.restore();
	upstream = useSandbox(
		async (request) => model.answer(request),
		(operation) => {
			const fault = plan({ ...operation, method: "upstream" });
			return fault === "hangAfter" ? "fail" : fault;
		},
	);
	faults = useFaults({
		ACCOUNT_METER: plan,
		DB: plan,
		WORKSPACE_LEDGER: plan,
		AGENT_RUN: ({ method, args }) => {
			if (method === "start") runId = (args[0] as { runId: string }).runId;
			return "pass";
		},
	});
	const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
	const seals = vi.spyOn(crypto.subtle, "encrypt").mockImplementation(async (...parameters) => {
		const fault = plan({ method: "seal", target: "", args: [] });
		if (fault === "fail") throw new Error("the key is out of reach");
		return encrypt(...parameters);
	});
	const client = new ToolClient({ beginner, decider }, objectOf, answer);
	try {
		for (let tries = 0; tries < 5; tries++) {
			const response = await postRun(beginner, BODY);
			const text = await response.text();
			if (response.status === 200) break;
			if (!isAgain(response.status)) throw new Error(`${response.status} ${text}`);
		}
		await client.drive(runId, { message: { id: "m1", text: "Be brief, says the user." } });
	} finally {
		seals.mockRestore();
		faults.restore();
		faults = undefined;
	}
	return {
		...{ client, runId, operations, key: beginner },
		asked: model.asked.map(({ body }) => body),
		requests: upstream.requests.length,
	};
}

/** Operations of the run's own on what lies outside its object. What only the client's polling does is not counted. */
function isCounted({ method, target }: Operation): boolean {
	const meter = ["extend", "settle", "markOwner", "room", "keyStanding", "countStored", "seal", "upstream", "append"];
	if (meter.includes(method)) return true;
	return (writes({ method, target, args: [] }) && /agent_runs|audit_events/.test(target)) || /manifest/i.test(target);
}

async function eventsOf({ key, runId }: Journal): Promise<string[]> {
	const path = `/v1/audit/events?workspace_id=${WORKSPACE}&limit=100`;
	const { data } = await (await callWithKey(key.key, path)).json<{
		data: { id: string; event_type: string; payload: Record<string, unknown> }[];
	}>();
	expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
	return data
		.filter(({ payload }) => payload["run_id"] === runId)
		.map(({ event_type, payload }) => [event_type, payload["tool"], payload["decision"]].join(" "))
		.toSorted();
}

async function reviewsOf({ key, runId }: Journal): Promise<string[]> {
	const { data } = await readChain(key, "", WORKSPACE);
	return data
		.filter(({ from_tool }) => from_tool === runId)
		.map(({ action_kind, objective }) => `${action_kind} ${objective.replace(runId, "it")}`)
		.toSorted();
}

/** What must hold of a run, whatever it went through. @returns what is the same for all of them. */
async function expectWhole(journal: Journal) {
	const { client, key, runId } = journal;
	vi.useRealTimers();
	const run = await client.read(runId);
	expect(run).toMatchObject({ status: "complete", output: TURNS[2]?.text });
	await expectAccounted(key, run);
	for (const [action, ids] of client.dispatches) expect([action, ids.length]).toEqual([action, 1]);
	expect(client.refused.filter(({ status }) => !isAgain(status))).toEqual([]);
	expect(journal.asked.at(-1)?.split("Be brief, says the user.").length).toBe(2);
	return {
		dispatched: [...client.dispatches.keys()].toSorted(),
		shown: client.shown.size,
		events: await eventsOf(journal),
		reviews: await reviewsOf(journal),
		counts: run.tool_calls,
	};
}

/** What a run without faults comes to. */
let clean: Awaited<ReturnType<typeof expectWhole>> | undefined;

describe("a run that acts", () => {
	it("is whole without faults", async () => {
		const journal = await makeRun(() => "pass");
		clean = await expectWhole(journal);
		expect(clean.events.filter((event) => event.startsWith("tool_"))).toHaveLength(4);
		expect(clean.reviews).toHaveLength(4);
		expect(journal.asked).toHaveLength(3);
	});

	it.each([
		{ what: "killed before it is done", first: 1, times: 1, isKilled: true, fault: "fail" },
		{ what: "killed after it is done", first: 7, times: 1, isKilled: true, fault: "failAfter" },
		{ what: "refused", first: 13, times: 1, isKilled: false, fault: "fail" },
		{ what: "refused six times", first: 19, times: 6, isKilled: false, fault: "fail" },
		{ what: "done, and the answer lost", first: 25, times: 1, isKilled: false, fault: "failAfter" },
	] as const)(
		"acts once and is whole when each operation is $what",
		async ({ first, times, isKilled, fault }) => {
			clean ??= await expectWhole(await makeRun(() => "pass"));
			const faulty: unknown[] = [];
			for (let nth = ALL_POINTS ? 0 : first; ; nth += STRIDE) {
				let seen = 0;
				let at = "";
				const decide: Decide = (operation, kill) => {
					const place = seen++;
					if (place < nth || place >= nth + times) return "pass";
					at ||= `${nth} ${operation.method} ${operation.target.slice(0, 120)}`;
					if (isKilled) kill();
					return fault;
				};
				const check = async () => {
					const journal = await makeRun(decide);
					expect(await expectWhole(journal)).toEqual(clean);
					expect(journal.asked.length).toBeLessThanOrEqual(2 + 2 * times);
				};
				await check().catch((error) => {
					faulty.push([at, String(error?.message ?? error).slice(0, 1_500)]);
					if (ALL_POINTS) console.log("POINT", fault, times, at, String(error?.stack ?? error).slice(0, 2_500));
				});
				if (at === "") break;
			}
			expect(faulty).toEqual([]);
		},
		1_200_000,
	);
});
