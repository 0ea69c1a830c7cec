// Answers a request in the form of its entrance: one body, or a stream.
import type { KeyContext } from "../account/context.ts";
import { sessionWarnings } from "../account/request-names.ts";
import { fail } from "../failure.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import type { EntranceRequest } from "./answer-form.ts";
import { toCaller } from "./caller.edge.ts";
import { infer } from "./infer.edge.ts";
import { withRefusalTrail } from "./record-refusal.edge.ts";
import { respondStreaming } from "./stream-answer.edge.ts";

async function respondWhole<Answer>(
	{ request, purpose, toAnswer, withClientFields, headers }: EntranceRequest<Answer>,
	context: KeyContext,
): Promise<HandlerResult<Answer>> {
	const answered = await infer(request, purpose, toCaller(context));
	if (!answered.ok) return fail(withClientFields(answered.failure));
	const sandbox: Record<string, string> = answered.value.sandbox ? { "x-svc-sandbox": "1" } : {};
	return { ok: true, value: await toAnswer(answered.value), headers: { ...headers, ...sandbox } };
}

/** A request whose answer also says that a session id was left out. */
function withSessionWarnings<Answer>(
	{ request, ...wording }: EntranceRequest<Answer>,
	context: KeyContext,
): EntranceRequest<Answer> {
	const { call, options } = request;
	const warnings = [...(options.warnings ?? []), ...sessionWarnings(context)];
	return { ...wording, request: { call, options: { ...options, warnings } } };
}

/** Answers in the form that the client asked for. A refusal by compliance leaves its trail. */
export function respond<Answer>(
	asked: EntranceRequest<Answer>,
	stream: boolean,
	context: KeyContext,
): Promise<HandlerResult<Answer>> {
	const entrance = withSessionWarnings(asked, context);
	const work: Promise<HandlerResult<Answer>> = stream
		? respondStreaming(entrance, context)
		: respondWhole(entrance, context);
	return withRefusalTrail(work, context);
}
