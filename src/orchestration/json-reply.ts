// Replies in JSON: parsed leniently, repaired once by the model where they cannot be parsed, then given up. A question may also be
// asked again where no model answers. Pure.
import type * as z from "zod";
import { fitPlaceholder, jsonStringBytes, placeholder, placeholderBytes } from "../inference/answer-placeholder.ts";
import { materialRule, renderMaterial } from "../inference/material.ts";
import { joinText } from "../providers/model-call.ts";
import { readability } from "./confidence.ts";
import { extractJson } from "./loose-json.ts";
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
	/** The member that a reply means which is only a list. */
	listName?: string;
	/** Where no model answers, the question is asked once more. Its bound is `longestSecondTry`, else `longestRepair`. */
	asksSilentAgain?: true;
	/** Marks the reply in the prompt that repairs it (inference/material.ts). */
	repairNonce: string;
}

/** The parsed reply to a question. */
export interface JsonReply<T> {
	/** Null where no model answered, or none with JSON of the form. */
	value: T | null;
	reading: "read" | "repaired" | "unreadable" | "unanswered";
	reply: Answer | NoAnswer;
}

/** A value as it may be meant: itself, a list as the member of its name, and what an object holds alone or among others. */
function* toReadings(value: unknown, listName: string | undefined): Generator<unknown> {
	yield value;
	if (Array.isArray(value)) {
		if (listName !== undefined) yield { [listName]: value };
		if (value.length === 1) yield value[0];
	} else if (typeof value === "object" && value !== null) yield* Object.values(value);
}

/** A list of numbers alone says little: among several it is a part of a sentence. */
function isNumberList(value: unknown): boolean {
	return Array.isArray(value) && value.every((item) => typeof item === "number");
}

/** The values that may be meant, the likeliest first: of several the last, since reasons come first, and of lists only that. */
function toMeant(values: readonly unknown[]): unknown[] {
	const lists = values.filter((value) => Array.isArray(value));
	const last = lists.at(-1);
	const isClear = lists.length === 1 || !isNumberList(last);
	return values.filter((value) => !Array.isArray(value) || (value === last && isClear)).toReversed();
}

/** The value of the form in a reply; null without one. */
function readJson<T>({ schema, listName }: Pick<JsonQuestion<T>, "schema" | "listName">, text: string): T | null {
	for (const value of toMeant(extractJson(text))) {
		for (const reading of toReadings(value, listName)) {
			const parsed = schema.safeParse(reading);
			if (parsed.success) return parsed.data;
		}
	}
	return null;
}

const REPAIR_PROMPT =
	"You turn a text into the JSON object that it stands for. You add nothing to what it says. You write the JSON object and nothing else.";

function repairJsonQuestion<T>(question: JsonQuestion<T>, reply: string): Question {
	const { stage, role, member, form, maxTokens, jsonSchema, mayBeLeft, repairNonce: nonce } = question;
	const messages = [
		systemMessage(`${REPAIR_PROMPT}\n${materialRule(nonce)}`),
		userMessage(
			`This was to be a JSON object of the form ${form}, and cannot be read:\n\n${renderMaterial(nonce, "Text", [reply])}\n\nWrite it as that object.`,
		),
	];
	const place = { stage, role, member, mayBeLeft, asksFor: "repair" };
	return { ...place, messages, maxTokens, temperature: 0, json: true, jsonSchema };
}

/** The longest question that repairs an unreadable reply. */
export function longestRepair<T>(question: JsonQuestion<T>): Question {
	return repairJsonQuestion(question, placeholder(placeholderBytes(question.maxTokens)));
}

/** The bytes of a question's texts. Questions that differ only in their texts are bounded by these. */
function textBytes({ messages }: Question): number {
	return messages.reduce((sum, { content }) => sum + jsonStringBytes(joinText(content, "text") ?? ""), 0);
}

/** The longest question that may follow a question which asks a silent judge again. */
export function longestSecondTry<T>(question: JsonQuestion<T>): Question {
	const repair = longestRepair(question);
	return textBytes(question) > textBytes(repair) ? question : repair;
}

/** The same question to a member whose fallbacks go first. */
function askFallbackFirst<T>(question: JsonQuestion<T>): Question {
	const [first, ...fallbacks] = question.member;
	const [second, ...others] = fallbacks;
	return second === undefined ? question : { ...question, member: [second, ...others, first] };
}

/** Whether another call could bring the answer that is missing. */
function isWorthAsking({ failure, unaffordable }: NoAnswer): boolean {
	return !unaffordable && failure.reason === "all_models_failed" && failure.isFinal !== true;
}

/** The question that follows a reply; null where none does. */
function toSecondTry<T>(question: JsonQuestion<T>, { reading, reply }: JsonReply<T>): Question | null {
	if (!isAnswered(reply)) return question.asksSilentAgain && isWorthAsking(reply) ? askFallbackFirst(question) : null;
	if (reading !== "unreadable") return null;
	return repairJsonQuestion(question, fitPlaceholder(reply.text, placeholderBytes(question.maxTokens)));
}

function readReply<T>(question: JsonQuestion<T>, reply: Answer | NoAnswer): JsonReply<T> {
	if (!isAnswered(reply)) return { value: null, reading: "unanswered", reply };
	const value = readJson(question, reply.text);
	return { value, reading: value === null ? "unreadable" : "read", reply };
}

/** What is known after a second try. A repair leaves the first reply in place. */
function readSecondTry<T>(question: JsonQuestion<T>, first: JsonReply<T>, second: Answer | NoAnswer): JsonReply<T> {
	if (first.reading === "unanswered") return readReply(question, second);
	const { value } = readReply(question, second);
	const reading: JsonReply<T> = value === null ? first : { ...first, value, reading: "repaired" };
	if (second.ok) second.rate(readability(value === null ? "unreadable" : "repaired"));
	return reading;
}

/** Asks side by side, then once more for the replies that cannot be parsed, or that are missing where the question says so. */
export async function askJson<T>(engine: Engine, questions: readonly JsonQuestion<T>[]): Promise<JsonReply<T>[]> {
	const replies = await engine.ask(questions);
	const readings = questions.map((question, at): JsonReply<T> => {
		const reply = replies[at];
		if (!reply) throw new Error("one reply to one question");
		return readReply(question, reply);
	});
	const seconds = questions.flatMap((question, at) => {
		const first = readings[at];
		const again = first && toSecondTry(question, first);
		return first && again ? [{ at, question, first, again }] : [];
	});
	const secondReplies = seconds.length > 0 ? await engine.ask(seconds.map(({ again }) => again)) : [];
	for (const [place, { at, question, first }] of seconds.entries()) {
		const reply = secondReplies[place];
		if (reply) readings[at] = readSecondTry(question, first, reply);
	}
	for (const { reading, reply } of readings) {
		if (reply.ok && reading !== "unanswered") reply.rate(readability(reading));
	}
	return readings;
}
