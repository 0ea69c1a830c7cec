// A run's limits, from its pricing plan and its request.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { lowerToBudget, runLimitFields, toRunLimits } from "../../../../src/agents/run/limits.ts";
import { PLANS, type PlanId } from "../../../../src/catalog/plans.ts";
import { toHttpFailure } from "../../../../src/http/errors.ts";
import type { BudgetStatus } from "../../../../src/meter/key-budget.ts";

type RequestedLimits = Parameters<typeof toRunLimits>[0];

function runLimits(wishes: RequestedLimits, plan: PlanId = "pro") {
	const limits = toRunLimits(wishes, PLANS[plan]);
	if (!limits.ok) throw new Error(limits.failure.reason);
	return limits.value;
}

describe("a run's limits", () => {
	it("are five envelopes and fifty steps by default", () => {
		const plans = Object.values(PLANS).map(({ id }) => runLimits({}, id));
		expect(plans.map(({ budget }) => budget)).toEqual([
			{ plan: "free", plan_envelope_usd: 0.02, tier_limit_usd: 0.1, max_cost_usd: 0.1, multiplier: 5 },
			{ plan: "personal", plan_envelope_usd: 0.1, tier_limit_usd: 0.5, max_cost_usd: 0.5, multiplier: 5 },
			{ plan: "pro", plan_envelope_usd: 0.5, tier_limit_usd: 2.5, max_cost_usd: 2.5, multiplier: 5 },
			{ plan: "corporate", plan_envelope_usd: 2, tier_limit_usd: 10, max_cost_usd: 10, multiplier: 5 },
		]);
		for (const { capNanoUsd, stepCapNanoUsd, maxSteps, budget } of plans)
			expect([capNanoUsd / 1e9, stepCapNanoUsd, maxSteps]).toEqual([budget.max_cost_usd, capNanoUsd, 50]);
	});

	it("never allow more than the client gave, to the nano-dollar below", () => {
		fc.assert(
			fc.property(fc.double({ min: 0, max: 2.5, noNaN: true, minExcluded: true }), (max_cost_usd) => {
				const { capNanoUsd, budget } = runLimits({ max_cost_usd });
				expect(budget.max_cost_usd).toBeLessThanOrEqual(max_cost_usd);
				expect(budget.max_cost_usd).toBe(capNanoUsd / 1e9);
				expect((capNanoUsd + 1) / 1e9).toBeGreaterThan(max_cost_usd);
			}),
		);
	});

	it("refuse a cap above the plan's limit with 402, whatever it is above it by, and take the limit itself", () => {
		expect(runLimits({ max_cost_usd: 2.5 }).capNanoUsd).toBe(2_500_000_000);
		for (const max_cost_usd of [2.5 + 2 ** -51, 2.6, 1e300]) {
			const limits = toRunLimits({ max_cost_usd }, PLANS.pro);
			if (limits.ok) throw new Error("it was taken");
			expect(toHttpFailure(limits.failure)).toMatchObject({
				status: 402,
				body: {
					error: "budget_exceeds_tier_limit",
					tier_limit_usd: 2.5,
					plan_envelope_usd: 0.5,
					requested_max_cost_usd: max_cost_usd,
				},
				headers: { "x-should-retry": "false" },
			});
		}
	});

	it("clamp a step's cap to the run's, and the steps to a thousand", () => {
		expect(runLimits({ max_cost_usd: 0.5, max_cost_per_step: 0.2 }).stepCapNanoUsd).toBe(200_000_000);
		for (const max_cost_per_step of [0.6, 1e300])
			expect(runLimits({ max_cost_usd: 0.5, max_cost_per_step }).stepCapNanoUsd).toBe(500_000_000);
		expect([1, 1_000, 1_001, 2 ** 53 - 1].map((max_steps) => runLimits({ max_steps }).maxSteps)).toEqual([
			1, 1_000, 1_000, 1_000,
		]);
	});
});

describe("the fields", () => {
	const schema = z.object(runLimitFields());

	it("are left out, null, or positive; steps are whole", () => {
		const good = [{}, { max_cost_usd: null, max_steps: null }, { max_cost_usd: 5e-324, max_steps: 5_000 }];
		for (const body of good) expect(schema.parse(body)).toEqual(body);
		for (const name of ["max_cost_usd", "max_cost_per_step", "max_steps"])
			for (const value of [0, -1, Number.POSITIVE_INFINITY, Number.NaN, "1"])
				expect(schema.safeParse({ [name]: value }).success, `${name} ${value}`).toBe(false);
		expect(schema.safeParse({ max_steps: 1.5 }).success).toBe(false);
	});
});

describe("a run on a key's budget", () => {
	const left = (leftNanoUsd: number): BudgetStatus => ({
		limitNanoUsd: 1_000_000_000,
		period: "month",
		spentNanoUsd: 1_000_000_000 - leftNanoUsd - 7,
		heldNanoUsd: 7,
		resetsAt: "2026-12-01T00:00:00.000Z",
	});

	it("keeps limits that fit, and without a budget all", () => {
		const limits = runLimits({ max_cost_usd: 0.5 });
		expect(lowerToBudget(limits, true, undefined)).toEqual({ ok: true, value: limits });
		expect(lowerToBudget(limits, true, left(500_000_000))).toEqual({ ok: true, value: limits });
	});

	it("has a cap lowered that nobody named, with the cap of a step, and says so", () => {
		const lowered = lowerToBudget(runLimits({ max_cost_per_step: 1 }), false, left(499_999_999));
		expect(lowered).toMatchObject({
			ok: true,
			value: { capNanoUsd: 499_999_999, stepCapNanoUsd: 499_999_999, budget: { max_cost_usd: 0.499999999 } },
		});
		expect(lowered.ok && lowered.value.budget.limited_by).toBe("key_budget");
	});

	it("is refused where its cap was named, and where nothing is left", () => {
		const named = lowerToBudget(runLimits({ max_cost_usd: 0.5 }), true, left(499_999_999));
		const nothing = lowerToBudget(runLimits({}), false, left(0));
		for (const refused of [named, nothing]) {
			if (refused.ok) throw new Error("it was not refused");
			expect(toHttpFailure(refused.failure)).toMatchObject({
				status: 402,
				body: {
					error: "key_budget_exceeded",
					budget_usd: 1,
					held_usd: 7e-9,
					resets_at: "2026-12-01T00:00:00.000Z",
					would_fit: null,
				},
			});
		}
	});
});
