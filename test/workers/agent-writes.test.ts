// A run whose object dies at each of its own writes, before it is stored or after: no step is lost whose cost is booked, and nothing counts twice.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import { StoredRun } from "../../src/agents/run/stored-run.edge.ts";
import { expectAccounted, postRun, readRun } from "../support/agents.ts";
import { killObject, useFaults } from "../support/faults.ts";
import {
	callWithKey,
	eventually,
	newKey,
	type TestKey,
	type Upstream,
	usageOf,
	useSandbox,
} from "../support/service.ts";
import { OPENAI_FORMAT, toolModel } from "../support/tool-model.ts";
import { putTools } from "../support/waiting-runs.ts";

const WRITES = [
	"saveState",
	"saveOpenCharge",
	"endTurn",
	"endStep",
	"savePendingSettlement",
	"finish",
	"markFlushed",
] as const satisfies readonly (keyof StoredRun)[];

let upstream: Upstream;
let faults: { restore(): void } | undefined;
/** Got before the faults. */
const getRun = env.AGENT_RUN.getByName.bind(env.AGENT_RUN);

beforeEach(() => {
	upstream = useSandbox();
});
afterEach(() => {
	vi.restoreAllMocks();
	faults?.restore();
	faults = undefined;
	upstream.restore();
});

interface KilledRun {
	key: TestKey;
	run: RunResponse;
	/** The write at which it died; null where it had fewer. */
	write: string | null;
}

/** Makes a run whose object dies at its nth write. A dead instance writes nothing more. */
async function runWithKill(
	body: Record<string, unknown>,
	nth: number,
	when: "before" | "after",
	prepare: (key: TestKey) => Promise<void>,
): Promise<KilledRun> {
	const key = await newKey("pro");
	await prepare(key);
	let runId = "";
	let seen = 0;
	let write: string | null = null;
	const dead = new WeakSet<object>();
	for (const name of WRITES) {
		const original = StoredRun.prototype[name] as (this: StoredRun, ...args: unknown[]) => unknown;
		vi.spyOn(StoredRun.prototype, name as "saveState").mockImplementation(function (
			this: StoredRun,
			...args: unknown[]
		) {
			if (dead.has(this)) throw new Error("this instance is dead");
			if (seen++ !== nth) return void original.apply(this, args);
			write = name;
			if (when === "after") original.apply(this, args);
			dead.add(this);
			void killObject(getRun(`run:${runId}`) as unknown as DurableObjectStub<undefined>);
			throw new Error("the object dies");
		});
	}
	faults = useFaults({
		AGENT_RUN: ({ method, args }) => {
			if (method === "start") runId = (args[0] as { runId: string }).runId;
			return "pass";
		},
	});
	const response = await postRun(key, body);
	await response.text();
	vi.restoreAllMocks();
	faults.restore();
	faults = undefined;
	await eventually(async () => (await readRun(key, runId)).sealed);
	return { key, run: await readRun(key, runId), write };
}

const countRequests = async (key: TestKey) => {
	const { total_requests, by_model } = await usageOf(key);
	return { total_requests, calls: Object.values(by_model).reduce((sum, { requests }) => sum + requests, 0) };
};

/** Kills a run at each of its writes. @returns the names of those at which it died. */
async function expectWholeAtEach(
	body: Record<string, unknown>,
	when: "before" | "after",
	prepare: (key: TestKey) => Promise<void> = async () => undefined,
): Promise<Set<string>> {
	const died = new Set<string>();
	for (let nth = 0; ; nth++) {
		const { key, run, write } = await runWithKill(body, nth, when, prepare);
		const place = `write ${nth}, ${write}`;
		expect(run, place).toMatchObject({ status: "complete", sealed: true });
		// Its steps add up to what it has cost, which is what usage and the receipt say.
		await expectAccounted(key, run);
		const { total_requests, calls } = await countRequests(key);
		expect(total_requests, place).toBe(1);
		// A call that was under way may have been answered: it is charged, and made again.
		expect([upstream.requests.length, upstream.requests.length + 1], place).toContain(calls);
		upstream.restore();
		upstream = useSandbox();
		const events = await callWithKey(key.key, "/v1/audit/events?event_type=agent_record");
		expect((await events.json<{ data: unknown[] }>()).data, place).toHaveLength(1);
		if (write === null) return died;
		died.add(write);
	}
}

describe("a run whose object dies at each of its writes", () => {
	it.each(["before", "after"] as const)("%s it is stored keeps every step that was paid for", async (when) => {
		const died = await expectWholeAtEach({ policy: "efficiency", max_steps: 4 }, when);
		expect([...died].toSorted()).toEqual(expect.arrayContaining(["endStep", "finish", "saveOpenCharge"]));
	});

	it.each(["before", "after"] as const)("%s it is stored keeps every turn of a step with tools", async (when) => {
		const useModel = async (key: TestKey) => {
			await putTools(key, "w", { allow: ["compute"] });
			const model = toolModel(({ results }) =>
				results.length === 0
					? { calls: [{ name: "compute", args: { expression: "2 + 3" } }] }
					: { text: `It is ${results[0]}` },
			);
			upstream.restore();
			upstream = useSandbox(async (request) => model.answer(request));
		};
		const body = {
			goal: "Say how much two and three are, with the tool, in one sentence",
			workspace_id: "w",
			policy: "efficiency",
			tools: [{ type: "compute" }],
			brain_config: OPENAI_FORMAT,
		};
		const died = await expectWholeAtEach(body, when, useModel);
		expect([...died].toSorted()).toEqual(expect.arrayContaining(["endStep", "endTurn", "finish", "saveOpenCharge"]));
	});
});
