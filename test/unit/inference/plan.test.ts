// The worst case of a planned call is that of the request which would be sent.
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../src/catalog/plans.ts";
import type { CallOptions } from "../../../src/inference/plan.ts";
import { planCall } from "../../../src/inference/plan.ts";
import type { CacheMark } from "../../../src/providers/model-call.ts";
import { parseSettings } from "../../../src/settings.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";
import { plainCall } from "../../support/rendered.ts";
import { variablesFor } from "../../support/variables.ts";

const SETTINGS = parseSettings(variablesFor(TEST_CATALOG), TEST_CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");

function inputBound(wire: "openai" | "anthropic" | "google", cache?: CacheMark): number {
	const model = modelWhere(TEST_CATALOG, (candidate) => TEST_CATALOG.providerFor(candidate).wire === wire);
	const options: CallOptions = { model: model.id, mode: null, config: null, gate: null };
	const call = plainCall({
		messages: [{ role: "user", content: [{ type: "text", text: "go", ...(cache ? { cache } : {}) }] }],
	});
	const plan = planCall({ call, options }, PLANS.pro, SETTINGS, NOON);
	if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
	const { worstCase, request } = plan.value.attempt(model, null);
	return worstCase.inputNanoUsd / request.maxInputTokens;
}

describe("the worst case of a planned call", () => {
	it("is at the rate of a cache that is kept for an hour where the client asks for one and the provider has it", () => {
		expect(inputBound("anthropic", { ttl: "1h" })).toBeGreaterThan(inputBound("anthropic", { ttl: "5m" }));
		expect(inputBound("anthropic", { ttl: "5m" })).toBe(inputBound("anthropic"));
		for (const wire of ["openai", "google"] as const) expect(inputBound(wire, { ttl: "1h" })).toBe(inputBound(wire));
	});
});
