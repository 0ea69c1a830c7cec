// An unstreamed completion.
import type { KeyContext } from "../account/context.ts";
import { fail } from "../failure.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import { toCaller } from "../inference/caller.edge.ts";
import { infer } from "../inference/infer.edge.ts";
import type { ChatExtras } from "./asked.ts";
import { type CompletionWith, completionOf, type SvcBlock } from "./completion.ts";

/** Answers whole. */
export async function answerWhole<Svc extends SvcBlock>(
	{ request, purpose, svcOf, inFields }: ChatExtras<Svc>,
	context: KeyContext,
): Promise<HandlerResult<CompletionWith<Svc>>> {
	const answered = await infer(request, purpose, toCaller(context));
	if (!answered.ok) return fail(inFields(answered.failure));
	const headers: Record<string, string> = answered.value.sandbox ? { "x-svc-sandbox": "1" } : {};
	return { ok: true, value: completionOf(answered.value, svcOf(answered.value)), headers };
}
