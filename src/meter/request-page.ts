// Requests as their user's list shows them, and what a page of it is asked for. Pure.
import type { PagePart } from "../http/list-page.ts";
import type { ListPosition } from "../http/list-position.ts";
import type { ReceiptDecision } from "../proof/receipt-decision.ts";
import type { RequestEnd, RequestFacts } from "./request-facts.ts";
import type { NumberRange } from "./request-number.ts";
import type { UsageCall, UsageRow } from "./settlement.ts";
import type { TokenParts } from "./token-parts.ts";

/** Conditions of a list. Absent members match everything. */
export interface RequestFilter {
	kind?: string | undefined;
	/** The model that the request counts for. */
	model?: string | undefined;
	provider?: string | undefined;
	outcome?: string | undefined;
	/** Of the error. */
	code?: string | undefined;
	sessionId?: string | undefined;
	endUser?: string | undefined;
	/** All of these pairs. */
	metadata?: Readonly<Record<string, string>> | undefined;
	/** How the id begins. */
	idStart?: string | undefined;
	/** Only those that were billed. */
	isBilled?: true | undefined;
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
	extends Pick<UsageRow, "request_id" | "created_at" | "tokens" | "input_tokens" | "cost_nano_usd" | "latency_ms">,
		Required<TokenParts>,
		RequestEnd {
	kind: string;
	/** Null where no model was called. */
	model: string | null;
	provider: string | null;
	/** How the model was chosen; null where none was. */
	mode: string | null;
	estimated: boolean;
	outcome: string;
	fallback: boolean;
	api_key_id: string;
	facts: RequestFacts;
	/** How many requests this is: equal refusals of one minute are one. */
	count: number;
	/** Of its receipt; null where nothing was billed. */
	proof_hash: string | null;
	isSigned: boolean;
	decision: ReceiptDecision;
	/** Calls of models. */
	calls: number;
	/** Those that were called. */
	models: readonly string[];
}

/** A request in a list that was billed. */
export interface ListedSettlement extends ListedRequest {
	model: string;
	provider: string;
	mode: string;
	proof_hash: string;
}

/** Whether a request in a list was billed. */
export function isBilled(request: ListedRequest): request is ListedSettlement {
	return request.proof_hash !== null;
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

/** The same for one that was billed. */
export interface SettlementDetail extends RequestDetail {
	request: ListedSettlement;
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
	request: ListedSettlement;
	/** Null without feedback. */
	feedback: StoredFeedback | null;
}
