// Sessions of clients: requests, runs and policy checks of one session in one line of time, with what they cost, for its user's keys alone.
import { describe, expect, it } from "vitest";
import { findCheckedSessions } from "../../src/audit/session-checks.store.ts";
import { database } from "../../src/db/client.edge.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, db, eventually, inMeter, newKey, type TestKey, withKey } from "../support/service.ts";

const { key: owner } = useService("corporate");

interface Entry {
	type: "request" | "run" | "policy_check";
	at: string;
	request_id?: string;
	id?: string;
	cost_usd?: number;
	decision?: string;
}

interface SessionView {
	id: string;
	first_at: string;
	last_at: string;
	requests: number;
	cost_usd: number;
	tokens: number;
	checks: number;
	is_cut: boolean;
	has_more: boolean;
	next_cursor: string | null;
	data: Entry[];
}

interface SessionList {
	has_more: boolean;
	next_cursor: string | null;
	searched_back_to: string | null;
	data: SessionView[];
}

function post(path: string, body: unknown, session: string | null, key = owner.key): Promise<Response> {
	const init = withKey(key, body);
	const headers: Record<string, string> = session === null ? {} : { "x-session-id": session };
	return call(path, { ...init, headers: { ...init.headers, ...headers } });
}

/** A chat in a session. @returns its id and what it cost. */
async function chatIn(session: string | null, key = owner.key): Promise<{ id: string; cost: number }> {
	const response = await post("/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }] }, session, key);
	const { id, svc } = (await response.json()) as { id: string; svc: { cost: { total_usd: number } } };
	return { id, cost: svc.cost.total_usd };
}

async function checkIn(session: string | null, key = owner.key): Promise<string> {
	const body = { workspace_id: "order-service", action: "Roll out", commands: ["npm test"] };
	const response = await post("/v1/policy/check", body, session, key);
	return ((await response.json()) as { event_id: string }).event_id;
}

async function hookIn(session_id: string, key = owner.key): Promise<void> {
	const tool = { tool_name: "Bash", tool_input: { command: "npm install -g left-pad" } };
	const body = { hook_event_name: "PreToolUse", session_id, cwd: "/home/ada/shop", ...tool };
	expect((await post("/v1/hooks/claude-code?workspace=shop", body, null, key)).status).toBe(200);
}

async function session(id: string, query = "", key = owner.key): Promise<SessionView> {
	const response = await callWithKey(key, `/v1/sessions/${encodeURIComponent(id)}${query}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function sessions(query = "", key = owner.key): Promise<SessionList> {
	const response = await callWithKey(key, `/v1/sessions${query}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** All sessions, page by page. */
async function walkSessions(limit: number, key = owner.key): Promise<string[]> {
	const ids: string[] = [];
	for (let cursor: string | null = null; ; ) {
		const page: SessionList = await sessions(`?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`, key);
		ids.push(...page.data.map(({ id }) => id));
		if (page.next_cursor === null) return ids;
		cursor = page.next_cursor;
	}
}

/** A key of the owner's with the role of an agent. */
async function agentKey(): Promise<TestKey> {
	const response = await callWithKey(owner.key, "/v1/keys", { name: "agent", role: "agent" });
	return response.json();
}

describe("a session", () => {
	it("shows requests, runs and policy checks in one line of time, with what they cost", async () => {
		const first = await chatIn("one");
		const eventId = await checkIn("one");
		await hookIn("one");
		const run = await post("/v1/agent/run", { goal: "Say hello", max_steps: 1, max_cost_usd: 0.05 }, "one");
		const { run_id, cost_consumed_usd } = (await run.json()) as { run_id: string; cost_consumed_usd: number };
		const last = await chatIn("one");
		await chatIn("another");
		await chatIn(null);

		const shown = await session("one");
		expect(shown).toMatchObject({ object: "session", id: "one", requests: 3, runs: 1, checks: 2, is_cut: false });
		const asked = await (await callWithKey(owner.key, "/v1/requests?session_id=one")).json<{
			data: { tokens: number }[];
		}>();
		expect(shown.tokens).toBe(asked.data.reduce((sum, { tokens }) => sum + tokens, 0));
		expect(shown.cost_usd).toBeCloseTo(first.cost + last.cost + cost_consumed_usd, 9);
		expect(shown.data.map(({ type }) => type).toSorted()).toEqual([
			"policy_check",
			"policy_check",
			"request",
			"request",
			"run",
		]);
		const times = shown.data.map(({ at }) => at);
		expect(times).toEqual(times.toSorted().toReversed());
		expect([shown.first_at, shown.last_at]).toEqual([times.at(-1), times[0]]);
		const ids = shown.data.flatMap(({ request_id, id }) => request_id ?? id ?? []);
		expect(ids).toEqual(expect.arrayContaining([first.id, last.id, run_id, eventId]));
		expect(shown.data.find(({ id }) => id === eventId)).toMatchObject({ decision: expect.any(String) });
	});

	it("comes in pages that hold every entry once", async () => {
		for (let n = 0; n < 3; n++) {
			await chatIn("paged");
			await checkIn("paged");
			await hookIn("paged");
		}
		const whole = await session("paged");
		expect(whole.data).toHaveLength(9);
		for (const limit of [1, 2, 4]) {
			const entries: Entry[] = [];
			for (let query = `?limit=${limit}`; query !== ""; ) {
				const page = await session("paged", query);
				expect(page).toMatchObject({ requests: 3, checks: 6, cost_usd: whole.cost_usd });
				entries.push(...page.data);
				query = page.next_cursor === null ? "" : `?limit=${limit}&cursor=${page.next_cursor}`;
			}
			expect(entries).toEqual(whole.data);
		}
	});

	it("is found by its index, not by a walk through all requests", async () => {
		await chatIn("indexed");
		const plan = await inMeter(owner, (sql) =>
			sql
				.exec<{ detail: string }>(
					"EXPLAIN QUERY PLAN SELECT n FROM requests WHERE n >= 0 AND n < 9 AND session_id = 'indexed' ORDER BY n DESC LIMIT 3",
				)
				.toArray()
				.map(({ detail }) => detail),
		);
		expect(plan.join()).toContain("requests_session");
		const { results } = await db
			.prepare("EXPLAIN QUERY PLAN SELECT count(*) FROM audit_events WHERE user_id = 'u' AND session_id = 's'")
			.all<{ detail: string }>();
		expect(results.map(({ detail }) => detail).join()).toContain("audit_events_session");
	});

	it("is nobody else's, and an agent's key sees what it made", async () => {
		const agent = await agentKey();
		await chatIn("shared");
		await checkIn("shared");
		const stranger = await newKey("corporate");
		const refused = await callWithKey(stranger.key, "/v1/sessions/shared");
		expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([404, "session_not_found"]);
		expect((await callWithKey(agent.key, "/v1/sessions/shared")).status).toBe(404);
		expect(await walkSessions(10, agent.key)).toEqual([]);
		const own = await chatIn("shared", agent.key);
		await checkIn("shared", agent.key);
		expect(await session("shared", "", agent.key)).toMatchObject({ requests: 1, checks: 1, cost_usd: own.cost });
		expect(await session("shared")).toMatchObject({ requests: 2, checks: 2 });
		expect(await walkSessions(10, agent.key)).toEqual(["shared"]);
		expect(await walkSessions(10, stranger.key)).toEqual([]);
	});

	it("may have blanks and signs in its name", async () => {
		const name = "Fix: a/b & c? 100% (today)";
		await chatIn(name);
		expect(await session(name)).toMatchObject({ id: name, requests: 1 });
		await chatIn("later");
		expect(await walkSessions(1)).toEqual(["later", name]);
	});

	it("of which nothing is known is 404, and a cursor of another list 422", async () => {
		expect((await callWithKey(owner.key, "/v1/sessions/unknown")).status).toBe(404);
		await chatIn("known");
		expect((await callWithKey(owner.key, "/v1/sessions/known?cursor=bm8")).status).toBe(422);
	});
});

describe("the list of sessions", () => {
	it("has each session once, latest activity first, on pages of any size", async () => {
		await chatIn("a");
		await hookIn("only hooks");
		await chatIn("b");
		await checkIn("c");
		await chatIn("c");
		// The check makes it the latest again.
		await checkIn("a");
		const expected = ["a", "c", "b", "only hooks"];
		for (const limit of [1, 2, 3, 10]) expect(await walkSessions(limit)).toEqual(expected);
		const { data } = await sessions();
		expect(data.map(({ id, requests, checks }) => [id, requests, checks])).toEqual([
			["a", 1, 1],
			["c", 1, 1],
			["b", 1, 0],
			["only hooks", 0, 1],
		]);
	});

	it("is narrowed to what one key did, and to when a session was last seen", async () => {
		const agent = await agentKey();
		await chatIn("first");
		await chatIn("both", agent.key);
		await checkIn("both");
		await chatIn("last");
		const ofAgent = await sessions(`?key_id=${agent.key_id}`);
		expect(ofAgent.data).toMatchObject([{ id: "both", requests: 1, checks: 0 }]);
		expect((await sessions("?key_id=key_of_nobody")).data).toEqual([]);
		// An agent's key finds nothing by another's id.
		const { data } = await sessions();
		expect((await sessions(`?key_id=${owner.key_id}`, agent.key)).data).toEqual([]);
		const seen = new Map(data.map(({ id, last_at }) => [id, last_at]));
		const within = async (query: string) => (await sessions(query)).data.map(({ id }) => id);
		expect(await within(`?since=${seen.get("both")}`)).toEqual(["last", "both"]);
		expect(await within(`?until=${seen.get("both")}`)).toEqual(["first"]);
		expect(await within(`?since=${seen.get("both")}&until=${seen.get("last")}`)).toEqual(["both"]);
	});

	it("goes on where all sessions of a page have been active after it", async () => {
		for (const name of ["a", "b", "c", "d"]) await chatIn(name);
		await checkIn("c");
		await checkIn("b");
		for (const limit of [1, 2, 3]) expect(await walkSessions(limit)).toEqual(["b", "c", "d", "a"]);
	});

	it("has sessions of which all requests failed, and counts those", async () => {
		await chatIn("served");
		const refused = await post("/v1/chat/completions", { messages: 7 }, "refused");
		expect(refused.status).toBe(422);
		await chatIn("last");
		await eventually(async () => (await sessions()).data.length === 3);
		for (const limit of [1, 2, 10]) expect(await walkSessions(limit)).toEqual(["last", "refused", "served"]);
		expect(await session("refused")).toMatchObject({ requests: 0, failed: 1, cost_usd: 0, checks: 0 });
		expect((await session("refused")).data).toMatchObject([{ type: "request", outcome: "refused" }]);
	});

	it("goes on below where D1 has looked at enough checks", async () => {
		const at = (n: number) => new Date(Date.parse("2026-11-01T00:00:00.000Z") + n * 1_000).toISOString();
		const rows = Array.from({ length: 5_100 }, (_, n) => ({
			id: `ae_${String(n).padStart(26, "0")}`,
			created_at: at(n),
			session_id: `s${Math.floor(n / 2_550)}`,
		}));
		await db
			.prepare(
				`INSERT INTO audit_events (id, user_id, event_type, actor, payload, created_at, session_id)
				SELECT value ->> 'id', ?1, 'policy_check', 'key:k', '{}', value ->> 'created_at', value ->> 'session_id' FROM json_each(?2)`,
			)
			.bind(owner.user_id, JSON.stringify(rows))
			.run();
		const userId = owner.user_id;
		const found = await findCheckedSessions(database(db), { userId, actors: null }, "2027-01-01T00:00:00.000Z");
		expect(found).toEqual({ sessions: ["s1", "s0"], readTo: at(100) });
		expect(await walkSessions(10)).toEqual(["s1", "s0"]);
		expect(await walkSessions(1)).toEqual(["s1", "s0"]);
	});
});
