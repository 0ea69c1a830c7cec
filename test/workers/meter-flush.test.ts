// Where a meter may die between a settlement and its totals, what D1 may refuse, and what an hour without it may leave behind.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BATCH_BYTES } from "../../src/meter/flush-batch.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import { type FaultPlan, inOrder, killObject, useFaults } from "../support/faults.ts";
import {
	call,
	callWithKey,
	chat,
	db,
	eventually,
	newKey,
	operator,
	receiptOf,
	type TestKey,
	type Upstream,
	usageOf,
	usageRowsInD1,
	useSandbox,
} from "../support/service.ts";
import { reservationFor, settlementFor, UNLIMITED_KEY } from "../support/settlements.ts";

let upstream: Upstream;
let key: TestKey;
let user: string;
let meter: MeterClient;
let faults: { restore(): void } | undefined;
beforeEach(async () => {
	upstream = useSandbox();
	user = `flushed-${crypto.randomUUID()}`;
	key = await newKey("corporate", user);
	meter = meterClient(env.ACCOUNT_METER, key.user_id);
});
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	faults?.restore();
	upstream.restore();
});

const stub = () => env.ACCOUNT_METER.getByName(key.user_id);
const onFlush =
	(plan: FaultPlan): FaultPlan =>
	(operation) =>
		/insert into "settlements"/i.test(operation.target) ? plan(operation) : "pass";

/** Runs SQL in the object, behind its back. */
function inObject<T>(run: (sql: SqlStorage) => T): Promise<T> {
	return runInDurableObject(stub(), (_, { storage }) => run(storage.sql));
}

async function settled(id: string, costNanoUsd: number, letters = 0): Promise<void> {
	const reservation = reservationFor(key.user_id, id, costNanoUsd, Date.now() + 600_000);
	const admission = {
		requestId: id,
		keyId: key.key_id,
		...UNLIMITED_KEY,
		plan: "corporate" as const,
		countsTowardsDay: true,
		reservation,
	};
	expect((await meter.admit(admission)).admitted).toBe(true);
	expect(await meter.settle(await settlementFor(key.user_id, id, costNanoUsd, letters))).toBe("settled");
}

async function expectAgreement(requests: number): Promise<void> {
	const answer = await operator("GET", `/internal/usage/check?user=${encodeURIComponent(user)}`);
	expect(((await answer.json()) as { data: unknown[] }).data).toMatchObject([{ agrees: true, requests }]);
	expect((await usageOf(key)).total_requests).toBe(requests);
	expect(await usageRowsInD1(key)).toBe(requests);
}

describe("a meter that dies", () => {
	it("after D1 took its rows and before it heard of it counts them once", async () => {
		faults = useFaults({ DB: onFlush(inOrder(["hangAfter"])) });
		for (const id of ["a", "b"]) await settled(`svc-${id}-${key.user_id}`, 5);
		await eventually(async () => (await usageRowsInD1(key)) === 2);
		await killObject(stub());
		expect((await usageOf(key)).total_requests).toBe(2);
		await runDurableObjectAlarm(stub());
		await expectAgreement(2);
	});

	it("before its timer flushes is woken by its alarm, and nothing is missing", async () => {
		await settled(`svc-a-${key.user_id}`, 5);
		await killObject(stub());
		expect(await usageRowsInD1(key)).toBe(0);
		expect(await runDurableObjectAlarm(stub())).toBe(true);
		await expectAgreement(1);
	});

	it("between D1's answer and the fold sends its rows again, and counts them once", async () => {
		await settled(`svc-a-${key.user_id}`, 5);
		await eventually(async () => (await usageRowsInD1(key)) === 1);
		for (let crash = 0; crash < 3; crash++) {
			await killObject(stub());
			expect((await usageOf(key)).total_requests).toBe(1);
			await expectAgreement(1);
		}
	});

	it("while its fold fails keeps trying, and has the same totals before, meanwhile and after", async () => {
		await inObject((sql) =>
			sql.exec("CREATE TRIGGER no_fold BEFORE INSERT ON folded BEGIN SELECT RAISE(ABORT, 'full'); END"),
		);
		for (let n = 0; n < 40; n++) await settled(`svc-${n}-${key.user_id}`, 5);
		for (const step of ["alarm", "kill", "alarm"]) {
			if (step === "kill") await killObject(stub());
			else await runDurableObjectAlarm(stub());
			expect((await usageOf(key)).total_requests, step).toBe(40);
		}
		await inObject((sql) => sql.exec("DROP TRIGGER no_fold"));
		expect(await runDurableObjectAlarm(stub())).toBe(true);
		const folded = await inObject((sql) => sql.exec("SELECT settled FROM folded").toArray());
		expect(folded).toEqual([{ settled: 40 }]);
		await expectAgreement(40);
	});
});

describe("an open reservation", () => {
	it("is extended by one row, and settled at what it was extended to when nobody settles it", async () => {
		const id = `svc-run-${key.user_id}`;
		const reservation = reservationFor(key.user_id, id, 5, Date.now() + 60_000);
		await meter.admit({
			requestId: id,
			keyId: key.key_id,
			...UNLIMITED_KEY,
			plan: "corporate",
			countsTowardsDay: true,
			reservation,
		});
		const longer = reservationFor(key.user_id, id, 17, Date.now() + 600_000);
		const written = await runInDurableObject(stub(), (instance, { storage }) => {
			const exec = storage.sql.exec.bind(storage.sql);
			let rows = 0;
			vi.spyOn(storage.sql, "exec").mockImplementation((query, ...bindings) => {
				const cursor = exec(query, ...bindings);
				rows += cursor.rowsWritten;
				return cursor as never;
			});
			expect(instance.extend(id, longer)).toBe("extended");
			return rows;
		});
		vi.restoreAllMocks();
		upstream = useSandbox();
		expect(written).toBeLessThanOrEqual(1);
		expect(await meter.extend(id, longer)).toBe("extended");
		await evictDurableObject(stub());
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
		await runDurableObjectAlarm(stub());
		expect((await usageOf(key)).total_requests).toBe(0);
		vi.setSystemTime(Date.now() + 600_000);
		await runDurableObjectAlarm(stub());
		expect(await meter.extend(id, longer)).toBe("late");
		expect(await usageOf(key)).toMatchObject({ total_requests: 1, total_cost_usd: 17e-9 });
		await expectAgreement(1);
	});

	it("counts for nothing when it is extended and then released", async () => {
		const id = `svc-run-${key.user_id}`;
		const reservation = reservationFor(key.user_id, id, 5, Date.now() + 60_000);
		await meter.admit({
			requestId: id,
			keyId: key.key_id,
			...UNLIMITED_KEY,
			plan: "corporate",
			countsTowardsDay: true,
			reservation,
		});
		await meter.extend(id, reservationFor(key.user_id, id, 17, Date.now() + 120_000));
		await meter.release(id);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 180_000 });
		await runDurableObjectAlarm(stub());
		await expectAgreement(0);
	});
});

describe("a row that is too large for a batch", () => {
	it("goes alone, and those around it go too", async () => {
		const sizes = [0, BATCH_BYTES + 1, 0, BATCH_BYTES - 1_000, 0];
		for (const [n, letters] of sizes.entries()) await settled(`svc-${n}-${key.user_id}`, 5, letters);
		await eventually(async () => (await usageRowsInD1(key)) === sizes.length);
		await expectAgreement(sizes.length);
		await runDurableObjectAlarm(stub());
	});

	it("and for D1 is stored without what makes it so, says that, and holds nobody up", async () => {
		const prepare = env.DB.prepare.bind(env.DB);
		const limit = 1_500_000;
		let asked = 0;
		vi.spyOn(env.DB, "prepare").mockImplementation((query) => {
			const statement = prepare(query);
			const bind = statement.bind.bind(statement);
			statement.bind = (...values) => {
				if (!values.some((value) => typeof value === "string" && value.length > limit)) return bind(...values);
				asked++;
				throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
			};
			return statement;
		});
		const errors: string[] = [];
		vi.spyOn(console, "error").mockImplementation((line: string) => void errors.push(line));
		const ids = ["before", "large", "after"].map((name) => `svc-${name}-${key.user_id}`);
		for (const id of ids) await settled(id, 5, id.includes("large") ? limit : 0);
		await eventually(async () => (await usageRowsInD1(key)) === 3);
		expect(asked).toBeLessThanOrEqual(2);
		expect(errors.filter((line) => line.includes("settlement_cut_down"))).toHaveLength(1);
		const stored = await db
			.prepare("SELECT receipt FROM settlements WHERE request_id = ?")
			.bind(ids[1])
			.first<string>("receipt");
		expect(JSON.parse(stored ?? "")).toMatchObject({
			request_id: ids[1],
			cost_usd: 5e-9,
			cut_down: expect.any(String),
		});
		await expectAgreement(3);
	});
});

describe("an hour without D1 at 1,000 requests a minute", () => {
	const PENDING = 60_000;
	const DRAINED = 5_000;

	/** Fills the object as an hour of requests does. */
	async function fill(): Promise<void> {
		const { usage, receipt } = await settlementFor(key.user_id, "svc-ID", 5);
		const body = JSON.stringify({ usage, receipt });
		await usageOf(key);
		await inObject((sql) => {
			sql.exec(
				`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
				INSERT INTO slots (slot, request_id, admitted, at_ms, counts, closed_at_ms, settled, proof_hash, doubtful, created_at, body)
				SELECT 1000 + i, 'svc-' || i || ?2, 1000 + i, 1, 0, 1, i, 'h', i % 3 = 0, ?3, replace(?4, 'svc-ID', 'svc-' || i || ?2) FROM n`,
				PENDING,
				key.user_id,
				usage.created_at,
				body,
			);
		});
		await evictDurableObject(stub());
	}

	it("leaves usage, proofs and new requests working, and goes to D1 when it is back", {
		timeout: 240_000,
	}, async () => {
		faults = useFaults({ DB: onFlush(() => "fail") });
		await fill();
		const report = await usageOf(key);
		expect(report.total_requests).toBe(PENDING);
		expect(report.recent).toHaveLength(20);
		const answer = await chat(key.key, "still here");
		expect(answer.status).toBe(200);
		await receiptOf(answer.headers.get("x-request-id") ?? "");
		expect((await usageOf(key)).total_requests).toBe(PENDING + 1);
		const groups = await callWithKey(key.key, "/v1/usage?group_by=day");
		expect(await groups.json()).toMatchObject({ total: { requests: PENDING + 1, calls: PENDING + 1 } });
		const { doubtful } = await meter.snapshot("corporate");
		expect(JSON.stringify(doubtful).length).toBeLessThan(8_000_000);
		expect(doubtful.next).not.toBeNull();
		expect((await call("/health")).status).toBe(200);
		// The rest of the test would only take longer with more.
		await inObject((sql) => sql.exec("DELETE FROM slots WHERE settled <= ?", PENDING - DRAINED));
		// Not evicted: a busy machine is flushing for longer than an eviction waits.
		await killObject(stub());
		faults.restore();
		await runDurableObjectAlarm(stub());
		await eventually(async () => (await usageRowsInD1(key)) === DRAINED + 1);
		await expectAgreement(DRAINED + 1);
	});
});
