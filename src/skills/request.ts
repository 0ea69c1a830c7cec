// The body of a skill's invocation, and the chat request that it stands for: the skill's body as the system prompt, the task
// as the user's message. Pure.
import * as z from "zod";
import { withChatFieldNames } from "../chat/field-names.ts";
import { type ChatRequest, chatRequestSchema } from "../chat/request.ts";
import type { Failure } from "../failure.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import type { Skill } from "./skill.ts";

/** Visible tokens that there must be room for where the client sets no limit (docs/reference.md, "Skills"). */
const LEAST_VISIBLE_TOKENS = 1_000;

/** One turn has no history, and nobody to hand a tool's result back to. */
const notTaken = z.null({ error: "a skill takes one task and answers it in one turn; chat takes this" }).optional();

/** Fields of an invocation: those of chat but for messages and tools. A `null` counts as absent. */
export const skillRequestSchema = z.lazy(() =>
	chatRequestSchema
		.unwrap()
		.omit({ messages: true, tools: true })
		.extend({
			task: z
				.string()
				.regex(/\S/, "must not be blank")
				.describe("What the skill is put to, with all that it needs to know."),
			messages: notTaken,
			tools: notTaken,
		}),
);

export type SkillRequest = z.output<typeof skillRequestSchema>;

type Messages = [{ role: "system"; content: string }, { role: "user"; content: string }];

/** The two messages that an invocation stands for; its receipt's `input_hash` is over them. */
export function messagesOf({ raw }: Skill, task: string): Messages {
	return [
		{ role: "system", content: raw },
		{ role: "user", content: task },
	];
}

/**
 * The chat request that an invocation stands for, and the same before validation.
 * @param rawBody an object.
 */
export function toChatRequest(
	{ task, tools: _tools, ...options }: SkillRequest,
	skill: Skill,
	rawBody: unknown,
): { body: ChatRequest; rawBody: Record<string, unknown> } {
	const messages = messagesOf(skill, task);
	const { task: _task, ...rawOptions } = rawBody as Record<string, unknown>;
	return { body: { ...options, messages }, rawBody: { ...rawOptions, messages } };
}

/**
 * What an invocation options beside a chat's: a task of a few words is an expert's work all the same, and an answer that nobody
 * set a limit for may be as long as its model and the ceiling allow.
 */
export function asWork(
	{ call, options: chatWishes }: InferenceRequest,
	{ max_tokens, max_completion_tokens }: Pick<SkillRequest, "max_tokens" | "max_completion_tokens">,
): InferenceRequest {
	const options = { ...chatWishes, leastMode: "balanced" as const };
	if ((max_completion_tokens ?? max_tokens) != null) return { call, options };
	return { call: { ...call, maxTokens: LEAST_VISIBLE_TOKENS }, options: { ...options, outputLimit: "most" } };
}

/** A failure of the engine, as the sender of a task understands it. */
export function inSkillFields(failure: Failure): Failure {
	const inChat = withChatFieldNames(failure);
	if (inChat.reason !== "invalid_request") return inChat;
	const issues = inChat.issues.map(({ path, message }) => ({ path: path === "messages" ? "task" : path, message }));
	return { ...inChat, issues };
}
