// Objects that an earlier version of the service has left, under the code of today: upgraded in place with all they hold.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { always, faultyNamespace, onlyFor, useFaults, writes } from "../support/faults.ts";
import { errorOf, handOn, ledgerOf, readChain, WORKSPACE } from "../support/ledger.ts";
import {
	callWithKey,
	chat,
	chatWith,
	db,
	eventually,
	newKey,
	operator,
	receiptOf,
	type TestKey,
	type Upstream,
	type UsageReport,
	usageOf,
	usageRowsInD1,
	useSandbox,
} from "../support/service.ts";

/** What the first version of the service made; one that is older still had no `unflushed`. */
const METER_1 = [
	"CREATE TABLE account (plan TEXT NOT NULL)",
	"CREATE TABLE revoked_keys (key_id TEXT PRIMARY KEY) WITHOUT ROWID",
	"CREATE TABLE minutes (minute INTEGER PRIMARY KEY, requests INTEGER NOT NULL)",
	`CREATE TABLE admissions (request_id TEXT PRIMARY KEY, at_ms INTEGER NOT NULL,
		reservation TEXT, expires_at_ms INTEGER, proof_hash TEXT, closed_at_ms INTEGER) WITHOUT ROWID`,
	"CREATE TABLE outbox (request_id TEXT PRIMARY KEY, settlement TEXT NOT NULL)",
	"CREATE TABLE unflushed (workspace_id TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID",
];
const LEDGER_1 = [
	"CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL)",
	"CREATE TABLE entries (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, flushed_at_ms INTEGER)",
	`CREATE TABLE events (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, handoff_id TEXT, event TEXT NOT NULL,
		flushed_at_ms INTEGER)`,
	"CREATE INDEX events_unflushed ON events (n) WHERE flushed_at_ms IS NULL",
	"CREATE INDEX entries_unflushed ON entries (seq) WHERE flushed_at_ms IS NULL",
];

type Row = Record<string, SqlStorageValue>;

function tablesOf(sql: SqlStorage): string[] {
	const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'";
	return [...sql.exec<{ name: string }>(tables)].map(({ name }) => name);
}

function insert(sql: SqlStorage, table: string, rows: readonly Row[]): void {
	for (const row of rows) {
		const values = Object.values(row);
		const columns = Object.keys(row).join();
		sql.exec(`INSERT INTO ${table} (${columns}) VALUES (${values.map(() => "?").join()})`, ...values);
	}
}

/** Puts an object back to the tables of version 1 with what it holds in them, and `more`; it wakes on the next call. */
async function putBack(
	stub: DurableObjectStub<undefined>,
	version1: readonly string[],
	more: Record<string, readonly Row[]> = {},
): Promise<void> {
	await runInDurableObject(stub, (_, { storage: { sql } }) => {
		const held = new Map(tablesOf(sql).map((table) => [table, sql.exec<Row>(`SELECT * FROM ${table}`).toArray()]));
		for (const table of held.keys()) sql.exec(`DROP TABLE ${table}`);
		for (const statement of version1) sql.exec(statement);
		for (const table of tablesOf(sql)) insert(sql, table, [...(held.get(table) ?? []), ...(more[table] ?? [])]);
	});
	await evictDurableObject(stub);
}

/** What a meter of version 1 would hold in place of what this one holds, in the tables that it had. */
function meterRows(sql: SqlStorage): Record<string, Row[]> {
	const slots = sql.exec<Row>("SELECT * FROM slots").toArray();
	const [folded] = sql.exec<{ settled: number; minutes: string }>("SELECT settled, minutes FROM folded").toArray();
	const isPending = ({ settled }: Row) => Number(settled) > (folded?.settled ?? 0);
	const minutes = new Map<number, number>();
	const { from, requests } = JSON.parse(folded?.minutes ?? '{"from":0,"requests":[]}');
	for (const [offset, count] of requests.entries()) minutes.set(from + offset, count);
	const reach = sql.exec<{ admitted: number }>("SELECT admitted FROM folded").toArray()[0]?.admitted ?? 0;
	for (const { admitted, at_ms, counts } of slots) {
		const minute = Math.floor(Number(at_ms) / 60_000);
		if (Number(admitted) > reach && counts === 1) minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
	}
	return {
		admissions: slots.map(
			({
				request_id = null,
				at_ms = null,
				expires_at_ms = null,
				closed_at_ms = null,
				proof_hash = null,
				body = null,
			}) => {
				const reservation = closed_at_ms === null ? body : null;
				return { request_id, at_ms, reservation, expires_at_ms, proof_hash, closed_at_ms };
			},
		),
		outbox: slots
			.filter(isPending)
			.toSorted((a, b) => Number(a["settled"]) - Number(b["settled"]))
			.map(({ request_id = null, body = null }) => ({ request_id, settlement: body })),
		minutes: [...minutes].map(([minute, count]) => ({ minute, requests: count })),
	};
}

/** The same for a meter, with what it holds in other tables and `more`. */
async function putMeterBack(
	stub: DurableObjectStub<undefined>,
	more: Record<string, readonly Row[]> = {},
): Promise<void> {
	const held = await runInDurableObject(stub, (_, { storage: { sql } }) => meterRows(sql));
	await putBack(stub, METER_1, { ...held, ...more });
}

/** Puts a user's rows in D1 back to where versions before had them. */
async function putRowsBack(userId: string): Promise<void> {
	const columns =
		"request_id, user_id, created_at, kind, model, provider, mode, tokens, input_tokens, cost_nano_usd, estimated, outcome, latency_ms, fallback, calls";
	await db.batch(
		[
			`INSERT INTO usage (${columns}) SELECT ${columns} FROM settlements WHERE user_id = ?`,
			`INSERT INTO receipts (request_id, user_id, kind, receipt, proof_hash, signature, key_id, created_at)
				SELECT request_id, user_id, kind, receipt, proof_hash, signature, key_id, settled_at FROM settlements WHERE user_id = ?`,
			"DELETE FROM settlements WHERE user_id = ?",
		].map((statement) => db.prepare(statement).bind(userId)),
	);
}

let key: TestKey;
let user: string;
let faults: { restore(): void } | undefined;
let upstream: Upstream;
beforeEach(async () => {
	user = `upgraded-${crypto.randomUUID()}`;
	key = await newKey("pro", user);
	upstream = useSandbox();
});
afterEach(() => {
	vi.useRealTimers();
	faults?.restore();
	upstream.restore();
});

const meterOf = ({ user_id }: TestKey) => env.ACCOUNT_METER.getByName(user_id);
const refuseWrites = () => useFaults({ DB: (operation) => (writes(operation) ? "fail" : "pass") });
const marked = async () => (await meterOf(key).markedOwners("", 100)).map(({ owner }) => owner).toSorted();

describe("a meter of version 1", () => {
	async function checked(): Promise<unknown[]> {
		const answer = await operator("GET", `/internal/usage/check?user=${encodeURIComponent(user)}`);
		expect(answer.status).toBe(200);
		return ((await answer.json()) as { data: unknown[] }).data;
	}

	/** A meter of before with a row in D1, one that D1 has without the meter knowing, one that is pending, and one open. */
	async function leaveBehind(): Promise<{ ids: string[]; before: UsageReport }> {
		const ids: string[] = [];
		const ask = async (content: string) => {
			const response = await chat(key.key, content);
			expect(response.status).toBe(200);
			ids.push(response.headers.get("x-request-id") ?? "");
		};
		await ask("stored");
		await runDurableObjectAlarm(meterOf(key));
		await meterOf(key).setPlan("pro");
		await meterOf(key).revokeKey("key_old");
		faults = useFaults({ DB: (operation) => (writes(operation) ? "failAfter" : "pass") });
		await ask("stored, and its answer lost");
		await eventually(async () => (await usageRowsInD1(key)) === 2);
		faults.restore();
		// Nothing but flushes is refused: the test itself writes.
		faults = useFaults({ DB: ({ target }) => (/insert into "settlements"/i.test(target) ? "fail" : "pass") });
		await ask("pending");
		// A request under way in the old version: admitted, never settled.
		upstream.restore();
		upstream = useSandbox(() => new Promise(() => undefined));
		const ACCOUNT_METER = faultyNamespace(env.ACCOUNT_METER, onlyFor(["settle", "release"], always("fail")));
		void chatWith({ ACCOUNT_METER }, key.key, "left behind").catch(() => undefined);
		await eventually(async () => upstream.requests.length === 1);
		const before = await usageOf(key);
		expect(before.total_requests).toBe(3);
		await putRowsBack(key.user_id);
		await putMeterBack(meterOf(key));
		return { ids, before };
	}

	it("keeps its limits, plan, revocations, open reservations and usage, nothing lost and nothing doubled", async () => {
		const { ids, before } = await leaveBehind();
		expect({ ...(await usageOf(key)), limits: null }).toEqual({ ...before, limits: null });
		expect((await usageOf(key)).limits.daily_requests_used).toBe(before.limits.daily_requests_used);
		const asked = { requestId: "svc-x", keyId: "key_old", plan: "pro" as const, countsTowardsDay: true };
		expect(await meterOf(key).admit(asked)).toEqual({ admitted: false, reason: "revoked" });
		for (const id of ids) await receiptOf(id);
		faults?.restore();
		await runDurableObjectAlarm(meterOf(key));
		expect(await usageRowsInD1(key)).toBe(3);
		expect({ ...(await usageOf(key)), limits: null }).toEqual({ ...before, limits: null });
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 660_000 });
		await runDurableObjectAlarm(meterOf(key));
		expect(await usageRowsInD1(key)).toBe(4);
		const after = await usageOf(key);
		expect(after.total_requests).toBe(4);
		expect(after.recent.map(({ request_id }) => request_id)).toEqual(expect.arrayContaining(ids));
		expect(await checked()).toMatchObject([{ agrees: true, requests: 4 }]);
	});

	it("has no totals as long as it cannot read those of before, and has them all as soon as it can", async () => {
		const { before } = await leaveBehind();
		faults?.restore();
		faults = useFaults({ DB: ({ target }) => (target.includes("usage_rollups") ? "fail" : "pass") });
		for (const path of ["/v1/usage", "/v1/savings"]) {
			const answer = await errorOf(callWithKey(key.key, path));
			expect(answer, path).toMatchObject({ status: 503, error: "storage_unavailable" });
		}
		faults.restore();
		expect((await usageOf(key)).total_requests).toBe(before.total_requests);
	});

	it("whose request was settled in D1 by the version before counts it once", async () => {
		await leaveBehind();
		faults?.restore();
		const [{ request_id: open = "" } = {}] = await runInDurableObject(meterOf(key), (_, { storage }) =>
			storage.sql.exec<{ request_id: string }>("SELECT request_id FROM slots WHERE closed_at_ms IS NULL").toArray(),
		);
		const before = await usageOf(key);
		// As a Worker of before did when the meter was away.
		const copy = `INSERT INTO usage SELECT ?, user_id, created_at, kind, model, provider, mode, tokens, cost_nano_usd, estimated,
			outcome, latency_ms, fallback, calls, input_tokens FROM usage WHERE user_id = ? LIMIT 1`;
		await db.prepare(copy).bind(open, key.user_id).run();
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 660_000 });
		await runDurableObjectAlarm(meterOf(key));
		expect((await usageOf(key)).total_requests).toBe(before.total_requests + 1);
		expect(await usageRowsInD1(key)).toBe(4);
		expect(await checked()).toMatchObject([{ agrees: true, requests: 4 }]);
	});

	it("of a time before marks were kept has none", async () => {
		await putBack(
			meterOf(key),
			METER_1.filter((statement) => !statement.includes("unflushed")),
		);
		expect(await marked()).toEqual([]);
	});

	it("keeps its marks; those whose row D1 has are gone with the next alarm, without a read", async () => {
		const stale = Array.from({ length: 20 }, (_, n) => `shop-${n}`);
		const flushed = await handOn(key);
		const event = await db
			.prepare("SELECT id FROM audit_events WHERE user_id = ?")
			.bind(key.user_id)
			.first<string>("id");
		const byWorkspace = stale.map((workspace_id, n) => ({ workspace_id, mark: n % 2 === 0 ? flushed.id : `${event}` }));
		const open = { workspace_id: WORKSPACE, mark: "ho_not_yet_flushed" };
		faults = useFaults({ DB: () => "fail" });
		await putMeterBack(meterOf(key), { unflushed: [...byWorkspace, open] });
		const all = [...stale, WORKSPACE].map((workspace) => `workspace:${workspace}`).toSorted();
		expect(await marked()).toEqual(all);
		await runDurableObjectAlarm(meterOf(key));
		expect(await marked()).toEqual(all);
		faults.restore();
		await eventually(async () => {
			await runDurableObjectAlarm(meterOf(key));
			return (await marked()).length === 1;
		});
		expect(await marked()).toEqual([`workspace:${WORKSPACE}`]);
	});

	it("keeps marks for reads: what a ledger of version 1 holds is listed, and its mark goes with its flush", async () => {
		faults = refuseWrites();
		const { id } = await handOn(key);
		await putBack(ledgerOf(key), LEDGER_1);
		await putMeterBack(meterOf(key), { unflushed: [{ workspace_id: WORKSPACE, mark: id }] });
		const list = async () => {
			const { data } = (await (await callWithKey(key.key, "/v1/audit/events")).json()) as { data: unknown[] };
			return data;
		};
		expect(await list()).toMatchObject([{ payload: { handoff_id: id } }]);
		expect(await (await callWithKey(key.key, `/v1/handoff/${id}`)).json()).toMatchObject({ id });
		faults.restore();
		await runDurableObjectAlarm(ledgerOf(key));
		await eventually(async () => (await marked()).length === 0);
		expect(await list()).toMatchObject([{ payload: { handoff_id: id } }]);
	});
});

describe("a ledger of version 1", () => {
	it("keeps its chain, its head and what D1 lacks, and goes on with them", async () => {
		const created = [await handOn(key), await handOn(key)];
		faults = refuseWrites();
		created.push(await handOn(key));
		await putBack(ledgerOf(key), LEDGER_1);
		expect(await readChain(key, "?expected_size=3")).toMatchObject({
			data: created,
			verification: { ok: true, n: 3, complete: true },
		});
		created.push(await handOn(key));
		faults.restore();
		await eventually(async () => {
			await runDurableObjectAlarm(ledgerOf(key));
			return (await ledgerOf(key).state()).unflushed === 0;
		});
		expect(await readChain(key)).toMatchObject({ data: created, verification: { ok: true, n: 4 } });
	});

	it("marks itself when D1 refuses what it holds, also if no Worker had noted it", async () => {
		faults = refuseWrites();
		await handOn(key);
		await putBack(ledgerOf(key), LEDGER_1);
		await putMeterBack(meterOf(key));
		expect(await marked()).toEqual([]);
		await eventually(async () => {
			await runDurableObjectAlarm(ledgerOf(key));
			return (await marked()).length === 1;
		});
	});
});

describe("tables of a later version", () => {
	const fromTomorrow = (stub: DurableObjectStub<undefined>) =>
		runInDurableObject(stub, (_, { storage: { sql } }) => void sql.exec("UPDATE schema_version SET version = 99"));

	it("keep a ledger from answering, and are left as they are", async () => {
		const created = await handOn(key);
		await fromTomorrow(ledgerOf(key));
		await evictDurableObject(ledgerOf(key));
		const more = callWithKey(key.key, "/v1/handoff", { workspace_id: WORKSPACE, objective: "Hand on" });
		expect(await errorOf(more)).toMatchObject({ status: 503, error: "storage_unavailable" });
		expect(await (await callWithKey(key.key, `/v1/handoff/${created.id}`)).json()).toEqual(created);
	});

	it("keep a meter from letting anybody in", async () => {
		await usageOf(key);
		await fromTomorrow(meterOf(key));
		await evictDurableObject(meterOf(key));
		expect(await errorOf(callWithKey(key.key, "/v1/usage"))).toMatchObject({
			status: 503,
			error: "storage_unavailable",
		});
	});
});
