// What a run may spend and how many steps it may take: the request's limits, bounded by the pricing plan (docs/reference/agents.md,
// "Agents"). guard.ts enforces them. Pure.
import * as z from "zod";
import { AGENT_ENVELOPES, agentLimitNanoUsd, type Plan } from "../../catalog/plans.ts";
import { fail, ok, type Result } from "../../failure.ts";
import { toBudgetFailure } from "../../meter/budget-failure.ts";
import { type BudgetStatus, budgetLeftNanoUsd } from "../../meter/key-budget.ts";
import { nanoUsd, usd } from "../../proof/money.ts";
import type { SpendLimits } from "../guard.ts";

const MAX_STEPS = 1_000;
const DEFAULT_STEPS = 50;

/** The fields of a run's request that set its limits. */
export function runLimitFields() {
	const amount = z.number().positive();
	return {
		max_cost_usd: amount
			.nullish()
			.describe(`The cap in USD. Default and most: ${AGENT_ENVELOPES} times the plan's envelope.`),
		max_cost_per_step: amount.nullish().describe("Cap of each step; by default that of the run."),
		// Not `z.int()`, which refuses numbers beyond the safe integers: here they are clamped.
		max_steps: z
			.number()
			.positive()
			.refine(Number.isInteger, "must be a whole number")
			.meta({ type: "integer" })
			.nullish()
			.describe(`Most steps, plan and final one included; ${DEFAULT_STEPS} by default, ${MAX_STEPS} at most.`),
	};
}

type RequestedRunLimits = Partial<z.output<z.ZodObject<ReturnType<typeof runLimitFields>>>>;

/** `budget` in a run's answer. Amounts are in USD. */
export interface RunBudget {
	plan: string;
	plan_envelope_usd: number;
	tier_limit_usd: number;
	max_cost_usd: number;
	/** How many envelopes a tier limit has. */
	multiplier: number;
	/** Set where `max_cost_usd` is what the budget of the API key left when the run began. */
	limited_by?: "key_budget";
}

export interface RunLimits extends SpendLimits {
	maxSteps: number;
	budget: RunBudget;
}

/**
 * The limits of a run. The cap is the client's, rounded down to nano-USD; one above the plan's limit is refused. The cap per step
 * and the number of steps are clamped, to the run's cap and to 1,000.
 */
export function toRunLimits(
	{ max_cost_usd, max_cost_per_step, max_steps }: RequestedRunLimits,
	plan: Plan,
): Result<RunLimits> {
	const limitNanoUsd = agentLimitNanoUsd(plan);
	const plan_envelope_usd = usd(plan.envelopeNanoUsd);
	const tier_limit_usd = usd(limitNanoUsd);
	if (max_cost_usd != null && max_cost_usd > tier_limit_usd)
		return fail({
			reason: "budget_exceeds_tier_limit",
			message: `max_cost_usd ${max_cost_usd} is above ${tier_limit_usd} USD, the most that a run may cost on plan ${plan.id}`,
			tierLimitUsd: tier_limit_usd,
			planEnvelopeUsd: plan_envelope_usd,
			requestedMaxCostUsd: max_cost_usd,
		});
	const capNanoUsd = max_cost_usd == null ? limitNanoUsd : nanoUsd(max_cost_usd);
	const stepCapNanoUsd = max_cost_per_step == null ? capNanoUsd : Math.min(capNanoUsd, nanoUsd(max_cost_per_step));
	const budget: RunBudget = {
		plan: plan.id,
		plan_envelope_usd,
		tier_limit_usd,
		max_cost_usd: usd(capNanoUsd),
		multiplier: AGENT_ENVELOPES,
	};
	return ok({ capNanoUsd, stepCapNanoUsd, maxSteps: Math.min(max_steps ?? DEFAULT_STEPS, MAX_STEPS), budget });
}

/**
 * Limits within what is left of the key's budget. A cap that the client did not name is lowered to that.
 * @param keyBudget undefined where the budget is no limit.
 */
export function lowerToBudget(
	limits: RunLimits,
	isCapNamed: boolean,
	keyBudget: BudgetStatus | undefined,
): Result<RunLimits> {
	if (!keyBudget) return ok(limits);
	const capNanoUsd = budgetLeftNanoUsd(keyBudget);
	if (limits.capNanoUsd <= capNanoUsd) return ok(limits);
	if (isCapNamed || capNanoUsd === 0) return fail(toBudgetFailure(keyBudget, null));
	const stepCapNanoUsd = Math.min(limits.stepCapNanoUsd, capNanoUsd);
	const budget: RunBudget = { ...limits.budget, max_cost_usd: usd(capNanoUsd), limited_by: "key_budget" };
	return ok({ ...limits, capNanoUsd, stepCapNanoUsd, budget });
}
