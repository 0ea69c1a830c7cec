// Replay: what was observed is data, and the same request with it gives the same selection.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../src/catalog/plans.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { type Observations, observedSchema, toObserved } from "../../../src/routing/observed.ts";
import type { Selection } from "../../../src/routing/selection.ts";
import { parseSettings } from "../../../src/settings.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { compiledConfig } from "../../support/config.ts";
import { variablesFor } from "../../support/variables.ts";

const SETTINGS = parseSettings(variablesFor(TEST_CATALOG), TEST_CATALOG);
const IDS = TEST_CATALOG.models.map(({ id }) => id);
const PROVIDERS = TEST_CATALOG.providers.map(({ id }) => id);

const byName = <T>(names: readonly string[], value: fc.Arbitrary<T>) =>
	fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });

const observations: fc.Arbitrary<Observations> = fc.record(
	{
		conversation_model: fc.constantFrom(...IDS, "gone"),
		open_breakers: byName(PROVIDERS, fc.nat(30_000)),
		throttled: byName(IDS, fc.integer({ min: 1, max: 30_000 })),
		slowdown: byName(IDS, fc.double({ min: 1, max: 8, noNaN: true })),
		failure_share: byName(IDS, fc.double({ min: 0, max: 1, noNaN: true })),
		not_served: byName(IDS, fc.constantFrom(0, 10_000, 60_000)),
	},
	{ requiredKeys: [] },
);

const body = fc.record(
	{
		messages: fc.array(
			fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.string({ minLength: 1, maxLength: 400 }) }),
			{ minLength: 1, maxLength: 5 },
		),
		model: fc.constantFrom("auto", "auto", "auto", "laser-1", "halo-1", "tide-mid", "no-such-model"),
		routing_mode: fc.constantFrom("quality", "balanced", "agility"),
		max_tokens: fc.integer({ min: 1, max: 8_000 }),
		brain_config: fc.record(
			{
				max_cost: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
				blocked: fc.subarray(["lumen", "*-frontier", "tide-mid"]),
			},
			{ requiredKeys: [] },
		),
	},
	{ requiredKeys: ["messages"] },
);

/** What a client can see of a selection. */
function visible({ mode, candidates, failover, excluded, fallbackFrom, reason }: Selection) {
	const row = ({ model, effort, maxTokens, score, expectation, isBelowFloor }: Selection["candidates"][number]) => ({
		id: model.id,
		effort,
		maxTokens,
		score,
		expectation,
		isBelowFloor,
	});
	return {
		mode,
		candidates: candidates.map(row),
		failover: failover.map(row),
		excluded: excluded(),
		fallbackFrom,
		reason,
	};
}

describe("a decision", () => {
	it("is repeated by what was observed, 200 times of 200", () => {
		let repeated = 0;
		const moments = fc.integer({ min: Date.parse("2026-11-22"), max: Date.parse("2027-02-01") });
		const plans = fc.constantFrom(PLANS.free, PLANS.personal, PLANS.pro, PLANS.corporate);
		fc.assert(
			fc.property(body, observations, moments, plans, (raw, seen, nowMs, plan) => {
				const request = () => {
					const parsed = chatRequestSchema.parse(raw);
					const config = parsed.brain_config ? compiledConfig(parsed.brain_config, TEST_CATALOG) : null;
					return toInferenceRequest(parsed, TEST_CATALOG, config);
				};
				const decided = planCall(request(), plan, SETTINGS, nowMs, () => seen);
				fc.pre(decided.ok);
				if (!decided.ok) return;
				const shown = observedSchema.parse(JSON.parse(JSON.stringify(decided.value.observed)));
				const again = planCall(request(), plan, SETTINGS, Date.parse(shown.at), () => shown);
				if (!again.ok) throw new Error(again.failure.reason);
				expect(visible(again.value.selection)).toEqual(visible(decided.value.selection));
				expect(again.value.observed).toEqual(decided.value.observed);
				repeated++;
			}),
			{ numRuns: 200 },
		);
		expect(repeated).toBe(200);
	});

	it("passes by what is not served, a named model only while it is not asked again, and nothing where all are", () => {
		const body = (model: string) => chatRequestSchema.parse({ model, messages: [{ role: "user", content: "hi" }] });
		const choose = (model: string, not_served: Record<string, number>) => {
			const request = toInferenceRequest(body(model), TEST_CATALOG, null);
			const plan = planCall(request, PLANS.corporate, SETTINGS, Date.parse("2026-11-22"), () => ({ not_served }));
			if (!plan.ok) throw new Error(plan.failure.reason);
			const { candidates, fallbackFrom, excluded } = plan.value.selection;
			return { id: candidates[0].model.id, ids: candidates.map(({ model }) => model.id), fallbackFrom, excluded };
		};
		const first = choose("auto", {}).id;
		const other = choose("auto", { [first]: 0 });
		expect(other.ids).not.toContain(first);
		expect(other.excluded()[first]).toEqual([expect.stringContaining("lately said that it does not serve it")]);
		expect(choose(first, { [first]: 10_000 })).toMatchObject({ fallbackFrom: first });
		expect(choose(first, { [first]: 0 })).toMatchObject({ id: first, fallbackFrom: null });
		const all = Object.fromEntries(IDS.map((id) => [id, 60_000]));
		expect(choose("auto", all).ids).toEqual(choose("auto", {}).ids);
		expect(choose(first, all)).toMatchObject({ id: first, fallbackFrom: null });
		// An intensity goes to the next lower tier before it asks in vain.
		const tiers = ["premium", "frontier"];
		const laser = TEST_CATALOG.models.filter(({ tier }) => tiers.includes(tier)).map(({ id }) => [id, 60_000]);
		const lower = TEST_CATALOG.findModel(choose("laser-1", Object.fromEntries(laser)).id);
		expect(tiers).not.toContain(lower?.tier);
	});

	it("shows only what matters for its candidates, and nothing that is empty", () => {
		const seen: Observations = {
			open_breakers: { cairn: 10, aldine: 5 },
			throttled: {},
			slowdown: { "tide-mid": 2, "prism-mid": 3 },
		};
		const tide = TEST_CATALOG.models.filter(({ id }) => id === "tide-mid");
		const at = Date.parse("2026-11-22T12:00:00Z");
		expect(toObserved(seen, tide, at)).toEqual({
			at: "2026-11-22T12:00:00.000Z",
			open_breakers: { cairn: 10 },
			slowdown: { "tide-mid": 2 },
		});
		expect(toObserved({}, tide, at)).toEqual({ at: "2026-11-22T12:00:00.000Z" });
	});
});
