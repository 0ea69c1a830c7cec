// What every request carries, whoever calls and whatever answers: its id, its bindings, its log line.
import type { ErrorDialect } from "./dialects.ts";
import type { Timings } from "./timings.ts";

/** Fields of the one log line a request leaves. Never content, never keys. */
export interface LogFields {
	/** Endpoint id; unknown paths are not logged, they may hold anything. */
	endpoint: string;
	user_id?: string;
	key_id?: string;
	model?: string;
	provider?: string;
	mode?: string;
	/** Of an orchestration. */
	strategy?: string;
	outcome?: string;
	cost_usd?: number;
	estimated?: boolean;
	fallback?: boolean;
	error?: string;
}

export interface RequestContext {
	/** `svc-` and a ULID; also `x-request-id`. A gate may give it another, before anything is stored or logged under it. */
	requestId: string;
	/** When the request arrived, ms since the epoch. */
	startedAtMs: number;
	/** The Worker's bindings. */
	env: Env;
	/** Most bytes of a body, by what an endpoint says of its own. */
	bodyLimits: { default: number; chat: number };
	/** Aborts when the client hangs up. */
	signal: AbortSignal;
	/** The client's, as the platform tells it; `unknown` where it does not. */
	address: string;
	/** Origin of the service as this request saw it. */
	origin: string;
	/** Keeps work going when the client has gone. */
	waitUntil(work: Promise<unknown>): void;
	log: LogFields;
	/** Where the time goes, for the log line and Server-Timing. */
	timings: Timings;
	/** Set by a streamed answer: when it has ended, and with it what its log line says. */
	finished?: Promise<void>;
	/** The form of this request's errors, for a handler that has to write one itself; set by the mount. */
	errorDialect?: ErrorDialect;
	/** The body as parsed, before validation changed anything. */
	rawBody?: unknown;
}
