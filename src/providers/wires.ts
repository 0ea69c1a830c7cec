// The four wire formats, and which models can be called.
import { isKeyFor } from "../catalog/provider-keys.ts";
import type { Model, Provider } from "../catalog/schema.ts";
import type { WireName } from "../catalog/vocabulary.ts";
import type { Settings } from "../settings.ts";
import { parseAnthropicAnswer, parseAnthropicError, parseAnthropicUsage } from "./anthropic-answer.ts";
import { prepareAnthropicPrompt, renderAnthropicRequest } from "./anthropic-request.ts";
import { AnthropicDecoder } from "./anthropic-stream.ts";
import { parseBedrockAnswer, parseBedrockError, parseBedrockUsage } from "./bedrock-answer.ts";
import { bedrockVariant, prepareBedrockPrompt, renderBedrockRequest } from "./bedrock-request.ts";
import { BedrockDecoder } from "./bedrock-stream.ts";
import { createEventStreamReader } from "./event-stream.ts";
import { parseGoogleError, parseGoogleUsage } from "./google-answer.ts";
import { prepareGooglePrompt, renderGoogleRequest } from "./google-request.ts";
import { GoogleDecoder, parseGoogleAnswer } from "./google-stream.ts";
import { parseOpenAiAnswer, parseOpenAiError, parseOpenAiUsage } from "./openai-answer.ts";
import { openAiVariant, prepareOpenAiPrompt, renderOpenAiRequest } from "./openai-request.ts";
import { OpenAiDecoder } from "./openai-stream.ts";
import { createSseReader } from "./sse-reader.ts";
import type { Wire } from "./wire.ts";

/** OpenAI's chat completions. Most of the catalog's providers speak it, with small differences. */
export const openAiWire: Wire = {
	remoteImages: true,
	toolName: /^[A-Za-z0-9_-]{1,64}$/,
	preparePrompt: prepareOpenAiPrompt,
	promptVariant: openAiVariant,
	renderRequest: renderOpenAiRequest,
	parseAnswer: parseOpenAiAnswer,
	parseUsage: parseOpenAiUsage,
	createReader: createSseReader,
	createDecoder: () => new OpenAiDecoder(),
	parseError: parseOpenAiError,
};

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
	remoteImages: true,
	toolName: /^[A-Za-z0-9_-]{1,128}$/,
	preparePrompt: prepareAnthropicPrompt,
	promptVariant: () => "",
	renderRequest: renderAnthropicRequest,
	parseAnswer: parseAnthropicAnswer,
	parseUsage: parseAnthropicUsage,
	createReader: createSseReader,
	createDecoder: () => new AnthropicDecoder(),
	parseError: parseAnthropicError,
};

/** Gemini's generateContent. Images only as `data:`, because AI Studio fetches no addresses. */
export const googleWire: Wire = {
	remoteImages: false,
	toolName: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
	preparePrompt: prepareGooglePrompt,
	promptVariant: ({ tool_call_ids }) => tool_call_ids,
	renderRequest: renderGoogleRequest,
	parseAnswer: parseGoogleAnswer,
	parseUsage: parseGoogleUsage,
	createReader: createSseReader,
	createDecoder: () => new GoogleDecoder(),
	parseError: parseGoogleError,
};

/** Amazon Bedrock's Converse. Images only as `data:`, because it takes bytes or addresses in S3. */
export const bedrockWire: Wire = {
	remoteImages: false,
	toolName: /^[A-Za-z0-9_-]{1,64}$/,
	preparePrompt: prepareBedrockPrompt,
	promptVariant: bedrockVariant,
	renderRequest: renderBedrockRequest,
	parseAnswer: parseBedrockAnswer,
	parseUsage: parseBedrockUsage,
	createReader: createEventStreamReader,
	createDecoder: () => new BedrockDecoder(),
	parseError: parseBedrockError,
};

const WIRES: Readonly<Record<WireName, Wire>> = {
	openai: openAiWire,
	anthropic: anthropicWire,
	google: googleWire,
	bedrock: bedrockWire,
};

/** The wire format of a provider. */
export function wireFor({ wire }: Pick<Provider, "wire">): Wire {
	return WIRES[wire];
}

/** Whether an image may be an https address at a provider. */
export function takesRemoteImages(provider: Pick<Provider, "wire" | "remote_images">): boolean {
	return wireFor(provider).remoteImages && provider.remote_images !== false;
}

/** Whether a model can be called: its provider has a key that may be used for it. */
export function isAvailable(model: Pick<Model, "id" | "provider">, settings: Pick<Settings, "providers">): boolean {
	return settings.providers.get(model.provider)?.keys.some((key) => isKeyFor(key, model)) ?? false;
}
