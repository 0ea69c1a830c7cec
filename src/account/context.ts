// The context of a handler: the request with its settings and storage, and its caller.

import type { Plan } from "../catalog/plans.ts";
import type { Database } from "../db/client.edge.ts";
import type { Result } from "../failure.ts";
import type { RequestContext } from "../http/context.ts";
import type { KeyRole } from "../http/endpoint.ts";
import type { BudgetStatus, MeteredBudget } from "../meter/key-budget.ts";
import type { KeyLimits } from "../meter/key-windows.ts";
import type { MeterClient } from "../meter/meter-client.edge.ts";
import type { RequestTrail } from "../meter/request-facts.ts";
import type { Reservation } from "../meter/settlement.ts";
import type { StoredWrite } from "../meter/stored-bytes.ts";
import type { Settings } from "../settings.ts";
import type { RequestTrace } from "../telemetry/request-trace.edge.ts";

/** The caller of a protected endpoint. */
export interface Account {
	userId: string;
	keyId: string;
	plan: Plan;
	/** The user's number, for request ids. */
	number: number;
	/** What the key that was used may do, and for how long. */
	key: KeyGrant;
	/** The key's budget, once the meter has refused the request for it: what is planned then must fit in what it leaves. */
	tightBudget?: BudgetStatus;
}

/** The rights of a key, as they were looked up. */
export interface KeyGrant {
	/** The meter refuses earlier versions than the latest. */
	version: number;
	role: KeyRole;
	/** From then on, the key is refused, ms since the epoch; null for a key without an end. */
	expiresAtMs: number | null;
	/** Null for a key whose only limits are its plan's. */
	limits: KeyLimits | null;
	/** Null for a key without one. */
	budget: MeteredBudget | null;
	/** The key that costs are booked on, where it is another: the first of those that replaced each other. */
	budgetKeyId: string | null;
	/** Null for a key that says nothing of its requests. */
	rules: KeyRules | null;
	/** Its id and those of the keys that it replaced, one after the other, by rotation. */
	lineage: readonly string[];
	/** Whether it reads only what its lineage made. */
	ownOnly: boolean;
	/** Whether texts of its requests are kept, where the operator keeps any. */
	logsTexts: boolean;
}

/** What a key says of its requests: the models that they may call, and how. */
export interface KeyRules {
	/** Ids, tiers and globs; null for all. */
	models: readonly string[] | null;
	/** JSON of a routing config in normal form; null without one. */
	brainConfig: string | null;
	/** The output limit of requests that name none; it goes before the config's. Null without one. */
	defaultMaxTokens: number | null;
}

/** The console's session that a request is made in. */
export interface RequestSession {
	id: string;
	/** The only version of its key that is accepted. */
	keyVersion: number;
	/** Whether the request only reads, for a page that was counted by itself: it counts against no limit of plan or key. */
	isPageRead: boolean;
}

export interface ServiceContext extends RequestContext {
	settings: Settings;
	db: Database;
	/** The meter of one user. */
	meter(userId: string): MeterClient;
	/** What is noted for the request's row. */
	trail: RequestTrail;
	/** Its place in its caller's trace; absent while no address for traces is set. */
	trace?: RequestTrace | undefined;
	/** The request's headers, for protocols that use them. */
	headers: Headers;
	/**
	 * Answers another request as if it had come in by itself, with its own id, access guard and log line.
	 * @param session the console's session that it is made in.
	 */
	dispatch(request: Request, session?: Omit<RequestSession, "isPageRead">): Promise<Response>;
	/** Absent for a request that comes with a key of its own. */
	session?: RequestSession;
	/** The caller of a public endpoint: an account when the request has a valid key, null when it has none. */
	caller(): Promise<Result<Account | null>>;
}

/** What comes with an admission. */
export interface Admitted {
	/** Of the receipt's hashes; null without a reservation. */
	salt: string | null;
}

export interface AdmitOptions {
	countsTowardsDay?: boolean;
	/** What the request stores, counted against the quota of stored bytes in the same call. */
	stored?: StoredWrite;
}

/** What was counted of a write. */
export interface CountedStorage {
	/** The quota is full: only the reduced form may be stored. */
	isReduced: boolean;
}

export interface KeyContext extends ServiceContext {
	account: Account;
	/**
	 * Counts the request once and stores its reservation. The client gets a refusal as its answer.
	 * @param options whether it counts towards the day; default: as its endpoint says.
	 */
	admit(reservation?: Reservation, options?: AdmitOptions): Promise<Result<Admitted>>;
	/** Takes the request as a record of a coding agent's hook, which counts against no limit of plan or key. */
	admitRecord(): Promise<Result<null>>;
	/**
	 * Counts what the request is about to store against the user's quota of stored bytes, once: in its admission where that is still
	 * to come, else in a call of its own. The client gets a refusal as its answer.
	 */
	store(write: StoredWrite): Promise<Result<CountedStorage>>;
	/** Takes back what `store` counted, because it was not stored. Never throws. */
	giveBackStored(): Promise<void>;
}
