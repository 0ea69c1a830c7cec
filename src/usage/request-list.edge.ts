// A page of the caller's requests, from the meter and D1, and one request by its id: those that the caller's key reads.
import type { KeyContext } from "../account/context.ts";
import { mayRead, readableMakers } from "../account/makers.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { type ListPage, mergePageParts } from "../http/list-page.ts";
import {
	type ListedRequest,
	type RequestDetail,
	type RequestPageQuery,
	toRequestPosition,
} from "../meter/request-page.ts";
import { findRequest, findRequests } from "./requests.store.ts";

type ListContext = Pick<KeyContext, "account" | "db" | "meter" | "timings">;

/** A page as a request asks for it. */
export interface RequestListQuery extends Omit<RequestPageQuery, "filter"> {
	filter: Omit<RequestPageQuery["filter"], "apiKeyIds"> & {
		/** Of this API key alone. */
		apiKeyId?: string | undefined;
	};
}

/** The keys of a page: the one that is asked for, if the caller reads what it made, else all that the caller reads. */
function selectMakers({ account }: ListContext, apiKeyId: string | undefined): readonly string[] | undefined {
	const readable = readableMakers(account);
	if (apiKeyId === undefined) return readable ?? undefined;
	return readable === null || readable.includes(apiKeyId) ? [apiKeyId] : [];
}

/** A page of requests, newest first. */
export async function listReadableRequests(
	context: ListContext,
	{ filter: { apiKeyId, ...filter }, after, limit }: RequestListQuery,
): Promise<ListPage<ListedRequest>> {
	const { account, db, meter, timings } = context;
	const page = { filter: { ...filter, apiKeyIds: selectMakers(context, apiKeyId) }, after, limit };
	// The meter first: what it flushes after this is found in D1.
	const pending = await meter(account.userId).pendingRequests(page);
	const stored = await timings.measure("d1", () => findRequests(db, account.userId, page));
	return mergePageParts([pending, stored], limit, toRequestPosition);
}

/** From D1, then from the meter, which keeps for a minute what it flushes in between. A malformed id is not looked up. */
export async function lookUpRequest(
	{ account, db, meter, settings, timings }: ListContext & Pick<KeyContext, "settings">,
	requestId: string,
): Promise<RequestDetail | null> {
	if (!parseRequestId(requestId, settings)) return null;
	const stored = await timings.measure("d1", () => findRequest(db, account.userId, requestId));
	const found = stored ?? (await meter(account.userId).request(requestId));
	return found && mayRead(account, found.request.api_key_id) ? found : null;
}
