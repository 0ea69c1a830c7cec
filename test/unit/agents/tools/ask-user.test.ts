// The built-in tool ask_user: its question, and the answers that pass.
import { describe, expect, it } from "vitest";
import { checkInputPayload, parseAskUser } from "../../../../src/agents/tools/ask-user.ts";

describe("a question to the user", () => {
	it("has words, and choices where only those pass", () => {
		expect(parseAskUser({ question: " Which? ", choices: ["A", "B", "A"] })).toEqual({
			ok: true,
			question: "Which?",
			choices: ["A", "B"],
		});
		expect(parseAskUser({ question: "Which?", choices: [] })).toMatchObject({ choices: null });
	});

	it.each([null, {}, { question: " " }, { question: "Q", choices: "A" }, { question: "Q".repeat(5_000) }])(
		"%.60j is told what would pass",
		(args) => {
			expect(parseAskUser(args)).toMatchObject({ ok: false, message: expect.stringContaining('"question"') });
		},
	);
});

describe("an answer", () => {
	const any = { question: "Q", choices: null };
	const choice = { question: "Q", choices: ["Main", "Savings"] };

	it.each([
		[any, "Tomorrow."],
		[any, { answer: " Tomorrow. " }],
	])("is what the model reads", (question, payload) => {
		expect(checkInputPayload(question, payload)).toEqual({ ok: true, output: "The user answered: Tomorrow." });
	});

	it.each([
		[any, ""],
		[any, " "],
		[any, 3],
		[any, null],
		[any, { text: "x" }],
		[any, "x".repeat(20_000)],
	])("that is none is refused: %j %.40j", (question, payload) => {
		expect(checkInputPayload(question, payload).ok).toBe(false);
	});

	it("is one of the choices, where there are some", () => {
		expect(checkInputPayload(choice, "Main")).toMatchObject({ ok: true });
		expect(checkInputPayload(choice, "main")).toEqual({ ok: false, message: 'must be one of "Main", "Savings"' });
	});
});
