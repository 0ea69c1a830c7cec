// The OpenAI chat completions format: its four directions together.
import { parseOpenAiAnswer, parseOpenAiError, parseOpenAiUsage } from "./openai-answer.ts";
import { prepareOpenAiPrompt, renderOpenAiRequest, variant } from "./openai-request.ts";
import { OpenaiStreamDecoder } from "./openai-stream.ts";
import type { Wire } from "./wire.ts";

/** The format of ten of the catalog's providers. */
export const openaiWire: Wire = {
	remoteImages: true,
	toolName: /^[A-Za-z0-9_-]{1,64}$/,
	prepare: prepareOpenAiPrompt,
	variant,
	request: renderOpenAiRequest,
	answer: parseOpenAiAnswer,
	usage: parseOpenAiUsage,
	error: parseOpenAiError,
	decoder: () => new OpenaiStreamDecoder(),
};
