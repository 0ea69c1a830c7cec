// The fields of a chat body that tools do not list. Pure.

/**
 * Fields of chat bodies that a model which calls a tool hardly needs: sampling in detail, what clients carry through, files that it
 * would have to write in base64, and the rules of a config.
 */
export const UNLISTED_CHAT_FIELDS: readonly string[] = [
	...["top_p", "presence_penalty", "frequency_penalty", "seed", "logit_bias", "logprobs", "top_logprobs", "n"],
	...["max_completion_tokens", "parallel_tool_calls", "tool_choice", "user", "metadata"],
	...["refusal", "reasoning_content", "reasoning", "thinking_blocks", "extra_content"],
	...["detail", "file", "input_audio", "strict", "rules"],
];
