// What the tables of a backup leave out: rows that the objects, which were read before, do not know.
import { describe, expect, it } from "vitest";
import type { ObjectRecord } from "../../../src/backup/backup.ts";
import { BackupCut } from "../../../src/backup/backup-cut.ts";

const TAKEN = Date.UTC(2026, 10, 23, 12);
const at = (seconds: number) => new Date(TAKEN + 1_000 * seconds).toISOString();

function record(kind: ObjectRecord["class"], name: string, more: Partial<ObjectRecord> = {}): ObjectRecord {
	return { class: kind, name, first: true, version: 1, taken_at_ms: TAKEN, tables: [], ...more };
}

const slots = (...rows: [string, number | null][]) => [
	{ table: "slots", rows: rows.map(([request_id, closed_at_ms]) => ({ request_id, closed_at_ms })) },
];
const head = (size: number) => [{ table: "head", rows: [{ one: 1, head: JSON.stringify({ size }) }] }];

describe("the cut of a backup", () => {
	it("keeps the settlements that a meter counts, and those of requests that were under way", () => {
		const cut = new BackupCut();
		cut.learn(record("AccountMeter", "usr_a", { tables: slots(["open", null], ["closed", 1]) }));
		const settled = (id: string, settled_at: string, user_id = "usr_a") =>
			cut.cut("settlements", { request_id: id, user_id, settled_at });
		expect(settled("before", at(-1))).not.toBeNull();
		expect(settled("in that moment", at(0))).not.toBeNull();
		expect(settled("later", at(1))).toBeNull();
		expect(settled("closed", at(1))).toBeNull();
		expect(settled("open", at(1))).not.toBeNull();
		expect(settled("of a later user", at(-1), "usr_b")).toBeNull();
	});

	it("learns a meter of several pages, and anew when it begins anew", () => {
		const cut = new BackupCut();
		cut.learn(record("AccountMeter", "usr_a", { tables: slots(["one", null]) }));
		cut.learn(record("AccountMeter", "usr_a", { first: false, tables: slots(["two", null]) }));
		const later = (id: string) => cut.cut("settlements", { request_id: id, user_id: "usr_a", settled_at: at(9) });
		expect([later("one"), later("two")]).not.toContain(null);
		cut.learn(record("AccountMeter", "usr_a", { tables: slots(["two", null]), taken_at_ms: TAKEN + 5_000 }));
		expect(later("one")).toBeNull();
		expect(later("two")).not.toBeNull();
		expect(cut.cut("settlements", { request_id: "x", user_id: "usr_a", settled_at: at(4) })).not.toBeNull();
	});

	it("keeps the entries that a ledger counts", () => {
		const cut = new BackupCut();
		cut.learn(record("AccountMeter", "usr_a"));
		cut.learn(record("WorkspaceLedger", "usr_a/shop", { tables: head(2) }));
		cut.learn(record("WorkspaceLedger", "usr_a/events-only"));
		const entry = (seq: number, workspace_id = "shop") => cut.cut("handoffs", { user_id: "usr_a", workspace_id, seq });
		expect([entry(0), entry(1)]).not.toContain(null);
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
		cut.learn(record("AgentRun", "run:agt_1"));
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
