import { describe, expect, it } from "vitest";
import { INTENSITIES_DESCENDING } from "../../../src/agents/step-decision.ts";
import { primaryStrategy, stepSizesFor, suitKind } from "../../../src/agents/step-strategy.ts";
import { POLICIES } from "../../../src/orchestration/strategy.ts";

describe("the strategies of a subtask", () => {
	it("end with one model alone, whatever the policy and the intensity, which is all at the lowest", () => {
		for (const policy of POLICIES) {
			for (const intensity of INTENSITIES_DESCENDING)
				expect(stepSizesFor(policy, intensity).at(-1)?.strategy).toBe("single");
			expect(stepSizesFor(policy, "Foton")).toHaveLength(1);
		}
	});

	it("begin with the one that the run's trajectory names", () => {
		expect(POLICIES.map((policy) => primaryStrategy(policy))).toEqual(["single", "cascade", "ensemble_moa"]);
	});

	it("lose rounds before members, and members before the strategy", () => {
		const sizes = stepSizesFor("depth", "Laser").map(({ strategy, width, rounds }) => [strategy, width, rounds]);
		expect(sizes).toEqual([
			["ensemble_moa", 3, 2],
			["ensemble_moa", 3, 1],
			["ensemble_moa", 2, 1],
			["single", 1, 1],
		]);
	});

	it("votes only where answers can be compared", () => {
		const sizes = stepSizesFor("depth", "Halo");
		expect(sizes[0]?.strategy).toBe("self_consistency");
		expect(suitKind(sizes, "number")).toEqual(sizes);
		expect(suitKind(sizes, "none").map(({ strategy }) => strategy)).not.toContain("self_consistency");
		expect(suitKind(sizes, "none")[0]).toEqual({ ...sizes[0], strategy: "ensemble_moa" });
	});

	it("climb only where answers can be compared", () => {
		const sizes = stepSizesFor("balanced", "Halo");
		expect(suitKind(sizes, "any")[0]?.strategy).toBe("cascade");
		expect(suitKind(sizes, "none")).toEqual(stepSizesFor("efficiency", "Halo"));
	});
});
