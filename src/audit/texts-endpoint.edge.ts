// The texts of a request over HTTP. Each look is an audit event, which stands in D1 before anything is shown.
import { ulid } from "ulid";
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { makeCountedWrite } from "../account/counted-write.ts";
import { endpoint } from "../account/endpoint.ts";
import { mayChange } from "../account/makers.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { eventBytes } from "../meter/stored-bytes.ts";
import { readTexts } from "../usage/kept-texts.edge.ts";
import { lookUpRequest } from "../usage/request-list.edge.ts";
import { toActor, toPlainEvent } from "./event.ts";
import { insertEvents } from "./events.store.ts";

/** Records that the texts of a request are read. Once this returns, the event is stored for good. */
function recordLook(context: KeyContext, requestId: string): Promise<Result<null>> {
	const { account, db, timings } = context;
	const payload = JSON.stringify({ request_id: requestId });
	const rollingBytes = eventBytes(payload);
	return makeCountedWrite(
		context,
		async (count) => {
			// A full quota must hide nothing that is there: the event counts all the same.
			const counted = await count({ rollingBytes, keptBytes: 0, reducedRollingBytes: rollingBytes });
			if (!counted.ok) return counted;
			const nowMs = Date.now();
			const owner = { user_id: account.userId, workspace_id: null, actor: toActor(account) };
			const event = toPlainEvent({ ...owner, event_type: "texts_read", payload }, ulid(nowMs), nowMs);
			await timings.measure("d1", () => insertEvents(db, [event]));
			return ok(null);
		},
		() => true,
	);
}

const getRequestTextsEndpoint = endpoint({
	id: "get_request_texts",
	method: "GET",
	path: "/v1/requests/{request_id}/texts",
	access: "key",
	cacheControl: "no-store",
	toolGroup: null,
	page: "requests",
	summary: "What a request asked and was answered, after masking, where texts are kept; each look is an audit event.",
	params: z.lazy(() => z.object({ request_id: z.string() })),
	result: z.lazy(() =>
		z.object({
			object: z.literal("request.texts"),
			request_id: z.string().describe("The request or run."),
			input: z
				.string()
				.nullable()
				.describe("The messages, each under its role, as models were sent them. Null where no texts are kept."),
			output: z.string().nullable().describe("The answer as the model wrote it, without its reasoning."),
			input_chars: z.int().nullable().describe("Characters of the whole input. Of a long one, both ends are kept."),
			output_chars: z.int().nullable().describe("The same of the output."),
			expires_at: z.string().nullable().describe("From then on the texts are gone."),
		}),
	),
	ids: { request_id: { answerOf: "create_chat_completion", member: "id" } },
	async handle({ params, context }) {
		const { request_id: requestId } = params;
		const { account } = context;
		const found = await lookUpRequest(context, requestId);
		// An agent's key reads the rows of others where its owner allows it, and their texts never.
		if (!found || "keptSince" in found || !mayChange(account, found.request.api_key_id))
			return fail({ reason: "request_not_found", message: "you have no settled request under this id" });
		const read = await readTexts(context, { userId: account.userId, requestId });
		const named = { object: "request.texts" as const, request_id: requestId };
		if (!read)
			return ok({ ...named, input: null, output: null, input_chars: null, output_chars: null, expires_at: null });
		const recorded = await recordLook(context, requestId);
		if (!recorded.ok) return recorded;
		const { input, output, inputChars: input_chars, outputChars: output_chars } = read.texts;
		const expires_at = new Date(read.expiresAtMs).toISOString();
		return ok({ ...named, input, output, input_chars, output_chars, expires_at });
	},
});

export const requestTextsEndpoints: readonly Endpoint[] = [getRequestTextsEndpoint];
