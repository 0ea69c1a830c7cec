// What a run may cost: the whole graph is reserved where the money covers it, else less of it is done and said.
import { describe, expect, it } from "vitest";
import type { CodeCast } from "../../../src/code-mode/cast.ts";
import { type CodePlan, chooseCodePlan } from "../../../src/code-mode/plan.ts";
import type { CodeOptions, CodeTask } from "../../../src/code-mode/request.ts";
import { fail, ok, type Result } from "../../../src/failure.ts";
import type { Question } from "../../../src/orchestration/strategy.ts";
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
		// 3 drafts + 3 x (review + its repair) = 9; then twice draft + review + its repair.
		expect(planned(NONE)).toEqual({
			...{ width: 3, iterations: 3, review: true, price: "any", efforts: "chosen" },
			...{ shrunk: null, bound: 150 },
		});
		const unreviewed = { ...DEPTH, review: false, iterations: 1 };
		expect(planned(NONE, boundOf, unreviewed)).toMatchObject({ width: 1, review: false, bound: 10 });
	});

	it.each([
		[149, { width: 3, price: "any", bound: 149, shrunk: "repairs as far as max_cost_usd reaches" }],
		[90, { width: 3, price: "any", bound: 90 }],
		[89, { width: 2, price: "any", bound: 89, shrunk: expect.stringContaining("2 of 3 coders, to stay within") }],
		[40, { width: 1, price: "any", bound: 40 }],
		[29, { width: 1, price: "low", iterations: 3, bound: 9 }],
		[5, { width: 1, price: "low", bound: 5, shrunk: expect.stringContaining("repairs as far as") }],
		[2, { price: "fitting", review: false, iterations: 1, bound: 1 }],
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
