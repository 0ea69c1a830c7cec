// Usage totals.
import { describe, expect, it } from "vitest";
import { UsageTotals } from "../../../src/meter/usage-totals.ts";

describe("usage totals", () => {
	it("count a request once and each of its model calls", () => {
		const totals = new UsageTotals();
		const call = { model: "m", provider: "p", tokens: 5, input_tokens: 3, cost_nano_usd: 10 };
		const row = {
			request_id: "r",
			user_id: "u",
			api_key_id: "k",
			created_at: "",
			kind: "chat",
			model: "m",
			provider: "p",
			mode: "direct",
			tokens: 10,
			input_tokens: 6,
			cost_nano_usd: 20,
			estimated: false,
			outcome: "complete",
			latency_ms: 1,
			fallback: false,
			calls: [call, call],
		} as const;
		totals.addRow({ ...row, calls: [...row.calls] });
		expect(totals.total()).toEqual({ requests: 1, tokens: 10, inputTokens: 6, costNanoUsd: 20 });
		expect(totals.by("model")).toEqual({ m: { requests: 2, tokens: 10, cost_usd: 2e-8 } });
		expect(totals.by("mode")).toEqual({ direct: { requests: 1, tokens: 10, cost_usd: 2e-8 } });
	});
});
