// An object's tables under code of another version: migrated in place, or left as they are.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
	FIRST_VERSION,
	hasTables,
	type MigrationStep,
	migrate,
	SchemaError,
} from "../../src/durable/migrations.edge.ts";
import { FORMER_VERSION } from "../../src/former-version.ts";
import { errorOf, handOn, ledgerOf, WORKSPACE } from "../support/ledger.ts";
import { callWithKey, newKey, usageOf } from "../support/service.ts";

/** Runs with the storage of an object that has no tables of its own. */
function withStorage<T>(run: (storage: DurableObjectStorage) => T): Promise<T> {
	const unwritten = env.WORKSPACE_LEDGER.getByName(crypto.randomUUID());
	return runInDurableObject(unwritten, (_, { storage }) => run(storage));
}

const notes = (...steps: MigrationStep[]) => ({ name: "notebook", steps });
const create: MigrationStep = (sql) => sql.exec("CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT)");
const addAuthor: MigrationStep = (sql) => sql.exec("ALTER TABLE notes ADD COLUMN author TEXT DEFAULT 'nobody'");
const addTitle: MigrationStep = (sql) => sql.exec("ALTER TABLE notes ADD COLUMN title TEXT DEFAULT 'untitled'");
const breaks: MigrationStep = (sql) => {
	sql.exec("DELETE FROM notes");
	sql.exec("ALTER TABLE notes DROP COLUMN text");
	throw new Error("the step broke");
};

const rowsOf = ({ sql }: DurableObjectStorage) => sql.exec("SELECT * FROM notes ORDER BY n").toArray();
const write = ({ sql }: DurableObjectStorage, text: string) => sql.exec("INSERT INTO notes (text) VALUES (?)", text);

describe("the tables of an object", () => {
	it("are made by every step in order, and not again", async () => {
		await withStorage((storage) => {
			expect(hasTables(storage)).toBe(false);
			migrate(storage, notes(create, addAuthor));
			expect(hasTables(storage)).toBe(true);
			write(storage, "first");
			migrate(storage, notes(create, addAuthor));
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "first", author: "nobody" }]);
		});
	});

	it("go through the steps they have not seen only", async () => {
		await withStorage((storage) => {
			migrate(storage, notes(create, addAuthor));
			write(storage, "kept");
			migrate(storage, notes(create, addAuthor, addTitle));
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "kept", author: "nobody", title: "untitled" }]);
		});
	});

	it("stay at the version before a step that throws, whatever it had done", async () => {
		await withStorage((storage) => {
			migrate(storage, notes(create));
			write(storage, "kept");
			const broken = notes(create, addAuthor, breaks, addTitle);
			for (const _ of ["once", "and again"]) {
				expect(() => migrate(storage, broken)).toThrow(
					new SchemaError(`the tables of this notebook did not come to version ${FIRST_VERSION + 2}`),
				);
				expect(rowsOf(storage)).toEqual([{ n: 1, text: "kept", author: "nobody" }]);
			}
			migrate(storage, notes(create, addAuthor, addTitle));
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "kept", author: "nobody", title: "untitled" }]);
		});
	});

	it("are refused, and not touched, when they are newer than the code", async () => {
		await withStorage((storage) => {
			migrate(storage, notes(create, addAuthor));
			write(storage, "of tomorrow");
			const refusal = new SchemaError(
				`the tables of this notebook are at version ${FIRST_VERSION + 1} and this code knows ${FIRST_VERSION}`,
			);
			expect(() => migrate(storage, notes(create))).toThrow(refusal);
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "of tomorrow", author: "nobody" }]);
		});
	});

	it("are refused by name, and not touched, when they are from before the numbers of today", async () => {
		await withStorage((storage) => {
			migrate(storage, notes(create, addAuthor));
			write(storage, "of yesterday");
			for (const version of [1, 2, FIRST_VERSION - 1]) {
				storage.sql.exec("UPDATE schema_version SET version = ?", version);
				expect(() => migrate(storage, notes(create, addAuthor, addTitle))).toThrow(
					new SchemaError(
						`the tables of this notebook were made by ${FORMER_VERSION}, and this code does not read them: begin with an empty state or deployment`,
					),
				);
				expect(rowsOf(storage)).toEqual([{ n: 1, text: "of yesterday", author: "nobody" }]);
			}
		});
	});
});

describe.each([
	["a later version", FIRST_VERSION + 99],
	["the numbers before these", 1],
])("tables of %s", (_name, version) => {
	const renumber = (stub: DurableObjectStub<undefined>) =>
		runInDurableObject(
			stub,
			(_, { storage: { sql } }) => void sql.exec("UPDATE schema_version SET version = ?", version),
		);

	it("keep a ledger from answering, and are left as they are", async () => {
		const key = await newKey("pro");
		const created = await handOn(key);
		await renumber(ledgerOf(key));
		await evictDurableObject(ledgerOf(key));
		const more = callWithKey(key.key, "/v1/handoff", { workspace_id: WORKSPACE, objective: "Hand on" });
		expect(await errorOf(more)).toMatchObject({ status: 503, error: "storage_unavailable" });
		expect(await (await callWithKey(key.key, `/v1/handoff/${created.id}`)).json()).toEqual(created);
	});

	it("keep a meter from letting anybody in", async () => {
		const key = await newKey("pro");
		await usageOf(key);
		const meter = env.ACCOUNT_METER.getByName(key.user_id);
		await renumber(meter);
		await evictDurableObject(meter);
		expect(await errorOf(callWithKey(key.key, "/v1/usage"))).toMatchObject({
			status: 503,
			error: "storage_unavailable",
		});
	});
});
