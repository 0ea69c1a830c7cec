// A local state of another version is set aside whole; one of this version, or one that nobody can read, stays as it is.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STATE_DIR } from "../../../src/cli/local-env.ts";
import {
	hasAppliedMigrations,
	listAppliedMigrations,
	setAsideOtherVersion,
	UnreadableStateError,
} from "../../../src/cli/local-state.ts";
import { FORMER_VERSION } from "../../../src/former-version.ts";

const OURS = ["0000_tables.sql", "0001_keys.sql"];
const NOW = Date.UTC(2026, 6, 22);
const D1 = join(STATE_DIR, "v3/d1/miniflare-D1DatabaseObject");

let dir: string;
const home = process.cwd();
beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), "svc-state-"));
	process.chdir(dir);
	mkdirSync("migrations");
	for (const name of OURS) writeFileSync(join("migrations", name), "");
});
afterEach(() => {
	process.chdir(home);
	rmSync(dir, { recursive: true });
});

function makeDatabase(name: string, migrations: readonly string[] | null): DatabaseSync {
	mkdirSync(D1, { recursive: true });
	const db = new DatabaseSync(join(D1, name));
	db.exec("PRAGMA journal_mode = WAL; CREATE TABLE users (id TEXT); INSERT INTO users VALUES ('usr_1')");
	if (migrations) db.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)");
	for (const migration of migrations ?? []) db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(migration);
	return db;
}

/** A state with a database of some migrations, or of none, and something in KV and in the objects. */
function makeState(...databases: (readonly string[] | null)[]): void {
	for (const kind of ["kv", "do"]) {
		mkdirSync(join(STATE_DIR, "v3", kind), { recursive: true });
		writeFileSync(join(STATE_DIR, "v3", kind, "stored"), kind);
	}
	for (const [n, migrations] of databases.entries()) makeDatabase(`db${n}.sqlite`, migrations).close();
	writeFileSync(join(STATE_DIR, "owner.pid"), "1");
}

/** Every file of a state with its content, and when each was last changed. */
function snapshot(state = STATE_DIR): Record<string, string> {
	const files = readdirSync(state, { recursive: true, encoding: "utf8" }).filter((name) =>
		statSync(join(state, name)).isFile(),
	);
	return Object.fromEntries(
		files.map((name) => {
			const file = join(state, name);
			return [name, `${statSync(file).mtimeMs} ${readFileSync(file, "latin1")}`];
		}),
	);
}

const asideDirs = () => readdirSync(".wrangler").filter((name) => name !== "state");

describe("a state of another version", () => {
	it("goes aside with all that is stored, and the key of the clients with it", () => {
		makeState(["0000_accounts.sql", ...OURS]);
		const before = snapshot();
		writeFileSync(".env.local", "OTHER=1\nSVC_BASE_URL=http://127.0.0.1:8787/v1\nSVC_API_KEY=svc_sk_old\n");
		expect(setAsideOtherVersion(STATE_DIR, NOW)).toEqual({
			dir: ".wrangler/state.before-2026-07-22",
			madeBy: "another version",
		});
		// The lock of the process that does it stays where it is.
		expect(Object.keys(snapshot())).toEqual(["owner.pid"]);
		const { "owner.pid": _, ...stored } = before;
		expect(snapshot(".wrangler/state.before-2026-07-22")).toEqual(stored);
		expect(readFileSync(".env.local", "utf8")).toBe("OTHER=1\n");
		expect(setAsideOtherVersion(STATE_DIR, NOW)).toBeNull();
	});

	it("goes aside by name where it is from before there was one migration, and no second time", () => {
		makeState(["0000_users.sql", "0001_api_keys.sql"], ["0000_users.sql"]);
		expect(setAsideOtherVersion(STATE_DIR, NOW)?.madeBy).toBe(FORMER_VERSION);
		expect(setAsideOtherVersion(STATE_DIR, NOW)).toBeNull();
		makeState(OURS);
		expect(setAsideOtherVersion(STATE_DIR, NOW)).toBeNull();
	});

	it("overwrites none that went aside on the same day", () => {
		const dirs = [1, 2, 3].map(() => {
			makeState(["0000_accounts.sql"]);
			return setAsideOtherVersion(STATE_DIR, NOW)?.dir;
		});
		expect(dirs).toEqual(["", "-2", "-3"].map((number) => `.wrangler/state.before-2026-07-22${number}`));
		for (const aside of dirs) expect(Object.keys(snapshot(aside ?? ""))).toHaveLength(3);
	});

	it("is known by its database although a list of applied migrations stands beside it", () => {
		makeState(["0000_accounts.sql"]);
		listAppliedMigrations(STATE_DIR);
		writeFileSync(join("migrations", "0002_later.sql"), "");
		expect(setAsideOtherVersion(STATE_DIR, NOW)).not.toBeNull();
	});

	it("goes aside where a start before this one ended half-way", () => {
		makeState(["0000_accounts.sql"]);
		mkdirSync(".wrangler/state.before-2026-07-22");
		expect(setAsideOtherVersion(STATE_DIR, NOW)?.dir).toBe(".wrangler/state.before-2026-07-22");
		expect(Object.keys(snapshot(".wrangler/state.before-2026-07-22"))).toHaveLength(3);
	});

	it("is read to the end of what a killed runtime has not written back", () => {
		makeState();
		const db = makeDatabase("db.sqlite", []);
		db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run("0000_accounts.sql");
		expect(setAsideOtherVersion(STATE_DIR, NOW)).not.toBeNull();
		db.close();
	});
});

describe("a state of this version", () => {
	it.each([
		["all its migrations", [OURS]],
		["the first of its migrations", [OURS.slice(0, 1)]],
		["no migration yet", [[]]],
		["a database that nothing was written to", [null]],
		["no database", []],
		["a database of another version that is a leftover", [["0000_accounts.sql"], OURS]],
	])("with %s is not touched", (_, databases) => {
		makeState(...databases);
		writeFileSync(".env.local", "SVC_API_KEY=svc_sk_ours\n");
		const before = snapshot();
		expect(setAsideOtherVersion(STATE_DIR, NOW)).toBeNull();
		expect(snapshot()).toEqual(before);
		expect([asideDirs(), readFileSync(".env.local", "utf8")]).toEqual([[], "SVC_API_KEY=svc_sk_ours\n"]);
	});

	it("is known without its database by the list that its last start left", () => {
		makeState(OURS);
		expect(hasAppliedMigrations(STATE_DIR)).toBe(false);
		listAppliedMigrations(STATE_DIR);
		expect(hasAppliedMigrations(STATE_DIR)).toBe(true);
		writeFileSync(join(D1, "db0.sqlite"), "not to be opened");
		expect(setAsideOtherVersion(STATE_DIR, NOW)).toBeNull();
	});

	it("is what a fresh clone begins with", () => {
		expect(setAsideOtherVersion(STATE_DIR, NOW)).toBeNull();
	});
});

describe("a state whose database cannot be read", () => {
	it("ends the start, which says so, and stays as it is", () => {
		makeState(["0000_accounts.sql"]);
		writeFileSync(
			join(D1, "db0.sqlite"),
			"this is no database, and long enough to be told from an empty one".repeat(20),
		);
		const before = snapshot();
		const refusal = /local database .*db0\.sqlite cannot be read \(file is not a database\)/;
		expect(() => setAsideOtherVersion(STATE_DIR, NOW)).toThrow(UnreadableStateError);
		expect(() => setAsideOtherVersion(STATE_DIR, NOW)).toThrow(refusal);
		expect(snapshot()).toEqual(before);
		expect(asideDirs()).toEqual([]);
	});
});
