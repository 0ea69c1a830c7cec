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
		expect(stages(debate)).toEqual(["round:0", "round:0", "round:0", "judge"]);
	});
});

describe("a debate whose bound covers its necessary calls only", () => {
	it("has no second round where its calls cost what they may, and gets its verdict", async () => {
		const { result, stages } = await runWithin(debate, 40, 10);
		expect(result.ok).toBe(true);
		expect(stages).toContain("judge");
		expect(stages).not.toContain("round:1");
	});

	it("has its second round where they cost less, and still gets its verdict", async () => {
		const { result, stages } = await runWithin(debate, 52, 2);
		expect(result.ok).toBe(true);
		expect(stages.indexOf("round:1")).toBeGreaterThan(0);
		expect(stages.indexOf("judge")).toBeGreaterThan(stages.indexOf("round:1"));
	});
});
