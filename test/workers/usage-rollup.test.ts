// The usage rollup in D1: each settlement counts once in it, however often and by whomever it is written.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { D1Migration } from "@cloudflare/vitest-pool-workers";
import { afterEach, describe, expect, it } from "vitest";
import { database } from "../../src/db/client.edge.ts";
import { toOutgoingRow } from "../../src/meter/flush-batch.ts";
import type { RollupCounts } from "../../src/meter/rollup.ts";
import { toSettlementRow, type UsageCall, type UsageRow } from "../../src/meter/settlement.ts";
import { recordSettlements } from "../../src/meter/settlements.store.ts";
import { type Fault, inOrder, isSumsFlush, killObject, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, chat, db, eventually, settledCount } from "../support/service.ts";
import { settlementFor } from "../support/settlements.ts";

const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: D1Migration[] };

const { key } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
});

const stub = () => env.ACCOUNT_METER.getByName(key.user_id);

interface RollupRow extends RollupCounts {
	day: string;
	api_key_id: string;
	model: string;
}

async function rollupRows(): Promise<RollupRow[]> {
	const { results } = await db
		.prepare("SELECT * FROM usage_days WHERE user_id = ? ORDER BY day, api_key_id, model")
		.bind(key.user_id)
		.all<RollupRow>();
	return results;
}

/** The rollup of the user's settlements, recomputed one by one. */
async function recomputedRows(): Promise<RollupRow[]> {
	const { results } = await db
		.prepare("SELECT * FROM settlements WHERE user_id = ?")
		.bind(key.user_id)
		.all<Omit<UsageRow, "calls"> & { calls: string }>();
	const rows = new Map<string, RollupRow>();
	for (const { created_at, api_key_id, model: main, calls, user_id } of results) {
		const day = created_at.slice(0, 10);
		const made = JSON.parse(calls) as UsageCall[];
		for (const model of new Set([main, ...made.map((call) => call.model)])) {
			const own = made.filter((call) => call.model === model);
			const at = `${day} ${api_key_id ?? ""} ${model}`;
			const row = rows.get(at);
			const sum = (before: number | undefined, amounts: number[]) =>
				amounts.reduce((total, amount) => total + amount, before ?? 0);
			rows.set(at, {
				...{ user_id, day, api_key_id: api_key_id ?? "", model },
				requests: sum(row?.requests, [model === main ? 1 : 0]),
				model_requests: sum(row?.model_requests, [own.length > 0 ? 1 : 0]),
				calls: sum(
					row?.calls,
					own.map(({ requests = 1 }) => requests),
				),
				tokens: sum(
					row?.tokens,
					own.map(({ tokens }) => tokens),
				),
				input_tokens: sum(
					row?.input_tokens,
					own.map(({ input_tokens }) => input_tokens),
				),
				cost_nano_usd: sum(
					row?.cost_nano_usd,
					own.map(({ cost_nano_usd }) => cost_nano_usd),
				),
			});
		}
	}
	return [...rows.keys()].sort().flatMap((at) => rows.get(at) ?? []);
}

/** Settlements as a meter sends them. */
async function outgoing(name: string, changes: Partial<UsageRow> = {}) {
	const settlement = await settlementFor(key.user_id, `svc-${name}-${key.user_id}`, 5);
	return toOutgoingRow({ ...toSettlementRow(settlement), ...changes });
}

function callOf(model: string, tokens: number): UsageCall {
	return { model, provider: "p", tokens, input_tokens: 1, cost_nano_usd: 2 * tokens };
}

describe("a flush", () => {
	it("writes one row for a key and a model, and adds to it", async () => {
		for (const text of ["one", "two", "three"]) expect((await chat(key.key, text)).status).toBe(200);
		await eventually(async () => (await settledCount(key)) === 3);
		const rows = await rollupRows();
		expect(rows).toHaveLength(1);
		expect(rows).toMatchObject([{ api_key_id: key.key_id, requests: 3, model_requests: 3, calls: 3 }]);
		expect(rows).toEqual(await recomputedRows());
	});

	it("counts an orchestration once, and each of its models with its share", async () => {
		const task = {
			messages: [{ role: "user", content: "Compare two sorting algorithms in depth" }],
			strategy: "ensemble_moa",
		};
		const answer = await callWithKey(key.key, "/v2/orchestrate", task);
		expect(answer.status).toBe(200);
		await eventually(async () => (await settledCount(key)) === 1);
		const rows = await rollupRows();
		expect(rows.length).toBeGreaterThan(1);
		expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(1);
		expect(rows).toEqual(await recomputedRows());
	});

	it.each<Fault>(["fail", "failAfter", "hangAfter"])("whose batch meets %s counts once in the end", async (fault) => {
		let plan = inOrder([fault]);
		faults = useFaults({ DB: (operation) => (isSumsFlush(operation.target) ? plan(operation) : "pass") });
		for (const text of ["one", "two"]) expect((await chat(key.key, text)).status).toBe(200);
		if (fault === "hangAfter") {
			await eventually(async () => (await settledCount(key)) > 0);
			await killObject(stub());
			plan = inOrder([]);
		}
		await runDurableObjectAlarm(stub());
		await eventually(async () => (await settledCount(key)) === 2);
		expect(await rollupRows()).toEqual(await recomputedRows());
		expect(await rollupRows()).toMatchObject([{ requests: 2 }]);
	});

	it("of rows that D1 has in part adds the others only", async () => {
		const [a, b] = [await outgoing("a"), await outgoing("b")];
		expect(await recordSettlements(database(db), [a])).toEqual(new Set([a.row.request_id]));
		expect(await recordSettlements(database(db), [a, b])).toEqual(new Set([b.row.request_id]));
		expect(await recordSettlements(database(db), [a, b])).toEqual(new Set());
		expect(await rollupRows()).toMatchObject([{ requests: 2, cost_nano_usd: 10 }]);
	});

	it("of which D1 refuses the settlements leaves no rollup behind", async () => {
		const whole = await outgoing("whole");
		const broken = { ...whole, text: JSON.stringify({ ...whole.row, mode: null }) };
		await expect(recordSettlements(database(db), [broken])).rejects.toThrow();
		expect(await rollupRows()).toEqual([]);
	});

	it("of many keys, days and models writes a row for each", async () => {
		const rows = [
			await outgoing("a", {
				created_at: "2026-01-31T23:59:59.999Z",
				model: "m",
				calls: [callOf("m", 3), callOf("n", 4)],
			}),
			await outgoing("b", { created_at: "2026-02-01T00:00:00.000Z", model: "m", calls: [callOf("m", 5)] }),
			await outgoing("c", { created_at: "2026-02-01T12:00:00.000Z", model: "n", calls: [], api_key_id: "key_2" }),
			await outgoing("d", {
				created_at: "2026-02-01T13:00:00.000Z",
				model: "m",
				calls: [callOf("n", 1), callOf("m", 7)],
			}),
		];
		await recordSettlements(database(db), rows);
		const found = await rollupRows();
		expect(found).toEqual(await recomputedRows());
		expect(found.map(({ day, model, requests, model_requests }) => [day, model, requests, model_requests])).toEqual([
			["2026-01-31", "m", 1, 1],
			["2026-01-31", "n", 0, 1],
			["2026-02-01", "m", 2, 2],
			["2026-02-01", "n", 0, 1],
			["2026-02-01", "n", 1, 0],
		]);
	});
});

describe("the migration", () => {
	/** Statements of the migration that makes the rollup. */
	const statements = TEST_MIGRATIONS.find(({ name }) => name.includes("usage_days"))?.queries ?? [];

	/** Stores a settlement as a Worker from before the rollup does. */
	async function storeAlone(row: ReturnType<typeof toOutgoingRow>["row"], apiKeyId: string | null): Promise<void> {
		const { calls, estimated, fallback, ...rest } = row;
		const columns = { ...rest, api_key_id: apiKeyId, calls: JSON.stringify(calls), estimated: 0, fallback: 0 };
		const names = Object.keys(columns);
		const sql = `INSERT INTO settlements (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
		await db
			.prepare(sql)
			.bind(...Object.values(columns))
			.run();
	}

	const varied = async () => [
		await outgoing("a", { model: "m", calls: [callOf("m", 3), callOf("n", 4), callOf("m", 1)] }),
		await outgoing("b", { model: "m", calls: [{ ...callOf("n", 5), requests: 7 }] }),
		await outgoing("c", { created_at: "2026-02-01T12:00:00.000Z", model: "m", calls: [] }),
		await outgoing("d", { model: "m", calls: [callOf("m", 9)] }),
	];

	it("fills the rollup from what D1 has, with and without keys", async () => {
		for (const [n, { row }] of (await varied()).entries()) await storeAlone(row, n % 2 === 0 ? null : "key_1");
		const recomputed = await recomputedRows();
		await db.batch([db.prepare("DROP TABLE usage_days"), db.prepare("DROP TRIGGER usage_days_keyless")]);
		for (const sql of statements) await db.prepare(sql).run();
		expect(await rollupRows()).toEqual(recomputed);
		expect(recomputed.length).toBeGreaterThan(4);
	});

	it("counts what a Worker from before it inserts afterwards, and what a meter still has from then", async () => {
		const rows = await varied();
		const [first, ...others] = rows;
		if (!first) throw new Error("there are rows");
		await storeAlone(first.row, null);
		expect(await rollupRows()).toEqual(await recomputedRows());
		const keyless = others.map(({ row: { api_key_id: _, ...row } }) => toOutgoingRow(row as typeof first.row));
		await recordSettlements(database(db), keyless);
		await recordSettlements(database(db), keyless);
		expect(await rollupRows()).toEqual(await recomputedRows());
		expect((await rollupRows()).reduce((sum, { requests }) => sum + requests, 0)).toBe(4);
	});
});
