// Refusals of providers, as their references and users quote them: which say that the prompt is too long, and by how much.
import { describe, expect, it } from "vitest";
import { readContextOverflow } from "../../../src/providers/context-overflow.ts";

const UNKNOWN = { tokens: null, maximum: null };

describe("an upstream's refusal", () => {
	it.each([
		["Anthropic", null, "prompt is too long: 208310 tokens > 200000 maximum", { tokens: 208_310, maximum: 200_000 }],
		["Anthropic, short", null, "Prompt is too long", UNKNOWN],
		[
			"Anthropic, of both",
			null,
			"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
			UNKNOWN,
		],
		[
			"OpenAI",
			"context_length_exceeded",
			"Your input exceeds the context window of this model. Please adjust your input and try again.",
			UNKNOWN,
		],
		[
			"OpenAI's chat",
			"context_length_exceeded",
			"This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.",
			{ tokens: 130_012, maximum: 128_000 },
		],
		[
			"DeepSeek",
			"invalid_request_error",
			"This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (139000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
			{ tokens: 140_000, maximum: 131_072 },
		],
		["Groq", "context_length_exceeded", "Please reduce the length of the messages or completion.", UNKNOWN],
		[
			"Google",
			"INVALID_ARGUMENT",
			"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
			{ tokens: 1_200_000, maximum: 1_048_576 },
		],
		[
			"Google, the maximum alone",
			"INVALID_ARGUMENT",
			"The input token count exceeds the maximum number of tokens allowed (1048576).",
			UNKNOWN,
		],
		["Bedrock", "ValidationException", "Input is too long for requested model.", UNKNOWN],
		[
			"Claude at Bedrock",
			"ValidationException",
			"The model returned the following errors: prompt is too long: 208310 tokens > 200000 maximum",
			{ tokens: 208_310, maximum: 200_000 },
		],
		[
			"Nova",
			"ValidationException",
			"Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
			UNKNOWN,
		],
		[
			"another of Bedrock's",
			"ValidationException",
			"400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9123 ",
			{ tokens: 9_123, maximum: 8_192 },
		],
		[
			"xAI",
			null,
			"This model's maximum prompt length is 131072 but the request contains 150003 tokens.",
			{ tokens: 150_003, maximum: 131_072 },
		],
		[
			"Mistral",
			"invalid_request_error",
			"Prompt contains 40004 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
			{ tokens: 40_004, maximum: 32_768 },
		],
		[
			"llama.cpp",
			"exceed_context_size_error",
			"request (1407 tokens) exceeds the available context size (256 tokens), try increasing it",
			{ tokens: 1_407, maximum: 256 },
		],
		[
			"llama.cpp, older",
			"500",
			"the request exceeds the available context size. try increasing the context size or enable context shift",
			UNKNOWN,
		],
		[
			"LM Studio",
			null,
			"Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
			{ tokens: 14_538, maximum: 2_048 },
		],
		[
			"vLLM, of both",
			"400",
			"This model's maximum context length is 131072 tokens. However, you requested 128000 output tokens and your prompt contains at least 3073 input tokens, for a total of at least 131073 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=3073)",
			UNKNOWN,
		],
	])("of %s is an overflow", (_, code, message, overflow) => {
		expect(readContextOverflow({ code, message })).toEqual(overflow);
	});

	it.each([
		["invalid_request_error", "messages: text content blocks must be non-empty"],
		["string_too_long", "tools[0].function.name is too long"],
		[null, "max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens"],
	])("of another kind is none: %s, %s", (code, message) => {
		expect(readContextOverflow({ code, message })).toBeNull();
	});
});
