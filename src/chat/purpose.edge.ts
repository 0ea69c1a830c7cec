// What the receipt of a chat says of its request.
import type { LongRequest } from "../http/long-work.edge.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import { toReceiptInput } from "../inference/receipt-input.edge.ts";
import { configDigest } from "../routing-config/config.ts";

/** The purpose of a chat. The input hash covers the messages as the client sent them, before validation. */
export async function toChatPurpose({ options }: InferenceRequest, rawBody: unknown, request: LongRequest) {
	const { messages } = rawBody as { messages?: unknown };
	return {
		input: await toReceiptInput({ type: "svc.input.v1", messages }, request),
		configDigest: options.config ? configDigest(options.config.config) : null,
		skillId: null,
	};
}
