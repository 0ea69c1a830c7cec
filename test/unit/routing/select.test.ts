// Signals and selection: who may serve a request, who ranks first, and what is said when nobody may.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLANS, type PlanId } from "../../../src/catalog/plans.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { toHttpFailure } from "../../../src/http/errors.ts";
import { withClientFieldNames } from "../../../src/inference/client-fields.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { chooseEffort } from "../../../src/routing/effort.ts";
import { detectSignals } from "../../../src/routing/signals.ts";
import { parseSettings, type Settings } from "../../../src/settings.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";
import { compiledConfig } from "../../support/config.ts";
import { variablesFor } from "../../support/variables.ts";

const VARIABLES = variablesFor(TEST_CATALOG);
const ALL = parseSettings(VARIABLES, TEST_CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");

function without(...prefixes: string[]): Settings {
	const kept = Object.entries(VARIABLES).filter(([name]) => !prefixes.some((prefix) => name.startsWith(`${prefix}_`)));
	return parseSettings(Object.fromEntries(kept), TEST_CATALOG);
}

interface Options {
	plan?: PlanId;
	settings?: Settings;
}

function attempt(body: Record<string, unknown>, { plan = "corporate", settings = ALL }: Options = {}) {
	const parsed = chatRequestSchema.parse({
		messages: [{ role: "user", content: "What is the capital of France, and which river does it stand on today?" }],
		...body,
	});
	const config = parsed.brain_config ? compiledConfig(parsed.brain_config, settings.catalog) : null;
	return planCall(toInferenceRequest(parsed, settings.catalog, config), PLANS[plan], settings, NOON);
}

function selected(body: Record<string, unknown>, options?: Options) {
	const planned = attempt(body, options);
	if (!planned.ok) throw new Error(JSON.stringify(planned.failure));
	return planned.value.selection;
}

function refused(body: Record<string, unknown>, options?: Options) {
	const planned = attempt(body, options);
	if (planned.ok) throw new Error(`${planned.value.selection.candidates[0].model.id} was selected`);
	return toHttpFailure(withClientFieldNames(planned.failure));
}

const prompt = (content: string) => ({ messages: [{ role: "user", content }] });
const first = (body: Record<string, unknown>, options?: Options) => selected(body, options).candidates[0].model;

describe("signals", () => {
	const detect = (content: string) =>
		detectSignals(toModelCall(chatRequestSchema.parse(prompt(content)), TEST_CATALOG));

	it.each([
		["Write a Python function that reverses a list", "code"],
		["Solve the equation 3x + 5 = 20", "math"],
		["Write a poem about the sea", "creative"],
		["Translate this sentence into French: good morning", "translation"],
		["Summarize the following article in three bullet points", "text"],
		["Why does the moon look larger near the horizon? Compare the explanations.", "reasoning"],
		["Good morning", "chat"],
		["What is the capital of France?", "factual"],
		["Should I take the train or fly?", "advice"],
	])("reads %j as %s", (content, intent) => {
		expect(detect(content).intents).toContain(intent);
	});

	it("tells trivial from hard", () => {
		expect(detect("hi").difficulty).toBe("trivial");
		expect(detect("Prove rigorously that this distributed lock has no race condition, step by step").difficulty).toBe(
			"hard",
		);
		expect(detect("Write a Python function that reverses a list").difficulty).toBe("normal");
	});

	it("takes any text, and a long one in linear time", () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1, maxLength: 2_000 }), (content) => {
				expect(detect(content).intents.length).toBeGreaterThan(0);
			}),
		);
		for (const unit of ["SELECT ", "a ", "1+", "`", "translate into ", "\\frac"]) detect(unit.repeat(300_000));
	});
});

describe("routing", () => {
	it("gives the same ranking for the same request", () => {
		const visible = () => {
			const { excluded, ...selection } = selected({});
			return { ...selection, excluded: excluded() };
		};
		expect(visible()).toEqual(visible());
	});

	it("ranks better models first for quality and cheaper or faster ones for agility", () => {
		const best = selected({ routing_mode: "quality" }).candidates[0];
		const fast = selected({ routing_mode: "agility" }).candidates[0];
		expect(best.expectation.quality).toBeGreaterThan(fast.expectation.quality);
		expect(best.expectation.cost.totalNanoUsd).toBeGreaterThan(fast.expectation.cost.totalNanoUsd);
	});

	it("picks the mode by difficulty when the client names none", () => {
		expect(selected(prompt("hi")).mode).toBe("agility");
		expect(selected({}).mode).toBe("balanced");
		expect(
			selected(prompt("Prove rigorously that this distributed lock has no race condition, step by step")).mode,
		).toBe("quality");
	});

	it("never ranks a model that is not available, and says why", () => {
		const { candidates, excluded } = selected({}, { settings: without("OSTROM") });
		expect(candidates.every(({ model }) => model.provider !== "ostrom")).toBe(true);
		expect(excluded()["apex-frontier"]).toEqual([expect.stringContaining("no key is configured for it at ostrom")]);
		expect(candidates.length + Object.keys(excluded()).length).toBe(TEST_CATALOG.models.length);
	});

	it("says in one sentence why", () => {
		expect(selected(prompt("Write a poem")).reason).toMatch(
			/^\w+ routing for a creative prompt: .+ ranks first of \d+ eligible models \(/,
		);
	});

	it("leaves out models without a capability the request needs", () => {
		const image = {
			messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }] }],
		};
		expect(selected(image).candidates.every(({ model }) => model.supports.vision)).toBe(true);
		const schema = { response_format: { type: "json_schema", json_schema: { name: "x", schema: {} } } };
		expect(selected(schema).excluded()["pebble-budget"]).toEqual(["does not support response_format json_schema"]);
		const tools = [{ type: "function", function: { name: "f" } }];
		expect(selected({ tools }).excluded()["pebble-budget"]).toEqual(["does not support tools"]);
		expect(selected({ logprobs: true }).candidates.map(({ model }) => model.id)).toEqual(["tide-mid"]);
	});

	it("leaves out the Google format for an image by address, which this service does not fetch", () => {
		const content = [{ type: "image_url", image_url: { url: "https://images.test/cat.png" } }];
		const messages = [{ role: "user", content }];
		const { candidates, excluded } = selected({ messages });
		expect(candidates.every(({ model }) => model.provider !== "lumen")).toBe(true);
		expect(excluded()["prism-mid"]).toEqual(["does not support images by https address"]);
		expect(refused({ messages, model: "prism-mid" })).toMatchObject({
			status: 422,
			body: { issues: [{ path: "messages" }] },
		});
	});

	it("leaves out models whose context or output limit is too small", () => {
		const long = selected(prompt("word ".repeat(180_000)));
		expect(long.candidates.length).toBeGreaterThan(0);
		expect(long.candidates.every(({ model }) => model.limits.context_window > 225_000)).toBe(true);
		expect(long.excluded()["pebble-budget"]).toEqual([expect.stringContaining("there is room for")]);
		expect(selected({ max_tokens: 130_000 }).candidates.map(({ model }) => model.id)).toEqual(["tide-mid"]);
	});

	it("says by how much a prompt is too long where nothing else keeps a model from serving", () => {
		const small = modelWhere(TEST_CATALOG, ({ id }) => id === "pebble-budget");
		const long = prompt("word ".repeat(180_000));
		const overflowOf = (body: Record<string, unknown>, options?: Options) => {
			const planned = attempt(body, options);
			if (planned.ok) throw new Error("was not refused");
			return "overflow" in planned.failure ? planned.failure.overflow : undefined;
		};
		const overflow = { tokens: 225_000, maximum: small.limits.context_window - 1_000 };
		expect(overflowOf({ ...long, model: small.id })).toEqual(overflow);
		const others = TEST_CATALOG.models.filter((model) => model !== small).map(({ id }) => id);
		const blocked = { ...long, brain_config: { blocked: others } };
		expect(refused(blocked)).toMatchObject({ status: 403, body: { error: "model_blocked" } });
		expect(overflowOf(blocked)).toEqual(overflow);
		// A shorter prompt would not help where the model lacks more than room.
		const images = [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }];
		const blind = modelWhere(
			TEST_CATALOG,
			({ supports, limits }) => !supports.vision && limits.context_window < 200_000,
		);
		const seen = [...long.messages, { role: "user", content: images }];
		expect(overflowOf({ messages: seen, model: blind.id })).toBeUndefined();
	});

	it("stays within an intensity, or the next lower one that has a model", () => {
		expect(["premium", "frontier"]).toContain(first({ model: "laser-1" }).tier);
		expect(first({ model: "halo-1" }).tier).toBe("mid");
		expect(first({ model: "foton-1" }).tier).toBe("budget");
		expect(first({ model: "laser-1" }, { plan: "free" }).tier).toBe("budget");
	});
});

describe("a pinned model", () => {
	it("runs, in mode direct", () => {
		const { mode, candidates, fallbackFrom } = selected({ model: "tide-mid" });
		expect([mode, candidates[0].model.id, fallbackFrom]).toEqual(["direct", "tide-mid", null]);
	});

	it("falls back to a model of its tier that is not dearer when its provider has no key", () => {
		const { candidates, fallbackFrom, mode, reason } = selected(
			{ model: "zenith-frontier" },
			{ settings: without("ALDINE") },
		);
		expect([candidates[0].model.id, fallbackFrom, mode]).toEqual(["apex-frontier", "zenith-frontier", "direct"]);
		expect(reason).toContain("no key is configured for it at aldine");
		// The other model of its tier is dearer.
		const stoodIn = selected({ model: "apex-frontier" }, { settings: without("OSTROM") });
		expect(stoodIn.candidates.map(({ model }) => model.id)).toEqual([
			"summit-premium",
			"prism-mid",
			"tide-mid",
			"pebble-budget",
			"glint-budget",
			"zenith-frontier",
		]);
	});

	it("falls back in the config's own order first", () => {
		const { candidates } = selected(
			{ model: "zenith-frontier", brain_config: { fallback: ["glint-budget", "tide-mid"] } },
			{ settings: without("ALDINE") },
		);
		expect(candidates.slice(0, 2).map(({ model }) => model.id)).toEqual(["glint-budget", "tide-mid"]);
	});

	it("that lacks a capability is 422 naming the parameter", () => {
		const { status, body } = refused({
			model: "pebble-budget",
			response_format: { type: "json_schema", json_schema: { name: "x" } },
		});
		expect([status, body["error"]]).toEqual([422, "invalid_request"]);
		expect(body["issues"]).toEqual([
			{ path: "response_format", message: "pebble-budget: does not support response_format json_schema" },
		]);
		expect(refused({ model: "tide-mid", max_tokens: 1_000_000 }).body["issues"]).toMatchObject([
			{ path: "max_tokens" },
		]);
	});
});

describe("an id that is no catalog model", () => {
	it("runs the cheapest available budget model, as a fallback", () => {
		const { candidates, fallbackFrom } = selected({ model: "gpt-4o" });
		expect([candidates[0].model.id, fallbackFrom]).toEqual(["pebble-budget", "gpt-4o"]);
		expect(first({ model: "gpt-4o" }, { settings: without("CAIRN") }).id).toBe("ember-budget");
		expect(first({ model: "__proto__" }).id).toBe("pebble-budget");
	});
});

describe("the Free plan", () => {
	it("never gets a model outside its three, whatever is asked for", () => {
		const models = fc.constantFrom(
			"auto",
			"laser-1",
			"halo-1",
			"foton-1",
			"nope",
			...TEST_CATALOG.models.map(({ id }) => id),
		);
		const modes = fc.constantFrom(undefined, "quality", "balanced", "agility");
		fc.assert(
			fc.property(models, modes, (model, routing_mode) => {
				const { candidates } = selected({ model, routing_mode }, { plan: "free" });
				expect(candidates.every((candidate) => TEST_CATALOG.freeModels.includes(candidate.model.id))).toBe(true);
			}),
			{ numRuns: 300 },
		);
	});

	it("gets the cheapest budget model for any other, as a fallback", () => {
		const { candidates, fallbackFrom } = selected({ model: "summit-premium" }, { plan: "free" });
		expect([candidates[0].model.id, fallbackFrom]).toEqual(["pebble-budget", "summit-premium"]);
	});

	it("is 503 when none of its three is available", () => {
		expect(refused({}, { plan: "free", settings: without("CAIRN", "OSTROM", "LUMEN") })).toMatchObject({
			status: 503,
			body: { error: "no_provider_available" },
		});
	});
});

describe("limits on cost", () => {
	it("keep every candidate's worst case under max_cost", () => {
		fc.assert(
			fc.property(
				fc.double({ min: 0.00003, max: 0.2, noNaN: true }),
				fc.integer({ min: 1, max: 4_000 }),
				(max_cost, max_tokens) => {
					const planned = attempt({ max_tokens, brain_config: { max_cost } });
					if (!planned.ok) {
						expect(planned.failure.reason).toBe("cost_limit_exceeded");
						return;
					}
					for (const { model, effort } of planned.value.selection.candidates) {
						expect(planned.value.attempt(model, effort).worstCase.totalNanoUsd / 1e9).toBeLessThanOrEqual(max_cost);
					}
				},
			),
			{ numRuns: 200 },
		);
	});

	it("refuse with the scope, the limit and the worst case", () => {
		expect(refused({ brain_config: { max_cost: 1e-6 } })).toMatchObject({
			status: 402,
			body: { error: "cost_limit_exceeded", scope: "max_cost", limit_usd: 1e-6, worst_case_usd: expect.any(Number) },
			headers: { "x-should-retry": "false" },
		});
	});

	it("enforce the envelope of a guarded plan, for pins too, and not that of others", () => {
		const dear = { model: "zenith-frontier", max_tokens: 4_000 };
		expect(refused(dear, { plan: "personal" })).toMatchObject({
			status: 402,
			body: { scope: "plan_envelope", limit_usd: 0.1 },
		});
		expect(first(dear, { plan: "pro" }).id).toBe("zenith-frontier");
		expect(first({ ...dear, brain_config: { fallback: ["tide-mid"] } }, { plan: "personal" }).id).toBe("tide-mid");
	});
});

describe("the routing config", () => {
	it("blocks models, providers and globs", () => {
		const { candidates, excluded } = selected({ brain_config: { blocked: ["lumen", "*-frontier", "tide-mid"] } });
		expect(candidates.map(({ model }) => model.id).toSorted()).toEqual([
			"ember-budget",
			"pebble-budget",
			"summit-premium",
		]);
		expect(excluded()["glint-budget"]).toEqual(["blocked by the routing config (lumen)"]);
		expect(excluded()["apex-frontier"]).toEqual(["blocked by the routing config (*-frontier)"]);
	});

	it("that blocks everything, or the model named, is 403", () => {
		expect(refused({ brain_config: { blocked: ["*"] } })).toMatchObject({
			status: 403,
			body: { error: "model_blocked" },
		});
		expect(refused({ model: "tide-mid", brain_config: { blocked: ["cairn"] } })).toMatchObject({ status: 403 });
	});

	it("gives the model and mode where the request leaves them open", () => {
		expect(first({ brain_config: { model: "tide-mid" } }).id).toBe("tide-mid");
		expect(first({ model: "prism-mid", brain_config: { model: "tide-mid" } }).id).toBe("prism-mid");
		expect(selected({ brain_config: { routing_mode: "agility" } }).mode).toBe("agility");
		expect(selected({ routing_mode: "quality", brain_config: { routing_mode: "agility" } }).mode).toBe("quality");
	});
});

describe("with nothing configured", () => {
	it("every request is 503 no_provider_available", () => {
		const settings = parseSettings({ KEY_PEPPER: "0123456789abcdef" }, TEST_CATALOG);
		for (const model of ["auto", "tide-mid", "nope", "laser-1"]) {
			expect(refused({ model }, { settings })).toMatchObject({ status: 503, body: { error: "no_provider_available" } });
		}
	});
});

describe("effort", () => {
	const effortOf = (
		id: string,
		effort: "low" | "xhigh" | undefined,
		mode: "quality" | "balanced",
		maxTokens: number,
	) => {
		const model = modelWhere(TEST_CATALOG, (candidate) => candidate.id === id);
		return chooseEffort(model, { maxTokens, ...(effort ? { effort } : {}) }, mode);
	};

	it("is the lowest a model has, unless quality is asked for with room", () => {
		expect(effortOf("ember-budget", undefined, "balanced", 8_000).effort).toBe("minimal");
		expect(effortOf("ember-budget", undefined, "quality", 4_095).effort).toBe("minimal");
		expect(effortOf("ember-budget", undefined, "quality", 4_096).effort).toBe("default");
		expect(effortOf("tide-mid", undefined, "quality", 8_000).effort).toBe("none");
	});

	it("is the client's, or the nearest the model has with a warning", () => {
		expect(effortOf("ember-budget", "low", "balanced", 100)).toEqual({ effort: "low", warnings: [] });
		expect(effortOf("tide-mid", "low", "balanced", 100)).toMatchObject({
			effort: "none",
			warnings: [{ code: "parameter_changed", param: "effort" }],
		});
		expect(effortOf("ember-budget", "xhigh", "balanced", 100).effort).toBe("high");
		expect(effortOf("pebble-budget", "low", "balanced", 100)).toMatchObject({
			effort: null,
			warnings: [{ code: "parameter_dropped" }],
		});
	});
});

describe("a conversation", () => {
	const history = (content: string) => ({
		messages: [
			{ role: "user", content: "Good morning, I would like to talk about the history of rivers in Europe." },
			{ role: "assistant", content: "Gladly." },
			{ role: "user", content },
		],
	});
	const withModel = (model: string, content: string, more: Record<string, unknown> = {}) => {
		const parsed = chatRequestSchema.parse({ ...history(content), ...more });
		const request = toInferenceRequest(parsed, TEST_CATALOG, null);
		const planned = planCall(request, PLANS.corporate, ALL, NOON, () => ({ conversation_model: model }));
		if (!planned.ok) throw new Error(JSON.stringify(planned.failure));
		return planned.value.selection;
	};

	it("stays with its model while nobody is much better", () => {
		const more = { routing_mode: "quality" };
		const best = selected({ ...history("And the Danube, what about the Danube in that time?"), ...more }).candidates;
		const second = best[1]?.model.id ?? "";
		const stays = withModel(second, "And the Danube, what about the Danube in that time?", more);
		expect(stays.candidates[0].model.id).toBe(second);
		expect(stays.reason).toContain("goes on with its conversation");
		expect(stays.fallbackFrom).toBeNull();
	});

	it("leaves it for one that is much better, or when the client names another", () => {
		const weak = "pebble-budget";
		expect(
			withModel(weak, "Prove rigorously, step by step, that this is so", { routing_mode: "quality" }).candidates[0]
				.model.id,
		).not.toBe(weak);
		expect(withModel("tide-mid", "And the Danube?", { model: "prism-mid" }).candidates[0].model.id).toBe("prism-mid");
	});

	it("in a tool loop stays with the model that made the call, and its provider", () => {
		const call = {
			id: markedCallId("call_1", "prism-mid"),
			type: "function",
			function: { name: "f", arguments: "{}" },
		};
		const messages = [
			{ role: "user", content: "hi" },
			{ role: "assistant", content: null, tool_calls: [call] },
			{ role: "tool", tool_call_id: call.id, content: "1" },
		];
		const { candidates, failover } = selected({ messages });
		expect(candidates[0].model.id).toBe("prism-mid");
		expect(new Set(failover.map(({ model }) => model.provider))).toEqual(new Set(["lumen"]));
	});
});
