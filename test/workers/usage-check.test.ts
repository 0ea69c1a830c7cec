// The operator's check: the sums of a user's days against the rows that they count, and against D1's.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSumsFlush, killObject, useFaults } from "../support/faults.ts";
import {
	callWithKey,
	chat,
	db,
	inMeter,
	meterAlarm,
	meterOf,
	newKey,
	operator,
	type TestKey,
	type Upstream,
	useSandbox,
} from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor, TEST_KEY_ID, UNLIMITED_KEY } from "../support/settlements.ts";

let upstream: Upstream;
let key: TestKey;
let user: string;
let faults: { restore(): void } | undefined;
beforeEach(async () => {
	upstream = useSandbox();
	user = `checked-${crypto.randomUUID()}`;
	key = await newKey("pro", user);
});
afterEach(() => {
	faults?.restore();
	upstream.restore();
});

interface Counts {
	requests: number;
	tokens: number;
}

interface Checked {
	user_id: string;
	user: string;
	since: string | null;
	until: string | null;
	agrees: boolean | null;
	requests: number;
	disagreements: { day: string; model: string; sum: Counts | null; rows: Counts | null; database: Counts | null }[];
}

async function check(query = `user=${encodeURIComponent(user)}`): Promise<{ data: Checked[]; next: string | null }> {
	const answer = await operator("GET", `/internal/accounts/check?${query}`);
	expect(answer.status, await answer.clone().text()).toBe(200);
	return answer.json();
}

const today = () => new Date().toISOString().slice(0, 10);

/** Settles a request of another day, past the front door. */
async function settleOn(day: string, costNanoUsd = 5): Promise<void> {
	const requestId = aRequestId(Date.parse(`${day}T12:00:00Z`));
	const reservation = reservationFor(key.user_id, requestId, costNanoUsd, Date.now() + 60_000);
	const admission = { ...UNLIMITED_KEY, plan: "pro" as const, countsTowardsDay: false, keyId: TEST_KEY_ID };
	expect((await meterOf(key).admit({ ...admission, requestId, reservation })).admitted).toBe(true);
	expect(await meterOf(key).settle(await settlementFor(key.user_id, requestId, costNanoUsd))).toBe("settled");
}

describe("the check of accounts", () => {
	it("agrees at once, whatever has been sent, folded and settled meanwhile", async () => {
		expect((await check()).data).toMatchObject([{ user, agrees: true, requests: 0, since: null, until: null }]);
		for (let n = 0; n < 3; n++) await chat(key.key, `hi ${n}`);
		const agreed = { user, user_id: key.user_id, agrees: true, disagreements: [], since: today(), until: today() };
		expect((await check()).data).toMatchObject([{ ...agreed, requests: 3 }]);
		await meterAlarm(key);
		await chat(key.key, "hi again");
		expect((await check()).data).toMatchObject([{ ...agreed, requests: 4 }]);
		await killObject(env.ACCOUNT_METER.getByName(key.user_id) as unknown as DurableObjectStub<undefined>);
		expect((await check()).data).toMatchObject([{ ...agreed, requests: 4 }]);
	});

	it("agrees about orchestrations, which count once, and their models each", async () => {
		const messages = [{ role: "user", content: "Prove that there are infinitely many primes" }];
		expect((await callWithKey(key.key, "/v2/orchestrate", { messages })).status).toBe(200);
		expect((await check()).data).toMatchObject([{ agrees: true, requests: 1, disagreements: [] }]);
	});

	it("says what differs when a row is gone, changed, or one too many", async () => {
		for (let n = 0; n < 3; n++) await chat(key.key, `hi ${n}`, { model: "gpt-5-nano" });
		expect((await check()).data).toMatchObject([{ agrees: true }]);
		const change = (sql: string) => inMeter(key, (storage) => storage.exec(sql).toArray());
		const last = "id = (SELECT max(id) FROM requests)";
		await change(`UPDATE requests SET tokens = tokens + 1 WHERE ${last}`);
		const [changed] = (await check()).data;
		expect(changed).toMatchObject({
			agrees: false,
			requests: 3,
			disagreements: [{ model: "gpt-5-nano", day: today() }],
		});
		const { sum, rows, database } = changed?.disagreements[0] ?? {};
		expect(rows?.tokens).toBe((sum?.tokens ?? 0) + 1);
		expect(database).toEqual(sum);
		await change(`UPDATE requests SET tokens = tokens - 1, model = 'other' WHERE ${last}`);
		const [moved] = (await check()).data;
		expect(moved?.disagreements).toMatchObject([
			{ model: "gpt-5-nano", sum: { requests: 3 }, rows: { requests: 2 }, database: { requests: 3 } },
			{ model: "other", sum: null, rows: { requests: 1 }, database: null },
		]);
		await change(`UPDATE requests SET model = 'gpt-5-nano' WHERE ${last}`);
		expect((await check()).data).toMatchObject([{ agrees: true }]);
		await change(`DELETE FROM requests WHERE ${last}`);
		expect((await check()).data).toMatchObject([
			{ agrees: false, requests: 3, disagreements: [{ sum: { requests: 3 }, rows: { requests: 2 } }] },
		]);
	});

	it("says which sums D1 has otherwise, has not, or has too many", async () => {
		await settleOn("2026-01-02");
		for (let n = 0; n < 2; n++) await chat(key.key, `hi ${n}`, { model: "gpt-5-nano" });
		expect((await check()).data).toMatchObject([{ agrees: true, requests: 3, since: "2026-01-02", until: today() }]);
		const ofUser = `user_id = '${key.user_id}'`;
		await db.exec(`UPDATE usage_days SET tokens = tokens + 1 WHERE ${ofUser} AND day > '2026-02'`);
		await db.exec(`UPDATE usage_days SET model = 'renamed' WHERE ${ofUser} AND day = '2026-01-02'`);
		const [found] = (await check()).data;
		expect(found?.agrees).toBe(false);
		const byDay = Map.groupBy(found?.disagreements ?? [], ({ day }) => day);
		expect(byDay.get("2026-01-02")).toMatchObject([
			{ model: "real", sum: { requests: 1 }, rows: { requests: 1 }, database: null },
			{ model: "renamed", sum: null, rows: null, database: { requests: 1 } },
		]);
		const ofToday = byDay.get(today());
		expect(ofToday).toHaveLength(1);
		expect(ofToday?.[0]?.sum).toEqual(ofToday?.[0]?.rows);
		expect(ofToday?.[0]?.database?.tokens).toBe((ofToday?.[0]?.sum?.tokens ?? 0) + 1);
	});

	it("counts what D1 lacks as a difference, and leaves out what is under way", async () => {
		await chat(key.key, "hi");
		faults = useFaults({ DB: ({ target }) => (isSumsFlush(target) ? "fail" : "pass") });
		expect((await check()).data).toMatchObject([{ agrees: false, disagreements: [{ database: null }] }]);
		faults.restore();
		const gate = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		upstream.restore();
		upstream = useSandbox(async () => {
			reached.resolve();
			await gate.promise;
			return undefined;
		});
		const answer = chat(key.key, "under way");
		await reached.promise;
		expect((await check()).data).toMatchObject([{ agrees: true, requests: 1 }]);
		gate.resolve();
		await (await answer).text();
		expect((await check()).data).toMatchObject([{ agrees: true, requests: 2 }]);
	});

	it("goes on behind the days of one answer, and ends with the user", async () => {
		const days = Array.from({ length: 40 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10));
		for (const day of days) await settleOn(day);
		const first = await check();
		expect(first.data).toMatchObject([{ agrees: true, requests: 31, since: days[0], until: days[30] }]);
		const second = await check(`user=${encodeURIComponent(user)}&after=${encodeURIComponent(first.next ?? "")}`);
		expect(second.data).toMatchObject([{ agrees: true, requests: 9, since: days[31], until: days[39] }]);
		const end = await check(`user=${encodeURIComponent(user)}&after=${encodeURIComponent(second.next ?? "")}`);
		expect(end).toMatchObject({ data: [], next: null });
	});

	it("goes through all users, page by page", async () => {
		for (let n = 0; n < 12; n++) await newKey("free");
		const seen: string[] = [];
		for (let after: string | null = ""; after !== null; ) {
			const page = await check(`after=${encodeURIComponent(after)}`);
			for (const { user: name } of page.data) if (seen.at(-1) !== name) seen.push(name);
			after = page.next;
		}
		expect(seen).toContain(user);
		expect(new Set(seen).size).toBe(seen.length);
		const { results } = await db.prepare("SELECT name FROM users").all();
		expect(seen.length).toBe(results.length);
	});
});
