// The Anthropic Messages format: its four directions together.
import { answer, error, usage } from "./anthropic-answer.ts";
import { prepare, request } from "./anthropic-request.ts";
import { AnthropicDecoder } from "./anthropic-stream.ts";
import type { Wire } from "./wire.ts";

/** Anthropic's Messages API as a wire. */
export const anthropicWire: Wire = {
	remoteImages: true,
	toolName: /^[A-Za-z0-9_-]{1,128}$/,
	prepare,
	variant: () => "",
	request,
	answer,
	usage,
	decoder: () => new AnthropicDecoder(),
	error,
};
