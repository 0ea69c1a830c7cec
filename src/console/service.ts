// What the Worker lends the console, which is a module of its own beside the bundle: calls of the API, the seal, the log.
// Nothing here is a value.
import type { KeyRole } from "../http/endpoint.ts";

/** A caller's key, found to be valid. */
export interface ConsoleIdentity {
	userId: string;
	keyId: string;
	/** The session holds for this version of the key only. */
	keyVersion: number;
	role: KeyRole;
}

/** A session as the API knows it. */
export interface SessionRef {
	id: string;
	userId: string;
	/** The only version of its key that is accepted. */
	keyVersion: number;
}

/**
 * Whether a page may be shown. `limited`: the user has opened as many as a minute has; `unknown`: the object that counts them, and
 * remembers sessions that were ended, does not answer.
 */
export type PageTaken =
	| { state: "open" | "ended" | "unknown" }
	| { state: "limited"; message: string; retryAfterMs: number };

export interface ConsoleService {
	/** The service's origin as the browser sees it, without a trailing slash. */
	origin: string;
	/** Whether the browser came over HTTPS. It did not on loopback alone. */
	isSecure: boolean;
	/** The client's address as the platform reports it, else `unknown`. */
	address: string;
	/** When the request arrived, ms since the epoch. */
	nowMs: number;
	requestId: string;
	/** Aborts when the browser hangs up. */
	signal: AbortSignal;
	/** Finds out whose key it is; the message says why it is nobody's, or that the address has guessed too often. */
	identify(key: string): Promise<{ ok: true; value: ConsoleIdentity } | { ok: false; message: string; status: number }>;
	/** Answers a request as the API does, for a session. */
	dispatch(request: Request, session: SessionRef): Promise<Response>;
	/** Takes a page for a session, unless that has ended or its user has opened too many. */
	takePage(session: SessionRef): Promise<PageTaken>;
	/** Ends a session everywhere, before it answers. @param endsAtMs when it would end by itself. @returns false when that could not be stored. */
	endSession(session: SessionRef, endsAtMs: number): Promise<boolean>;
	/** An id that nobody guesses. */
	newSessionId(): string;
	/** The request's body as text; the message says why it is refused. */
	readText(): Promise<{ ok: true; value: string } | { ok: false; message: string; status: number }>;
	/** Seals a session's text for a cookie, as base64url. */
	seal(text: string): Promise<string>;
	/** Null when this service has not sealed it. */
	unseal(sealed: string): Promise<string | null>;
	/** Names the page in the request's log line. */
	logPage(id: string): void;
}

/** The console's entry, in `main.tsx`. */
export interface ConsoleModule {
	handleConsole(request: Request, service: ConsoleService): Promise<Response>;
}
