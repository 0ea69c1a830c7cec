// A user's requests over HTTP: what was decided for each, and what it cost. Neither prompts nor answers: settlements hold none.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { type Failure, fail, ok, StorageUnavailableError } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, nextPageMembers, searchedBackToMember, toNextPage } from "../http/list-answer.ts";
import { readListCursor } from "../http/list-position.ts";
import { logError } from "../http/log.edge.ts";
import { integerParam, timestampParam } from "../http/query.ts";
import { REQUEST_KINDS } from "../http/request-kind.ts";
import { UNBILLED_OUTCOMES } from "../meter/failed-request.ts";
import { ID_START } from "../meter/request-conditions.ts";
import type { RemovedRequest } from "../meter/request-page.ts";
import { listReadableRequests, lookUpRequest } from "./request-list.edge.ts";
import { requestDetailSchema, requestSchema, toRequestDetailView, toRequestView } from "./request-views.ts";

/** How requests end: settled ones as receipts say it, and those that failed without a bill. */
const REQUEST_OUTCOMES = ["complete", "cut", ...UNBILLED_OUTCOMES] as const;

/** The beginning of an id as ids are written. */
function toIdStart(text: string): string {
	const trimmed = text.trim().toUpperCase();
	return trimmed.replace(/^(?:SVC-|AGT_)/, (prefix) => prefix.toLowerCase());
}

const DEFAULT_REQUESTS = 50;
const MOST_REQUESTS = 200;

const listRequestsEndpoint = endpoint({
	id: "list_requests",
	method: "GET",
	path: "/v1/requests",
	access: "key",
	toolGroup: "account",
	page: "requests",
	summary:
		"The caller's requests, newest first: which model was chosen for each and why, what it cost, and why the failed ones failed.",
	description: "To find expensive, slow or failed requests; get_proof shows the receipt of one that was billed.",
	query: z.lazy(() =>
		z.object({
			kind: z.enum(REQUEST_KINDS).optional().describe("Only requests of this kind."),
			model: z.string().optional().describe("Only those that this model served; an id of list_models."),
			provider: z.string().optional().describe("Only those that this provider served."),
			outcome: z.enum(REQUEST_OUTCOMES).optional().describe("Only those that ended so."),
			code: z.string().optional().describe("Only those with this code of their error, such as `rate_limit_exceeded`."),
			key_id: z.string().optional().describe("Only those of this API key."),
			tag: z.string().optional().describe("Only those of API keys with this tag."),
			session_id: z.string().optional().describe("Only those of this session."),
			end_user: z.string().optional().describe("Only those for this end user."),
			metadata: z
				.record(z.string(), z.string())
				.optional()
				.describe("Only those with all of these pairs: `metadata[team]=search`."),
			q: z
				.string()
				.transform(toIdStart)
				.refine((start) => ID_START.test(start), "must be the beginning of a request id, such as svc-01M8A")
				.meta({ type: "string" })
				.optional()
				.describe("Only those whose id begins so, with `svc-` or without."),
			since: timestampParam.optional().describe("Only requests that arrived then or later."),
			until: timestampParam.optional().describe("Only requests that arrived before."),
			limit: integerParam(1, MOST_REQUESTS).default(DEFAULT_REQUESTS).describe("Requests of a page."),
			cursor: cursorParam(),
		}),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			...nextPageMembers(),
			...searchedBackToMember(),
			kept_since: z
				.string()
				.nullable()
				.describe("The first day of which requests are kept, `YYYY-MM-DD`; null while none was removed."),
			data: z.array(requestSchema),
		}),
	),
	ids: { key_id: { answerOf: "create_key" }, cursor: { pageAfter: "create_chat_completion" } },
	example: { query: { limit: "1" } },
	async handle({ query, context }) {
		const { settings } = context;
		const { key_id: apiKeyId, session_id: sessionId, end_user: endUser, q: idStart, limit, cursor, ...equal } = query;
		const after = readListCursor(cursor, (id) => parseRequestId(id, settings) !== null);
		if (!after.ok) return after;
		const page = { filter: { ...equal, apiKeyId, sessionId, endUser, idStart }, after: after.value, limit };
		const { entries, nextCursor, searchedBackTo, keptSince } = await listReadableRequests(context, page);
		return ok({
			object: "list" as const,
			...toNextPage(nextCursor),
			searched_back_to: searchedBackTo,
			kept_since: keptSince,
			data: entries.map(toRequestView),
		});
	},
});

const REQUEST_NOT_FOUND: Failure = {
	reason: "request_not_found",
	message: "you have no settled or failed request under this id",
};

/** The failure for a request of a day that is no longer kept, whether there was one or not. */
function toRemoved({ keptSince }: RemovedRequest): Failure {
	const message = `requests are kept from ${keptSince} on, and you have none under this id`;
	return { reason: "request_not_found", message, keptSince };
}

/** The salt of a request's receipt; null while the user's meter does not answer, since what D1 has is shown all the same. */
async function readSalt({ account, meter }: KeyContext, requestId: string): Promise<string | null> {
	try {
		return await meter(account.userId).salt(requestId);
	} catch (error) {
		if (!(error instanceof StorageUnavailableError)) throw error;
		logError("salt_unavailable", error);
		return null;
	}
}

const getRequestEndpoint = endpoint({
	id: "get_request",
	method: "GET",
	path: "/v1/requests/{request_id}",
	access: "key",
	toolGroup: "account",
	page: "requests",
	summary: "One of the caller's requests, with its attempts and the cost of each of its calls.",
	description: "To see why a model was chosen and what its answer cost; get_proof shows the signed receipt.",
	params: z.lazy(() => z.object({ request_id: z.string() })),
	result: requestDetailSchema,
	ids: { request_id: { answerOf: "create_chat_completion", member: "id" } },
	async handle({ params, context }) {
		const found = await lookUpRequest(context, params.request_id);
		if (!found) return fail(REQUEST_NOT_FOUND);
		if ("keptSince" in found) return fail(toRemoved(found));
		return ok({ ...toRequestDetailView(found), salt: await readSalt(context, params.request_id) });
	},
});

export const requestEndpoints: readonly Endpoint[] = [listRequestsEndpoint, getRequestEndpoint];
