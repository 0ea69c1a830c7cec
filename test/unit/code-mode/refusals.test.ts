// What code mode makes of a coder that refuses.
import { describe, expect, it } from "vitest";
import { outcomeReason } from "../../../src/code-mode/reason.ts";
import { GOOD, type LoopReply, runLoop, verdict, written } from "../../support/code-loop.ts";

const REFUSED = { refused: "I can't help with that." };
const cast = { coders: [["coder-a", "coder-b"]] as const };

function say(byModel: (model: string) => LoopReply) {
	return runLoop(
		(question, boundary) => {
			if (!question.stage.startsWith("generate")) return verdict(true, 0.9);
			const reply = byModel(question.member[0]);
			return reply === "code" ? written(boundary, GOOD) : reply;
		},
		{ cast },
	);
}

describe("a coder that refuses", () => {
	it("alone has one other model asked", async () => {
		const { outcome, questions } = await say((model) => (model === "coder-a" ? REFUSED : "code"));
		expect(outcome?.files).toEqual([GOOD]);
		expect(questions.filter(({ stage }) => stage.startsWith("generate")).map(({ member }) => member)).toEqual([
			["coder-a", "coder-b"],
			["coder-b"],
		]);
		expect(outcome && outcomeReason(outcome)).toContain("coder-a wrote none (it refused), so another model did");
	});

	it("a repair is said to refuse it", async () => {
		const { outcome } = await runLoop(
			(question, boundary) => {
				if (!question.stage.startsWith("generate")) return verdict(false, 0.5, ["wrong"]);
				return question.stage === "generate:0" ? written(boundary, GOOD) : REFUSED;
			},
			{ cast },
		);
		expect(outcome && outcomeReason(outcome)).toContain("a repair was refused");
	});

	it("like the other one leaves no code, and says why", async () => {
		const { outcome, failure, questions } = await say(() => REFUSED);
		expect(outcome).toBeNull();
		expect(failure).toMatchObject({
			reason: "no_code_produced",
			message: expect.stringMatching(/^every model that was asked refused: coder-b/),
		});
		expect(questions).toHaveLength(2);
	});

	it("is not asked after where what is left does not cover it", async () => {
		const { questions } = await runLoop(() => REFUSED, { cast, covers: () => false });
		expect(questions).toHaveLength(1);
	});
});
