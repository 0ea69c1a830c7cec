// A run as its object stores it: what each change costs in rows, what a change that fails leaves, and runs of the former tables.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { findClaim, isAbandoned } from "../../src/agents/run/claims.edge.ts";
import type { RunEnd } from "../../src/agents/run/run-end.ts";
import { RunMarks } from "../../src/agents/run/run-marks.edge.ts";
import { StepTexts } from "../../src/agents/run/step-texts.edge.ts";
import { type OpenStepCharge, StoredRun } from "../../src/agents/run/stored-run.edge.ts";
import { AGENT_RUN_TABLES } from "../../src/agents/run/tables.edge.ts";
import type { AuditEventRow } from "../../src/audit/event.ts";
import { FIRST_VERSION, migrate, schemaAt } from "../../src/durable/migrations.edge.ts";
import { readObjectRows } from "../../src/durable/object-rows.edge.ts";
import { finishParts, takePart } from "../../src/durable/restored-rows.edge.ts";
import { tableNames } from "../../src/durable/table-rows.edge.ts";
import { userSeal } from "../../src/meter/user-seal.edge.ts";
import { countingSql, counts, resetCounts } from "../bench/counting/counts.ts";
import { runAgent } from "../support/agents.ts";
import { alarmAtMs } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { runSpec, runWith, usageCall } from "../support/run-spec.ts";

/** Runs with the storage of an object that has no tables. */
function withStorage<T>(run: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> {
	const unwritten = env.AGENT_RUN.getByName(crypto.randomUUID()) as unknown as DurableObjectStub<undefined>;
	return runInDurableObject(unwritten, (_, { storage }) => run(storage));
}

/** The same storage, whose rows are counted. */
function countingStorage(storage: DurableObjectStorage): DurableObjectStorage {
	const sql = countingSql(storage.sql);
	return new Proxy(storage, {
		get(target, name) {
			if (name === "sql") return sql;
			const member: unknown = Reflect.get(target, name, target);
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
}

/** Rows that a change writes. */
async function rowsOf(change: () => void): Promise<number> {
	// What was written before is counted in the next microtask.
	await Promise.resolve();
	resetCounts();
	change();
	await Promise.resolve();
	return counts.objectRowsWritten;
}

function anEvent(id: string): AuditEventRow {
	return {
		id,
		user_id: "usr_1",
		workspace_id: null,
		event_type: "agent_plan",
		actor: "key:key_1",
		decision: null,
		risk_score: null,
		risk_tier: null,
		payload: "{}",
		created_at: "2026-01-01T00:00:00.000Z",
	};
}

const END: RunEnd = {
	status: "complete",
	output: "all",
	finalMessage: null,
	costNanoUsd: 20,
	trajectoryProof: "proof",
};

function openCharge(): OpenStepCharge {
	const step = {
		role: "subtask",
		intensity: "Halo",
		strategy: "single",
		input_hash: "sha256:0",
		subtask: "next",
	} as const;
	return { step, calls: [usageCall(7)], estimated: true, billedNanoUsd: 7, expiresAtMs: 1, readers: ["a"] };
}

/** What two copies of a run have in common. */
function toPlain({ spec, state, steps, charges, openCharge: open, pendingSettlement, end, outgoing }: StoredRun) {
	return { spec, state, steps, charges, open, pendingSettlement, end, outgoing };
}

/** A stored run after some steps. */
function storedRun(storage: DurableObjectStorage, outputs: readonly string[]): StoredRun {
	const { state, steps, charges } = runWith(outputs);
	const run = StoredRun.create(storage, runSpec(), runWith([]).state);
	for (const [n, step] of steps.entries()) {
		const charge = charges[n];
		if (charge) run.endStep(charge, step, state);
	}
	return run;
}

describe("a change of a stored run", () => {
	it("is one written row, with all that belongs to it", async () => {
		await withStorage(async (storage) => {
			const counting = countingStorage(storage);
			expect(await rowsOf(() => migrate(counting, AGENT_RUN_TABLES))).toBe(5);
			const { state, steps, charges } = runWith(["one", "two"]);
			const [[step], [charge = { calls: [], estimated: false }]] = [steps, charges];
			let run = null as StoredRun | null;
			expect(await rowsOf(() => (run = StoredRun.create(counting, runSpec(), state)))).toBe(1);
			const stored = run as unknown as StoredRun;
			expect(await rowsOf(() => stored.saveOpenCharge(openCharge()))).toBe(1);
			const addAll = () => {
				stored.addEvent(anEvent("ae_1"));
				stored.addEvent(anEvent("ae_2"));
				stored.addRevision();
			};
			expect(await rowsOf(() => stored.endStep(charge, step ?? null, state, addAll))).toBe(1);
			expect(await rowsOf(() => stored.saveState({ ...state, isCancelled: true }, addAll))).toBe(1);
			// What has arrived is stored with the next change.
			expect(await rowsOf(() => stored.markFlushed(2, new Set(["ae_1"])))).toBe(0);
			const ended = { spec: stored.spec, state, steps, charges, end: END };
			expect(await rowsOf(() => stored.finish(ended, null, () => stored.addRevision()))).toBe(1);
			expect(await rowsOf(() => stored.markFlushed(4, new Set(["ae_2"])))).toBe(1);
			expect(tableNames(storage.sql)).toEqual(["run"]);
			const loaded = StoredRun.load(storage);
			expect(loaded && toPlain(loaded)).toEqual(toPlain(stored));
			expect(stored.outgoing).toMatchObject({ revision: 4, flushed: 4 });
		});
	});

	it("that fails leaves the run and its outbox as they were", async () => {
		await withStorage((storage) => {
			migrate(storage, AGENT_RUN_TABLES);
			const run = storedRun(storage, ["one"]);
			const before = structuredClone(toPlain(run));
			const fail = () => {
				run.addEvent(anEvent("ae_1"));
				run.addRevision();
				throw new Error("refused");
			};
			const [charge = { calls: [], estimated: false }] = run.charges;
			const ended = { spec: run.spec, state: run.state, steps: run.steps, charges: run.charges, end: END };
			for (const change of [
				() => run.saveState({ ...run.state, isCancelled: true }, fail),
				() => run.endStep(charge, null, run.state, fail),
				() => run.finish(ended, null, fail),
			])
				expect(change).toThrow("refused");
			expect(toPlain(run)).toEqual(before);
			const loaded = StoredRun.load(storage);
			expect(loaded && toPlain(loaded)).toEqual(before);
			expect(() => run.addRevision()).toThrow("transaction");
			expect(() => run.addEvent(anEvent("ae_2"))).toThrow("transaction");
		});
	});

	it("keeps steps of any length, which are written once and not again before the end", async () => {
		await withStorage(async (storage) => {
			const counting = countingStorage(storage);
			migrate(counting, AGENT_RUN_TABLES);
			const run = storedRun(counting, ["é".repeat(250_000), "short", "x".repeat(70_000), "y".repeat(70_000)]);
			const { state, charges } = run;
			const [charge = { calls: [], estimated: false }] = charges;
			expect(await rowsOf(() => run.saveState(state))).toBe(1);
			expect(await rowsOf(() => run.endStep(charge, null, state))).toBe(1);
			const loaded = StoredRun.load(storage);
			expect(loaded && toPlain(loaded)).toEqual(toPlain(run));
			run.finish({ spec: run.spec, state, steps: run.steps, charges: run.charges, end: END }, null);
			expect(storage.sql.exec("SELECT * FROM parts").toArray()).toEqual([]);
			const ended = StoredRun.load(storage);
			expect(ended && toPlain(ended)).toEqual(toPlain(run));
		});
	});
});

describe("a run that waits for a person", () => {
	const { key } = useService("pro");

	it("sets its alarm for what is due next, and no sooner again and again", async () => {
		const body = { workspace_id: "w", plan: { approve: true }, policy: "efficiency" };
		const { run_id, status } = await runAgent(key, body);
		expect(status).toBe("requires_action");
		const stub = env.AGENT_RUN.getByName(`run:${run_id}`) as unknown as DurableObjectStub<undefined>;
		// The one that was set before it came to wait.
		await runDurableObjectAlarm(stub);
		for (const _ of "ab") {
			expect(((await alarmAtMs(stub)) ?? 0) - Date.now()).toBeGreaterThan(600_000);
			await evictDurableObject(stub);
			await runDurableObjectAlarm(stub);
		}
	});
});

describe("a run of the former tables", () => {
	const spec = runSpec({ goal: "g".repeat(150_000), webhook: "https://a.example/b" });
	const { goal, ...rest } = spec;

	/** The rows of its steps and charges. */
	function putSteps(sql: SqlStorage, isEnded: boolean): void {
		const { steps, charges } = runWith(["one", "two"]);
		const [first, second] = steps.map(({ record }) => JSON.stringify(record));
		const [one, two] = isEnded ? ["", ""] : ["one", ""];
		sql.exec("INSERT INTO steps VALUES (0, ?, 'subtask 0', 1, ?), (1, ?, 'subtask 1', 1, ?)", first, one, second, two);
		for (const [n, charge] of charges.entries())
			sql.exec("INSERT INTO charges VALUES (?, 0, ?)", n, JSON.stringify(charge));
		if (isEnded) return;
		sql.exec("INSERT INTO parts VALUES ('output:1', 0, 'two')");
		sql.exec("INSERT INTO charges VALUES (2, 1, ?)", JSON.stringify(openCharge()));
	}

	/** The tables as they were, with a run in them. */
	async function makeFormer(storage: DurableObjectStorage, isEnded: boolean): Promise<void> {
		const { sql } = storage;
		migrate(storage, schemaAt(AGENT_RUN_TABLES, FIRST_VERSION));
		const { state } = runWith(["one", "two"]);
		const end = isEnded ? JSON.stringify(END) : null;
		sql.exec("INSERT INTO run VALUES (1, '', ?, ?, NULL, ?)", JSON.stringify(rest), JSON.stringify(state), end);
		for (const [part, text] of [goal.slice(0, 100_000), goal.slice(100_000)].entries())
			sql.exec("INSERT INTO parts VALUES ('goal', ?, ?)", part, text);
		putSteps(sql, isEnded);
		const row = (id: string, kind: string, body: string, at: number | null) =>
			sql.exec("INSERT INTO outgoing (id, kind, body, flushed_at_ms) VALUES (?, ?, ?, ?)", id, kind, body, at);
		row("start:1", "start", "", 1);
		row("ae_1", "event", "", 1);
		row("ae_2", "event", JSON.stringify(anEvent("ae_2")), null);
		row("step:1", "step", "{}", null);
		sql.exec("INSERT INTO owner VALUES (1, 'usr_1', 'run:agt_1', 3, 1)");
		sql.exec("INSERT INTO claim VALUES (1, 'hash', 'agt_1')");
		sql.exec("INSERT INTO abandoned VALUES (1)");
		sql.exec("INSERT INTO webhooks VALUES ('msg_1', 'https://a.example/b', '{}', 1, 5)");
		if (!isEnded) return;
		const seal = await userSeal(env, spec.userId);
		for (const [n, text] of ["one", "two"].entries())
			sql.exec("INSERT INTO step_texts VALUES (?, ?)", n, (await seal.seal(`${spec.runId}/${n}`, text)).buffer);
		sql.exec("INSERT INTO text_retention VALUES (1, ?)", Date.now() + 60_000);
	}

	it.each([false, true])("is what it was (ended: %s)", async (isEnded) => {
		await withStorage(async (storage) => {
			await makeFormer(storage, isEnded);
			migrate(storage, AGENT_RUN_TABLES);
			const run = StoredRun.load(storage);
			const { state, steps, charges } = runWith(["one", "two"]);
			expect(run).toMatchObject({
				spec,
				state,
				charges,
				steps: isEnded ? steps.map((step) => ({ ...step, output: "" })) : steps,
				openCharge: isEnded ? null : openCharge(),
				end: isEnded ? END : null,
				outgoing: { revision: 4, flushed: 1, events: [anEvent("ae_2")] },
			});
			const { sql } = storage;
			expect(findClaim(sql, "hash")).toEqual({ runId: "agt_1", isSameBody: true });
			expect(isAbandoned(sql)).toBe(true);
			expect(new RunMarks(sql, () => null).read()).toMatchObject({ mark: 3, is_marked: 1, owner: "run:agt_1" });
			expect(tableNames(sql)).toEqual(["parts", "run", "webhooks"]);
			const texts = new StepTexts(sql, env);
			expect(await texts.read(spec, 1)).toBe(isEnded ? "two" : null);
			expect(texts.kept?.bytes ?? null).toBe(isEnded ? 6 : null);
		});
	});
});

describe("a run with tables of its own", () => {
	it("is restored with them", async () => {
		const page = await withStorage((storage) => {
			migrate(storage, AGENT_RUN_TABLES);
			const tools = runSpec({ tools: { tools: [] } as never });
			StoredRun.create(storage, tools, runWith([]).state);
			storage.sql.exec("INSERT INTO turns VALUES (0, 1, x'01')");
			return readObjectRows(storage, { schema: AGENT_RUN_TABLES }, null);
		});
		await withStorage((storage) => {
			const part = { backupId: "bak_1", part: 0, version: page.version, rows: page.rows };
			expect(takePart(storage, AGENT_RUN_TABLES, part)).toBe("taken");
			expect(finishParts(storage, { backupId: "bak_1", parts: 1 }, () => undefined)).toBe(true);
			expect(StoredRun.load(storage)?.toolCalls.calls).toEqual([]);
			expect(storage.sql.exec("SELECT step, turn FROM turns").toArray()).toEqual([{ step: 0, turn: 1 }]);
			expect(tableNames(storage.sql)).toEqual(["run", "tool_calls", "turns"]);
		});
	});
});
