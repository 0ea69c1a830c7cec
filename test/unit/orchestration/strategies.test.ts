// Strategies on a fake engine: what they ask, when they stop, what they conclude; and that none asks more than its call graph says.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonStringBytes } from "../../../src/inference/answer-placeholder.ts";
import { cascade } from "../../../src/orchestration/cascade.ts";
import { debate } from "../../../src/orchestration/debate.ts";
import { decomposeAndRoute } from "../../../src/orchestration/decompose-and-route.ts";
import { ensembleMoa } from "../../../src/orchestration/ensemble-moa.ts";
import { planStrategy, shrinkPlan } from "../../../src/orchestration/planner.ts";
import { pairsToCompare, rankFuse } from "../../../src/orchestration/rank-fuse.ts";
import { toTask } from "../../../src/orchestration/request.ts";
import { selfConsistency } from "../../../src/orchestration/self-consistency.ts";
import { STRATEGIES, STRATEGY } from "../../../src/orchestration/strategies.ts";
import type {
	EffortPolicy,
	Engine,
	Panel,
	Question,
	Strategy,
	StrategyResult,
	Task,
} from "../../../src/orchestration/strategy.ts";
import { POLICIES } from "../../../src/orchestration/strategy.ts";
import { MAX_SUBTASKS } from "../../../src/orchestration/subtask-plan.ts";
import {
	FAILED,
	type FakeEngine,
	fakeEngine,
	questionText,
	type Reply,
	task,
	toPanel,
} from "../../support/fake-engine.ts";
import { NONCE } from "../../support/nonce.ts";

async function concluded(strategy: Strategy, engine: Engine, cast: Panel, of: Task = task()): Promise<StrategyResult> {
	const result = await strategy.run(of, cast, engine);
	if (!result.ok) throw new Error(JSON.stringify(result.failure));
	return result.value;
}

function askedIn({ batches }: FakeEngine, stage: string): readonly Question[] {
	return batches.flat().filter((question) => question.stage === stage);
}

const subtasks = fc.array(
	fc.record({
		id: fc.constantFrom("1", "2", "3", 4),
		task: fc.string({ minLength: 1, maxLength: 3_000 }),
		depends_on: fc.array(fc.constantFrom("1", "2", 9), { maxLength: 2 }),
	}),
	{ maxLength: 2 * MAX_SUBTASKS + 1 },
);
/** What no other member says. */
const inSomeWords = ({ stage, member: [id] }: Question) => `${stage} in some words of ${id}`;

/** Whatever a model may say: nothing, prose, quotes and controls, JSON of every kind, a final answer, silence. */
const reply: fc.Arbitrary<Reply> = fc.oneof(
	{ weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 500 }) },
	{
		weight: 2,
		arbitrary: fc.constantFrom(
			"Final answer: 4",
			"Final answer: five",
			"4",
			"\n".repeat(400),
			'"'.repeat(400),
			"漢".repeat(200),
		),
	},
	{
		weight: 2,
		arbitrary: fc.constantFrom(
			'{"winner": 1}',
			'{"winner": 2}',
			'{"winner": "tie"}',
			"{",
			'```json\n{"winner":1}\n```',
			'{"winner": 3}',
		),
	},
	{ weight: 2, arbitrary: subtasks.map((list) => JSON.stringify({ subtasks: list })) },
	{
		weight: 3,
		arbitrary: fc.constantFrom(
			'{"reason": "so", "groups": [[1, 2]], "contradictions": []}',
			'{"groups": [["1"], ["2", 3]], "contradictions": [[1, 9]]}',
			'{"kept": [1], "contradicted": [2]}',
		),
	},
	{ weight: 1, arbitrary: fc.string({ maxLength: 50 }).map((text) => ({ cut: text })) },
	{ weight: 1, arbitrary: fc.constant(null) },
	{ weight: 1, arbitrary: fc.constant({ broke: true as const }) },
);

function sizeOf(question: Question): number {
	return question.messages.reduce(
		(sum, { content }) =>
			sum + content.reduce((all, part) => all + (part.type === "text" ? jsonStringBytes(part.text) : 0), 20),
		0,
	);
}

/** Sizes by stage and role, largest first. */
function sizesOf(questions: readonly Question[]): Map<string, number[]> {
	const sizes = new Map<string, number[]>();
	for (const question of questions) {
		const place = `${question.stage} ${question.role}`;
		sizes.set(place, [...(sizes.get(place) ?? []), sizeOf(question)]);
	}
	for (const list of sizes.values()) list.sort((a, b) => b - a);
	return sizes;
}

/** Each question has one of its place in the call graph for itself that is as long, and asks one of its members. */
function expectWithin(asked: readonly Question[], graph: readonly Question[]): void {
	const bounds = sizesOf(graph);
	for (const [place, sizes] of sizesOf(asked)) {
		const most = bounds.get(place) ?? [];
		expect(sizes.length, place).toBeLessThanOrEqual(most.length);
		for (const [at, size] of sizes.entries()) expect(size, place).toBeLessThanOrEqual(most[at] ?? 0);
	}
	const members = new Set(graph.flatMap(({ member }) => [...member]));
	expect(asked.filter(({ member: [id] }) => !members.has(id))).toEqual([]);
}

describe.each(STRATEGIES)("%s", (name) => {
	const strategy = STRATEGY[name];

	it("never asks more, or more at length, than its call graph says", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 8 }),
				fc.array(reply, { minLength: 1, maxLength: 40 }),
				async (width, replies) => {
					const ids = Array.from({ length: width - 1 }, (_, at) => `m${at + 1}`);
					const bar = { confidence: 0.6, isSingleEnough: width % 2 === 0 };
					const cast = { ...toPanel(["m0", ...ids], 3), ...(width > 4 ? {} : { bar }) };
					const engine = fakeEngine((_, place) => replies[place % replies.length] ?? null);
					const result = await strategy.run(task(), cast, engine);
					expectWithin(engine.batches.flat(), strategy.callGraph(task(), cast));
					const { confidence, agreement } = result.ok ? result.value : { confidence: 0, agreement: 0 };
					expect([confidence, agreement].every((share) => share >= 0 && share <= 1)).toBe(true);
				},
			),
			{ numRuns: 150 },
		);
	});

	it("fails when nobody answers, with every attempt named", async () => {
		const result = await strategy.run(
			task(),
			toPanel(["a", "b", "c"]),
			fakeEngine(() => null),
		);
		expect(result).toMatchObject({
			ok: false,
			failure: {
				reason: "all_models_failed",
				attempts: expect.arrayContaining(FAILED.reason === "all_models_failed" ? FAILED.attempts : []),
			},
		});
	});

	it("answers while anybody does", async () => {
		const engine = fakeEngine(({ member: [id] }) => (id === "b" ? "Final answer: 7" : null));
		expect(
			(
				await concluded(
					strategy,
					engine,
					toPanel(name === "single" ? ["b"] : name === "decompose_and_route" ? ["b", "c"] : ["a", "b", "c"]),
				)
			).text,
		).toContain("7");
	});
});

describe.each(STRATEGIES)("max_tokens of %s", (name) => {
	it.each([
		[16, { verdict: 64, plan: 256 }],
		[300, { verdict: 300, plan: 300 }],
		[8_192, { verdict: 512, plan: 1_024 }],
	])("of %i bounds every call, with as much as a verdict or a plan must say", (maxTokens, { verdict, plan }) => {
		for (const question of STRATEGY[name].callGraph(task({ maxTokens, kind: "none" }), toPanel(["a", "b", "c"]))) {
			const most = question.json ? { judge: verdict, planner: plan }[question.role] : maxTokens;
			expect([question.stage, question.role, question.maxTokens]).toEqual([question.stage, question.role, most]);
		}
	});
});

describe("a cascade", () => {
	const cast = toPanel(["a", "b", "mid", "top"]);
	const says = (answers: Record<string, Reply>) =>
		fakeEngine(({ member: [id] }) => answers[id] ?? null, { a: 0.3, b: 0.4, mid: 0.6, top: 0.9 });

	it("stops where two agree", async () => {
		const engine = says({ a: "Final answer: 4", b: "It is 4.\nFinal answer: 4.0", top: "Final answer: 5" });
		expect(await concluded(cascade, engine, cast)).toMatchObject({ model: "b", escalated: false, agreement: 1 });
		expect(engine.batches).toHaveLength(1);
	});

	it("takes two of three, and asks the top only when none agree", async () => {
		const two = says({ a: "Final answer: 4", b: "Final answer: 5", mid: "Final answer: 4", top: "Final answer: 9" });
		expect(await concluded(cascade, two, cast)).toMatchObject({ model: "mid", escalated: true });
		expect(askedIn(two, "step:2")).toEqual([]);
		const none = says({ a: "Final answer: 4", b: "Final answer: 5", mid: "Final answer: 6", top: "Final answer: 9" });
		expect(await concluded(cascade, none, cast)).toMatchObject({ model: "top", text: "Final answer: 9", agreement: 0 });
		expect(none.details["step:0"]).toMatchObject({
			stopped_by: "the last step",
			escalations: [{ step: 0 }, { step: 1 }, { step: 2 }],
		});
	});

	it("that cannot pay for its next step concludes from what it has", async () => {
		const engine = says({ a: "Final answer: 4", b: "Final answer: 5", mid: { broke: true } });
		expect(await concluded(cascade, engine, cast)).toMatchObject({ model: "b", escalated: false });
		expect(engine.details["step:0"]).toMatchObject({ stopped_by: "budget" });
	});

	describe("with a confidence bar", () => {
		const bar = (confidence: number, isSingleEnough: boolean) => ({ ...cast, bar: { confidence, isSingleEnough } });
		const pair = { a: "Final answer: 4", b: "Final answer: 4", mid: "Final answer: 4", top: "Final answer: 4" };

		it("climbs while the models that agree are too weak, and stops when it is sure enough", async () => {
			const engine = says(pair);
			expect(await concluded(cascade, engine, bar(0.65, false))).toMatchObject({ model: "mid", escalated: true });
			expect(engine.batches.map((batch) => batch.length)).toEqual([2, 1]);
			expect(engine.details["step:0"]).toMatchObject({ stopped_by: "agreement" });
			const top = says(pair);
			expect(await concluded(cascade, top, bar(0.97, false))).toMatchObject({ model: "top", agreement: 1 });
			expect(top.batches).toHaveLength(3);
		});

		it("takes two that agree against a stronger one only if they are sure enough", async () => {
			const split = says({
				a: "Final answer: 4",
				b: "Final answer: 4",
				mid: "Final answer: 5",
				top: "Final answer: 5",
			});
			const concludedAt = await concluded(cascade, split, bar(0.7, false));
			expect(concludedAt).toMatchObject({ model: "top", escalated: true });
		});

		it("takes a single answer that clears it, where that is enough, and asks one model a step", async () => {
			const engine = says(pair);
			expect(await concluded(cascade, engine, bar(0.25, true))).toMatchObject({
				model: "a",
				escalated: false,
				confidence: 0.3,
				agreement: 1,
			});
			expect(engine.batches.map((batch) => batch.length)).toEqual([1]);
			expect(engine.details["step:0"]).toMatchObject({ stopped_by: "confidence" });
			const dear = says({ ...pair, b: "Final answer: 5", mid: "Final answer: 6", top: "Final answer: 7" });
			expect(await concluded(cascade, dear, bar(0.35, true))).toMatchObject({ model: "top", text: "Final answer: 7" });
			expect(dear.batches.map((batch) => batch.length)).toEqual([1, 1, 1, 1]);
		});

		it("takes no single answer that was cut or that another one contradicts", async () => {
			const cut = says({ ...pair, a: { cut: "Final answer: 4" } });
			expect(await concluded(cascade, cut, bar(0.1, true))).toMatchObject({ model: "mid" });
			const contradicted = says({
				...pair,
				a: null,
				b: "Final answer: 5",
				mid: "Final answer: 6",
				top: "Final answer: 7",
			});
			expect(await concluded(cascade, contradicted, bar(0.45, true))).toMatchObject({ model: "top" });
		});

		it("asks no judge about a single answer", async () => {
			const prose = says({ a: "The river is long and wide, and boats go up and down it all the year round." });
			await concluded(cascade, prose, bar(0.25, true));
			expect(prose.batches.flat().map(({ stage }) => stage)).toEqual(["step:0"]);
		});
	});

	it("is surer of an answer that another model gives than of one that the others contradict", async () => {
		const agreed = says({ a: "Final answer: 9", b: "Final answer: 5", mid: "Final answer: 6", top: "Final answer: 9" });
		const lone = says({ a: "Final answer: 4", b: "Final answer: 5", mid: "Final answer: 6", top: "Final answer: 9" });
		const [supported, contradicted] = [await concluded(cascade, agreed, cast), await concluded(cascade, lone, cast)];
		expect([supported.model, contradicted.model]).toEqual(["top", "top"]);
		expect(supported.confidence).toBeGreaterThan(contradicted.confidence);
		expect(contradicted.confidence).toBeLessThan(0.9);
	});
});

describe("a mixture of agents", () => {
	it("shows every proposal to the aggregator, whose answer it is", async () => {
		const engine = fakeEngine(({ member: [id] }) => `says ${id}`);
		expect(await concluded(ensembleMoa, engine, toPanel(["a", "b", "c"]))).toMatchObject({
			text: "says judge",
			model: "judge",
		});
		const [question] = askedIn(engine, "aggregate");
		for (const id of ["a", "b", "c"]) expect(question && questionText(question)).toContain(`says ${id}`);
	});

	it("takes the proposal that most others say the same as where the aggregator fails", async () => {
		const texts: Record<string, string> = {
			a: "The river is long and wide, and boats go up and down it all the year round.",
			b: "The river is long and wide, and ships go up and down it in summer and in autumn.",
			c: "Nobody who has been there has said anything of note about what one would see today.",
		};
		const engine = fakeEngine((question) => {
			if (question.stage !== "agree") return texts[question.member[0]] ?? null;
			const ids = [...questionText(question).matchAll(/(The river[^\n]*boats|The river[^\n]*ships|Nobody)/g)].map(
				([text]) => text,
			);
			const rivers = ids.flatMap((text, at) => (text === "Nobody" ? [] : [at + 1]));
			return JSON.stringify({ groups: [rivers, [ids.indexOf("Nobody") + 1]], contradictions: [] });
		});
		expect(await concluded(ensembleMoa, engine, toPanel(["c", "a", "b"]))).toMatchObject({ model: "a" });
		expect(askedIn(engine, "agree")).toHaveLength(2);
	});
});

describe("a mixture of agents in two layers", () => {
	/** Members answer in words of their own, and the judge finds that all say the same. */
	const layered = (reply: (question: Question) => Reply) =>
		fakeEngine((question) =>
			question.stage === "agree" ? '{"reason": "so", "groups": [[1, 2, 3]], "contradictions": []}' : reply(question),
		);
	const saysStage = ({ stage, member: [id] }: Question) => `${stage} in the words of ${id}`;

	it("shows every proposal to every member, and their second answers to the aggregator", async () => {
		const engine = layered(saysStage);
		expect(await concluded(ensembleMoa, engine, toPanel(["a", "b"], 2))).toMatchObject({ model: "judge" });
		expect(engine.batches.map((batch) => batch.map(({ stage }) => stage))).toEqual([
			["propose", "propose"],
			["propose:1", "propose:1"],
			["aggregate"],
			// That the proposals say the same is asked again in reverse.
			["agree"],
			["agree"],
		]);
		for (const question of askedIn(engine, "propose:1"))
			expect(questionText(question)).toMatch(/propose in the words of a[\s\S]*propose in the words of b/);
		const merged = askedIn(engine, "aggregate").map(questionText)[0];
		expect(merged).toMatch(/propose:1 in the words of a[\s\S]*propose:1 in the words of b/);
		expect(merged).not.toContain("propose in the words");
		expect(engine.details["propose:1"]).toEqual({ proposals: 2, kept: 0 });
	});

	it("compares the answer with the proposals that nobody had seen", async () => {
		const engine = layered(saysStage);
		await concluded(ensembleMoa, engine, toPanel(["a", "b"], 2));
		const compared = askedIn(engine, "agree").map(questionText)[0];
		expect(compared).toMatch(/propose in the words of a[\s\S]*propose in the words of b[\s\S]*aggregate in the words/);
		expect(compared).not.toContain("propose:1");
	});

	it.each<[string, Reply]>([
		["fails", null],
		["is not covered by the bound", { broke: true }],
		["is cut", { cut: "propose:1 in the wo" }],
	])("keeps the first answer of a member whose second one %s", async (_, second) => {
		const engine = layered((question) =>
			question.stage === "propose:1" && question.member[0] === "b" ? second : saysStage(question),
		);
		await concluded(ensembleMoa, engine, toPanel(["a", "b"], 2));
		expect(askedIn(engine, "aggregate").map(questionText)[0]).toMatch(
			/propose:1 in the words of a[\s\S]*propose in the words of b/,
		);
		expect(engine.details["propose:1"]).toEqual({ proposals: 1, kept: 1 });
	});

	it("is one of depth, and becomes one layer before it loses members", () => {
		const { signals } = toTask({ messages: [{ role: "user", content: "Why?" }] }, NONCE);
		const planned = (policy: EffortPolicy) =>
			planStrategy({ policy, strategy: "ensemble_moa", k: null }, "Why?", signals);
		expect(POLICIES.map((policy) => planned(policy).rounds)).toEqual([1, 1, 2]);
		const [, , oneLayer, fewer] = shrinkPlan(planned("depth"));
		expect([oneLayer, fewer]).toMatchObject([
			{ strategy: "ensemble_moa", width: 4, rounds: 1, change: "1 of 2 rounds" },
			{ strategy: "ensemble_moa", width: 3, rounds: 1 },
		]);
	});

	it("asks nobody again where one proposal is all there is", async () => {
		const engine = layered((question) => (question.member[0] === "a" ? saysStage(question) : null));
		expect(await concluded(ensembleMoa, engine, toPanel(["a", "b"], 2))).toMatchObject({ model: "a" });
		expect(engine.batches).toHaveLength(1);
	});
});

describe.each([
	["a mixture of agents", ensembleMoa, "aggregate"],
	["rank and fuse", rankFuse, "fuse"],
] as const)("%s whose merged answer contradicts a unanimous panel", (_, strategy, last) => {
	const engineFor = (answers: Record<string, string>, merged: string) =>
		fakeEngine(({ stage, member: [id] }) => {
			if (stage === last) return merged;
			return stage === "rank" ? '{"reason": "so", "winner": "tie"}' : (answers[id] ?? null);
		});

	it("delivers an answer of the panel", async () => {
		const engine = engineFor({ a: "Final answer: 4", b: "4", c: "So 4.\nFinal answer: 4" }, "Final answer: 5");
		const result = await concluded(strategy, engine, toPanel(["a", "b", "c"], 1));
		expect(result.text).toContain("4");
		expect(engine.details[last]).toMatchObject({ how: expect.stringContaining("contradicted all of them") });
		const agreed = await concluded(
			strategy,
			engineFor({ a: "Final answer: 4", b: "4", c: "So 4.\nFinal answer: 4" }, "Final answer: 4"),
			toPanel(["a", "b", "c"], 1),
		);
		expect(result.confidence).toBeLessThan(agreed.confidence);
	});

	it("delivers the merged answer where the panel is divided", async () => {
		const engine = engineFor({ a: "Final answer: 4", b: "Final answer: 4", c: "Final answer: 6" }, "Final answer: 5");
		expect(await concluded(strategy, engine, toPanel(["a", "b", "c"], 1))).toMatchObject({ text: "Final answer: 5" });
	});
});

describe.each([
	["a mixture of agents", ensembleMoa],
	["rank and fuse", rankFuse],
] as const)("%s whose proposals are identical", (_, strategy) => {
	const panel = toPanel(["a", "b", "c"], 2);
	it("ends with them: nothing is merged, ranked or judged", async () => {
		const engine = fakeEngine(() => "Hello! How can I help?\n");
		const result = await concluded(strategy, engine, panel);
		expect(result).toMatchObject({ text: "Hello! How can I help?\n", agreement: 1, isCut: false });
		expect(engine.batches).toHaveLength(1);
		expect(engine.details["propose"]).toMatchObject({ proposals: 3, identical: true });
	});

	it("goes on where one differs, was cut, or is alone", async () => {
		const asked = async (say: (question: Question) => Reply) => {
			const engine = fakeEngine(say);
			await concluded(strategy, engine, panel);
			return engine.batches.length;
		};
		const other = ({ member: [id] }: Question) => (id === "c" ? "Good day." : "Hello!");
		expect(await asked(other)).toBeGreaterThan(1);
		expect(await asked(() => ({ cut: "Hello! How" }))).toBeGreaterThan(1);
	});
});

describe("rank and fuse", () => {
	/** A judge that prefers what stands in the alphabet first, or a position. */
	const judging = (prefers: "first" | "alphabet" | "nonsense") =>
		fakeEngine((question) => {
			if (question.stage === "propose") return `answer ${question.member[0]}`;
			if (question.stage === "fuse") return "fused";
			if (prefers === "nonsense") return "I like both.";
			const [one = "", two = ""] = [...questionText(question).matchAll(/answer (\w)\n/g)].map(([, id]) => id);
			return JSON.stringify({ winner: prefers === "first" || one < two ? 1 : 2 });
		});

	it("asks about each pair twice, with positions swapped", async () => {
		const engine = judging("alphabet");
		await concluded(rankFuse, engine, toPanel(["c", "a", "b"]));
		const pairs = askedIn(engine, "rank").map((question) =>
			[...questionText(question).matchAll(/answer (\w)\n/g)].map(([, id]) => id).join(""),
		);
		expect(pairs.toSorted()).toEqual(["ab", "ac", "ba", "bc", "ca", "cb"]);
		expect(engine.details["rank"]).toMatchObject({
			rankings: [
				{ model: "a", win_share: 1 },
				{ model: "b", win_share: 0.5 },
				{ model: "c", win_share: 0 },
			],
			contradictions: 0,
		});
	});

	it("takes a judge who prefers a position for one who has no preference", async () => {
		const engine = judging("first");
		await concluded(rankFuse, engine, toPanel(["a", "b"]));
		expect(engine.details["rank"]).toMatchObject({
			rankings: [{ win_share: 0.5 }, { win_share: 0.5 }],
			contradictions: 1,
		});
	});

	it.each([
		'{"winner":"1"}',
		'{"winner": 1.0}',
		'{"reason": "so", "winner": "Answer 1"}',
		'{"reason": "so", "winner": "**1**."}',
		'Both {are} good. {"verdict": {"winner": 1}}',
		'{"winner": {"answer": 1}}',
		'[{"winner": "1"}]',
		'{"reason": "a quote: \\"}{\\"", "winner": "first"}',
	])("reads a verdict leniently: %s", async (verdict) => {
		const engine = fakeEngine((question) => (question.stage === "rank" ? verdict : inSomeWords(question)));
		await concluded(rankFuse, engine, toPanel(["a", "b"]));
		expect(engine.details["rank"]).toMatchObject({ unreadable: 0, contradictions: 1 });
		expect(askedIn(engine, "rank")).toHaveLength(2);
	});

	it("repairs a verdict once and then goes on without it", async () => {
		const engine = judging("nonsense");
		expect((await concluded(rankFuse, engine, toPanel(["a", "b"]))).text).toBe("fused");
		expect(askedIn(engine, "rank")).toHaveLength(4);
		expect(engine.details["rank"]).toMatchObject({ unreadable: 2 });
		expect(engine.rated.get("rank judge")).toBe(0);
	});

	it.each(["tie", "both", "Neither.", "equal", null])("reads %j as a tie", async (winner) => {
		const engine = fakeEngine((question) =>
			question.stage === "rank" ? JSON.stringify({ winner }) : inSomeWords(question),
		);
		await concluded(rankFuse, engine, toPanel(["a", "b"]));
		expect(engine.details["rank"]).toMatchObject({
			unreadable: 0,
			contradictions: 0,
			rankings: [{ win_share: 0.5 }, {}],
		});
	});

	it("has the form itself, which names both, for no verdict", async () => {
		const engine = fakeEngine((question) =>
			question.stage === "rank" ? '{"winner": "1 or 2"}' : inSomeWords(question),
		);
		await concluded(rankFuse, engine, toPanel(["a", "b"]));
		expect(engine.details["rank"]).toMatchObject({ unreadable: 2 });
	});

	it("takes one verdict that was not confirmed in the other order for a tie", async () => {
		let judged = 0;
		const engine = fakeEngine((question) => {
			if (question.stage !== "rank") return inSomeWords(question);
			return question.asksFor !== "repair" && judged++ === 0 ? '{"winner": 1}' : "Hard to say.";
		});
		await concluded(rankFuse, engine, toPanel(["a", "b"]));
		expect(engine.details["rank"]).toMatchObject({ unreadable: 1, rankings: [{ win_share: 0.5 }, { win_share: 0.5 }] });
	});

	it("asks a silent judge once more, its fallback first, and then goes on without it", async () => {
		const asked = async (replies: readonly Reply[]) => {
			let judged = 0;
			const engine = fakeEngine((question) =>
				question.stage === "rank" ? (replies[judged++] ?? null) : inSomeWords(question),
			);
			const cast: Panel = { ...toPanel(["a", "b"]), judge: ["judge", "other"] };
			await concluded(rankFuse, engine, cast);
			return engine;
		};
		const verdict = (winner: number) => JSON.stringify({ reason: "so", winner });
		const again = await asked([verdict(1), null, verdict(2)]);
		expect(askedIn(again, "rank").map(({ member }) => member)).toEqual([
			["judge", "other"],
			["judge", "other"],
			["other", "judge"],
		]);
		expect(again.details["rank"]).toMatchObject({ unreadable: 0, rankings: [{ model: "a", win_share: 1 }, {}] });
		const never = await asked([]);
		expect(askedIn(never, "rank")).toHaveLength(4);
		expect(never.details["rank"]).toMatchObject({ unreadable: 2, rankings: [{ win_share: null }, {}] });
		const poor = await asked([{ broke: true }, { broke: true }]);
		expect(askedIn(poor, "rank")).toHaveLength(2);
	});

	it("compares all pairs of up to five, and each with four of its neighbours beyond", () => {
		expect([2, 3, 4, 5, 8].map((n) => pairsToCompare(n).length)).toEqual([1, 3, 6, 10, 16]);
	});
});

describe("self-consistency", () => {
	it("takes the answer that most samples reach, whatever its form", async () => {
		const texts = ["Final answer: 1,000", "so it is 7\nFinal answer: 7", "Final answer: $1000.00"];
		const engine = fakeEngine((_, place) => texts[place] ?? null);
		expect(await concluded(selfConsistency, engine, toPanel(["a", "b", "c"]))).toMatchObject({
			text: expect.stringMatching(/1,?000/),
		});
		expect(engine.details["vote"]).toMatchObject({
			votes: [
				{ answer: "1000", votes: 2 },
				{ answer: "7", votes: 1 },
			],
		});
	});

	it.each<[string, Record<string, [number, string]>, string]>([
		["two weak models do not outvote a strong one", { a: [0.4, "4"], b: [0.45, "4"], c: [0.9, "9"] }, "9"],
		["two good ones do", { a: [0.8, "4"], b: [0.8, "4"], c: [0.99, "9"] }, "4"],
		["no model outvotes nine weak ones", Object.fromEntries([..."abcdefghi"].map((id) => [id, [0.1, "4"]])), "4"],
		["a tie goes to the first", { a: [0.7, "7"], b: [0.7, "4"], c: [0.7, "9"] }, "7"],
	])("weighs votes by what is known of the models: %s", async (_, samples, winner) => {
		const [first = "", ...others] = [...Object.keys(samples), ...(Object.keys(samples).length > 3 ? ["z"] : [])];
		const quality = Object.fromEntries(Object.entries(samples).map(([id, [share]]) => [id, share]));
		const engine = fakeEngine(({ member: [id] }) => `Final answer: ${samples[id]?.[1] ?? "9"}`, {
			z: 0.99,
			...quality,
		});
		const { text } = await concluded(selfConsistency, engine, toPanel([first, ...others]));
		expect(text).toBe(`Final answer: ${winner}`);
	});

	it("counts all samples of one model the same", async () => {
		const texts = ["Final answer: 9", "Final answer: 4", "Final answer: 4"];
		const engine = fakeEngine((_, place) => texts[place] ?? null, { a: 0.97 });
		const { text, confidence } = await concluded(selfConsistency, engine, toPanel(["a", "a", "a"]));
		expect([text, confidence < 1]).toEqual(["Final answer: 4", true]);
		expect(engine.details["vote"]).toMatchObject({
			votes: [
				{ votes: 2, weight: 4 },
				{ votes: 1, weight: 2 },
			],
		});
	});

	it("breaks a tie by what is expected of the voters", async () => {
		const engine = fakeEngine(({ member: [id] }) => `Final answer: ${id}`, { a: 0.2, b: 0.8 });
		expect(await concluded(selfConsistency, engine, toPanel(["a", "b"]))).toMatchObject({ model: "b" });
	});
});

describe("a debate", () => {
	it("ends with the first round where all agree, and asks no judge", async () => {
		const engine = fakeEngine(({ stage, member: [id] }) =>
			stage === "round:0" ? `Final answer: ${id}` : "Final answer: a",
		);
		expect(await concluded(debate, engine, toPanel(["a", "b", "c"], 4))).toMatchObject({
			text: "Final answer: a",
			agreement: 1,
		});
		expect(engine.batches).toHaveLength(2);
		expect(engine.details["judge"]).toEqual({ rounds: 2, consensus: true, asked: false });
	});

	it("shows a member its own answer first, and keeps what one said who falls silent", async () => {
		const engine = fakeEngine(({ stage, member: [id] }) =>
			stage === "judge" ? "verdict" : stage === "round:1" && id === "b" ? null : `Final answer: ${id}`,
		);
		expect((await concluded(debate, engine, toPanel(["a", "b"], 2))).text).toBe("verdict");
		const [ofA, ofB] = askedIn(engine, "round:1").map(questionText);
		expect(ofA).toMatch(/Final answer: a[\s\S]*Final answer: b/);
		expect(ofB).toMatch(/Final answer: b[\s\S]*Final answer: a/);
		expect(askedIn(engine, "judge").map(questionText)[0]).toMatch(/Final answer: a[\s\S]*Final answer: b/);
	});
});

describe("a debate that does not end in consensus", () => {
	const answering = (answers: Record<string, Reply>) =>
		fakeEngine(({ stage, member: [id] }) =>
			stage === "judge" ? "verdict" : (answers[`${stage} ${id}`] ?? answers[id] ?? null),
		);
	const systemText = (question: Question | undefined) =>
		question?.messages
			.flatMap(({ role, content }) => (role === "system" ? content : []))
			.map((part) => "text" in part && part.text)
			.join() ?? "";

	it("has the minority's answers adopted or answered by the judge, by name", async () => {
		const engine = answering({ a: "Final answer: 4", b: "Final answer: 5", c: "Final answer: 4" });
		expect((await concluded(debate, engine, toPanel(["a", "b", "c"], 2))).text).toBe("verdict");
		const [verdict] = askedIn(engine, "judge");
		expect(systemText(verdict)).toMatch(
			/no majority stands behind Answer 2\. [^.]*proves nothing[\s\S]*adopt[\s\S]*why/i,
		);
		expect(engine.details["judge"]).toMatchObject({ asked: true, minority: ["b"] });
	});

	it.each<[string, Record<string, Reply>]>([
		["all differ", { a: "Final answer: 4", b: "Final answer: 5", c: "Final answer: 6" }],
		["two and two stand against each other", { a: "4", b: "5", c: "4", d: "5" }],
	])("takes none for the majority where %s", async (_, answers) => {
		const engine = answering(answers);
		const ids = Object.keys(answers);
		await concluded(debate, engine, toPanel(["a", ...ids.slice(1)], 1));
		expect(engine.details["judge"]).toMatchObject({ minority: ids });
		for (const [at] of ids.entries()) expect(systemText(askedIn(engine, "judge")[0])).toContain(`Answer ${at + 1}`);
	});

	it("tells revising members that a majority proves nothing, and to show where they part", async () => {
		const engine = answering({ a: "Final answer: 4", b: "Final answer: 5" });
		await concluded(debate, engine, toPanel(["a", "b"], 2));
		for (const question of askedIn(engine, "round:1"))
			expect(systemText(question)).toMatch(/How many say something proves nothing[\s\S]*step at which they part/);
	});

	it.each<[string, Reply]>([
		["fell silent", null],
		["was cut", { cut: "Final answ" }],
		["was not covered by the bound", { broke: true }],
	])("counts the answer of a minority whose revision %s", async (_, revision) => {
		const engine = answering({
			a: "Final answer: 4",
			b: "Final answer: 4",
			c: "Final answer: 5",
			"round:1 c": revision,
		});
		await concluded(debate, engine, toPanel(["a", "b", "c"], 2));
		expect(engine.details["round:1"]).toMatchObject({ consensus: false, debaters: 3 });
		expect(engine.details["judge"]).toMatchObject({ consensus: false, asked: true, minority: ["c"] });
	});

	it("says how many never answered, where the others agree", async () => {
		const engine = answering({ a: "Final answer: 4", b: "Final answer: 4" });
		await concluded(debate, engine, toPanel(["a", "b", "c"], 2));
		expect(engine.details["round:0"]).toMatchObject({ consensus: true, debaters: 2, silent: 1 });
	});
});

describe("decomposition", () => {
	const planned = (
		list: unknown[],
		say: (question: Question) => Reply = (question) => `done by ${question.member[0]}`,
	) => fakeEngine((question) => (question.role === "planner" ? JSON.stringify({ subtasks: list }) : say(question)));

	it("asks independent subtasks side by side, and shows the others what they need", async () => {
		const engine = planned(
			[
				{ id: "1", task: "first" },
				{ id: "2", task: "second" },
				{ id: "3", task: "third", depends_on: ["1"] },
			],
			(question) =>
				question.role === "subtask"
					? `result of ${/whole|first|second|third/.exec(questionText(question))?.[0]}`
					: "all together",
		);
		expect((await concluded(decomposeAndRoute, engine, toPanel(["a"]))).text).toBe("all together");
		expect(engine.batches.map((batch) => batch.length)).toEqual([1, 2, 1, 1, 1, 1]);
		expect(
			engine.batches
				.flat()
				.map(({ stage }) => stage)
				.slice(-2),
		).toEqual(["agree", "agree"]);
		const third = engine.batches[2]?.[0];
		expect(third && questionText(third)).toContain("result of first");
		expect(third && questionText(third)).not.toContain("result of second");
	});

	it("routes each subtask to the member that fits it", async () => {
		const engine = planned([
			{ id: "1", task: "for b" },
			{ id: "2", task: "for a" },
		]);
		await concluded(decomposeAndRoute, engine, toPanel(["a", "b"]));
		expect(engine.batches[1]?.map(({ member: [id] }) => id)).toEqual(["b", "a"]);
	});

	const tree = (engine: FakeEngine) => engine.details["subtasks"]?.["tree"];
	const wordings = (engine: FakeEngine) =>
		askedIn(engine, "subtasks")
			.filter(({ role }) => role === "subtask")
			.map((question) => /<<Subtask 1 \w+>>\n([\s\S]*?)\n<<end/.exec(questionText(question))?.[1]);

	it.each<[string, unknown[], string[], object[]]>([
		[
			"an unknown dependency without it",
			[
				{ id: "1", task: "x", depends_on: ["9"] },
				{ id: "2", task: "y", depends_on: ["1"] },
			],
			["x", "y"],
			[
				{ id: "1", depends_on: [] },
				{ id: "2", depends_on: ["1"] },
			],
		],
		[
			"a circle as one part",
			[
				{ id: "1", task: "x", depends_on: ["2"] },
				{ id: "2", task: "y", depends_on: ["1"] },
				{ id: "3", task: "z", depends_on: ["2", "3"] },
			],
			["x\ny", "z"],
			[
				{ id: "1", depends_on: [] },
				{ id: "2", depends_on: ["1"] },
			],
		],
		[
			"an id that stands twice as both",
			[
				{ id: "1", task: "x" },
				{ id: "1", task: "y" },
				{ id: "2", task: "z", depends_on: ["1"] },
			],
			["x", "y", "z"],
			[{ depends_on: [] }, { depends_on: [] }, { depends_on: ["1", "2"] }],
		],
		[
			"more parts than allowed by joining neighbours",
			["t", "u", "v", "w", "x", "y", "z"].map((wording, at) => ({
				id: at,
				task: wording,
				depends_on: at === 0 ? [6] : [],
			})),
			["u", "v\nw", "x\ny", "z\nt"],
			[{ depends_on: [] }, { depends_on: [] }, { depends_on: [] }, { depends_on: [] }],
		],
	])("mends a plan: %s", async (_, list, texts, mended) => {
		const engine = planned(list);
		await concluded(decomposeAndRoute, engine, toPanel(["a"]));
		expect(wordings(engine)).toEqual(texts);
		expect(engine.details["subtasks"]).toMatchObject({ plan: "split", planned: list.length });
		expect(tree(engine)).toMatchObject(mended);
	});

	it.each<[string, string]>([
		["ids as numbers", '{"subtasks": [{"id": 1, "task": "x"}, {"id": 2, "task": "y", "depends_on": [1]}]}'],
		["ids in words", '{"subtasks": [{"id": "Subtask 1", "task": "x"}, {"id": "2", "task": "y", "depends_on": "1"}]}'],
		["no ids", '{"subtasks": [{"task": "x", "depends_on": null}, {"task": "y", "depends_on": 1}]}'],
		["a list in a sentence", 'As a list: [{"id": "1", "task": "x"}, {"id": "2", "task": "y", "depends_on": ["1"]}]'],
		["another name", '{"plan": [{"id": "1", "task": "x"}, {"id": "2", "task": "y", "depends_on": "1, none"}]}'],
		[
			"an object around",
			'{"result": {"plan": [{"id": "1", "task": "x"}, {"id": "2", "task": "y", "depends_on": [1]}]}}',
		],
		[
			"another name of the wording",
			'{"subtasks": [{"id": "1", "description": "x"}, {"id": "2", "question": "y", "depends_on": ["1"]}]}',
		],
	])("reads a plan leniently: %s", async (_, plan) => {
		const engine = fakeEngine(({ role }) => (role === "planner" ? plan : `a result of ${role}`));
		await concluded(decomposeAndRoute, engine, toPanel(["a"]));
		expect(wordings(engine)).toEqual(["x", "y"]);
		expect(tree(engine)).toMatchObject([{ depends_on: [] }, { depends_on: ["1"] }]);
		expect(askedIn(engine, "subtasks").filter(({ asksFor }) => asksFor === "repair")).toEqual([]);
	});

	it("reads a list of sentences as parts side by side", async () => {
		const engine = fakeEngine(({ role }) => (role === "planner" ? '["x", "y"]' : `a result of ${role}`));
		await concluded(decomposeAndRoute, engine, toPanel(["a"]));
		expect(wordings(engine)).toEqual(["x", "y"]);
		expect(tree(engine)).toMatchObject([{ depends_on: [] }, { depends_on: [] }]);
	});

	it.each<[string, unknown[], string]>([
		["no part", [], "one subtask"],
		["one part", [{ id: "1", task: "All of it." }], "one subtask"],
		[
			"a part that is all of it",
			[
				{ id: "1", task: " what is  it? " },
				{ id: "2", task: "x" },
			],
			"one subtask",
		],
		[
			"parts that all need each other",
			[
				{ id: "1", task: "x", depends_on: ["2"] },
				{ id: "2", task: "y", depends_on: ["1"] },
			],
			"one subtask",
		],
		["nothing that can be read", [{ id: "1" }], "unusable"],
	])("asks the task itself, and puts nothing together, where the plan has %s", async (_, list, plan) => {
		const engine = planned(list);
		expect(await concluded(decomposeAndRoute, engine, toPanel(["a"]))).toMatchObject({
			text: "done by a",
			agreement: 1,
		});
		expect(engine.details["subtasks"]).toMatchObject({ plan });
		const answered = engine.batches.at(-1) ?? [];
		expect(answered).toMatchObject([{ stage: "subtasks", role: "subtask", messages: task().messages }]);
		expect(askedIn(engine, "synthesize")).toEqual([]);
	});

	it("delivers the parts it has where one fails and the synthesis too", async () => {
		const engine = planned(
			[
				{ id: "1", task: "first" },
				{ id: "2", task: "second" },
			],
			(question) => (question.role === "subtask" && questionText(question).includes("first") ? "one" : null),
		);
		expect(await concluded(decomposeAndRoute, engine, toPanel(["a"]))).toMatchObject({ text: "one", confidence: 0.25 });
	});
});
