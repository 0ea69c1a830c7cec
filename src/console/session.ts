// A browser's session: what the sealed cookie holds, how long it holds, how it is written and read. Sealing is not done here. Pure.
import type { ConsoleIdentity } from "./service.ts";

export interface Session extends ConsoleIdentity {
	/** Names it in the meter once it has ended: 16 random bytes, hex. */
	id: string;
	key: string;
	issuedAtMs: number;
}

const SESSION_SECONDS = 12 * 3_600;

/**
 * The cookie's name. Browsers take a `__Host-` cookie only over HTTPS, for the whole host, and from no subdomain (RFC 6265bis,
 * section 4.1.3.2).
 */
function cookieName(isSecure: boolean): string {
	return isSecure ? "__Host-svc_console" : "svc_console";
}

function cookieAttributes(isSecure: boolean, maxAgeSeconds: number): string {
	return `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? "; Secure" : ""}`;
}

/** The Set-Cookie header that begins a session. */
export function renderSessionCookie(sealed: string, isSecure: boolean): string {
	return `${cookieName(isSecure)}=${sealed}; ${cookieAttributes(isSecure, SESSION_SECONDS)}`;
}

/** The Set-Cookie header that ends a session in the browser. */
export function renderEndedCookie(isSecure: boolean): string {
	return `${cookieName(isSecure)}=; ${cookieAttributes(isSecure, 0)}`;
}

/** The sealed session in a Cookie header; null without one. */
export function findSessionCookie(cookies: string | null, isSecure: boolean): string | null {
	const prefix = `${cookieName(isSecure)}=`;
	const cookie = (cookies ?? "").split("; ").find((part) => part.startsWith(prefix));
	return cookie?.slice(prefix.length) || null;
}

/** When a session ends by itself, ms since the epoch. */
export function sessionEndsAtMs({ issuedAtMs }: Session): number {
	return issuedAtMs + SESSION_SECONDS * 1_000;
}

export function renderSession({ id, key, userId, keyId, keyVersion, role, issuedAtMs }: Session): string {
	return JSON.stringify({ id, key, userId, keyId, keyVersion, role, issuedAtMs });
}

/**
 * Reads what renderSession wrote, which only this service can have sealed.
 * @returns null for a session that is over by its time, and for one from before sessions had ids, which nothing could end.
 */
export function readSession(text: string, nowMs: number): Session | null {
	const session: Session = JSON.parse(text);
	return typeof session.id === "string" && nowMs < sessionEndsAtMs(session) ? session : null;
}
