// What a strategy makes of models that refuse: no vote, no agreement, no support; and what is delivered where nobody answers.
import { describe, expect, it } from "vitest";
import { jsonStringBytes } from "../../../src/inference/answer-placeholder.ts";
import { followingQuestions, runStrategy } from "../../../src/orchestration/continuation.ts";
import { STRATEGIES, STRATEGY, type StrategyName } from "../../../src/orchestration/strategies.ts";
import { fakeEngine, questionText, type Reply, task, toPanel } from "../../support/fake-engine.ts";

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

	it("or a blank answer of the only model has one other model asked", async () => {
		const blank = { blank: true as const };
		const { value, engine } = await run("single", ["a"], (model) => (model === "a" ? blank : "It is four."));
		expect(value).toMatchObject({ text: "It is four.", model: "judge", confidence: 0.5 });
		expect(engine.details["continue"]).toEqual({
			how: "another model answered",
			instead_of: "a",
			why: "the answer is blank",
		});
		const refused = await run("single", ["a"], (model) => (model === "a" ? blank : REFUSED));
		expect(refused.value).toMatchObject({ text: REFUSED.refused, confidence: 0, instead: "refusal" });
	});

	it.each(STRATEGIES)("cannot be shown where all models of %s say nothing: it fails", async (name) => {
		const engine = fakeEngine(() => ({ blank: true }));
		const result = await runStrategy(STRATEGY[name], task(), toPanel(["a", "b", "c"]), engine);
		expect(result).toMatchObject({ ok: false, failure: { reason: "all_models_failed" } });
		expect(engine.batches.flat().filter(({ stage }) => stage === "continue").length).toBeLessThanOrEqual(1);
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

describe("an answer without the form that was asked for", () => {
	const formed = task({ output: { type: "json_object" }, checksForm: true });
	const runFormed = async (
		name: StrategyName,
		reply: (model: string, stage: string, role: string) => Reply,
		quality: Readonly<Record<string, number>> = {},
	) => {
		const engine = fakeEngine(({ member: [model], stage, role }) => reply(model, stage, role), quality);
		const result = await runStrategy(STRATEGY[name], formed, toPanel(["a", "b", "c"]), engine);
		if (!result.ok) throw new Error(result.failure.reason);
		const repairs = engine.batches.flat().filter(({ stage }) => stage === "repair");
		return { value: result.value, engine, repairs };
	};

	it("of all members is repaired once, by the best model, which is told what is wrong", async () => {
		const { value, repairs } = await runFormed(
			"self_consistency",
			(model, stage) => (stage === "repair" ? "{}" : { unfit: `prose of ${model}` }),
			{ b: 0.75 },
		);
		expect(value).toMatchObject({ text: "{}", model: "b", confidence: 0.75, agreement: 1 });
		expect(repairs).toMatchObject([{ member: ["b"], output: { type: "json_object" } }]);
		expect(repairs[0] && questionText(repairs[0])).toMatch(/prose of b[\s\S]*no JSON/);
	});

	it.each<[string, Reply, string]>([
		["fails", null, "prose of a"],
		["cannot be afforded", { broke: true }, "prose of a"],
		["is prose", { unfit: "more prose" }, "prose of a"],
		["is JSON of another form", { unfit: "[]" }, "[]"],
		["is cut", { cut: "{" }, "prose of a"],
	])("whose repair %s is delivered with a confidence of 0", async (_, repair, text) => {
		const { value, repairs } = await runFormed("single", (model, stage) =>
			stage === "repair" ? repair : { unfit: `prose of ${model}` },
		);
		expect(value).toMatchObject({ text, confidence: 0, agreement: 0, instead: "other_form" });
		expect(repairs).toHaveLength(1);
	});

	it("has no vote and supports nothing", async () => {
		const { value, repairs } = await runFormed("self_consistency", (model) =>
			model === "c" ? '{"n": 4}' : { unfit: "It is 4." },
		);
		expect(value).toMatchObject({ text: '{"n": 4}', confidence: 0.5, agreement: 1 });
		expect(repairs).toEqual([]);
	});

	it("of who puts parts together is repaired: the parts in order have no form", async () => {
		const { value } = await runFormed("decompose_and_route", (_, stage, role) => {
			if (role === "planner") return '{"subtasks":[{"id":"1","task":"x"},{"id":"2","task":"y"}]}';
			return stage === "repair" ? "{}" : stage === "synthesize" ? { unfit: "prose" } : "a part";
		});
		expect(value).toMatchObject({ text: "{}", model: "judge" });
	});

	it("is preferred to a refusal, and is not repaired after the one call that may follow", async () => {
		const { value, engine } = await runFormed("single", (model) => (model === "a" ? REFUSED : { unfit: "prose" }));
		expect(value).toMatchObject({ text: "prose", confidence: 0, instead: "other_form" });
		expect(engine.batches).toHaveLength(2);
	});

	it("is never repaired at more length than the bound's", async () => {
		const long = `${"\u0001 漢".repeat(20_000)}`;
		const { repairs } = await runFormed("single", (_, stage) => (stage === "repair" ? "{}" : { unfit: long }));
		const most = followingQuestions(formed, toPanel(["a", "b", "c"])).at(-1);
		const bytes = (question: Parameters<typeof questionText>[0] | undefined) =>
			jsonStringBytes(question ? questionText(question) : "");
		expect(most).toMatchObject({ stage: "repair", member: ["a", "b", "c", "judge"] });
		expect(bytes(repairs[0])).toBeGreaterThan(0);
		expect(bytes(repairs[0])).toBeLessThanOrEqual(bytes(most));
	});
});
