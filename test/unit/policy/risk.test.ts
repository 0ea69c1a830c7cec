// The factor table, the tiers, and the risk of a handoff.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_PROTECTED_PATHS } from "../../../src/policy/defaults.ts";
import {
	ALL_FACTORS,
	combineFactors,
	FACTORS,
	type FactorId,
	LIGHT_FACTORS,
	toRiskTier,
} from "../../../src/policy/factors.ts";
import { type HandoffRiskInput, scoreHandoffRisk } from "../../../src/policy/risk.ts";

const ids = ALL_FACTORS.map(({ id }) => id);
const some = fc.uniqueArray(fc.constantFrom(...ids));

describe("factors", () => {
	it.each<[FactorId, number, string]>([
		["forbidden_command", 90, "deny"],
		["oversize_command", 90, "deny"],
		["protected_path", 65, "approve"],
		["over_budget", 40, "confirm"],
		["delete_action", 35, "confirm"],
		["unparsable_command", 31, "confirm"],
		["deploy_action", 31, "confirm"],
		["exec_action", 31, "confirm"],
	])("%s alone scores %d: %s", (id, score, decision) => {
		expect(combineFactors(new Set([id]))).toMatchObject({ score, decision });
	});

	it("combine as one minus the product of what each leaves", () => {
		expect(combineFactors(new Set(["delete_action", "protected_path"])).score).toBe(77);
		expect(combineFactors(new Set()).score).toBe(0);
	});

	it("are all listed in the order of the table, triggered or not", () => {
		const { factors } = combineFactors(new Set(["delete_action", "forbidden_command"]));
		expect(factors.map(({ id }) => id)).toEqual(FACTORS.map(({ id }) => id));
		expect(factors.filter((factor) => factor.triggered).map(({ id }) => id)).toEqual([
			"forbidden_command",
			"delete_action",
		]);
	});

	it("never score less when one more fires", () => {
		fc.assert(
			fc.property(some, fc.constantFrom(...ids), (fired, more) => {
				const before = combineFactors(new Set(fired), ALL_FACTORS).score;
				expect(combineFactors(new Set([...fired, more]), ALL_FACTORS).score).toBeGreaterThanOrEqual(before);
			}),
		);
	});

	it("of the light table never leave the tier auto alone", () => {
		for (const { id } of LIGHT_FACTORS) expect(combineFactors(new Set([id]), ALL_FACTORS).tier).toBe("auto");
	});

	it.each([
		[0, "auto"],
		[30, "auto"],
		[31, "confirm"],
		[60, "confirm"],
		[61, "approve"],
		[85, "approve"],
		[86, "block"],
		[100, "block"],
	])("a score of %d is tier %s", (score, tier) => {
		expect(toRiskTier(score).tier).toBe(tier);
	});
});

describe("the risk of a handoff", () => {
	const handoff = (change: Partial<HandoffRiskInput>): HandoffRiskInput => ({
		actionKind: "edit",
		files: [],
		objective: "Fix the sorting of the list view",
		protectedPaths: DEFAULT_PROTECTED_PATHS,
		...change,
	});

	it("of an ordinary edit is nothing", () => {
		expect(scoreHandoffRisk(handoff({ files: ["src/a.ts"] }))).toEqual({ score: 0, tier: "auto", factors: [] });
	});

	it("of a deployment needs confirmation", () => {
		expect(scoreHandoffRisk(handoff({ actionKind: "deploy" }))).toEqual({
			score: 31,
			tier: "confirm",
			factors: ["deploy_action"],
		});
	});

	it("of a protected path needs approval, by the built-in list and by the manifest's", () => {
		expect(scoreHandoffRisk(handoff({ files: ["a/.env.local"] })).tier).toBe("approve");
		const own = handoff({ files: ["src/../infra/main.tf"], protectedPaths: ["infra/"] });
		expect(scoreHandoffRisk(own).factors).toEqual(["protected_path"]);
	});

	it.each<[string, FactorId[]]>([
		["Delete the old users", ["delete_action"]],
		["Remove the sessions table after the migration", ["delete_action", "sensitive_subject"]],
		["Remove the unused import", []],
		["Do not delete anything yet", []],
		["Deploy the worker to production", ["deploy_action", "sensitive_subject"]],
		["Explain the deletion policy", []],
		["DЕLETE everything", ["delete_action"]],
	])("reads %j as %j", (objective, factors) => {
		expect(scoreHandoffRisk(handoff({ objective })).factors).toEqual(factors);
	});

	it("of a review counts files, not words", () => {
		expect(
			scoreHandoffRisk(handoff({ actionKind: "review", objective: "Review how we delete users" })).factors,
		).toEqual([]);
	});

	it("counts cost only against a budget", () => {
		expect(scoreHandoffRisk(handoff({ estCostUsd: 5 })).factors).toEqual([]);
		expect(scoreHandoffRisk(handoff({ estCostUsd: 5, budgetUsd: 5 })).factors).toEqual([]);
		expect(scoreHandoffRisk(handoff({ estCostUsd: 5.01, budgetUsd: 5 })).factors).toEqual(["over_budget"]);
	});

	it("grows with the number of files", () => {
		const files = Array.from({ length: 26 }, (_, index) => `src/${index}.ts`);
		expect(scoreHandoffRisk(handoff({ files })).factors).toEqual(["wide_change"]);
		expect(scoreHandoffRisk(handoff({ files: files.slice(1) })).factors).toEqual([]);
	});
});
