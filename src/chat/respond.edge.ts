// Answers a request in the form of a chat completion, whole or streamed, whichever entrance it came through.
import type { KeyContext } from "../account/context.ts";
import { fail } from "../failure.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import { toCaller } from "../inference/caller.edge.ts";
import { infer } from "../inference/infer.edge.ts";
import { withRefusalTrail } from "../inference/record-refusal.edge.ts";
import { type CompletionWith, type EntranceRequest, type SvcBlock, toCompletion } from "./completion.ts";
import type { ChatRequest } from "./request.ts";
import { respondStreaming } from "./stream.edge.ts";

async function respondWhole<Svc extends SvcBlock>(
	{ request, purpose, toSvcBlock, withClientFields }: EntranceRequest<Svc>,
	context: KeyContext,
): Promise<HandlerResult<CompletionWith<Svc>>> {
	const answered = await infer(request, purpose, toCaller(context));
	if (!answered.ok) return fail(withClientFields(answered.failure));
	const headers: Record<string, string> = answered.value.sandbox ? { "x-svc-sandbox": "1" } : {};
	return { ok: true, value: toCompletion(answered.value, toSvcBlock(answered.value)), headers };
}

/** Answers in the form that the client asked for: one body, or a stream. */
export function respondToChat<Svc extends SvcBlock>(
	request: EntranceRequest<Svc>,
	{ stream, stream_options }: Pick<ChatRequest, "stream" | "stream_options">,
	context: KeyContext,
): Promise<HandlerResult<CompletionWith<Svc>>> {
	const work: Promise<HandlerResult<CompletionWith<Svc>>> = stream
		? respondStreaming(request, stream_options?.include_usage === true, context)
		: respondWhole(request, context);
	return withRefusalTrail(work, context);
}
