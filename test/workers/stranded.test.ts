// Settlements that are stranded in D1, in every order: whatever fails or dies between a Worker, D1 and the user's meter, one settlement
// of a request counts, and who was told that it is theirs sees it in public.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { database } from "../../src/db/client.edge.ts";
import { StorageUnavailableError } from "../../src/failure.ts";
import { Timings } from "../../src/http/timings.ts";
import type { AccountMeter } from "../../src/meter/account-meter.object.ts";
import type { KeyBudget } from "../../src/meter/key-budget.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import type { Settlement } from "../../src/meter/settlement.ts";
import { UsageTotals } from "../../src/meter/usage-totals.ts";
import { openFunds } from "../../src/usage/funds.edge.ts";
import { findReceipt } from "../../src/usage/receipt-lookup.edge.ts";
import {
	type Fault,
	faultyD1,
	faultyNamespace,
	inOrder,
	isOfStranded,
	killObject,
	onlyFor,
	useFaults,
} from "../support/faults.ts";
import { requestsInD1, sumsUnlikeD1 } from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor, TEST_KEY_ID } from "../support/settlements.ts";

const BOUND = 1_000;
const COST = 400;
const RESERVED_MS = 100_000;
const BUDGET = { limitNanoUsd: 1_500, period: "total" } as const;

/** The calls to D1 of whoever is not the meter, without faults. */
const ownD1 = faultyD1(env.DB, () => "pass");

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
});
afterEach(() => {
	vi.useRealTimers();
});

/** A user with a request of which a Worker has the settlement. */
class Stage {
	readonly userId = `usr_${crypto.randomUUID()}`;
	readonly meter: MeterClient = meterClient(env.ACCOUNT_METER, this.userId);
	readonly getStub = (): DurableObjectStub<AccountMeter> => env.ACCOUNT_METER.getByName(this.userId);

	async admit(id = aRequestId(), keyBudget: KeyBudget = BUDGET): Promise<string> {
		const { admitted } = await this.meter.admit({
			...{ requestId: id, keyId: TEST_KEY_ID, keyVersion: 1, keyLimits: null, budgetKeyId: TEST_KEY_ID },
			...{ keyBudget, plan: "corporate", countsTowardsDay: true },
			reservation: reservationFor(this.userId, id, BOUND, Date.now() + RESERVED_MS),
		});
		expect(admitted).toBe(true);
		return id;
	}

	/** What a Worker's funds are for a request, as its calls of meter and D1 go. */
	funds(requestId: string, faults: { settle?: Fault[]; take?: Fault[]; d1?: Fault[] }) {
		const { settle = [], take = [], d1 = [] } = faults;
		const [onSettle, onTake] = [onlyFor(["settle"], inOrder(settle)), onlyFor(["takeStranded"], inOrder(take))];
		const namespace = faultyNamespace(env.ACCOUNT_METER, (operation) =>
			operation.method === "settle" ? onSettle(operation) : onTake(operation),
		);
		const waiting: Promise<unknown>[] = [];
		const funds = openFunds({
			account: { userId: this.userId },
			db: database(faultyD1(ownD1, inOrder(d1))),
			meter: (userId: string) => meterClient(namespace, userId),
			requestId,
			waitUntil: (work: Promise<unknown>) => void waiting.push(work),
		});
		return {
			settle: async (settlement: Settlement) => {
				const isSettled = await funds.settle(settlement);
				await Promise.all(waiting);
				return isSettled;
			},
		};
	}

	ring(): Promise<boolean> {
		return runDurableObjectAlarm(this.getStub() as unknown as DurableObjectStub<undefined>);
	}

	kill(): Promise<void> {
		return killObject(this.getStub() as unknown as DurableObjectStub<undefined>);
	}

	row(id: string) {
		return runInDurableObject(this.getStub(), (_, { storage }) =>
			storage.sql
				.exec<{ claiming: number; expires_at_ms: number | null; settled: number | null }>(
					"SELECT claiming, expires_at_ms, settled FROM requests WHERE id = ?",
					id,
				)
				.one(),
		);
	}

	async receiptHash(id: string): Promise<string | undefined> {
		const timings = new Timings(Date.now(), () => Date.now());
		const context = { db: database(ownD1), meter: () => this.meter, timings };
		return (await findReceipt(context, this.userId, id))?.proof_hash;
	}

	/** The hash of what stands in D1. */
	async standing(id: string): Promise<string | undefined> {
		const query = "SELECT proof_hash FROM stranded_settlements WHERE request_id = ?";
		return (await ownD1.prepare(query).bind(id).first<string>("proof_hash")) ?? undefined;
	}

	async amounts() {
		const { totals, holds } = await this.meter.snapshot("corporate");
		const [budget] = await this.meter.budgets([{ budgetKeyId: TEST_KEY_ID, budget: BUDGET }]);
		const { requests, costNanoUsd } = new UsageTotals(totals).total();
		return { requests, costNanoUsd, open: holds.length, spent: budget?.spentNanoUsd, held: budget?.heldNanoUsd };
	}

	/** One settlement counts, here and in D1. */
	async expectCounted(id: string, cost: number): Promise<void> {
		expect((await this.row(id)).settled).not.toBeNull();
		expect(await this.amounts()).toEqual({ requests: 1, costNanoUsd: cost, open: 0, spent: cost, held: 0 });
		await this.meter.flushNow();
		const key = { user_id: this.userId };
		expect([await requestsInD1(key), await sumsUnlikeD1(key)]).toEqual([1, 0]);
	}

	/** The request is open, and everything says so. */
	async expectOpen(id: string): Promise<void> {
		expect(await this.amounts()).toEqual({ requests: 0, costNanoUsd: 0, open: 1, spent: 0, held: BOUND });
		expect(await this.receiptHash(id)).toBe(await this.standing(id));
	}
}

/** What becomes of the meter's statements in D1: of its write with read-back, and of its mark that it has taken it over. */
interface AtMeter {
	name: string;
	write: Fault;
	mark: Fault;
	/** Whether it dies while it waits for D1. */
	dies: boolean;
}

const AT_METER: AtMeter[] = [
	{ name: "D1 answers", write: "pass", mark: "pass", dies: false },
	{ name: "D1 fails the mark", write: "pass", mark: "fail", dies: false },
	{ name: "D1 loses its answer to the mark", write: "pass", mark: "failAfter", dies: false },
	{ name: "D1 fails the write", write: "fail", mark: "pass", dies: false },
	{ name: "D1 loses the read-back", write: "failAfter", mark: "pass", dies: false },
	{ name: "D1 loses the read-back and fails the mark", write: "failAfter", mark: "fail", dies: false },
	{ name: "dies before the write", write: { slowMs: 60_000 }, mark: "pass", dies: true },
	{ name: "dies between write and read-back", write: "hangAfter", mark: "pass", dies: true },
];

interface AtWorker {
	name: string;
	settle: Fault[];
	d1: Fault[];
	take: Fault[];
}

const LOST: [string, Fault][] = [
	["before the meter has it", "fail"],
	["after the meter has it", "failAfter"],
];
const STRANDED: [string, Fault][] = [
	["is stranded", "pass"],
	["is not stranded", "fail"],
	["is stranded without an answer", "failAfter"],
];
const TOLD: [string, Fault][] = [
	["the meter is told", "pass"],
	["the meter is not told", "fail"],
];

const AT_WORKER: AtWorker[] = [
	{ name: "settles", settle: [], d1: [], take: [] },
	...LOST.flatMap(([when, settle]) =>
		STRANDED.flatMap(([how, d1]) =>
			TOLD.map(([whether, take]) => ({
				name: `its call is lost ${when}, ${how}, ${whether}`,
				...{ settle: [settle, settle], d1: [d1], take: [take, take] },
			})),
		),
	),
];

const ORDERS = ["before the bound", "while the meter asks D1", "after the bound"] as const;
type Order = (typeof ORDERS)[number];

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Puts faults on the meter's first write of stranded settlements, and on its first mark. */
function faultsAtMeter(atMeter: AtMeter, isSlow: boolean): { restore(): void; hasAsked(): boolean } {
	let hasAsked = false;
	const writes = inOrder([isSlow ? { slowMs: 10, ending: atMeter.write as "pass" } : atMeter.write]);
	const marks = inOrder([atMeter.mark]);
	const { restore } = useFaults({
		DB: (operation) => {
			const { target } = operation;
			if (!isOfStranded(target)) return "pass";
			if (/^\s*update/i.test(target)) return marks(operation);
			if (!/^\s*insert/i.test(target)) return "pass";
			hasAsked = true;
			return writes(operation);
		},
	});
	return { restore, hasAsked: () => hasAsked };
}

/** Lets the reservation expire, and the meter see to it. @returns what `work` returns, if it comes while the meter asks D1. */
async function expire(
	stage: Stage,
	id: string,
	atMeter: AtMeter,
	work: (() => Promise<boolean>) | null,
): Promise<boolean | null> {
	const { restore, hasAsked } = faultsAtMeter(atMeter, work !== null && !atMeter.dies);
	try {
		vi.setSystemTime(Date.now() + RESERVED_MS);
		const ringing = stage.ring().catch(() => undefined);
		// One that is settled is not asked for.
		const isOpen = (await stage.row(id)).settled === null;
		if (isOpen) await until(hasAsked);
		if (isOpen && atMeter.write === "hangAfter") await until(async () => (await stage.standing(id)) !== undefined);
		const working = work?.() ?? null;
		if (isOpen && atMeter.dies) await stage.kill();
		const isToldSettled = await working;
		if (!isOpen || !atMeter.dies) await ringing;
		if ((await stage.row(id)).settled === null) await stage.expectOpen(id);
		return isToldSettled;
	} finally {
		restore();
	}
}

/** Plays one order of events to its end. */
async function play(order: Order, atWorker: AtWorker, atMeter: AtMeter): Promise<void> {
	const stage = new Stage();
	const id = await stage.admit();
	const settlement = await settlementFor(stage.userId, id, COST);
	const work = () => stage.funds(id, atWorker).settle(settlement);
	const isToldBefore = order === "before the bound" ? await work() : null;
	const isToldMeanwhile = await expire(stage, id, atMeter, order === "while the meter asks D1" ? work : null);
	const isToldAfter = order === "after the bound" ? await work() : null;

	// D1 is back.
	vi.setSystemTime(Date.now() + 120_000);
	await stage.ring();
	const counted = await stage.receiptHash(id);
	const isReal = counted === settlement.receipt.proof_hash;
	if (isToldBefore ?? isToldMeanwhile ?? isToldAfter) expect(isReal).toBe(true);
	expect([undefined, counted]).toContain(await stage.standing(id));
	// The real call arrives at last, and the meter is told once more.
	expect(await stage.meter.settle(settlement)).toBe(isReal ? "settled" : "late");
	await stage.meter.takeStranded(stage.userId);
	await stage.kill();
	await stage.expectCounted(id, isReal ? COST : BOUND);
	expect(await stage.receiptHash(id)).toBe(counted);
}

/** Gives a failed order its name. */
function named(name: string): (error: unknown) => never {
	return (error) => {
		throw new Error(name, { cause: error });
	};
}

describe.each(ORDERS)("a settlement that comes %s", (order) => {
	it.each(AT_METER)("counts once, or the bound does, where the meter's $name", async (atMeter) => {
		for (const atWorker of AT_WORKER) await play(order, atWorker, atMeter).catch(named(`the Worker ${atWorker.name}`));
	});
});

describe("a reservation that has expired while D1 is away", () => {
	const away = () => useFaults({ DB: ({ target }) => (isOfStranded(target) ? "fail" : "pass") });

	it("stays held, is settled by nobody else, and at its bound as soon as D1 is back", async () => {
		const stage = new Stage();
		const id = await stage.admit();
		const settlement = await settlementFor(stage.userId, id, COST);
		const faults = away();
		vi.setSystemTime(Date.now() + RESERVED_MS);
		for (let alarms = 0; alarms < 20; alarms++) {
			await stage.ring();
			if (alarms % 5 === 4) await stage.kill();
			await stage.expectOpen(id);
			expect((await stage.row(id)).claiming).toBe(1);
			await expect(stage.meter.settle(settlement)).rejects.toThrow(StorageUnavailableError);
			const longer = reservationFor(stage.userId, id, BOUND, Date.now() + 500_000);
			await expect(stage.meter.extend(id, longer)).rejects.toThrow(StorageUnavailableError);
			await stage.meter.release(id);
			// A Worker that can reach neither of them has no receipt.
			expect(await stage.funds(id, { d1: ["fail"] }).settle(settlement)).toBe(false);
			expect(await stage.meter.receipt(id)).toBe("open");
			vi.setSystemTime(Date.now() + 60_000);
		}
		faults.restore();
		expect(await stage.meter.settle(settlement)).toBe("late");
		await stage.expectCounted(id, BOUND);
	});

	it("is settled with what a Worker has stranded that reaches D1 before the meter does", async () => {
		const stage = new Stage();
		const id = await stage.admit();
		const settlement = await settlementFor(stage.userId, id, COST);
		const faults = away();
		vi.setSystemTime(Date.now() + RESERVED_MS);
		await stage.ring();
		const take: Fault[] = ["fail", "fail"];
		expect(await stage.funds(id, { take }).settle(settlement)).toBe(true);
		await stage.expectOpen(id);
		expect(await stage.receiptHash(id)).toBe(settlement.receipt.proof_hash);
		faults.restore();
		vi.setSystemTime(Date.now() + 120_000);
		await stage.ring();
		await stage.expectCounted(id, COST);
		expect(await stage.receiptHash(id)).toBe(settlement.receipt.proof_hash);
	});
});

describe("two Workers that strand settlements of one request", () => {
	it("learn which stands, and one of them that it is not theirs", async () => {
		const stage = new Stage();
		const id = await stage.admit();
		const lost: Fault[] = ["fail", "fail"];
		const settlements = await Promise.all([COST, COST + 1].map((cost) => settlementFor(stage.userId, id, cost)));
		const told = await Promise.all(
			settlements.map((settlement) => stage.funds(id, { settle: lost, take: lost }).settle(settlement)),
		);
		expect(told.toSorted()).toEqual([false, true]);
		const first = settlements[told.indexOf(true)];
		expect(await stage.receiptHash(id)).toBe(first?.receipt.proof_hash);
		await stage.meter.takeStranded(stage.userId);
		await stage.expectCounted(id, first?.usage.cost_nano_usd ?? 0);
	});
});

describe("requests that expire together", () => {
	it("are asked for in parts, and those that are extended or settled meanwhile are not", async () => {
		const stage = new Stage();
		const rich = { limitNanoUsd: 1_000_000, period: "total" } as const;
		const ids = await Promise.all(Array.from({ length: 20 }, () => stage.admit(aRequestId(), rich)));
		const [extended = "", settled = ""] = ids.slice(-2);
		const settlement = await settlementFor(stage.userId, settled, COST);
		vi.setSystemTime(Date.now() + RESERVED_MS);
		let hasAsked = false;
		const faults = useFaults({
			DB: ({ target }) => {
				if (!isOfStranded(target) || hasAsked) return "pass";
				hasAsked = true;
				return { slowMs: 1_000 };
			},
		});
		try {
			const ringing = stage.ring();
			await until(() => hasAsked);
			const longer = reservationFor(stage.userId, extended, BOUND, Date.now() + RESERVED_MS);
			expect(await stage.meter.extend(extended, longer)).toBe("extended");
			expect(await stage.meter.settle(settlement)).toBe("settled");
			await ringing;
		} finally {
			faults.restore();
		}
		expect(await stage.row(extended)).toMatchObject({ claiming: 0, settled: null });
		expect([await stage.standing(extended), await stage.standing(settled)]).toEqual([undefined, undefined]);
		expect(await stage.receiptHash(settled)).toBe(settlement.receipt.proof_hash);
		const costs = 18 * BOUND + COST;
		expect(await stage.amounts()).toMatchObject({
			requests: 19,
			costNanoUsd: costs,
			open: 1,
			spent: costs,
			held: BOUND,
		});
		await stage.kill();
		expect(await stage.amounts()).toMatchObject({
			requests: 19,
			costNanoUsd: costs,
			open: 1,
			spent: costs,
			held: BOUND,
		});
	});
});
