// Rules and limits of a routing config at the one place where models are chosen.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { PLANS, type PlanId } from "../../../src/catalog/plans.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { toCallSet } from "../../../src/inference/failover.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { nanoUsd } from "../../../src/proof/money.ts";
import { ProviderHealth } from "../../../src/providers/health.ts";
import { findBlocking } from "../../../src/routing/routing-config.ts";
import { matchRuleInSteps } from "../../../src/routing/rules.ts";
import { detectSignals } from "../../../src/routing/signals.ts";
import { parseSettings, type Settings } from "../../../src/settings.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { compiledConfig } from "../../support/config.ts";
import { rawConfig } from "../../support/generate-config.ts";
import { variablesFor } from "../../support/variables.ts";

const VARIABLES = variablesFor(TEST_CATALOG);
const ALL = parseSettings(VARIABLES, TEST_CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");

function plan(
	content: string,
	config: unknown,
	more: Record<string, unknown> = {},
	planId: PlanId = "corporate",
	settings: Settings = ALL,
) {
	const body = chatRequestSchema.parse({ messages: [{ role: "user", content }], ...more });
	const request = toInferenceRequest(body, TEST_CATALOG, compiledConfig(config, TEST_CATALOG));
	return planCall(request, PLANS[planId], settings, NOON);
}

function planned(...args: Parameters<typeof plan>) {
	const result = plan(...args);
	if (!result.ok) throw new Error(JSON.stringify(result.failure));
	return result.value;
}

function refusal(...args: Parameters<typeof plan>) {
	const result = plan(...args);
	if (result.ok) throw new Error(`${result.value.selection.candidates[0].model.id} was selected`);
	return result.failure;
}

const CODE = "Write a Python function that reverses a list";
const rule = (when: object, use: object = {}, name = "r") => ({ rules: [{ name, when, use }] });
const TOOLS = { tools: [{ type: "function", function: { name: "f" } }] };

describe("rules that look into a long text", () => {
	const LONG = `${"Plan a trip. ".repeat(20_000)}Go to the LAST place`;
	const rules = [
		{ when: { contains: "nowhere", min_tokens: 1_000_000 }, use: {} },
		...["here", "there", "HERE"].map((contains) => ({ when: { contains }, use: {} })),
		...["x1", "x2", "x1"].map((matches) => ({ when: { matches }, use: {} })),
		{ name: "last", when: { contains: "last place" }, use: {} },
	];

	/** The rule for a text, with how often it was lowered, how often a pattern was tried, and the pauses. */
	function follow(text: string) {
		const lowered = vi.spyOn(String.prototype, "toLowerCase");
		const tried: string[] = [];
		const call = toInferenceRequest({ messages: [{ role: "user", content: text }] }, TEST_CATALOG, null).call;
		const signals = detectSignals(call);
		lowered.mockClear();
		const config = { ...compiledConfig({ rules }, TEST_CATALOG), matches: (pattern: string) => !tried.push(pattern) };
		const steps = matchRuleInSteps(config, call, signals);
		const pauses: number[] = [];
		let step = steps.next();
		for (; !step.done; step = steps.next()) pauses.push(step.value);
		const times = lowered.mock.contexts.filter((context) => String(context) === text).length;
		lowered.mockRestore();
		return { rule: step.value?.name, times, tried, pauses };
	}

	it("lower it once, look for nothing twice, and pause before each", () => {
		expect(follow(LONG)).toEqual({
			rule: "last",
			times: 1,
			tried: ["x1", "x2"],
			pauses: [8_192, 8_192, 8_192, 32_768, 32_768, 32_768, 8_192],
		});
	});

	it("do not lower it where their other conditions fail", () => {
		const { call } = toInferenceRequest({ messages: [{ role: "user", content: LONG }] }, TEST_CATALOG, null);
		const config = compiledConfig({ rules: rules.slice(0, 1) }, TEST_CATALOG);
		expect([...matchRuleInSteps(config, call, detectSignals(call))]).toEqual([]);
	});
});

describe("a rule", () => {
	it.each<[string, string, object, Record<string, unknown>, boolean]>([
		["no condition", "hi", {}, {}, true],
		["an intent", CODE, { intent: ["math", "code"] }, {}, true],
		["another intent", CODE, { intent: "translation" }, {}, false],
		["words in another case", "Our SQL server", { contains: "sql SERVER" }, {}, true],
		["words that are not there", "hi", { contains: "sql" }, {}, false],
		["a pattern", "ticket ABC-123 please", { matches: "\\b[A-Z]+-\\d+\\b" }, {}, true],
		["a pattern that minds the case", "ticket abc-123", { matches: "\\b[A-Z]+-\\d+\\b" }, {}, false],
		["few tokens", "hi", { max_tokens: 5 }, {}, true],
		["many tokens", "hi", { min_tokens: 5 }, {}, false],
		["its own bound", "x".repeat(40), { min_tokens: 10, max_tokens: 10 }, {}, true],
		["tools", "hi", { has_tools: true }, TOOLS, true],
		["no tools", "hi", { has_tools: false }, TOOLS, false],
		["no images", "hi", { has_images: false }, {}, true],
		["all of several", CODE, { intent: "code", contains: "python", has_tools: true }, {}, false],
	])("with %s", (_, content, when, more, matches) => {
		expect(planned(content, rule(when), more).matchedRule).toBe(matches ? "r" : null);
	});

	it("reads the last thing the user said, not what came before", () => {
		const messages = [
			{ role: "user", content: "about sql" },
			{ role: "assistant", content: "sql it is" },
			{ role: "user", content: "thanks" },
		];
		expect(planned("", rule({ contains: "sql" }), { messages }).matchedRule).toBeNull();
		expect(planned("", rule({ matches: "^thanks$" }), { messages }).matchedRule).toBe("r");
	});

	it("decides when it is the first that matches, and is named in the reason", () => {
		const config = {
			rules: [
				{ when: { intent: "math" }, use: { model: "apex-frontier" } },
				{ when: { intent: "code" }, use: { model: "tide-mid" } },
				{ name: "rest", when: {}, use: { model: "pebble-budget" } },
			],
		};
		const code = planned(CODE, config);
		expect([code.matchedRule, code.selection.candidates[0].model.id]).toEqual(["rule 2", "tide-mid"]);
		expect(code.selection.reason).toMatch(/^rule "rule 2": Tide Mid was named by the routing config/);
		expect(planned("hi", config).selection.reason).toMatch(/^rule "rest": /);
	});

	it("gives mode, tier and limit where the request leaves them open", () => {
		expect(planned("hi", rule({}, { routing_mode: "quality" })).selection.mode).toBe("quality");
		const tier = planned("hi", { model: "apex-frontier", ...rule({}, { tier: "mid" }) }).selection;
		expect(tier.candidates.every(({ model }) => model.tier === "mid")).toBe(true);
		expect(tier.reason).toContain("within tier mid");
		expect(planned("hi", { max_cost: 1, ...rule({}, { max_cost: 0.5 }) }).selection.ceilingNanoUsd).toBe(0.5e9);
		expect(planned("hi", { max_cost: 0.1, ...rule({}, { max_cost: 0.5 }) }).selection.ceilingNanoUsd).toBe(0.1e9);
	});

	it("yields to the request's own model and mode, but not its limit", () => {
		const config = rule({}, { model: "tide-mid", routing_mode: "agility", max_cost: 0.5 });
		const named = planned("hi", config, { model: "prism-mid" });
		expect([named.selection.candidates[0].model.id, named.matchedRule]).toEqual(["prism-mid", "r"]);
		expect(named.selection.ceilingNanoUsd).toBe(0.5e9);
		expect(planned("hi", rule({}, { routing_mode: "agility" }), { routing_mode: "quality" }).selection.mode).toBe(
			"quality",
		);
		const intensity = planned("hi", rule({}, { tier: "frontier" }), { model: "foton-1" });
		expect(intensity.selection.candidates[0].model.tier).toBe("budget");
	});

	it("with model auto routes where the config names a model", () => {
		expect(planned("hi", { model: "apex-frontier", ...rule({}, { model: "auto" }) }).selection.mode).toBe("agility");
	});
});

describe("a model that the config names", () => {
	it("is replaced by a cheaper one when its worst case does not fit, by the config's own fallback first", () => {
		const { selection } = planned("hi", { model: "zenith-frontier", max_cost: 0.01 });
		expect(selection.fallbackFrom).toBe("zenith-frontier");
		expect(selection.candidates[0].model.id).not.toBe("zenith-frontier");
		const own = planned("hi", { model: "zenith-frontier", max_cost: 0.01, fallback: ["glint-budget"] }).selection;
		expect(own.candidates[0].model.id).toBe("glint-budget");
	});

	it("is replaced when it cannot do what the request needs, or is blocked", () => {
		expect(planned("hi", { model: "pebble-budget" }, TOOLS).selection.fallbackFrom).toBe("pebble-budget");
		expect(planned("hi", { model: "tide-mid", blocked: ["tide-mid"] }).selection.fallbackFrom).toBe("tide-mid");
	});
});

describe("max_cost", () => {
	it("lets a model that the request names be replaced by the config's fallback alone", () => {
		const dear = { model: "zenith-frontier", max_tokens: 4_000 };
		expect(planned("hi", { max_cost: 0.01, fallback: ["tide-mid"] }, dear).selection.candidates[0].model.id).toBe(
			"tide-mid",
		);
		expect(refusal("hi", { max_cost: 0.01 }, dear)).toMatchObject({ reason: "cost_limit_exceeded", scope: "max_cost" });
	});

	it("says what would have fitted: the same model with a shorter answer, else another, else nothing", () => {
		const dear = { model: "zenith-frontier", max_tokens: 4_000 };
		const shorter = refusal("hi", { max_cost: 0.1 }, dear);
		if (shorter.reason !== "cost_limit_exceeded" || !shorter.wouldFit) throw new Error(JSON.stringify(shorter));
		expect(shorter.wouldFit.model).toBe("zenith-frontier");
		expect(shorter.wouldFit.worstCaseUsd).toBeLessThanOrEqual(0.1);
		const again = { ...dear, max_tokens: shorter.wouldFit.maxTokens };
		expect(planned("hi", { max_cost: 0.1 }, again).selection.candidates[0].model.id).toBe("zenith-frontier");

		const other = refusal("hi", { max_cost: 0.0015 }, { ...dear, max_tokens: 1_000 });
		if (other.reason !== "cost_limit_exceeded" || !other.wouldFit) throw new Error(JSON.stringify(other));
		expect([other.wouldFit.model === "zenith-frontier", other.wouldFit.maxTokens]).toEqual([false, 1_000]);
		expect(refusal("hi", { max_cost: 1e-9 })).toMatchObject({ wouldFit: null });
		const routed = refusal("hi", { max_cost: 0.00001 });
		expect(routed).toMatchObject({ wouldFit: { model: "pebble-budget" } });
	});
});

describe("whatever the config and the request", () => {
	const wish = fc.constantFrom("auto", "laser-1", "foton-1", "nope", ...TEST_CATALOG.models.map(({ id }) => id));
	const content = fc.constantFrom("hi", CODE, "What is 3 + 4?", "x".repeat(5_000));
	const planId = fc.constantFrom<PlanId>("free", "personal", "pro", "corporate");
	const providers = fc.subarray(["CAIRN", "OSTROM", "ALDINE", "LUMEN"], { minLength: 1 });

	it("no blocked model is called, not by failover either, and no call or call set can cost more than max_cost", () => {
		fc.assert(
			fc.property(
				rawConfig,
				wish,
				content,
				planId,
				providers,
				fc.integer({ min: 1, max: 8_000 }),
				(config, model, text, id, kept, max_tokens) => {
					const variables = Object.entries(VARIABLES).filter(
						([name]) => !/_(?:API_KEY|BASE_URL)$/.test(name) || kept.some((prefix) => name.startsWith(`${prefix}_`)),
					);
					const settings = parseSettings(Object.fromEntries(variables), TEST_CATALOG);
					const result = plan(text, config, { model, max_tokens }, id, settings);
					if (!result.ok) {
						expect(["cost_limit_exceeded", "model_blocked", "invalid_request", "no_provider_available"]).toContain(
							result.failure.reason,
						);
						const fit = result.failure.reason === "cost_limit_exceeded" ? result.failure.wouldFit : null;
						if (fit && config.max_cost !== undefined) expect(fit.worstCaseUsd).toBeLessThanOrEqual(config.max_cost);
						return;
					}
					const { selection, attempt } = result.value;
					const limit = config.max_cost === undefined ? Number.POSITIVE_INFINITY : nanoUsd(config.max_cost);
					for (const candidate of [...selection.candidates, ...selection.failover]) {
						expect(findBlocking(candidate.model, config.blocked ?? [])).toBeUndefined();
						expect(attempt(candidate.model, candidate.effort).worstCase.totalNanoUsd).toBeLessThanOrEqual(limit);
					}
					expect(
						toCallSet(result.value, new ProviderHealth(), { user: "u", hasPriority: true }, NOON).boundNanoUsd,
					).toBeLessThanOrEqual(limit);
				},
			),
			{ numRuns: 400 },
		);
	});
});
