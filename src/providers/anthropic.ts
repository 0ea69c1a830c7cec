// The Anthropic Messages format: its four directions together.
import { parseAnthropicAnswer, parseAnthropicError, parseAnthropicUsage } from "./anthropic-answer.ts";
import { prepareAnthropicPrompt, renderAnthropicRequest } from "./anthropic-request.ts";
import { AnthropicDecoder } from "./anthropic-stream.ts";
import type { Wire } from "./wire.ts";

/** Anthropic's Messages API as a wire. */
export const anthropicWire: Wire = {
	remoteImages: true,
	toolName: /^[A-Za-z0-9_-]{1,128}$/,
	prepare: prepareAnthropicPrompt,
	variant: () => "",
	request: renderAnthropicRequest,
	answer: parseAnthropicAnswer,
	usage: parseAnthropicUsage,
	decoder: () => new AnthropicDecoder(),
	error: parseAnthropicError,
};
