// What a handler is given: bindings, settings, the caller, and the request's log line.
import type { AdmissionDraft, MeterClient, Quota } from "../account/meter-client.edge.ts";
import type { Plan } from "../account/plans.ts";
import type { Database } from "../db/client.edge.ts";
import type { LedgerClient } from "../ledger/ledger-client.edge.ts";
import type { Settings } from "../settings.ts";
import type { Outcome } from "./errors.ts";
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
	outcome?: string;
	cost_usd?: number;
	estimated?: boolean;
	fallback?: boolean;
	error?: string;
}

export interface RequestContext {
	/** `svc-` and a ULID; also `x-request-id`. */
	requestId: string;
	/** When the request arrived, ms since the epoch. */
	startedAtMs: number;
	settings: Settings;
	db: Database;
	kv: KVNamespace;
	/** The meter of one user. */
	meter(userId: string): MeterClient;
	/** The ledger of one workspace of a user. */
	ledger(userId: string, workspaceId: string): LedgerClient;
	/** Who calls a public endpoint: an account when the request carries a valid key, null when it carries none. */
	caller(): Promise<Outcome<Account | null>>;
	/** Aborts when the client hangs up. */
	signal: AbortSignal;
	/** Origin of the service as this request saw it. */
	origin: string;
	/** Keeps work going when the client has gone. */
	waitUntil(work: Promise<unknown>): void;
	log: LogFields;
	/** Where the time goes, for the log line and Server-Timing. */
	timings: Timings;
	/** Set by a streamed answer: when it has ended, and with it what its log line says. */
	finished?: Promise<void>;
	/** The body as parsed, before validation changed anything. */
	rawBody?: unknown;
}

/** The caller of a protected endpoint. */
export interface Account {
	userId: string;
	keyId: string;
	plan: Plan;
}

export interface KeyContext extends RequestContext {
	account: Account;
	/** Counts the request, once, and stores its reservation; a refusal is what the client gets. */
	admit(draft?: AdmissionDraft): Promise<Outcome<Quota>>;
}
