// What the tables of a backup leave out: rows that the objects, which were read before, do not know.
import { describe, expect, it } from "vitest";
import type { ObjectRecord } from "../../../src/backup/backup.ts";
import { BackupCut } from "../../../src/backup/backup-cut.ts";

const TAKEN = Date.UTC(2026, 10, 23, 12);
const at = (seconds: number) => new Date(TAKEN + 1_000 * seconds).toISOString();

const toRows = (...tables: unknown[]) => JSON.stringify({ tables, removed: [] });

function record(kind: ObjectRecord["class"], name: string, more: Partial<ObjectRecord> = {}): ObjectRecord {
	return { class: kind, name, part: 0, version: 1, taken_at_ms: TAKEN, rows: toRows(), ...more };
}

const head = (size: number) =>
	toRows({ table: "head", columns: ["one", "head"], rows: [[1, JSON.stringify({ size })]] });

describe("the cut of a backup", () => {
	it("hands what was stranded to the restored meter once more", () => {
		const cut = new BackupCut();
		cut.learn(record("AccountMeter", "usr_a"));
		const stranded = { request_id: "svc-1", user_id: "usr_a", taken_at: at(1) };
		expect(cut.cut("stranded_settlements", stranded)).toEqual({ ...stranded, taken_at: null });
		expect(cut.cut("stranded_settlements", { ...stranded, user_id: "usr_b" })).toBeNull();
	});

	it("keeps the entries that a ledger counts", () => {
		const cut = new BackupCut();
		cut.learn(record("AccountMeter", "usr_a"));
		cut.learn(record("WorkspaceLedger", "usr_a/shop", { rows: head(2) }));
		cut.learn(record("WorkspaceLedger", "usr_a/events-only"));
		cut.learn(record("WorkspaceLedger", "usr_a/long", { rows: head(1) }));
		cut.learn(record("WorkspaceLedger", "usr_a/long", { part: 1 }));
		// The head changed while the rows were read.
		cut.learn(record("WorkspaceLedger", "usr_a/long", { part: 2, rows: head(3) }));
		const entry = (seq: number, workspace_id = "shop") => cut.cut("handoffs", { user_id: "usr_a", workspace_id, seq });
		expect([entry(0), entry(1), entry(2, "long")]).not.toContain(null);
		expect([entry(2), entry(0, "events-only"), entry(0, "later")]).toEqual([null, null, null]);
	});

	it("shows a run that may go on as its object knew it", () => {
		const cut = new BackupCut();
		cut.learn(record("AccountMeter", "usr_a"));
		const mirror = { id: "agt_1", user_id: "usr_a", status: "running", revision: 2 };
		cut.learn(record("AgentRun", "run:agt_1", { mirror }));
		cut.learn(record("AgentRun", "run:agt_2"));
		const row = (id: string) => cut.cut("agent_runs", { id, user_id: "usr_a", status: "complete", revision: 5 });
		expect(row("agt_1")).toEqual(mirror);
		expect(row("agt_2")).toMatchObject({ status: "complete" });
		// It ended while its rows were read.
		cut.learn(record("AgentRun", "run:agt_1", { part: 1 }));
		expect(row("agt_1")).toMatchObject({ status: "complete" });
	});

	it("leaves out users who came later, with all that is theirs", () => {
		const cut = new BackupCut();
		cut.learn(record("AccountMeter", "usr_a"));
		expect(cut.cut("users", { id: "usr_a" })).not.toBeNull();
		expect(cut.cut("users", { id: "usr_b" })).toBeNull();
		expect(cut.cut("api_keys", { id: "key_1", user_id: "usr_b" })).toBeNull();
		expect(cut.cut("audit_events", { id: "ae_1", user_id: "usr_a" })).not.toBeNull();
	});
});
