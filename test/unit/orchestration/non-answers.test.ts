// What a strategy makes of models that refuse: no vote, no agreement, no support; and what is delivered where nobody answers.
import { describe, expect, it } from "vitest";
import { followingQuestions, runStrategy } from "../../../src/orchestration/continuation.ts";
import { STRATEGIES, STRATEGY, type StrategyName } from "../../../src/orchestration/strategies.ts";
import { fakeEngine, type Reply, task, toPanel } from "../../support/fake-engine.ts";

const REFUSED = { refused: "I can't help with that." };

async function run(
	name: StrategyName,
	ids: readonly [string, ...string[]],
	reply: (model: string, role: string) => Reply,
) {
	const engine = fakeEngine(({ member: [model], role }) => reply(model, role));
	const result = await runStrategy(STRATEGY[name], task(), toPanel(ids), engine);
	if (!result.ok) throw new Error(result.failure.reason);
	return { value: result.value, engine };
}

describe("a refusal", () => {
	it("has no vote", async () => {
		const { value } = await run("self_consistency", ["a", "b", "c"], (model) =>
			model === "c" ? "Final answer: 4" : REFUSED,
		);
		expect(value).toMatchObject({ text: "Final answer: 4", model: "c", agreement: 1 });
		expect(value.confidence).toBe(0.5);
	});

	it("makes a cascade climb", async () => {
		const { value } = await run("cascade", ["a", "b", "c"], (model) => (model === "c" ? "Final answer: 4" : REFUSED));
		expect(value).toMatchObject({ model: "c", escalated: true });
		expect(value.instead).toBeUndefined();
	});

	it.each<StrategyName>(["ensemble_moa", "rank_fuse", "debate"])(
		"of who writes the last answer of %s is replaced by the best proposal",
		async (name) => {
			const { value } = await run(name, ["a", "b"], (model, role) =>
				["aggregator", "fuser", "judge"].includes(role) ? REFUSED : `whole by ${model}. Final answer: 4`,
			);
			expect(["a", "b"]).toContain(value.model);
			expect(value.text).toContain("Final answer: 4");
			expect(value.confidence).toBeGreaterThan(0.5);
		},
	);

	it("of the only model has one other model asked", async () => {
		const { value, engine } = await run("single", ["a"], (model) => (model === "a" ? REFUSED : "It is four."));
		expect(value).toMatchObject({ text: "It is four.", model: "judge", escalated: true, confidence: 0.5 });
		expect(engine.batches.flat().map(({ member: [model] }) => model)).toEqual(["a", "judge"]);
		expect(engine.details["continue"]).toMatchObject({
			how: "another model answered",
			instead_of: "a",
			why: "it refused",
		});
	});

	it.each(STRATEGIES)("of all models of %s is delivered with a confidence of 0", async (name) => {
		const { value, engine } = await run(name, ["a", "b", "c"], () => REFUSED);
		expect(value).toMatchObject({ text: REFUSED.refused, confidence: 0, agreement: 0, instead: "refusal" });
		expect(engine.batches.flat().filter(({ stage }) => stage === "continue").length).toBeLessThanOrEqual(1);
	});

	it("that nobody can be asked after for money is delivered", async () => {
		const { value } = await run("single", ["a"], (model) => (model === "a" ? REFUSED : { broke: true }));
		expect(value).toMatchObject({ text: REFUSED.refused, confidence: 0, instead: "refusal" });
	});

	it("has its second question in the bound, in the form that the client wants", () => {
		const asked = task({ output: { type: "json_object" } });
		const [, another] = followingQuestions(asked, toPanel(["a", "b"]));
		expect(another).toMatchObject({ member: ["a", "b", "judge"], output: { type: "json_object" } });
		expect(another.messages).toEqual(asked.messages);
	});
});
