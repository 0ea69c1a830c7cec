// The audit log owes: every event once, in order, to its user alone, for good.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditEventRow } from "../../src/audit/event.ts";
import { statementsOf } from "../support/d1-statements.ts";
import { always, useFaults, writes } from "../support/faults.ts";
import { call, callWithKey, db, newKey, type TestKey } from "../support/service.ts";

let key: TestKey;
beforeEach(async () => {
	key = await newKey("corporate");
});

interface Event {
	id: string;
	event_type: string;
	workspace_id: string | null;
	actor: string;
	payload: Record<string, unknown>;
	created_at: string;
	decision?: string;
}

interface List {
	count: number;
	has_more: boolean;
	next_cursor: string | null;
	data: Event[];
}

async function list(query: Record<string, string | number> = {}, own = key): Promise<List> {
	const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
	const response = await callWithKey(own.key, `/v1/audit/events?${search}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** Follows the cursor to the end. */
async function walk(query: Record<string, string | number> = {}, between = async () => {}): Promise<Event[]> {
	const events: Event[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const page: List = await list({ ...query, ...(cursor ? { cursor } : {}) });
		expect(page.count).toBe(page.data.length);
		expect(page.has_more).toBe(page.next_cursor !== null);
		events.push(...page.data);
		cursor = page.next_cursor;
		await between();
	}
	return events;
}

async function handoff(workspace_id: string, objective = "Hand on"): Promise<string> {
	const response = await callWithKey(key.key, "/v1/handoff", { workspace_id, objective });
	expect(response.status).toBe(200);
	return ((await response.json()) as { id: string }).id;
}

let recorded = 0;

/** An event as a later part of the service will record it. */
async function record(event: Partial<AuditEventRow> & Pick<AuditEventRow, "event_type">): Promise<string> {
	const id = `ae_01ARZ3NDEKTSV4RRFFQ6${String(++recorded).padStart(6, "0")}`;
	const row: AuditEventRow = {
		id,
		user_id: key.user_id,
		workspace_id: "shop",
		actor: `key:${key.key_id}`,
		decision: null,
		risk_score: null,
		risk_tier: null,
		payload: "{}",
		created_at: new Date().toISOString(),
		...event,
	};
	await env.WORKSPACE_LEDGER.getByName(`${key.user_id}/shop`).record(row, { kind: "workspace", id: "shop" });
	return id;
}

describe("GET /v1/audit/events", () => {
	it("is empty for a user who has done nothing", async () => {
		expect(await list()).toEqual({
			...{ object: "audit.events", count: 0, has_more: false, next_cursor: null, searched_back_to: null },
			data: [],
		});
	});

	it("says who did what, where and when", async () => {
		const id = await handoff("shop", "Speed up the order list");
		expect((await list()).data).toEqual([
			{
				id: expect.stringMatching(/^ae_[0-9A-Z]{26}$/),
				event_type: "handoff_created",
				workspace_id: "shop",
				actor: `key:${key.key_id}`,
				payload: expect.objectContaining({ handoff_id: id, seq: 0, objective: "Speed up the order list" }),
				created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			},
		]);
	});

	it("filters by workspace, type, decision and time, each alone and together", async () => {
		const a = await handoff("shop");
		await handoff("a/b@c:d");
		const types = ["agent_plan", "agent_record"] as const;
		for (const event_type of types) await record({ event_type, workspace_id: null });
		const decisions = ["allow", "deny", "confirm", "approve"];
		for (const decision of decisions)
			await record({ event_type: "policy_check", decision, risk_score: 50, risk_tier: "confirm" });

		expect((await list()).count).toBe(8);
		expect((await list({ workspace_id: "shop" })).count).toBe(5);
		expect((await list({ workspace_id: "a/b@c:d" })).count).toBe(1);
		expect((await list({ workspace_id: "nobodys" })).count).toBe(0);
		for (const event_type of types) {
			const { data } = await list({ event_type });
			expect(data.map((event) => [event.event_type, event.workspace_id])).toEqual([[event_type, null]]);
		}
		for (const decision of decisions) {
			const { data } = await list({ decision });
			expect(data).toMatchObject([{ event_type: "policy_check", decision, risk_score: 50, risk_tier: "confirm" }]);
		}
		expect((await list({ decision: "deny", event_type: "handoff_created" })).count).toBe(0);
		expect((await list({ decision: "deny", event_type: "policy_check", workspace_id: "shop" })).count).toBe(1);
		const [first] = (await walk()).filter(({ payload }) => payload["handoff_id"] === a);
		expect((await list({ until: first?.created_at ?? "" })).count).toBe(0);
		expect((await list({ since: first?.created_at ?? "" })).count).toBe(8);
	});

	it("filters by who did it, alone and with other filters", async () => {
		await handoff("shop");
		const other: TestKey = await (await callWithKey(key.key, "/v1/keys", { role: "agent" })).json();
		const check = { workspace_id: "shop", action: "Tidy up" };
		expect((await callWithKey(other.key, "/v1/policy/check", check)).status).toBe(200);
		const typesOf = async (query: Record<string, string>) => (await walk(query)).map(({ event_type }) => event_type);
		expect(await typesOf({ actor: `key:${other.key_id}` })).toEqual(["policy_check"]);
		expect(await typesOf({ actor: `key:${key.key_id}` })).toEqual(["key_created", "handoff_created"]);
		expect(await typesOf({ actor: `key:${key.key_id}`, workspace_id: "shop" })).toEqual(["handoff_created"]);
		expect(await typesOf({ actor: "operator", event_type: "policy_check" })).toEqual([]);
	});

	it("begins a range with its first moment and ends it before its last, in whatever zone they are written", async () => {
		const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
		for (const second of [1, 2, 3]) await record({ event_type: "agent_record", created_at: at(second) });
		const seconds = async (query: Record<string, string>) =>
			(await list(query)).data.map(({ created_at }) => new Date(created_at).getUTCSeconds());
		expect(await seconds({ since: at(2) })).toEqual([3, 2]);
		expect(await seconds({ until: at(2) })).toEqual([1]);
		expect(await seconds({ since: at(1), until: at(3) })).toEqual([2, 1]);
		expect(await seconds({ since: "2026-01-01T01:00:02+01:00" })).toEqual([3, 2]);
		expect(await seconds({ since: at(3), until: at(1) })).toEqual([]);
	});

	it("refuses what it cannot read, and names it", async () => {
		const wrong: [string, string][] = [
			["limit", "0"],
			["limit", "201"],
			["limit", "ten"],
			["cursor", "nope"],
			["cursor", ""],
			["event_type", "login"],
			["decision", "maybe"],
			["since", "yesterday"],
			["until", "2026-02-30T00:00:00Z"],
			["workspace_id", "no spaces"],
		];
		for (const [name, value] of wrong) {
			const response = await callWithKey(key.key, `/v1/audit/events?${new URLSearchParams([[name, value]])}`);
			const body = (await response.json()) as { error: string; issues: { path: string }[] };
			expect([response.status, body.error, body.issues[0]?.path], `${name}=${value}`).toEqual([
				422,
				"invalid_request",
				name,
			]);
		}
	});

	it("shows a user nothing of another's, also in a workspace of the same name", async () => {
		const id = await handoff("shop");
		const other = await newKey("pro");
		expect((await list({}, other)).count).toBe(0);
		expect((await list({ workspace_id: "shop" }, other)).count).toBe(0);
		const { next_cursor } = await list({ limit: 1 });
		expect(next_cursor).toBeNull();
		expect(JSON.stringify(await list({}, other))).not.toContain(id);
	});
});

describe("a walk by cursor", () => {
	it("misses nothing and repeats nothing while writers are at work", async () => {
		for (let i = 0; i < 25; i++) await handoff(`shop-${i % 3}`, `before ${i}`);
		const before = new Set((await walk({ limit: 200 })).map(({ id }) => id));
		expect(before.size).toBe(25);
		let running = true;
		const writer = async (n: number) => {
			for (let i = 0; running; i++) await handoff(`shop-${n}`, `during ${i}`);
		};
		const writers = [0, 1, 2].map(writer);
		const walked = await walk({ limit: 3 });
		running = false;
		await Promise.all(writers);
		const ids = walked.map(({ id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids.filter((id) => before.has(id))).toHaveLength(25);
		const order = walked.map(({ created_at, id }) => `${created_at} ${id}`);
		expect(order).toEqual(order.toSorted().reverse());
	});

	it("shows everything that was acknowledged while D1 refused, and shows it once when D1 has it", async () => {
		await handoff("shop", "before");
		const faults = useFaults({ DB: (operation) => (writes(operation) ? "fail" : "pass") });
		try {
			for (const workspace of ["shop", "depot", "shop"]) await handoff(workspace, "meanwhile");
			expect(await walk({ limit: 1 })).toHaveLength(4);
			expect(await walk({ workspace_id: "shop" })).toHaveLength(3);
			await evictDurableObject(env.WORKSPACE_LEDGER.getByName(`${key.user_id}/shop`));
			expect(await walk({ limit: 2 })).toHaveLength(4);
		} finally {
			faults.restore();
		}
		for (const workspace of ["shop", "depot"])
			await runDurableObjectAlarm(env.WORKSPACE_LEDGER.getByName(`${key.user_id}/${workspace}`));
		const stored = await db
			.prepare("SELECT count(*) AS n FROM audit_events WHERE user_id = ?")
			.bind(key.user_id)
			.first<number>("n");
		expect(stored).toBe(4);
		expect(await walk({ limit: 1 })).toHaveLength(4);
	});

	it("gets pages that fit into memory, however large the events, and misses none", async () => {
		const payload = JSON.stringify({ note: "é".repeat(250_000) });
		const ids: string[] = [];
		for (let i = 0; i < 40; i++) ids.push(await record({ event_type: "agent_record", payload }));
		const faults = useFaults({ DB: (operation) => (writes(operation) ? "fail" : "pass") });
		try {
			for (let i = 0; i < 5; i++) ids.push(await record({ event_type: "agent_record", payload }));
			const first = await list({ limit: 200, workspace_id: "shop" });
			expect([first.count, first.has_more]).toEqual([15, true]);
			expect((await walk({ limit: 200, workspace_id: "shop" })).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
		} finally {
			faults.restore();
		}
	});

	it("goes on in pages over more than a call between objects can carry, while D1 refuses", async () => {
		const faults = useFaults({ DB: (operation) => (writes(operation) ? "fail" : "pass") });
		try {
			// 40 events of a MB: workerd carries at most 32 MB between objects.
			const payload = JSON.stringify({ text: "x".repeat(1_000_000) });
			for (let i = 0; i < 40; i++) await record({ event_type: "agent_record", payload });
			const events = await walk({ workspace_id: "shop", limit: 200 });
			expect(new Set(events.map(({ id }) => id)).size).toBe(40);
		} finally {
			faults.restore();
		}
	});

	it("is 503 and not short when D1 is away", async () => {
		await handoff("shop");
		const faults = useFaults({ DB: always("fail") });
		try {
			const response = await callWithKey(key.key, "/v1/audit/events");
			expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
		} finally {
			faults.restore();
		}
	});
});

/** Stores so many events of the user in D1, one a second, in one workspace. Every hundredth is a handoff of a rare actor's. */
async function storeEvents(count: number): Promise<void> {
	await db
		.prepare(
			`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
			INSERT INTO audit_events (id, user_id, workspace_id, event_type, actor, decision, risk_score, risk_tier, payload, created_at)
			SELECT 'ae_' || printf('%020d', i) || substr(?1, -6), ?1, 'shop',
				iif(i % 100 = 0, 'handoff_created', 'policy_check'), iif(i % 100 = 0, 'key:rare', 'key:common'),
				iif(i % 100 = 0, NULL, 'allow'), 1, 'auto', '{}', strftime('%Y-%m-%dT%H:%M:%S.000Z', '2026-01-01', i || ' seconds')
			FROM n`,
		)
		.bind(key.user_id, count)
		.run();
}

describe("a log of 20,000 events", () => {
	async function rowsRead(query: Record<string, string | number>): Promise<number> {
		await callWithKey(key.key, "/v1/plans");
		// What another test's objects flush meanwhile is not the page's.
		const statements = (await statementsOf(() => list(query))).filter(({ sql }) => /^select\b/i.test(sql));
		for (const { plan, sql } of statements) expect(plan, sql).not.toMatch(/SCAN audit_events/);
		return statements.reduce((sum, statement) => sum + statement.rowsRead, 0);
	}

	it("is read by index: a page costs its own rows where one filter is named, wherever it is", async () => {
		await storeEvents(20_000);
		const filters: Record<string, string>[] = [
			{},
			{ workspace_id: "shop" },
			{ event_type: "handoff_created" },
			{ decision: "allow" },
			{ decision: "deny" },
			{ workspace_id: "nobodys", event_type: "policy_check", decision: "allow" },
		];
		// An index entry and a row each, and what the page's sums take.
		for (const filter of filters)
			for (const until of ["2026-02-01", "2026-01-01T02:30:00Z", "2026-01-01T00:00:30Z"])
				expect(await rowsRead({ ...filter, until }), JSON.stringify(filter)).toBeLessThanOrEqual(7 * 51);
	});

	it("is read by index behind a cursor, however much lies before it in the range", async () => {
		await storeEvents(20_000);
		const until = "2026-02-01";
		const { next_cursor } = await list({ until: "2026-01-01T01:00:00Z" });
		const filters: Record<string, string>[] = [{}, { workspace_id: "shop" }, { decision: "allow" }];
		for (const filter of filters)
			expect(await rowsRead({ ...filter, until, cursor: next_cursor ?? "" })).toBeLessThanOrEqual(7 * 51);
	});

	it("is looked through in bounded parts where several are named, and nothing is left out", async () => {
		await storeEvents(20_000);
		const rare = { workspace_id: "shop", actor: "key:rare" };
		expect(await list({ ...rare, limit: 200 })).toMatchObject({
			...{ count: 50, has_more: true, searched_back_to: expect.any(String) },
		});
		expect(await rowsRead({ ...rare, limit: 200 })).toBeLessThanOrEqual(5 * 5_000);
		expect(await walk({ ...rare, limit: 30 })).toHaveLength(200);
		expect(await walk({ ...rare, limit: 200 })).toHaveLength(200);
	});
});

describe("an event", () => {
	afterEach(async () => {
		expect((await list()).data).toMatchObject([{ event_type: "handoff_created" }]);
	});

	it("cannot be changed, removed or replaced, not even in the database", async () => {
		await handoff("shop");
		const own = "WHERE user_id = ?";
		const attempts = [
			`UPDATE audit_events SET payload = '{}' ${own}`,
			`UPDATE audit_events SET created_at = '2000' ${own}`,
			`DELETE FROM audit_events ${own}`,
		];
		for (const sql of attempts) await expect(db.prepare(sql).bind(key.user_id).run()).rejects.toThrow(/append-only/);
		const [event] = (await list()).data;
		const replaced = await db
			.prepare(
				"INSERT OR REPLACE INTO audit_events (id, user_id, event_type, actor, payload, created_at) VALUES (?, ?, 'agent_plan', 'x', '{}', '2000')",
			)
			.bind(event?.id, key.user_id)
			.run();
		expect(replaced.meta.changes).toBe(0);
	});

	it("has no endpoint that changes or removes it", async () => {
		await handoff("shop");
		for (const method of ["DELETE", "PUT", "PATCH", "POST"]) {
			const headers = { authorization: `Bearer ${key.key}` };
			expect((await call("/v1/audit/events", { method, headers })).status).toBe(405);
		}
	});
});
