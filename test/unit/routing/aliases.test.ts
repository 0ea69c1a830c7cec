// Ids that are not the catalog's own: another spelling of one, another version of a known family, and those that mean nothing. The
// model that stands for them has its own rights, limits and fallbacks, and the id that was asked for stays in sight.
import { describe, expect, it } from "vitest";
import { PLANS, type PlanId } from "../../../src/catalog/plans.ts";
import { priceAt } from "../../../src/catalog/price.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { choiceWarnings, explainServingModel, fallbackFrom } from "../../../src/inference/accounting.ts";
import { isNamed, toCallSet } from "../../../src/inference/failover.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { ProviderHealth } from "../../../src/providers/health.ts";
import { readPreferredModel } from "../../../src/routing/replacement.ts";
import { parseSettings } from "../../../src/settings.ts";
import { compiledConfig } from "../../support/config.ts";
import { variablesFor } from "../../support/variables.ts";

const VARIABLES = variablesFor(CATALOG);
const SETTINGS = parseSettings(VARIABLES, CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");
const SNAPSHOT = "claude-opus-4-5-20251101";

function planned(
	body: Record<string, unknown>,
	{ plan = "pro", settings = SETTINGS }: { plan?: PlanId; settings?: typeof SETTINGS } = {},
) {
	const parsed = chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }], ...body });
	const config = parsed.brain_config ? compiledConfig(parsed.brain_config, CATALOG) : null;
	const { call, options } = toInferenceRequest(parsed, CATALOG, config);
	return planCall({ call, options }, PLANS[plan], settings, NOON);
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

	it("warns of what runs in its place, at what price, also where that is a fallback", () => {
		const call = firstCall({ model: "gpt-4o" });
		const warn = ({ candidate }: Pick<typeof call, "candidate">) => choiceWarnings(call.plan, candidate);
		expect(warn(call)).toEqual([
			{
				code: "model_replaced",
				param: "model",
				message:
					'"gpt-4o" is not in the catalog; gpt-6-sol, of its family, runs at $2 a million tokens of input and $10 of output',
			},
		]);
		const [, next] = call.plan.selection.failover;
		if (!next) throw new Error("there is a fallback");
		const { input } = priceAt(next.model, NOON);
		expect(warn({ candidate: next })[0]?.message).toContain(
			`"gpt-4o" is not in the catalog, and gpt-6-sol, of its family, cannot serve; ${next.model.id} runs at $${input} `,
		);
	});
});

describe("another spelling of an id", () => {
	it.each(["openai/gpt-6-sol", "GPT-6-Sol", "OpenAI/GPT-6-sol[1m]"])("is that id, and no fallback: %s", (model) => {
		const call = firstCall({ model });
		expect(call.candidate.model.id).toBe("gpt-6-sol");
		expect(call.plan.selection.mode).toBe("direct");
		expect([fallbackFrom(call), choiceWarnings(call.plan, call.candidate)]).toEqual([null, []]);
		expect(explainServingModel(call)).toBe("GPT-6 Sol was named by the request");
	});

	it("has the rights of its model too", () => {
		const blocked = planned({ model: "openai/gpt-6-sol", brain_config: { blocked: ["gpt-6-*"] } });
		expect(blocked).toMatchObject({ failure: { reason: "model_blocked" } });
	});
});

describe("an id that means nothing", () => {
	it("takes the cheapest budget model, with a warning that names the id", () => {
		const call = firstCall({ model: "nope-1" });
		expect(call.candidate.model.tier).toBe("budget");
		expect(fallbackFrom(call)).toBe("nope-1");
		expect(explainServingModel(call)).toContain("the id asked for is not in the catalog");
		const { id } = call.candidate.model;
		const { input, output } = priceAt(call.candidate.model, NOON);
		expect(choiceWarnings(call.plan, call.candidate).map(({ message }) => message)).toEqual([
			`"nope-1" means no model here; ${id}, a budget model, runs at $${input} a million tokens of input and $${output} of output`,
		]);
	});

	it("warns likewise of a model outside the plan", () => {
		const call = firstCall({ model: "gpt-6-sol" }, { plan: "free" });
		expect(choiceWarnings(call.plan, call.candidate)).toMatchObject([
			{ code: "model_replaced", message: expect.stringContaining('"gpt-6-sol" is not in your plan') },
		]);
	});

	it("is refused where the operator says so; known ids and tiers are not", () => {
		const settings = parseSettings({ ...VARIABLES, UNKNOWN_MODEL: "refuse" }, CATALOG);
		expect(planned({ model: "nope-1" }, { settings })).toEqual({
			ok: false,
			failure: { reason: "model_not_found", message: 'no model is called "nope-1"; GET /v1/models lists them all' },
		});
		for (const model of ["auto", "laser-1", "gpt-4o", "openai/gpt-6-sol"])
			expect(planned({ model }, { settings }).ok, model).toBe(true);
		expect(() => parseSettings({ ...VARIABLES, UNKNOWN_MODEL: "deny" }, CATALOG)).toThrow(
			"UNKNOWN_MODEL must be refuse",
		);
	});
});

describe("a model that a workflow's body prefers", () => {
	const read = (asked: string, refuses = false) =>
		readPreferredModel("judge_model", asked, { catalog: CATALOG, refusesUnknownModels: refuses }, NOON);

	it("may be named by any id that means one", () => {
		expect(read("openai/gpt-6-sol")).toEqual({ ok: true, value: { id: "gpt-6-sol", warnings: [] } });
		expect(read("gpt-4o")).toMatchObject({
			value: { id: "gpt-6-sol", warnings: [{ code: "model_replaced", param: "judge_model" }] },
		});
	});

	it("is ignored with a warning where its id means nothing, or refused where the operator says so", () => {
		expect(read("nope-1")).toMatchObject({
			value: { id: "nope-1", warnings: [{ code: "parameter_dropped", param: "judge_model" }] },
		});
		expect(read("nope-1", true)).toMatchObject({ failure: { reason: "model_not_found" } });
	});
});
