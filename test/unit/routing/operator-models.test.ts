// Which requests an operator's models answer: who names one, who leaves the choice, and whose lists, plans and fallbacks have it.
import { describe, expect, it } from "vitest";
import { findNamedModel } from "../../../src/catalog/aliases.ts";
import type { Catalog } from "../../../src/catalog/catalog.ts";
import { isInPlan, modelAllowlist, PLANS, type PlanId } from "../../../src/catalog/plans.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { narrowTo, planCall } from "../../../src/inference/plan.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { findBlocking, isListed } from "../../../src/routing/routing-config.ts";
import { parseSettings } from "../../../src/settings.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { compiledConfig } from "../../support/config.ts";
import { variablesFor } from "../../support/variables.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const PROVIDERS = [{ id: "box", base_url: "http://box.local:8000/v1" }];

/** A free model of the operator's, without quality figures. */
function row(id: string, more: Record<string, unknown> = {}) {
	const prices = { input: 0, output: 0 };
	const limits = { context_window: 32_768, max_output_tokens: 8_192 };
	return { id, provider: "box", tier: "budget", prices, limits, ...more };
}

function catalogWith(...models: Record<string, unknown>[]): Catalog {
	const rules = { isLocal: true, hosts: new Set<string>() };
	const { catalog, faults } = extendCatalog(TEST_CATALOG, { providers: PROVIDERS, models }, rules);
	expect(faults).toEqual([]);
	return catalog;
}

/** @param available ids of providers that have a key; by default all. */
function planned(
	catalog: Catalog,
	body: Record<string, unknown>,
	plan: PlanId = "pro",
	available: readonly string[] = catalog.providers.map(({ id }) => id),
) {
	const parsed = chatRequestSchema.parse({ messages: [{ role: "user", content: "Say hello" }], ...body });
	const config = parsed.brain_config ? compiledConfig(parsed.brain_config, catalog) : null;
	const settings = parseSettings(variablesFor(catalog), catalog);
	const providers = new Map([...settings.providers].filter(([id]) => available.includes(id)));
	return planCall(toInferenceRequest(parsed, catalog, config), PLANS[plan], { ...settings, providers }, NOON);
}

function selectionOf(...args: Parameters<typeof planned>) {
	const plan = planned(...args);
	if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
	return plan.value.selection;
}

const ids = (candidates: readonly { model: { id: string } }[]) => candidates.map(({ model }) => model.id);

describe("a model without quality figures", () => {
	const catalog = catalogWith(
		row("mist"),
		row("haze", { auto: true }),
		row("veil", { quality: { general: 0.4 }, auto: false }),
	);

	it("is left out by requests that name no model, which are told why", () => {
		for (const body of [
			{},
			{ routing_mode: "agility" },
			{ model: "foton-1" },
			{ model: "laser-1" },
			{ model: "nobody" },
		]) {
			const { candidates, failover, excluded } = selectionOf(catalog, body);
			for (const list of [candidates, failover]) expect(ids(list)).not.toEqual(expect.arrayContaining(["mist"]));
			for (const list of [candidates, failover]) expect(ids(list)).not.toEqual(expect.arrayContaining(["veil"]));
			expect(excluded()["mist"]).toEqual(["no quality figures: only requests that name it get it"]);
			expect(excluded()["veil"]).toEqual(["auto: false in its row: only requests that name it get it"]);
		}
		expect(ids(selectionOf(catalog, {}).candidates)).toContain("haze");
	});

	it("answers who names it, with other models behind it as behind any", () => {
		const { candidates, failover, mode, fallbackFrom, excluded } = selectionOf(catalog, { model: "mist" });
		expect([mode, fallbackFrom, candidates[0].model.id, failover[0].model.id]).toEqual([
			"direct",
			null,
			"mist",
			"mist",
		]);
		expect(failover.length).toBeGreaterThan(2);
		expect(excluded()["mist"]).toBeUndefined();
		expect(ids(failover)).not.toContain("veil");
	});

	it("stands behind no other model", () => {
		expect(ids(selectionOf(catalog, { model: "ember-budget" }).failover)).not.toContain("mist");
	});

	it("may be named by a routing config, as its model, a rule's, or a fallback", () => {
		expect(selectionOf(catalog, { brain_config: { model: "mist" } }).candidates[0].model.id).toBe("mist");
		const rules = [{ when: {}, use: { model: "mist" } }];
		expect(selectionOf(catalog, { brain_config: { rules } }).candidates[0].model.id).toBe("mist");
		const behind = selectionOf(catalog, { brain_config: { fallback: ["veil", "mist"] } });
		expect(ids(behind.failover).slice(1, 3)).toEqual(["veil", "mist"]);
		// It takes no part in what several models do.
		expect(ids(behind.candidates)).not.toContain("mist");
		expect(behind.excluded()["mist"]).toBeUndefined();
		const instead = selectionOf(catalog, { model: "apex-frontier", brain_config: { fallback: ["mist"] } }, "pro", [
			"box",
		]);
		expect(ids(instead.candidates)[0]).toBe("mist");
	});

	it("goes on with the tool calls that it made", () => {
		const tooled = catalogWith(row("mist", { supports: { tools: true } }));
		const plan = planned(tooled, {});
		if (!plan.ok) throw new Error("no plan");
		const settings = parseSettings(variablesFor(tooled), tooled);
		const call = { ...plan.value.call, toolLoopModel: "mist" };
		const again = planCall({ call, options: plan.value.options }, PLANS.pro, settings, NOON);
		expect(again.ok && again.value.selection.candidates[0].model.id).toBe("mist");
	});

	it("is named by the refusal where nothing else can be called", () => {
		const plan = planned(catalogWith(row("mist")), {}, "pro", ["box"]);
		expect(plan.ok ? null : plan.failure).toMatchObject({
			reason: "no_provider_available",
			message: "no model is chosen by itself here; name one that can be called, such as mist",
		});
	});
});

describe("a hidden model", () => {
	const catalog = catalogWith(row("shade", { hidden: true, auto: true }), row("mist", { hidden: true }));

	it("answers who names it, and is chosen, shown and explained to nobody else", () => {
		for (const body of [{}, { model: "nobody" }, { model: "ember-budget" }]) {
			const { candidates, failover, excluded } = selectionOf(catalog, body);
			expect([...ids(candidates), ...ids(failover), ...Object.keys(excluded())]).not.toEqual(
				expect.arrayContaining([expect.stringMatching(/shade|mist/)]),
			);
		}
		for (const model of ["shade", "mist"]) expect(selectionOf(catalog, { model }).candidates[0].model.id).toBe(model);
	});

	it("is not suggested", () => {
		const open = catalogWith(row("shade"));
		const config = (model: string, of: Catalog) => () => compiledConfig({ model }, of);
		expect(config("shad", open)).toThrow("did you mean shade?");
		expect(config("shad", catalog)).not.toThrow("did you mean");
		expect(config("shad", catalog)).toThrow("unknown model");
		expect(config("shade", catalog)).not.toThrow();
	});
});

describe("an alias", () => {
	const catalog = catalogWith(row("mist", { aliases: ["our-chat", "gpt-4o"], upstream: "qwen3:8b" }), {
		id: "ours",
		replaces: "ember-budget",
	});

	it("means its model in any spelling, and takes the place of a family's", () => {
		for (const id of ["our-chat", "Our-Chat", "gpt-4o", "box/our-chat", "qwen3:8b"])
			expect(findNamedModel(id, catalog), id).toMatchObject({ model: { id: "mist" }, isExact: true });
		const { candidates, mode } = selectionOf(catalog, { model: "our-chat" });
		expect([candidates[0].model.id, mode]).toEqual(["mist", "direct"]);
	});

	it("takes no shipped model's name at its provider", () => {
		const taking = catalogWith(row("mist", { upstream: "ember-budget-2026" }));
		expect(findNamedModel("ember-budget-2026", taking)?.model.id).toBe("ember-budget");
	});

	it("counts in lists and configs, as does the id of a model that was replaced", () => {
		const [mist, ours] = ["mist", "ours"].map((id) => catalog.findModel(id));
		if (!mist || !ours) throw new Error("no model");
		for (const entry of ["our-chat", "our-*", "mist"]) {
			expect(isListed(mist, [entry]), entry).toBe(true);
			expect(findBlocking(mist, [entry]), entry).toBe(entry);
		}
		expect([isListed(ours, ["ember-*"]), findBlocking(ours, ["ember-budget"])]).toEqual([true, "ember-budget"]);
		expect(selectionOf(catalog, { brain_config: { model: "ember-budget" } }).candidates[0].model.id).toBe("ours");
		const { failover } = selectionOf(catalog, { model: "mist", brain_config: { fallback: ["ember-budget"] } });
		expect(ids(failover).slice(0, 2)).toEqual(["mist", "ours"]);
		const blocked = planned(catalog, { model: "ours", brain_config: { blocked: ["ember-budget"] } });
		expect(blocked.ok ? null : blocked.failure.reason).toBe("model_blocked");
	});

	it("finds the models of a plan that was stored before", () => {
		const plan = planned(catalog, {});
		if (!plan.ok) throw new Error("no plan");
		expect(narrowTo(plan.value, ["ember-budget"])?.selection.candidates[0].model.id).toBe("ours");
	});
});

describe("the plans of a row", () => {
	const catalog = catalogWith(
		row("mist", { auto: true }),
		row("dawn", { auto: true, plans: ["free", "personal"] }),
		row("dusk", { auto: true, plans: ["corporate"] }),
	);
	const inPlan = (plan: PlanId) =>
		["mist", "dawn", "dusk"].filter((id) => {
			const model = catalog.findModel(id);
			return model && isInPlan(model, PLANS[plan], catalog);
		});

	it("say whose keys may call it; all but free by default", () => {
		expect(inPlan("free")).toEqual(["dawn"]);
		expect(inPlan("personal")).toEqual(["mist", "dawn"]);
		expect(inPlan("pro")).toEqual(["mist"]);
		expect(inPlan("corporate")).toEqual(["mist", "dusk"]);
	});

	it("hold for every model that a user's calls may reach", () => {
		for (const plan of ["free", "personal", "pro", "corporate"] as const)
			for (const body of [{}, { model: "mist" }, { model: "dusk" }, { model: "nobody" }, { model: "foton-1" }]) {
				const { candidates, failover } = selectionOf(catalog, body, plan);
				const outside = [...candidates, ...failover].filter(({ model }) => !isInPlan(model, PLANS[plan], catalog));
				expect(ids(outside)).toEqual([]);
			}
		const { replaced, excluded, fallbackFrom } = selectionOf(catalog, { model: "dusk" }, "pro");
		expect(replaced).toEqual({ asked: "dusk", because: "plan" });
		expect(fallbackFrom).toBe("dusk");
		expect(excluded()["dusk"]).toEqual(["not in the Pro plan"]);
	});

	it("are listed by plan", () => {
		expect(modelAllowlist(PLANS.free, catalog)).toEqual([...TEST_CATALOG.freeModels, "dawn"]);
		expect(modelAllowlist(PLANS.pro, catalog)).toEqual([...TEST_CATALOG.models.map(({ id }) => id), "mist"]);
		expect(modelAllowlist(PLANS.pro, catalogWith(row("mist")))).toBeNull();
		expect(modelAllowlist(PLANS.free, catalogWith(row("mist", { plans: ["free"], hidden: true })))).toEqual(
			TEST_CATALOG.freeModels,
		);
	});
});
