// The loop on a fake engine: what it asks, when it stops, and what it keeps.
import { describe, expect, it } from "vitest";
import type { CodeCast } from "../../../src/code-mode/cast.ts";
import { type CodeFile, fileBlock } from "../../../src/code-mode/file-format.ts";
import type { CodePlan } from "../../../src/code-mode/plan.ts";
import { type CodeEngine, type CodeOutcome, type CodeProgress, runCode } from "../../../src/code-mode/run-code.ts";
import { fail } from "../../../src/failure.ts";
import type { Member, Question } from "../../../src/orchestration/strategy.ts";
import { NONCE } from "../../support/nonce.ts";

const CODER: Member = ["coder-a"];
const CRITIC: Member = ["critic"];
const TASK = {
	text: "Add two numbers",
	language: { id: "python", evidence: "default" as const },
	maxTokens: 500,
	temperature: 0.2,
	nonce: NONCE,
};
const GOOD = { path: "add.py", content: "def add(a, b):\n    return a + b\n" };
const UNBALANCED = { path: "add.py", content: "def add(a, b:\n    return a + b\n" };

type Say = (question: Question, boundary: string) => string | null;

interface Told {
	questions: Question[];
	details: Record<string, Record<string, unknown>>;
	progress: CodeProgress[];
	rated: Record<string, number[]>;
}

function textOf({ messages }: Question): string {
	return messages.flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : ""))).join("\n");
}

/** The boundary that a coder was told. */
function boundaryIn(question: Question): string {
	return textOf(question).match(/<<<END ([0-9a-f]{8})>>>/)?.[1] ?? "";
}

const written = (boundary: string, ...files: CodeFile[]) => files.map((file) => fileBlock(boundary, file)).join("");
const verdict = (passed: boolean, score: number, issues: string[] = []) => JSON.stringify({ passed, score, issues });

async function run(
	say: Say,
	more: { cast?: Partial<CodeCast>; plan?: Partial<CodePlan>; covers?: (asked: Told) => boolean } = {},
): Promise<{ outcome: CodeOutcome | null; reason: string | null } & Told> {
	const told: Told = { questions: [], details: {}, progress: [], rated: {} };
	const engine: CodeEngine = {
		async ask(questions) {
			return questions.map((question) => {
				told.questions.push(question);
				const [model] = question.member;
				const text = say(question, boundaryIn(question));
				if (text === null)
					return {
						...fail({ reason: "all_models_failed", attempts: [`${model}: down`], costUsd: 0, retryAfterMs: null }),
						unaffordable: false,
					};
				const rate = (share: number) => {
					told.rated[model] = [...(told.rated[model] ?? []), share];
				};
				return { ok: true, text, model, quality: 0.5, isCut: false, rate };
			});
		},
		describe(stage, detail) {
			told.details[stage] = { ...told.details[stage], ...detail };
		},
		route: (_, [first]) => first,
		covers: () => more.covers?.(told) ?? true,
	};
	const cast: CodeCast = { coders: [CODER], critic: CRITIC, notes: [], ...more.cast };
	const plan: CodePlan = {
		width: 1,
		iterations: 3,
		review: true,
		price: "any",
		efforts: "least",
		shrunk: null,
		...more.plan,
	};
	const result = await runCode(TASK, plan, cast, engine, (event) => told.progress.push(event));
	return { outcome: result.ok ? result.value : null, reason: result.ok ? null : result.failure.reason, ...told };
}

const stagesOf = ({ questions }: Told) => questions.map(({ stage, role }) => `${stage} ${role}`);

describe("the loop", () => {
	it("stops when the review passes", async () => {
		const done = await run((question, boundary) => (question.json ? verdict(true, 0.9) : written(boundary, GOOD)));
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer"]);
		expect(done.outcome).toEqual({
			files: [GOOD],
			review: { passed: true, score: 0.9, issues: [], reviewer: "critic", lacksVerdict: false },
			confidence: 0.9,
			iterations: 1,
			stop: "passed",
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

	it.each<[string, number]>([
		['{"passed": true, "score": "0.9", "issues": []}', 0.9],
		['{"passed": "true", "score": 9}', 0.9],
		['It is {good}. {"verdict": {"passed": true, "score": 90, "issues": []}}', 0.9],
		['[{"passed": true, "score": 1}]', 1],
	])("reads a critic's verdict leniently: %s", async (reply, score) => {
		const done = await run((question, boundary) => (question.json ? reply : written(boundary, GOOD)));
		expect(done.outcome?.review).toMatchObject({ passed: true, score, lacksVerdict: false });
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer"]);
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
			(question, boundary) => (question.json ? verdict(false, 0.5, ["wrong"]) : written(boundary, GOOD)),
			{ covers: ({ questions }) => questions.length < 3 },
		);
		expect(done.outcome).toMatchObject({ stop: "budget", iterations: 2 });
	});

	it("keeps what it has when a repair is not answered", async () => {
		const done = await run((question, boundary) => {
			if (question.json) return verdict(false, 0.5, ["wrong"]);
			return question.stage === "generate:0" ? written(boundary, GOOD) : null;
		});
		expect(done.outcome).toMatchObject({ stop: "no_answer", iterations: 1, files: [GOOD], review: { score: 0.5 } });
	});

	it("produces no code when no coder answers, and when none writes a file", async () => {
		expect((await run(() => null)).reason).toBe("no_code_produced");
		const prose = await run(() => "I cannot do that.");
		expect(prose.reason).toBe("no_code_produced");
		expect(stagesOf(prose)).toEqual(["generate:0 coder", "generate:1 coder", "generate:2 coder"]);
		expect(textOf(prose.questions[1] as Question)).toContain("There are no files yet");
	});
});

describe("a critic", () => {
	it("that cannot be read is asked once more for its verdict, and then passes nothing", async () => {
		const done = await run((question, boundary) => (question.json ? "Looks good!" : written(boundary, GOOD)), {
			plan: { iterations: 1 },
		});
		expect(stagesOf(done)).toEqual(["generate:0 coder", "review:0 reviewer", "review:0 reviewer"]);
		expect(done.outcome?.review).toEqual({
			passed: false,
			score: 0,
			issues: ["the reviewer's verdict could not be read"],
			reviewer: "critic",
			lacksVerdict: true,
		});
	});

	it("that gave no verdict on sound files is asked again in the next cycle, and the coder is not", async () => {
		let reviews = 0;
		const done = await run((question, boundary) => {
			if (!question.json) return written(boundary, GOOD);
			return ++reviews <= 2 ? "Looks good!" : verdict(true, 0.9);
		});
		expect(stagesOf(done)).toEqual([
			"generate:0 coder",
			...["review:0 reviewer", "review:0 reviewer"],
			"review:1 reviewer",
		]);
		expect(done.outcome).toMatchObject({ iterations: 2, stop: "passed", review: { passed: true, score: 0.9 } });
		expect(done.details["generate:1"]).toMatchObject({ drafts: [] });
	});

	it("that is not there passes nothing", async () => {
		const done = await run((question, boundary) => (question.json ? null : written(boundary, GOOD)), {
			plan: { iterations: 1 },
		});
		expect(done.outcome?.review).toMatchObject({ passed: false, issues: ["the reviewer gave no verdict"] });
	});

	it("that passes code it is not sure of does not pass it", async () => {
		const done = await run((question, boundary) => (question.json ? verdict(true, 0.4) : written(boundary, GOOD)), {
			plan: { iterations: 1 },
		});
		expect(done.outcome?.review).toMatchObject({ passed: false, score: 0.4 });
	});

	it("may write its issues as objects", async () => {
		const issues = [{ path: "add.py", description: "no types" }, "plain"];
		const done = await run(
			(question, boundary) =>
				question.json ? JSON.stringify({ passed: false, score: 0.2, issues }) : written(boundary, GOOD),
			{ plan: { iterations: 1 } },
		);
		expect(done.outcome?.review.issues).toEqual(["add.py: no types", "plain"]);
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
