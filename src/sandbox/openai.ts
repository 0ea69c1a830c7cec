// The sandbox in OpenAI's chat completions format: request to prompt, reply to body, error body.
import * as z from "zod";
import type { Faults } from "./faults.ts";
import type { SandboxPrompt, SandboxReply } from "./reply.ts";

const content = z
	.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
	.nullish();

/** As strict as an upstream: what it does not accept is an error, not a guess. */
export const openaiRequest = z.looseObject({
	model: z.string(),
	messages: z
		.array(z.looseObject({ role: z.enum(["system", "developer", "user", "assistant", "tool"]), content }))
		.min(1),
	max_tokens: z.int().positive().optional(),
	max_completion_tokens: z.int().positive().optional(),
	tools: z
		.array(
			z.object({
				type: z.literal("function"),
				function: z.looseObject({
					name: z.string(),
					description: z.string().optional(),
					parameters: z.record(z.string(), z.unknown()).optional(),
				}),
			}),
		)
		.optional(),
	tool_choice: z
		.union([
			z.enum(["auto", "none", "required"]),
			z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
		])
		.optional(),
	parallel_tool_calls: z.boolean().optional(),
	response_format: z
		.looseObject({
			type: z.string(),
			json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() }).optional(),
		})
		.optional(),
});
export type OpenaiRequest = z.infer<typeof openaiRequest>;

function textOf(value: z.infer<typeof content>): string {
	if (typeof value === "string") return value;
	return (value ?? []).map(({ text }) => text ?? "").join("\n");
}

/** The wire-independent prompt of a request. */
export function promptOf(request: OpenaiRequest): SandboxPrompt {
	const lastUser = request.messages.findLastIndex(({ role }) => role === "user");
	const choice = request.tool_choice ?? "auto";
	const format = request.response_format;
	return {
		model: request.model,
		userText: textOf(request.messages[lastUser]?.content),
		toolResults: request.messages
			.slice(lastUser + 1)
			.filter(({ role }) => role === "tool")
			.map((message) => textOf(message.content)),
		tools: (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
			name,
			description: description ?? "",
			parameters: parameters ?? {},
		})),
		toolChoice: typeof choice === "string" ? choice : { name: choice.function.name },
		parallelToolCalls: request.parallel_tool_calls ?? true,
		json:
			format?.type === "json_schema"
				? (format.json_schema?.schema ?? true)
				: format?.type === "json_object"
					? true
					: null,
	};
}

function tokens(text: string): number {
	return Math.ceil(text.length / 4);
}

/** An id that depends on the request alone: the same request gives the same bytes. */
function digest(text: string): string {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
	return hash.toString(16).padStart(8, "0");
}

/** When the sandbox claims to have answered: a constant, for the same reason. */
const CREATED = 1_750_000_000;

/** The completion body of a reply. */
export function completionBody(request: OpenaiRequest, reply: SandboxReply, faults: Faults): Record<string, unknown> {
	const limit = request.max_completion_tokens ?? request.max_tokens ?? 1_000;
	const id = digest(JSON.stringify(request));
	const full = faults.empty ? "" : reply.text;
	const text = full === null ? null : full.slice(0, limit * 4);
	const toolCalls = faults.empty
		? []
		: reply.toolCalls.map((call, index) => ({
				id: `call_${id}_${index}`,
				type: "function",
				function: { name: call.name, arguments: JSON.stringify(call.arguments) },
			}));
	const cut = text !== null && full !== null && text.length < full.length;
	const prompt = request.messages.reduce(
		(sum, message) => sum + tokens(textOf(message.content)) + 4,
		tokens(JSON.stringify(request.tools ?? "")),
	);
	const completion = Math.min(limit, tokens(text ?? JSON.stringify(toolCalls)));
	const usage = faults.overrun
		? { prompt_tokens: prompt, completion_tokens: limit * 10, total_tokens: prompt + limit * 10 }
		: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
	return {
		id: `chatcmpl-${id}`,
		object: "chat.completion",
		created: CREATED,
		model: request.model,
		choices: [
			{
				index: 0,
				message: {
					role: "assistant",
					content: text,
					refusal: null,
					...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
				},
				logprobs: null,
				finish_reason: toolCalls.length > 0 ? "tool_calls" : cut ? "length" : "stop",
			},
		],
		...(faults.noUsage ? {} : { usage }),
	};
}

/** The error body of a status. */
export function errorBody(status: number, message: string): Record<string, unknown> {
	const type = status === 429 ? "rate_limit_exceeded" : status >= 500 ? "server_error" : "invalid_request_error";
	return { error: { message, type, param: null, code: status === 429 ? type : null } };
}
