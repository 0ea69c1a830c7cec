// A request that ended without an answer and without a bill, as a row of its own: it is in no sum, limit or archive, and has no receipt.
// Equal refusals of a minute are one row with their number, so that a client that tries again and again does not fill the meter. Pure.
import type { RequestKind } from "../http/request-kind.ts";
import { pickReceiptDecision } from "../proof/receipt-decision.ts";
import { type RequestTelemetry, UNTOLD } from "../telemetry/request-telemetry.ts";
import { type CallAttempt, fromStoredAttempts } from "./call-attempt.ts";
import { type CountedRow, toCountedRequest } from "./counted-request.ts";
import { dayPart } from "./day-sums.ts";
import { NO_FACTS, type RequestError, type RequestNames } from "./request-facts.ts";
import type { ListedRequest } from "./request-page.ts";
import { toSentStatus } from "./settled-telemetry.ts";
import { NO_TIMES, type TimeSum } from "./time-sums.ts";
import { sumTokenParts } from "./token-parts.ts";

/** How requests end that were billed nothing. */
export const UNBILLED_OUTCOMES = ["refused", "failed", "client_closed"] as const;
/** `refused`: no upstream call was made; `failed`: some were, or the service was at fault; `client_closed`: the client has gone. */
export type UnbilledOutcome = (typeof UNBILLED_OUTCOMES)[number];

/** A request that failed, or several that are alike: then the others are told of the first one. */
export interface UnbilledRequest {
	/** Of the latest one, if there are several. */
	requestId: string;
	apiKeyId: string;
	/** When it arrived, ms since the epoch. */
	atMs: number;
	latencyMs: number;
	/** The endpoint's id. */
	endpoint: string;
	kind: RequestKind;
	outcome: UnbilledOutcome;
	/** The HTTP status that the client got; null where it had gone. */
	status: number | null;
	error: RequestError;
	names: RequestNames;
	attempts: readonly CallAttempt[];
	count: number;
}

/** Requests of one minute, key, endpoint and code that called providers and have a row each. Further ones are counted in the last. */
export const MAX_ALIKE_WITH_ATTEMPTS = 20;

/** How many requests that are alike have rows of their own in a minute. */
export function mostAlike({ attempts }: Pick<UnbilledRequest, "attempts">): number {
	return attempts.length === 0 ? 1 : MAX_ALIKE_WITH_ATTEMPTS;
}

/** How a failure without a bill is called. @param hasLeft the client has gone, and was told nothing. */
export function toUnbilledOutcome(attempts: readonly CallAttempt[], status: number, hasLeft: boolean): UnbilledOutcome {
	if (hasLeft && attempts.length > 0) return "client_closed";
	return attempts.length > 0 || status >= 500 ? "failed" : "refused";
}

/** The columns of a failed request. */
export interface FailedRow extends Record<string, SqlStorageValue> {
	n: number;
	id: string;
	at_ms: number;
	latency_ms: number;
	api_key: string;
	endpoint: string;
	kind: string;
	outcome: string;
	status: number | null;
	error_code: string;
	error_message: string;
	/** Of the last attempt; null without one. */
	model: string | null;
	provider: string | null;
	session_id: string | null;
	end_user: string | null;
	count: number;
	/** The latest request that it counts. */
	last_id: string;
	attempts: string | null;
	metadata: string | null;
}

/** What a request used that was billed nothing. */
const NO_TOKENS = { tokens: 0, input_tokens: 0, ...sumTokenParts([]) };

/** A failed request as the metrics count it. */
export function toUnbilledRow(failed: UnbilledRequest): CountedRow {
	const { kind, apiKeyId: api_key_id, outcome, error, count, names, attempts, latencyMs: latency_ms } = failed;
	const { model = null, provider = null } = attempts.at(-1) ?? {};
	const facts = { ...NO_FACTS, ...names, attempts: [...attempts] };
	const nothing = { ...NO_TOKENS, cost_nano_usd: 0, fallback: false, calls: [] };
	return { kind, api_key_id, outcome, error, count, latency_ms, model, provider, facts, ...nothing };
}

/** A failed request as sums count it: by its last attempt's model. */
export function toFailureSum({ atMs, apiKeyId: api_key_id, outcome, count, attempts }: UnbilledRequest): TimeSum {
	const day = dayPart(new Date(atMs).toISOString());
	const counted = outcome === "refused" ? { refused: count } : { failed: count };
	return { day, api_key_id, model: attempts.at(-1)?.model ?? "", ...NO_TIMES, ...counted };
}

/** A failed request as its span says it. @param endpoint method and path; null where they are not known. */
export function toUnbilledTelemetry(
	failed: UnbilledRequest,
	userId: string,
	{ endpoint, parent }: Pick<RequestTelemetry, "endpoint" | "parent">,
): RequestTelemetry {
	const { requestId, atMs, names, attempts } = failed;
	return {
		...UNTOLD,
		...toCountedRequest(toUnbilledRow(failed), userId),
		...{ requestId, endpoint, parent, attempts, startedAtMs: atMs, status: toSentStatus(failed) },
		...names,
	};
}

/** The decision of a request for which none was made. */
const NO_DECISION = pickReceiptDecision({});

/** A failed request as lists show it. */
export function toListedFailure(row: FailedRow): ListedRequest {
	const attempts = row.attempts === null ? [] : fromStoredAttempts(row.attempts);
	return {
		request_id: row.id,
		api_key_id: row.api_key,
		created_at: new Date(row.at_ms).toISOString(),
		kind: row.kind,
		model: row.model,
		provider: row.provider,
		mode: null,
		...NO_TOKENS,
		cost_nano_usd: 0,
		latency_ms: row.latency_ms,
		estimated: false,
		outcome: row.outcome,
		fallback: false,
		status: row.status,
		error: { code: row.error_code, message: row.error_message },
		count: row.count,
		facts: {
			sessionId: row.session_id,
			endUser: row.end_user,
			metadata: row.metadata === null ? {} : (JSON.parse(row.metadata) as Record<string, string>),
			firstTokenMs: null,
			attempts,
		},
		proof_hash: null,
		isSigned: false,
		decision: NO_DECISION,
		calls: 0,
		models: [...new Set(attempts.map(({ model }) => model))],
	};
}
