// What the ledger owes when things go wrong: one chain, every answered handoff in it once, and reads that see it.
import { createExecutionContext, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import type { AuditEventRow } from "../../src/audit/event.ts";
import { readFromOwners, readUnflushedEvents } from "../../src/audit/owners.edge.ts";
import { PLANS } from "../../src/catalog/plans.ts";
import { type Handoff, toHandoff, toHandoffContent, toHandoffDraft } from "../../src/ledger/handoff.ts";
import { ledgerClient } from "../../src/ledger/ledger-client.edge.ts";
import type { AppendRequest } from "../../src/ledger/workspace-ledger.object.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import { FULL_GRANT } from "../support/caller.ts";
import { chainPath, errorOf, handOn, handOnTimes, ledgerOf, readChain, WORKSPACE } from "../support/ledger.ts";
import { callWithKey, db, eventually, newKey, ORIGIN, type TestKey } from "../support/service.ts";

let key: TestKey;
beforeEach(async () => {
	key = await newKey("corporate");
});
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

const ALL_EVENTS = { filter: {}, after: null, limit: 50 };

type Fault = "none" | "before" | "after";

/** D1's writes fail as `next` says: before anything is applied, or after all of it is. */
function failWrites(next: () => Fault): void {
	const batch = env.DB.batch.bind(env.DB);
	vi.spyOn(env.DB, "batch").mockImplementation(async (statements) => {
		const fault = next();
		if (fault === "before") throw new Error("D1_ERROR: failed before it was applied");
		const results = await batch(statements);
		if (fault === "after") throw new Error("D1_ERROR: failed after it was applied");
		return results as never;
	});
}

function count(table: "handoffs" | "audit_events"): Promise<number> {
	return db
		.prepare(`SELECT count(*) AS n FROM ${table} WHERE user_id = ?`)
		.bind(key.user_id)
		.first<number>("n")
		.then((n) => n ?? -1);
}

/** Everything answered is in one sound chain, once, in D1 as well, each with its event. */
async function expectOneChain(answered: readonly Handoff[], length = answered.length): Promise<void> {
	await eventually(async () => {
		await runDurableObjectAlarm(ledgerOf(key));
		return (await count("handoffs")) === length;
	});
	expect(await count("audit_events")).toBe(length);
	const { data, verification } = await readChain(key, `?expected_size=${length}`);
	expect(verification).toMatchObject({ ok: true, n: length, reasons: [], complete: true });
	expect(data.map(({ seq }) => seq)).toEqual(Array.from({ length }, (_, seq) => seq));
	const byId = new Map(data.map((entry) => [entry.id, entry]));
	for (const entry of answered) expect(byId.get(entry.id)).toEqual(entry);
}

function inParallel(times: number): Promise<Handoff[]> {
	return Promise.all(Array.from({ length: times }, (_, i) => handOn(key, { objective: `parallel ${i}` })));
}

function appendRequest(id: string): AppendRequest {
	const draft = toHandoffDraft(toHandoffContent({ workspace_id: WORKSPACE, objective: "Hand on" }), 1);
	return { id, eventId: `ae_${id}`, userId: key.user_id, workspaceId: WORKSPACE, actor: "key:k", draft };
}

/** An append by the Worker's own client, which repeats a call that failed; null when it gave up. */
async function append(i: number): Promise<Handoff | null> {
	const client = ledgerClient(env, key.user_id, WORKSPACE);
	const verdict = await client.append(appendRequest(`ho_${key.user_id}_${i}`)).catch(() => null);
	return verdict?.appended ? toHandoff(verdict.entry) : null;
}

describe("300 parallel appends leave one chain of 300", () => {
	it("when nothing fails", async () => {
		await expectOneChain(await inParallel(300));
	});

	it("while D1 fails before and after it has applied a write", async () => {
		const faults: Fault[] = ["before", "after", "none"];
		let writes = 0;
		failWrites(() => faults[writes++ % faults.length] ?? "none");
		const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => append(i)));
		await expectOneChain(answers.filter((entry) => entry !== null));
		expect(writes).toBeGreaterThan(3);
	});

	it("while the object is torn down in the middle, again and again", async () => {
		const answers: Promise<Handoff | null>[] = [];
		let torn = 0;
		for (let i = 0; i < 300; i++) {
			answers.push(append(i));
			if (i % 50 !== 49) continue;
			await Promise.race(answers.slice(-50));
			// Calls under way fail with it, as in a crash; the next one finds a new object on the same storage.
			await runInDurableObject(ledgerOf(key), (_, state) => state.abort("torn down")).catch(() => torn++);
		}
		const answered = (await Promise.all(answers)).filter((entry) => entry !== null);
		expect(torn).toBe(6);
		// Who got no answer may have an entry or not; who got one has one.
		const { size } = await ledgerOf(key).state();
		expect(answered.length).toBeGreaterThan(0);
		expect(size).toBeGreaterThanOrEqual(answered.length);
		expect(size).toBeLessThanOrEqual(300);
		await expectOneChain(answered, size);
	});
});

describe("an append", () => {
	it("repeated is the same entry, at once and after an eviction", async () => {
		const first = await ledgerOf(key).append(appendRequest(`ho_a_${key.user_id}`));
		expect(await ledgerOf(key).append(appendRequest(`ho_a_${key.user_id}`))).toEqual(first);
		await ledgerOf(key).append(appendRequest(`ho_b_${key.user_id}`));
		await evictDurableObject(ledgerOf(key));
		expect(await ledgerOf(key).append(appendRequest(`ho_a_${key.user_id}`))).toEqual(first);
		expect((await ledgerOf(key).state()).size).toBe(2);
		await eventually(async () => (await count("handoffs")) === 2);
		expect(await count("audit_events")).toBe(2);
	});

	it("that is repeatable is the same entry also after the object has forgotten it", async () => {
		const request = { ...appendRequest(`ho_a_${key.user_id}`), isRepeatable: true as const };
		const first = await ledgerOf(key).append(request);
		await eventually(async () => (await count("handoffs")) === 1);
		await runInDurableObject(ledgerOf(key), (_, { storage }) =>
			storage.sql.exec("DELETE FROM entries; DELETE FROM events"),
		);
		expect(await ledgerOf(key).append(request)).toEqual({ ...first, flushed: true });
		await handOn(key);
		await eventually(async () => (await count("handoffs")) === 2);
		expect(await count("audit_events")).toBe(2);
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: 2 });
	});

	it("that is repeatable waits for a D1 that cannot say whether the entry is there", async () => {
		const request = { ...appendRequest(`ho_a_${key.user_id}`), isRepeatable: true as const };
		const prepare = vi.spyOn(env.DB, "prepare").mockImplementation(() => {
			throw new Error("D1_ERROR: away");
		});
		// A stub's promise can be called, and `expect` calls what it can: a second append, which nobody awaits.
		await expect(() => ledgerOf(key).append(request)).rejects.toThrow();
		prepare.mockRestore();
		expect((await ledgerOf(key).state()).size).toBe(0);
		expect(await ledgerOf(key).append(request)).toMatchObject({ appended: true });
	});

	it("under the id of another entry is refused, remembered or in D1 alone", async () => {
		const request = { ...appendRequest(`ho_a_${key.user_id}`), isRepeatable: true as const };
		const { draft } = request;
		await ledgerOf(key).append(request);
		const others: AppendRequest[] = [
			{ ...request, draft: { ...draft, objective: "Another" } },
			{ ...request, draft: { ...draft, validation: [{ id: "action_digest", description: "another" }] } },
			{ ...request, draft: { ...draft, to_tool: "another" } },
			{ ...request, draft: { ...draft, risk: { ...draft.risk, score: 99 } } },
		];
		const taken = { appended: false, reason: "id_taken" };
		for (const other of others) expect(await ledgerOf(key).append(other)).toEqual(taken);
		await eventually(async () => (await count("handoffs")) === 1);
		await runInDurableObject(ledgerOf(key), (_, { storage }) =>
			storage.sql.exec("DELETE FROM entries; DELETE FROM events"),
		);
		for (const other of others) expect(await ledgerOf(key).append(other)).toEqual(taken);
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: 1 });
	});

	it("whose answer is lost is repeated by the Worker, and is one entry", async () => {
		let lost = 0;
		const namespace = {
			getByName: (name: string) => {
				const stub = env.WORKSPACE_LEDGER.getByName(name);
				return {
					append: async (given: AppendRequest) => {
						const verdict = await stub.append(given);
						if (lost++ === 0) throw new Error("the connection broke");
						return verdict;
					},
				};
			},
		} as unknown as Env["WORKSPACE_LEDGER"];
		const created = await handOnWith({ WORKSPACE_LEDGER: namespace });
		expect(lost).toBe(2);
		await expectOneChain([created]);
	});

	it("whose ledger is away is 503, never an entry without an answer to it", async () => {
		const away = { getByName: () => ({ append: () => Promise.reject(new Error("away")) }) };
		const response = await callWith({ WORKSPACE_LEDGER: away as unknown as Env["WORKSPACE_LEDGER"] });
		expect(await errorOf(response)).toEqual({ status: 503, error: "storage_unavailable", retryAfter: "2" });
		expect(await readChain(key)).toMatchObject({ count: 0 });
	});
});

/** A handoff through the app with some bindings replaced. */
function callWith(bindings: Partial<Env>): Promise<Response> {
	const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json" };
	const body = JSON.stringify({ workspace_id: WORKSPACE, objective: "Hand on" });
	const request = new Request(`${ORIGIN}/v1/handoff`, { method: "POST", headers, body });
	return Promise.resolve(app.fetch(request, { ...env, ...bindings }, createExecutionContext()));
}

async function handOnWith(bindings: Partial<Env>): Promise<Handoff> {
	const response = await callWith(bindings);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** What an endpoint has in hand of its caller. */
function caller() {
	return {
		account: { userId: key.user_id, keyId: key.key_id, plan: PLANS.corporate, number: 1, key: FULL_GRANT },
		meter: (userId: string) => meterClient(env.ACCOUNT_METER, userId),
		env,
		waitUntil: () => undefined,
	};
}

describe("while D1 takes no writes", () => {
	it("what was answered is read by id, in its chain, in checkpoints and proofs, and over an eviction", async () => {
		await handOnTimes(key, 2);
		failWrites(() => "before");
		const created = await handOnTimes(key, 3);
		expect(await count("handoffs")).toBe(2);
		for (const round of ["at once", "after an eviction"]) {
			if (round !== "at once") await evictDurableObject(ledgerOf(key));
			for (const entry of created) {
				expect(await (await callWithKey(key.key, `/v1/handoff/${entry.id}`)).json(), round).toEqual(entry);
			}
			const { data, verification, count: entries } = await readChain(key, "?after=1&expected_size=5");
			expect([data, entries], round).toEqual([created, 5]);
			expect(verification, round).toMatchObject({ ok: true, n: 5, complete: true });
			const proof = await callWithKey(key.key, `${chainPath()}/proof?index=4`);
			expect([proof.status, await proof.json()]).toMatchObject([200, { size: 5, index: 4 }]);
			expect(await (await callWithKey(key.key, `${chainPath()}/checkpoint`)).text()).toContain("\n5\n");
		}
	});

	it("the meter knows which ledgers to ask, until they have flushed", async () => {
		const meter = meterClient(env.ACCOUNT_METER, key.user_id);
		const marked = () => meter.markedOwners("", 10);
		const owner = `workspace:${WORKSPACE}`;
		await handOn(key);
		expect(await marked()).toEqual([]);
		failWrites(() => "before");
		await handOn(key);
		await handOn(key);
		expect(await marked()).toEqual([{ owner, mark: expect.any(Number) }]);
		const events = await readUnflushedEvents(caller(), ALL_EVENTS);
		expect(events.ok && events.value.map(({ event_type }) => event_type)).toEqual([
			"handoff_created",
			"handoff_created",
		]);
		expect(await marked()).toHaveLength(1);
		// A mark that was replaced meanwhile stays.
		const [last] = await marked();
		await meter.unmarkOwner(owner, (last?.mark ?? 0) - 1);
		expect(await marked()).toEqual([last]);

		vi.restoreAllMocks();
		await eventually(async () => {
			await runDurableObjectAlarm(ledgerOf(key));
			return (await count("handoffs")) === 3;
		});
		await eventually(async () => (await marked()).length === 0);
		expect(await readUnflushedEvents(caller(), ALL_EVENTS)).toEqual({ ok: true, value: [] });
		expect(
			await readFromOwners(caller(), "workspace", () => Promise.reject(new Error("nobody is to be asked"))),
		).toEqual({
			ok: true,
			value: [],
		});
	});

	it("no append waits for it after the first, and the alarm brings what is left", async () => {
		let writes = 0;
		failWrites(() => {
			writes++;
			return "before";
		});
		await handOnTimes(key, 5);
		expect(writes).toBeLessThan(5);
		vi.restoreAllMocks();
		await expectOneChain([], 5);
	});
});

describe("an object that died before its flush", () => {
	it("is brought back by its alarm", async () => {
		failWrites(() => "before");
		const created = await handOn(key);
		await evictDurableObject(ledgerOf(key));
		vi.restoreAllMocks();
		expect(await runDurableObjectAlarm(ledgerOf(key))).toBe(true);
		await expectOneChain([created]);
	});
});

describe("an audit event of its own", () => {
	it("goes the same way, once however often it is recorded", async () => {
		const event: AuditEventRow = {
			id: `ae_${crypto.randomUUID()}`,
			user_id: key.user_id,
			workspace_id: WORKSPACE,
			event_type: "policy_check",
			actor: "key:k",
			decision: "allow",
			risk_score: 0,
			risk_tier: "auto",
			payload: '{"action":"x"}',
			created_at: new Date().toISOString(),
		};
		for (const _ of [1, 2]) expect(await ledgerOf(key).record(event, { kind: "workspace", id: WORKSPACE })).toBe(true);
		const stored = await db.prepare("SELECT * FROM audit_events WHERE user_id = ?").bind(key.user_id).all();
		const origin = { agent: null, session_id: null, directory: null, permission_mode: null };
		expect(stored.results).toEqual([{ ...event, ...origin }]);
		expect(await readChain(key)).toMatchObject({ count: 0, verification: { ok: true } });
	});
});

describe("D1 that is away", () => {
	it("is 503 for reads, never an empty chain or an unknown handoff", async () => {
		const { id } = await handOn(key);
		vi.spyOn(env.DB, "prepare").mockImplementation(() => {
			throw new Error("D1_ERROR: away");
		});
		for (const path of [`/v1/handoff/${id}`, chainPath(), `${chainPath()}/proof?index=0`]) {
			expect(await errorOf(callWithKey(key.key, path)), path).toMatchObject({
				status: 503,
				error: "storage_unavailable",
			});
		}
	});
});

describe("flushed entries", () => {
	it("are kept for ten minutes, and forgotten when something else is written", async () => {
		await handOnTimes(key, 3);
		const held = () =>
			runInDurableObject(ledgerOf(key), (_, state) =>
				state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM entries").one(),
			);
		expect((await held()).n).toBe(3);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60_000 });
		await handOn(key);
		expect((await held()).n).toBe(1);
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: 4 });
	});
});
