// Answers what was asked in the form of a chat completion, whole or streamed, whichever entrance it came through.
import type { KeyContext } from "../account/context.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import type { ChatExtras } from "./asked.ts";
import type { CompletionWith, SvcBlock } from "./completion.ts";
import type { ChatRequest } from "./request.ts";
import { streamAnswer } from "./stream.edge.ts";
import { answerWhole } from "./whole.edge.ts";

/** @param form how the client wants it. */
export function respondToChat<Svc extends SvcBlock>(
	asked: ChatExtras<Svc>,
	{ stream, stream_options }: Pick<ChatRequest, "stream" | "stream_options">,
	context: KeyContext,
): Promise<HandlerResult<CompletionWith<Svc>>> {
	if (stream) return streamAnswer(asked, stream_options?.include_usage === true, context);
	return answerWhole(asked, context);
}
