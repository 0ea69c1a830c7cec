// Receipts are found by their id alone: with the meter that it leads to, or stranded in D1, others nowhere, at a bounded price.
import { afterEach, describe, expect, it, vi } from "vitest";
import { deriveTagKey, encodeRequestId } from "../../src/account/request-tag.ts";
import { always, isSumsFlush, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import {
	anAddress,
	call,
	chat,
	db,
	meterOf,
	newKey,
	receiptOf,
	requestsInD1,
	settledCount,
	usageOf,
} from "../support/service.ts";
import { TEST_VARIABLES } from "../support/variables.ts";

const { key, upstream } = useService("pro");
let faults: { restore(): void } | undefined;
afterEach(() => {
	vi.useRealTimers();
	faults?.restore();
});

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
			// Sums and what objects ask for themselves are no part of it.
			if (!isSumsFlush(target)) price.d1++;
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

/** Lets this isolate learn whose number a user has: it may remember that of another file's user. */
async function learn({ user_id }: { user_id: string }): Promise<void> {
	expect((await call(`/v1/proof/${forged(Number(await numberOf(user_id)))}`)).status).toBe(404);
}

describe("a receipt", () => {
	it("is found with its meter: D1 says once whose number an id has, and the next look-ups ask nobody", async () => {
		await learn(key);
		const id = await answered();
		expect(await priceOf(id)).toEqual({ status: 200, d1: 0, objects: 1 });
		for (const _ of [1, 2]) expect(await priceOf(id)).toEqual({ status: 200, d1: 0, objects: 0 });
		expect(await receiptOf(id)).toMatchObject({ request_id: id, outcome: "complete" });
		expect(await priceOf(await answered())).toEqual({ status: 200, d1: 0, objects: 1 });
	});

	it("is found while D1 has none of its user's sums, and while D1 is away once it is known whose it is", async () => {
		const [first, second] = [await answered(), await answered()];
		await receiptOf(first);
		expect(await requestsInD1(key)).toBe(0);
		faults = useFaults({ DB: () => "fail" });
		expect(await receiptOf(second)).toMatchObject({ request_id: second });
	});

	it("that is stranded in D1 is found there: before its meter has taken it over, and while the meter is away", async () => {
		faults = useFaults({ ACCOUNT_METER: onlyFor(["settle", "takeStranded"], always("fail")) });
		const [open, away] = [await answered(), await answered()];
		expect(await receiptOf(open)).toMatchObject({ request_id: open, outcome: "complete" });
		faults.restore();
		faults = useFaults({ ACCOUNT_METER: () => "fail" });
		expect(await receiptOf(away)).toMatchObject({ request_id: away });
		faults.restore();
		await meterOf(key).takeStranded(key.user_id);
		expect(await settledCount(key)).toBe(2);
		for (const id of [open, away]) expect(await meterOf(key).receipt(id)).toMatchObject({ request_id: id });
	});

	it("is 503 while the meter that has it is away, and found when it is back", async () => {
		const id = await answered();
		faults = useFaults({ ACCOUNT_METER: () => "fail" });
		expect((await call(`/v1/proof/${id}`)).status).toBe(503);
		faults.restore();
		expect((await receiptOf(id))["request_id"]).toBe(id);
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

describe("look-ups of one user's receipts", () => {
	it("beyond a hundred a second are refused, whoever asks, and the meter is not asked meanwhile", async () => {
		await learn(key);
		const id = await answered();
		const number = Number(await numberOf(key.user_id));
		// A minute ago, so that nothing of it is left for other files, which share this isolate.
		vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / 1_000) * 1_000 - 60_000 });
		let asked = 0;
		faults = useFaults({
			ACCOUNT_METER: ({ method }) => {
				if (method === "publicReceipt") asked++;
				return "pass";
			},
		});
		const lookUp = (requestId: string) =>
			call(`/v1/proof/${requestId}`, { headers: { "cf-connecting-ip": anAddress() } });
		const statuses: number[] = [];
		for (let nth = 0; nth < 103; nth++) statuses.push((await lookUp(forged(number))).status);
		expect(statuses).toEqual([...Array(100).fill(404), 429, 429, 429]);
		expect(asked).toBe(101);
		const refused = await lookUp(id);
		expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
		vi.setSystemTime(Date.now() + 1_000);
		expect((await lookUp(id)).status).toBe(200);
	});
});

describe("an id without a receipt", () => {
	it("costs one read, and one call where it leads to a user", async () => {
		const number = await numberOf(key.user_id);
		await learn(key);
		expect(await priceOf(forged(Number(number)))).toEqual({ status: 404, d1: 1, objects: 1 });
		expect(await priceOf(forged(4_000_000_000))).toEqual({ status: 404, d1: 1, objects: 0 });
	});

	it("of another user does not show this one's", async () => {
		const id = await answered();
		const stranger = await newKey("pro");
		const number = Number(await numberOf(stranger.user_id));
		await learn(stranger);
		expect(await priceOf(forged(number))).toEqual({ status: 404, d1: 1, objects: 1 });
		expect(await meterOf(stranger).receipt(id)).toBeNull();
		expect(await priceOf(id)).toMatchObject({ status: 200 });
	});

	it("of an open request is none, and leads to its receipt once it is settled", async () => {
		const gate = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		upstream.replace(async () => {
			reached.resolve();
			await gate.promise;
			return undefined;
		});
		const answer = answered();
		await reached.promise;
		const [open] = (await usageOf(key)).open;
		const id = open?.request_id ?? "";
		expect((await call(`/v1/proof/${id}`)).status).toBe(404);
		gate.resolve();
		expect(await answer).toBe(id);
		expect((await receiptOf(id))["request_id"]).toBe(id);
	});

	it("is remembered as unknown when it is older than a day, and asked for again when it is younger", async () => {
		await learn(key);
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
		await learn(key);
		faults = useFaults({ ACCOUNT_METER: () => "fail" });
		expect((await call(`/v1/proof/${old}`)).status).toBe(503);
		expect(await priceOf(old)).toMatchObject({ objects: 1 });
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
		const responses = await Promise.all(users.map((one) => chat(one.key, "one")));
		for (const { headers } of responses) await receiptOf(headers.get("x-request-id") ?? "");
	});
});
