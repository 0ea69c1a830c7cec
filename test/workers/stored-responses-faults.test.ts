// What stored responses owe when things go wrong: an answer is never lost for want of storage, nothing is said to be stored that is
// not, and nothing outlives its thirty days.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_STORED_BYTES, MAX_STORED_RESPONSES } from "../../src/responses/stored-response.ts";
import { alarmAtMs, type Fault, killObject, useFaults } from "../support/faults.ts";
import { call, callWithKey, eventually, newKey, type TestKey } from "../support/service.ts";
import { queryStored, resolve, store, storedResponsesOf, storeText, textEntry } from "../support/stored-responses.ts";

const DAY_MS = 86_400_000;
const NOT_STORED = { code: "not_stored", param: "store" };

let key: TestKey;
let object: DurableObjectStub<undefined>;
let faults: { restore(): void } | null;
beforeEach(async () => {
	key = await newKey("pro");
	object = storedResponsesOf(key);
	faults = null;
	vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
	faults?.restore();
	vi.useRealTimers();
	vi.restoreAllMocks();
});

/** Calls of a method meet these faults, in order; what comes after them passes. */
function failCalls(method: string, ...planned: Fault[]): Fault[] {
	const left = [...planned];
	const { user_id } = key;
	faults = useFaults({
		STORED_RESPONSES: (operation) =>
			operation.target === user_id && operation.method === method ? (left.shift() ?? "pass") : "pass",
	});
	return left;
}

function read(id: string): Promise<Response> {
	return callWithKey(key.key, `/v1/responses/${id}`);
}

async function storedIds(): Promise<unknown[]> {
	return (await queryStored(key, "SELECT id FROM responses ORDER BY id")).map(({ id }) => id);
}

/** The storage of the object refuses statements that a pattern matches, until it is restored. */
async function refuseStatements(pattern: RegExp): Promise<void> {
	await runInDurableObject(object, (_, { storage: { sql } }) => {
		const exec = sql.exec.bind(sql);
		vi.spyOn(sql, "exec").mockImplementation((query, ...values) => {
			if (pattern.test(query)) throw new Error("SQLITE_FULL: database or disk is full");
			return exec(query, ...values);
		});
	});
}

describe("a response whose storing fails", () => {
	it("before or after it is written, once, is stored once", async () => {
		for (const fault of ["fail", "failAfter"] as const) {
			failCalls("put", fault);
			const entry = textEntry("one", "two");
			expect(await store(key, entry), fault).toBeNull();
			faults?.restore();
			expect(await (await read(entry.response.id)).json(), fault).toEqual(entry.response);
		}
		expect(await storedIds()).toHaveLength(2);
	});

	it("twice is said not to be stored, and is not, even if it was written", async () => {
		await storeText(key, "before", "reply");
		const before = await storedIds();
		for (const planned of [
			["fail", "fail"],
			["failAfter", "failAfter"],
		] as const) {
			failCalls("put", ...planned);
			expect(await store(key, textEntry("one", "two")), String(planned)).toMatchObject(NOT_STORED);
			faults?.restore();
			await eventually(async () => (await storedIds()).length === 1);
			expect(await storedIds()).toEqual(before);
		}
	});

	it("without an end is said not to be stored within seconds, and goes as soon as it can", async () => {
		const late = Promise.withResolvers<void>();
		let isWritten = false;
		const real = env.STORED_RESPONSES.getByName(key.user_id);
		const slow: Pick<typeof real, "put" | "remove"> = {
			put: (async (response) => {
				await late.promise;
				await real.put(response);
				isWritten = true;
			}) as typeof real.put,
			remove: (id) => real.remove(id),
		};
		vi.spyOn(env.STORED_RESPONSES, "getByName").mockReturnValue(slow as typeof real);
		const startedAtMs = Date.now();
		expect(await store(key, textEntry("one", "two"))).toMatchObject(NOT_STORED);
		expect(Date.now() - startedAtMs).toBeLessThan(6_000);
		vi.restoreAllMocks();
		late.resolve();
		await eventually(async () => isWritten && (await storedIds()).length === 0);
	});

	it("because the storage is full leaves what was stored, and counts nothing", async () => {
		const id = await storeText(key, "one", "two");
		await refuseStatements(/^INSERT/);
		expect(await store(key, textEntry("three", "four"))).toMatchObject(NOT_STORED);
		vi.restoreAllMocks();
		expect(await storedIds()).toEqual([id]);
		expect((await read(id)).status).toBe(200);
		const next = await storeText(key, "five", "six");
		expect(await storedIds()).toEqual([id, next]);
	});

	it("while the object is torn down again and again is there if it was said to be stored", async () => {
		const outcomes: Promise<[string, boolean]>[] = [];
		for (let i = 0; i < 60; i++) {
			const entry = textEntry(`question ${i}`, `answer ${i}`);
			outcomes.push(store(key, entry).then((warning) => [entry.response.id, warning === null]));
			if (i % 10 === 9) await killObject(object);
			if (i % 10 === 9) object = storedResponsesOf(key);
		}
		const stored = (await Promise.all(outcomes)).filter(([, isStored]) => isStored).map(([id]) => id);
		expect(stored.length).toBeGreaterThan(0);
		expect(await storedIds()).toEqual(expect.arrayContaining(stored));
		expect(await alarmAtMs(object)).not.toBeNull();
	});
});

describe("reads while the object is away", () => {
	it("are 503, never a 404 and never a conversation without its beginning", async () => {
		const id = await storeText(key, "one", "two");
		for (const [method, path, request] of [
			["read", `/v1/responses/${id}`, "GET"],
			["read", `/v1/responses/${id}/input_items`, "GET"],
			["maker", `/v1/responses/${id}`, "DELETE"],
			["remove", `/v1/responses/${id}`, "DELETE"],
		] as const) {
			failCalls(method, "fail", "fail");
			const response = await call(path, { method: request, headers: { authorization: `Bearer ${key.key}` } });
			expect([response.status, await response.json()], method).toMatchObject([
				503,
				{ error: { code: "storage_unavailable" } },
			]);
			faults?.restore();
		}
		failCalls("conversation", "fail", "fail");
		await expect(resolve(key, { previous_response_id: id })).rejects.toThrow("did not answer");
		faults?.restore();
		failCalls("conversation", "failAfter");
		expect((await resolve(key, { previous_response_id: id })).ok).toBe(true);
	});
});

describe("a deletion whose answer is lost", () => {
	it("is repeated, and is a deletion all the same", async () => {
		const id = await storeText(key, "one", "two");
		failCalls("remove", "failAfter");
		const response = await call(`/v1/responses/${id}`, {
			method: "DELETE",
			headers: { authorization: `Bearer ${key.key}` },
		});
		expect([response.status, await response.json()]).toEqual([200, { id, object: "response", deleted: true }]);
		expect(await storedIds()).toEqual([]);
	});
});

describe("what is too much", () => {
	/** Stores responses straight in the object, a millisecond apart: their ids, oldest first. */
	async function fill(count: number, fromMs: number): Promise<string[]> {
		const ids = Array.from({ length: count }, (_, i) => textEntry("", "", { atMs: fromMs + i }).response.id);
		await runInDurableObject(object as unknown as ReturnType<typeof env.STORED_RESPONSES.getByName>, (instance) => {
			const sealed = new ArrayBuffer(8);
			for (const id of ids)
				instance.put({ id, previousId: null, keyId: "key_1", response: sealed, input: sealed, output: sealed });
		});
		return ids;
	}

	it("goes by number, the oldest first", async () => {
		const nowMs = Date.now();
		const ids = await fill(MAX_STORED_RESPONSES, nowMs - 10_000);
		expect(await storedIds()).toEqual(ids);
		const next = await storeText(key, "one", "two", { atMs: nowMs });
		expect(await storedIds()).toEqual([...ids.slice(1), next]);
		await evictDurableObject(object);
		const last = await storeText(key, "three", "four", { atMs: nowMs + 1 });
		expect(await storedIds()).toEqual([...ids.slice(2), next, last]);
		// A deletion makes room.
		await call(`/v1/responses/${next}`, { method: "DELETE", headers: { authorization: `Bearer ${key.key}` } });
		const after = await storeText(key, "five", "six", { atMs: nowMs + 2 });
		expect(await storedIds()).toEqual([...ids.slice(2), last, after]);
	});

	it("goes by bytes, the oldest first", async () => {
		const nowMs = Date.now();
		const ids = await fill(3, nowMs - 10_000);
		await queryStored(key, "UPDATE responses SET bytes = ?", MAX_STORED_BYTES / 3);
		await evictDurableObject(object);
		const next = await storeText(key, "one", "two", { atMs: nowMs });
		expect(await storedIds()).toEqual([...ids.slice(1), next]);
	});

	it("is never the response that has just been stored, even if its request is the oldest", async () => {
		const nowMs = Date.now();
		const ids = await fill(MAX_STORED_RESPONSES, nowMs - 10_000);
		const slow = await storeText(key, "one", "two", { atMs: nowMs - 60_000 });
		expect(await storedIds()).toEqual([slow, ...ids.slice(1)]);
		expect((await read(slow)).status).toBe(200);
	});
});

describe("the alarm", () => {
	it("tries again when the storage refuses, and nothing expired is read meanwhile", async () => {
		const nowMs = Date.now();
		const id = await storeText(key, "one", "two", { atMs: nowMs });
		vi.useFakeTimers({ toFake: ["Date"], now: nowMs + 30 * DAY_MS });
		await refuseStatements(/^DELETE/);
		expect(await runDurableObjectAlarm(object)).toBe(true);
		expect(await alarmAtMs(object)).toBe(nowMs + 30 * DAY_MS + 60_000);
		expect((await read(id)).status).toBe(404);
		vi.restoreAllMocks();
		vi.setSystemTime(nowMs + 30 * DAY_MS + 60_000);
		expect(await runDurableObjectAlarm(object)).toBe(true);
		expect(await storedIds()).toEqual([]);
		expect(await alarmAtMs(object)).toBeNull();
	});

	it("that was lost is set again when the object wakes", async () => {
		const nowMs = Date.now();
		const id = await storeText(key, "one", "two", { atMs: nowMs });
		await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
		await evictDurableObject(object);
		expect((await read(id)).status).toBe(200);
		await eventually(async () => (await alarmAtMs(object)) === nowMs + 30 * DAY_MS);
	});

	it("that finds nothing to do sets no other", async () => {
		const id = await storeText(key, "one", "two");
		await call(`/v1/responses/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${key.key}` } });
		expect(await runDurableObjectAlarm(object)).toBe(true);
		expect(await alarmAtMs(object)).toBeNull();
	});
});
