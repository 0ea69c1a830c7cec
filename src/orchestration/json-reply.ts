// Replies in JSON: parsed leniently, repaired once by the model where they cannot be parsed, then given up. Pure.
import type * as z from "zod";
import { fitPlaceholder, placeholder, placeholderBytes } from "../inference/answer-placeholder.ts";
import { readability } from "./confidence.ts";
import {
	type Answer,
	type Engine,
	isAnswered,
	type NoAnswer,
	type Question,
	systemMessage,
	userMessage,
} from "./strategy.ts";

/** A question whose reply is parsed. */
export interface JsonQuestion<T> extends Question {
	json: true;
	schema: z.ZodType<T>;
	/** The form of the reply, in the words of the prompt. */
	form: string;
}

/** The parsed reply to a question. */
export interface JsonReply<T> {
	/** Null where no model answered, or none with JSON of the form. */
	value: T | null;
	reading: "read" | "repaired" | "unreadable" | "unanswered";
	reply: Answer | NoAnswer;
}

/** Parses the JSON object in a text, whatever fence or prose surrounds it; undefined when there is none. */
export function extractJson(text: string): unknown {
	const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
	if (from < 0 || to < from) return undefined;
	try {
		return JSON.parse(text.slice(from, to + 1));
	} catch {
		return undefined;
	}
}

function readReply<T>({ schema }: JsonQuestion<T>, text: string): T | null {
	const parsed = schema.safeParse(extractJson(text));
	return parsed.success ? parsed.data : null;
}

function repairJsonQuestion<T>({ stage, role, member, form, maxTokens }: JsonQuestion<T>, reply: string): Question {
	const messages = [
		systemMessage("You turn a text into the JSON object it stands for. You write the JSON object and nothing else."),
		userMessage(
			`This was to be a JSON object of the form ${form}, and cannot be read:\n\n${reply}\n\nWrite it as that object.`,
		),
	];
	return { stage, role, member, messages, maxTokens, temperature: 0, json: true, asksFor: "repair" };
}

/** The longest question that repairs an unreadable reply. */
export function longestRepair<T>(question: JsonQuestion<T>): Question {
	return repairJsonQuestion(question, placeholder(placeholderBytes(question.maxTokens)));
}

/** Asks side by side, then once more for the replies that cannot be parsed. */
export async function askJson<T>(engine: Engine, questions: readonly JsonQuestion<T>[]): Promise<JsonReply<T>[]> {
	const replies = await engine.ask(questions);
	const readings = questions.map((question, at): JsonReply<T> => {
		const reply = replies[at];
		if (!reply) throw new Error("one reply to one question");
		if (!isAnswered(reply)) return { value: null, reading: "unanswered", reply };
		const value = readReply(question, reply.text);
		return { value, reading: value === null ? "unreadable" : "read", reply };
	});
	const repairs = questions.flatMap((question, at) => {
		const reading = readings[at];
		if (reading?.reading !== "unreadable" || !reading.reply.ok) return [];
		return [
			{
				reading,
				question,
				repair: repairJsonQuestion(question, fitPlaceholder(reading.reply.text, placeholderBytes(question.maxTokens))),
			},
		];
	});
	const repaired = repairs.length > 0 ? await engine.ask(repairs.map(({ repair }) => repair)) : [];
	for (const [at, { reading, question }] of repairs.entries()) {
		const reply = repaired[at];
		const value = reply?.ok ? readReply(question, reply.text) : null;
		if (value !== null) Object.assign(reading, { value, reading: "repaired" });
		if (reply?.ok) reply.rate(readability(reading.reading === "repaired" ? "repaired" : "unreadable"));
	}
	for (const { reading, reply } of readings) {
		if (reply.ok && reading !== "unanswered") reply.rate(readability(reading));
	}
	return readings;
}
