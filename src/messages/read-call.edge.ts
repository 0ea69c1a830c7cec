// Reads a Messages body as a call, for messages and for counts of tokens: opens the reasoning that this service sealed into redacted
// thinking for a client to send back.
import type { KeyContext } from "../account/context.ts";
import type { Result } from "../failure.ts";
import { isSealedReasoning, openSealedTexts } from "../inference/sealed-reasoning.edge.ts";
import type { MessagesRequest } from "./request.ts";
import { type MessagesCall, toMessagesCall } from "./to-call.ts";

/** The `data` of redacted thinking that this service sealed. That of Anthropic's own is not opened here. */
function listSealedData({ messages }: MessagesRequest): string[] {
	const blocks = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
	return blocks.flatMap((block) => (block.type === "redacted_thinking" ? [block.data] : [])).filter(isSealedReasoning);
}

/** A body as a call. @returns the failures of `toMessagesCall`. */
export async function readMessagesCall(
	body: MessagesRequest,
	{ account, settings, env, headers, rawBody }: KeyContext,
): Promise<Result<MessagesCall>> {
	const opened = await openSealedTexts(listSealedData(body), account, env);
	return toMessagesCall(body, { catalog: settings.catalog, opened, rawBody, betas: headers.get("anthropic-beta") });
}
