// The context of a request, whoever calls it and whatever answers it.
import type { Failure } from "../failure.ts";
import type { BodyTicket } from "./body-tickets.ts";
import type { ErrorDialect } from "./dialects.ts";
import type { RequestKind } from "./request-kind.ts";
import type { Timings } from "./timings.ts";

/** Fields of a request's one log line. Never content, never keys. */
interface LogFields {
	/** The endpoint's id. Unknown paths are not logged, because they may hold anything. */
	endpoint: string;
	user_id?: string;
	key_id?: string;
	model?: string;
	provider?: string;
	/** The operator's name of the provider's key, where it has several. */
	provider_key?: string;
	mode?: string;
	/** The strategy of an orchestration. */
	strategy?: string;
	outcome?: string;
	cost_usd?: number;
	estimated?: boolean;
	fallback?: boolean;
	error?: string;
}

/** How a request ends for its client, as far as that is known. */
export interface ExchangeNotes {
	/** The status that the client has; null while it has none. Set by those that send the head before the outcome is known. */
	sentStatus: number | null;
	/** Why the request failed; null while it has not. */
	failure: Failure | null;
}

export interface RequestContext {
	/** `svc-` and a ULID; also `x-request-id`. A guard may replace it before anything is stored or logged under it. */
	requestId: string;
	/** When the request arrived, ms since the epoch. */
	startedAtMs: number;
	/** The Worker's bindings. */
	env: Env;
	/** Maximum bytes of a body, by the endpoint's `bodyLimit`. */
	bodyLimits: { default: number; chat: number };
	/** Method and path of the endpoint, such as `GET /v1/models/{id}`; absent where no endpoint has the path. Set by the mount. */
	route?: string;
	/** Aborts when the client hangs up. */
	signal: AbortSignal;
	/** The client's address as the platform reports it, else `unknown`. */
	address: string;
	/** The service's origin as the client sees it. */
	origin: string;
	/** Length of the body's text; absent without one. Set by the mount. */
	bodyChars?: number | undefined;
	/** Keeps work running after the client has left. */
	waitUntil(work: Promise<unknown>): void;
	log: LogFields;
	trail: ExchangeNotes;
	/** Times of the request's stages, for the log line and Server-Timing. */
	timings: Timings;
	/** Set by a streamed answer. Resolves when it has ended; then its log fields are complete. */
	finished?: Promise<void>;
	/** The dialect of this request's errors, for handlers that write one themselves. Set by the mount. */
	errorDialect?: ErrorDialect;
	/** What the endpoint's requests are, where their failures are kept. Set by the mount. */
	requestKind?: RequestKind;
	/** The endpoint takes a key in `x-api-key` as well. Set by the mount. */
	acceptsApiKeyHeader?: boolean;
	/** Whose body this request has, if not its address's: a guard sets the user. */
	bodyOwner?: string | undefined;
	/** Set while the body is under way. Who counts the request gives it back. */
	bodyTicket?: BodyTicket;
	/** The body was refused: before it was read, because too much is under way, or for what it is. */
	refusedBody?: "unread" | "read";
	/** The parsed body before validation. */
	rawBody?: unknown;
}
