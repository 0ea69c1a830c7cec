// Requests as their user's list shows them, and which of them a page is asked for. Pure.
import { compareNewestFirst, type PagePart, toPagePart } from "../http/list-page.ts";
import type { ListPosition } from "../http/list-position.ts";
import { parseReceiptDecision, type ReceiptDecision } from "../proof/receipt-decision.ts";
import type { Settlement, UsageCall, UsageRow } from "./settlement.ts";

/** Conditions of a list. Absent members match everything. */
export interface RequestFilter {
	kind?: string | undefined;
	/** The model that the request counts for. */
	model?: string | undefined;
	/** Of one of these API keys. */
	apiKeyIds?: readonly string[] | undefined;
	/** Arrived at this time or later; ISO 8601 as in `created_at`. */
	since?: string | undefined;
	/** Arrived before this time. */
	until?: string | undefined;
}

/** A page: at most `limit` requests after a position. */
export interface RequestPageQuery {
	filter: RequestFilter;
	/** Null for the first page. */
	after: ListPosition | null;
	limit: number;
}

/** A request in a list. */
export interface ListedRequest
	extends Pick<
		UsageRow,
		"request_id" | "created_at" | "mode" | "tokens" | "input_tokens" | "cost_nano_usd" | "latency_ms"
	> {
	kind: string;
	model: string;
	provider: string;
	estimated: boolean;
	outcome: string;
	fallback: boolean;
	/** Null in requests from before keys were recorded. */
	api_key_id: string | null;
	proof_hash: string;
	isSigned: boolean;
	decision: ReceiptDecision;
	/** Calls of models. */
	calls: number;
	/** Those that were called. */
	models: readonly string[];
}

/** A request by itself: with its calls. */
export interface RequestDetail {
	request: ListedRequest;
	calls: readonly UsageCall[];
}

/** The place of a request in the list. */
export function toRequestPosition({ created_at, request_id }: Pick<UsageRow, "created_at" | "request_id">) {
	return { created_at, id: request_id };
}

/** True for what lies on the page or behind it, as far as its time tells. */
export function isInRequestRange(
	position: ListPosition,
	{ filter: { since, until }, after }: RequestPageQuery,
): boolean {
	const { created_at } = position;
	return (
		(since === undefined || created_at >= since) &&
		(until === undefined || created_at < until) &&
		(after === null || compareNewestFirst(after, position) < 0)
	);
}

function hasFilteredMembers(
	{ kind, model, api_key_id }: Pick<UsageRow, "kind" | "model" | "api_key_id">,
	filter: RequestFilter,
): boolean {
	return (
		(filter.kind === undefined || kind === filter.kind) &&
		(filter.model === undefined || model === filter.model) &&
		(filter.apiKeyIds === undefined || (api_key_id !== null && filter.apiKeyIds.includes(api_key_id)))
	);
}

/** A settlement as lists show it. */
export function toRequestDetail({ usage, receipt }: Settlement): RequestDetail {
	const { user_id: _, calls, ...row } = usage;
	const request = {
		...row,
		proof_hash: receipt.proof_hash,
		isSigned: receipt.signature !== null,
		decision: parseReceiptDecision(receipt.receipt),
		calls: calls.reduce((sum, call) => sum + (call.requests ?? 1), 0),
		models: [...new Set(calls.map(({ model }) => model))],
	};
	return { request, calls };
}

/** The most settlements that are looked at for one page. */
const MOST_LOOKED_AT = 2_000;

/**
 * The requests of a page among settlements, one more than it holds if there are more.
 * @param settlements those in the page's range, newest first; read one by one.
 */
export function selectRequests(
	settlements: Iterable<Settlement>,
	{ filter, limit }: RequestPageQuery,
): PagePart<ListedRequest> {
	const found: ListedRequest[] = [];
	let lookedAt = 0;
	for (const settlement of settlements) {
		lookedAt++;
		if (hasFilteredMembers(settlement.usage, filter)) found.push(toRequestDetail(settlement).request);
		if (found.length > limit) break;
		if (lookedAt === MOST_LOOKED_AT) return { entries: found, readTo: toRequestPosition(settlement.usage) };
	}
	return toPagePart(found, limit, toRequestPosition);
}
