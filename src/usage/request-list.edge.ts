// A page of the caller's requests, and one request by its id: those that the caller's key reads.
import type { KeyContext } from "../account/context.ts";
import { mayRead, readableMakers } from "../account/makers.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { StorageUnavailableError } from "../failure.ts";
import { type ListPage, mergePageParts } from "../http/list-page.ts";
import {
	type ListedRequest,
	type RequestDetail,
	type RequestPageQuery,
	toRequestPosition,
} from "../meter/request-page.ts";
import { toSettlementDetail } from "../meter/stored-request.ts";
import { findStranded } from "../meter/stranded.store.ts";

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
	const page = { filter: { ...filter, apiKeyIds: selectMakers(context, apiKeyId) }, after, limit };
	const part = await context.meter(context.account.userId).requestPage(page);
	return mergePageParts([part], limit, toRequestPosition);
}

/** A request of a user's. One that the meter knows as open, or that it is away for, may have a settlement that is stranded in D1. */
async function findRequest(
	{ account, db, meter, timings }: ListContext,
	requestId: string,
): Promise<RequestDetail | null> {
	const { userId } = account;
	const stranded = async () => {
		const settlement = await timings.measure("d1", () => findStranded(db, requestId));
		return settlement?.usage.user_id === userId ? toSettlementDetail(settlement) : null;
	};
	try {
		const found = await meter(userId).request(requestId);
		return found === "open" ? stranded() : found;
	} catch (error) {
		if (!(error instanceof StorageUnavailableError)) throw error;
		const detail = await stranded();
		if (detail) return detail;
		throw error;
	}
}

/** A request that the caller's key reads. A malformed id is not looked up. */
export async function lookUpRequest(
	context: ListContext & Pick<KeyContext, "settings">,
	requestId: string,
): Promise<RequestDetail | null> {
	if (!parseRequestId(requestId, context.settings)) return null;
	const found = await findRequest(context, requestId);
	return found && mayRead(context.account, found.request.api_key_id) ? found : null;
}
