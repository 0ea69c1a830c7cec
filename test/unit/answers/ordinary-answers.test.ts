// Answers of many kinds are answers: no part of the verdict takes one for a refusal, an echo, an error message or another language.
import { describe, expect, it } from "vitest";
import { judgeAnswer } from "../../../src/answers/verdict.ts";
import { ORDINARY_ANSWERS } from "./ordinary-answers.ts";

describe.each(Object.entries(ORDINARY_ANSWERS))("an answer that is %s", (_, answers) => {
	it.each(answers.map((answer) => [answer[0].slice(0, 70), answer] as const))(
		"is an answer: %s",
		(__, [prompt, text, instructions = ""]) => {
			const said = { text, refusal: null, isFiltered: false, callsTools: false };
			expect(judgeAnswer(said, { prompt, instructions })).toMatchObject({ kind: null, text });
		},
	);
});
