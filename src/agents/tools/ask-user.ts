// The built-in tool ask_user: a question to the person who began the run. The run waits for the answer as a pending `input`; this file
// reads the question, checks the answer, and says it to the model. Pure.
import * as z from "zod";
import type { ToolForm } from "./tool.ts";

const MAX_QUESTION_CHARS = 4_000;
const MAX_CHOICES = 20;
const MAX_CHOICE_CHARS = 200;
const MAX_ANSWER_CHARS = 16_384;

/** The definition that models are sent. */
export const ASK_USER_FORM: ToolForm = {
	name: "ask_user",
	description:
		'Asks the user one question and waits for the answer. Use it only for what neither the goal nor another tool tells. Example: {"question":"Which account is to be charged?","choices":["Main","Savings"]}',
	parameters: {
		type: "object",
		properties: {
			question: { type: "string" },
			choices: { type: "array", items: { type: "string" }, description: "The answers that are allowed; none for any." },
		},
		required: ["question"],
	},
};

/** A question as it is asked. */
export interface UserQuestion {
	question: string;
	/** The answers that are allowed; null for any. */
	choices: string[] | null;
}

const questionSchema = z.lazy(() =>
	z.object({
		question: z.string().trim().min(1).max(MAX_QUESTION_CHARS),
		choices: z.array(z.string().trim().min(1).max(MAX_CHOICE_CHARS)).max(MAX_CHOICES).nullish(),
	}),
);

type Checked<T> = ({ ok: true } & T) | { ok: false; message: string };

/** Reads a call's arguments. The message is the model's error result. */
export function parseAskUser(args: unknown): Checked<UserQuestion> {
	const parsed = questionSchema.safeParse(args);
	if (!parsed.success) {
		const message = `ask_user takes a "question" of 1 to ${MAX_QUESTION_CHARS} characters and at most ${MAX_CHOICES} "choices", which are texts of at most ${MAX_CHOICE_CHARS} characters.`;
		return { ok: false, message };
	}
	const choices = [...new Set(parsed.data.choices ?? [])];
	return { ok: true, question: parsed.data.question, choices: choices.length > 0 ? choices : null };
}

/** The answer in a payload: a text, or an object with `answer`. */
const payloadSchema = z.lazy(() =>
	z.union([z.string(), z.object({ answer: z.string() }).transform(({ answer }) => answer)]),
);

/** Checks a person's answer. The message is for that person; `output` is what the model reads. */
export function checkInputPayload({ choices }: UserQuestion, payload: unknown): Checked<{ output: string }> {
	const parsed = payloadSchema.safeParse(payload);
	const answer = parsed.success ? parsed.data.trim() : "";
	if (answer === "") return { ok: false, message: 'must be the answer: a text that is not blank, or {"answer": text}' };
	if (answer.length > MAX_ANSWER_CHARS)
		return { ok: false, message: `has ${answer.length} characters, at most ${MAX_ANSWER_CHARS}` };
	if (choices && !choices.includes(answer))
		return { ok: false, message: `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}` };
	return { ok: true, output: `The user answered: ${answer}` };
}
