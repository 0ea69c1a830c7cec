// The refusal of a request that a key's budget has no room for. Pure.
import type { Failure } from "../failure.ts";
import { usd, usdText } from "../proof/money.ts";
import { type BudgetStatus, budgetLeftNanoUsd } from "./key-budget.ts";

type BudgetFailure = Extract<Failure, { reason: "key_budget_exceeded" }>;

/** @param wouldFit the longest answer of a model that what is left would pay for; null where there is none. */
export function toBudgetFailure(status: BudgetStatus, wouldFit: BudgetFailure["wouldFit"]): BudgetFailure {
	const { limitNanoUsd, spentNanoUsd, heldNanoUsd, resetsAt, period } = status;
	const budget = `${usdText(limitNanoUsd)} ${period === "total" ? "in total" : `a ${period}`}`;
	const reset = resetsAt === null ? "" : ` until ${resetsAt}`;
	return {
		reason: "key_budget_exceeded",
		message: `the request could cost more than the ${usdText(budgetLeftNanoUsd(status))} that the API key's budget of ${budget} leaves${reset}`,
		budgetUsd: usd(limitNanoUsd),
		spentUsd: usd(spentNanoUsd),
		heldUsd: usd(heldNanoUsd),
		resetsAt,
		wouldFit,
	};
}
