// `npm start` on the state of another version: it goes aside whole, and clients get a key of the new one.
import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FORMER_VERSION } from "../../src/former-version.ts";
import { ServiceHome } from "./process.ts";
import { chat } from "./support.ts";

const D1 = "v3/d1/miniflare-D1DatabaseObject";
const APPLIED_LIST = ".wrangler/state/v3/d1/applied-migrations.txt";

let home: ServiceHome;

/** Migrations that a state's database has applied. */
function withDatabase<T>(state: string, work: (db: DatabaseSync) => T): T {
	const dir = join(home.dir, ".wrangler", state, D1);
	const [name = ""] = readdirSync(dir).filter((file) => /^[0-9a-f]+\.sqlite$/.test(file));
	const db = new DatabaseSync(join(dir, name));
	try {
		return work(db);
	} finally {
		db.close();
	}
}

const migrations = (state: string) =>
	withDatabase(state, (db) =>
		db
			.prepare("SELECT name FROM d1_migrations ORDER BY name")
			.all()
			.map(({ name }) => name),
	);

beforeAll(async () => {
	home = await ServiceHome.makeMigrated();
	withDatabase("state", (db) => db.exec("INSERT INTO d1_migrations (name) VALUES ('0000_accounts.sql')"));
	rmSync(join(home.dir, APPLIED_LIST));
	writeFileSync(
		join(home.dir, ".env.local"),
		"SVC_BASE_URL=http://127.0.0.1:1/v1\nSVC_API_KEY=svc_sk_of_another_version\n",
	);
});
afterAll(() => home?.remove());

/** What of the home's state others may read, by path. */
function openToOthers(): string[] {
	const paths = readdirSync(join(home.dir, ".wrangler"), { recursive: true, encoding: "utf8" });
	const all = [".dev.vars", ".env.local", ".wrangler", ...paths.map((path) => join(".wrangler", path))];
	return all.filter((path) => {
		const stat = lstatSync(join(home.dir, path));
		return !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
	});
}

describe("npm start on a state of another version", () => {
	it("sets it aside, says so in one line, and serves a new one", async () => {
		const start = await home.startReady();
		const aside = readdirSync(join(home.dir, ".wrangler")).filter((name) => name.startsWith("state."));
		expect(aside).toEqual([expect.stringMatching(/^state\.before-\d{4}-\d\d-\d\d$/)]);
		expect(start.output.match(/^.*state\.before-.*$/gm)).toEqual([expect.stringContaining("made by another version")]);
		expect(migrations(aside[0] ?? "")).toContain("0000_accounts.sql");
		expect(home.key()).not.toContain("another_version");
		expect((await chat(home.url, home.key(), "Say hello")).status).toBe(200);
		expect(start.output).not.toContain(home.key());
		expect(start.output).toMatch(/^key: \.env\.local$/m);
		expect(openToOthers()).toEqual([]);
		start.process.kill("SIGTERM");
		expect(await start.exited).toBe(0);
	});

	it("keeps that one from then on", async () => {
		const key = home.key();
		for (const path of [".env.local", ".dev.vars", ".wrangler/state"]) chmodSync(join(home.dir, path), 0o755);
		const start = await home.startReady();
		expect(openToOthers()).toEqual([]);
		expect(start.output).not.toContain(key);
		expect(start.output).not.toContain("state.before-");
		expect(home.key()).toBe(key);
		expect(existsSync(join(home.dir, ".wrangler/state", D1))).toBe(true);
		expect(migrations("state")).not.toContain("0000_accounts.sql");
		start.process.kill("SIGTERM");
		expect(await start.exited).toBe(0);
	});

	it("sets one from before there was one migration aside as well, with its objects, and says which it is", async () => {
		const old = home.key();
		writeFileSync(join(home.dir, APPLIED_LIST), "0000_users.sql\n0001_api_keys.sql");
		withDatabase("state", (db) =>
			db.exec(`DELETE FROM d1_migrations; INSERT INTO d1_migrations (name) VALUES ('0000_users.sql'), ('0001_api_keys.sql');
				DROP TABLE stranded_settlements; CREATE TABLE settlements (request_id TEXT PRIMARY KEY) WITHOUT ROWID`),
		);
		for (const round of ["first", "second"]) {
			const start = await home.startReady();
			const lines = start.output.match(/^.*state\.before-.*$/gm);
			expect(lines).toEqual(round === "first" ? [expect.stringContaining(`made by ${FORMER_VERSION}`)] : null);
			expect(home.key()).not.toBe(old);
			expect((await chat(home.url, home.key(), "Say hello")).status).toBe(200);
			expect((await chat(home.url, old, "Say hello")).status).toBe(401);
			start.process.kill("SIGTERM");
			expect(await start.exited).toBe(0);
		}
		const aside = readdirSync(join(home.dir, ".wrangler")).filter((name) => name.startsWith("state."));
		expect(aside).toHaveLength(2);
		expect(migrations("state")).toEqual(["0000_tables.sql", "0001_tools.sql"]);
	});
});
