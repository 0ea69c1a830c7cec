// The OpenAI chat completions format: its four directions together.
import { answer, error, usage } from "./openai-answer.ts";
import { prepare, request, variant } from "./openai-request.ts";
import { OpenaiStreamDecoder } from "./openai-stream.ts";
import type { Wire } from "./wire.ts";

/** The format of ten of the catalog's providers. */
export const openaiWire: Wire = {
	remoteImages: true,
	toolName: /^[A-Za-z0-9_-]{1,64}$/,
	prepare,
	variant,
	request,
	answer,
	usage,
	error,
	decoder: () => new OpenaiStreamDecoder(),
};
