// Drafts that are cut, and repairs that make things worse: what is continued, what the next repair starts from, and what is delivered.
import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/orchestration/strategy.ts";
import { GOOD, runLoop as run, stagesOf, UNBALANCED, verdict, written } from "../../support/code-loop.ts";
import { questionText } from "../../support/fake-engine.ts";

const HEAD = "def add(a, b):\n";
const TAIL = "    return a + b\n";
const openFile = (boundary: string, path = "add.py") => `<<<FILE ${boundary} ${path}>>>\n`;
const endFile = (boundary: string) => `<<<END ${boundary}>>>\n`;
const textsOf = (questions: Question[], stage: string) =>
	questions.filter((question) => question.stage === stage).map(questionText);

describe("a draft that was cut", () => {
	it("is continued once by its model, and the whole file is reviewed", async () => {
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(true, 0.9);
				if (question.stage === "continue:0") return `${TAIL}${endFile(boundary)}`;
				return { cut: `${openFile(boundary)}${HEAD}    retu` };
			},
			{ cast: { coders: [["coder-a", "coder-b"]] } },
		);
		expect(stagesOf(done)).toEqual(["generate:0 coder", "continue:0 coder", "review:0 reviewer"]);
		expect(done.questions[1]?.member).toEqual(["coder-a"]);
		const continuation = questionText(done.questions[1] as Question);
		expect(continuation).toContain(HEAD);
		expect(continuation).not.toContain("    retu");
		expect(textsOf(done.questions, "review:0")[0]).toContain(GOOD.content);
		expect(done.outcome).toMatchObject({ files: [GOOD], stop: "passed", isCut: false });
		expect(done.details["continue:0"]).toEqual({ answers: [{ model: "coder-a", how: "continued" }] });
		// Answer and continuation carry the confidence in the draft.
		expect(done.rated["coder-a"]).toEqual([0.9, 0.9]);
	});

	it.each([
		["that nobody continues", null],
		["whose continuation is cut again", "cut"],
		["whose continuation is blank", "\n"],
	])("%s is an issue for the repair, and is never delivered as whole", async (_, reply) => {
		const done = await run((question, boundary) => {
			if (question.json) return verdict(true, 0.9);
			if (question.stage === "continue:0") return reply === "cut" ? { cut: TAIL } : reply;
			return question.stage === "generate:0" ? { cut: `${openFile(boundary)}${HEAD}` } : written(boundary, GOOD);
		});
		expect(stagesOf(done)).toEqual(["generate:0 coder", "continue:0 coder", "generate:1 coder", "review:1 reviewer"]);
		expect(textsOf(done.questions, "generate:1")[0]).toMatch(/add\.py: is not closed/);
		expect(done.outcome).toMatchObject({ files: [GOOD], stop: "passed", isCut: false });
	});

	it("in its second file keeps the first, and what is missing in the end is said", async () => {
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(true, 0.9);
				if (question.stage === "continue:0") return null;
				return { cut: `${written(boundary, GOOD)}${openFile(boundary, "main.py")}import add\n` };
			},
			{ plan: { iterations: 1 } },
		);
		expect(done.outcome).toMatchObject({
			files: [GOOD],
			isCut: true,
			review: { passed: false },
			stop: "max_iters",
		});
		expect(done.outcome?.review.issues[0]).toMatch(/^main\.py: is not closed: .*output limit/);
		expect(done.details["generate:0"]).toMatchObject({ drafts: [{ truncated: true }] });
	});

	it.each([
		["is missing after a repair that does not write it", verdict(false, 0.5, ["main.py is missing"]), true],
		["is not missed where a critic passes the code without it", verdict(true, 0.9), false],
	])("and lost a file: it %s", async (_, review, isCut) => {
		const done = await run(
			(question, boundary) => {
				if (question.json) return review;
				if (question.stage === "continue:0") return null;
				if (question.stage === "generate:1") return written(boundary, { ...GOOD, content: "x = 1\n" });
				return { cut: `${written(boundary, GOOD)}${openFile(boundary, "main.py")}import add\n` };
			},
			{ plan: { iterations: 2 } },
		);
		expect(done.outcome).toMatchObject({ files: [{ path: "add.py", content: "x = 1\n" }], isCut });
	});

	it("is cut still where its continuation ends and leaves the file open", async () => {
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(true, 0.9);
				if (question.stage === "continue:0") return written(boundary, { path: "other.py", content: "x = 1\n" });
				return { cut: `${openFile(boundary)}${HEAD}` };
			},
			{ plan: { iterations: 1 } },
		);
		expect(done.outcome).toMatchObject({ files: [{ path: "other.py" }], isCut: true, review: { passed: false } });
	});

	it("is not continued where the money is needed for its review", async () => {
		const asked: number[] = [];
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(true, 0.9);
				return question.stage === "generate:0" ? { cut: `${openFile(boundary)}${HEAD}` } : written(boundary, GOOD);
			},
			{
				covers(questions) {
					if (!questions.some(({ stage }) => stage === "continue:0")) return true;
					asked.push(questions.length);
					return false;
				},
			},
		);
		expect(asked).toEqual([3]);
		expect(stagesOf(done)).toEqual(["generate:0 coder", "generate:1 coder", "review:1 reviewer"]);
		expect(done.details["continue:0"]).toBeUndefined();
	});

	it("of several is continued beside the others, as many as the money covers", async () => {
		const coders = [["coder-a"], ["coder-b"], ["coder-c"]] as const;
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(true, 0.9);
				if (question.stage === "continue:0") return `${TAIL}${endFile(boundary)}`;
				return question.member[0] === "coder-b" ? written(boundary, GOOD) : { cut: `${openFile(boundary)}${HEAD}` };
			},
			{ cast: { coders }, covers: (questions) => questions.filter(({ stage }) => stage === "continue:0").length < 2 },
		);
		const continued = done.questions.filter(({ stage }) => stage === "continue:0");
		expect(continued.map(({ member }) => member)).toEqual([["coder-a"]]);
		expect(done.questions.filter(({ json }) => json)).toHaveLength(2);
	});

	it("in a repair leaves the file as it was", async () => {
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(false, 0.5, ["wrong"]);
				if (question.stage === "generate:0") return written(boundary, GOOD);
				return question.stage === "generate:1" ? { cut: `${openFile(boundary)}${HEAD}` } : null;
			},
			{ plan: { iterations: 2 } },
		);
		expect(stagesOf(done)).toContain("continue:1 coder");
		expect(done.outcome).toMatchObject({ files: [GOOD], isCut: false, review: { score: 0.5 } });
	});
});

describe("a repair", () => {
	const draftsBy = (contents: Record<string, string>) => (question: Question, boundary: string) =>
		written(boundary, { ...GOOD, content: contents[question.stage] ?? GOOD.content });

	it("that is worse is undone: the next one starts from the best files, and is told what was tried", async () => {
		const scores = [0.6, 0.3, 0.9];
		let reviews = 0;
		const coder = draftsBy({ "generate:0": "best = 1\n", "generate:1": "worse = 1\n", "generate:2": "last = 1\n" });
		const done = await run((question, boundary) => {
			if (!question.json) return coder(question, boundary);
			const score = scores[reviews++] ?? 0;
			return score > 0.7 ? verdict(true, score) : verdict(false, score, [`issue of ${score}`]);
		});
		const [second = ""] = textsOf(done.questions, "generate:2");
		expect(second).toContain("best = 1");
		expect(second).not.toContain("worse = 1");
		expect(second).toContain("- issue of 0.6");
		expect(second).toMatch(/A repair that changed add\.py:\n- issue of 0\.3/);
		expect(textsOf(done.questions, "generate:1")[0]).not.toContain("A repair that changed");
		expect(done.outcome).toMatchObject({ files: [{ content: "last = 1\n" }], stop: "passed", iterations: 3 });
	});

	it("that is better is what the next one starts from, and what was tried before is forgotten", async () => {
		const scores = [0.4, 0.3, 0.6, 0.5];
		let reviews = 0;
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(false, scores[reviews] ?? 0, [`issue ${reviews++}`]);
				return written(boundary, { ...GOOD, content: `x = "${question.stage}"\n` });
			},
			{ plan: { iterations: 4 } },
		);
		const [third = ""] = textsOf(done.questions, "generate:3");
		expect(third).toContain('"generate:2"');
		expect(third).toContain("- issue 2");
		expect(third).not.toContain("A repair that changed");
		expect(done.outcome).toMatchObject({ review: { score: 0.6 }, iterations: 4 });
	});

	it("that the static checks refute is worse than a draft that a critic scored low, and is not worth a critic", async () => {
		const done = await run((question, boundary) => {
			if (question.json) return verdict(false, 0.1, ["wrong"]);
			return written(boundary, question.stage === "generate:0" ? GOOD : UNBALANCED);
		});
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer", "generate:1 coder", "generate:2 coder"]);
		const [second = ""] = textsOf(done.questions, "generate:2");
		expect(second).toContain(GOOD.content);
		expect(second).toMatch(/A repair that changed add\.py:\n- add\.py:1: `\(` is never closed/);
		expect(done.outcome).toMatchObject({ files: [GOOD], review: { score: 0.1, reviewer: "critic" } });
	});
});
