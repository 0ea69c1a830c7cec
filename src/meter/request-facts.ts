// What the row of a request says beside its usage and its receipt. Pure.
import type { ExchangeNotes } from "../http/context.ts";
import type { CallAttempt } from "./call-attempt.ts";

/** What a request is called by; null and empty where it has no names (account/request-names.ts reads them). */
export interface RequestNames {
	/** The client's session: at most 128 printable characters of ASCII. */
	sessionId: string | null;
	/** Whom the request is for: at most 512 characters. */
	endUser: string | null;
	/** At most 16 pairs: names of at most 64 characters, values of at most 512. */
	metadata: Record<string, string>;
}

/** What a row says beside usage and receipt. */
export interface RequestFacts extends RequestNames {
	/** From its arrival to the first token, ms; null where none came. */
	firstTokenMs: number | null;
	/** The first and the last upstream calls, at most 32, in the order of their starts. */
	attempts: CallAttempt[];
}

/** Why a request gave no answer, in our own words: never a client's text. */
export interface RequestError {
	/** The code that the client got. */
	code: string;
	message: string;
}

/** How a request ended for its client. */
export interface RequestEnd {
	/** The HTTP status that the client got; null where the client had gone, or the process died. */
	status: number | null;
	/** Null where nothing went wrong. */
	error: RequestError | null;
}

/** Of a request without names. */
export const UNNAMED: RequestNames = { sessionId: null, endUser: null, metadata: {} };

/** Of a request whose process died before it ended. */
export const NO_END: RequestEnd = { status: null, error: null };

/** Of a request of which nothing is known. */
export const NO_FACTS: RequestFacts = { ...UNNAMED, firstTokenMs: null, attempts: [] };

/** What is noted of a request on its way, for its row. */
export interface RequestTrail extends ExchangeNotes {
	/** Its upstream calls, where it failed without a bill. */
	attempts: readonly CallAttempt[];
	/** The meter has a reservation for it, which becomes its row. */
	isReserved: boolean;
}

/** Of a request that has just arrived. */
export function newTrail(): RequestTrail {
	return { attempts: [], isReserved: false, sentStatus: null, failure: null };
}
