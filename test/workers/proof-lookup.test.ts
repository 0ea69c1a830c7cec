// Receipts are found by their id alone: fresh ones with their meter, old ones in D1, others nowhere, at a bounded price.
import { afterEach, describe, expect, it, vi } from "vitest";
import { deriveTagKey, encodeRequestId } from "../../src/account/request-tag.ts";
import { isSumsFlush, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { call, chat, db, eventually, newKey, receiptOf, settledCount } from "../support/service.ts";
import { TEST_VARIABLES } from "../support/variables.ts";

const { key } = useService("pro");
let faults: { restore(): void } | undefined;
afterEach(() => {
	vi.useRealTimers();
	faults?.restore();
});

const refuseFlushes = () => useFaults({ DB: ({ target }) => (isSumsFlush(target) ? "fail" : "pass") });

async function answered(): Promise<string> {
	const response = await chat(key.key, "hi");
	expect(response.status).toBe(200);
	return response.headers.get("x-request-id") ?? "";
}

/** Asks for a proof, and says what that cost: operations in D1 and calls of objects. */
async function priceOf(id: string): Promise<{ status: number; d1: number; objects: number }> {
	faults?.restore();
	const price = { d1: 0, objects: 0 };
	faults = useFaults({
		DB: ({ target }) => {
			if (isSumsFlush(target)) return "fail";
			price.d1++;
			return "pass";
		},
		ACCOUNT_METER: () => {
			price.objects++;
			return "pass";
		},
	});
	const { status } = await call(`/v1/proof/${id}`);
	faults.restore();
	return { status, ...price };
}

const tagKey = deriveTagKey(TEST_VARIABLES["KEY_PEPPER"] ?? "");
const forged = (userNumber: number, atMs = Date.now()) =>
	encodeRequestId(tagKey, userNumber, atMs, crypto.getRandomValues(new Uint8Array(5)));
const numberOf = (userId: string) =>
	db.prepare("SELECT number FROM users WHERE id = ?").bind(userId).first<number>("number");

describe("a receipt", () => {
	it("that D1 does not have yet is found at once, with its meter", async () => {
		faults = refuseFlushes();
		const id = await answered();
		expect(await priceOf(id)).toEqual({ status: 200, d1: 1, objects: 1 });
		expect(await receiptOf(id)).toMatchObject({ request_id: id, outcome: "complete" });
		expect(await settledCount(key)).toBe(0);
	});

	it("that D1 has is found there, and nobody else is asked", async () => {
		const id = await answered();
		await eventually(async () => (await settledCount(key)) === 1);
		expect(await priceOf(id)).toEqual({ status: 200, d1: 1, objects: 0 });
	});

	it("that D1 has is found under an id without a tag of this pepper's too", async () => {
		const tagged = await answered();
		await eventually(async () => (await settledCount(key)) === 1);
		const untagged = "svc-01ARZ3NDEKTSV4RRFFQ69G5FAX";
		await db.prepare("UPDATE settlements SET request_id = ? WHERE request_id = ?").bind(untagged, tagged).run();
		const proof = (await (await call(`/v1/proof/${untagged}`)).json()) as { request_id: string; signed: boolean };
		expect(proof).toMatchObject({ request_id: untagged, signed: true });
	});

	it("has the id of the header, the body and the log line", async () => {
		const lines: string[] = [];
		const spy = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
		const response = await chat(key.key, "hi");
		spy.mockRestore();
		const id = response.headers.get("x-request-id") ?? "";
		expect((await response.json()) as object).toMatchObject({ id, svc: { proof: { request_id: id } } });
		expect(lines.map((line) => JSON.parse(line).request_id)).toEqual([id]);
		expect((await receiptOf(id))["request_id"]).toBe(id);
	});
});

describe("an id without a receipt", () => {
	it("costs one read, and one call where it leads to a user", async () => {
		const number = await numberOf(key.user_id);
		expect(await priceOf(forged(Number(number)))).toEqual({ status: 404, d1: 1, objects: 1 });
		expect(await priceOf(forged(4_000_000_000))).toEqual({ status: 404, d1: 1, objects: 0 });
	});

	it("of another user does not show this one's", async () => {
		faults = refuseFlushes();
		const id = await answered();
		const stranger = await newKey("pro");
		const number = Number(await numberOf(stranger.user_id));
		expect(await priceOf(forged(number))).toEqual({ status: 404, d1: 1, objects: 1 });
		expect(await priceOf(id)).toMatchObject({ status: 200 });
	});

	it("is remembered as unknown when it is older than a day, and asked for again when it is younger", async () => {
		const old = forged(Number(await numberOf(key.user_id)), Date.now() - 86_400_000 - 60_000);
		const young = forged(Number(await numberOf(key.user_id)), Date.now() - 3_600_000);
		expect(await priceOf(old)).toEqual({ status: 404, d1: 1, objects: 1 });
		expect(await priceOf(old)).toEqual({ status: 404, d1: 0, objects: 0 });
		for (const _ of [1, 2]) expect(await priceOf(young)).toEqual({ status: 404, d1: 1, objects: 1 });
	});

	it("is 503 while D1 or the meter is away, also when it is old, and is not taken for unknown", async () => {
		const old = forged(Number(await numberOf(key.user_id)), Date.now() - 90_000_000);
		faults = useFaults({ DB: () => "fail" });
		expect((await call(`/v1/proof/${old}`)).status).toBe(503);
		faults.restore();
		faults = useFaults({ ACCOUNT_METER: () => "fail" });
		expect((await call(`/v1/proof/${old}`)).status).toBe(503);
		expect(await priceOf(old)).toMatchObject({ d1: 1 });
	});

	it.each([
		"",
		"svc-",
		"svc-01ARZ3NDEKTSV4RRFFQ69G5FA",
		"ho_01ARZ3NDEKTSV4RRFFQ69G5FAV",
		"agt_01ARZ3NDEKTSV4RRFFQ69G5FA",
	])("%j of another form costs nothing", async (id) => {
		expect((await priceOf(id)).d1).toBe(0);
	});
});

describe("users who are made at once", () => {
	it("have a number each, and their receipts are found with their own meters", async () => {
		const users = [key, ...(await Promise.all(Array.from({ length: 4 }, () => newKey("pro"))))];
		const numbers = await Promise.all(users.map(({ user_id }) => numberOf(user_id)));
		expect(numbers.every((number) => Number(number) > 0)).toBe(true);
		expect(new Set(numbers).size).toBe(users.length);
		faults = refuseFlushes();
		const responses = await Promise.all(users.map((one) => chat(one.key, "one")));
		for (const { headers } of responses) await receiptOf(headers.get("x-request-id") ?? "");
	});
});
