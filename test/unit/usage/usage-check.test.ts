// Totals that are compared.
import { describe, expect, it } from "vitest";
import { UsageTotals } from "../../../src/meter/usage-totals.ts";
import { findDisagreements } from "../../../src/usage/usage-check.ts";

const totals = { requests: 2, tokens: 10, inputTokens: 4, costNanoUsd: 7 };
const whole = { dimension: "total", name: "", ...totals };
const model = { dimension: "model", name: "m", ...totals };

describe("totals", () => {
	it("agree when every amount under every name is the same, in whatever order", () => {
		expect(findDisagreements([whole, model], [model, whole])).toEqual([]);
		expect(findDisagreements([], [])).toEqual([]);
	});

	it.each(["requests", "tokens", "inputTokens", "costNanoUsd"] as const)("disagree by one in %s", (field) => {
		const other = { ...whole, [field]: whole[field] + 1 };
		expect(findDisagreements([whole, model], [other, model])).toEqual([
			{ dimension: "total", name: "", meter: totals, database: { ...totals, [field]: totals[field] + 1 } },
		]);
	});

	it("disagree where one knows a name that the other does not", () => {
		expect(findDisagreements([model], [])).toEqual([{ dimension: "model", name: "m", meter: totals, database: null }]);
		expect(findDisagreements([], [whole])).toEqual([{ dimension: "total", name: "", meter: null, database: totals }]);
	});

	it("are what they were after a row was counted and taken out again", () => {
		const sum = new UsageTotals([whole, model]);
		const row = { request_id: "r", mode: "direct", tokens: 1, input_tokens: 1, cost_nano_usd: 1, calls: [] };
		sum.addRow(row);
		expect(sum.rows()).not.toEqual([model, whole]);
		sum.subtractRow(row);
		expect(sum.rows()).toEqual([model, whole]);
		expect(Object.keys(sum.by("mode"))).toEqual([]);
	});
});
