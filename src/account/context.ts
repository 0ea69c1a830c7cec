// What a handler of this service is given: a request with its settings and storage, and who calls.

import type { Plan } from "../catalog/plans.ts";
import type { Database } from "../db/client.edge.ts";
import type { Result } from "../failure.ts";
import type { RequestContext } from "../http/context.ts";
import type { MeterClient, Quota } from "../meter/meter-client.edge.ts";
import type { Reservation } from "../meter/settlement.ts";
import type { Settings } from "../settings.ts";

/** The caller of a protected endpoint. */
export interface Account {
	userId: string;
	keyId: string;
	plan: Plan;
	/** The user's number, which request ids hold. */
	number: number;
}

export interface ServiceContext extends RequestContext {
	settings: Settings;
	db: Database;
	/** The meter of one user. */
	meter(userId: string): MeterClient;
	/** The request's own, for a protocol that speaks in them. */
	headers: Headers;
	/** Answers another request as if it had come in by itself: with an id, a gate and a log line of its own. */
	dispatch(request: Request): Promise<Response>;
	/** Who calls a public endpoint: an account when the request carries a valid key, null when it carries none. */
	caller(): Promise<Result<Account | null>>;
}

export interface KeyContext extends ServiceContext {
	account: Account;
	/** Counts the request, once, and stores its reservation; a refusal is what the client gets. */
	admit(reservation?: Reservation): Promise<Result<Quota>>;
}
