// Answers whose length is left to the plan, or limited by a ceiling: as long as a model writes and the cost limit affords, and never less than is of use.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLANS, type PlanId } from "../../../src/catalog/plans.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { shortenToAfford, toCallSet } from "../../../src/inference/failover.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { ProviderHealth } from "../../../src/providers/health.ts";
import { limitForVisible } from "../../../src/routing/effort.ts";
import type { OutputLimit } from "../../../src/routing/length.ts";
import { parseSettings } from "../../../src/settings.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { compiledConfig } from "../../support/config.ts";
import { variablesFor } from "../../support/variables.ts";

const SETTINGS = parseSettings(variablesFor(TEST_CATALOG), TEST_CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");

/** A plan for an answer whose length nobody named, as a skill's. */
function planned(body: Record<string, unknown>, plan: PlanId = "pro", content = "Review this change") {
	const parsed = chatRequestSchema.parse({ messages: [{ role: "user", content }], ...body });
	const config = parsed.brain_config ? compiledConfig(parsed.brain_config, TEST_CATALOG) : null;
	const { call, options } = toInferenceRequest(parsed, TEST_CATALOG, config);
	return planCall({ call, options: { ...options, outputLimit: "most" } }, PLANS[plan], SETTINGS, NOON);
}

function planOf(...args: Parameters<typeof planned>) {
	const result = planned(...args);
	if (!result.ok) throw new Error(JSON.stringify(result.failure));
	return result.value;
}

function refusal(...args: Parameters<typeof planned>) {
	const result = planned(...args);
	if (result.ok) throw new Error(`${result.value.selection.candidates[0].model.id} was selected`);
	return result.failure;
}

/** The output limits by model. */
function limitsOf(plan: ReturnType<typeof planOf>) {
	return new Map(plan.selection.candidates.map(({ model, maxTokens }) => [model, maxTokens]));
}

describe("an answer whose length is left to the plan", () => {
	it("may be as long as its model writes, where no ceiling holds", () => {
		const limits = limitsOf(planOf({}));
		expect(limits.size).toBe(TEST_CATALOG.models.length);
		for (const [model, maxTokens] of limits) expect(maxTokens, model.id).toBe(model.limits.max_output_tokens);
	});

	it("leaves the prompt its room in the context, and more than it is estimated to need", () => {
		const at = (tokens: number) => planOf({ model: "zenith-frontier" }, "pro", "word".repeat(tokens));
		const { signals, selection } = at(620_000);
		const [{ model, maxTokens }] = selection.candidates;
		expect(maxTokens).toBeLessThan(model.limits.max_output_tokens);
		expect(1.5 * signals.contextTokens + maxTokens).toBeCloseTo(model.limits.context_window, -1);
		expect(at(950_000).selection.candidates[0].maxTokens).toBe(1_000);
	});

	it("is sent and reserved for at each model's own limit", () => {
		const plan = planOf({}, "personal");
		const { calls, boundNanoUsd } = toCallSet(plan, new ProviderHealth(), { user: "u", hasPriority: false }, NOON);
		expect(new Set(calls.map(({ candidate }) => candidate.maxTokens)).size).toBeGreaterThan(1);
		for (const { candidate, attempt } of calls) expect(attempt.request.maxOutputTokens).toBe(candidate.maxTokens);
		expect(boundNanoUsd).toBeLessThanOrEqual(PLANS.personal.envelopeNanoUsd);
	});

	it("takes what the ceiling affords to the last few tokens, and never more", () => {
		fc.assert(
			fc.property(
				fc.double({ min: 0.0005, max: 5, noNaN: true }),
				fc.constantFrom("quality", "balanced", "agility"),
				fc.integer({ min: 0, max: 20_000 }),
				(max_cost, routing_mode, length) => {
					const body = { routing_mode, brain_config: { max_cost } };
					const result = planned(body, "pro", "x".repeat(length) || "hi");
					if (!result.ok) return expect(result.failure.reason).toBe("cost_limit_exceeded");
					const { attempt, selection } = result.value;
					for (const { model, effort, maxTokens } of selection.candidates) {
						expect(maxTokens).toBeGreaterThanOrEqual(limitForVisible(1_000, effort));
						expect(maxTokens).toBeLessThanOrEqual(model.limits.max_output_tokens);
						expect(attempt(model, effort, maxTokens).worstCase.totalNanoUsd / 1e9).toBeLessThanOrEqual(max_cost);
						if (maxTokens === model.limits.max_output_tokens) continue;
						// The straight line may fall short by what the longer number costs in the body.
						const more = attempt(model, effort, maxTokens + 20).worstCase.totalNanoUsd / 1e9;
						expect(more, model.id).toBeGreaterThan(max_cost);
					}
				},
			),
			{ numRuns: 60 },
		);
	});

	it("is refused with 402 where there is no room for 1,000 visible tokens, and told what would have fitted", () => {
		const body = { model: "apex-frontier", brain_config: { max_cost: 0.012 } };
		const failure = refusal(body);
		expect(failure).toMatchObject({
			reason: "cost_limit_exceeded",
			scope: "max_cost",
			message: expect.stringContaining("set max_tokens or shorten the prompt"),
			wouldFit: { model: "apex-frontier" },
		});
		if (failure.reason !== "cost_limit_exceeded" || !failure.wouldFit) throw new Error("nothing would fit");
		const { maxTokens } = failure.wouldFit;
		expect(maxTokens).toBeLessThan(1_000);
		const asked = chatRequestSchema.parse({
			messages: [{ role: "user", content: "Review this change" }],
			model: "apex-frontier",
			max_tokens: maxTokens,
		});
		const config = compiledConfig(body.brain_config, TEST_CATALOG);
		expect(planCall(toInferenceRequest(asked, TEST_CATALOG, config), PLANS.pro, SETTINGS, NOON).ok).toBe(true);
	});

	it("counts what a model reasons beside the 1,000", () => {
		// Room for 1,000 tokens and a few, not for those that the model reasons at its lowest effort as well.
		const at = (maxTokens: number) => {
			const plan = planOf({ model: "prism-mid" });
			return plan.attempt(plan.selection.candidates[0].model, "low", maxTokens).worstCase.totalNanoUsd / 1e9;
		};
		expect(refusal({ model: "prism-mid", brain_config: { max_cost: at(1_300) } }).reason).toBe("cost_limit_exceeded");
		const [first] = planOf({ model: "prism-mid", brain_config: { max_cost: at(1_334) } }).selection.candidates;
		expect([first.model.id, first.maxTokens]).toEqual(["prism-mid", 1_334]);
	});
});

/** A plan for an answer of an entrance whose output limit is a ceiling. `named` is null where the client named none. */
function ceilingPlan(named: number | null, body: Record<string, unknown>, plan: PlanId = "pro", content = "Fix it") {
	const parsed = chatRequestSchema.parse({ messages: [{ role: "user", content }], ...body });
	const config = parsed.brain_config ? compiledConfig(parsed.brain_config, TEST_CATALOG) : null;
	const { call, options } = toInferenceRequest(parsed, TEST_CATALOG, config);
	const least = Math.min(1_024, named ?? 1_024);
	const outputLimit: OutputLimit = named === null ? { atMost: 32_000, isDefault: true } : { atMost: named };
	return planCall(
		{ call: { ...call, maxTokens: least }, options: { ...options, outputLimit } },
		PLANS[plan],
		SETTINGS,
		NOON,
	);
}

/** The candidates of such a plan, by model id. */
function ceilingCandidates(...args: Parameters<typeof ceilingPlan>) {
	const result = ceilingPlan(...args);
	if (!result.ok) throw new Error(JSON.stringify(result.failure));
	return new Map(result.value.selection.candidates.map((candidate) => [candidate.model.id, candidate]));
}

describe("an output limit that is a ceiling", () => {
	it("is sent as it was named, and nothing is said, where model, context and cost allow it", () => {
		for (const { maxTokens, warnings } of ceilingCandidates(5_000, {}).values()) {
			expect(maxTokens).toBe(5_000);
			expect(warnings).toEqual([]);
		}
	});

	it("is lowered to what each model writes, and each says so", () => {
		const candidates = ceilingCandidates(128_000, {});
		expect(candidates.size).toBe(TEST_CATALOG.models.length);
		for (const [id, { model, maxTokens, warnings }] of candidates) {
			const most = model.limits.max_output_tokens;
			expect(maxTokens, id).toBe(Math.min(128_000, most));
			const message = `the output limit was lowered from 128000 to ${most}, the most that ${id} writes`;
			const expected = most < 128_000 ? [{ code: "parameter_changed", param: "max_tokens", message }] : [];
			expect(warnings).toEqual(expected);
		}
	});

	it("is said to be this service's own where the client named none", () => {
		for (const [id, { maxTokens, warnings }] of ceilingCandidates(null, {})) {
			const why = maxTokens < 32_000 ? `, the most that ${id} writes` : "";
			const message = `no output limit was set; ${maxTokens} was used${why}`;
			expect(warnings).toEqual([{ code: "parameter_changed", param: "max_tokens", message }]);
		}
	});

	it("is never above what the client named, however much the model reasons", () => {
		for (const [id, { maxTokens }] of ceilingCandidates(100, { reasoning_effort: "high" }))
			expect(maxTokens, id).toBe(100);
		for (const [id, { maxTokens }] of ceilingCandidates(1_100, { reasoning_effort: "high" }))
			expect(maxTokens, id).toBe(1_100);
	});

	it("leaves a prompt that takes most of the context half of the rest, and is lowered for it", () => {
		const at = (tokens: number) =>
			ceilingCandidates(128_000, { model: "zenith-frontier" }, "pro", "word".repeat(tokens));
		const candidate = at(950_000).get("zenith-frontier");
		const context = candidate?.model.limits.context_window ?? 0;
		expect(candidate?.maxTokens).toBeCloseTo((context - 950_000) / 2, -1);
		expect(candidate?.warnings[0]?.message).toContain("for which the prompt leaves room in the context");
	});

	it.each([
		[{ brain_config: { max_cost: 0.05 } }, "pro", "the most that max_cost of $0.05 affords with"],
		[{}, "free", "the most that the plan's limit of $0.02 affords with"],
	] as const)("is lowered to what the cost limit affords: %o on %s", (body, plan, why) => {
		const candidates = [...ceilingCandidates(128_000, body, plan).values()];
		const lowered = candidates.filter(({ warnings }) => warnings[0]?.message.includes(why));
		expect(lowered.length).toBeGreaterThan(0);
	});

	it("is refused with 402 only where 1,024 visible tokens, or what was named, do not fit", () => {
		const body = { model: "apex-frontier", brain_config: { max_cost: 0.012 } };
		const refused = ceilingPlan(128_000, body);
		expect(refused).toMatchObject({
			failure: {
				reason: "cost_limit_exceeded",
				message: expect.stringContaining("ask for a shorter answer or shorten the prompt"),
				wouldFit: { model: "apex-frontier" },
			},
		});
		if (refused.ok || refused.failure.reason !== "cost_limit_exceeded") throw new Error("was not refused");
		const fitting = refused.failure.wouldFit?.maxTokens ?? 0;
		expect(fitting).toBeLessThan(1_024);
		expect(ceilingCandidates(fitting, body).get("apex-frontier")?.maxTokens).toBe(fitting);
	});

	it("holds for every candidate, and what is sent is what is reserved", () => {
		fc.assert(
			fc.property(
				fc.option(fc.integer({ min: 1, max: 400_000 })),
				fc.option(fc.double({ min: 0.0005, max: 5, noNaN: true })),
				fc.constantFrom<PlanId>("free", "personal", "pro"),
				fc.constantFrom("quality", "balanced", "agility"),
				fc.integer({ min: 1, max: 60_000 }),
				fc.option(fc.constantFrom("low", "high")),
				(named, max_cost, planId, routing_mode, length, effort) => {
					const body = {
						routing_mode,
						...(max_cost === null ? {} : { brain_config: { max_cost } }),
						...(effort === null ? {} : { reasoning_effort: effort }),
					};
					const result = ceilingPlan(named, body, planId, "x".repeat(length));
					if (!result.ok) {
						expect(result.failure).toMatchObject({ reason: "cost_limit_exceeded" });
						return;
					}
					const atMost = named ?? 32_000;
					const { calls, boundNanoUsd } = toCallSet(
						result.value,
						new ProviderHealth(),
						{ user: "u", hasPriority: false },
						NOON,
					);
					const ceiling = result.value.selection.ceilingNanoUsd ?? Number.POSITIVE_INFINITY;
					expect(boundNanoUsd).toBeLessThanOrEqual(ceiling);
					for (const { candidate, attempt } of calls) {
						const { model, maxTokens, warnings } = candidate;
						expect(attempt.request.maxOutputTokens).toBe(maxTokens);
						expect(attempt.worstCase.totalNanoUsd).toBeLessThanOrEqual(ceiling);
						expect(maxTokens).toBeLessThanOrEqual(Math.min(atMost, model.limits.max_output_tokens));
						const least = limitForVisible(Math.min(1_024, atMost), candidate.effort);
						expect(maxTokens).toBeGreaterThanOrEqual(Math.min(least, atMost));
						const says = warnings.some(({ param }) => param === "max_tokens");
						expect(says).toBe(maxTokens < atMost || named === null);
					}
				},
			),
			{ numRuns: 100 },
		);
	});

	it("is lowered once more for a stand-in that has less left, and says so", () => {
		const result = ceilingPlan(20_000, {}, "personal", "Good morning");
		if (!result.ok) throw new Error(result.failure.reason);
		const [call] = toCallSet(result.value, new ProviderHealth(), { user: "u", hasPriority: false }, NOON).calls;
		const shorter = shortenToAfford(call, call.attempt.worstCase.totalNanoUsd / 2)?.candidate;
		expect(shorter?.maxTokens).toBeLessThan(call.candidate.maxTokens);
		expect(shorter?.warnings).toEqual([
			{
				code: "parameter_changed",
				param: "max_tokens",
				message: `the output limit was lowered from 20000 to ${shorter?.maxTokens}, the most that what is left of the request's cost limit affords with ${shorter?.model.id}`,
			},
		]);
	});
});

describe("a stand-in after a call that has cost something", () => {
	it("is given a shorter answer that fits what is left, down to the least", () => {
		const plan = planOf({}, "personal", "Good morning");
		const { calls } = toCallSet(plan, new ProviderHealth(), { user: "u", hasPriority: false }, NOON);
		for (const call of calls) {
			const whole = call.attempt.worstCase.totalNanoUsd;
			expect(shortenToAfford(call, whole)).toBe(call);
			const shorter = shortenToAfford(call, whole / 2);
			expect(shorter?.attempt.worstCase.totalNanoUsd).toBeLessThanOrEqual(whole / 2);
			expect(shorter?.candidate.maxTokens).toBe(shorter?.attempt.request.maxOutputTokens);
			expect(shorter?.candidate.maxTokens).toBeLessThan(call.candidate.maxTokens);
			expect(shortenToAfford(call, whole / 1_000)).toBeNull();
		}
	});

	it("keeps the length that the client asked for", () => {
		const parsed = chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }], max_tokens: 5_000 });
		const result = planCall(toInferenceRequest(parsed, TEST_CATALOG, null), PLANS.pro, SETTINGS, NOON);
		if (!result.ok) throw new Error(result.failure.reason);
		const [call] = toCallSet(result.value, new ProviderHealth(), { user: "u", hasPriority: false }, NOON).calls;
		expect(shortenToAfford(call, call.attempt.worstCase.totalNanoUsd - 1)).toBeNull();
	});
});
