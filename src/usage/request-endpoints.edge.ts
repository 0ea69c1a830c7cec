// A user's requests over HTTP: what was decided for each, and what it cost. Neither prompts nor answers: settlements hold none.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, nextPageMembers, searchedBackToMember, toNextPage } from "../http/list-answer.ts";
import { mergePageParts } from "../http/list-page.ts";
import { readListCursor } from "../http/list-position.ts";
import { integerParam, timestampParam } from "../http/query.ts";
import { type RequestDetail, toRequestPosition } from "../meter/request-page.ts";
import {
	REQUEST_KINDS,
	requestDetailSchema,
	requestSchema,
	toRequestDetailView,
	toRequestView,
} from "./request-views.ts";
import { findRequest, findRequests } from "./requests.store.ts";

const DEFAULT_REQUESTS = 50;
const MOST_REQUESTS = 200;

const listRequestsEndpoint = endpoint({
	id: "list_requests",
	method: "GET",
	path: "/v1/requests",
	access: "key",
	summary: "The caller's requests, newest first: which model was chosen for each and why, and what it cost.",
	description: "To find expensive, slow or failed requests; get_proof shows the receipt of one.",
	query: z.lazy(() =>
		z.object({
			kind: z.enum(REQUEST_KINDS).optional().describe("Only these."),
			model: z.string().optional().describe("Only those that this model served; an id of list_models."),
			key_id: z.string().optional().describe("Only those of this API key."),
			since: timestampParam.optional().describe("Arrived then or later."),
			until: timestampParam.optional().describe("Arrived before."),
			limit: integerParam(1, MOST_REQUESTS).default(DEFAULT_REQUESTS).describe("Requests of a page."),
			cursor: cursorParam(),
		}),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			...nextPageMembers(),
			...searchedBackToMember(),
			data: z.array(requestSchema),
		}),
	),
	async handle({ query, context }) {
		const { account, db, meter, settings, timings } = context;
		const { kind, model, key_id: apiKeyId, since, until, limit, cursor } = query;
		const after = readListCursor(cursor, (id) => parseRequestId(id, settings) !== null);
		if (!after.ok) return after;
		const page = { filter: { kind, model, apiKeyId, since, until }, after: after.value, limit };
		// The meter first: what it flushes after this is found in D1.
		const pending = await meter(account.userId).pendingRequests(page);
		const stored = await timings.measure("d1", () => findRequests(db, account.userId, page));
		const { entries, nextCursor, searchedBackTo } = mergePageParts([pending, stored], limit, toRequestPosition);
		return ok({
			object: "list" as const,
			...toNextPage(nextCursor),
			searched_back_to: searchedBackTo,
			data: entries.map(toRequestView),
		});
	},
});

/** From D1, then from the meter, which keeps for a minute what it flushes in between. A malformed id is not looked up. */
async function lookUpRequest(
	{ account, db, meter, settings, timings }: KeyContext,
	requestId: string,
): Promise<RequestDetail | null> {
	if (!parseRequestId(requestId, settings)) return null;
	const stored = await timings.measure("d1", () => findRequest(db, account.userId, requestId));
	return stored ?? (await meter(account.userId).request(requestId));
}

const REQUEST_NOT_FOUND: Failure = {
	reason: "request_not_found",
	message: "you have no settled request under this id",
};

const getRequestEndpoint = endpoint({
	id: "get_request",
	method: "GET",
	path: "/v1/requests/{request_id}",
	access: "key",
	summary: "One of the caller's requests, with the cost of each of its calls.",
	description: "To see why a model was chosen and what its answer cost; get_proof shows the signed receipt.",
	params: z.lazy(() => z.object({ request_id: z.string() })),
	result: requestDetailSchema,
	async handle({ params, context }) {
		const found = await lookUpRequest(context, params.request_id);
		return found ? ok(toRequestDetailView(found)) : fail(REQUEST_NOT_FOUND);
	},
});

export const requestEndpoints: readonly Endpoint[] = [listRequestsEndpoint, getRequestEndpoint];
