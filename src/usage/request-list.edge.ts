// A page of the caller's requests, and one request by its id: those that the caller's key reads.
import type { KeyContext } from "../account/context.ts";
import { mayRead, readableMakers } from "../account/makers.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { type ListPage, toListPage } from "../http/list-page.ts";
import {
	type ListedRequest,
	type RemovedRequest,
	type RequestDetail,
	type RequestPagePart,
	type RequestPageQuery,
	toRequestPosition,
} from "../meter/request-page.ts";
import { toSettlementDetail } from "../meter/stored-request.ts";
import { findSettled } from "./settled.edge.ts";

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

/** The part of a page that the user's requests are: one more than the page holds, if there are more. */
export function readRequestPart(
	context: ListContext,
	{ filter: { apiKeyId, ...filter }, after, limit }: RequestListQuery,
): Promise<RequestPagePart> {
	const page = { filter: { ...filter, apiKeyIds: selectMakers(context, apiKeyId) }, after, limit };
	return context.meter(context.account.userId).requestPage(page);
}

/** A page of requests, newest first, in the order of their rows: ids of one millisecond may share a number, and then it is not that of the ids. */
export async function listReadableRequests(
	context: ListContext,
	query: RequestListQuery,
): Promise<ListPage<ListedRequest> & Pick<RequestPagePart, "keptSince">> {
	const part = await readRequestPart(context, query);
	return { ...toListPage(part, query.limit, toRequestPosition), keptSince: part.keptSince };
}

/** A request that the caller's key reads. A malformed id is not looked up. */
export async function lookUpRequest(
	context: ListContext & Pick<KeyContext, "settings">,
	requestId: string,
): Promise<RequestDetail | RemovedRequest | null> {
	if (!parseRequestId(requestId, context.settings)) return null;
	const { userId } = context.account;
	const ask = () => context.meter(userId).request(requestId);
	const found = await findSettled<RequestDetail | RemovedRequest, RequestDetail>(
		context,
		{ userId, requestId },
		ask,
		toSettlementDetail,
	);
	if (!found || "keptSince" in found) return found;
	return mayRead(context.account, found.request.api_key_id) ? found : null;
}
