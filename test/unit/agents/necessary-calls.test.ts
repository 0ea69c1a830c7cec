// Strategies that begin with less than their worst case: they go as far as the money goes, and reach their answer.
import { describe, expect, it } from "vitest";
import { isNecessary, keepForNecessary } from "../../../src/agents/necessary-calls.ts";
import { debate } from "../../../src/orchestration/debate.ts";
import { ensembleMoa } from "../../../src/orchestration/ensemble-moa.ts";
import type { Strategy } from "../../../src/orchestration/strategy.ts";
import { fakeEngine, task, toPanel } from "../../support/fake-engine.ts";

const PANEL = toPanel(["a", "b", "c"]);

/** Runs a strategy where each call may cost 10 and costs what is said. Returns its stages in the order of its batches. */
async function runWithin(strategy: Strategy, boundNanoUsd: number, costNanoUsd: number) {
	const inner = fakeEngine(({ stage, member: [model] }) =>
		stage.startsWith("agree") ? null : `${model} says ${stage}`,
	);
	const spent = () => inner.batches.flat().length * costNanoUsd;
	const necessary = strategy.callGraph(task(), PANEL).filter(isNecessary);
	const engine = keepForNecessary(
		inner,
		necessary,
		() => 10,
		() => boundNanoUsd - spent(),
	);
	const result = await strategy.run(task({ kind: "none" }), PANEL, engine);
	return { result, stages: inner.batches.map(([question]) => question?.stage), necessary: necessary.length };
}

describe("a strategy's necessary calls", () => {
	it("are those of its first round and the one that makes its answer", () => {
		const stages = (strategy: Strategy) =>
			strategy
				.callGraph(task(), PANEL)
				.filter(isNecessary)
				.map(({ stage }) => stage);
		expect(stages(ensembleMoa)).toEqual(["propose", "propose", "propose", "aggregate"]);
		const layered = ensembleMoa.callGraph(task(), PANEL).map(({ stage }) => stage);
		expect(layered).toContain("propose:1");
		expect(stages(debate)).toEqual(["round:0", "round:0", "round:0", "judge"]);
	});
});

describe.each([
	["a debate", debate, "round:1", "judge"],
	["a mixture in layers", ensembleMoa, "propose:1", "aggregate"],
] as const)("%s whose bound covers its necessary calls only", (_, strategy, further, last) => {
	it("makes no further round where its calls cost what they may, and gets its answer", async () => {
		const { result, stages } = await runWithin(strategy, 40, 10);
		expect(result.ok).toBe(true);
		expect(stages).toContain(last);
		expect(stages).not.toContain(further);
	});

	it("makes its further round where they cost less, and still gets its answer", async () => {
		const { result, stages } = await runWithin(strategy, 52, 2);
		expect(result.ok).toBe(true);
		expect(stages.indexOf(further)).toBeGreaterThan(0);
		expect(stages.indexOf(last)).toBeGreaterThan(stages.indexOf(further));
	});
});
