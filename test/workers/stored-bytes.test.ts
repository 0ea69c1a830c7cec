// The quota of stored bytes: what counts, what is refused, what a full quota still does, and that nothing counts twice or for ever.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tableNames } from "../../src/durable/table-rows.edge.ts";
import type { AccountMeter } from "../../src/meter/account-meter.object.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import { hashText } from "../../src/proof/hash.ts";
import { postRun, readRun } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { saltedHash } from "../support/second-ledger.ts";
import { call, callWithKey, db, eventually, withKey } from "../support/service.ts";
import { TEST_ADMIN_TOKEN } from "../support/variables.ts";

const DAY_MS = 86_400_000;
const QUOTA = 200_000_000;
const WORKSPACE = "stored";

const { key } = useService("personal");
afterEach(() => {
	vi.useRealTimers();
});

const meter = (): DurableObjectStub<AccountMeter> => env.ACCOUNT_METER.getByName(key.user_id);

async function storage(): Promise<{ stored_bytes: number; quota_bytes: number | null }> {
	const answer = await callWithKey(key.key, "/v1/usage");
	return (await answer.json<{ storage: { stored_bytes: number; quota_bytes: number | null } }>()).storage;
}
const stored = async () => (await storage()).stored_bytes;

/** Leaves only some bytes of the quota. */
async function fill(left: number): Promise<void> {
	const rollingBytes = QUOTA - left - (await stored());
	const write = { rollingBytes, keptBytes: 0 };
	await meterClient(env.ACCOUNT_METER, key.user_id).countStored({
		id: crypto.randomUUID(),
		userId: key.user_id,
		plan: "personal",
		write,
	});
}

async function json<T = Record<string, unknown>>(answer: Response | Promise<Response>, status = 200): Promise<T> {
	const response = await answer;
	const text = await response.text();
	expect(response.status, text).toBe(status);
	return JSON.parse(text) as T;
}

const check = (body: object = {}) =>
	callWithKey(key.key, "/v1/policy/check", { workspace_id: WORKSPACE, action: "Do it", ...body });
const handoff = (objective = "Done", body: object = {}) =>
	callWithKey(key.key, "/v1/handoff", { workspace_id: WORKSPACE, objective, action_kind: "edit", ...body });
const put = (manifest: object) =>
	call(`/v1/workspace/${WORKSPACE}/manifest`, { ...withKey(key.key, manifest), method: "PUT" });
const share = (text: string) => callWithKey(key.key, "/v1/brain/share", { brain_md: text });
const payloads = async (type: string) =>
	(
		await json<{ data: { payload: Record<string, unknown> }[] }>(
			callWithKey(key.key, `/v1/audit/events?event_type=${type}`),
		)
	).data.map(({ payload }) => payload);

describe("what is stored", () => {
	it("counts as much as it has in D1, or a little more, and a share no more when it is deleted", async () => {
		expect(await storage()).toEqual({ stored_bytes: 0, quota_bytes: QUOTA });
		const text = "x".repeat(20_000);
		await json(check({ context: { text } }));
		const ofCheck = await stored();
		expect(ofCheck).toBeGreaterThan(20_000);
		expect(ofCheck).toBeLessThan(23_000);
		await json(handoff("Done", { constraints: [text] }));
		const ofHandoff = (await stored()) - ofCheck;
		expect(ofHandoff).toBeGreaterThan(40_000);
		expect(ofHandoff).toBeLessThan(45_000);
		const row = await db
			.prepare("SELECT octet_length(subject) + octet_length(constraints) AS bytes FROM handoffs WHERE user_id = ?")
			.bind(key.user_id)
			.first<{ bytes: number }>();
		expect(ofHandoff).toBeGreaterThan(row?.bytes ?? 0);
		const before = await stored();
		const { share_id } = await json<{ share_id: string }>(share("# Routing\n\nmodel: auto\n"));
		expect(await stored()).toBeGreaterThan(before + 256);
		await json(share("# Routing\n\nmodel: auto\n"));
		const shared = await stored();
		await json(call(`/v1/b/${share_id}`, { ...withKey(key.key), method: "DELETE" }));
		expect(await stored()).toBe(before);
		expect(shared).toBeGreaterThan(before);
	});

	/** A routing config of more than 25 KB. */
	const config = (seed: string) => ({
		brain_config: { rules: Array(50).fill({ when: { contains: seed.repeat(500) }, use: { tier: "budget" } }) },
	});
	const change = (keyId: string, options: object) =>
		call(`/v1/keys/${keyId}`, { ...withKey(key.key, options), method: "PATCH" });

	it("of keys counts with the configs that their events repeat, and a full quota stops no small change", async () => {
		const before = await stored();
		const made = await json<{ key_id: string }>(callWithKey(key.key, "/v1/keys", config("a")));
		const ofMade = (await stored()) - before;
		expect(ofMade).toBeGreaterThan(25_000);
		await json(change(made.key_id, config("b")));
		expect((await stored()) - before - ofMade).toBeGreaterThan(50_000);
		const total = await stored();
		await json(change(made.key_id, config("b")));
		expect(await stored()).toBe(total);
		await fill(10_000);
		const refused = await json(change(made.key_id, config("c")), 402);
		expect(refused).toMatchObject({ stored_bytes: QUOTA - 10_000, quota_bytes: QUOTA });
		await json(callWithKey(key.key, `/v1/keys/${made.key_id}/rotate`, {}), 402);
		expect(await stored()).toBe(QUOTA - 10_000);
		await fill(0);
		const small = await json<{ key_id: string }>(callWithKey(key.key, "/v1/keys", { name: "small" }));
		await json(callWithKey(key.key, `/v1/keys/${small.key_id}/rotate`, {}));
		await json(call(`/v1/keys/${made.key_id}`, { ...withKey(key.key), method: "DELETE" }));
	});

	it("of a manifest counts once for each text: the same again nothing, an earlier one only its row", async () => {
		const [a, b] = ["a", "b"].map((name) => ({ project_name: name, stack: [name.repeat(500), name.repeat(499)] }));
		await json(put(a ?? {}));
		const first = await stored();
		await json(put(a ?? {}));
		expect(await stored()).toBe(first);
		await json(put(b ?? {}));
		const second = await stored();
		await json(put(a ?? {}));
		expect(await stored()).toBeLessThan(second + 1_000);
		expect(second).toBeGreaterThan(first + 1_200);
		const rows = await db
			.prepare(
				"SELECT version, same_as, length(manifest) AS chars FROM workspace_manifests WHERE user_id = ? ORDER BY version",
			)
			.bind(key.user_id)
			.all<{ version: number; same_as: number | null; chars: number }>();
		expect(rows.results.map(({ version, same_as, chars }) => [version, same_as, chars > 0])).toEqual([
			[1, null, true],
			[2, null, true],
			[3, 1, false],
		]);
		const at = (version: string) =>
			json<{ manifest: object; digest: string; version: number }>(
				callWithKey(key.key, `/v1/workspace/${WORKSPACE}/manifest${version}`),
			);
		expect(await at("")).toMatchObject({ version: 3, manifest: a });
		expect(await at("?version=3")).toMatchObject({ digest: (await at("?version=1")).digest, manifest: a });
		expect(await at("?version=2")).toMatchObject({ manifest: b });
	});

	it("counts once however often its request is sent to the meter, and leaves after thirty days where it is append-only", async () => {
		const client = meterClient(env.ACCOUNT_METER, key.user_id);
		const write = {
			id: "one",
			userId: key.user_id,
			plan: "personal" as const,
			write: { rollingBytes: 1_000, keptBytes: 50 },
		};
		await Promise.all(Array.from({ length: 5 }, () => client.countStored(write)));
		await evictDurableObject(meter());
		await client.countStored(write);
		expect(await stored()).toBe(1_050);
		vi.useFakeTimers({ now: Date.now() + 29 * DAY_MS, toFake: ["Date"] });
		expect(await stored()).toBe(1_050);
		vi.setSystemTime(Date.now() + DAY_MS);
		expect(await stored()).toBe(50);
		await client.giveBackStored("one");
		await client.giveBackStored("one");
		expect(await stored()).toBe(0);
	});
});

describe("a full quota", () => {
	it.each([
		["a handoff", () => handoff("Done", { constraints: ["x".repeat(20_000)] })],
		["a manifest", () => put({ stack: ["x".repeat(500)] })],
		["a share", () => share("# Routing\n\nmodel: auto\n")],
		["a run", () => postRun(key, { goal: "x".repeat(2_000) })],
	])("refuses %s with 402, says how much there is, and counts the request", async (_, send) => {
		await fill(100);
		const response = await send();
		expect(response.headers.get("x-should-retry")).toBe("false");
		expect(response.headers.get("x-ratelimit-remaining-requests")).toMatch(/^\d+$/);
		const before = Number(response.headers.get("x-ratelimit-remaining-requests"));
		const refused = await json(response, 402);
		expect(refused).toMatchObject({ error: "storage_quota_exceeded", stored_bytes: QUOTA - 100, quota_bytes: QUOTA });
		expect(await stored()).toBe(QUOTA - 100);
		const next = await callWithKey(key.key, "/v1/usage");
		expect(Number(next.headers.get("x-ratelimit-remaining-requests"))).toBeLessThan(before);
		for (const table of ["handoffs", "workspace_manifests", "brain_shares", "agent_runs"]) {
			const row = await db
				.prepare(`SELECT count(*) AS n FROM ${table} WHERE user_id = ?`)
				.bind(key.user_id)
				.first<{ n: number }>();
			expect(row?.n, table).toBe(0);
		}
	});

	it("of a hundred handoffs at once lets in as many as fit", async () => {
		const one = await (async () => {
			await json(handoff());
			return stored();
		})();
		await fill(3 * one + 10);
		const answers = await Promise.all(Array.from({ length: 40 }, () => handoff()));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
		expect(answers.filter(({ status }) => status === 402)).toHaveLength(37);
		expect(await stored()).toBe(QUOTA - 10);
	});

	it("stops no policy check: its context is kept as a digest, long lists in part, and answer and event say so", async () => {
		await fill(100);
		const context = { b: "é", a: ["x".repeat(9_000)] };
		const commands = Array.from({ length: 300 }, (_, n) => `echo ${n} ${"y".repeat(300)}`);
		const answer = await json(check({ context, commands: ["rm -rf /", ...commands] }));
		const canonical = `{"a":["${"x".repeat(9_000)}"],"b":"é"}`;
		const digest = { hash: hashText(canonical), bytes: new TextEncoder().encode(canonical).length };
		expect(answer).toMatchObject({ decision: "deny", reduced: "storage_quota_exceeded", context_digest: digest });
		const [payload] = await payloads("policy_check");
		expect(payload).toMatchObject({
			context: null,
			context_digest: digest,
			reduced: "storage_quota_exceeded",
			truncated: true,
		});
		expect(JSON.stringify(payload).length).toBeLessThan(4_096);
		expect(await stored()).toBeLessThan(QUOTA + 5_000);
		const plain = await json(check());
		expect(Object.keys(plain)).not.toContain("reduced");
	});

	it("that holds what was never stored is counted anew in D1, and then has room", async () => {
		await json(share("# Routing\n\nmodel: auto\n"));
		const kept = await stored();
		// As a process leaves it that died between the count and the write.
		await meterClient(env.ACCOUNT_METER, key.user_id).countStored({
			id: "died",
			userId: key.user_id,
			plan: "personal",
			write: { rollingBytes: 0, keptBytes: QUOTA - kept },
		});
		vi.useFakeTimers({ now: Date.now() + 120_000, toFake: ["Date"] });
		await json(handoff(), 402);
		await eventually(async () => (await stored()) === kept);
		await json(handoff());
	});
});

describe("a run", () => {
	it("counts all that is kept of it, and what D1 says is what the meter has", async () => {
		const run = await json<{ run_id: string; output: string }>(postRun(key, { goal: "Say a", max_steps: 1 }));
		const row = await db
			.prepare("SELECT stored_bytes, run FROM agent_runs WHERE id = ?")
			.bind(run.run_id)
			.first<{ stored_bytes: number; run: string }>();
		expect(row?.stored_bytes).toBeGreaterThan(row?.run.length ?? Number.POSITIVE_INFINITY);
		const all = await stored();
		expect(all).toBeGreaterThan(row?.stored_bytes ?? 0);
		expect(all).toBeLessThan((row?.stored_bytes ?? 0) + 4_000);
		vi.useFakeTimers({ now: Date.now() + 31 * DAY_MS, toFake: ["Date"] });
		expect(await stored()).toBe(row?.stored_bytes);
	});

	it("whose cap pays for no call keeps a digest of its goal, counts as a request, and gives its bytes back", async () => {
		const goal = `Begin ${"é".repeat(100_000)}`;
		const run = await json<{ run_id: string; salt: string }>(postRun(key, { goal, max_cost_usd: 0.000001 }));
		const goal_digest = { hash: saltedHash(run.salt, goal), bytes: 200_006 };
		expect(run).toMatchObject({ status: "budget_exhausted", steps_taken: 0, goal: "", plan: [], goal_digest });
		expect(await readRun(key, run.run_id)).toEqual(run);
		const list = await json<{ data: object[] }>(callWithKey(key.key, "/v1/agent/runs"));
		expect(list.data).toMatchObject([{ run_id: run.run_id, goal: "", goal_digest }]);
		expect(await stored()).toBeLessThan(6_000);
		const rows = await db.prepare("SELECT * FROM agent_runs WHERE user_id = ?").bind(key.user_id).all();
		const events = await db.prepare("SELECT * FROM audit_events WHERE user_id = ?").bind(key.user_id).all();
		expect(rows.results).toHaveLength(1);
		expect(JSON.stringify([rows.results, events.results])).not.toContain("ééé");
		const held = await runInDurableObject(env.AGENT_RUN.getByName(`run:${run.run_id}`), (_, { storage: { sql } }) =>
			JSON.stringify(tableNames(sql).map((table) => [...sql.exec(`SELECT * FROM ${table}`)])),
		);
		expect(held).not.toContain("ééé");
		const limits = await json<{ limits: { daily_requests_used: number } }>(callWithKey(key.key, "/v1/usage"));
		expect(limits.limits.daily_requests_used).toBe(2);
	});
});

describe("GET /internal/usage", () => {
	const list = async (query = "") =>
		json<{ has_more: boolean; next_cursor: string | null; data: Record<string, unknown>[] }>(
			call(`/internal/usage${query}`, { headers: { authorization: `Bearer ${TEST_ADMIN_TOKEN}` } }),
		);

	it("shows each user's sums, flushed once a minute at most, in pages", async () => {
		await json(check());
		const first = await stored();
		vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ["Date"] });
		await runDurableObjectAlarm(meter());
		const own = async () => (await list("?limit=1000")).data.find(({ user_id }) => user_id === key.user_id);
		expect(await own()).toMatchObject({
			plan: "personal",
			requests: 0,
			cost_usd: 0,
			stored_bytes: first,
			quota_bytes: QUOTA,
		});
		await json(check());
		vi.setSystemTime(Date.now() + 10_000);
		await runDurableObjectAlarm(meter());
		expect(await own()).toMatchObject({ stored_bytes: first });
		vi.setSystemTime(Date.now() + 60_000);
		await runDurableObjectAlarm(meter());
		expect(await own()).toMatchObject({ stored_bytes: 2 * first });
		const all = (await list("?limit=1000")).data.map(({ user_id }) => user_id);
		const paged: unknown[] = [];
		for (let query: string | null = "?limit=1"; query !== null && paged.length <= all.length; ) {
			const page = await list(query);
			paged.push(...page.data.map(({ user_id }) => user_id));
			query = page.next_cursor === null ? null : `?limit=1&cursor=${page.next_cursor}`;
		}
		expect(paged).toEqual(all);
	});

	it("is for the operator only", async () => {
		expect((await callWithKey(key.key, "/internal/usage")).status).toBe(401);
	});
});
