// A meter under random interleavings of everything that can happen to it, against a model of a few lines: limits are exact,
// totals are the sum of what was settled and the rows in D1, no request has two rows, no slot is taken while it is open.
// VITE_FAULT_SEED and VITE_FAULT_RUNS choose other sequences, and more of them.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { PLANS } from "../../src/catalog/plans.ts";
import { database } from "../../src/db/client.edge.ts";
import { Timings } from "../../src/http/timings.ts";
import { reachedThresholds } from "../../src/meter/budget-alerts.ts";
import { BUDGET_PERIODS, periodStart, toUtcDay } from "../../src/meter/budget-period.ts";
import { toOutgoingRow } from "../../src/meter/flush-batch.ts";
import type { KeyBudget } from "../../src/meter/key-budget.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import { type Settlement, toSettlementRow } from "../../src/meter/settlement.ts";
import { recordSettlements } from "../../src/meter/settlements.store.ts";
import { currentUsage } from "../../src/usage/current-usage.edge.ts";
import { readGroups } from "../../src/usage/grouped.edge.ts";
import { GROUPINGS } from "../../src/usage/groups.ts";
import { recomputeTotals } from "../../src/usage/usage-check.store.ts";
import { FULL_GRANT } from "../support/caller.ts";
import { alarmAtMs, type Fault, killObject, useFaults } from "../support/faults.ts";
import { db } from "../support/service.ts";
import { reservationFor, settlementFor } from "../support/settlements.ts";

const SEED = Number(process.env["VITE_FAULT_SEED"] ?? 20_261_121);
const RUNS = Number(process.env["VITE_FAULT_RUNS"] ?? 25);
const SHRINKING_MS = 600_000;

const { rpm: RPM } = PLANS.free;
const RESERVED_MS = 100_000;
const BOUND = 1_000;

type State = "open" | "released" | "settled";

interface Request {
	id: string;
	atMs: number;
	state: State;
	expiresAtMs: number;
	boundNanoUsd: number;
	/** What counts for it, once it is settled. */
	costNanoUsd: number;
	/** What its Worker settles it with, wherever and however often. */
	settlement: Settlement | null;
	isInD1: boolean;
	/** The day on which its key's budget counts it, and how much of it: what it holds while it is open, then what was booked. */
	bookedDay: number;
	bookedNanoUsd: number;
}

const KEY = "key";

class Run {
	readonly userId = `usr_${crypto.randomUUID()}`;
	readonly requests: Request[] = [];
	readonly meter: MeterClient;
	readonly #stub = env.ACCOUNT_METER.getByName.bind(env.ACCOUNT_METER);
	#queue: Fault[] = [];
	readonly #faults: { restore(): void };

	readonly budget: KeyBudget;

	constructor(budget: KeyBudget) {
		this.budget = budget;
		this.meter = meterClient(env.ACCOUNT_METER, this.userId);
		// Only flushes meet them: what the test reads and writes in D1 goes through.
		this.#faults = useFaults({
			DB: ({ target }) => (/insert into "settlements"/i.test(target) ? (this.#queue.shift() ?? "pass") : "pass"),
		});
	}

	end(): void {
		this.#faults.restore();
	}

	stub(): DurableObjectStub<undefined> {
		return this.#stub(this.userId) as unknown as DurableObjectStub<undefined>;
	}

	faults(faults: Fault[]): void {
		this.#queue = [...faults];
	}

	wait(ms: number): void {
		vi.setSystemTime(Date.now() + ms);
	}

	#inMinute(): Request[] {
		return this.requests.filter(({ atMs }) => atMs > Date.now() - 60_000);
	}

	#booked(isOpen: boolean): number {
		const { period } = this.budget;
		const start = periodStart(period, toUtcDay(Date.now()));
		return this.requests
			.filter(({ state, bookedDay }) => (state === "open") === isOpen && periodStart(period, bookedDay) === start)
			.reduce((sum, { bookedNanoUsd }) => sum + bookedNanoUsd, 0);
	}

	/** What the budget's key may still spend. */
	#budgetLeft(): number {
		return this.budget.limitNanoUsd - this.#booked(true) - this.#booked(false);
	}

	async admit(isReserved: boolean, isRepeated: boolean): Promise<void> {
		const id = `svc-${this.requests.length}-${this.userId}`;
		const expiresAtMs = Date.now() + RESERVED_MS;
		const ask = () =>
			this.meter.admit({
				requestId: id,
				keyId: KEY,
				keyVersion: 1,
				keyLimits: null,
				keyBudget: this.budget,
				budgetKeyId: KEY,
				plan: "free",
				countsTowardsDay: true,
				...(isReserved ? { reservation: reservationFor(this.userId, id, BOUND, expiresAtMs) } : {}),
			});
		const hasRoom = this.#inMinute().length < RPM && (!isReserved || this.#budgetLeft() >= BOUND);
		for (const _ of isRepeated ? [1, 2] : [1]) expect((await ask()).admitted).toBe(hasRoom);
		if (!hasRoom) return;
		const state = isReserved ? "open" : "released";
		const unsettled = { boundNanoUsd: BOUND, costNanoUsd: 0, settlement: null, isInD1: false };
		const booked = { bookedDay: toUtcDay(Date.now()), bookedNanoUsd: isReserved ? BOUND : 0 };
		this.requests.push({ id, atMs: Date.now(), state, expiresAtMs, ...unsettled, ...booked });
	}

	async #settlementOf(request: Request, costNanoUsd: number): Promise<Settlement> {
		request.settlement ??= await settlementFor(this.userId, request.id, costNanoUsd);
		return request.settlement;
	}

	async settle(request: Request, cost: number, isRepeated: boolean): Promise<void> {
		const isOpen = request.state === "open";
		// What is settled otherwise comes from a Worker that does not know it.
		const settlement = isOpen
			? await this.#settlementOf(request, cost)
			: await settlementFor(this.userId, request.id, BOUND + cost);
		const expected = isOpen ? "settled" : "late";
		for (const _ of isRepeated ? [1, 2] : [1]) expect(await this.meter.settle(settlement)).toBe(expected);
		const { cost_nano_usd: costNanoUsd } = settlement.usage;
		if (isOpen) Object.assign(request, { state: "settled", costNanoUsd, bookedNanoUsd: costNanoUsd });
	}

	/** As a Worker does that cannot reach the meter: the first row of a request that D1 gets is the one that counts. */
	async settleInD1(request: Request, cost: number): Promise<void> {
		if (request.state !== "open") return;
		const settlement = await this.#settlementOf(request, cost);
		const queue = this.#queue.splice(0);
		await recordSettlements(database(db), [toOutgoingRow(toSettlementRow(settlement))]);
		this.#queue = queue;
		// The meter knows nothing of it, so that its reservation stays until it expires.
		Object.assign(request, { costNanoUsd: settlement.usage.cost_nano_usd, isInD1: true });
	}

	async release(request: Request): Promise<void> {
		if (request.isInD1) return;
		await this.meter.release(request.id);
		if (request.state === "open") Object.assign(request, { state: "released", bookedNanoUsd: 0 });
	}

	async extend(request: Request, ms: number): Promise<void> {
		const boundNanoUsd = request.boundNanoUsd + 7;
		const expiresAtMs = Date.now() + ms;
		const isOpen = request.state === "open";
		const verdict = await this.meter.extend(
			request.id,
			reservationFor(this.userId, request.id, boundNanoUsd, expiresAtMs),
		);
		// What holds more than before is booked on today, and must fit in today's period.
		const { period } = this.budget;
		const today = toUtcDay(Date.now());
		const isOfPeriod = periodStart(period, request.bookedDay) === periodStart(period, today);
		const fits = this.#budgetLeft() + (isOfPeriod ? request.bookedNanoUsd : 0) >= boundNanoUsd;
		expect(verdict).toBe(!isOpen ? "late" : fits ? "extended" : "over_budget");
		if (!isOpen || !fits) return;
		Object.assign(request, { expiresAtMs, boundNanoUsd, bookedDay: today, bookedNanoUsd: boundNanoUsd });
	}

	async alarm(): Promise<void> {
		await runDurableObjectAlarm(this.stub());
		// An alarm that was not set did nothing.
		const open = await runInDurableObject(this.stub(), (_, { storage }) =>
			storage.sql.exec<{ request_id: string }>("SELECT request_id FROM slots WHERE closed_at_ms IS NULL").toArray(),
		);
		const stillOpen = new Set(open.map(({ request_id }) => request_id));
		for (const request of this.requests) {
			if (request.state !== "open") continue;
			expect(stillOpen.has(request.id), request.id).toBe(request.expiresAtMs > Date.now());
			if (stillOpen.has(request.id)) continue;
			if (!request.isInD1) request.costNanoUsd = request.boundNanoUsd;
			request.bookedNanoUsd = request.boundNanoUsd;
			request.state = "settled";
		}
	}

	async crash(kind: "evict" | "kill"): Promise<void> {
		if (kind === "kill") await killObject(this.stub());
		else await evictDurableObject(this.stub()).catch(() => undefined);
	}

	/** Usage now is what the model expects. */
	async expectUsage(): Promise<void> {
		const account = { userId: this.userId, plan: PLANS.free, key: FULL_GRANT };
		const timings = new Timings(Date.now(), () => Date.now());
		const usage = await currentUsage({ account, db: database(db), meter: () => this.meter, timings });
		const { quota, totals, recent } = usage;
		const budgetNow = { spentNanoUsd: this.#booked(false), heldNanoUsd: this.#booked(true) };
		expect(await this.meter.budgets([{ budgetKeyId: KEY, budget: this.budget }])).toMatchObject([budgetNow]);
		expect(this.#budgetLeft()).toBeGreaterThanOrEqual(0);
		expect(quota.remaining).toBe(Math.max(0, RPM - this.#inMinute().length));
		expect(quota.usedToday).toBe(this.requests.length);
		const counted = this.requests.filter(({ state, isInD1 }) => state === "settled" || isInD1);
		const cost = counted.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0);
		expect(totals.total()).toMatchObject({ requests: counted.length, costNanoUsd: cost });
		expect(Object.values(totals.by("model")).reduce((sum, { requests }) => sum + requests, 0)).toBe(counted.length);
		for (const grouping of GROUPINGS) {
			const request = { grouping, range: { since: "2000-01-01", until: "2999-12-31" }, after: null, limit: 1_000 };
			const { total, page } = await readGroups(
				{ account, db: database(db), meter: () => this.meter, timings },
				request,
			);
			expect(total, grouping).toMatchObject({ requests: counted.length, calls: counted.length, costNanoUsd: cost });
			expect(
				page.groups.reduce((sum, group) => sum + group.costNanoUsd, 0),
				grouping,
			).toBe(cost);
		}
		expect(recent.length).toBe(Math.min(20, counted.length));
		expect(new Set(recent.map(({ request_id }) => request_id)).size).toBe(recent.length);
	}

	/** D1 has one event for each threshold that was reached in a period. */
	async #expectAlerts(): Promise<void> {
		const { results } = await db
			.prepare("SELECT payload FROM audit_events WHERE user_id = ? AND event_type = 'key_budget_alert' ORDER BY id")
			.bind(this.userId)
			.all<{ payload: string }>();
		const alerts = results.map(({ payload }) => JSON.parse(payload) as { threshold: number; resets_at: string | null });
		const occasions = alerts.map(({ threshold, resets_at }) => `${threshold} ${resets_at}`);
		expect(new Set(occasions).size).toBe(occasions.length);
		const [status] = await this.meter.budgets([{ budgetKeyId: KEY, budget: this.budget }]);
		if (!status) throw new Error("a budget has a status");
		const current = alerts.filter(({ resets_at }) => resets_at === status.resetsAt);
		const thresholds = current.map(({ threshold }) => threshold).sort((a, b) => a - b);
		expect(thresholds).toEqual(reachedThresholds(status));
	}

	/**
	 * Lets alarms ring until none is set but the one for bytes that leave after thirty days; then D1 has everything, and the meter no
	 * more to say than its totals.
	 */
	async expectDrained(): Promise<void> {
		this.#queue = [];
		for (;;) {
			const atMs = await alarmAtMs(this.stub());
			if (atMs === null || atMs > Date.now() + 86_400_000) break;
			vi.setSystemTime(Math.max(atMs, Date.now()));
			await this.alarm();
		}
		const settled = this.requests.filter(({ state }) => state === "settled");
		expect(this.requests.filter(({ state }) => state === "open")).toEqual([]);
		const { results } = await db
			.prepare("SELECT request_id, cost_nano_usd FROM settlements WHERE user_id = ? ORDER BY request_id")
			.bind(this.userId)
			.all();
		const expected = settled.map(({ id, costNanoUsd }) => ({ request_id: id, cost_nano_usd: costNanoUsd }));
		expect(results).toEqual(expected.toSorted((a, b) => (a.request_id < b.request_id ? -1 : 1)));
		const { totals, uncounted } = await this.meter.flushedTotals();
		expect(uncounted).toEqual([]);
		expect(totals).toEqual(await recomputeTotals(database(db), this.userId, []));
		await this.expectUsage();
		await this.#expectAlerts();
	}
}

type Move = (run: Run) => Promise<void> | void;

/** A move with its words, so that a failing sequence can be read. */
function named(name: string, move: Move): Move {
	return Object.assign(move, { [fc.toStringMethod]: () => name });
}

/** A move of one of the requests so far. */
function ofRequest<T>(
	name: string,
	arbitrary: fc.Arbitrary<T>,
	move: (run: Run, request: Request, value: T) => Promise<void>,
) {
	return fc.tuple(fc.nat(30), arbitrary).map(([which, value]) =>
		named(`${name} ${which} ${JSON.stringify(value)}`, async (run) => {
			const request = run.requests.at(-1 - (which % Math.max(1, run.requests.length)));
			if (request) await move(run, request, value);
		}),
	);
}

const aCost = fc.integer({ min: 1, max: BOUND });
const aFault = fc.constantFrom<Fault>("fail", "failAfter", "failAfter", "pass", { slowMs: 5 });

const aMove: fc.Arbitrary<Move> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.tuple(fc.boolean(), fc.boolean())
			.map(([isReserved, isRepeated]) =>
				named(`admit ${isReserved} ${isRepeated}`, (run) => run.admit(isReserved, isRepeated)),
			),
	},
	{
		weight: 8,
		arbitrary: ofRequest("settle", fc.tuple(aCost, fc.boolean()), (run, request, [cost, isRepeated]) =>
			run.settle(request, cost, isRepeated),
		),
	},
	{ weight: 1, arbitrary: ofRequest("settle in D1", aCost, (run, request, cost) => run.settleInD1(request, cost)) },
	{ weight: 2, arbitrary: ofRequest("release", fc.constant(0), (run, request) => run.release(request)) },
	{
		weight: 2,
		arbitrary: ofRequest("extend", fc.integer({ min: 1, max: 200_000 }), (run, request, ms) => run.extend(request, ms)),
	},
	{ weight: 4, arbitrary: fc.constant(named("alarm", (run) => run.alarm())) },
	{
		weight: 3,
		arbitrary: fc.constantFrom("evict" as const, "kill" as const).map((kind) => named(kind, (run) => run.crash(kind))),
	},
	{
		weight: 3,
		arbitrary: fc
			.array(aFault, { minLength: 1, maxLength: 4 })
			.map((faults) => named(`flushes: ${JSON.stringify(faults)}`, (run) => run.faults(faults))),
	},
	{
		weight: 5,
		arbitrary: fc.integer({ min: 1, max: 70_000 }).map((ms) => named(`wait ${ms} ms`, (run) => run.wait(ms))),
	},
);

const aLimit = fc.oneof(fc.integer({ min: 500, max: 12_000 }), fc.constant(1_000_000));
const aBudget: fc.Arbitrary<KeyBudget> = fc.record(
	{ limitNanoUsd: aLimit, period: fc.constantFrom(...BUDGET_PERIODS) },
	{ noNullPrototype: true },
);
/** So that a day ends in the middle of many sequences. */
const aStart = fc.integer({ min: 1, max: 400_000 });

it(
	"a meter is exact, whatever happens in whatever order",
	async () => {
		const someMoves = fc.array(aMove, { minLength: 10, maxLength: 60 });
		const property = fc.asyncProperty(someMoves, aBudget, aStart, async (moves, budget, msBeforeMidnight) => {
			const midnight = (toUtcDay(Date.now()) + 2) * 86_400_000;
			vi.useFakeTimers({ toFake: ["Date"], now: midnight - msBeforeMidnight });
			const run = new Run(budget);
			try {
				for (const move of moves) {
					await move(run);
					await run.expectUsage();
				}
				await run.expectDrained();
			} finally {
				run.end();
				vi.useRealTimers();
			}
		});
		await fc.assert(property, { seed: SEED, numRuns: RUNS });
	},
	SHRINKING_MS,
);
