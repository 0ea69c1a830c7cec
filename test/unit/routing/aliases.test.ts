// An id of another version of a known family names the nearest model, where an entrance takes aliases: with that model's rights,
// limits and fallbacks, and the id that was asked for in sight.
import { describe, expect, it } from "vitest";
import { PLANS, type PlanId } from "../../../src/catalog/plans.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { explainServingModel, fallbackFrom } from "../../../src/inference/accounting.ts";
import { isNamed, toCallSet } from "../../../src/inference/failover.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { ProviderHealth } from "../../../src/providers/health.ts";
import { parseSettings } from "../../../src/settings.ts";
import { compiledConfig } from "../../support/config.ts";
import { variablesFor } from "../../support/variables.ts";

const VARIABLES = variablesFor(CATALOG);
const SETTINGS = parseSettings(VARIABLES, CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");
const SNAPSHOT = "claude-opus-4-5-20251101";

function planned(
	body: Record<string, unknown>,
	{
		plan = "pro",
		settings = SETTINGS,
		takesAliases = true,
	}: { plan?: PlanId; settings?: typeof SETTINGS; takesAliases?: boolean } = {},
) {
	const parsed = chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }], ...body });
	const config = parsed.brain_config ? compiledConfig(parsed.brain_config, CATALOG) : null;
	const { call, options } = toInferenceRequest(parsed, CATALOG, config);
	return planCall(
		{ call, options: takesAliases ? { ...options, takesAliases } : options },
		PLANS[plan],
		settings,
		NOON,
	);
}

function firstCall(...args: Parameters<typeof planned>) {
	const plan = planned(...args);
	if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
	return toCallSet(plan.value, new ProviderHealth(), { user: "u", hasPriority: false }, NOON).calls[0];
}

describe("an alias", () => {
	it("pins the model that it stands for, and answers name the id that was asked for", () => {
		const call = firstCall({ model: SNAPSHOT });
		expect(call.candidate.model.id).toBe("claude-opus-5-5");
		expect(call.plan.selection.mode).toBe("direct");
		expect(fallbackFrom(call)).toBe(SNAPSHOT);
		expect(explainServingModel(call)).toBe(
			`Claude Opus 5.5 is the nearest model to ${SNAPSHOT}, which the request named`,
		);
		expect(isNamed(call)).toBe(true);
	});

	it("is no fallback of a model that is named by its own id", () => {
		expect(fallbackFrom(firstCall({ model: "claude-opus-5-5" }))).toBeNull();
	});

	it("has the rights of its model: a config that blocks it, and a plan without it", () => {
		const blocked = planned({ model: SNAPSHOT, brain_config: { blocked: ["claude-opus-*"] } });
		expect(blocked).toMatchObject({ failure: { reason: "model_blocked" } });
		const free = firstCall({ model: SNAPSHOT }, { plan: "free" });
		expect(free.candidate.model.tier).toBe("budget");
		expect(fallbackFrom(free)).toBe(SNAPSHOT);
	});

	it("is served by its model's stand-in where that is not there", () => {
		const variables = Object.fromEntries(Object.entries(VARIABLES).filter(([name]) => !name.startsWith("ANTHROPIC")));
		const call = firstCall({ model: SNAPSHOT }, { settings: parseSettings(variables, CATALOG) });
		expect(call.candidate.model.provider).not.toBe("anthropic");
		expect(fallbackFrom(call)).toBe(SNAPSHOT);
		expect(explainServingModel(call)).toContain(`the nearest model to ${SNAPSHOT}, cannot serve`);
	});

	it("is an unknown id where an entrance takes none, and an id of no family is one everywhere", () => {
		for (const call of [firstCall({ model: SNAPSHOT }, { takesAliases: false }), firstCall({ model: "nope-1" })]) {
			expect(call.candidate.model.tier).toBe("budget");
			expect(explainServingModel(call)).toContain("the id asked for is not in the catalog");
		}
	});
});
