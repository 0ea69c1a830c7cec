// The operator's sums in D1: what the meter sends is what its requests come to, each once, whatever fails and however often it is sent.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { database } from "../../src/db/client.edge.ts";
import type { DaySum } from "../../src/meter/day-sums.ts";
import { recordUsageDays } from "../../src/meter/usage-days.store.ts";
import { type Fault, inOrder, isSumsFlush, killObject, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import {
	callWithKey,
	chat,
	db,
	eventually,
	inMeter,
	meterAlarm,
	meterOf,
	operator,
	requestsInD1,
	settledRequests,
	sumsUnlikeD1,
} from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor, TEST_KEY_ID, UNLIMITED_KEY } from "../support/settlements.ts";

const { key } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
	vi.useRealTimers();
});

const DAY_MS = 86_400_000;

const kill = () => killObject(env.ACCOUNT_METER.getByName(key.user_id) as unknown as DurableObjectStub<undefined>);

interface StoredSum extends DaySum {
	revision: number;
}

async function storedSums(): Promise<StoredSum[]> {
	const { results } = await db
		.prepare("SELECT * FROM usage_days WHERE user_id = ? ORDER BY day, api_key_id, model")
		.bind(key.user_id)
		.all<StoredSum & { user_id: string }>();
	return results.map(({ user_id: _, ...sum }) => sum);
}

const sumsInD1 = async () => (await storedSums()).map(({ revision: _, ...sum }) => sum);

/** The sums of the user's requests, added up one by one. */
async function recomputedSums(): Promise<DaySum[]> {
	const sums = new Map<string, DaySum>();
	for (const { request, calls: made } of await settledRequests(key)) {
		const day = request.created_at.slice(0, 10);
		for (const model of new Set([request.model, ...made.map((call) => call.model)])) {
			const own = made.filter((call) => call.model === model);
			const at = `${day} ${request.api_key_id} ${model}`;
			const before = sums.get(at);
			const add = (sum: number | undefined, amounts: number[]) =>
				amounts.reduce((total, amount) => total + amount, sum ?? 0);
			sums.set(at, {
				...{ day, api_key_id: request.api_key_id, model },
				requests: add(before?.requests, [model === request.model ? 1 : 0]),
				model_requests: add(before?.model_requests, [own.length > 0 ? 1 : 0]),
				calls: add(
					before?.calls,
					own.map(({ requests = 1 }) => requests),
				),
				tokens: add(
					before?.tokens,
					own.map(({ tokens }) => tokens),
				),
				input_tokens: add(
					before?.input_tokens,
					own.map(({ input_tokens }) => input_tokens),
				),
				cost_nano_usd: add(
					before?.cost_nano_usd,
					own.map(({ cost_nano_usd }) => cost_nano_usd),
				),
			});
		}
	}
	return [...sums.keys()].sort().flatMap((at) => sums.get(at) ?? []);
}

async function ask(...texts: string[]): Promise<void> {
	for (const text of texts) expect((await chat(key.key, text)).status).toBe(200);
}

/** Settles a request of another time, past the front door. */
async function settleAt(atMs: number, costNanoUsd: number): Promise<void> {
	const requestId = aRequestId(atMs);
	const reservation = reservationFor(key.user_id, requestId, costNanoUsd, Date.now() + 60_000);
	const admission = { ...UNLIMITED_KEY, plan: "corporate" as const, countsTowardsDay: false };
	expect(await meterOf(key).admit({ ...admission, requestId, keyId: TEST_KEY_ID, reservation })).toMatchObject({
		admitted: true,
	});
	expect(await meterOf(key).settle(await settlementFor(key.user_id, requestId, costNanoUsd))).toBe("settled");
}

describe("the sums of days", () => {
	it("have one row for a key and a model, which grows", async () => {
		await ask("one", "two", "three");
		await meterOf(key).flushNow();
		const [first] = await storedSums();
		expect(await storedSums()).toMatchObject([{ api_key_id: key.key_id, requests: 3, model_requests: 3, calls: 3 }]);
		expect(await sumsInD1()).toEqual(await recomputedSums());
		await ask("four");
		await meterOf(key).flushNow();
		const [second] = await storedSums();
		expect(await sumsInD1()).toEqual(await recomputedSums());
		expect(second?.requests).toBe(4);
		expect(second?.revision).toBeGreaterThan(first?.revision ?? 0);
	});

	it("count an orchestration once, and each of its models with its share", async () => {
		const task = {
			messages: [{ role: "user", content: "Compare two sorting algorithms in depth" }],
			strategy: "ensemble_moa",
		};
		expect((await callWithKey(key.key, "/v2/orchestrate", task)).status).toBe(200);
		await meterOf(key).flushNow();
		const sums = await sumsInD1();
		expect(sums.length).toBeGreaterThan(1);
		expect(sums.reduce((sum, { requests }) => sum + requests, 0)).toBe(1);
		expect(sums).toEqual(await recomputedSums());
	});

	it("are those of the days on which requests arrived, whenever they were settled", async () => {
		const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
		await settleAt(today - 1, 5);
		await settleAt(today, 7);
		await settleAt(today - 1, 11);
		await meterOf(key).flushNow();
		expect(await sumsInD1()).toMatchObject([
			{ requests: 2, cost_nano_usd: 16 },
			{ requests: 1, cost_nano_usd: 7 },
		]);
		expect(await sumsInD1()).toEqual(await recomputedSums());
		expect(await sumsUnlikeD1(key)).toBe(0);
	});

	it("are what the operator's list of users says", async () => {
		await ask("one", "two");
		await meterOf(key).flushNow();
		const users: { user_id: string; requests: number; cost_usd: number }[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const response = await operator("GET", `/internal/usage?limit=1000${cursor && `&cursor=${cursor}`}`);
			const page = (await response.json()) as { data: typeof users; next_cursor: string | null };
			users.push(...page.data);
			cursor = page.next_cursor;
		}
		const costNanoUsd = (await sumsInD1()).reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0);
		expect(users.filter(({ user_id }) => user_id === key.user_id)).toMatchObject([
			{ requests: 2, cost_usd: costNanoUsd / 1e9 },
		]);
	});
});

describe("sums on their way", () => {
	it("go with the alarm, and then once a minute at most, with an admission or the next alarm", async () => {
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
		await ask("one");
		expect(await requestsInD1(key)).toBe(0);
		await meterAlarm(key);
		expect(await requestsInD1(key)).toBe(1);
		await ask("two");
		vi.setSystemTime(Date.now() + 59_000);
		await ask("three");
		await meterAlarm(key);
		expect(await requestsInD1(key)).toBe(1);
		vi.setSystemTime(Date.now() + 2_000);
		await ask("four");
		await eventually(async () => (await requestsInD1(key)) >= 3);
		vi.setSystemTime(Date.now() + 61_000);
		await meterAlarm(key);
		expect(await requestsInD1(key)).toBe(4);
		expect(await sumsInD1()).toEqual(await recomputedSums());
	});

	it.each<Fault>(["fail", "failAfter", "hangAfter"])("that meet %s count once in the end", async (fault) => {
		let plan = inOrder([fault]);
		faults = useFaults({ DB: (operation) => (isSumsFlush(operation.target) ? plan(operation) : "pass") });
		await ask("one");
		const sent = meterOf(key)
			.flushNow()
			.catch(() => undefined);
		if (fault === "hangAfter") {
			await eventually(async () => (await requestsInD1(key)) > 0);
			await kill();
			plan = inOrder([]);
		} else await sent;
		await ask("two");
		await meterAlarm(key);
		await meterOf(key).flushNow();
		expect(await sumsInD1()).toEqual(await recomputedSums());
		expect(await sumsInD1()).toMatchObject([{ requests: 2 }]);
	});

	it("never replace later ones that D1 has", async () => {
		await ask("one", "two");
		await meterOf(key).flushNow();
		const before = await storedSums();
		const [sum] = before;
		if (!sum) throw new Error("D1 has a sum");
		for (const revision of [sum.revision - 1, sum.revision])
			await recordUsageDays(database(db), key.user_id, [{ ...sum, requests: 99, revision }]);
		expect(await storedSums()).toEqual(before);
		const [later] = [{ ...sum, requests: 3, revision: sum.revision + 1 }];
		await recordUsageDays(database(db), key.user_id, [later]);
		expect(await storedSums()).toEqual([later]);
	});

	it("are sent again by an object that dies before it knows that D1 has them, and stay the same", async () => {
		await ask("one", "two");
		await meterOf(key).flushNow();
		const before = await sumsInD1();
		await kill();
		await meterOf(key).flushNow();
		await meterAlarm(key);
		expect(await sumsInD1()).toEqual(before);
		expect(await sumsUnlikeD1(key)).toBe(0);
	});

	it("of an object that was restored lie above what D1 has of its later life", async () => {
		await ask("one", "two");
		await meterOf(key).flushNow();
		const place = { day: "2026-01-01", api_key_id: key.key_id, model: "m" };
		const counts = { requests: 9, model_requests: 9, calls: 9, tokens: 9, input_tokens: 9, cost_nano_usd: 9 };
		const [sum] = await storedSums();
		const later = [
			{ ...place, ...counts, revision: 1_000_000 },
			{ ...(sum as StoredSum), ...counts, revision: 999_999 },
		];
		await recordUsageDays(database(db), key.user_id, later);
		await inMeter(key, (sql) => sql.exec("UPDATE account SET revision_base = NULL").toArray());
		await kill();
		await ask("three");
		await meterOf(key).flushNow();
		const ofToday = (await storedSums()).filter(({ day }) => day === sum?.day);
		expect(ofToday).toMatchObject([{ requests: 3 }]);
		expect(ofToday[0]?.revision).toBeGreaterThan(1_000_000);
		expect(ofToday.map(({ revision: _, ...rest }) => rest)).toEqual(await recomputedSums());
	});
});
