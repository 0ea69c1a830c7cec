// The rows of objects in pages while they change, put back part by part.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { AgentRun } from "../../src/agents/run/agent-run.object.ts";
import { storePart } from "../../src/agents/run/parts.edge.ts";
import { AGENT_RUN_TABLES } from "../../src/agents/run/tables.edge.ts";
import type { ObjectRecord } from "../../src/backup/backup.ts";
import { FIRST_VERSION, migrate, type TableSchema } from "../../src/durable/migrations.edge.ts";
import { type BackupPlan, type ObjectPage, readObjectRows } from "../../src/durable/object-rows.edge.ts";
import { type BackupPart, finishParts, takePart } from "../../src/durable/restored-rows.edge.ts";
import type { RowChanges, RowValue, TableRows } from "../../src/durable/table-rows.edge.ts";
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
				CREATE TABLE marks (text TEXT); CREATE INDEX marked ON marks (text)`),
		(sql) => sql.exec("ALTER TABLE pages ADD COLUMN author TEXT DEFAULT 'nobody'"),
	],
};

/** Texts that are easily lost: pairs of surrogates at every place of a cut, and characters that end lines elsewhere. */
const LONG = `x${"👩‍💻\u2028".repeat(120_000)}`;

function fill(storage: DurableObjectStorage): void {
	migrate(storage, NOTEBOOK);
	for (let n = 0; n < 450; n++) {
		const seal = crypto.getRandomValues(new Uint8Array(n % 7));
		const text = n % 60 === 0 ? LONG : `page ${n}`;
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

type Page = Omit<ObjectPage, "takenAtMs">;
const PLAN: BackupPlan = { schema: NOTEBOOK };

/** All pages. @param between is called after each page but the last, as requests would come. */
function allPages(storage: DurableObjectStorage, plan = PLAN, between: (page: number) => void = () => undefined) {
	const pages: Page[] = [];
	for (let after: string | null = null; ; between(pages.length)) {
		const page = readObjectRows(storage, plan, after);
		if (page.isFirst) pages.length = 0;
		pages.push(page);
		after = page.next;
		if (after === null) return pages;
	}
}

const changesOf = ({ rows }: { rows: string }) => JSON.parse(rows) as RowChanges;
const tablesOf = (page: { rows: string }) => changesOf(page).tables;

const toObjects = ({ columns, rows }: TableRows): Record<string, RowValue>[] =>
	rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])));

const dump = ({ sql }: DurableObjectStorage) => ({
	pages: sql.exec("SELECT * FROM pages ORDER BY book, n").toArray(),
	marks: sql.exec("SELECT rowid, text FROM marks ORDER BY rowid").toArray(),
	indexes: sql.exec("SELECT sql FROM sqlite_master WHERE name = 'marked'").toArray(),
});

const toParts = (pages: readonly Page[], backupId = "bak_1"): BackupPart[] =>
	pages.map(({ version, rows }, part) => ({ backupId, part, version, rows }));

const take = (storage: DurableObjectStorage, part: BackupPart) => takePart(storage, NOTEBOOK, part);
const finish = (storage: DurableObjectStorage, parts: number, backupId = "bak_1") =>
	finishParts(storage, { backupId, parts }, () => undefined);

/** Puts pages into an object without tables, and says what it holds then. */
function restored(pages: readonly Page[]) {
	return withStorage((storage) => {
		for (const part of toParts(pages)) expect(take(storage, part)).toBe("taken");
		expect(finish(storage, pages.length)).toBe(true);
		return dump(storage);
	});
}

/** Names of what a backup has made in an object. */
const traces = ({ sql }: DurableObjectStorage) =>
	sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'backup%'").toArray();

describe("the rows of an object at rest", () => {
	it("come in pages and are put back as they were", async () => {
		const [pages, before] = await withStorage((storage) => {
			fill(storage);
			return [allPages(storage), dump(storage)] as const;
		});
		expect(pages.length).toBeGreaterThan(3);
		await withStorage((storage) => {
			const parts = toParts(pages);
			// Sent twice, as after a lost answer.
			for (const part of parts) for (const _ of "ab") expect(take(storage, part)).toBe("taken");
			for (const _ of "ab") expect(finish(storage, parts.length)).toBe(true);
			expect(dump(storage)).toEqual(before);
			for (const part of parts) expect(take(storage, part)).toBe("restored");
			expect(take(storage, { ...parts[0], backupId: "bak_2" } as BackupPart)).toBe("occupied");
			expect(dump(storage)).toEqual(before);
			// What the restore itself keeps is in no later backup.
			expect(allPages(storage)).toEqual(pages.map((page) => ({ ...page, next: page.next && expect.anything() })));
		});
	});

	it("leave out what does not meet a table's condition", async () => {
		await withStorage((storage) => {
			fill(storage);
			const plan = { schema: NOTEBOOK, conditions: { marks: "text = 'b'", pages: "0" } };
			expect(allPages(storage, plan).flatMap(tablesOf)).toEqual([
				{ table: "marks", columns: ["rowid", "text"], rows: [[2, "b"]] },
			]);
		});
	});

	it("are read without a trace", async () => {
		await withStorage((storage) => {
			fill(storage);
			const [first, second] = [readObjectRows(storage, PLAN, null), dump(storage)];
			expect(traces(storage)).not.toEqual([]);
			let after = first.next;
			while (after !== null) after = readObjectRows(storage, PLAN, after).next;
			expect(traces(storage)).toEqual([]);
			expect(dump(storage)).toEqual(second);
			// A single page needs no log of what changes.
			storage.sql.exec("DELETE FROM pages");
			expect(readObjectRows(storage, PLAN, null).next).toBeNull();
			expect(traces(storage)).toEqual([]);
		});
	});
});

describe("the rows of a working object", () => {
	/** Inserts, changes, moves and removes rows before and behind those that were read. */
	function work({ sql }: DurableObjectStorage, round: number): void {
		sql.exec(
			"INSERT INTO pages (book, n, text) VALUES ('book 0', ?, 'new'), ('book 2', ?, 'new')",
			-round,
			900 + round,
		);
		sql.exec("UPDATE pages SET text = ? WHERE book = 'book 0' AND n IN (3, 6)", `round ${round}`);
		sql.exec("UPDATE pages SET text = 'behind', author = NULL WHERE book = 'book 2' AND n = ?", 449 - 3 * round);
		sql.exec("UPDATE pages SET n = n + 10000 WHERE book = 'book 0' AND n = ?", 9 + 3 * round);
		sql.exec("DELETE FROM pages WHERE n = ? OR n = ?", 101 + round, 60 + round);
		sql.exec("INSERT OR REPLACE INTO pages (book, n, text) VALUES ('book 1', 1, ?)", `replaced ${round}`);
		sql.exec("INSERT INTO pages (book, n, text) VALUES ('gone', ?, 'x')", round);
		sql.exec("DELETE FROM pages WHERE book = 'gone'");
		sql.exec("DELETE FROM marks WHERE text = ?", `mark ${round - 1}`);
		sql.exec("INSERT INTO marks VALUES (?)", `mark ${round}`);
	}

	it("are as of the last page's moment when they are put back", async () => {
		const [pages, before] = await withStorage((storage) => {
			fill(storage);
			return [allPages(storage, PLAN, (round) => work(storage, round)), dump(storage)] as const;
		});
		expect(pages.filter(({ isFirst }) => isFirst)).toHaveLength(1);
		expect(pages.flatMap((page) => changesOf(page).removed)).not.toEqual([]);
		expect(await restored(pages)).toEqual(before);
	});

	it("leave out those that no longer meet a condition", async () => {
		const pages = await withStorage((storage) => {
			fill(storage);
			const plan = { schema: NOTEBOOK, conditions: { pages: "author = 'nobody'" } };
			return allPages(storage, plan, () => storage.sql.exec("UPDATE pages SET author = 'a' WHERE n % 2 = 0"));
		});
		const { pages: rows } = await restored(pages);
		expect(rows.map(({ n }) => Number(n) % 2)).not.toContain(0);
		expect(rows).toHaveLength(225);
	});

	it("come to an end as long as less than a page changes between two pages", async () => {
		await withStorage((storage) => {
			fill(storage);
			const still = allPages(storage).length;
			// A third of a page of other rows each time, and as many changes as a page may have.
			const between = (round: number) => {
				for (let n = 0; n < 8; n++)
					storage.sql.exec("INSERT INTO pages (book, n, text) VALUES ('z', ?, ?)", round * 8 + n, "x".repeat(9_000));
				for (let n = 0; n < 1_000; n++) storage.sql.exec("UPDATE marks SET text = ? WHERE rowid = 1", String(n));
			};
			const pages = allPages(storage, PLAN, between);
			// Twice as many rows to read by key, and then what came meanwhile.
			expect(pages.length).toBeLessThan(5 * still + 10);
			const seen = new Map(
				pages.flatMap((page) =>
					tablesOf(page)
						.flatMap((rows) => (rows.table === "pages" ? toObjects(rows) : []))
						.map((row) => [`${row["book"]} ${row["n"]}`, 1]),
				),
			);
			expect(seen.size).toBe(dump(storage).pages.length);
		});
	});

	it("begin anew where changes are not known: after ten minutes, a migration, or the end of another backup", async () => {
		await withStorage((storage) => {
			fill(storage);
			const end = (after: string | null): Page[] => {
				const page = readObjectRows(storage, PLAN, after);
				return [page, ...(page.next === null ? [] : end(page.next))];
			};
			for (const lose of [
				() => storage.sql.exec("UPDATE backup_reads SET until_s = unixepoch()"),
				() =>
					migrate(storage, { ...NOTEBOOK, steps: [...NOTEBOOK.steps, (sql) => sql.exec("CREATE TABLE later (n)")] }),
				() => end(null),
			]) {
				const first = readObjectRows(storage, PLAN, null);
				lose();
				storage.sql.exec("UPDATE pages SET text = 'changed' WHERE book = 'book 0' AND n = 0");
				const pages = end(first.next);
				expect(pages.map(({ isFirst }) => isFirst)).toEqual(pages.map((_, index) => index === 0));
				const rows = pages.flatMap((page) => tablesOf(page).flatMap(toObjects));
				expect(rows).toContainEqual(expect.objectContaining({ book: "book 0", n: 0, text: "changed" }));
				expect(traces(storage)).toEqual([]);
			}
		});
	});

	it("are read by two backups at once", async () => {
		await withStorage((storage) => {
			fill(storage);
			const first = readObjectRows(storage, PLAN, null);
			work(storage, 1);
			const second = readObjectRows(storage, PLAN, null);
			work(storage, 2);
			for (const { next } of [first, second]) expect(readObjectRows(storage, PLAN, next).isFirst).toBe(false);
		});
	});
});

describe("parts of a backup", () => {
	const row = { book: "a", n: 1, text: "one", seal: null };
	const NONE = JSON.stringify({ tables: [], removed: [] });
	const toPages = (...rows: RowValue[][]) =>
		JSON.stringify({ tables: [{ table: "pages", columns: Object.keys(row), rows }], removed: [] });
	const part: BackupPart = {
		backupId: "bak_1",
		part: 0,
		version: FIRST_VERSION,
		rows: toPages(Object.values(row)),
	};

	it("of an earlier version are put back in its tables, which are then migrated", async () => {
		await withStorage((storage) => {
			take(storage, part);
			finish(storage, 1);
			migrate(storage, NOTEBOOK);
			expect(dump(storage).pages).toEqual([{ ...row, author: "nobody" }]);
		});
	});

	it("of a version that this code does not know are refused", async () => {
		await withStorage((storage) => {
			for (const version of [FIRST_VERSION - 1, FIRST_VERSION + 2])
				expect(take(storage, { ...part, version })).toBe("unknown_version");
			expect(traces(storage)).toEqual([]);
		});
	});

	it("are not taken by an object that has rows of its own, or begins to have those of another backup", async () => {
		await withStorage((storage) => {
			fill(storage);
			const before = dump(storage);
			expect(take(storage, part)).toBe("occupied");
			expect(finish(storage, 1)).toBe(false);
			expect(dump(storage)).toEqual(before);
		});
		await withStorage((storage) => {
			take(storage, part);
			expect(take(storage, { ...part, backupId: "bak_2" })).toBe("occupied");
			expect(finish(storage, 1, "bak_2")).toBe(false);
		});
	});

	it("are taken in their order alone, the later one holds, and all must be there", async () => {
		await withStorage((storage) => {
			const changed = { ...part, part: 1, rows: toPages(["a", 1, "two", null]) };
			const keys = { table: "pages", columns: ["book", "n"], rows: [["a", 1]] };
			const removed = {
				...part,
				part: 2,
				rows: JSON.stringify({ tables: [], removed: [keys] }),
			};
			const again = { ...part, part: 3 };
			expect(take(storage, changed)).toBe("missing");
			for (const next of [part, changed, part, removed, changed, again, removed])
				expect(take(storage, next)).toBe("taken");
			for (const parts of [0, 3, 5]) expect(finish(storage, parts)).toBe(false);
			expect(finish(storage, 4)).toBe(true);
			expect(storage.sql.exec("SELECT * FROM pages").toArray()).toEqual([row]);
		});
	});

	it("change nothing when one of them fails, or the last step", async () => {
		await withStorage((storage) => {
			take(storage, part);
			const broken = toPages(["new", 1, "x", null], ["new", 2, "x"]);
			expect(() => take(storage, { ...part, part: 1, rows: broken })).toThrow();
			const die = () => {
				throw new Error("dies");
			};
			expect(() => finishParts(storage, { backupId: "bak_1", parts: 1 }, die)).toThrow("dies");
			expect(allPages(storage)).toMatchObject([{ version: 0, rows: NONE, next: null }]);
			expect(finish(storage, 1)).toBe(true);
			expect(storage.sql.exec("SELECT * FROM pages").toArray()).toEqual([row]);
		});
	});
});

describe("an object that dies after each step", () => {
	const addPart = (stub: DurableObjectStub<AgentRun>, name: string, part: number) =>
		runInDurableObject(stub, (_, { storage }) => {
			migrate(storage, AGENT_RUN_TABLES);
			storePart(storage.sql, name, part, "x".repeat(100_000));
		});
	const partsOf = (stub: DurableObjectStub<AgentRun>) =>
		runInDurableObject(stub, (_, { storage }) =>
			storage.sql.exec("SELECT name, part FROM parts ORDER BY name, part").toArray(),
		);

	it("is backed up as of the last page, and is empty to everybody until it has all of a backup", async () => {
		const before = env.AGENT_RUN.getByName(crypto.randomUUID());
		for (let part = 0; part < 35; part++) await addPart(before, "output:0", part);
		const pages: ObjectPage[] = [];
		for (let after: string | null = null; ; ) {
			const page: ObjectPage = await before.readRows(after);
			pages.push(page);
			after = page.next;
			if (after === null) break;
			await addPart(before, "output:1", pages.length);
			await evictDurableObject(before);
		}
		expect(pages.map(({ isFirst }) => isFirst)).toEqual(pages.map((_, index) => index === 0));
		const after = env.AGENT_RUN.getByName(crypto.randomUUID());
		for (const part of toParts(pages)) {
			for (const _ of "ab") {
				expect(await after.takePart(part)).toBe("taken");
				await evictDurableObject(after);
			}
			expect(await after.readRows(null)).toMatchObject({ version: 0, next: null });
			expect(await after.claim("hash", null)).toBeNull();
			expect(await runInDurableObject(after, (_, { storage }) => storage.getAlarm())).toBeNull();
		}
		for (const _ of "ab") {
			expect(await after.finishParts("bak_1", pages.length)).toBe(true);
			await evictDurableObject(after);
		}
		expect(await partsOf(after)).toEqual(await partsOf(before));
		expect((await partsOf(after)).length).toBe(34 + pages.length);
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
	it("has what changes between two pages of an object", async () => {
		const { user_id: userId } = await newKey("pro");
		const id = `agt_${"0".repeat(26)}`;
		const stub = env.AGENT_RUN.getByName(`run:${id}`);
		const addPart = (name: string, part: number) =>
			runInDurableObject(stub, (_, { storage }) => {
				migrate(storage, AGENT_RUN_TABLES);
				storePart(storage.sql, name, part, "x".repeat(100_000));
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
		expect(seen.map(({ part }) => part)).toEqual(seen.map((_, index) => index));
		expect(seen.length).toBeGreaterThan(3);
		const parts = seen.flatMap((page) => tablesOf(page).flatMap(toObjects));
		expect([...new Set(parts.map(({ name, part }) => `${name} ${part}`))].sort()).toEqual(
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
