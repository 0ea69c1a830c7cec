// The body of a skill's invocation, and the chat request that it stands for: the skill's text is the system prompt, the task is
// the user's message. Pure.
import * as z from "zod";
import { type ChatRequest, chatRequestSchema } from "../chat/request.ts";
import type { Failure } from "../failure.ts";
import { withClientFieldNames, withTextField } from "../inference/client-fields.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import { taskTextSchema } from "../inference/task-text.ts";
import type { JsonObject } from "../json.ts";
import type { Skill } from "./skill.ts";

/** Visible tokens that must have room when the client sets no limit (docs/reference/chat.md, "Skills"). */
const MIN_ANSWER_TOKENS = 1_000;

/** A skill answers in one turn: there is no history, and nobody to return a tool's result. */
const refusedField = z.null({ error: "a skill takes one task and answers it in one turn; chat takes this" }).optional();

/** The fields of a chat body without messages and tools, and the task. A `null` counts as absent. */
export const skillRequestSchema = z.lazy(() =>
	chatRequestSchema
		.unwrap()
		.omit({ messages: true, tools: true })
		.extend({
			task: taskTextSchema().regex(/\S/, "must not be blank").describe("The task with all it needs; at most 256 KiB."),
			messages: refusedField,
			tools: refusedField,
		}),
);

type SkillRequest = z.output<typeof skillRequestSchema>;

type SkillMessages = [{ role: "system"; content: string }, { role: "user"; content: string }];

/** The two messages that an invocation stands for. The receipt's `input_hash` covers them. */
function toSkillMessages({ raw }: Skill, task: string): SkillMessages {
	return [
		{ role: "system", content: raw },
		{ role: "user", content: task },
	];
}

/**
 * The chat request that an invocation stands for, after validation and before it.
 * @param rawBody an object.
 */
export function toChatRequest(
	{ task, tools: _tools, ...options }: SkillRequest,
	skill: Skill,
	rawBody: unknown,
): { body: ChatRequest; rawBody: Record<string, unknown> } {
	const messages = toSkillMessages(skill, task);
	const { task: _task, ...rawOptions }: JsonObject = Object(rawBody);
	return { body: { ...options, messages }, rawBody: { ...rawOptions, messages } };
}

/**
 * The options of an invocation. A short task is expert work too, so its mode is `balanced` at least. Without a limit of the
 * client's or a config's, an answer may be as long as its model and the ceiling allow.
 */
export function withSkillDefaults({ call, options: chatOptions }: InferenceRequest): InferenceRequest {
	const options = { ...chatOptions, leastMode: "balanced" as const };
	const isLimited = options.defaultMaxTokens === undefined || options.outputLimit !== undefined;
	if (isLimited) return { call, options };
	return {
		call: { ...call, maxTokens: MIN_ANSWER_TOKENS },
		options: { ...options, outputLimit: "most", defaultMaxTokens: Number.POSITIVE_INFINITY },
	};
}

/** A failure of the engine under the names of an invocation. */
export function withSkillFieldNames(failure: Failure): Failure {
	const inChat = withTextField(withClientFieldNames(failure), "task");
	if (inChat.reason !== "invalid_request") return inChat;
	const issues = inChat.issues.map(({ path, message }) => ({ path: path === "messages" ? "task" : path, message }));
	return { ...inChat, issues };
}
