// The benchmark's counting wrappers, around bindings that only say what they were asked.
import { beforeEach, describe, expect, it } from "vitest";
import {
	countingDatabase,
	countingKeyValue,
	countingNamespace,
	countingSql,
	counts,
	isBusy,
	resetCounts,
	whileActive,
} from "./counting/counts.ts";

beforeEach(resetCounts);

const RESULT = { results: [{ id: "a", name: "b" }], meta: { rows_read: 3, rows_written: 2, size_after: 4096 } };

class FakeStatement {
	calls: string[];
	/** Wrapped objects lack it, as they lack the private fields that the platform looks for. */
	#genuine = true;
	static isGenuine(one: unknown): boolean {
		return one instanceof FakeStatement && #genuine in one && one.#genuine;
	}
	constructor(calls: string[]) {
		this.calls = calls;
	}
	bind() {
		return new FakeStatement(this.calls);
	}
	async all() {
		this.calls.push("all");
		return RESULT;
	}
	async run() {
		this.calls.push("run");
		return RESULT;
	}
	async raw() {
		this.calls.push("raw");
		return [["a", "b"]];
	}
}

function fakeDatabase() {
	const calls: string[] = [];
	const binding = {
		prepare: () => new FakeStatement(calls),
		batch: async (statements: unknown[]) => {
			if (!statements.every(FakeStatement.isGenuine)) throw new TypeError("not the platform's statements");
			return statements.map(() => RESULT);
		},
	};
	return { calls, db: countingDatabase(binding as unknown as D1Database) };
}

describe("a counting database", () => {
	it("counts the rows of each query", async () => {
		const { db } = fakeDatabase();
		await db.prepare("SELECT 1").all();
		await db.prepare("UPDATE t SET a = ?").bind(1).run();
		expect(counts).toMatchObject({ databaseRowsRead: 6, databaseRowsWritten: 4 });
	});

	it("counts every statement of a batch", async () => {
		const { db } = fakeDatabase();
		await db.batch([db.prepare("INSERT").bind(1), db.prepare("INSERT"), db.prepare("INSERT")]);
		expect(counts).toMatchObject({ databaseRowsRead: 9, databaseRowsWritten: 6 });
	});

	it("counts a read once that does not say what it cost, and never repeats a write", async () => {
		const { db, calls } = fakeDatabase();
		expect(await db.prepare("select id, name from t").raw()).toEqual([["a", "b"]]);
		expect(counts.databaseRowsRead).toBe(3);
		calls.length = 0;
		expect(await db.prepare("insert into t values (1) returning id, name").raw()).toEqual([["a", "b"]]);
		expect(calls).toEqual(["all"]);
		expect(counts.databaseRowsWritten).toBe(4);
	});
});

describe("a counting object storage", () => {
	it("counts a statement's rows after its user has read them", async () => {
		const cursor = { rowsRead: 0, rowsWritten: 0 };
		const sql = countingSql({ exec: () => cursor } as unknown as SqlStorage);
		sql.exec("SELECT 1");
		Object.assign(cursor, { rowsRead: 5, rowsWritten: 1 });
		await Promise.resolve();
		expect(counts).toMatchObject({ objectRowsRead: 5, objectRowsWritten: 1 });
	});
});

describe("a counting namespace", () => {
	it("counts each call of an object's method, also one that fails", async () => {
		const stub = {
			add: async (a: number, b: number) => a + b,
			fail: async () => {
				throw new Error("no");
			},
		};
		const namespace = countingNamespace({ getByName: () => stub } as unknown as DurableObjectNamespace, "meter");
		const counted = namespace.getByName("user") as unknown as typeof stub;
		const sum = counted.add(1, 2);
		expect(isBusy()).toBe(true);
		expect(await sum).toBe(3);
		await expect(counted.fail()).rejects.toThrow("no");
		expect(counts.objectRequests).toBe(2);
		expect(isBusy()).toBe(false);
	});

	it("is busy until the last of an object's overlapping works has ended", async () => {
		const first = Promise.withResolvers<void>();
		const second = Promise.withResolvers<void>();
		const both = [whileActive("user", first.promise), whileActive("user", second.promise)];
		first.resolve();
		await both[0];
		expect(isBusy()).toBe(true);
		second.resolve();
		await both[1];
		expect(isBusy()).toBe(false);
	});
});

describe("a counting key-value store", () => {
	it("counts reads by key, and everything else at the price of a write", async () => {
		const binding = { get: async () => null, getWithMetadata: async () => null, put: async () => undefined };
		const more = { delete: async () => undefined, list: async () => ({ keys: [] }) };
		const kv = countingKeyValue({ ...binding, ...more } as unknown as KVNamespace);
		await kv.get("a");
		await kv.get(["a", "b"]);
		await kv.getWithMetadata("a");
		await kv.put("a", "1");
		await kv.delete("a");
		await kv.list();
		expect(counts).toMatchObject({ keyValueReads: 4, keyValueWrites: 3 });
	});
});
