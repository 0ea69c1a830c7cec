// A page of the caller's requests, and one request by its id: those that the caller's key reads.
import type { KeyContext } from "../account/context.ts";
import { recordKeptBack } from "../account/failed-requests.edge.ts";
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
import { findTaggedKeys } from "./groups.store.ts";
import { findSettled } from "./settled.edge.ts";

type ListContext = Pick<KeyContext, "account" | "db" | "meter" | "timings" | "waitUntil">;

/** A page as a request asks for it. */
export interface RequestListQuery extends Omit<RequestPageQuery, "filter"> {
	filter: Omit<RequestPageQuery["filter"], "apiKeyIds"> & {
		/** Of this API key alone. */
		apiKeyId?: string | undefined;
		/** Of API keys with this tag. */
		tag?: string | undefined;
	};
}

/** The keys of a page: those that are asked for, as far as the caller reads what they made, else all that the caller reads. */
async function selectMakers(
	{ account, db, timings }: ListContext,
	{ apiKeyId, tag }: Pick<RequestListQuery["filter"], "apiKeyId" | "tag">,
): Promise<readonly string[] | undefined> {
	const readable = readableMakers(account);
	if (apiKeyId === undefined && tag === undefined) return readable ?? undefined;
	const tagged = tag === undefined ? null : await timings.measure("d1", () => findTaggedKeys(db, account.userId, tag));
	const asked = tagged?.filter((id) => apiKeyId === undefined || id === apiKeyId) ?? (apiKeyId ? [apiKeyId] : []);
	return readable === null ? asked : asked.filter((id) => readable.includes(id));
}

/** The part of a page that the user's requests are: one more than the page holds, if there are more. */
export async function readRequestPart(
	context: ListContext,
	{ filter: { apiKeyId, tag, ...filter }, after, limit }: RequestListQuery,
): Promise<RequestPagePart> {
	const { userId } = context.account;
	const apiKeyIds = await selectMakers(context, { apiKeyId, tag });
	await recordKeptBack(context, userId);
	return context.meter(userId).requestPage({ filter: { ...filter, apiKeyIds }, after, limit });
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
	await recordKeptBack(context, userId);
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
