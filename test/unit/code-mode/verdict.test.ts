// What critics write instead of a verdict's form, and what it means.
import { describe, expect, it } from "vitest";
import { criticReview, isUsable, moreCautiousVerdict } from "../../../src/code-mode/review.ts";
import { codeVerdictSchema, VERDICT_SCHEMA } from "../../../src/code-mode/verdict.ts";

const read = (written: Record<string, unknown>) => codeVerdictSchema.parse({ issues: [], score: 0.9, ...written });
const review = (written: Record<string, unknown>, faults: string[] = []) =>
	criticReview(faults, { verdict: read(written), critic: "critic" });

describe("a verdict's form", () => {
	it("has the reason first, then the issues, then the verdict", () => {
		expect(Object.keys(VERDICT_SCHEMA.properties)).toEqual(["reason", "issues", "passed", "score"]);
	});

	it.each([
		["0.9", 0.9],
		["0,9", 0.9],
		[9, 0.9],
		["9/10", 0.9],
		["9 out of 10", 0.9],
		["4.5/5", 0.9],
		[90, 0.9],
		["90%", 0.9],
		["90 %", 0.9],
		["0.9 (good)", 0.9],
		[1, 1],
		["0", 0],
		["0%", 0],
	])("takes the score %j as %s", (score, share) => {
		expect(read({ score }).score).toBeCloseTo(share, 9);
	});

	it.each([["high"], [""], [-1], [101], ["11/10"], ["1/0"], [null], [undefined], ["1.2.3"]])(
		"takes no score from %j",
		(score) => {
			expect(codeVerdictSchema.safeParse({ passed: true, issues: [], score }).success).toBe(false);
		},
	);

	it.each([[{ score: 0.9 }], [{ reason: "Fine.", score: 0.9 }], [["wrong"]], ["fine"], [null]])(
		"takes no verdict from %j, which may be a part of one",
		(value) => {
			expect(codeVerdictSchema.safeParse(value).success).toBe(false);
		},
	);

	it.each([
		[true, true],
		["yes", true],
		["True", true],
		["passed", true],
		[1, true],
		["no", false],
		["false", false],
		["FAILED.", false],
		[0, false],
		["mostly", null],
		[null, null],
		[undefined, null],
	])("takes passed %j as %s", (passed, meant) => {
		expect(read({ passed }).passed).toBe(meant);
	});

	it.each([
		["add.py: no types", ["add.py: no types"]],
		["- no types\n2. no tests\n", ["no types", "no tests"]],
		[null, []],
		[undefined, []],
		["none", []],
		[["None.", "", " - "], []],
		[
			["a", "b\nc"],
			["a", "b c"],
		],
		[[{ path: "add.py", description: "no types" }], ["add.py: no types"]],
		[{ file: "add.py", message: "no types" }, ["add.py: no types"]],
		[{ "add.py": ["no types", "no tests"] }, ["add.py: no types", "add.py: no tests"]],
		[[{ path: "add.py", line: 3 }], ['{"path":"add.py","line":3}']],
	])("takes the issues %j as %j", (issues, meant) => {
		expect(read({ issues }).issues).toEqual(meant);
	});
});

describe("a verdict that contradicts itself", () => {
	it("does not pass with an issue", () => {
		expect(review({ passed: true, score: 0.95, issues: ["it divides by zero"] })).toMatchObject({
			passed: false,
			issues: ["it divides by zero"],
		});
	});

	it("that does not pass without an issue names its reason", () => {
		expect(review({ passed: false, reason: "It never closes the file." })).toMatchObject({
			passed: false,
			issues: ["It never closes the file."],
		});
		expect(isUsable(read({ passed: false, reason: "It never closes the file." }))).toBe(true);
	});

	it("that does not pass without a word is not usable", () => {
		expect(isUsable(read({ passed: false }))).toBe(false);
		expect(review({ passed: false })).toMatchObject({
			passed: false,
			issues: ["the reviewer did not pass it and named no issue"],
		});
	});

	it("does not pass with a score below the bar", () => {
		expect(review({ passed: true, score: 0.4 })).toMatchObject({ passed: false, score: 0.4 });
		expect(review({ passed: true, score: 0.4, reason: "It may overflow." }).issues).toEqual(["It may overflow."]);
	});

	it("and one that does not say whether it passes is decided by score and issues", () => {
		expect(review({}).passed).toBe(true);
		expect(review({ score: 0.6 }).passed).toBe(false);
		expect(review({ issues: ["wrong"] }).passed).toBe(false);
	});

	it("never passes what the static checks refute", () => {
		expect(review({ passed: true }, ["add.py:1: `(` is never closed"])).toMatchObject({ passed: false, score: 0.9 });
	});
});

describe("of two verdicts", () => {
	const given = (critic: string, written: Record<string, unknown>) => ({ critic, verdict: read(written) });
	const passes = given("a", { passed: true });
	const fails = given("b", { passed: false, score: 0.95, issues: ["wrong"] });

	it("the one that does not pass counts, whichever came first and whatever its score", () => {
		expect(moreCautiousVerdict(passes, fails)).toBe(fails);
		expect(moreCautiousVerdict(fails, passes)).toBe(fails);
	});

	it("of one mind the lower score counts", () => {
		const lower = given("b", { passed: true, score: 0.8 });
		expect(moreCautiousVerdict(passes, lower)).toBe(lower);
		expect(moreCautiousVerdict(lower, passes)).toBe(lower);
	});
});
