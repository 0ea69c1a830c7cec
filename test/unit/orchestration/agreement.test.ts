// How answers are compared: by values, by a judge, and by neither where one was cut. A contradiction is never consensus.
import { describe, expect, it } from "vitest";
import type { Comparison, Relation } from "../../../src/orchestration/agreement.ts";
import { compareAnswers } from "../../../src/orchestration/agreement-judge.ts";
import { cascade } from "../../../src/orchestration/cascade.ts";
import { findSignatures } from "../../../src/orchestration/code-signatures.ts";
import { debate } from "../../../src/orchestration/debate.ts";
import { decomposeAndRoute } from "../../../src/orchestration/decompose-and-route.ts";
import { ensembleMoa } from "../../../src/orchestration/ensemble-moa.ts";
import { rankFuse } from "../../../src/orchestration/rank-fuse.ts";
import { toTask } from "../../../src/orchestration/request.ts";
import { selfConsistency } from "../../../src/orchestration/self-consistency.ts";
import type { Answer, Strategy } from "../../../src/orchestration/strategy.ts";
import { type AnswerPair, JUDGES, type JudgeDouble, judgeReply, readPairs } from "../../support/agreement-pairs.ts";
import { comparisonOf, type FakeEngine, fakeEngine, type Reply, task, toPanel } from "../../support/fake-engine.ts";
import { NONCE } from "../../support/nonce.ts";

const SAFE = "Ibuprofen is safe with this medicine for most adults, as far as studies show.";
const UNSAFE = "Ibuprofen is not safe with this medicine for most adults, as far as studies show.";

function answer(text: string, isCut = false): Answer {
	return { ok: true, text, model: text, quality: 0.5, isCut, rate: () => undefined };
}

function judgeCalls({ batches }: FakeEngine): number {
	return batches.flat().filter(({ role }) => role === "judge").length;
}

const verdict = (groups: unknown, contradictions: unknown = []) =>
	JSON.stringify({ reason: "so", groups, contradictions });

describe("the relation of two answers by their values", () => {
	it.each<[string, string, Relation]>([
		["Final answer: 4", "so\nFinal answer: 4.0", "same"],
		["Final answer: 4", "Final answer: 5", "contradicting"],
		["Final answer: B", "The answer is (B).", "same"],
		["Final answer: B", "Final answer: C", "contradicting"],
		["Paris.", "**Paris**", "same"],
		["Paris", "Lyon", "contradicting"],
		["Final answer: 463 km", "Final answer: 463 miles", "unknown"],
		["Obama", "Barack Obama", "unknown"],
		["a*(b + c)", "(a*b) + c", "unknown"],
		["x != 0", "x = 0", "unknown"],
		["[0, 1)", "(0, 1]", "unknown"],
		["2**3", "23", "unknown"],
		["这种蘑菇可以吃", "这种蘑菇不可以吃", "unknown"],
		[SAFE, UNSAFE, "unknown"],
		["```py\ndef area(w, h):\n  return w * h\n```", "```py\ndef area(side):\n  return side\n```", "contradicting"],
	])("%j and %j: %s", (a, b, relation) => {
		const comparison = comparisonOf("any");
		expect([comparison.relation(answer(a), answer(b)), comparison.relation(answer(b), answer(a))]).toEqual([
			relation,
			relation,
		]);
	});

	it("of a cut answer is unknown, whatever the other says", () => {
		const comparison = comparisonOf("any");
		const [whole, cut] = [answer("Final answer: 4"), answer("Final answer: 4", true)];
		expect([comparison.agrees(whole, cut), comparison.isUndecided(whole, cut)]).toEqual([false, false]);
		expect(comparison.agreement([whole, cut])).toBe(0);
		expect(comparison.findCentral([cut, whole])).toBe(whole);
	});

	it("of code counts the parameters of functions by name", () => {
		const code =
			"```ts\nexport function add(a: number, b: number) {}\nconst half = (x) => x;\nfn go(&self, n: u8) {}\npublic int max(int a, int b) {\nif (a) {}\ndef f(self, x=1)\n```";
		expect([...findSignatures(code)]).toEqual([
			["add", 2],
			["go", 1],
			["f", null],
			["half", 1],
			["max", 2],
		]);
		expect(findSignatures("function add(a) in prose").size).toBe(0);
	});
});

describe("a judge of answers", () => {
	const compared = async (
		texts: readonly string[],
		reply: (call: number) => Reply,
		outcome?: (known: Comparison) => unknown,
	) => {
		const answers = texts.map((text) => answer(text));
		const engine = fakeEngine((_, place) => reply(place));
		const comparison = await compareAnswers(task(), toPanel(["a"]), engine, {
			stage: "agree",
			answers,
			comparison: comparisonOf("any"),
			outcome,
		});
		const relation = (a: number, b: number) => comparison.relation(answers[a] ?? answer(""), answers[b] ?? answer(""));
		return { relation, comparison, answers, engine };
	};
	const PROSE = ["one long answer of words", "another long answer of words", "a third long answer of words"];

	it("is not asked where values decide, and not about an answer twice", async () => {
		const { engine } = await compared(["Final answer: 4", "4", "Final answer: 5"], () => verdict([[1]]));
		expect(judgeCalls(engine)).toBe(0);
		const [first = "", second = ""] = PROSE;
		const twice = await compared([first, second, first], () => verdict([[1, 2]]));
		expect([twice.relation(0, 1), twice.relation(1, 2), twice.relation(0, 2)]).toEqual(["same", "same", "same"]);
	});

	it("sorts all answers in one call; what contradicts one of a group contradicts all of it", async () => {
		const { relation, engine, comparison, answers } = await compared(
			[...PROSE, "something else that fits all of it"],
			() => verdict([[1, 3], [2], [4]], [[2, 3]]),
		);
		expect([relation(0, 2), relation(0, 1), relation(1, 2), relation(0, 3)]).toEqual([
			"same",
			"contradicting",
			"contradicting",
			"compatible",
		]);
		expect(judgeCalls(engine)).toBe(1);
		expect(comparison.agreement(answers)).toBeCloseTo(1 / 6);
	});

	it("that lists two of a group as a contradiction found a contradiction", async () => {
		const { relation } = await compared(PROSE, () => verdict([[1, 2, 3]], [[1, 2]]));
		expect([relation(0, 1), relation(0, 2)]).toEqual(["contradicting", "same"]);
	});

	it.each<[string, string]>([
		["numbers as strings", '{"groups": [["1", "2"], ["Answer 3"]], "contradictions": []}'],
		["a sentence with brackets before the JSON", `I read {all} of [them]. ${verdict([[1, 2], [3]])}`],
		[
			"an object around the lists",
			'{"verdict": {"groups": [{"answers": [1, 2]}, {"answers": [3]}], "contradictions": []}}',
		],
		["groups by name", '{"groups": {"first": [1, 2], "second": 3}, "contradictions": []}'],
		["single quotes", "{'reason': 'it's so', 'groups': [[1, 2], [3]], 'contradictions': []}"],
		["commas too many, and comments", '```json\n{"groups": [[1, 2,], [3],], // so\n "contradictions": [],}\n```'],
		["lists in the reason", `By [1] and [3], ${verdict([[1, 2], [3]])}`],
		["a draft before the verdict", `${verdict([[1], [2], [3]], [[1, 2]])}\nNo, rather:\n${verdict([[1, 2], [3]])}`],
	])("is read leniently: %s", async (_, reply) => {
		const { relation, engine } = await compared(PROSE, () => reply);
		expect([relation(0, 1), relation(0, 2)]).toEqual(["same", "compatible"]);
		expect(judgeCalls(engine)).toBe(1);
	});

	it("that lists only groups says nothing of answers in different ones", async () => {
		const { relation } = await compared(PROSE, () => "[[1, 2], [3]]");
		expect([relation(0, 1), relation(0, 2)]).toEqual(["same", "unknown"]);
	});

	it.each([
		"Answers [1, 2] say the same, and [3] does not.",
		"[1, 2]",
		'{"groups": [], "contradictions": []}',
		'{"groups": [1, 2, 3], "contradictions": []}',
		'{"reason": "so", "groups": [[1], [2], [3',
		"Answers 1 and 2 say the same.",
	])("is asked for once more where its verdict is %j", async (reply) => {
		const { relation, engine } = await compared(PROSE, (call) => (call === 0 ? reply : verdict([[1, 2], [3]])));
		expect([relation(0, 1), relation(0, 2), judgeCalls(engine)]).toEqual(["same", "compatible", 2]);
	});

	it("whose verdict cannot be read is asked once more, and then nothing agrees or contradicts", async () => {
		const repaired = await compared(PROSE, (call) => (call === 0 ? "Hard to say." : verdict([[1, 2, 3]])));
		expect([repaired.relation(0, 1), judgeCalls(repaired.engine)]).toEqual(["same", 2]);
		const never = await compared(PROSE, () => "Hard to say.");
		expect([never.relation(0, 1), judgeCalls(never.engine)]).toEqual(["unknown", 2]);
		expect(never.engine.details["agree"]).toEqual({ compared: 3, verdict: "unreadable" });
	});

	it("is asked again in reverse only where its verdict decides, and the more cautious verdict counts", async () => {
		const agrees = (known: Comparison) => known.relation === undefined;
		const idle = await compared(PROSE, () => verdict([[1, 2, 3]]), agrees);
		expect(judgeCalls(idle.engine)).toBe(1);
		const answers = PROSE.slice(0, 2).map((text) => answer(text));
		const engine = fakeEngine((_, place) => (place === 0 ? verdict([[1, 2]]) : verdict([[1], [2]], [[1, 2]])));
		const [one = answer(""), other = answer("")] = answers;
		const comparison = await compareAnswers(task(), toPanel(["a"]), engine, {
			stage: "agree",
			answers,
			comparison: comparisonOf("any"),
			outcome: (known) => known.agrees(one, other),
		});
		expect([comparison.relation(one, other), judgeCalls(engine)]).toEqual(["contradicting", 2]);
		expect(engine.details["agree"]).toEqual({ compared: 2, verdicts: 2, confirmed: false });
	});
});

/** Two members that answer as a pair does, and a third that answers otherwise. */
function engineFor(pair: AnswerPair, judge: JudgeDouble, seed = 0): FakeEngine {
	const texts: Record<string, string> = { a: pair.a, b: pair.b };
	return fakeEngine((question) => {
		if (question.stage.startsWith("agree")) return judgeReply(judge, question, pair, seed);
		return (
			texts[question.member[0]] ?? "I would rather not say anything about any of this, since I do not know enough."
		);
	});
}

describe.each(JUDGES)("over sixty pairs of answers, with a judge that is %s", (judge) => {
	it.each<[string, Strategy, readonly [string, ...string[]]]>([
		["a cascade", cascade, ["a", "b", "top"]],
		["a vote", selfConsistency, ["a", "b"]],
		["a debate", debate, ["a", "b"]],
		["a mixture of agents", ensembleMoa, ["a", "b"]],
		["a ranking", rankFuse, ["a", "b"]],
	])("%s delivers no contradiction as consensus", async (name, strategy, members) => {
		const consensus: AnswerPair[] = [];
		const pairs = readPairs();
		expect(pairs).toHaveLength(60);
		for (const pair of pairs) {
			const engine = engineFor(pair, judge);
			const { kind } = toTask({ messages: [{ role: "user", content: pair.prompt }] }, NONCE).task;
			const asked = task({ prompt: pair.prompt, kind, maxTokens: 1_024 });
			const result = await strategy.run(asked, toPanel(members, 1), engine);
			if (!result.ok) throw new Error(result.failure.reason);
			if (name === "a cascade" ? !result.value.escalated : result.value.agreement === 1) consensus.push(pair);
		}
		const wrongly = consensus.filter((pair) => pair.verdict === "contradicting");
		// Of 30 contradictions, a judge that errs in one call of ten confirms its error for one at most.
		expect(wrongly.length).toBeLessThanOrEqual(judge === "wrong" ? 1 : 0);
		// Pairs that say the same are found, unless nobody says so.
		const found = consensus.filter((pair) => pair.verdict === "same").length;
		expect(found).toBeGreaterThanOrEqual({ right: 21, loose: 21, wrong: 14, swapped: 21, silent: 1 }[judge]);
	});
});

describe("a strategy whose answers were cut or blank", () => {
	const says = (answers: Record<string, Reply>) => fakeEngine(({ member: [id] }) => answers[id] ?? null, { top: 0.9 });

	it("does not stop a cascade on answers that were cut, and prefers a whole one", async () => {
		const cut = { cut: "Final answer: 4" };
		const climbed = await cascade.run(
			task(),
			toPanel(["a", "b", "top"]),
			says({ a: cut, b: cut, top: "Final answer: 5" }),
		);
		expect(climbed).toMatchObject({ ok: true, value: { text: "Final answer: 5", isCut: false, escalated: true } });
		const all = await cascade.run(task(), toPanel(["a", "b", "top"]), says({ a: cut, b: cut, top: cut }));
		expect(all).toMatchObject({ ok: true, value: { isCut: true, agreement: 0 } });
	});

	it("counts no vote of a sample that was cut", async () => {
		const cut = { cut: "Final answer: 4" };
		const result = await selfConsistency.run(
			task(),
			toPanel(["a", "b", "c"]),
			says({ a: cut, b: cut, c: "Final answer: 5" }),
		);
		expect(result).toMatchObject({ ok: true, value: { text: "Final answer: 5", isCut: false } });
	});
});

describe("the agreement of a split task", () => {
	const plan = JSON.stringify({
		subtasks: [
			{ id: "1", task: "first" },
			{ id: "2", task: "second" },
		],
	});
	it.each<[string, Reply, number]>([
		["the share of parts that the synthesis keeps", '{"reason": "so", "kept": [1], "contradicted": []}', 0.5],
		["without those it contradicts", '{"reason": "so", "kept": ["1", "Part 2"], "contradicted": [2]}', 0.5],
		["all of them", '{"kept": [1, 2], "contradicted": []}', 1],
		["those of the one list", "[2]", 0.5],
		["none where the judge is silent", null, 0],
	])("is %s", async (_, reply, agreement) => {
		const engine = fakeEngine(({ role, stage }) =>
			role === "planner" ? plan : stage === "agree" ? reply : "a part or the whole of it, in some words",
		);
		const result = await decomposeAndRoute.run(task(), toPanel(["a"]), engine);
		expect(result).toMatchObject({ ok: true, value: { agreement } });
	});

	it("is asked for again where several lists are no verdict, and its absence is told", async () => {
		const says = (verdicts: readonly string[]) =>
			fakeEngine(({ role, stage, asksFor }) => {
				if (stage === "agree") return (asksFor === "repair" ? verdicts[1] : verdicts[0]) ?? null;
				return role === "planner" ? plan : "a part or the whole of it, in some words";
			});
		const lists = "Kept: [1, 2]. Contradicted: [2].";
		const repaired = says([lists, '{"kept": [1, 2], "contradicted": [2]}']);
		expect(await decomposeAndRoute.run(task(), toPanel(["a"]), repaired)).toMatchObject({ value: { agreement: 0.5 } });
		const never = says([lists, "I can't."]);
		await decomposeAndRoute.run(task(), toPanel(["a"]), never);
		expect(never.details["agree"]).toEqual({ parts: 2, verdict: "unreadable" });
	});
});
