// The rows of objects in pages, put aside and put back; and a backup of a large object that changes while it is read.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { AGENT_RUN_TABLES } from "../../src/agents/run/tables.ts";
import type { ObjectRecord } from "../../src/backup/backup.ts";
import { FIRST_VERSION, migrate, SchemaError, type TableSchema } from "../../src/durable/migrations.edge.ts";
import { applyRows, type ObjectPage, readObjectRows, stageRows } from "../../src/durable/object-rows.edge.ts";
import { call, newKey, operator } from "../support/service.ts";

/** Runs with the storage of an object that has no tables. */
function withStorage<T>(run: (storage: DurableObjectStorage) => T): Promise<T> {
	const unwritten = env.WORKSPACE_LEDGER.getByName(crypto.randomUUID());
	return runInDurableObject(unwritten, (_, { storage }) => run(storage));
}

const NOTEBOOK: TableSchema = {
	name: "notebook",
	steps: [
		(sql) =>
			sql.exec(`CREATE TABLE pages (book TEXT, n INTEGER, text TEXT, seal BLOB, PRIMARY KEY (book, n)) WITHOUT ROWID;
				CREATE TABLE marks (text TEXT)`),
		(sql) => sql.exec("ALTER TABLE pages ADD COLUMN author TEXT DEFAULT 'nobody'"),
	],
};

/** Texts that are easily lost: pairs of surrogates at every place of a cut, and characters that end lines elsewhere. */
const LONG = `x${"👩‍💻\u2028".repeat(120_000)}`;

function fill(storage: DurableObjectStorage): void {
	migrate(storage, NOTEBOOK);
	for (let n = 0; n < 450; n++) {
		const seal = crypto.getRandomValues(new Uint8Array(n % 7));
		const text = n % 150 === 0 ? LONG : `page ${n}`;
		storage.sql.exec(
			"INSERT INTO pages (book, n, text, seal) VALUES (?, ?, ?, ?)",
			`book ${n % 3}`,
			n,
			text,
			seal.buffer,
		);
	}
	for (const mark of ["a", "b", null]) storage.sql.exec("INSERT INTO marks VALUES (?)", mark);
}

function allPages(storage: DurableObjectStorage, plan = { schema: NOTEBOOK, conditions: {} }) {
	const pages: Omit<ObjectPage, "takenAtMs">[] = [];
	let after: string | null = null;
	do {
		const page = readObjectRows(storage, plan, after);
		pages.push(page);
		after = page.next;
	} while (after !== null);
	return pages;
}

const dump = ({ sql }: DurableObjectStorage) => ({
	pages: sql.exec("SELECT * FROM pages ORDER BY book, n").toArray(),
	marks: sql.exec("SELECT * FROM marks ORDER BY rowid").toArray(),
});

describe("the rows of an object", () => {
	it("come in pages of one moment each, and are put back as they were", async () => {
		const [pages, before] = await withStorage((storage) => {
			fill(storage);
			return [allPages(storage), dump(storage)] as const;
		});
		expect(pages.length).toBeGreaterThan(1);
		expect(new Set(pages.map(({ state }) => state)).size).toBe(1);
		await withStorage((storage) => {
			// Sent twice, as after a lost answer.
			for (const [part, { version, tables }] of pages.entries())
				for (const _ of "ab") expect(stageRows(storage, { backupId: "bak_1", part, version, tables })).toBe("staged");
			expect(applyRows(storage, NOTEBOOK, "bak_1", () => undefined)).toBe(true);
			expect(dump(storage)).toEqual(before);
			expect(applyRows(storage, NOTEBOOK, "bak_1", () => undefined)).toBe(true);
			expect(stageRows(storage, { backupId: "bak_1", part: 0, version: FIRST_VERSION + 1, tables: [] })).toBe(
				"restored",
			);
			expect(stageRows(storage, { backupId: "bak_2", part: 0, version: FIRST_VERSION + 1, tables: [] })).toBe(
				"occupied",
			);
			// What the restore itself keeps is in no later backup.
			expect(allPages(storage).flatMap(({ tables }) => tables.map(({ table }) => table))).not.toContain(
				"restored_from",
			);
		});
	});

	it("leave out what does not meet a table's condition", async () => {
		await withStorage((storage) => {
			fill(storage);
			const plan = { schema: NOTEBOOK, conditions: { marks: "text = 'b'", pages: "0" } };
			expect(allPages(storage, plan).flatMap(({ tables }) => tables)).toEqual([
				{ table: "marks", rows: [{ text: "b" }] },
			]);
		});
	});

	it("of an earlier version are put back in its tables, which are then migrated", async () => {
		await withStorage((storage) => {
			const rows = [{ book: "a", n: 1, text: "one", seal: null }];
			stageRows(storage, { backupId: "bak_1", part: 0, version: FIRST_VERSION, tables: [{ table: "pages", rows }] });
			applyRows(storage, NOTEBOOK, "bak_1", () => undefined);
			migrate(storage, NOTEBOOK);
			expect(dump(storage).pages).toEqual([{ ...rows[0], author: "nobody" }]);
		});
	});

	it("of a later version are refused, and stay aside", async () => {
		await withStorage((storage) => {
			stageRows(storage, {
				backupId: "bak_1",
				part: 0,
				version: FIRST_VERSION + 2,
				tables: [{ table: "marks", rows: [{ text: "a" }] }],
			});
			expect(() => applyRows(storage, NOTEBOOK, "bak_1", () => undefined)).toThrow(SchemaError);
			expect(stageRows(storage, { backupId: "bak_1", part: 1, version: FIRST_VERSION + 2, tables: [] })).toBe("staged");
		});
	});

	it("are not taken by an object that has rows of its own", async () => {
		await withStorage((storage) => {
			fill(storage);
			expect(stageRows(storage, { backupId: "bak_1", part: 0, version: FIRST_VERSION + 1, tables: [] })).toBe(
				"occupied",
			);
			expect(applyRows(storage, NOTEBOOK, "bak_1", () => undefined)).toBe(false);
		});
	});
});

interface ObjectList {
	data: ObjectRecord[];
	next: string | null;
}

async function objectsBehind(after: string): Promise<ObjectList> {
	const response = await operator("GET", `/internal/backup/objects?${new URLSearchParams({ after })}`);
	expect(response.status).toBe(200);
	return response.json<ObjectList>();
}

describe("a backup", () => {
	it("begins an object anew that changes between two of its pages", async () => {
		const { user_id: userId } = await newKey("pro");
		const id = `agt_${"0".repeat(26)}`;
		const stub = env.AGENT_RUN.getByName(`run:${id}`);
		const addPart = (name: string, part: number) =>
			runInDurableObject(stub, (_, { storage }) => {
				migrate(storage, AGENT_RUN_TABLES);
				storage.sql.exec("INSERT INTO parts VALUES (?, ?, ?)", name, part, "x".repeat(100_000));
			});
		for (let part = 0; part < 45; part++) await addPart("output:0", part);
		await env.DB.prepare("INSERT INTO agent_runs VALUES (?, ?, ?, 1, 'complete', '{}', NULL, NULL, NULL)")
			.bind(id, userId, new Date().toISOString())
			.run();
		const seen: ObjectRecord[] = [];
		let hasChanged = false;
		let after: string | null = "";
		while (after !== null) {
			const page: ObjectList = await objectsBehind(after);
			const ofRun = page.data.filter(({ name }) => name === `run:${id}`);
			seen.push(...ofRun);
			if (ofRun.length > 0 && !hasChanged) {
				await addPart("output:1", 0);
				hasChanged = true;
			}
			after = page.next;
		}
		expect(seen.length).toBeGreaterThan(3);
		const begins = seen.flatMap(({ first }, index) => (first ? [index] : []));
		expect(begins).toEqual([0, 1]);
		const parts = seen.slice(1).flatMap(({ tables }) => tables.flatMap(({ rows }) => rows));
		expect(parts.map(({ name, part }) => `${name} ${part}`).sort()).toEqual(
			[...Array.from({ length: 45 }, (_, part) => `output:0 ${part}`), "output:1 0"].sort(),
		);
	});

	it("holds each table's rows once, in pages", async () => {
		const insert = env.DB.prepare(
			"INSERT INTO audit_events VALUES (?, 'usr_a', NULL, 'policy_check', 'a', NULL, 0, NULL, ?, '', NULL, NULL, NULL, NULL)",
		);
		await env.DB.batch([1, 2, 3, 4].map((n) => insert.bind(`ae_${n}`, "x".repeat(600_000))));
		const ids: string[] = [];
		let pages = 0;
		for (let after: string | null = ""; after !== null; pages++) {
			const query = new URLSearchParams({ table: "audit_events", after });
			const page: { data: { id: string }[]; next: string | null } = await (
				await operator("GET", `/internal/backup/rows?${query}`)
			).json();
			ids.push(...page.data.map(({ id }) => id));
			after = page.next;
		}
		const stored = await env.DB.prepare("SELECT id FROM audit_events ORDER BY id").all<{ id: string }>();
		expect(ids).toEqual(stored.results.map(({ id }) => id));
		expect(pages).toBeGreaterThan(3);
	});

	it("is for the operator alone, and refuses a cursor of somebody's own", async () => {
		const { key } = await newKey("pro");
		const headers = { authorization: `Bearer ${key}` };
		for (const path of ["/internal/backup", "/internal/backup/objects", "/internal/backup/rows?table=users"]) {
			expect([401, 403]).toContain((await call(path, { headers })).status);
			expect([401, 403]).toContain((await call(path)).status);
		}
		for (const path of ["objects?after=x", "rows?table=users&after=x", "rows?table=restores", "objects?after=%7B%7D"])
			expect((await operator("GET", `/internal/backup/${path}`)).status, path).toBe(422);
	});

	it("takes no step of a restore that has not begun", async () => {
		for (const step of [
			{ step: "rows", table: "users", rows: [] },
			{ step: "apply", objects: [] },
			{ step: "finish" },
		]) {
			const response = await operator("POST", "/internal/restore", { backup_id: "bak_1", ...step });
			expect(response.status).toBe(409);
			expect(await response.json()).toMatchObject({ error: "restore_refused" });
		}
	});
});
