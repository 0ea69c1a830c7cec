// Critics that contradict, fall silent or answer in loose JSON: who is asked again, which verdict counts, and what is unreviewed.
import { describe, expect, it } from "vitest";
import { secondCritic } from "../../../src/code-mode/critics.ts";
import { longestReview } from "../../../src/code-mode/prompts.ts";
import { outcomeReason } from "../../../src/code-mode/reason.ts";
import type { CodeOutcome, LoopStop } from "../../../src/code-mode/run-code.ts";
import type { Member, Question } from "../../../src/orchestration/strategy.ts";
import { GOOD, runLoop as run, stagesOf, TASK, UNBALANCED, verdict, written } from "../../support/code-loop.ts";
import { questionText } from "../../support/fake-engine.ts";

const CRITICS: Member = ["critic", "second", "third"];
const once = { plan: { iterations: 1 } };
const reviewersOf = ({ questions }: { questions: Question[] }) =>
	questions.filter(({ json }) => json).map(({ member }) => member[0]);

describe("a critic", () => {
	it.each<[string, number]>([
		['{"passed": true, "score": "0.9", "issues": []}', 0.9],
		['{"passed": "true", "score": 9}', 0.9],
		['{"reason": "It does it.", "score": "9/10", "issues": null}', 0.9],
		['{"passed": "yes", "score": "90%", "issues": "none"}', 0.9],
		['It is {good}. {"verdict": {"passed": true, "score": 90, "issues": []}}', 0.9],
		['[{"passed": true, "score": 1}]', 1],
	])("is read leniently: %s", async (reply, score) => {
		const done = await run((question, boundary) => (question.json ? reply : written(boundary, GOOD)));
		expect(done.outcome?.review).toMatchObject({ passed: true, score, lacksVerdict: false });
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer"]);
	});

	it("may write its issues as objects", async () => {
		const issues = [{ path: "add.py", description: "no types" }, "plain"];
		const done = await run(
			(question, boundary) =>
				question.json ? JSON.stringify({ passed: false, score: 0.2, issues }) : written(boundary, GOOD),
			once,
		);
		expect(done.outcome?.review.issues).toEqual(["add.py: no types", "plain"]);
	});

	it("that passes code and names an issue does not pass it, and the issue is mended", async () => {
		let reviews = 0;
		const done = await run((question, boundary) => {
			if (question.json) return reviews++ === 0 ? verdict(true, 0.95, ["add.py: fails on None"]) : verdict(true, 0.9);
			return written(boundary, question.stage === "generate:0" ? GOOD : { ...GOOD, content: "x = 1\n" });
		});
		expect(questionText(done.questions[2] as Question)).toContain("- add.py: fails on None");
		expect(done.outcome).toMatchObject({ iterations: 2, stop: "passed", files: [{ content: "x = 1\n" }] });
	});

	it("that passes code it is not sure of does not pass it", async () => {
		const done = await run(
			(question, boundary) => (question.json ? verdict(true, 0.4) : written(boundary, GOOD)),
			once,
		);
		expect(done.outcome?.review).toMatchObject({ passed: false, score: 0.4 });
	});
});

describe("a verdict that cannot be read, even repaired,", () => {
	it("is asked of another critic, whose verdict counts", async () => {
		const done = await run(
			(question, boundary) => {
				if (!question.json) return written(boundary, GOOD);
				return question.member[0] === "critic" ? "Looks good!" : verdict(true, 0.9);
			},
			{ cast: { critic: CRITICS } },
		);
		expect(reviewersOf(done)).toEqual(["critic", "critic", "second"]);
		expect(done.outcome).toMatchObject({
			stop: "passed",
			iterations: 1,
			review: { passed: true, score: 0.9, reviewer: "second", lacksVerdict: false },
		});
	});

	it("is asked of the same critic where there is no other", async () => {
		let reviews = 0;
		const done = await run((question, boundary) => {
			if (!question.json) return written(boundary, GOOD);
			return ++reviews <= 2 ? "Looks good!" : verdict(true, 0.9);
		});
		expect(reviewersOf(done)).toEqual(["critic", "critic", "critic"]);
		expect(done.outcome).toMatchObject({ iterations: 1, stop: "passed", review: { passed: true, score: 0.9 } });
	});

	it.each<[string, string | null]>([
		["prose", "Looks good!"],
		["silence", null],
		["a verdict cut inside an issue", '{"reason": "No.", "issues": [{"path": "a.py", "score": 9}, {"pa'],
		["a form without a score", '{"passed": true, "issues": []}'],
	])("by anybody (%s) leaves the code unreviewed: not passed, not scored as 0, and not repaired", async (_, reply) => {
		const done = await run((question, boundary) => (question.json ? reply : written(boundary, GOOD)), {
			cast: { critic: CRITICS },
		});
		expect(new Set(reviewersOf(done))).toEqual(new Set(["critic", "second"]));
		expect(done.questions.filter(({ json }) => !json)).toHaveLength(1);
		expect(done.outcome).toMatchObject({
			stop: "no_verdict",
			iterations: 1,
			confidence: 0.5,
			review: { passed: false, score: 1, reviewer: null, lacksVerdict: true },
		});
		expect(done.outcome?.review.issues).toEqual([
			"no reviewer gave a verdict that can be read, so the code is unreviewed",
		]);
		expect(done.outcome && outcomeReason(done.outcome)).toBe(
			"after 1 cycle no reviewer gave a verdict that can be read, so it is unreviewed",
		);
	});

	it("is asked again only where the money covers it", async () => {
		const done = await run((question, boundary) => (question.json ? "Looks good!" : written(boundary, GOOD)), {
			...once,
			covers: (questions) => !questions.some(({ json }) => json),
		});
		expect(reviewersOf(done)).toEqual(["critic", "critic"]);
		expect(done.outcome?.review.lacksVerdict).toBe(true);
	});

	it("on a repair keeps what was reviewed before", async () => {
		const done = await run((question, boundary) => {
			if (!question.json) return written(boundary, { ...GOOD, content: `# ${question.stage}\nx = 1\n` });
			return question.stage === "review:0" ? verdict(false, 0.5, ["wrong"]) : "Looks good!";
		});
		expect(done.outcome).toMatchObject({
			stop: "no_verdict",
			files: [{ content: "# generate:0\nx = 1\n" }],
			review: { score: 0.5, issues: ["wrong"], lacksVerdict: false },
		});
	});
});

describe("a verdict that fails the code without a word", () => {
	it("is asked of another critic", async () => {
		const done = await run(
			(question, boundary) => {
				if (!question.json) return written(boundary, GOOD);
				return question.member[0] === "critic" ? verdict(false, 0.9) : verdict(true, 0.8);
			},
			{ cast: { critic: CRITICS } },
		);
		expect(reviewersOf(done)).toEqual(["critic", "second"]);
		expect(done.outcome?.review).toMatchObject({ passed: true, score: 0.8, reviewer: "second" });
	});

	it("counts where nobody says more", async () => {
		const done = await run(
			(question, boundary) => {
				if (!question.json) return written(boundary, GOOD);
				return question.member[0] === "critic" ? verdict(false, 0.3) : "Hm.";
			},
			{ ...once, cast: { critic: CRITICS } },
		);
		expect(done.outcome?.review).toMatchObject({ passed: false, score: 0.3, reviewer: "critic", lacksVerdict: false });
	});
});

describe("two critics", () => {
	const confirmed = { cast: { critic: CRITICS }, plan: { iterations: 1, confirms: true } };

	it("that agree pass the code with the lower score", async () => {
		const done = await run(
			(question, boundary) =>
				question.json ? verdict(true, question.member[0] === "critic" ? 0.95 : 0.8) : written(boundary, GOOD),
			confirmed,
		);
		expect(reviewersOf(done)).toEqual(["critic", "second"]);
		expect(done.outcome?.review).toMatchObject({ passed: true, score: 0.8, reviewer: "second" });
		expect(done.details["review:0"]).toMatchObject({ confirmed: true });
	});

	it("that contradict each other: the more cautious counts, with its issues", async () => {
		const done = await run((question, boundary) => {
			if (!question.json) return written(boundary, GOOD);
			return question.member[0] === "critic" ? verdict(true, 0.95) : verdict(false, 0.6, ["it overflows"]);
		}, confirmed);
		expect(done.outcome?.review).toMatchObject({
			passed: false,
			score: 0.6,
			issues: ["it overflows"],
			reviewer: "second",
		});
		expect(done.details["review:0"]).toMatchObject({ confirmed: false });
	});

	it("are one where the second cannot be read, or does not pass the first's money", async () => {
		const silent = await run((question, boundary) => {
			if (!question.json) return written(boundary, GOOD);
			return question.member[0] === "critic" ? verdict(true, 0.95) : "Fine.";
		}, confirmed);
		expect(silent.outcome?.review).toMatchObject({ passed: true, score: 0.95, reviewer: "critic" });
		const short = await run((question, boundary) => (question.json ? verdict(true, 0.95) : written(boundary, GOOD)), {
			...confirmed,
			covers: () => false,
		});
		expect(reviewersOf(short)).toEqual(["critic"]);
		expect(short.outcome?.review).toMatchObject({ passed: true, score: 0.95 });
	});

	it("are not asked where the first does not pass, where there is no other, and where nothing is to be confirmed", async () => {
		const fails = (question: Question, boundary: string) =>
			question.json ? verdict(false, 0.5, ["wrong"]) : written(boundary, GOOD);
		const passes = (question: Question, boundary: string) =>
			question.json ? verdict(true, 0.9) : written(boundary, GOOD);
		expect(reviewersOf(await run(fails, confirmed))).toEqual(["critic"]);
		expect(reviewersOf(await run(passes, { ...confirmed, cast: {} }))).toEqual(["critic"]);
		expect(reviewersOf(await run(passes, { ...once, cast: { critic: CRITICS } }))).toEqual(["critic"]);
	});

	it("are all that is asked: a pass by the one that was asked again is not confirmed", async () => {
		const done = await run((question, boundary) => {
			if (!question.json) return written(boundary, GOOD);
			return question.member[0] === "critic" ? "Fine." : verdict(true, 0.9);
		}, confirmed);
		expect(reviewersOf(done)).toEqual(["critic", "critic", "second"]);
		expect(done.outcome?.review).toMatchObject({ passed: true, reviewer: "second" });
	});

	it("of several drafts confirm the best, and the next best where it is refused", async () => {
		const scores: Record<string, number> = { "coder-a": 0.9, "coder-b": 0.8 };
		const done = await run(
			(question, boundary) => {
				const coder = Object.keys(scores).find((name) => questionText(question).includes(`# ${name}`)) ?? "";
				if (!question.json) return written(boundary, { ...GOOD, content: `# ${question.member[0]}\nx = 1\n` });
				if (question.member[0] === "critic") return verdict(true, scores[coder] ?? 0);
				return coder === "coder-a" ? verdict(false, 0.2, ["wrong"]) : verdict(true, 0.85);
			},
			{ ...confirmed, cast: { critic: CRITICS, coders: [["coder-a"], ["coder-b"]] } },
		);
		expect(reviewersOf(done)).toEqual(["critic", "critic", "second", "second"]);
		expect(done.outcome).toMatchObject({
			files: [{ content: "# coder-b\nx = 1\n" }],
			review: { passed: true, score: 0.8 },
		});
	});
});

describe("the second critic", () => {
	it("is another one, and always of the same models, so that its bound holds", () => {
		expect(secondCritic(CRITICS, "critic")).toEqual(["second", "third"]);
		expect(secondCritic(CRITICS, "second")).toEqual(["third", "second"]);
		expect(secondCritic(CRITICS, null)).toEqual(["second", "third"]);
		expect(secondCritic(["critic"], "critic")).toEqual(["critic"]);
		expect(longestReview(TASK, secondCritic(CRITICS, null), "r").member).toHaveLength(2);
	});
});

describe("what is said of the end", () => {
	it("never claims that anything was run", () => {
		const review = { passed: false, score: 0.5, issues: [], reviewer: "critic", lacksVerdict: false };
		const stops: LoopStop[] = ["passed", "max_iters", "budget", "no_answer", "refused", "no_verdict"];
		for (const stop of stops)
			for (const reviewer of ["critic", null])
				for (const lacksVerdict of [true, false]) {
					const outcome: CodeOutcome = {
						...{ files: [GOOD], confidence: 0.5, confidenceBasis: "judge" as const, iterations: 2, stop, isCut: true },
						instead: null,
						review: { ...review, reviewer, lacksVerdict },
					};
					expect(outcomeReason(outcome)).not.toMatch(/\b(?:ran|runs?|tests?|tested|executed|works?|verified)\b/i);
				}
	});

	it("names the static checks where no critic was asked", async () => {
		const unreviewed = { cast: { critic: null }, plan: { iterations: 1, review: false } };
		const good = await run((_, boundary) => written(boundary, GOOD), unreviewed);
		expect(good.outcome && outcomeReason(good.outcome)).toBe("after 1 cycle it passed the static checks");
		const bad = await run((_, boundary) => written(boundary, UNBALANCED), unreviewed);
		expect(bad.outcome && outcomeReason(bad.outcome)).toBe("after 1 cycle the static checks did not pass it");
	});
});
