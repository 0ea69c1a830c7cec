// The fields of a chat body: the engine's names of them in failures and warnings, and those that tools do not list. Pure.
import type { Failure } from "../failure.ts";
import type { Warning } from "../providers/model-call.ts";

/** Only the names that differ. */
const CHAT_FIELDS: Readonly<Record<string, string>> = {
	output: "response_format",
	effort: "reasoning_effort",
	config: "brain_config",
};

function toChatField(name: string): string {
	return Object.hasOwn(CHAT_FIELDS, name) ? (CHAT_FIELDS[name] ?? name) : name;
}

/** A failure of the engine under the names of a chat body. */
export function withChatFieldNames(failure: Failure): Failure {
	if (failure.reason !== "invalid_request") return failure;
	return { ...failure, issues: failure.issues.map(({ path, message }) => ({ path: toChatField(path), message })) };
}

/** A warning of the engine under the same names. */
export function toChatWarning({ code, param, message }: Warning): {
	code: string;
	param: string | null;
	message: string;
} {
	return { code, param: param === null ? null : toChatField(param), message };
}

/**
 * Fields of chat bodies that a model which calls a tool hardly needs: sampling in detail, what clients carry through, and the
 * rules of a config.
 */
export const UNLISTED_CHAT_FIELDS: readonly string[] = [
	...["top_p", "presence_penalty", "frequency_penalty", "seed", "logit_bias", "logprobs", "top_logprobs", "n"],
	...["max_completion_tokens", "parallel_tool_calls", "tool_choice", "user", "metadata"],
	...["refusal", "reasoning_content", "reasoning", "thinking_blocks", "extra_content"],
	...["detail", "strict", "rules"],
];
