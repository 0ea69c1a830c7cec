// Budgets of keys under random interleavings, against a model of a few lines: what is spent and held never passes the budget that was
// in force at an admission, costs are booked where they were reserved, and each alert is sent once, whatever is changed, rotated,
// revoked, lowered, expired, killed or refused by D1 meanwhile. VITE_FAULT_SEED and VITE_FAULT_RUNS choose other sequences.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { StorageUnavailableError } from "../../src/failure.ts";
import { reachedThresholds } from "../../src/meter/budget-alerts.ts";
import { BUDGET_PERIODS, periodEndsAt, periodStart, toUtcDay } from "../../src/meter/budget-period.ts";
import type { MeteredBudget } from "../../src/meter/key-budget.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import type { UsageRow } from "../../src/meter/settlement.ts";
import { alarmAtMs, type Fault, isOfStranded, isSumsFlush, killObject, useFaults } from "../support/faults.ts";
import { db, useSandbox } from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor } from "../support/settlements.ts";
import { useReceiver, WEBHOOK_URL, type WebhookReceiver } from "../support/webhook-receiver.ts";

const SEED = Number(process.env["VITE_FAULT_SEED"] ?? 20_261_122);
const RUNS = Number(process.env["VITE_FAULT_RUNS"] ?? 12);
const SHRINKING_MS = 600_000;
const DAY_MS = 86_400_000;
const RESERVED_MS = 100_000;

interface Key {
	id: string;
	/** The key that its costs are booked on. */
	chain: string;
	version: number;
	budget: MeteredBudget | null;
	isRevoked: boolean;
}

interface Request {
	id: string;
	key: Key;
	isOpen: boolean;
	/** The meter has asked D1 for its settlement, and has no answer: nothing else settles it. */
	isClaiming: boolean;
	expiresAtMs: number;
	/** As it was when the request was admitted. */
	budget: MeteredBudget | null;
	bookedDay: number;
	nanoUsd: number;
}

/** What a request of a key leaves, or is to leave. */
function ofKey<T extends { usage: UsageRow }>(key: Key, written: T): T {
	return { ...written, usage: { ...written.usage, api_key_id: key.id } };
}

/** A user's keys, their requests, and the meter that is to agree. */
class Books {
	readonly userId = `usr_${crypto.randomUUID()}`;
	readonly keys: Key[] = [];
	readonly requests: Request[] = [];
	readonly meter: MeterClient;
	/** Budgets as the meter was last told of them, by chain. */
	readonly #latest = new Map<string, MeteredBudget | null>();
	readonly #alerts = new Set<string>();
	readonly #getStub: () => DurableObjectStub<undefined>;
	readonly #receiver: WebhookReceiver;
	readonly #faults: { restore(): void };
	#queue: Fault[] = [];

	constructor(budgets: readonly MeteredBudget[]) {
		const getByName = env.ACCOUNT_METER.getByName.bind(env.ACCOUNT_METER);
		this.#getStub = () => getByName(this.userId) as unknown as DurableObjectStub<undefined>;
		this.meter = meterClient(env.ACCOUNT_METER, this.userId);
		this.#receiver = useReceiver((nth) => new Response(null, { status: nth % 3 === 1 ? 500 : 200 }));
		this.#faults = useFaults({
			DB: ({ target }) =>
				isSumsFlush(target) || isOfStranded(target) || /insert into "audit_events"/i.test(target)
					? (this.#queue.shift() ?? "pass")
					: "pass",
		});
		for (const budget of budgets) this.#newKey(null, budget);
	}

	end(): void {
		this.#faults.restore();
		this.#receiver.restore();
	}

	#newKey(chain: string | null, budget: MeteredBudget | null): Key {
		const id = `key_${this.keys.length}`;
		const key: Key = { id, chain: chain ?? id, version: 1, budget, isRevoked: false };
		this.keys.push(key);
		return key;
	}

	/** What a chain's requests have spent, or hold, in the current period of a budget. */
	#sum(chain: string, budget: MeteredBudget, isOpen: boolean): number {
		const start = periodStart(budget.period, toUtcDay(Date.now()));
		return this.requests
			.filter((request) => request.key.chain === chain && request.isOpen === isOpen)
			.filter(({ bookedDay }) => periodStart(budget.period, bookedDay) === start)
			.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
	}

	#left(chain: string, budget: MeteredBudget): number {
		return budget.limitNanoUsd - this.#sum(chain, budget, true) - this.#sum(chain, budget, false);
	}

	/** Notes the alerts that are due when a request has ended, or was refused. */
	#noteAlerts(chain: string, budget: MeteredBudget | null): void {
		if (!budget) return;
		const today = toUtcDay(Date.now());
		const spentNanoUsd = this.#sum(chain, budget, false);
		const status = { ...budget, spentNanoUsd, heldNanoUsd: 0, resetsAt: null };
		const resetsAt = periodEndsAt(budget.period, today);
		for (const threshold of reachedThresholds(status))
			this.#alerts.add(`${chain} ${budget.period} ${resetsAt} ${threshold}`);
	}

	#latestBudget({ key, budget }: Request): MeteredBudget | null {
		const changed = this.#latest.get(key.chain);
		return changed === undefined ? budget : changed;
	}

	async admit(key: Key, boundNanoUsd: number, isStale: boolean, isRepeated: boolean): Promise<void> {
		const keyVersion = isStale ? Math.max(1, key.version - 1) : key.version;
		const requestId = aRequestId();
		const expiresAtMs = Date.now() + RESERVED_MS;
		const request = {
			...{ requestId, keyId: key.id, keyVersion, keyLimits: null, keyBudget: key.budget, budgetKeyId: key.chain },
			...{ plan: "corporate" as const, countsTowardsDay: false },
			reservation: ofKey(key, reservationFor(this.userId, requestId, boundNanoUsd, expiresAtMs)),
		};
		const isRefused = key.isRevoked || keyVersion < key.version;
		const isOver = key.budget !== null && boundNanoUsd > this.#left(key.chain, key.budget);
		const reason = key.isRevoked ? "revoked" : keyVersion < key.version ? "key_changed" : "key_budget_exceeded";
		for (const _ of isRepeated ? [1, 2] : [1]) {
			const verdict = await this.meter.admit(request);
			expect(verdict).toMatchObject(isRefused || isOver ? { admitted: false, reason } : { admitted: true });
		}
		if (isRefused) return;
		if (isOver) return this.#noteAlerts(key.chain, key.budget);
		const share = { bookedDay: toUtcDay(Date.now()), nanoUsd: boundNanoUsd };
		this.requests.push({
			id: requestId,
			key,
			isOpen: true,
			isClaiming: false,
			expiresAtMs,
			budget: key.budget,
			...share,
		});
		if (key.budget) expect(this.#left(key.chain, key.budget)).toBeGreaterThanOrEqual(0);
	}

	async settle(request: Request, share: number): Promise<void> {
		const costNanoUsd = Math.ceil((request.nanoUsd * share) / 100);
		// A second settlement comes from a Worker that does not know the first.
		const settlement = await settlementFor(
			this.userId,
			request.id,
			request.isOpen ? costNanoUsd : 10_000 + costNanoUsd,
		);
		if (request.isClaiming) return this.#resolve(request, () => this.meter.settle(ofKey(request.key, settlement)));
		const verdict = await this.meter.settle(ofKey(request.key, settlement));
		expect(verdict).toBe(request.isOpen ? "settled" : "late");
		if (!request.isOpen) return;
		Object.assign(request, { isOpen: false, nanoUsd: costNanoUsd });
		this.#noteAlerts(request.key.chain, this.#latestBudget(request));
	}

	async release(request: Request): Promise<void> {
		await this.meter.release(request.id);
		if (request.isOpen && !request.isClaiming) Object.assign(request, { isOpen: false, nanoUsd: 0 });
	}

	/** Holds another amount, as a long run does. */
	async extend(request: Request, moreNanoUsd: number): Promise<void> {
		const nanoUsd = Math.max(1, request.nanoUsd + moreNanoUsd);
		const expiresAtMs = Date.now() + RESERVED_MS;
		const reservation = reservationFor(this.userId, request.id, nanoUsd, expiresAtMs);
		if (request.isClaiming)
			return this.#resolve(request, () => this.meter.extend(request.id, ofKey(request.key, reservation)));
		const verdict = await this.meter.extend(request.id, ofKey(request.key, reservation));
		const budget = this.#latestBudget(request);
		const today = toUtcDay(Date.now());
		const isHeldNow =
			budget !== null && periodStart(budget.period, request.bookedDay) === periodStart(budget.period, today);
		const room = budget && this.#left(request.key.chain, budget) + (isHeldNow ? request.nanoUsd : 0);
		const isOver = nanoUsd > request.nanoUsd && room !== null && nanoUsd > room;
		expect(verdict).toBe(!request.isOpen ? "late" : isOver ? "over_budget" : "extended");
		if (!request.isOpen || isOver) return;
		const bookedDay = nanoUsd > request.nanoUsd ? today : request.bookedDay;
		Object.assign(request, { expiresAtMs, nanoUsd, bookedDay });
	}

	async change(key: Key, budget: MeteredBudget | null): Promise<void> {
		if (key.isRevoked) return;
		Object.assign(key, { version: key.version + 1, budget });
		await this.meter.changeKey(key.id, key.version, { budgetKeyId: key.chain, budget });
		if (budget || this.#latest.has(key.chain)) this.#latest.set(key.chain, budget);
	}

	/** Replaces a key, which ends at once, or works beside its successor. */
	async rotate(key: Key, overlaps: boolean): Promise<void> {
		if (key.isRevoked) return;
		this.#newKey(key.chain, key.budget);
		if (overlaps) await this.change(key, key.budget);
		else await this.revoke(key);
	}

	async revoke(key: Key): Promise<void> {
		key.isRevoked = true;
		const isLast = !this.keys.some((other) => other.chain === key.chain && !other.isRevoked);
		await this.meter.revokeKey(key.id, isLast ? key.chain : null);
	}

	faults(faults: Fault[]): void {
		this.#queue = [...faults];
	}

	/** Whether D1 may fail. */
	get #isFaulty(): boolean {
		return this.#queue.some((fault) => fault !== "pass");
	}

	/** A call about a request that D1 has a settlement of, perhaps: first the meter asks there. */
	async #resolve(request: Request, ask: () => Promise<string>): Promise<void> {
		const mayFail = this.#isFaulty;
		const verdict = await ask().catch((error: unknown) => {
			if (mayFail && error instanceof StorageUnavailableError) return "away";
			throw error;
		});
		await this.#follow(verdict !== "away", (one) => one === request);
		expect(verdict).toBe(request.isOpen ? "away" : "late");
	}

	async alarm(): Promise<void> {
		const isSure = !this.#isFaulty;
		const expired = this.requests.filter(({ isOpen, expiresAtMs }) => isOpen && expiresAtMs <= Date.now());
		await runDurableObjectAlarm(this.#getStub());
		await this.#follow(isSure, (request) => expired.includes(request));
	}

	/**
	 * Follows what the meter has done with D1, where each settlement is at the bound.
	 * @param isSure it has settled all that it could.
	 */
	async #follow(isSure: boolean, couldSettle: (request: Request) => boolean): Promise<void> {
		const rows = await runInDurableObject(this.#getStub(), (_, { storage }) =>
			storage.sql
				.exec<{ id: string; claiming: number }>("SELECT id, claiming FROM requests WHERE expires_at_ms IS NOT NULL")
				.toArray(),
		);
		const stillOpen = new Map(rows.map(({ id, claiming }) => [id, claiming === 1]));
		for (const request of this.requests) {
			if (!request.isOpen) continue;
			if (isSure || !couldSettle(request)) expect(stillOpen.has(request.id), request.id).toBe(!couldSettle(request));
			request.isClaiming = stillOpen.get(request.id) ?? false;
			if (stillOpen.has(request.id)) continue;
			request.isOpen = false;
			this.#noteAlerts(request.key.chain, this.#latestBudget(request));
		}
	}

	async crash(kind: "evict" | "kill"): Promise<void> {
		if (kind === "kill") await killObject(this.#getStub());
		else await evictDurableObject(this.#getStub()).catch(() => undefined);
	}

	/** Every budget is what the model says, in the current period of each kind. */
	async expectBudgets(): Promise<void> {
		const chains = [...new Set(this.keys.filter(({ isRevoked }) => !isRevoked).map(({ chain }) => chain))];
		const queries = chains.flatMap((budgetKeyId) =>
			BUDGET_PERIODS.map((period) => ({ budgetKeyId, budget: { limitNanoUsd: 1, period } })),
		);
		const statuses = await this.meter.budgets(queries);
		const expected = queries.map(({ budgetKeyId, budget }) => ({
			spentNanoUsd: this.#sum(budgetKeyId, budget, false),
			heldNanoUsd: this.#sum(budgetKeyId, budget, true),
		}));
		expect(statuses).toMatchObject(expected);
	}

	/** Lets alarms ring until none is set; then D1 has each alert once, and the receiver was told each once. */
	async expectDrained(): Promise<void> {
		this.#queue = [];
		for (;;) {
			const atMs = await alarmAtMs(this.#getStub());
			if (atMs === null) break;
			vi.setSystemTime(Math.max(atMs, Date.now()));
			await this.alarm();
		}
		expect(this.requests.filter(({ isOpen }) => isOpen)).toEqual([]);
		await this.expectBudgets();
		const chains = new Map(this.keys.map(({ id, chain }) => [id, chain]));
		const named = ({ key_id, threshold, ...more }: { key_id: string; threshold: number; resets_at: string | null }) =>
			`${chains.get(key_id)} ${more.resets_at} ${threshold}`;
		const { results } = await db
			.prepare("SELECT event_type, payload FROM audit_events WHERE user_id = ?")
			.bind(this.userId)
			.all<{ event_type: string; payload: string }>();
		expect(results.every(({ event_type }) => event_type === "key_budget_alert")).toBe(true);
		const events = results.map(({ payload }) => JSON.parse(payload));
		const occasions = events.map((event) =>
			[chains.get(event.key_id), event.budget_period, event.resets_at, event.threshold].join(" "),
		);
		expect(occasions.toSorted()).toEqual([...this.#alerts].map((alert) => alert.replace(" null ", "  ")).toSorted());
		const messages = new Map(
			this.#receiver.received.map(({ headers, body }) => [headers.get("webhook-id"), JSON.parse(body)]),
		);
		expect([...messages.values()].map(named).toSorted()).toEqual(events.map(named).toSorted());
	}
}

type Move = (books: Books) => Promise<void> | void;

/** A move with its words, so that a failing sequence can be read. */
function labelled(name: string, move: Move): Move {
	return Object.assign(move, { [fc.toStringMethod]: () => name });
}

/** A move of one of the latest keys or requests. */
function moveOf<Item, T>(
	name: string,
	listItems: (books: Books) => readonly Item[],
	arbitrary: fc.Arbitrary<T>,
	move: (books: Books, item: Item, value: T) => Promise<void>,
): fc.Arbitrary<Move> {
	return fc.tuple(fc.nat(9), arbitrary).map(([which, value]) =>
		labelled(`${name} ${which} ${JSON.stringify(value)}`, async (books) => {
			const items = listItems(books);
			const item = items.at(-1 - (which % Math.max(1, items.length)));
			if (item) await move(books, item, value);
		}),
	);
}

const keysIn = ({ keys }: Books) => keys;
const requestsIn = ({ requests }: Books) => requests;
const anAmount = fc.integer({ min: 1, max: 1_500 });
const aBudget: fc.Arbitrary<MeteredBudget> = fc.record(
	{
		limitNanoUsd: fc.integer({ min: 0, max: 4_000 }),
		period: fc.constantFrom(...BUDGET_PERIODS),
		alertWebhook: fc.constant(WEBHOOK_URL),
	},
	{ noNullPrototype: true },
);
const aFault = fc.constantFrom<Fault>("fail", "failAfter", "failAfter", "pass");

const aMove: fc.Arbitrary<Move> = fc.oneof(
	{
		weight: 10,
		arbitrary: moveOf(
			"admit",
			keysIn,
			fc.tuple(anAmount, fc.constantFrom(false, false, false, true), fc.boolean()),
			(books, key, [bound, isStale, isRepeated]) => books.admit(key, bound, isStale, isRepeated),
		),
	},
	{
		weight: 8,
		arbitrary: moveOf("settle", requestsIn, fc.nat(100), (books, request, share) => books.settle(request, share)),
	},
	{
		weight: 1,
		arbitrary: moveOf("release", requestsIn, fc.constant(0), (books, request) => books.release(request)),
	},
	{
		weight: 2,
		arbitrary: moveOf("extend", requestsIn, fc.integer({ min: -500, max: 900 }), (books, request, more) =>
			books.extend(request, more),
		),
	},
	{
		weight: 4,
		arbitrary: moveOf("change", keysIn, fc.option(aBudget, { freq: 6 }), (books, key, budget) =>
			books.change(key, budget),
		),
	},
	{
		weight: 2,
		arbitrary: moveOf("rotate", keysIn, fc.boolean(), (books, key, overlaps) => books.rotate(key, overlaps)),
	},
	{ weight: 1, arbitrary: moveOf("revoke", keysIn, fc.constant(0), (books, key) => books.revoke(key)) },
	{ weight: 4, arbitrary: fc.constant(labelled("alarm", (books) => books.alarm())) },
	{
		weight: 3,
		arbitrary: fc
			.constantFrom("evict" as const, "kill" as const)
			.map((kind) => labelled(kind, (books) => books.crash(kind))),
	},
	{
		weight: 3,
		arbitrary: fc
			.array(aFault, { minLength: 1, maxLength: 4 })
			.map((faults) => labelled(`D1: ${JSON.stringify(faults)}`, (books) => books.faults(faults))),
	},
	{
		weight: 4,
		arbitrary: fc
			.oneof(fc.integer({ min: 1, max: 150_000 }), fc.integer({ min: 1, max: 9 * DAY_MS }))
			.map((ms) => labelled(`wait ${ms} ms`, () => void vi.setSystemTime(Date.now() + ms))),
	},
);

it(
	"budgets of keys are exact, whatever happens to keys, requests, meter and D1 in whatever order",
	async () => {
		const someMoves = fc.array(aMove, { minLength: 10, maxLength: 60 });
		const someBudgets = fc.array(aBudget, { minLength: 1, maxLength: 3 });
		const property = fc.asyncProperty(someMoves, someBudgets, async (moves, budgets) => {
			const upstream = useSandbox();
			vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
			const books = new Books(budgets);
			try {
				for (const move of moves) {
					await move(books);
					await books.expectBudgets();
				}
				await books.expectDrained();
			} finally {
				books.end();
				vi.useRealTimers();
				upstream.restore();
			}
		});
		await fc.assert(property, { seed: SEED, numRuns: RUNS });
	},
	SHRINKING_MS,
);
