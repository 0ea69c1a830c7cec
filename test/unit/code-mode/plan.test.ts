// What a run may cost: the whole graph is reserved where the money covers it, else less of it is done and said.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CodeCast } from "../../../src/code-mode/cast.ts";
import { type CodePlan, chooseCodePlan } from "../../../src/code-mode/plan.ts";
import type { CodeOptions, CodeTask } from "../../../src/code-mode/request.ts";
import { fail, ok, type Result } from "../../../src/failure.ts";
import { jsonStringBytes } from "../../../src/inference/answer-placeholder.ts";
import type { Question } from "../../../src/orchestration/strategy.ts";
import { TASK as LOOP_TASK, type LoopReply, runLoop, verdict, written } from "../../support/code-loop.ts";
import { questionText } from "../../support/fake-engine.ts";
import { NONCE } from "../../support/nonce.ts";

const TASK: CodeTask = {
	text: "Add",
	language: { id: "python", evidence: "default" },
	maxTokens: 100,
	temperature: 0.2,
	nonce: NONCE,
};
const DEPTH: CodeOptions = { policy: "depth", review: true, iterations: 3, coderModel: null, reviewerModel: null };
const NONE = { soft: null, hard: null };

function castOf({ width, review, price }: CodePlan): CodeCast {
	const name = { any: "dear", low: "cheap", fitting: "cheap", lowest: "least" }[price];
	const [first = [name], ...rest] = Array.from({ length: width }, (_, at): [string] => [`${name}-${at}`]);
	return {
		coders: [first as [string], ...(rest as [string][])],
		critic: review ? [`${name}-critic`] : null,
		notes: [],
	};
}

/** Ten a call, of a cheap model one, of the cheapest half of that. */
const boundOf = ({ member: [id] }: Question): Result<number> =>
	ok(id.startsWith("cheap") ? 1 : id.startsWith("least") ? 0.5 : 10);
const hard = (nanoUsd: number) => ({ soft: null, hard: { scope: "plan_envelope" as const, nanoUsd } });

function planned(limits: Parameters<typeof chooseCodePlan>[2], bounds = boundOf, asked = DEPTH) {
	const chosen = chooseCodePlan(asked, TASK, limits, castOf, { chosen: bounds, least: bounds });
	if (!chosen.ok) return { failure: chosen.failure };
	const { plan, boundNanoUsd } = chosen.value;
	return { ...plan, bound: boundNanoUsd };
}

describe("a plan", () => {
	it("without limits is reserved whole: drafts, reviews with a repair of each verdict, and every repair", () => {
		// 3 drafts + 3 x (review + its repair) = 9; then twice draft + review + its repair: 15 calls. Room for as many again: each draft
		// may be continued, and each review may be asked of a second critic.
		expect(planned(NONE)).toEqual({
			...{ width: 3, iterations: 3, review: true, confirms: true, price: "any", efforts: "chosen" },
			...{ shrunk: null, bound: 300 },
		});
		const unreviewed = { ...DEPTH, review: false, iterations: 1 };
		expect(planned(NONE, boundOf, unreviewed)).toMatchObject({ width: 1, review: false, confirms: false, bound: 20 });
	});

	it("has room for as many of the calls that not every cycle needs as the limits cover, first those of the first cycle", () => {
		const bounds = [150, 179, 180, 239, 240, 249, 250, 299, 300].map((soft) => planned({ soft, hard: null }));
		// 3 continuations, 3 second reviews with their repairs; then a continuation, a second review with its repair, twice.
		expect(bounds.map((plan) => "bound" in plan && plan.bound)).toEqual([
			...[150, 150, 180, 180, 240, 240],
			...[250, 280, 300],
		]);
	});

	it("leaves out what no model may be asked to continue", () => {
		const noContinuing = (question: Question): Result<number> =>
			question.stage.startsWith("continue")
				? fail({ reason: "model_blocked", message: "no", excluded: {} })
				: boundOf(question);
		expect(planned(NONE, noContinuing)).toMatchObject({ width: 3, shrunk: null, bound: 250 });
	});

	it.each([
		[149, { width: 3, price: "any", bound: 149, shrunk: "repairs as far as max_cost_usd reaches" }],
		[90, { width: 3, price: "any", bound: 90 }],
		[89, { width: 2, price: "any", bound: 89, shrunk: expect.stringContaining("2 of 3 coders, to stay within") }],
		[40, { width: 1, price: "any", bound: 40 }],
		[29, { width: 1, price: "low", iterations: 3, bound: 18 }],
		[5, { width: 1, price: "low", bound: 5, shrunk: expect.stringContaining("repairs as far as") }],
		[2, { price: "fitting", review: false, iterations: 1, bound: 2 }],
		[1, { price: "fitting", review: false, iterations: 1, bound: 1 }],
		[
			0.5,
			{ price: "lowest", review: false, iterations: 1, bound: 0.5, shrunk: expect.stringContaining("to stay within") },
		],
		[
			0.1,
			{
				price: "lowest",
				review: false,
				iterations: 1,
				bound: 0.5,
				shrunk: expect.stringContaining("may cost more than max_cost_usd"),
			},
		],
	])("under a soft limit of %s is what of it fits, and one cheapest call always", (soft, expected) => {
		expect(planned({ soft, hard: null })).toMatchObject(expected);
	});

	it("keeps to a hard limit, and is refused below the cheapest call", () => {
		expect(planned(hard(100))).toMatchObject({ bound: 100 });
		expect(planned({ soft: 0.5, hard: { scope: "max_cost", nanoUsd: 1 } })).toMatchObject({ bound: 0.5 });
		expect(planned(hard(0.4))).toMatchObject({ failure: { reason: "cost_limit_exceeded", scope: "plan_envelope" } });
	});

	it("leaves out what no model may be asked, and says that this is why", () => {
		const noReview = (question: Question): Result<number> =>
			question.json ? fail({ reason: "model_blocked", message: "no", excluded: {} }) : boundOf(question);
		expect(planned(NONE, noReview)).toMatchObject({
			review: false,
			shrunk: expect.stringContaining("since no model takes the prompts of more"),
		});
		const nobody = (): Result<number> => fail({ reason: "model_blocked", message: "no", excluded: {} });
		expect(planned(NONE, nobody)).toEqual({ failure: { reason: "model_blocked", message: "no", excluded: {} } });
	});
});

describe("the bound", () => {
	/** More for a longer prompt, and more for some models than for others. */
	const priceOf = (question: Question): number => {
		const rates = question.member.map((id) => 1 + ([...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 3));
		return Math.max(...rates) * (jsonStringBytes(questionText(question)) + 8 * question.maxTokens);
	};
	const long = "x = 1\n".repeat(700);
	const content = fc.constantFrom("x = 1\n", "x = (\n", long, "日本\n".repeat(900));
	const coder = fc.tuple(fc.constantFrom("whole", "cut", "prose", "silent", "half"), content);
	const critic = fc.constantFrom("pass", "fail", "no word", "prose", "silent", "many issues");
	const draftReplies = (boundary: string, text: string): Record<string, LoopReply> => {
		const whole = written(boundary, { path: "a.py", content: text });
		return {
			whole,
			prose: "I would rather not.",
			silent: null,
			cut: { cut: whole.slice(0, whole.length / 2) },
			half: { cut: `${whole}<<<FILE ${boundary} b.py>>>\nx` },
		};
	};
	const VERDICTS: Record<string, string | null> = {
		pass: verdict(true, 0.9),
		fail: verdict(false, 0.4, ["wrong"]),
		"no word": verdict(false, 0.4),
		prose: "Looks good. ".repeat(900),
		silent: null,
		"many issues": verdict(
			false,
			0.5,
			Array.from({ length: 20 }, () => "日本".repeat(250)),
		),
	};

	it("covers every call that may be made, whatever models answer", async () => {
		const replies = fc.record({
			coders: fc.array(coder, { minLength: 1 }),
			critics: fc.array(critic, { minLength: 1 }),
		});
		await fc.assert(
			fc.asyncProperty(replies, fc.constantFrom("depth", "balanced"), async ({ coders, critics }, policy) => {
				const prices = (question: Question): Result<number> => ok(priceOf(question));
				const castFor = (plan: CodePlan): CodeCast => ({ ...castOf(plan), critic: ["critic", "second", "third"] });
				const options: CodeOptions = { ...DEPTH, policy };
				const chosen = chooseCodePlan(options, LOOP_TASK, NONE, castFor, { chosen: prices, least: prices });
				if (!chosen.ok) throw new Error(chosen.failure.reason);
				const { plan, cast, boundNanoUsd } = chosen.value;
				let asked = 0;
				const done = await runLoop(
					(question, boundary) => {
						const place = asked++;
						if (question.json) return VERDICTS[critics[place % critics.length] ?? ""] ?? null;
						const [kind, text] = coders[place % coders.length] ?? ["silent", ""];
						return draftReplies(boundary, text)[kind] ?? null;
					},
					{ plan, cast },
				);
				const spent = done.questions.reduce((sum, question) => sum + priceOf(question), 0);
				expect(spent).toBeLessThanOrEqual(boundNanoUsd);
				for (const [stage, count] of Map.groupBy(done.questions, ({ stage }) => stage)) {
					// One draft and one continuation a coder; two verdicts a draft, each repaired once.
					const drafts = stage.endsWith(":0") ? plan.width : 1;
					expect(count.length).toBeLessThanOrEqual(stage.startsWith("review") ? 4 * drafts : drafts);
				}
			}),
			{ numRuns: 150 },
		);
	});
});
