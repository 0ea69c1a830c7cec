// The mirror of runs in D1: a run's newest row, and how many rows are written for it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { type AgentRunRow, upsertRun } from "../../src/agents/run/runs.store.ts";
import { database } from "../../src/db/client.edge.ts";
import { countingDatabase, counts, resetCounts } from "../bench/counting/counts.ts";

const db = database(countingDatabase(env.DB));

let started: AgentRunRow;
beforeEach(() => {
	started = {
		id: `agt_${crypto.randomUUID()}`,
		user_id: "usr_mirror",
		created_at: "2026-11-01T00:00:00.000Z",
		revision: 1,
		status: "running",
		summary: '{"steps_taken":0}',
		run: null,
		stored_bytes: 0,
		api_key_id: "key_1",
	};
});

const change = (revision: number, changed: Partial<AgentRunRow> = {}): AgentRunRow => ({
	...started,
	revision,
	summary: `{"steps_taken":${revision - 1}}`,
	...changed,
});

async function storedRow(): Promise<AgentRunRow | null> {
	return env.DB.prepare("SELECT * FROM agent_runs WHERE id = ?").bind(started.id).first();
}

/** Stores a row. @returns the rows of tables and indexes that D1 wrote. */
async function rowsWritten(row: AgentRunRow): Promise<number> {
	resetCounts();
	await upsertRun(db, row);
	return counts.databaseRowsWritten;
}

describe("the mirror of a run", () => {
	it("writes the row while the run goes on, and the index of its status where that changes", async () => {
		// The row, its primary key, the indexes of the lists, by key and by status, and the one of the stored bytes.
		expect(await rowsWritten(started)).toBe(6);
		for (const revision of [2, 3, 4]) expect(await rowsWritten(change(revision))).toBe(1);
		const interrupted = change(5, { status: "interrupted" });
		expect(await rowsWritten(interrupted)).toBe(2);
		expect(await storedRow()).toEqual(interrupted);
		expect(await rowsWritten(change(6))).toBe(2);
		expect(await rowsWritten(change(7))).toBe(1);
		const ended = change(8, { status: "complete", run: '{"object":"agent.run"}' });
		expect(await rowsWritten(ended)).toBe(3);
		expect(await storedRow()).toEqual(ended);
	});

	it("is never replaced by an older row, nor twice by the same", async () => {
		const running = change(3);
		await upsertRun(db, running);
		for (const late of [change(2), running, change(2, { status: "interrupted" })]) {
			expect(await rowsWritten(late)).toBe(0);
			expect(await storedRow()).toEqual(running);
		}
		const ended = change(9, { status: "cancelled", run: "{}" });
		await upsertRun(db, ended);
		for (const late of [change(4), change(8, { status: "complete" }), ended]) {
			expect(await rowsWritten(late)).toBe(0);
			expect(await storedRow()).toEqual(ended);
		}
	});

	it("is the newest row when many arrive at once, in any order", async () => {
		const newest = change(40);
		const rows = [...Array.from({ length: 39 }, (_, n) => change(39 - n)), newest];
		await Promise.all(rows.map((row) => upsertRun(db, row)));
		expect(await storedRow()).toEqual(newest);
	});
});
