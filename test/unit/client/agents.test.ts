// The client's loop: functions that a run calls, people that it asks, connections that break, processes that start again.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import type { ToolsByName } from "../../../src/client/tool-calls.ts";
import { makePending, WaitingRun } from "../../support/waiting-run.ts";

const GOAL = { goal: "look", workspace_id: "shop" };

function clientOf(run: WaitingRun) {
	return createClient({ baseUrl: "https://svc.test", apiKey: "svc_sk_x", fetch: run.fetch });
}

/** Pauses between tries and looks pass at once; time limits never come. */
beforeEach(() => {
	vi.stubGlobal("setTimeout", (run: () => void, ms: number) => {
		if (ms < 60_000) setImmediate(run);
		return 0;
	});
});
afterEach(() => vi.unstubAllGlobals());

it("the calls of a round run side by side, each once, and are answered in one request", async () => {
	const service = new WaitingRun([[makePending("a"), makePending("b")], [makePending("c")]]);
	const calls: string[] = [];
	let open = 0;
	let most = 0;
	const look = async ({ id }: Record<string, unknown>, call: { id: string }) => {
		calls.push(call.id);
		most = Math.max(most, ++open);
		await new Promise(setImmediate);
		open--;
		return { seen: id };
	};
	const { run, advice } = await clientOf(service).agents.run({
		...GOAL,
		tools: { look: { description: "Looks.", effects: "read", run: look }, compute: true },
	});
	expect([run.status, advice]).toEqual(["complete", null]);
	expect(service.started).toMatchObject({
		tools: [{ type: "function", name: "look", description: "Looks.", effects: "read" }, { type: "compute" }],
		idempotency_key: expect.any(String),
	});
	expect([calls, most]).toEqual([["a", "b", "c"], 2]);
	expect(service.resolves).toEqual([
		[
			{ id: "a", output: { seen: "a" } },
			{ id: "b", output: { seen: "b" } },
		],
		[{ id: "c", output: { seen: "c" } }],
	]);
});

it("what a function throws, and what no JSON can say, is an error for the model", async () => {
	const service = new WaitingRun([
		[makePending("a"), makePending("b", { tool: "loop" }), makePending("c", { tool: "much" })],
	]);
	await clientOf(service).agents.run({
		...GOAL,
		tools: {
			look: () => {
				throw new Error("no such row");
			},
			loop: () => 1n,
			much: () => "x".repeat(1_048_577),
		},
	});
	expect(service.resolves[0]).toEqual([
		{ id: "a", output: "no such row", is_error: true },
		{ id: "b", output: expect.stringContaining("BigInt"), is_error: true },
		{ id: "c", output: expect.stringContaining("1048577 bytes"), is_error: true },
	]);
});

it("a function may say what its arguments are, and what is no tool is no type either", async () => {
	interface Note {
		id: string;
		text?: string;
	}
	const service = new WaitingRun([[makePending("a"), makePending("b", { tool: "send" })]]);
	const send = async ({ id }: Note): Promise<string> => id;
	await clientOf(service).agents.run({
		...GOAL,
		tools: { look: ({ id }: { id: string }) => id, send: { effects: "write", run: send } },
	});
	expect([...service.taken.values()]).toEqual([
		{ id: "a", output: "a" },
		{ id: "b", output: "b" },
	]);
	const tools: ToolsByName[] = [
		// @ts-expect-error: there is no such effect
		{ send: { effects: "reed", run: send } },
		// @ts-expect-error: a member is misspelt
		{ send: { efects: "read", run: send } },
		// @ts-expect-error: true stands for the service's own tools, and false for nothing
		{ send: false },
	];
	expect(tools).toHaveLength(3);
});

it("what JSON would lose is an error for the model, and half a character stops nothing", async () => {
	const returned: Record<string, unknown> = {
		map: { rows: new Map([["a", 1]]) },
		blob: new Blob(["seen"]),
		promise: [Promise.resolve("seen")],
		bytes: Buffer.from("seen"),
		function: () => "seen",
		error: new RangeError("too far"),
		date: { at: new Date(0) },
		half: "seen 😀".slice(0, 6),
		halves: { ["😀".slice(1)]: ["😀".slice(0, 1)] },
		nothing: undefined,
	};
	const service = new WaitingRun([Object.keys(returned).map((id) => makePending(id))]);
	await clientOf(service).agents.run({ ...GOAL, tools: { look: ({ id }) => returned[id] } });
	const lost = (id: string, kind: string) => ({
		id,
		output: expect.stringContaining(`a ${kind}, which JSON cannot hold`),
		is_error: true,
	});
	expect(service.resolves).toEqual([
		[
			lost("map", "Map"),
			lost("blob", "Blob"),
			lost("promise", "Promise"),
			lost("bytes", "Buffer"),
			lost("function", "function"),
			{ id: "error", output: "too far", is_error: true },
			{ id: "date", output: { at: "1970-01-01T00:00:00.000Z" } },
			{ id: "half", output: "seen \ufffd" },
			{ id: "halves", output: { "\ufffd": ["\ufffd"] } },
			{ id: "nothing", output: "" },
		],
	]);
});

it("what is thrown reaches the model in words, whatever it is", async () => {
	const thrown: Record<string, unknown> = {
		members: { status: 404, message: "no such row" },
		json: { status: 404 },
		empty: new RangeError(),
		text: "no row",
		half: new Error("😀".slice(1)),
		long: new Error("ä".repeat(1_048_577)),
	};
	const service = new WaitingRun([Object.keys(thrown).map((id) => makePending(id))]);
	const look = ({ id }: { id: string }) => {
		throw thrown[id];
	};
	await clientOf(service).agents.run({ ...GOAL, tools: { look } });
	const outputs = service.resolves[0]?.map((each) => ("output" in each ? String(each.output) : ""));
	expect(outputs?.slice(0, 5)).toEqual(["no such row", '{"status":404}', "RangeError", "no row", "\ufffd"]);
	expect(new TextEncoder().encode(outputs?.[5]).byteLength).toBeLessThan(1_048_576);
});

it("without onApproval the run is returned as it waits, with how it goes on, and results are not held back", async () => {
	const service = new WaitingRun([[makePending("a"), makePending("p", { kind: "approval", tool: "send" })]]);
	const { run, advice } = await clientOf(service).agents.run({ ...GOAL, tools: { look: () => "seen" } });
	expect(run.status).toBe("requires_action");
	expect(service.resolves).toEqual([[{ id: "a", output: "seen" }]]);
	expect(advice).toContain("approval of send (p, until");
	expect(advice).toContain('agents.resume("agt_1"');
});

it("decisions are approve, edit, reject or none", async () => {
	const kinds = ["w", "x", "y", "z"].map((id) => makePending(id, { kind: "approval" }));
	const service = new WaitingRun([kinds]);
	const { run } = await clientOf(service).agents.run({
		...GOAL,
		tools: { look: () => "" },
		onApproval: ({ id }) =>
			id === "w"
				? true
				: id === "x"
					? { decision: "edit", arguments: { to: "b" } }
					: id === "y"
						? { decision: "reject", reason: "not now" }
						: null,
	});
	expect(service.resolves).toEqual([
		[
			{ id: "w", decision: "approve" },
			{ id: "x", decision: "edit", arguments: { to: "b" } },
			{ id: "y", decision: "reject", reason: "not now" },
		],
	]);
	expect(run.pending?.map(({ id }) => id)).toEqual(["z"]);
});

it("questions go to onInput", async () => {
	const asked = makePending("q", { kind: "input", tool: "ask_user", arguments: { question: "Which one?" } });
	const service = new WaitingRun([[asked]]);
	await clientOf(service).agents.run({
		...GOAL,
		tools: { ask_user: true },
		onInput: (question) => `${question} That.`,
	});
	expect(service.resolves).toEqual([[{ id: "q", payload: "Which one? That." }]]);
});

it("a connection that breaks after the service took the answers costs no second call", async () => {
	const service = new WaitingRun([[makePending("a")], [makePending("b")]]);
	service.faults.push("lost_after", "lost_after");
	const look = vi.fn(() => "seen");
	const { run } = await clientOf(service).agents.run({ ...GOAL, tools: { look } });
	expect(run.status).toBe("complete");
	expect(look).toHaveBeenCalledTimes(2);
	expect(service.resolves[0]).toEqual(service.resolves[1]);
});

it("what another client has answered meanwhile is left, and the rest is sent", async () => {
	const service = new WaitingRun([[makePending("a"), makePending("b")], [makePending("c")]]);
	const { run } = await clientOf(service).agents.run({
		...GOAL,
		tools: {
			look: ({ id }) => {
				if (id === "b") service.settle("a");
				return "seen";
			},
		},
	});
	expect(run.status).toBe("complete");
	expect([...service.taken.keys()]).toEqual(["b", "c"]);
});

it("a conflict about answers that are all still open is an error, not a loop", async () => {
	const service = new WaitingRun([[makePending("a")]]);
	for (let tries = 0; tries < 20; tries++)
		service.faults.push({ status: 409, error: "action_conflict", message: "it has changed" });
	await expect(clientOf(service).agents.run({ ...GOAL, tools: { look: () => "" } })).rejects.toMatchObject({
		code: "action_conflict",
	});
	expect(service.resolves).toHaveLength(1);
});

it("a key that may not decide loses no result: the run waits, and the advice says why", async () => {
	const service = new WaitingRun([[makePending("a"), makePending("p", { kind: "approval" })]]);
	service.faults.push({
		status: 403,
		error: "approval_forbidden",
		message: "the key that began a run may not approve",
	});
	const { run, advice } = await clientOf(service).agents.run({
		...GOAL,
		tools: { look: () => "seen" },
		onApproval: () => true,
	});
	expect([...service.taken]).toEqual([["a", { id: "a", output: "seen" }]]);
	expect(run.status).toBe("requires_action");
	expect(advice).toContain("the key that began a run may not approve");
});

it("a decision that the service refuses is asked for again with its reason", async () => {
	const service = new WaitingRun([[makePending("p", { kind: "approval" })]]);
	service.faults.push({ status: 422, error: "invalid_request", message: "the policy denies it" });
	const refusals: (string | null)[] = [];
	const { run } = await clientOf(service).agents.run({
		...GOAL,
		tools: { look: () => "" },
		onApproval: (_, { refusal }) => {
			refusals.push(refusal);
			return refusal === null ? { decision: "edit", arguments: { to: "evil" } } : false;
		},
	});
	expect(refusals).toEqual([null, "the policy denies it"]);
	expect([run.status, [...service.taken.values()]]).toEqual(["complete", [{ id: "p", decision: "reject" }]]);
});

it("`wait` goes on when somebody has decided elsewhere", async () => {
	const service = new WaitingRun([[makePending("p", { kind: "approval" })], [makePending("a")]]);
	const fetch: typeof globalThis.fetch = async (input, init) => {
		if (init?.method === "GET") service.settle("p");
		return service.fetch(input, init);
	};
	const client = createClient({ baseUrl: "https://svc.test", apiKey: "svc_sk_x", fetch });
	const { run } = await client.agents.run({ ...GOAL, tools: { look: () => "seen" }, onApproval: "wait" });
	expect([run.status, service.resolves]).toEqual(["complete", [[{ id: "a", output: "seen" }]]]);
});

it("`wait` outlasts a service that starts again, and an error that ends it names the run", async () => {
	const service = new WaitingRun([[makePending("p", { kind: "approval" })]]);
	let reads = 0;
	let awayUntil = 10;
	const fetch: typeof globalThis.fetch = async (input, init) => {
		if (init?.method !== "GET") return service.fetch(input, init);
		if (++reads < awayUntil) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
		service.settle("p");
		return service.fetch(input, init);
	};
	const client = createClient({ baseUrl: "https://svc.test", apiKey: "svc_sk_x", fetch });
	const waitedFor: string[] = [];
	const onWaiting = ({ id }: { id: string }) => waitedFor.push(id);
	const { run } = await client.agents.run({ ...GOAL, onApproval: "wait", onWaiting });
	expect([run.status, waitedFor]).toEqual(["complete", ["p"]]);
	awayUntil = Number.POSITIVE_INFINITY;
	service.rounds = [[makePending("q", { kind: "approval" })]];
	service.status = "requires_action";
	await expect(client.agents.run({ ...GOAL, onApproval: "wait" })).rejects.toMatchObject({
		code: "connection_failed",
		details: { run_id: "agt_1" },
	});
});

it("a run that waits for nobody is looked at again: it is about to go on", async () => {
	const service = new WaitingRun([[]]);
	let reads = 0;
	const fetch: typeof globalThis.fetch = async (input, init) => {
		if (init?.method === "GET" && ++reads === 3) service.status = "complete";
		return service.fetch(input, init);
	};
	const client = createClient({ baseUrl: "https://svc.test", apiKey: "svc_sk_x", fetch });
	expect((await client.agents.resume("agt_1")).run.status).toBe("complete");
});

it("a process that starts again goes on with what is open", async () => {
	const service = new WaitingRun([[makePending("a")], [makePending("b")]]);
	const ids: string[] = [];
	const look = (_: unknown, { id }: { id: string }) => {
		ids.push(id);
		return "seen";
	};
	const { run } = await clientOf(service).agents.resume("agt_1", { tools: { look } });
	expect([run.status, ids]).toEqual(["complete", ["a", "b"]]);
});

it("a run that waits for a tool without a function here is returned", async () => {
	const service = new WaitingRun([[makePending("a", { tool: "other" })]]);
	const { advice } = await clientOf(service).agents.resume("agt_1", { tools: { look: () => "" } });
	expect(advice).toContain("client_tool of other (a");
	expect(advice).toContain('`tools` has no function for "other"');
	expect(advice).not.toContain("console");
});

it("its signal stops the functions and the loop, and nothing is sent after it", async () => {
	const service = new WaitingRun([[makePending("a")]]);
	const stop = new AbortController();
	let isStopped = false;
	const look = (_: unknown, { signal }: { signal: AbortSignal }) =>
		new Promise((resolve) => {
			signal.addEventListener("abort", () => {
				isStopped = true;
				resolve("late");
			});
			setImmediate(() => stop.abort(new Error("enough")));
		});
	await expect(clientOf(service).agents.run({ ...GOAL, tools: { look } }, { signal: stop.signal })).rejects.toThrow(
		"enough",
	);
	expect([isStopped, service.resolves]).toEqual([true, []]);
});

it("what a handler throws that is no tool's result ends the loop after the results are sent", async () => {
	const service = new WaitingRun([[makePending("a"), makePending("p", { kind: "approval" })]]);
	const failing = clientOf(service).agents.run({
		...GOAL,
		tools: { look: () => "seen" },
		onApproval: () => {
			throw new Error("no terminal");
		},
	});
	await expect(failing).rejects.toThrow("no terminal");
	expect([...service.taken.keys()]).toEqual(["a"]);
});

it("what is no tool is refused before a run begins, and what is no decision is told to who wrote it", async () => {
	const service = new WaitingRun([[makePending("p", { kind: "approval" })]]);
	// As a program without types passes them.
	const start = (options: object) => clientOf(service).agents.run({ ...GOAL, ...options } as never);
	await expect(start({ tools: [{ name: "look" }] })).rejects.toThrow("by the tool's name");
	await expect(start({ tools: { look: { description: "Looks." } } })).rejects.toThrow("tools.look is no function");
	await expect(start({ onAproval: () => true })).rejects.toThrow("no handler onAproval: they are onApproval");
	expect(service.started).toBeNull();
	await expect(start({ onApproval: () => "yes" })).rejects.toThrow("returned no decision: true, false, null");
	expect(service.taken.size).toBe(0);
});

it("results that are ready are sent before they expire, though a person still thinks", async () => {
	const soon = new Date(Date.now() + 20_000).toISOString();
	const service = new WaitingRun([[makePending("a", { expires_at: soon }), makePending("p", { kind: "approval" })]]);
	let decide: (decision: boolean) => void = () => undefined;
	const decided = new Promise<boolean>((resolve) => {
		decide = resolve;
	});
	const fetch: typeof globalThis.fetch = async (input, init) => {
		const answer = await service.fetch(input, init);
		if (service.taken.has("a")) decide(true);
		return answer;
	};
	const client = createClient({ baseUrl: "https://svc.test", apiKey: "svc_sk_x", fetch });
	const { run } = await client.agents.run({ ...GOAL, tools: { look: () => "seen" }, onApproval: () => decided });
	expect([run.status, service.resolves.map((each) => each.length)]).toEqual(["complete", [1, 1]]);
});
