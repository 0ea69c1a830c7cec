// Gemini's generateContent format. Request, schema, answer and stream stand in files of their own.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import { toModelAnswer } from "./accumulate.ts";
import { readError, usageFromGoogle } from "./google-answer.ts";
import { prepareGooglePrompt, renderGoogleRequest } from "./google-request.ts";
import { GoogleDecoder } from "./google-stream.ts";
import type { ModelAnswer } from "./model-call.ts";
import type { Wire } from "./wire.ts";

/** Reads a whole body as a stream of one chunk, so that both ways come to the same answer. */
function answer(body: unknown): ModelAnswer | null {
	const decoder = new GoogleDecoder();
	const parts = [...decoder.read(body), ...decoder.close()];
	return decoder.answered ? toModelAnswer(parts) : null;
}

function usage(body: unknown): TokenUsage | null {
	const parsed = z.looseObject({ usageMetadata: z.unknown() }).safeParse(body);
	return parsed.success ? usageFromGoogle(parsed.data.usageMetadata) : null;
}

/** Google's wire format; images only as `data:`, since AI Studio fetches no addresses. */
export const googleWire: Wire = {
	remoteImages: false,
	toolName: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
	prepare: prepareGooglePrompt,
	variant: () => "",
	request: renderGoogleRequest,
	answer,
	usage,
	decoder: () => new GoogleDecoder(),
	error: readError,
};
