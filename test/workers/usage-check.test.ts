// The operator's check: a meter's totals against the rows in D1.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useFaults } from "../support/faults.ts";
import {
	callWithKey,
	chat,
	db,
	newKey,
	operator,
	type TestKey,
	type Upstream,
	useSandbox,
} from "../support/service.ts";

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

interface Checked {
	user: string;
	agrees: boolean | null;
	requests: number;
	disagreements: { dimension: string; name: string }[];
	rollup_disagreements: { day: string; rollup: { requests: number } | null; rows: { requests: number } | null }[];
}

async function check(query = `user=${encodeURIComponent(user)}`): Promise<{ data: Checked[]; next: string | null }> {
	const answer = await operator("GET", `/internal/usage/check?${query}`);
	expect(answer.status, await answer.clone().text()).toBe(200);
	return answer.json();
}

const names = ({ disagreements }: Checked) => disagreements.map(({ dimension }) => dimension).toSorted();

describe("the check of usage totals", () => {
	it("agrees at once, whatever has been flushed, folded and settled meanwhile", async () => {
		expect((await check()).data).toMatchObject([{ user, agrees: true, requests: 0 }]);
		for (let n = 0; n < 3; n++) await chat(key.key, `hi ${n}`);
		expect((await check()).data).toMatchObject([{ user, agrees: true, requests: 3, disagreements: [] }]);
		await runDurableObjectAlarm(env.ACCOUNT_METER.getByName(key.user_id));
		expect((await check()).data).toMatchObject([{ agrees: true, requests: 3 }]);
	});

	it("says what differs when a row is gone, changed, or one too many", async () => {
		for (let n = 0; n < 3; n++) await chat(key.key, `hi ${n}`);
		expect((await check()).data).toMatchObject([{ agrees: true }]);
		const ofUser = `user_id = '${key.user_id}'`;
		await db.exec(`UPDATE settlements SET mode = 'other' WHERE ${ofUser}`);
		const [changed] = (await check()).data;
		expect(changed).toMatchObject({ agrees: false, requests: 3 });
		expect(changed && names(changed)).toEqual(["mode", "mode"]);
		await db.exec(`UPDATE settlements SET mode = 'agility' WHERE ${ofUser}`);
		await db.exec(
			`DELETE FROM settlements WHERE request_id = (SELECT max(request_id) FROM settlements WHERE ${ofUser})`,
		);
		const [gone] = (await check()).data;
		expect(gone).toMatchObject({ agrees: false, requests: 3 });
		expect(gone && names(gone)).toContain("total");
	});

	it("says which daily sums are not those of their rows", async () => {
		for (let n = 0; n < 3; n++) await chat(key.key, `hi ${n}`, { model: "gpt-5-nano" });
		await chat(key.key, "hi", { model: "auto" });
		const ofUser = `user_id = '${key.user_id}'`;
		const [fine] = (await check()).data;
		expect(fine).toMatchObject({ agrees: true, rollup_disagreements: [] });
		// Older days, of which one has no sums, and one has sums only.
		await db.exec(
			`UPDATE settlements SET created_at = '2026-01-02' || substr(created_at, 11) WHERE request_id = (SELECT max(request_id) FROM settlements WHERE ${ofUser})`,
		);
		await db.exec(
			`INSERT INTO usage_days SELECT user_id, '2026-01-01', api_key_id, model, 7, 7, 7, 7, 7, 7 FROM usage_days WHERE ${ofUser} LIMIT 1`,
		);
		await db.exec(
			`UPDATE usage_days SET tokens = tokens + 1 WHERE ${ofUser} AND model = 'gpt-5-nano' AND day > '2026-02'`,
		);
		const [found] = (await check()).data;
		expect(found?.agrees).toBe(false);
		const byDay = Map.groupBy(found?.rollup_disagreements ?? [], ({ day }) => day);
		expect(byDay.get("2026-01-01")).toMatchObject([{ rollup: { requests: 7 }, rows: null }]);
		expect(byDay.get("2026-01-02")).toMatchObject([{ rollup: null, rows: { requests: 1 } }]);
		const today = [...byDay].filter(([day]) => day > "2026-02").flatMap(([, ofDay]) => ofDay);
		expect(today).toContainEqual(
			expect.objectContaining({ model: "gpt-5-nano", rollup: expect.anything(), rows: expect.anything() }),
		);
		// Orchestrations count once, and their models each.
		const messages = [{ role: "user", content: "Prove that there are infinitely many primes" }];
		const others = await newKey("pro", `${user}-other`);
		expect((await callWithKey(others.key, "/v2/orchestrate", { messages })).status).toBe(200);
		const [other] = (await check(`user=${encodeURIComponent(`${user}-other`)}`)).data;
		expect(other).toMatchObject({ agrees: true, requests: 1, rollup_disagreements: [] });
	});

	it("leaves out what is under way", async () => {
		await chat(key.key, "hi");
		expect((await check()).data).toMatchObject([{ agrees: true, requests: 1 }]);
		faults = useFaults({ DB: ({ target }) => (/insert into "settlements"/i.test(target) ? "fail" : "pass") });
		await chat(key.key, "pending");
		expect((await check()).data).toMatchObject([{ agrees: true, requests: 1 }]);
	});

	it("goes through all users, page by page", async () => {
		for (let n = 0; n < 12; n++) await newKey("free");
		const seen: string[] = [];
		for (let after: string | null = ""; after !== null; ) {
			const page = await check(`after=${after}`);
			seen.push(...page.data.map((one) => one.user));
			after = page.next;
		}
		expect(seen).toContain(user);
		expect(new Set(seen).size).toBe(seen.length);
		const { results } = await db.prepare("SELECT name FROM users").all();
		expect(seen.length).toBe(results.length);
	});
});
