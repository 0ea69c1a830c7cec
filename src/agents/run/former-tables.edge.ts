// Turns the tables of a run's object that had one for each kind of row into those of tables.edge.ts, rows included. Synchronous.
import type { AuditEventRow } from "../../audit/event.ts";
import { SEAL_BYTES } from "../../durable/text-seal.edge.ts";
import type { StepCharge } from "./charges.ts";
import { LongTexts } from "./long-texts.edge.ts";
import { writeNote } from "./notes.edge.ts";
import { packTexts } from "./packed-texts.ts";
import { storePart } from "./parts.edge.ts";
import type { RunStep, StepRecord } from "./run.ts";
import { PARTS_NAME } from "./step-texts.edge.ts";

interface FormerStepRow extends Record<string, SqlStorageValue> {
	n: number;
	record: string;
	subtask: string;
	has_result: number;
	output: string;
}

function moveSteps(sql: SqlStorage): void {
	const texts = new LongTexts(sql);
	const steps = sql
		.exec<FormerStepRow>("SELECT * FROM steps ORDER BY n")
		.toArray()
		.map(({ n, record, subtask, has_result, output }) => {
			const step: RunStep = {
				record: JSON.parse(record) as StepRecord,
				subtask: texts.get(`subtask:${n}`, subtask),
				hasResult: has_result === 1,
				output: texts.get(`output:${n}`, output),
			};
			for (const name of ["subtask", "output"]) texts.drop(`${name}:${n}`);
			return step;
		});
	const charges = sql
		.exec<{ is_open: number; charge: string }>("SELECT is_open, charge FROM charges ORDER BY n")
		.toArray();
	const ended = charges.filter(({ is_open }) => is_open === 0).map(({ charge }) => JSON.parse(charge) as StepCharge);
	texts.putApart("steps:0", JSON.stringify({ steps, charges: ended }));
	const open = charges.find(({ is_open }) => is_open === 1)?.charge ?? null;
	sql.exec("UPDATE run SET open_charge = ?", open && texts.put("open_charge", open));
}

function moveOutbox(sql: SqlStorage): void {
	const events = sql
		.exec<{ body: string }>("SELECT body FROM outgoing WHERE kind = 'event' AND flushed_at_ms IS NULL ORDER BY n")
		.toArray()
		.map(({ body }) => JSON.parse(body) as AuditEventRow);
	const { revision, flushed } = sql
		.exec<{ revision: number; flushed: number }>(
			`SELECT coalesce(max(n), 1) AS revision, coalesce(max(iif(flushed_at_ms IS NULL, 0, n)), 0) AS flushed
			FROM outgoing WHERE kind <> 'event'`,
		)
		.one();
	const text = new LongTexts(sql).put("events", JSON.stringify(events));
	sql.exec("UPDATE run SET revision = ?, flushed = ?, events = ?", revision, flushed, text);
}

function moveSealedTexts(sql: SqlStorage): void {
	const sealed = sql
		.exec<{ n: number; sealed: ArrayBuffer }>("SELECT n, sealed FROM step_texts ORDER BY n")
		.toArray()
		.map((row) => ({ index: row.n, sealed: new Uint8Array(row.sealed) }));
	for (const [part, packed] of packTexts(sealed).entries()) storePart(sql, PARTS_NAME, part, packed);
	const [kept] = sql.exec<{ at: number }>("SELECT expires_at_ms AS at FROM text_retention").toArray();
	const bytes = sealed.reduce((sum, one) => sum + one.sealed.length - SEAL_BYTES, 0);
	if (kept) sql.exec("UPDATE run SET texts_bytes = ?, texts_expire_at_ms = ?", bytes, kept.at);
}

function moveNotes(sql: SqlStorage): void {
	for (const { body_hash: bodyHash, run_id: runId } of sql.exec("SELECT body_hash, run_id FROM claim").toArray())
		writeNote(sql, "claim", JSON.stringify({ bodyHash, runId }));
	if (sql.exec("SELECT 1 FROM abandoned").toArray().length > 0) writeNote(sql, "abandoned", "1");
	for (const owner of sql.exec("SELECT user_id, owner, mark, is_marked FROM owner").toArray())
		writeNote(sql, "owner", JSON.stringify(owner));
}

/** @param runTable SQL that makes the table `run`. */
export function toFewerTables(sql: SqlStorage, runTable: string): void {
	sql.exec("ALTER TABLE run RENAME TO former_run");
	sql.exec(runTable);
	sql.exec(`INSERT INTO run (one, goal, spec, state, latest, parts, pending_settlement, end, revision, flushed, events)
		SELECT one, goal, spec, state, '{"steps":[],"charges":[]}', 1, pending_settlement, end, 1, 0, '[]' FROM former_run`);
	if (sql.exec("SELECT 1 FROM run").toArray().length > 0) {
		moveSteps(sql);
		moveOutbox(sql);
		moveSealedTexts(sql);
	}
	moveNotes(sql);
	const former = ["former_run", "steps", "charges", "outgoing", "step_texts", "text_retention"];
	for (const table of [...former, "claim", "abandoned", "owner"]) sql.exec(`DROP TABLE ${table}`);
}
