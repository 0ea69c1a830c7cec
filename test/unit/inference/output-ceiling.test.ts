// The ceiling of an answer, what must fit below it, and the default of a routing config.
import { describe, expect, it } from "vitest";
import { PLANS, type PlanId } from "../../../src/catalog/plans.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { cutWarnings } from "../../../src/inference/accounting.ts";
import { listWorkflowLimits, toOutputCeiling, withConfiguredLimit } from "../../../src/inference/output-ceiling.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { parseSettings } from "../../../src/settings.ts";
import { modelWhere } from "../../support/catalog.ts";
import { compiledConfig } from "../../support/config.ts";
import { variablesFor } from "../../support/variables.ts";

const SETTINGS = parseSettings(variablesFor(CATALOG), CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");

it("a named limit is the ceiling, and 1,024 tokens of it must fit, or all of fewer", () => {
	expect(toOutputCeiling(128_000)).toEqual({ maxTokens: 1_024, outputLimit: { atMost: 128_000 } });
	expect(toOutputCeiling(100)).toEqual({ maxTokens: 100, outputLimit: { atMost: 100 } });
});

it("without one it is 32,000, and marked as nobody's wish", () => {
	const outputLimit = { atMost: 32_000, isDefault: true };
	const none = { maxTokens: 1_024, outputLimit, defaultMaxTokens: 32_000 };
	expect(toOutputCeiling(undefined)).toEqual(none);
	expect(toOutputCeiling(null)).toEqual(none);
});

function configWith(default_max_tokens: number) {
	return compiledConfig({ default_max_tokens }, CATALOG);
}

describe("the default of a config, in a chat", () => {
	const planned = (limit: number, body: Record<string, unknown> = {}, plan: PlanId = "pro") => {
		const parsed = chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }], ...body });
		const request = withConfiguredLimit(toInferenceRequest(parsed, CATALOG, configWith(limit)));
		const made = planCall(request, PLANS[plan], SETTINGS, NOON);
		if (!made.ok) throw new Error(JSON.stringify(made.failure));
		const candidate = made.value.selection.candidates[0];
		const cut = (finishReason: "stop" | "length") => cutWarnings({ plan: made.value, candidate }, { finishReason });
		return { candidate, cut };
	};
	const short = modelWhere(CATALOG, ({ limits }) => limits.max_output_tokens < 50_000);

	it("is the limit where the client names none, and no limit where it does", () => {
		expect(planned(300).candidate.maxTokens).toBe(300);
		expect(planned(5_000, { model: "gpt-6-sol" }).candidate.maxTokens).toBe(5_000);
		expect(planned(5_000, { model: "gpt-6-sol", max_tokens: 50 }).candidate.maxTokens).toBe(50);
		expect(planned(5_000, { model: "gpt-6-sol", max_completion_tokens: 60 }).candidate.maxTokens).toBe(60);
	});

	it("is lowered to what a model writes, and to what the plan affords, and keeps no model from the request", () => {
		const { max_output_tokens } = short.limits;
		expect(planned(400_000, { model: short.id }).candidate.maxTokens).toBe(max_output_tokens);
		const afforded = planned(400_000, { model: "gpt-6-sol" }, "personal").candidate.maxTokens;
		expect(afforded).toBeGreaterThan(1_024);
		expect(afforded).toBeLessThan(10_000);
	});

	it("is named where it ends an answer, with the member to set; a lowered one says so, and the client's own nothing", () => {
		const cut = { code: "truncated", param: "max_tokens" };
		expect(planned(300).cut("length")).toEqual([
			{ ...cut, message: "the answer was cut at 300 tokens, the default", isCuredBySetting: true },
		]);
		const { max_output_tokens: most } = short.limits;
		expect(planned(400_000, { model: short.id }).cut("length")).toEqual([
			{
				...cut,
				message: `the answer was cut at ${most} tokens, the most that the model, its context and the cost limits allow`,
			},
		]);
		expect(planned(300).cut("stop")).toEqual([]);
		expect(planned(300, { max_tokens: 20 }).cut("length")).toEqual([]);
	});
});

describe("the default of a config, in a workflow", () => {
	it("is as long as every model writes at most, and falls back to the endpoint's own where that is shorter", () => {
		const least = Math.min(...CATALOG.models.map(({ limits }) => limits.max_output_tokens));
		expect(listWorkflowLimits(null, 1_024, SETTINGS)).toEqual([1_024]);
		expect(listWorkflowLimits(configWith(300), 1_024, SETTINGS)).toEqual([300]);
		expect(listWorkflowLimits(configWith(4_000), 1_024, SETTINGS)).toEqual([4_000, 1_024]);
		expect(listWorkflowLimits(configWith(1_000_000), 1_024, SETTINGS)).toEqual([least, 1_024]);
	});
});
