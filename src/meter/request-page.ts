// Requests as their user's list shows them, and what a page of it is asked for. Pure.
import type { PagePart } from "../http/list-page.ts";
import type { ListPosition } from "../http/list-position.ts";
import type { ReceiptDecision } from "../proof/receipt-decision.ts";
import type { NumberRange } from "./request-number.ts";
import type { UsageCall, UsageRow } from "./settlement.ts";

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

/** What is left of a page: of one store's requests, those with numbers of a range. */
export interface RequestRangeQuery {
	range: NumberRange;
	filter: RequestFilter;
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
	api_key_id: string;
	proof_hash: string;
	isSigned: boolean;
	decision: ReceiptDecision;
	/** Calls of models. */
	calls: number;
	/** Those that were called. */
	models: readonly string[];
}

/** Of a request that was, or would have been, removed: requests are kept from this day on, `YYYY-MM-DD`. */
export interface RemovedRequest {
	keptSince: string;
}

/** A request that the meter does not have any more. */
export interface ArchivedRequest {
	/** Numbers of the archives that may have it. */
	archives: number[];
}

/** The requests of a page, one more than it holds if there are more. */
export interface RequestPagePart extends PagePart<ListedRequest> {
	/** The first day of which requests are kept, `YYYY-MM-DD`; null while none was removed. */
	keptSince: string | null;
}

/** What the meter has of a page, and where the rest is to be looked for. */
export interface MeterPage extends RequestPagePart {
	/** Null where no request can match. */
	range: NumberRange | null;
	/** Numbers of the archives that may have others of the page, newest first. */
	archives: number[];
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

/** What a request has as feedback. */
export interface StoredFeedback {
	score: number;
	reason: string | null;
	created_at: string;
	updated_at: string;
}

/** A request with how its user rated it. */
export interface RatedRequest {
	request: ListedRequest;
	/** Null without feedback. */
	feedback: StoredFeedback | null;
}
