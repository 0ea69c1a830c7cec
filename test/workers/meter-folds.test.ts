// What a meter remembers when it dies: its fold and the rows that came after it, at every step of a fold, under clocks that go back, with
// ids of any age; and the sums that D1 is to get.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type DaySum, DaySums } from "../../src/meter/day-sums.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import { MeterState } from "../../src/meter/meter-state.edge.ts";
import type { Settlement } from "../../src/meter/settlement.ts";
import { UsageTotals } from "../../src/meter/usage-totals.ts";
import { countingSql, counts, resetCounts } from "../bench/counting/counts.ts";
import {
	alarmAtMs,
	type Fault,
	type FaultPlan,
	inOrder,
	isSumsFlush,
	killObject,
	useFaults,
} from "../support/faults.ts";
import { foldMeter } from "../support/folds.ts";
import { db, eventually, requestsInD1, sumsUnlikeD1 } from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor, UNLIMITED_KEY } from "../support/settlements.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const RESERVED_MS = 600_000;
const BUDGET = { limitNanoUsd: 1_000_000_000, period: "total" } as const;

let userId: string;
let meter: MeterClient;
let faults: { restore(): void } | undefined;
beforeEach(() => {
	// At noon, so that no day ends by itself.
	vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / DAY_MS) * DAY_MS + 2.5 * DAY_MS });
	userId = `usr_${crypto.randomUUID()}`;
	meter = meterClient(env.ACCOUNT_METER, userId);
});
afterEach(() => {
	vi.useRealTimers();
	faults?.restore();
	faults = undefined;
});

const stub = () => env.ACCOUNT_METER.getByName(userId);
const kill = () => killObject(stub() as unknown as DurableObjectStub<undefined>);
const onSums =
	(plan: FaultPlan): FaultPlan =>
	(operation) =>
		isSumsFlush(operation.target) ? plan(operation) : "pass";

/** The storage of the user's object, for states of a test's own. */
function inStorage<T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> {
	return runInDurableObject(stub(), (_, { storage }) => work(storage)) as Promise<T>;
}

function withSql(storage: DurableObjectStorage, sql: SqlStorage): DurableObjectStorage {
	return {
		sql,
		transactionSync: (work: () => unknown) => storage.transactionSync(work),
	} as unknown as DurableObjectStorage;
}

/** SQL whose writing statements fail from one on. */
function failingSql(sql: SqlStorage, passing: { writes: number }): SqlStorage {
	const exec = (query: string, ...bindings: unknown[]) => {
		if (/^\s*(insert|update|delete)/i.test(query) && passing.writes-- <= 0) throw new Error("database or disk is full");
		return sql.exec(query, ...bindings);
	};
	return { exec } as unknown as SqlStorage;
}

/** The requests of a state that is driven directly. */
class Driver {
	readonly #settlement: Settlement;
	#asked = 0;

	private constructor(settlement: Settlement) {
		this.#settlement = settlement;
	}

	static async begin(): Promise<Driver> {
		return new Driver(await settlementFor(userId, aRequestId(), 7));
	}

	admit(state: MeterState, id = aRequestId(), more: { key?: string; limited?: boolean } = {}): string {
		const { key: apiKeyId = `key_${this.#asked++ % 3}`, limited: isLimited = false } = more;
		const atMs = Date.now();
		state.admit({
			...{ id, apiKeyId, atMs, counting: "day", isLimited, budgetKeyId: apiKeyId, bookedDay: state.today(atMs) },
			...{ nanoUsd: 10, keyBudget: null, expiresAtMs: atMs + RESERVED_MS },
			reservation: reservationFor(userId, id, 10, atMs + RESERVED_MS),
		});
		return id;
	}

	settle(state: MeterState, id: string): void {
		const open = state.findOpen(id);
		if (!open) throw new Error("the request is open");
		const { usage, receipt } = this.#settlement;
		state.settle(open, { usage: { ...usage, request_id: id, api_key_id: open.apiKeyId }, receipt });
	}

	/** A bit of everything: it leaves a request open. */
	some(state: MeterState): void {
		this.settle(state, this.admit(state));
		const limited = this.admit(state, aRequestId(), { key: "key_limited", limited: true });
		this.settle(state, limited);
		const released = state.findOpen(this.admit(state));
		if (released) state.release(released);
		const longer = state.findOpen(this.admit(state));
		if (longer) state.extend(longer, reservationFor(userId, longer.id, 12, Date.now() + 2 * RESERVED_MS), Date.now());
		// Its id is hours older than its admission, and that of the next one the same but for its last digits.
		const late = this.admit(state, aRequestId(Date.now() - 5 * HOUR_MS));
		const beside = `${late.slice(0, 17)}${aRequestId().slice(17)}`;
		this.settle(state, this.admit(state, beside));
		for (const limitedKeyId of [null, "key_limited"])
			state.admitFree({ requestId: aRequestId(), isOfDay: true, limitedKeyId }, Date.now());
	}
}

/** All that a state knows. */
function knownOf(state: MeterState, nowMs = Date.now()) {
	const sorted = <T>(values: readonly T[]) =>
		values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
	const days = state.daysAfter("", 1_000);
	const range = { since: days[0] ?? "2026-01-01", until: days.at(-1) ?? "2026-01-01" };
	const { minute, day } = state.keys.windowsFor("key_limited");
	return {
		minute: state.minute.count(nowMs),
		day: state.day.count(nowMs),
		ofKey: [minute.count(nowMs), day.count(nowMs)],
		totals: state.totals(),
		holds: state.holds(),
		open: sorted(state.holds().map(({ request_id }) => request_id)),
		budgets: ["key_0", "key_1", "key_2", "key_limited"].map((id) => [
			state.budgetStatus(id, BUDGET, nowMs),
			state.keyCosts(id, nowMs),
		]),
		sums: sorted(days.flatMap((one) => state.sumsOfDay(one))),
		times: sorted(state.timesBy("model", { ...range, apiKeyIds: ["key_0", "key_limited"] })),
		unsent: sorted(state.unsentSums(0)),
		lastChange: state.lastChange,
		expiry: state.earliestExpiryMs,
	};
}

/** The sums of all settled rows. */
function recomputed(storage: DurableObjectStorage): DaySum[] {
	const sums = new DaySums();
	const rows = storage.sql.exec<{
		created_at_ms: number;
		api_key: string;
		model: string;
		tokens: number;
		nano_usd: number;
	}>("SELECT created_at_ms, api_key, model, tokens, nano_usd FROM requests WHERE settled IS NOT NULL");
	for (const { created_at_ms, api_key: api_key_id, model, tokens, nano_usd: cost_nano_usd } of rows) {
		const call = { model, provider: "", tokens, input_tokens: 1, cost_nano_usd };
		sums.addRow({ created_at: new Date(created_at_ms).toISOString(), api_key_id, model, calls: [call] });
	}
	return sums.all();
}

describe("a fold", () => {
	it("that fails at any of its writes changes nothing, and a meter that dies beside it knows the same", async () => {
		await inStorage(async (storage) => {
			const driver = await Driver.begin();
			const passing = { writes: Number.POSITIVE_INFINITY };
			const state = new MeterState(withSql(storage, failingSql(storage.sql, passing)), Date.now());
			const expectSame = () => {
				const known = knownOf(state);
				expect(knownOf(new MeterState(storage, Date.now()))).toEqual(known);
				expect(known.sums).toHaveLength(recomputed(storage).length);
				expect(known.sums).toEqual(expect.arrayContaining(recomputed(storage)));
			};
			let failures = 0;
			for (let folds = 0; folds < 3; folds++) {
				driver.some(state);
				for (let writes = 0; ; writes++) {
					const before = knownOf(state);
					passing.writes = writes;
					let hasFailed = false;
					try {
						state.foldNow(Date.now());
					} catch {
						hasFailed = true;
						failures++;
					}
					passing.writes = Number.POSITIVE_INFINITY;
					expect(knownOf(state)).toEqual(before);
					expectSame();
					if (!hasFailed) break;
					// Requests go on.
					driver.some(state);
					expectSame();
				}
				vi.setSystemTime(Date.now() + 20_000);
			}
			// The row, two deletions, a key's windows, four keys' spending, the days, their times.
			expect(failures).toBe(3 * 10);
		});
	});

	it("that fails keeps no request waiting, and is made up for", async () => {
		await inStorage((storage) =>
			storage.sql.exec("CREATE TRIGGER no_fold BEFORE INSERT ON folded BEGIN SELECT RAISE(ABORT, 'full'); END"),
		);
		await settled(1);
		await foldMeter(userId);
		await settled(1);
		await kill();
		expect(await counted()).toBe(2);
		await inStorage((storage) => storage.sql.exec("DROP TRIGGER no_fold"));
		await foldMeter(userId);
		expect(await inStorage((storage) => storage.sql.exec("SELECT 1 FROM folded").toArray())).toHaveLength(1);
		await kill();
		await settled(1);
		await expectInD1(3);
	});

	it("says which sums D1 lacks by their days where they are many", async () => {
		await inStorage(async (storage) => {
			const driver = await Driver.begin();
			const state = new MeterState(storage, Date.now());
			for (let nth = 0; nth < 1_100; nth++)
				driver.settle(state, driver.admit(state, aRequestId(), { key: `key_${nth}` }));
			state.foldNow(Date.now());
			const reborn = new MeterState(storage, Date.now());
			expect(reborn.unsentSums(0)).toHaveLength(1_100);
			expect(knownOf(reborn)).toEqual(knownOf(state));
		});
	});
});

/** Requests that were admitted and settled. */
async function settled(count: number, letters = 0): Promise<string[]> {
	const ids = Array.from({ length: count }, () => aRequestId());
	for (const id of ids) {
		await admitted(id);
		expect(await meter.settle(await settlementFor(userId, id, 5, letters))).toBe("settled");
	}
	return ids;
}

async function admitted(id: string, nanoUsd = 5): Promise<void> {
	const admission = {
		requestId: id,
		keyId: "key",
		...UNLIMITED_KEY,
		plan: "corporate" as const,
		countsTowardsDay: true,
	};
	const reservation = reservationFor(userId, id, nanoUsd, Date.now() + RESERVED_MS);
	expect((await meter.admit({ ...admission, reservation })).admitted).toBe(true);
}

async function counted(): Promise<number> {
	return new UsageTotals((await meter.snapshot("corporate")).totals).total().requests;
}

async function expectInD1(requests: number): Promise<void> {
	await runDurableObjectAlarm(stub());
	expect(await counted()).toBe(requests);
	expect([await requestsInD1({ user_id: userId }), await sumsUnlikeD1({ user_id: userId })]).toEqual([requests, 0]);
}

describe("a meter that wakes up", () => {
	it("reads as many rows after 20,000 requests as after ten", async () => {
		await inStorage(async (storage) => {
			const driver = await Driver.begin();
			const state = new MeterState(storage, Date.now());
			const admit = (count: number) => {
				for (let nth = 0; nth < count; nth++) {
					vi.setSystemTime(Date.now() + 3_000);
					state.foldIfDue(Date.now());
					driver.settle(state, driver.admit(state));
				}
			};
			const readAtWakeUp = async () => {
				state.foldNow(Date.now());
				admit(5);
				await Promise.resolve();
				resetCounts();
				const reborn = new MeterState(withSql(storage, countingSql(storage.sql)), Date.now());
				await Promise.resolve();
				expect(reborn.totals()).toEqual(state.totals());
				return counts.objectRowsRead;
			};
			admit(10);
			const afterTen = await readAtWakeUp();
			admit(20_000);
			expect(await readAtWakeUp()).toBe(afterTen);
			expect(afterTen).toBeLessThan(40);
		});
	});

	it("counts once more what cost nothing only where its call is repeated, and never less", async () => {
		const admit = (requestId: string) =>
			meter.admit({ requestId, keyId: "key", ...UNLIMITED_KEY, plan: "free", countsTowardsDay: true });
		const id = aRequestId();
		for (const requestId of [id, id, aRequestId()]) expect((await admit(requestId)).admitted).toBe(true);
		await kill();
		expect((await meter.snapshot("free")).quota).toMatchObject({ usedToday: 2, remaining: 8 });
		expect(await admit(id)).toMatchObject({ quota: { usedToday: 3, remaining: 7 } });
		await kill();
		vi.setSystemTime(Date.now() + 60_000);
		expect((await meter.snapshot("free")).quota).toMatchObject({ usedToday: 3, remaining: 10 });
	});
});

describe("a clock that went back by hours", () => {
	it("keeps every count for one window from then on, every hold and every sum, through deaths", async () => {
		const nowMs = Date.now();
		await settled(2);
		vi.setSystemTime(nowMs + 5 * HOUR_MS);
		await settled(3);
		const open = aRequestId();
		await admitted(open, 9);
		await foldMeter(userId);
		const later = aRequestId();
		await admitted(later, 9);
		vi.setSystemTime(nowMs + 1_000);
		await kill();
		// The first two had left the minute; two are the fold's own, which do not count towards the day.
		const { quota, holds } = await meter.snapshot("corporate");
		expect([quota.rpm - quota.remaining, quota.usedToday]).toEqual([7, 7]);
		expect(holds.map(({ request_id }) => request_id)).toEqual([open, later]);
		await settled(1);
		await kill();
		expect((await meter.snapshot("corporate")).quota.usedToday).toBe(8);
		vi.setSystemTime(nowMs + 62_000);
		expect((await meter.snapshot("corporate")).quota).toMatchObject({ remaining: quota.rpm, usedToday: 8 });
		// The reservations end when they would have, had the clock been right.
		vi.setSystemTime(nowMs + 1_000 + RESERVED_MS);
		await runDurableObjectAlarm(stub());
		expect((await meter.snapshot("corporate")).holds).toEqual([]);
		vi.setSystemTime(Date.now() + 120_000);
		await expectInD1(8);
		vi.setSystemTime(nowMs + DAY_MS + 120_000);
		expect((await meter.snapshot("corporate")).quota.usedToday).toBe(0);
	});
});

describe("ids of one millisecond that begin alike", () => {
	it("are kept apart, whatever dies in between", async () => {
		const first = aRequestId();
		const ids = [first, ...Array.from({ length: 6 }, () => first.slice(0, 17) + aRequestId().slice(17))];
		for (const [nth, id] of ids.entries()) {
			await admitted(id);
			if (nth % 2 === 0) await kill();
		}
		await foldMeter(userId);
		for (const [nth, id] of ids.entries()) {
			const settlement = await settlementFor(userId, id, nth + 1);
			expect(await meter.settle(settlement)).toBe("settled");
			await kill();
			expect(await meter.receipt(id)).toMatchObject({ proof_hash: settlement.receipt.proof_hash });
			expect(await meter.settle(settlement)).toBe("settled");
		}
		expect(await meter.receipt(first.slice(0, 17) + aRequestId().slice(17))).toBeNull();
		await expectInD1(ids.length);
		// Those that stay when others are removed.
		await inStorage((storage) => storage.sql.exec("DELETE FROM requests WHERE id IN (?, ?)", first, ids[3] ?? ""));
		const found = await Promise.all(ids.map(async (id) => (await meter.receipt(id)) !== null));
		expect(found).toEqual([false, true, true, false, true, true, true]);
	});
});

describe("an open reservation", () => {
	it("is extended by one row, and settled at what it was extended to when nobody settles it", async () => {
		const id = aRequestId();
		await admitted(id, 5);
		const longer = reservationFor(userId, id, 17, Date.now() + 2 * RESERVED_MS);
		const written = await runInDurableObject(stub(), async (instance, { storage }) => {
			const exec = storage.sql.exec.bind(storage.sql);
			let rows = 0;
			const spy = vi.spyOn(storage.sql, "exec").mockImplementation((query, ...bindings) => {
				const cursor = exec(query, ...bindings);
				rows += cursor.rowsWritten;
				return cursor as never;
			});
			expect(await instance.extend(id, longer)).toBe("extended");
			spy.mockRestore();
			return rows;
		});
		expect(written).toBeLessThanOrEqual(1);
		expect(await meter.extend(id, longer)).toBe("extended");
		await evictDurableObject(stub());
		vi.setSystemTime(Date.now() + RESERVED_MS);
		await runDurableObjectAlarm(stub());
		expect(await counted()).toBe(0);
		vi.setSystemTime(Date.now() + RESERVED_MS);
		await runDurableObjectAlarm(stub());
		expect(await meter.extend(id, longer)).toBe("late");
		expect(new UsageTotals((await meter.snapshot("corporate")).totals).total()).toMatchObject({ costNanoUsd: 17 });
		vi.setSystemTime(Date.now() + 60_000);
		await expectInD1(1);
	});

	it("counts for nothing when it is extended and then released", async () => {
		const id = aRequestId();
		await admitted(id, 5);
		await meter.extend(id, reservationFor(userId, id, 17, Date.now() + 120_000));
		await meter.release(id);
		await kill();
		vi.setSystemTime(Date.now() + 2 * RESERVED_MS);
		await expectInD1(0);
	});
});

describe("the sums of a meter", () => {
	it.each<[string, Fault[]]>([
		["before D1 has them", ["fail"]],
		["when D1 has them, before it hears of it", ["hangAfter"]],
		["after they were lost twice", ["failAfter", "fail"]],
	])("are in D1 once though it dies %s", async (_, plan) => {
		faults = useFaults({ DB: onSums(inOrder(plan)) });
		await settled(2);
		vi.setSystemTime(Date.now() + 60_000);
		const ringing = runDurableObjectAlarm(stub()).catch(() => undefined);
		if (plan[0] === "hangAfter") await eventually(async () => (await requestsInD1({ user_id: userId })) === 2);
		else await ringing;
		await kill();
		expect(await counted()).toBe(2);
		await settled(1);
		for (const _ of [1, 2, 3]) {
			vi.setSystemTime(Date.now() + 60_000);
			await runDurableObjectAlarm(stub());
		}
		await expectInD1(3);
	});

	it("are sent with an admission when a minute is over, and not before", async () => {
		await settled(2);
		vi.setSystemTime(Date.now() + 59_000);
		await settled(1);
		expect(await requestsInD1({ user_id: userId })).toBe(0);
		vi.setSystemTime(Date.now() + 1_000);
		await admitted(aRequestId());
		await eventually(async () => (await requestsInD1({ user_id: userId })) === 3);
	});

	it("are sent by an alarm of its own after a death, and wanted by no alarm afterwards", async () => {
		await settled(3);
		await kill();
		const atMs = await alarmAtMs(stub() as unknown as DurableObjectStub<undefined>);
		expect(atMs).toBeLessThanOrEqual(Date.now() + 60_000);
		vi.setSystemTime(atMs ?? 0);
		await expectInD1(3);
		expect(
			(await alarmAtMs(stub() as unknown as DurableObjectStub<undefined>)) ?? Number.POSITIVE_INFINITY,
		).toBeGreaterThan(Date.now() + DAY_MS);
	});

	it("have a revision that no earlier state had, though admissions were repeated before it died", async () => {
		const [id = ""] = await settled(1);
		for (let repeated = 0; repeated < 6; repeated++) await admitted(id);
		await meter.flushNow();
		await kill();
		await settled(1);
		await meter.flushNow();
		expect([await requestsInD1({ user_id: userId }), await sumsUnlikeD1({ user_id: userId })]).toEqual([2, 0]);
	});

	it("of a restored meter lie above those that D1 has", async () => {
		await settled(3);
		await meter.flushNow();
		const later = "UPDATE usage_days SET revision = 5000, requests = 77, cost_nano_usd = 1 WHERE user_id = ?";
		await db.prepare(later).bind(userId).run();
		// Of a day that the restored meter knows nothing of.
		const other =
			"INSERT INTO usage_days SELECT user_id, '2001-01-01', api_key_id, model, 9, 9, 9, 9, 9, 9, 6000 FROM usage_days WHERE user_id = ?";
		await db.prepare(other).bind(userId).run();
		await runInDurableObject(stub(), (instance) => instance.adaptRestored());
		await kill();
		await settled(1);
		faults = useFaults({ DB: ({ target }) => (/max\(.*revision/i.test(target) ? "fail" : "pass") });
		await meter.flushNow();
		expect(await requestsInD1({ user_id: userId })).toBe(77 + 9);
		faults.restore();
		await kill();
		vi.setSystemTime(Date.now() + 60_000);
		await expectInD1(4);
		await settled(1);
		await meter.flushNow();
		await expectInD1(5);
		const highest = db.prepare("SELECT max(revision) AS n FROM usage_days WHERE user_id = ?").bind(userId);
		expect(await highest.first<number>("n")).toBeGreaterThan(6_000);
	});
});

describe("a receipt of many pieces", () => {
	it("is stored whole, settled at the bound or by its Worker, and lives through deaths", async () => {
		const [large = "", small = ""] = [...(await settled(1, 1_500_000)), ...(await settled(1))];
		await foldMeter(userId);
		await kill();
		for (const [id, letters] of [
			[large, 1_500_000],
			[small, 0],
		] as const) {
			const { receipt } = await settlementFor(userId, id, 5, letters);
			expect(await meter.receipt(id)).toMatchObject({ receipt: receipt.receipt, proof_hash: receipt.proof_hash });
		}
		await meter.flushNow();
		await expectInD1(2);
	});
});
