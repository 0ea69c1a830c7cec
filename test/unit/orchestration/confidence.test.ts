// What a confidence may be at most, and what it says that it rests on.
import { describe, expect, it } from "vitest";
import type { ConfidenceBasis } from "../../../src/inference/confidence-basis.ts";
import { cascadeBar } from "../../../src/orchestration/cascade.ts";
import { HARD, openMost, supportFor, withVerdict } from "../../../src/orchestration/confidence.ts";
import { runStrategy } from "../../../src/orchestration/continuation.ts";
import { toTask } from "../../../src/orchestration/request.ts";
import { STRATEGIES, STRATEGY, type StrategyName } from "../../../src/orchestration/strategies.ts";
import type { Question, StrategyResult } from "../../../src/orchestration/strategy.ts";
import { comparisonOf, fakeEngine, type Reply, task, toPanel } from "../../support/fake-engine.ts";
import { NONCE } from "../../support/nonce.ts";

const SURE = 0.97;

function voice(text: string, quality = SURE) {
	return { text, quality, isCut: false };
}

const PROSE = voice("Tides follow the moon, since its pull is stronger on the side that faces it.");

function loneConfidence(kind: "number" | "choice" | "any" | "none", difficulty: number, text = PROSE.text): number {
	const answer = voice(text);
	return supportFor(answer, [answer], comparisonOf(kind, difficulty)).confidence;
}

describe("a lone answer", () => {
	it.each(["any", "none"] as const)("of the kind %s has at most 0.8 where easy and 0.6 where hard", (kind) => {
		const most = [1, 1.25, 1.5, HARD, 2.5, 3].map((difficulty) => loneConfidence(kind, difficulty));
		expect(most.map((share) => share.toFixed(3))).toEqual(["0.800", "0.750", "0.700", "0.600", "0.600", "0.600"]);
	});

	it("of a kind that was recorded has what is expected of its model", () => {
		expect([loneConfidence("number", 1, "4"), loneConfidence("choice", 3, "B")]).toEqual([SURE, SURE]);
	});

	it("never has more than is expected of its model", () => {
		const weak = voice(PROSE.text, 0.3);
		expect(supportFor(weak, [weak], comparisonOf("none")).confidence).toBeCloseTo(0.3, 9);
	});
});

describe("votes", () => {
	const votes = (...answers: string[]) => answers.map((answer) => voice(`Final answer: ${answer}`));
	const rated = (...answers: string[]) => {
		const [first, ...rest] = votes(...answers);
		if (!first) throw new Error("nobody voted");
		return supportFor(first, [first, ...rest], comparisonOf("number")).confidence;
	};

	it("of three to two are no surer than three fifths, however good the models are", () => {
		expect(rated("4", "4", "4", "5", "5")).toBeCloseTo(0.6, 9);
		expect(rated("4", "4", "4", "4", "5")).toBeCloseTo(0.8, 9);
		expect(rated("4", "4", "4", "4", "4")).toBe(SURE);
	});

	it("that all differ leave each its share", () => {
		expect(rated("4", "5", "6")).toBeCloseTo(1 / 3, 9);
		expect(rated("4", "5")).toBeCloseTo(0.5, 9);
	});

	it("of a strong model count more than those of weak ones", () => {
		const [strong, ...weak] = [
			voice("Final answer: 4", 0.9),
			voice("Final answer: 5", 0.4),
			voice("Final answer: 6", 0.4),
		];
		expect(supportFor(strong, [strong, ...weak], comparisonOf("number")).confidence).toBeGreaterThan(0.7);
	});

	it("raise an open answer by a tenth at most", () => {
		const [one, other] = [voice(PROSE.text), voice(PROSE.text)];
		const easy = supportFor(one, [one, other], comparisonOf("none", 1));
		const hard = supportFor(one, [one, other], comparisonOf("none", HARD));
		expect([easy.confidence, hard.confidence].map((share) => share.toFixed(3))).toEqual(["0.900", "0.700"]);
		const judged = withVerdict(easy, 1, comparisonOf("none", 1));
		expect(judged).toEqual({ confidence: openMost(1, "supported"), confidenceBasis: "judge" });
	});
});

describe("an answer that says it does not know", () => {
	it.each([
		"I don't know what you had for breakfast.",
		"There is no way for me to know that, but many people eat bread.",
		"The Riemann hypothesis is an open problem; no proof is known.",
		"Nobody can know what bitcoin will cost in 2031.",
		"Das weiß ich nicht. Es lässt sich nicht vorhersagen.",
		"Je ne sais pas ; personne ne peut savoir cela.",
		"No lo sé: nadie sabe qué pasará.",
		"Гипотеза Римана до сих пор не доказана.",
		"黎曼猜想尚未被证明。",
		"それは誰にもわかりません。",
	])("%j has little confidence, by its own word", (text) => {
		for (const panel of [[voice(text)], [voice(text), voice(text), voice(text)]] as const) {
			const [first] = panel;
			const rating = supportFor(first, panel, comparisonOf("none"));
			expect(rating.confidence).toBeLessThanOrEqual(0.3);
			expect(rating.confidenceBasis).toBe("self_report");
			expect(withVerdict(rating, 1, comparisonOf("none"))).toEqual(rating);
		}
	});

	it("is lowered where a number was asked for, too, and not where it is a choice", () => {
		const [guess, choice] = [
			voice("Nobody knows for sure. Final answer: 7"),
			voice("It cannot be determined. Final answer: D"),
		];
		const rated = [
			supportFor(guess, [guess], comparisonOf("number")),
			supportFor(choice, [choice], comparisonOf("choice")),
		];
		expect(rated).toEqual([
			{ confidence: 0.3, confidenceBasis: "self_report" },
			{ confidence: expect.closeTo(SURE, 9), confidenceBasis: "prior" },
		]);
	});

	it.each([
		"I know the answer: it is Paris.",
		"Non sono un avvocato, ma la cauzione va restituita.",
		"The unknown soldier lies under the Arc de Triomphe.",
		`${"The sea is deep. ".repeat(40)}What lies below is not known. ${"The sea is deep. ".repeat(40)}`,
	])("is not %j", (text) => {
		const answer = voice(text);
		expect(supportFor(answer, [answer], comparisonOf("none")).confidenceBasis).toBe("prior");
	});
});

describe("a prompt that asks for a proof", () => {
	it.each([
		"Prove the Riemann hypothesis",
		"Is P equal to NP? Prove it.",
		"Beweise die Riemannsche Vermutung.",
		"Démontre l'hypothèse de Riemann.",
		"Докажи гипотезу Римана.",
		"リーマン予想を証明して",
		"Show that every even number above 2 is the sum of two primes.",
	])("%j is hard, so that a lone answer has 0.6 at most", (content) => {
		const { task: asked } = toTask({ messages: [{ role: "user", content }] }, NONCE);
		expect(asked.kind).toBe("none");
		expect([asked.difficulty >= HARD, asked.needsText]).toEqual([true, true]);
	});

	it.each(["What is the capital of France?", "hey", "Explain how photosynthesis works."])("%j is not", (content) => {
		expect(toTask({ messages: [{ role: "user", content }] }, NONCE).task.difficulty).toBeLessThan(HARD);
	});

	it.each(STRATEGIES)("and gets a number has little confidence under %s, though all agree", async (name) => {
		const hard = task({ kind: "none", difficulty: HARD, needsText: true, prompt: "Prove it." });
		const engine = fakeEngine(({ json, stage }) => (json ? jsonReply(stage) : "42"), qualities());
		const result = await runStrategy(STRATEGY[name], hard, toPanel(["a", "b", "c"]), engine);
		expect(result.ok && result.value.text).toBe("42");
		expect(result.ok ? result.value.confidence : 1).toBeLessThanOrEqual(0.3);
	});
});

function qualities(): Record<string, number> {
	return { a: SURE, b: SURE, c: SURE, judge: SURE };
}

/** A judge that finds all the same, prefers nothing, and splits nothing. */
function jsonReply(stage: string): Reply {
	if (stage.startsWith("agree")) return '{"groups": [[1, 2, 3]], "contradictions": []}';
	if (stage === "rank") return '{"reason": "equal", "winner": "1"}';
	return "no plan";
}

async function ratedBy(name: StrategyName, reply: (question: Question) => Reply): Promise<StrategyResult> {
	const panel = { ...toPanel(["a", "b", "c"]), bar: cascadeBar(SURE, false) };
	const result = await runStrategy(STRATEGY[name], task({ kind: "number" }), panel, fakeEngine(reply, qualities()));
	if (!result.ok) throw new Error(JSON.stringify(result.failure));
	return result.value;
}

describe("the basis of a confidence", () => {
	const same = ({ json, stage }: Question) => (json ? jsonReply(stage) : "Final answer: 4");
	/** Members say the same in other words, so that panels do not end at identical proposals. */
	const differently = ({ json, stage, member: [model] }: Question) =>
		json ? jsonReply(stage) : `By the rule of ${model}.\nFinal answer: 4`;

	it.each<[StrategyName, ConfidenceBasis]>([
		["single", "prior"],
		["cascade", "agreement"],
		["self_consistency", "agreement"],
		["ensemble_moa", "agreement"],
		["debate", "agreement"],
		["rank_fuse", "judge"],
		["decompose_and_route", "prior"],
	])("of %s is %s", async (name, basis) => {
		expect((await ratedBy(name, differently)).confidenceBasis).toBe(basis);
	});

	it("of identical proposals is agreement, since nobody judged them", async () => {
		expect((await ratedBy("rank_fuse", same)).confidenceBasis).toBe("agreement");
	});

	it("of a panel of which one member alone answered is prior", async () => {
		const { confidenceBasis } = await ratedBy("self_consistency", ({ member: [model], json }) =>
			model === "a" && !json ? "Final answer: 4" : null,
		);
		expect(confidenceBasis).toBe("prior");
	});

	it.each(STRATEGIES)("of %s whose models all refuse is their own word, and the confidence is 0", async (name) => {
		const value = await ratedBy(name, () => ({ refused: "I can't help with that." }));
		expect(value).toMatchObject({ confidence: 0, confidenceBasis: "self_report", instead: "refusal" });
	});

	it("of a reply in JSON in the trace is verified: its form was checked", async () => {
		const engine = fakeEngine(differently, qualities());
		await runStrategy(STRATEGY.rank_fuse, task({ kind: "number" }), toPanel(["a", "b", "c"]), engine);
		expect([engine.bases.get("rank judge"), engine.bases.get("fuse judge")]).toEqual(["verified", "judge"]);
	});
});
