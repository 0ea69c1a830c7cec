// The loop on a fake engine: what it asks, when it stops, and what it keeps.
import { describe, expect, it } from "vitest";
import type { CodeCast } from "../../../src/code-mode/cast.ts";
import type { Question } from "../../../src/orchestration/strategy.ts";
import { GOOD, runLoop as run, stagesOf, TASK, UNBALANCED, verdict, written } from "../../support/code-loop.ts";
import { questionText as textOf } from "../../support/fake-engine.ts";

describe("the loop", () => {
	it("stops when the review passes", async () => {
		const done = await run((question, boundary) => (question.json ? verdict(true, 0.9) : written(boundary, GOOD)));
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer"]);
		expect(done.outcome).toEqual({
			files: [GOOD],
			review: { passed: true, score: 0.9, issues: [], reviewer: "critic", lacksVerdict: false },
			confidence: 0.9,
			confidenceBasis: "judge",
			iterations: 1,
			stop: "passed",
			isCut: false,
			instead: null,
		});
	});

	it("repairs with the issues and the files, under a boundary that none of them holds", async () => {
		let reviews = 0;
		const done = await run((question, boundary) => {
			if (question.json) return reviews++ === 0 ? verdict(false, 0.4, ["add.py: no types"]) : verdict(true, 1);
			return written(boundary, question.stage === "generate:0" ? GOOD : { ...GOOD, content: "x: int = 1\n" });
		});
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer", "generate:1 coder", "review:1 reviewer"]);
		const repair = textOf(done.questions[2] as Question);
		expect(repair).toContain("- add.py: no types");
		expect(repair).toContain(GOOD.content);
		expect(repair).toContain(TASK.text);
		expect(done.outcome).toMatchObject({ iterations: 2, stop: "passed", files: [{ content: "x: int = 1\n" }] });
		expect(done.progress.map((event) => `${event.type}:${event.iteration}`)).toEqual([
			"drafted:0",
			"reviewed:0",
			"drafted:1",
			"reviewed:1",
		]);
	});

	it("asks no critic about what the static checks refute, as long as it can be repaired", async () => {
		const done = await run((question, boundary) => {
			if (question.json) return verdict(true, 1);
			return written(boundary, question.stage === "generate:0" ? UNBALANCED : GOOD);
		});
		expect(stagesOf(done)).toEqual(["generate:0 coder", "generate:1 coder", "review:1 reviewer"]);
		expect(textOf(done.questions[1] as Question)).toContain("- add.py:1: `(` is never closed");
		expect(done.details["review:0"]).toMatchObject({ reviews: [{ passed: false, by: "static checks" }] });
		expect(done.outcome).toMatchObject({ stop: "passed", iterations: 2 });
	});

	it("passes nothing that the static checks refute, whatever the critic says", async () => {
		const done = await run((question, boundary) => (question.json ? verdict(true, 1) : written(boundary, UNBALANCED)), {
			plan: { iterations: 1 },
		});
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer"]);
		expect(done.outcome?.review).toMatchObject({ passed: false, score: 1, reviewer: "critic" });
		expect(done.outcome?.review.issues[0]).toContain("add.py:1");
	});

	it("stops after max_iters, and keeps the best draft by score", async () => {
		const scores = [0.3, 0.6, 0.5];
		let reviews = 0;
		const done = await run((question, boundary) => {
			if (question.json) return verdict(false, scores[reviews++] ?? 0, ["still wrong"]);
			return written(boundary, { ...GOOD, content: `# ${question.stage}\nx = 1\n` });
		});
		expect(done.outcome).toMatchObject({
			stop: "max_iters",
			iterations: 3,
			files: [{ content: "# generate:1\nx = 1\n" }],
			review: { passed: false, score: 0.6 },
			confidence: 0.3,
		});
	});

	it("stops before a repair that the budget does not cover", async () => {
		const done = await run(
			(question, boundary) =>
				question.json
					? verdict(false, 0.5, ["wrong"])
					: written(boundary, { ...GOOD, content: `# ${question.stage}\n` }),
			{ covers: (_, { questions }) => questions.length < 3 },
		);
		expect(done.outcome).toMatchObject({ stop: "budget", iterations: 2 });
	});

	it.each([
		["is not answered", null, "no_answer"],
		["cannot be reserved", { broke: true as const }, "budget"],
	])("keeps what it has when a repair %s", async (_, repair, stop) => {
		const done = await run((question, boundary) => {
			if (question.json) return verdict(false, 0.5, ["wrong"]);
			return question.stage === "generate:0" ? written(boundary, GOOD) : repair;
		});
		expect(done.outcome).toMatchObject({ stop, iterations: 1, files: [GOOD], review: { score: 0.5 } });
	});

	it("produces no code when no coder answers, and when none writes a file", async () => {
		expect((await run(() => null)).failure?.reason).toBe("no_code_produced");
		const prose = await run(() => "I'm sorry, but I can't\nhelp with that.");
		expect(prose.failure).toMatchObject({
			reason: "no_code_produced",
			message: expect.stringContaining("“I'm sorry, but I can't help with that.”"),
		});
		expect(stagesOf(prose)).toEqual(["generate:0 coder", "generate:1 coder"]);
		expect(textOf(prose.questions[1] as Question)).toContain("There are no files yet");
	});
});

describe("a repair that changes nothing", () => {
	it.each<[string, (boundary: string) => string]>([
		["since it writes the same file", (boundary) => written(boundary, GOOD)],
		["since it writes none", () => "The code is right as it is."],
		["since it writes the same file into a fence", () => `\`\`\`python\n${GOOD.content}\`\`\``],
	])("ends the loop: %s", async (_, say) => {
		const done = await run((question, boundary) => {
			if (question.json) return verdict(false, 0.5, ["wrong"]);
			return question.stage === "generate:0" ? written(boundary, GOOD) : say(boundary);
		});
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer", "generate:1 coder"]);
		expect(done.outcome).toMatchObject({ stop: "no_change", iterations: 2, files: [GOOD], review: { score: 0.5 } });
	});

	it("of files that the static checks refute has them reviewed, since the answer needs a score", async () => {
		const done = await run((question, boundary) =>
			question.json ? verdict(false, 0.2, ["wrong"]) : written(boundary, UNBALANCED),
		);
		expect(stagesOf(done)).toEqual(["generate:0 coder", "generate:1 coder", "review:1 reviewer"]);
		expect(done.outcome).toMatchObject({ stop: "no_change", review: { score: 0.2, reviewer: "critic" } });
	});
});

describe("a correct file in a plain fence", () => {
	it("is reviewed and delivered without a repair", async () => {
		const done = await run((question) =>
			question.json ? verdict(true, 0.9) : `Here it is:\n\n\`\`\`python\n${GOOD.content}\`\`\`\n\nIt adds two numbers.`,
		);
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer"]);
		expect(done.outcome).toMatchObject({ files: [{ path: "main.py", content: GOOD.content }], stop: "passed" });
	});

	it("is the file that it repairs", async () => {
		const done = await run((question, boundary) => {
			if (question.json) return question.stage === "review:0" ? verdict(false, 0.5, ["wrong"]) : verdict(true, 0.9);
			return question.stage === "generate:0" ? written(boundary, UNBALANCED) : `\`\`\`\n${GOOD.content}\`\`\``;
		});
		expect(done.outcome).toMatchObject({ files: [GOOD], stop: "passed" });
	});
});

describe("without a review", () => {
	it("the static checks have the word", async () => {
		const unreviewed = { cast: { critic: null }, plan: { iterations: 1, review: false } };
		const good = await run((_, boundary) => written(boundary, GOOD), unreviewed);
		expect(stagesOf(good)).toEqual(["generate:0 coder"]);
		expect(good.outcome).toMatchObject({ review: { passed: true, score: 1, reviewer: null }, confidence: 0.5 });
		expect(good.details["review:0"]).toBeDefined();
		const bad = await run((_, boundary) => written(boundary, UNBALANCED), unreviewed);
		expect(bad.outcome).toMatchObject({ review: { passed: false, score: 0, reviewer: null }, confidence: 0 });
	});
});

describe("several coders", () => {
	const coders: CodeCast["coders"] = [["coder-a"], ["coder-b"], ["coder-c"]];
	const scores: Record<string, number> = { "coder-a": 0.5, "coder-b": 0.8, "coder-c": 0.6 };
	const ofCoder = (question: Question) =>
		Object.keys(scores).find((name) => textOf(question).includes(`# ${name}`)) ?? "";

	it("write side by side, and the best by the critic's score is kept and repaired by who wrote it", async () => {
		const done = await run(
			(question, boundary) => {
				if (question.json)
					return question.stage === "review:0"
						? verdict(false, scores[ofCoder(question)] ?? 0, ["wrong"])
						: verdict(true, 0.9);
				return written(boundary, { ...GOOD, content: `# ${question.member[0]}\nx = 1\n` });
			},
			{ cast: { coders }, plan: { width: 3 } },
		);
		expect(done.questions.filter(({ stage }) => stage === "generate:0").map(({ member }) => member[0])).toEqual([
			"coder-a",
			"coder-b",
			"coder-c",
		]);
		expect(done.questions.find(({ stage }) => stage === "generate:1")?.member[0]).toBe("coder-b");
		expect(done.outcome?.files[0]?.content).toContain("# coder-b");
		expect(done.details["review:0"]).toMatchObject({ kept: "coder-b" });
		expect(done.rated["coder-a"]).toEqual([0.25]);
	});

	it("that fail do not fail the run while one answers", async () => {
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(true, 0.9);
				return question.member[0] === "coder-c" ? written(boundary, GOOD) : null;
			},
			{ cast: { coders } },
		);
		expect(done.outcome).toMatchObject({ stop: "passed", files: [GOOD] });
	});

	it("with static faults are left out beside sound ones", async () => {
		const done = await run(
			(question, boundary) => {
				if (question.json) return verdict(true, 0.8);
				return written(boundary, question.member[0] === "coder-a" ? UNBALANCED : GOOD);
			},
			{ cast: { coders } },
		);
		expect(done.questions.filter(({ json }) => json)).toHaveLength(2);
		expect(done.outcome?.files).toEqual([GOOD]);
	});
});
