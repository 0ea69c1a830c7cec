// A meter under random interleavings of everything that can happen to it, against a model of a few lines: limits are exact, totals, sums
// and D1 are the sum of what was settled, and of several settlements of a request the one that stood first counts, and no other.
// VITE_FAULT_SEED and VITE_FAULT_RUNS choose other sequences, and more of them.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { PLANS } from "../../src/catalog/plans.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { database } from "../../src/db/client.edge.ts";
import { StorageUnavailableError } from "../../src/failure.ts";
import { Timings } from "../../src/http/timings.ts";
import type { AccountMeter } from "../../src/meter/account-meter.object.ts";
import { reachedThresholds } from "../../src/meter/budget-alerts.ts";
import { BUDGET_PERIODS, periodStart, toUtcDay } from "../../src/meter/budget-period.ts";
import type { KeyBudget } from "../../src/meter/key-budget.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import { toMinute } from "../../src/meter/rolling-window.ts";
import type { Settlement } from "../../src/meter/settlement.ts";
import { strand } from "../../src/meter/stranded.store.ts";
import { UsageTotals } from "../../src/meter/usage-totals.ts";
import { readGroups } from "../../src/usage/grouped.edge.ts";
import { GROUPINGS } from "../../src/usage/groups.ts";
import { findReceipt } from "../../src/usage/receipt-lookup.edge.ts";
import { FULL_GRANT } from "../support/caller.ts";
import { alarmAtMs, type Fault, isOfStranded, isSumsFlush, killObject, useFaults } from "../support/faults.ts";
import { fillFold } from "../support/folds.ts";
import { db, requestsInD1, sumsUnlikeD1 } from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor, TEST_KEY_ID } from "../support/settlements.ts";

const SEED = Number(process.env["VITE_FAULT_SEED"] ?? 20_261_121);
const RUNS = Number(process.env["VITE_FAULT_RUNS"] ?? 25);
const SHRINKING_MS = 600_000;

const { rpm: RPM } = PLANS.free;
const RESERVED_MS = 100_000;
const BOUND = 1_000;

type State = "open" | "released" | "settled";

/** A settlement, as far as it is compared. */
interface Settled {
	proofHash: string;
	costNanoUsd: number;
}

interface Request {
	id: string;
	atMs: number;
	/** When it counts at the latest: later than it came where it cost nothing and the meter has died. */
	countedBeforeMs: number;
	isFree: boolean;
	/** The meter that counted it has died: it counts once more when its call is repeated. */
	isForgotten: boolean;
	state: State;
	/** The meter has asked D1 for its settlement, and has no answer. */
	isClaiming: boolean;
	expiresAtMs: number;
	boundNanoUsd: number;
	/** What its Worker settles it with, wherever and however often. */
	settlement: Settlement | null;
	/** What stands in D1. */
	stranded: Settled | null;
	/** What counts for it. */
	settled: Settled | null;
	/** The day on which its key's budget counts it, and how much of it: what it holds while it is open, then what was booked. */
	bookedDay: number;
	bookedNanoUsd: number;
}

function toSettled({ usage, receipt }: Settlement): Settled {
	return { proofHash: receipt.proof_hash, costNanoUsd: usage.cost_nano_usd };
}

/** How the id of a request is made: so long before its admission, or in the millisecond and with the bits of one before. */
type IdTime = number | "as before";

class Run {
	readonly userId = `usr_${crypto.randomUUID()}`;
	readonly requests: Request[] = [];
	readonly meter: MeterClient;
	readonly #getStub: () => DurableObjectStub<AccountMeter>;
	#queue: Fault[] = [];
	readonly #faults: { restore(): void };

	readonly budget: KeyBudget;

	constructor(budget: KeyBudget) {
		this.budget = budget;
		this.meter = meterClient(env.ACCOUNT_METER, this.userId);
		const getByName = env.ACCOUNT_METER.getByName.bind(env.ACCOUNT_METER);
		this.#getStub = () => getByName(this.userId);
		this.#faults = useFaults({
			DB: ({ target }) => (isSumsFlush(target) || isOfStranded(target) ? (this.#queue.shift() ?? "pass") : "pass"),
		});
	}

	end(): void {
		this.#faults.restore();
	}

	stub(): DurableObjectStub<undefined> {
		return this.#getStub() as unknown as DurableObjectStub<undefined>;
	}

	faults(faults: Fault[]): void {
		this.#queue = [...faults];
	}

	/** Whether D1 may fail. */
	get #isFaulty(): boolean {
		return this.#queue.some((fault) => fault === "fail" || fault === "failAfter");
	}

	/** What the test itself does in D1 meets no faults. */
	async #quietly<T>(work: () => Promise<T>): Promise<T> {
		const queue = this.#queue.splice(0);
		try {
			return await work();
		} finally {
			this.#queue = queue;
		}
	}

	wait(ms: number): void {
		vi.setSystemTime(Date.now() + ms);
	}

	/** Requests of the last minute: those that count for certain, and those that may. */
	#inMinute(): { least: number; most: number } {
		const from = Date.now() - 60_000;
		return {
			least: this.requests.filter(({ atMs }) => atMs > from).length,
			most: this.requests.filter(({ countedBeforeMs }) => countedBeforeMs > from).length,
		};
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

	#newId(time: IdTime): string {
		const last = this.requests.at(-1);
		if (time !== "as before") return aRequestId(Date.now() - time);
		const id = aRequestId();
		const same = "svc-".length + 13;
		return last ? last.id.slice(0, same) + id.slice(same) : id;
	}

	async #ask(id: string, isFree: boolean, expiresAtMs: number): Promise<boolean> {
		const { admitted } = await this.meter.admit({
			requestId: id,
			keyId: TEST_KEY_ID,
			keyVersion: 1,
			keyLimits: null,
			keyBudget: this.budget,
			budgetKeyId: TEST_KEY_ID,
			plan: "free",
			countsTowardsDay: true,
			...(isFree ? {} : { reservation: reservationFor(this.userId, id, BOUND, expiresAtMs) }),
		});
		return admitted;
	}

	async admit(isReserved: boolean, isRepeated: boolean, idTime: IdTime): Promise<void> {
		await this.#admitNew(this.#newId(idTime), !isReserved, isRepeated);
	}

	async #admitNew(id: string, isFree: boolean, isRepeated: boolean): Promise<void> {
		const atMs = Date.now();
		const expiresAtMs = atMs + RESERVED_MS;
		const { least, most } = this.#inMinute();
		const fits = isFree || this.#budgetLeft() >= BOUND;
		const isAdmitted = await this.#ask(id, isFree, expiresAtMs);
		// Never more than fit, and as many as do for certain.
		if (isAdmitted) expect([fits, least < RPM]).toEqual([true, true]);
		else expect(!fits || most >= RPM).toBe(true);
		if (isRepeated) expect(await this.#ask(id, isFree, expiresAtMs)).toBe(isAdmitted);
		if (!isAdmitted) return;
		this.requests.push({
			...{ id, atMs, countedBeforeMs: atMs, isFree, isForgotten: false, state: isFree ? "released" : "open" },
			...{ isClaiming: false, expiresAtMs, boundNanoUsd: BOUND, settlement: null, stranded: null, settled: null },
			...{ bookedDay: toUtcDay(atMs), bookedNanoUsd: isFree ? 0 : BOUND },
		});
	}

	/** An admission whose answer was lost, asked for again. */
	async admitAgain({ id }: Request): Promise<void> {
		const request = this.requests.findLast((one) => one.id === id);
		if (!request) return;
		if (!request.isForgotten) {
			expect(await this.#ask(request.id, request.isFree, Date.now() + RESERVED_MS)).toBe(true);
			return;
		}
		await this.#admitNew(request.id, request.isFree, false);
		if (this.requests.at(-1)?.id === request.id) request.isForgotten = false;
	}

	/** Makes so many changes that the next admission folds. */
	async fillFold(request: Request): Promise<void> {
		if (request.state !== "open" || request.isClaiming) return;
		const { id, boundNanoUsd, expiresAtMs } = request;
		const same = reservationFor(this.userId, id, boundNanoUsd, expiresAtMs);
		await runInDurableObject(this.#getStub(), (instance) => fillFold(instance, id, same));
	}

	async #settlementOf(request: Request, costNanoUsd: number): Promise<Settlement> {
		request.settlement ??= await settlementFor(this.userId, request.id, costNanoUsd);
		return request.settlement;
	}

	/** What a call of the meter answers; `away` where D1 may have failed it. */
	async #outcome<T>(isOfD1: boolean, call: () => Promise<T>): Promise<T | "away"> {
		const mayFail = isOfD1 && this.#isFaulty;
		try {
			return await call();
		} catch (error) {
			if (mayFail && error instanceof StorageUnavailableError) return "away";
			throw error;
		}
	}

	async settle(request: Request, cost: number, isRepeated: boolean): Promise<void> {
		const isOpen = request.state === "open";
		// What is settled otherwise comes from a Worker that does not know it.
		const settlement = isOpen
			? await this.#settlementOf(request, cost)
			: await settlementFor(this.userId, request.id, BOUND + cost);
		for (const _ of isRepeated ? [1, 2] : [1]) {
			const isClaiming = request.state === "open" && request.isClaiming;
			const verdict = await this.#outcome(isClaiming, () => this.meter.settle(settlement));
			if (isClaiming) await this.#follow({ isSure: verdict !== "away", settles: (one) => one === request });
			else if (request.state === "open") this.#settled(request, toSettled(settlement));
			if (verdict === "away") continue;
			expect(verdict).toBe(request.settled?.proofHash === settlement.receipt.proof_hash ? "settled" : "late");
		}
	}

	#settled(request: Request, settled: Settled): void {
		Object.assign(request, { state: "settled", isClaiming: false, settled, bookedNanoUsd: settled.costNanoUsd });
	}

	/** As a Worker does that cannot reach the meter, which it then tells of it. */
	async strand(request: Request, cost: number, isTold: boolean): Promise<void> {
		if (request.state !== "open") return;
		const settlement = await this.#settlementOf(request, cost);
		const [first] = await this.#quietly(() => strand(database(db), [settlement], Date.now()));
		await this.#readStranded(() => toSettled(settlement));
		expect(first && toSettled(first)).toEqual(request.stranded);
		expect(await this.#receiptHash(request)).toBe(request.stranded?.proofHash);
		if (!isTold) return;
		const verdict = await this.#outcome(true, () => this.meter.takeStranded(this.userId));
		await this.#follow({ isSure: verdict !== "away", settles: ({ stranded }) => stranded !== null });
	}

	async release(request: Request): Promise<void> {
		if (request.stranded) return;
		await this.meter.release(request.id);
		if (request.state === "open" && !request.isClaiming)
			Object.assign(request, { state: "released", bookedNanoUsd: 0 });
	}

	async extend(request: Request, ms: number): Promise<void> {
		const boundNanoUsd = request.boundNanoUsd + 7;
		const expiresAtMs = Date.now() + ms;
		const reservation = reservationFor(this.userId, request.id, boundNanoUsd, expiresAtMs);
		const isClaiming = request.state === "open" && request.isClaiming;
		const verdict = await this.#outcome(isClaiming, () => this.meter.extend(request.id, reservation));
		if (isClaiming) {
			expect(["late", "away"]).toContain(verdict);
			await this.#follow({ isSure: verdict === "late", settles: (one) => one === request });
			return;
		}
		const isOpen = request.state === "open";
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
		const isFaulty = this.#isFaulty;
		const expired = this.requests.filter(({ state, expiresAtMs }) => state === "open" && expiresAtMs <= Date.now());
		await runDurableObjectAlarm(this.stub());
		await this.#follow({
			isSure: !isFaulty,
			settles: (request) => expired.includes(request) || (expired.length > 0 && request.stranded !== null),
		});
	}

	/**
	 * Follows what the meter has done with D1.
	 * @param isSure it has settled all that it could.
	 * @param settles whether it could settle an open request.
	 */
	async #follow({ isSure, settles }: { isSure: boolean; settles: (request: Request) => boolean }): Promise<void> {
		await this.#readStranded(({ boundNanoUsd, state, expiresAtMs }, costNanoUsd) => {
			// The meter's own, at the bound, and only when it has expired.
			expect([state, costNanoUsd, expiresAtMs <= Date.now()]).toEqual(["open", boundNanoUsd, true]);
			return null;
		});
		const rows = await runInDurableObject(this.stub(), (_, { storage }) =>
			storage.sql
				.exec<{ id: string; claiming: number; expires_at_ms: number | null; nano_usd: number }>(
					"SELECT id, claiming, expires_at_ms, nano_usd FROM requests",
				)
				.toArray(),
		);
		const byId = new Map(rows.map((row) => [row.id, row]));
		expect(byId.size).toBe(this.requests.filter(({ isFree }) => !isFree).length);
		for (const request of this.requests) {
			if (request.state !== "open") continue;
			const row = byId.get(request.id);
			if (!row) throw new Error(`${request.id} has no row`);
			if (isSure) expect(row.expires_at_ms === null, request.id).toBe(settles(request));
			if (row.expires_at_ms !== null) {
				request.isClaiming = row.claiming === 1;
				continue;
			}
			expect([settles(request), row.nano_usd]).toEqual([true, request.stranded?.costNanoUsd]);
			if (request.stranded) this.#settled(request, request.stranded);
		}
	}

	/** Learns what stands in D1, where nothing ever replaces what was there. @param toExpected what a new row must have; null for anything. */
	async #readStranded(toExpected: (request: Request, costNanoUsd: number) => Settled | null): Promise<void> {
		const query = "SELECT request_id, settlement FROM stranded_settlements WHERE user_id = ?";
		const { results } = await this.#quietly(() =>
			db.prepare(query).bind(this.userId).all<{ request_id: string; settlement: string }>(),
		);
		for (const { request_id, settlement } of results) {
			const found = toSettled(JSON.parse(settlement));
			const request = this.requests.find(({ id }) => id === request_id);
			if (!request) throw new Error("a settlement has a request");
			const expected = request.stranded ?? toExpected(request, found.costNanoUsd);
			if (expected) expect(found).toEqual(expected);
			request.stranded = found;
		}
	}

	async crash(kind: "evict" | "kill"): Promise<void> {
		if (kind === "kill") await killObject(this.stub());
		else await evictDurableObject(this.stub()).catch(() => undefined);
		const free = this.requests.filter(({ isFree }) => isFree);
		for (const request of free) {
			const minute = free.filter(({ atMs }) => toMinute(atMs) === toMinute(request.atMs));
			request.countedBeforeMs = Math.max(...minute.map(({ atMs }) => atMs));
			request.isForgotten = free.findLast(({ id }) => id === request.id) === request;
		}
	}

	/** Usage now is what the model expects. */
	async expectUsage(): Promise<void> {
		const account = { userId: this.userId, plan: PLANS.free, key: FULL_GRANT };
		const timings = new Timings(Date.now(), () => Date.now());
		const { quota, totals: rows, recent, holds } = await this.meter.snapshot("free");
		const totals = new UsageTotals(rows);
		const budgetNow = { spentNanoUsd: this.#booked(false), heldNanoUsd: this.#booked(true) };
		expect(await this.meter.budgets([{ budgetKeyId: TEST_KEY_ID, budget: this.budget }])).toMatchObject([budgetNow]);
		expect(this.#budgetLeft()).toBeGreaterThanOrEqual(0);
		const { least, most } = this.#inMinute();
		expect(quota.remaining).toBeLessThanOrEqual(Math.max(0, RPM - least));
		expect(quota.remaining).toBeGreaterThanOrEqual(Math.max(0, RPM - most));
		expect(quota.usedToday).toBe(this.requests.length);
		const open = this.requests.filter(({ state }) => state === "open");
		expect(holds.map(({ request_id, held_nano_usd }) => [request_id, held_nano_usd])).toEqual(
			open.map(({ id, boundNanoUsd }) => [id, boundNanoUsd]),
		);
		const counted = this.requests.filter(({ state }) => state === "settled");
		const cost = counted.reduce((sum, { settled }) => sum + (settled?.costNanoUsd ?? 0), 0);
		expect(totals.total()).toMatchObject({ requests: counted.length, costNanoUsd: cost });
		expect(Object.values(totals.by("model")).reduce((sum, { requests }) => sum + requests, 0)).toBe(counted.length);
		for (const grouping of GROUPINGS) {
			const request = { grouping, range: { since: "2020-01-01", until: "2030-12-31" }, after: null, limit: 1_000 };
			const { total, page } = await readGroups(
				{
					...{ account, db: database(db), meter: () => this.meter, timings },
					...{ settings: { catalog: CATALOG }, waitUntil: () => undefined },
				},
				request,
				true,
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

	/** The hash of a request's receipt as its owner sees it. */
	async #receiptHash({ id }: Request): Promise<string | undefined> {
		const timings = new Timings(Date.now(), () => Date.now());
		const context = { db: database(db), meter: () => this.meter, timings };
		return (await this.#quietly(() => findReceipt(context, this.userId, id)))?.proof_hash;
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
		const [status] = await this.meter.budgets([{ budgetKeyId: TEST_KEY_ID, budget: this.budget }]);
		if (!status) throw new Error("a budget has a status");
		const current = alerts.filter(({ resets_at }) => resets_at === status.resetsAt);
		const thresholds = current.map(({ threshold }) => threshold).sort((a, b) => a - b);
		expect(thresholds).toEqual(reachedThresholds(status));
	}

	/** Lets alarms ring until none is set but the one for bytes that leave after thirty days; then D1 has all sums. */
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
		expect(await sumsUnlikeD1({ user_id: this.userId })).toBe(0);
		expect(await requestsInD1({ user_id: this.userId })).toBe(settled.length);
		for (const request of settled) expect(await this.#receiptHash(request)).toBe(request.settled?.proofHash);
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
const anIdTime: fc.Arbitrary<IdTime> = fc.oneof(
	{ weight: 5, arbitrary: fc.constant(0) },
	{ weight: 2, arbitrary: fc.constant<IdTime>("as before") },
	{ weight: 1, arbitrary: fc.integer({ min: 1_000, max: 8_000_000 }) },
);
const aFault = fc.constantFrom<Fault>("fail", "failAfter", "failAfter", "pass", { slowMs: 5 });

const aMove: fc.Arbitrary<Move> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.tuple(fc.constantFrom(true, true, false), fc.boolean(), anIdTime)
			.map(([isReserved, isRepeated, idTime]) =>
				named(`admit ${isReserved} ${isRepeated} ${idTime}`, (run) => run.admit(isReserved, isRepeated, idTime)),
			),
	},
	{
		weight: 2,
		arbitrary: ofRequest("admit again", fc.constant(0), (run, request) => run.admitAgain(request)),
	},
	{ weight: 2, arbitrary: ofRequest("fill fold", fc.constant(0), (run, request) => run.fillFold(request)) },
	{
		weight: 8,
		arbitrary: ofRequest("settle", fc.tuple(aCost, fc.boolean()), (run, request, [cost, isRepeated]) =>
			run.settle(request, cost, isRepeated),
		),
	},
	{
		weight: 3,
		arbitrary: ofRequest("strand", fc.tuple(aCost, fc.boolean()), (run, request, [cost, isTold]) =>
			run.strand(request, cost, isTold),
		),
	},
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
			.map((faults) => named(`D1: ${JSON.stringify(faults)}`, (run) => run.faults(faults))),
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
