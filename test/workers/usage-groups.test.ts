// Usage and savings by key, tag, model and day: up to the last answered request, each once, and without reading requests.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { listDays, withLargerSums } from "../../src/meter/day-sums.ts";
import { statementsOf } from "../support/d1-statements.ts";
import { type Fault, isSumsFlush, killObject, onlyFor, useFaults } from "../support/faults.ts";
import { foldMeter } from "../support/folds.ts";
import { useService } from "../support/per-test.ts";
import {
	call,
	callWithKey,
	chat,
	eventually,
	inMeter,
	meterAlarm,
	meterOf,
	newKey,
	requestsInD1,
	sumsUnlikeD1,
	usageOf,
	withKey,
} from "../support/service.ts";

const [FIRST_MODEL = "", SECOND_MODEL = ""] = CATALOG.models.map(({ id }) => id);

const { key: owner } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
	vi.restoreAllMocks();
});

const stub = () => env.ACCOUNT_METER.getByName(owner.user_id);

interface Amounts {
	requests: number;
	calls: number;
	tokens: number;
	input_tokens: number;
	cost_usd: number;
}

interface Group extends Amounts {
	key_id?: string | null;
	name?: string | null;
	last4?: string | null;
	tags?: string[];
	revoked_at?: string | null;
	tag?: string | null;
	model?: string;
	day?: string;
}

interface Groups {
	object: string;
	since: string;
	until: string;
	total: Amounts;
	has_more: boolean;
	next_cursor: string | null;
	data: Group[];
}

async function groupsOf(query: string, key = owner.key): Promise<Groups> {
	const response = await callWithKey(key, `/v1/usage?${query}`);
	const body = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
	return body as Groups;
}

interface MadeKey {
	key: string;
	key_id: string;
	last4: string;
}

async function keyWith(body: Record<string, unknown>): Promise<MadeKey> {
	const response = await callWithKey(owner.key, "/v1/keys", body);
	if (response.status !== 200) throw new Error(await response.text());
	return response.json();
}

/** What a chat was billed. */
async function billed(key: string, model: string): Promise<{ tokens: number; costUsd: number }> {
	const response = await chat(key, "How are you?", { model });
	const { usage, svc } = (await response.json()) as {
		usage: { total_tokens: number };
		svc: { cost: { total_usd: number } };
	};
	return { tokens: usage.total_tokens, costUsd: svc.cost.total_usd };
}

const today = () => new Date().toISOString().slice(0, 10);

function csvOf(path: string, accept = "text/csv"): Promise<Response> {
	const init = withKey(owner.key);
	return call(path, { headers: { ...init.headers, accept } });
}

describe("GET /v1/usage?group_by=", () => {
	it("key, tag, model and day shows a user's own requests, and nobody else's", async () => {
		const agent = await keyWith({ name: "build agent", role: "agent", tags: ["ci", "team:a"] });
		const colleague = await keyWith({ name: "colleague", tags: ["team:a"] });
		const stranger = await newKey("corporate");
		const first = await billed(agent.key, FIRST_MODEL);
		const second = await billed(agent.key, SECOND_MODEL);
		const third = await billed(colleague.key, FIRST_MODEL);
		await billed(stranger.key, FIRST_MODEL);
		const all = { requests: 3, calls: 3, tokens: first.tokens + second.tokens + third.tokens };

		const byKey = await groupsOf("group_by=key");
		expect(byKey).toMatchObject({ object: "usage.groups", group_by: "key", has_more: false, next_cursor: null });
		expect(byKey.total).toMatchObject(all);
		expect(byKey.data).toMatchObject([
			{
				...{ key_id: agent.key_id, name: "build agent", last4: agent.last4, tags: ["ci", "team:a"], revoked_at: null },
				...{ requests: 2, calls: 2, tokens: first.tokens + second.tokens },
			},
			{ key_id: colleague.key_id, name: "colleague", requests: 1, tokens: third.tokens },
		]);
		expect(byKey.data[0]?.cost_usd).toBeCloseTo(first.costUsd + second.costUsd, 9);

		const byTag = await groupsOf("group_by=tag");
		expect(byTag.total).toMatchObject(all);
		expect(byTag.data).toMatchObject([
			{ tag: "ci", requests: 2, tokens: first.tokens + second.tokens },
			{ tag: "team:a", requests: 3, tokens: all.tokens },
		]);

		const byModel = await groupsOf("group_by=model");
		const models = [
			{ model: FIRST_MODEL, requests: 2, calls: 2, tokens: first.tokens + third.tokens },
			{ model: SECOND_MODEL, requests: 1, calls: 1, tokens: second.tokens },
		].sort((a, b) => (a.model < b.model ? -1 : 1));
		expect(byModel.data).toMatchObject(models);

		expect((await groupsOf("group_by=day")).data).toMatchObject([{ day: today(), ...all }]);
		expect((await groupsOf("group_by=key", stranger.key)).data).toMatchObject([
			{ key_id: stranger.key_id, requests: 1 },
		]);
	});

	it("key shows revoked keys with their names, and tag counts them under their last tags", async () => {
		const { key, key_id, last4 } = await keyWith({ name: "gone", tags: ["old"] });
		await billed(key, FIRST_MODEL);
		await call(`/v1/keys/${key_id}`, { ...withKey(owner.key, { tags: ["new"] }), method: "PATCH" });
		expect((await groupsOf("group_by=tag")).data).toMatchObject([{ tag: "new", requests: 1 }]);
		await call(`/v1/keys/${key_id}`, { ...withKey(owner.key), method: "DELETE" });
		const [group] = (await groupsOf("group_by=key")).data;
		expect(group).toMatchObject({ key_id, name: "gone", last4, tags: ["new"], revoked_at: expect.any(String) });
		expect((await groupsOf("group_by=tag")).data).toMatchObject([{ tag: "new", requests: 1 }]);
	});

	it("tag counts keys without one under null", async () => {
		await billed(owner.key, FIRST_MODEL);
		expect((await groupsOf("group_by=tag")).data).toMatchObject([{ tag: null, requests: 1 }]);
	});

	it("counts an orchestration once, and each of its models with its calls", async () => {
		const task = { messages: [{ role: "user", content: "Compare two sorting algorithms" }], strategy: "ensemble_moa" };
		expect((await callWithKey(owner.key, "/v2/orchestrate", task)).status).toBe(200);
		const { by_model, total_tokens } = await usageOf(owner);
		const { data, total } = await groupsOf("group_by=model");
		expect(total).toMatchObject({ requests: 1, tokens: total_tokens });
		expect(data.length).toBeGreaterThan(1);
		expect(Object.fromEntries(data.map(({ model, calls, tokens }) => [model, { requests: calls, tokens }]))).toEqual(
			Object.fromEntries(Object.entries(by_model).map(([name, { requests, tokens }]) => [name, { requests, tokens }])),
		);
		expect((await groupsOf("group_by=key")).data).toMatchObject([{ requests: 1, calls: total.calls }]);
	});
});

describe("what D1 lacks", () => {
	/** Every grouping shows so many requests, as the meter does. */
	async function expectRequests(requests: number): Promise<void> {
		const report = await usageOf(owner);
		expect(report.total_requests).toBe(requests);
		for (const grouping of ["key", "tag", "model", "day"]) {
			const { data, total } = await groupsOf(`group_by=${grouping}`);
			expect(total, grouping).toMatchObject({ requests, tokens: report.total_tokens });
			expect(data, grouping).toMatchObject([{ requests, tokens: report.total_tokens }]);
			expect(data[0]?.cost_usd, grouping).toBeCloseTo(report.total_cost_usd, 9);
		}
	}

	it.each<Fault>(["fail", "failAfter", "hangAfter"])(
		"counts once while sums on their way meet %s, and afterwards",
		async (fault) => {
			let isFaulty = true;
			const plan = () => (isFaulty ? fault : "pass");
			faults = useFaults({ DB: (operation) => (isSumsFlush(operation.target) ? plan() : "pass") });
			for (let n = 1; n <= 3; n++) {
				await billed(owner.key, FIRST_MODEL);
				const sent = meterOf(owner)
					.flushNow()
					.catch(() => undefined);
				if (fault !== "hangAfter") await sent;
				await expectRequests(n);
			}
			isFaulty = false;
			await killObject(stub());
			await expectRequests(3);
			await meterAlarm(owner);
			await eventually(async () => (await requestsInD1(owner)) === 3);
			expect(await sumsUnlikeD1(owner)).toBe(0);
			await expectRequests(3);
		},
	);

	it("counts a request that was stranded in D1 as soon as the meter has taken it over", async () => {
		faults = useFaults({ ACCOUNT_METER: onlyFor(["settle", "takeStranded"], () => "fail") });
		await billed(owner.key, FIRST_MODEL);
		faults.restore();
		expect((await usageOf(owner)).open).toHaveLength(1);
		expect((await groupsOf("group_by=day")).total).toMatchObject({ requests: 0 });
		await meterOf(owner).takeStranded(owner.user_id);
		expect((await usageOf(owner)).open).toEqual([]);
		await expectRequests(1);
	});

	it("is in no range that does not include today", async () => {
		faults = useFaults({ DB: ({ target }) => (isSumsFlush(target) ? "fail" : "pass") });
		await billed(owner.key, FIRST_MODEL);
		expect((await groupsOf("group_by=day&since=2026-01-01&until=2026-01-31")).data).toEqual([]);
		expect((await groupsOf(`group_by=day&since=${today()}&until=${today()}`)).data).toHaveLength(1);
	});
});

describe("parameters", () => {
	it.each([
		["group_by=user", "group_by"],
		["group_by=day&since=2026-02-30", "since"],
		["group_by=day&until=yesterday", "until"],
		["group_by=day&since=2026-11-21T00:00:00Z", "since"],
		["group_by=day&since=2026-03-02&until=2026-03-01", "since"],
		["group_by=day&since=2020-01-01&until=2026-01-01", "since"],
		["group_by=day&limit=0", "limit"],
		["group_by=day&limit=1001", "limit"],
		["group_by=day&cursor=a2V5", "cursor"],
		["since=2026-01-01", "since"],
		["limit=5", "limit"],
	])("%s is refused", async (query, name) => {
		for (const path of ["/v1/usage", "/v1/savings"]) {
			const response = await callWithKey(owner.key, `${path}?${query}`);
			const refusal = [response.status, await response.text()];
			expect(refusal, path).toEqual([422, expect.stringContaining(`${name}: `)]);
		}
	});
});

/** Sums of a month: some keys, each with some models, every day. */
function fillMonth(keys: readonly string[], requestsADay: number): Promise<unknown> {
	const n = requestsADay / keys.length / 2;
	const counts = { requests: n, model_requests: n, calls: n, tokens: 2 * n, input_tokens: n, cost_nano_usd: n };
	const sums = listDays("2026-01-01", "2026-01-30").flatMap((day) =>
		keys.flatMap((api_key_id) => [FIRST_MODEL, SECOND_MODEL].map((model) => ({ day, api_key_id, model, ...counts }))),
	);
	const names = Object.keys(counts);
	return inMeter(owner, (sql) =>
		sql
			.exec(
				`INSERT INTO day_sums (day, api_key, model, ${names.join()}) SELECT value ->> 'day', value ->> 'api_key_id', value ->> 'model',
					${names.map((name) => `value ->> '${name}'`).join()} FROM json_each(?)`,
				JSON.stringify(withLargerSums(sums)),
			)
			.toArray(),
	);
}

describe("a month of 50,000 requests a day", () => {
	const MONTH = "since=2026-01-01&until=2026-01-30";

	it.each(["group_by=key", "group_by=tag", "group_by=model", "group_by=day"])(
		"by %s is summed up by the meter, and D1 is asked for the labels of keys alone",
		async (query) => {
			const other = await keyWith({ tags: ["ci"] });
			await billed(owner.key, FIRST_MODEL);
			await fillMonth([owner.key_id, other.key_id], 50_000);
			await callWithKey(owner.key, "/v1/plans");
			let found: Groups | undefined;
			const statements = await statementsOf(async () => {
				found = await groupsOf(`${query}&${MONTH}`);
			});
			const all = { requests: 1_500_000, calls: 1_500_000, tokens: 3_000_000 };
			expect(found?.total).toMatchObject(all);
			const sum = (amount: (group: Group) => number) => found?.data.reduce((total, group) => total + amount(group), 0);
			expect(sum(({ calls }) => calls)).toBe(all.calls);
			expect(sum(({ tokens }) => tokens)).toBe(all.tokens);
			expect(statements.filter(({ sql }) => /usage_days|stranded/i.test(sql))).toEqual([]);
		},
	);
});

describe("CSV", () => {
	it("has the page's groups, and runs nothing in a spreadsheet", async () => {
		const { key, key_id, last4 } = await keyWith({ name: '=HYPERLINK("http://a.test")', tags: ["-1", "ci"] });
		const { tokens, costUsd } = await billed(key, FIRST_MODEL);
		const [group] = (await groupsOf("group_by=key")).data;
		const response = await csvOf("/v1/usage?group_by=key");
		expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
		expect(response.headers.get("vary")).toContain("accept");
		const cost = costUsd.toFixed(9).replace(/0+$/, "");
		expect(await response.text()).toBe(
			"key_id,name,last4,tags,revoked_at,requests,calls,tokens,input_tokens,cost_usd,refused,failed,latency_ms_p50,latency_ms_p95,first_token_ms_p50,first_token_ms_p95\r\n" +
				`${key_id},"'=HYPERLINK(""http://a.test"")",${last4},"'-1 ci",,1,1,${tokens},${group?.input_tokens},${cost},0,0,,,,\r\n`,
		);
	});

	it("names the next page in a header", async () => {
		await fillMonth([owner.key_id], 50_000);
		const query = "group_by=day&since=2026-01-29&until=2026-01-30&limit=1";
		const first = await csvOf(`/v1/usage?${query}`);
		const cursor = first.headers.get("x-svc-next-cursor");
		expect(cursor).toBe((await groupsOf(query)).next_cursor);
		expect(first.headers.get("access-control-expose-headers")).toContain("x-svc-next-cursor");
		const second = await csvOf(`/v1/usage?${query}&cursor=${cursor}`);
		expect(second.headers.get("x-svc-next-cursor")).toBeNull();
		expect(await second.text()).toMatch(/^day,requests,.*\r\n2026-01-29,50000,/);
	});

	it("is for groups only: without group_by the answer is JSON, whatever is accepted", async () => {
		for (const path of ["/v1/usage", "/v1/savings"]) {
			const plain = await callWithKey(owner.key, path);
			const asked = await csvOf(path);
			expect(asked.headers.get("content-type")).toBe(plain.headers.get("content-type"));
			expect(await asked.text()).toBe(await plain.text());
		}
	});

	it("is not sent to callers who take anything", async () => {
		const response = await csvOf("/v1/usage?group_by=day", "*/*");
		expect(response.headers.get("content-type")).toContain("application/json");
	});
});

describe("GET /v1/savings?group_by=", () => {
	it("prices each group at the baseline, and all of them as without groups", async () => {
		const agent = await keyWith({ name: "agent" });
		await billed(owner.key, FIRST_MODEL);
		await billed(agent.key, SECOND_MODEL);
		const plain: Record<string, unknown> = await (await callWithKey(owner.key, "/v1/savings")).json();
		const { baseline_model: _, total_requests: requests, total_tokens: tokens, ...amounts } = plain;
		const grouped: { object: string; total: unknown; data: { actual_cost_usd: number; baseline_cost_usd: number }[] } =
			await (await callWithKey(owner.key, "/v1/savings?group_by=key")).json();
		expect(grouped).toMatchObject({ object: "savings.groups", total: { requests, tokens, ...amounts } });
		expect(grouped.data).toHaveLength(2);
		const sum = (amount: (group: { actual_cost_usd: number; baseline_cost_usd: number }) => number) =>
			grouped.data.reduce((total, group) => total + amount(group), 0);
		expect(sum((group) => group.actual_cost_usd)).toBeCloseTo(Number(amounts["actual_cost_usd"]), 8);
		expect(sum((group) => group.baseline_cost_usd)).toBeCloseTo(Number(amounts["baseline_cost_usd"]), 8);
	});

	it("comes as CSV, and refuses a baseline that it does not know", async () => {
		await billed(owner.key, FIRST_MODEL);
		const response = await csvOf("/v1/savings?group_by=model");
		expect(await response.text()).toMatch(
			/^model,requests,tokens,actual_cost_usd,baseline_cost_usd,saved_usd,saved_pct\r\n.+\r\n$/,
		);
		expect((await callWithKey(owner.key, "/v1/savings?group_by=key&baseline=nope")).status).toBe(400);
	});
});

describe("groups by what clients name", () => {
	const named = (session: string | null, user: string | null, key = owner.key) => {
		const init = withKey(key, { messages: [{ role: "user", content: "hi" }], ...(user === null ? {} : { user }) });
		const headers: Record<string, string> = session === null ? {} : { "x-session-id": session };
		return call("/v1/chat/completions", { ...init, headers: { ...init.headers, ...headers } });
	};
	const groupsOf = async (query: string, key = owner.key) => {
		const response = await callWithKey(key, `/v1/usage?group_by=${query}`);
		expect(response.status, await response.clone().text()).toBe(200);
		return (await response.json()) as Omit<Groups, "data"> & {
			counted_since: string | null;
			data: (Amounts & { session_id?: string | null; end_user?: string | null })[];
		};
	};

	it("have each request once under its end user and its session, and together the total", async () => {
		await named("s1", "ada");
		await named("s1", "bob");
		await named("s2", "ada");
		await named(null, null);
		const orchestrated = withKey(owner.key, {
			messages: [{ role: "user", content: "2+2?" }],
			strategy: "self_consistency",
			user: "ada",
		});
		expect((await call("/v2/orchestrate", orchestrated)).status).toBe(200);
		const byUser = await groupsOf("end_user");
		expect(byUser.data.map(({ end_user, requests }) => [end_user, requests])).toEqual([
			[null, 1],
			["ada", 3],
			["bob", 1],
		]);
		const bySession = await groupsOf("session");
		expect(bySession.data.map(({ session_id, requests }) => [session_id, requests])).toEqual([
			[null, 2],
			["s1", 2],
			["s2", 1],
		]);
		const byDay = await groupsOf("day");
		for (const { data, total, counted_since } of [byUser, bySession]) {
			expect(counted_since).toBeNull();
			expect(total).toEqual(byDay.total);
			for (const amount of ["requests", "calls", "tokens", "input_tokens", "cost_usd"] as const)
				expect(data.reduce((sum, group) => sum + group[amount], 0)).toBeCloseTo(total[amount], 9);
		}
		const csv = await call("/v1/usage?group_by=session&limit=2", {
			headers: { ...withKey(owner.key).headers, accept: "text/csv" },
		});
		expect((await csv.text()).split("\r\n")[0]).toMatch(/^session_id,requests/);
		const savings = await callWithKey(owner.key, "/v1/savings?group_by=end_user");
		expect(((await savings.json()) as { data: unknown[] }).data).toHaveLength(3);
	});

	it("say from when on they count, where there are more requests than they read", async () => {
		await named("s", "ada");
		const at = Date.now();
		// Copies of the row, each a millisecond before the one before.
		await inMeter(owner, (sql) => {
			const columns = sql.exec("SELECT * FROM requests LIMIT 0").columnNames.filter((name) => name !== "n");
			sql.exec(
				`INSERT INTO requests (n, ${columns.join(", ")}) SELECT n - 4096 * (value + 1), ${columns.map((name) => `requests.${name}`).join(", ")}
				FROM requests, json_each(?)`,
				JSON.stringify(Array.from({ length: 20_500 }, (_, n) => n)),
			);
		});
		const since = new Date(at - 3 * 86_400_000).toISOString().slice(0, 10);
		const { data, counted_since } = await groupsOf(`end_user&since=${since}`);
		expect(data).toHaveLength(1);
		expect(data[0]?.requests).toBe(20_000);
		expect(Date.parse(counted_since ?? "")).toBeGreaterThan(at - 21_000);
		expect(Date.parse(counted_since ?? "")).toBeLessThan(at - 19_000);
	});

	it("are those of its own requests to a key that reads only its own", async () => {
		const agent = (await (await callWithKey(owner.key, "/v1/keys", { role: "agent" })).json()) as { key: string };
		await named("s1", "ada");
		await named("s2", "bob", agent.key);
		const { data, total } = await groupsOf("end_user", agent.key);
		expect(data.map(({ end_user }) => end_user)).toEqual(["bob"]);
		expect(total.requests).toBe(1);
	});
});

describe("how long requests took, and which failed,", () => {
	interface TimedGroup extends Group {
		refused: number;
		failed: number;
		provider?: string | null;
		latency_ms: { p50: number | null; p95: number | null };
		first_token_ms: { p50: number | null; p95: number | null };
	}
	const timed = async (query: string, key = owner.key) =>
		(await groupsOf(query, key)) as unknown as { total: TimedGroup; data: TimedGroup[] };
	const NOTHING = { p50: null, p95: null };

	/** Asks each model once, and fails each way. */
	async function furnish(key: string): Promise<void> {
		await billed(key, FIRST_MODEL);
		await billed(key, SECOND_MODEL);
		expect((await chat(key, "hi", { max_tokens: -1 })).status).toBe(422);
		expect((await chat(key, "hi", { max_tokens: -1 })).status).toBe(422);
		expect((await chat(key, "[[status 503]]", { model: FIRST_MODEL })).status).toBe(502);
	}

	async function expectAll(key: string): Promise<void> {
		const took = { p50: expect.any(Number), p95: expect.any(Number) };
		const { total, data } = await timed("group_by=day", key);
		expect(total).toMatchObject({ requests: 2, refused: 2, failed: 1, latency_ms: took, first_token_ms: took });
		expect(data).toMatchObject([{ day: today(), requests: 2, refused: 2, failed: 1, latency_ms: took }]);
		const byModel = await timed("group_by=model", key);
		expect(byModel.total).toMatchObject({ refused: 2, failed: 1, latency_ms: took });
		const settled = byModel.data.filter(({ requests }) => requests > 0);
		expect(settled.map(({ model }) => model)).toEqual([FIRST_MODEL, SECOND_MODEL].sort());
		for (const group of settled) expect(group).toMatchObject({ refused: 0, latency_ms: took, first_token_ms: took });
		// Of the last model that was tried.
		expect(byModel.data.reduce((sum, { failed }) => sum + failed, 0)).toBe(1);
		const byProvider = await timed("group_by=provider", key);
		expect(byProvider.data.reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
		expect(byProvider.data.reduce((sum, { failed }) => sum + failed, 0)).toBe(1);
		for (const { provider } of byProvider.data) expect(provider).toEqual(expect.any(String));
		for (const grouping of ["key", "tag", "end_user", "session"]) {
			const groups = await timed(`group_by=${grouping}`, key);
			expect(groups.data, grouping).toMatchObject([{ refused: 2, failed: 1, latency_ms: NOTHING }]);
		}
	}

	it("is known at once, after a fold, and after the meter has died", async () => {
		await furnish(owner.key);
		await expectAll(owner.key);
		await killObject(stub() as unknown as DurableObjectStub<undefined>);
		await expectAll(owner.key);
		await foldMeter(owner.user_id);
		await expectAll(owner.key);
		await killObject(stub() as unknown as DurableObjectStub<undefined>);
		await expectAll(owner.key);
	});

	it("is shown to a key that reads only its own, without the others'", async () => {
		await furnish(owner.key);
		const own = await keyWith({ name: "own", role: "agent", own_only: true });
		expect((await timed("group_by=day", own.key)).total).toMatchObject({ refused: 0, failed: 0, latency_ms: NOTHING });
		await furnish(own.key);
		await expectAll(own.key);
	});

	it("has a column each in CSV", async () => {
		await furnish(owner.key);
		const [names = "", first = ""] = (await (await csvOf("/v1/usage?group_by=day")).text()).split("\r\n");
		expect(names).toContain("refused,failed,latency_ms_p50,latency_ms_p95,first_token_ms_p50,first_token_ms_p95");
		expect(first.split(",")).toHaveLength(names.split(",").length);
	});
});
