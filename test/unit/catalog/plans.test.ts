// The plans: their limits, and the models they may call.
import { describe, expect, it } from "vitest";
import { modelAllowlist, PLANS } from "../../../src/catalog/plans.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";

describe("the plans", () => {
	it("have the limits of the reference", () => {
		const rows = Object.values(PLANS).map(({ id, priceUsdMonth, dailyRequests, rpm }) => [
			id,
			priceUsdMonth,
			dailyRequests,
			rpm,
		]);
		expect(rows).toEqual([
			["free", 0, 1_000, 10],
			["personal", 0, 1_000, 100],
			["pro", 49, 50_000, 300],
			["corporate", 499, null, 1_000],
		]);
	});

	it("let Free call the catalog's free models, and the others all", () => {
		const allowlists = Object.values(PLANS).map((plan) => modelAllowlist(plan, TEST_CATALOG));
		expect(allowlists).toEqual([TEST_CATALOG.freeModels, null, null, null]);
	});
});
