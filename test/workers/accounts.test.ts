// Usage, receipts and what the upstream saw agree, whatever fails on the way: random requests, faults, crashes and waits.
// VITE_FAULT_SEED and VITE_FAULT_RUNS choose other sequences, and more of them.
import fc from "fast-check";
import { expect, it } from "vitest";
import { usd } from "../../src/proof/money.ts";
import type { Fault } from "../support/faults.ts";
import { canBeSilent, modelOnWire } from "../support/models.ts";
import { proofOf, type UsageReport } from "../support/service.ts";
import { type Ask, type Blow, type Entry, type FaultyPlace, Trial } from "../support/trial.ts";

const SEED = Number(process.env["VITE_FAULT_SEED"] ?? 20_261_121);
const RUNS = Number(process.env["VITE_FAULT_RUNS"] ?? 15);

/** A failing sequence is made as short as possible before it is shown. */
const SHRINKING_MS = 600_000;

const failing = modelOnWire("openai", canBeSilent);

type Step = (trial: Trial) => Promise<void> | void;

const anAsk = fc.record<Ask>({
	entrance: fc.constantFrom("chat", "responses", "messages"),
	words: fc.constantFrom(
		"hello",
		"hello",
		`[[fail ${failing.provider}]]`,
		`[[cut @${failing.provider}]]`,
		"[[status 500]]",
		"[[status 400]]",
		"[[cut]]",
		"[[no usage]]",
		"[[empty]]",
		"[[overrun]]",
	),
	model: fc.constantFrom("auto", failing.id, modelOnWire("openai", ({ provider }) => provider !== failing.provider).id),
	stream: fc.boolean(),
	leaves: fc.constantFrom(false, false, false, true),
});

const aFault: fc.Arbitrary<Fault> = fc.oneof(
	{ arbitrary: fc.constantFrom<Fault>("fail", "failAfter"), weight: 4 },
	{ arbitrary: fc.constant<Fault>("pass"), weight: 1 },
	{ arbitrary: fc.integer({ min: 1, max: 15 }).map((slowMs) => ({ slowMs })), weight: 1 },
);

const aBlow = fc.constantFrom<Blow>("evict", "kill", "alarm", "expiry");
const aPlace = fc.constantFrom<FaultyPlace>(
	"d1 reads",
	"d1 writes",
	"d1 writes",
	"admit",
	"settle",
	"settle",
	"take over",
	"release",
	"snapshot",
	"upstream",
);

/** A step with its words, so that a failing sequence can be read. */
function named(name: string, step: Step): Step {
	return Object.assign(step, { [fc.toStringMethod]: () => name });
}

const aStep: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc
			.array(anAsk, { minLength: 1, maxLength: 2 })
			.map((asks) =>
				named(
					`ask ${JSON.stringify(asks)}`,
					async (trial) => void (await Promise.all(asks.map((ask) => trial.ask(ask)))),
				),
			),
	},
	{
		weight: 2,
		arbitrary: fc
			.tuple(anAsk, aBlow)
			.map(([ask, blow]) => named(`${blow} during ${JSON.stringify(ask)}`, (trial) => trial.askDuring(ask, blow))),
	},
	{
		weight: 5,
		arbitrary: fc
			.tuple(aPlace, fc.array(aFault, { minLength: 1, maxLength: 4 }))
			.map(([place, faults]) => named(`${place}: ${JSON.stringify(faults)}`, (trial) => trial.faults(place, faults))),
	},
	{ weight: 2, arbitrary: aBlow.map((blow) => named(blow, (trial) => trial.blow(blow))) },
	{
		weight: 1,
		arbitrary: fc.integer({ min: 1, max: 90_000 }).map((ms) => named(`wait ${ms} ms`, (trial) => trial.wait(ms))),
	},
	{ weight: 1, arbitrary: fc.constant(named("an hour without D1", (trial) => trial.hourWithoutD1())) },
);

/** Calls that were, or may have been, billed: all but those answered with an error status. */
function billedProviders({ calls }: Entry): string[] {
	const billed = calls.filter(({ status }) => status === null || status === 200);
	return billed.map(({ url }) => new URL(url).pathname.split("/")[1] ?? "");
}

/** Whether the client was told what its request came to, in money. */
function costHeard({ heard, calls }: Entry): number | null {
	if (heard.svc) return heard.svc.cost.total_usd;
	return calls.length > 0 && heard.error === "all_models_failed" ? heard.costUsd : null;
}

/**
 * Everybody who was told a cost finds it in their usage, once; nothing is in it twice. As long as a settlement is stranded in D1, its
 * request is shown as open.
 */
function expectEveryDeliveryOnce(trial: Trial, { recent, open, total_requests, total_cost_usd }: UsageReport): void {
	const openIds = new Set(open.map(({ request_id }) => request_id));
	const costs = new Map(recent.map(({ request_id, cost_usd }) => [request_id, cost_usd]));
	expect(costs.size).toBe(recent.length);
	expect(recent.filter(({ request_id }) => openIds.has(request_id))).toEqual([]);
	expect(total_requests).toBe(recent.length);
	expect(Math.round(total_cost_usd * 1e9)).toBe(recent.reduce((sum, row) => sum + Math.round(row.cost_usd * 1e9), 0));
	for (const entry of trial.entries) {
		const cost = costHeard(entry);
		if (cost && !openIds.has(entry.heard.requestId))
			expect(costs.get(entry.heard.requestId), JSON.stringify(entry.heard)).toBe(cost);
	}
}

interface Row extends Amount {
	request_id: string;
	mode: string;
	model: string;
	provider: string;
	estimated: boolean;
	outcome: string;
	calls: readonly (Amount & { model: string; provider: string })[];
}

/** What is summed up. */
type Amount = { tokens: number; input_tokens: number; cost_nano_usd: number };

async function rowsOf(trial: Trial): Promise<Row[]> {
	return (await trial.settled()).map(({ request, calls }) => ({ ...request, calls }));
}

type Totals = Record<string, Amount & { requests: number }>;

/** Totals of rows or calls under the value of one column. */
function totalsBy<T extends Amount>(parts: T[], nameOf: (part: T) => string): Totals {
	const totals: Totals = {};
	for (const [name, group = []] of Object.entries(Object.groupBy(parts, nameOf))) {
		const sum = (column: keyof Amount) => group.reduce((total, part) => total + part[column], 0);
		totals[name] = {
			requests: group.length,
			tokens: sum("tokens"),
			input_tokens: sum("input_tokens"),
			cost_nano_usd: sum("cost_nano_usd"),
		};
	}
	return totals;
}

/** What the meter has counted. */
async function countedTotals(trial: Trial, dimension: string): Promise<Totals> {
	const counted = (await trial.totals()).filter((totals) => totals.dimension === dimension);
	return Object.fromEntries(
		counted.map(({ name, requests, tokens, inputTokens: input_tokens, costNanoUsd: cost_nano_usd }) => [
			name,
			{ requests, tokens, input_tokens, cost_nano_usd },
		]),
	);
}

/** Totals as usage shows them. */
function shown(totals: Totals): UsageReport["by_mode"] {
	return Object.fromEntries(
		Object.entries(totals).map(([name, { requests, tokens, cost_nano_usd }]) => [
			name,
			{ requests, tokens, cost_usd: usd(cost_nano_usd) },
		]),
	);
}

async function expectTotals(trial: Trial, rows: Row[]): Promise<void> {
	const calls = rows.flatMap((row) => row.calls);
	const expected = {
		total: totalsBy(rows, () => ""),
		mode: totalsBy(rows, ({ mode }) => mode),
		model: totalsBy(calls, ({ model }) => model),
		provider: totalsBy(calls, ({ provider }) => provider),
	};
	for (const [dimension, totals] of Object.entries(expected))
		expect(await countedTotals(trial, dimension), dimension).toEqual(totals);
	const report = await trial.usage();
	const whole = shown(expected.total)[""] ?? { requests: 0, tokens: 0, cost_usd: 0 };
	expect(report).toMatchObject({
		total_requests: whole.requests,
		total_tokens: whole.tokens,
		total_cost_usd: whole.cost_usd,
	});
	expect(report.by_mode).toEqual(shown(expected.mode));
	expect(report.by_model).toEqual(shown(expected.model));
	expect(report.by_provider).toEqual(shown(expected.provider));
	expect(report.limits.daily_requests_used).toBe(trial.admitted().size);
	expectEveryDeliveryOnce(trial, report);
}

/** What the account says of one request is what became of it. */
async function expectAccount(trial: Trial, entry: Entry, row: Row | undefined): Promise<void> {
	const { heard } = entry;
	const what = JSON.stringify(heard);
	const billed = billedProviders(entry);
	if (!row) {
		expect(billed, what).toEqual([]);
		expect(heard.delivered, what).toBe(false);
		return;
	}
	const { proof_hash, valid, receipt } = await proofOf(heard.requestId);
	expect(valid).toBe(true);
	expect(receipt).toMatchObject({
		outcome: row.outcome,
		cost_usd: usd(row.cost_nano_usd),
		estimated: row.estimated,
		model: row.model,
	});
	if (heard.svc) expect(heard.svc.proof.proof_hash).toBe(proof_hash);
	if (heard.delivered) {
		expect(receipt).toMatchObject({
			outcome: "complete",
			estimated: heard.svc?.cost.estimated,
			cost_usd: heard.svc?.cost.total_usd,
		});
	}
	expect(row.calls.reduce((sum, call) => sum + call.cost_nano_usd, 0)).toBe(row.cost_nano_usd);
	const providers = row.calls.map(({ provider }) => provider);
	const atBound = row.outcome === "cut" && receipt["cost_usd"] === receipt["bound_usd"];
	if (atBound && providers.length === 1 && billed.length !== 1) {
		// Nobody settled it, so that the first call stands for all; with none at all, nobody could release it either.
		expect(costHeard(entry) ?? 0, what).toBe(0);
		if (billed.length === 0) expect(entry.expired || trial.releasesLost(heard.requestId), what).toBe(true);
	} else expect(providers, what).toEqual(billed);
}

it(
	"usage = receipts = what the upstream saw, whatever fails",
	async () => {
		// Two requests a step at the most: usage lists them all, because it lists twenty.
		const property = fc.asyncProperty(fc.array(aStep, { minLength: 4, maxLength: 9 }), async (steps) => {
			const trial = await Trial.begin();
			try {
				for (const step of steps) {
					await step(trial);
					expectEveryDeliveryOnce(trial, await trial.usage());
				}
				await trial.recover();
				expect(await trial.held()).toEqual({ unsent: 0, open: 0, alarmAtMs: null });
				const rows = await rowsOf(trial);
				const byId = new Map(rows.map((row) => [row.request_id, row]));
				for (const entry of trial.entries) await expectAccount(trial, entry, byId.get(entry.heard.requestId));
				const known = new Set(trial.entries.map(({ heard }) => heard.requestId));
				expect(rows.filter(({ request_id }) => !known.has(request_id))).toEqual([]);
				await expectTotals(trial, rows);
			} finally {
				trial.end();
			}
		});
		await fc.assert(property, { seed: SEED, numRuns: RUNS });
	},
	SHRINKING_MS,
);
