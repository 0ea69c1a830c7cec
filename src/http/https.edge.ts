// HTTPS: on a deployment nothing is answered in the clear, on this machine everything is.
import type { MiddlewareHandler } from "hono";
import type { RequestContext } from "./context.ts";
import { failureResponse, type RequestState } from "./respond.edge.ts";

/** A year, the least that browsers' preload lists take; other hosts of the domain are their operator's affair. */
const STRICT_TRANSPORT_SECURITY = "max-age=31536000";

/** What must not travel in the clear: a request that has brought one is not sent on as if nothing had happened. */
const CREDENTIALS = ["authorization", "cookie", "x-api-key"];

const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Names of this machine, whose traffic does not leave it (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
function isLoopback({ hostname }: URL): boolean {
	return LOOPBACK.test(hostname);
}

function isSecure(url: URL, headers: Headers): boolean {
	if (url.protocol === "https:") return true;
	// Cloudflare tells by the address itself and names each request; elsewhere a proxy in front has ended the TLS, and says so.
	if (headers.has("cf-ray")) return false;
	const [closestToClient = ""] = (headers.get("x-forwarded-proto") ?? "").split(",");
	return closestToClient.trim().toLowerCase() === "https";
}

/** The service's origin as the client sees it. */
export function clientOrigin(address: string, headers: Headers): string {
	const url = new URL(address);
	return isSecure(url, headers) ? `https://${url.host}` : url.origin;
}

/** Lets HTTPS and this machine's own requests pass; others are sent to HTTPS, or refused if they cannot be unsent. */
export function requireHttps<C extends RequestContext>(): MiddlewareHandler<RequestState<C>> {
	return async (c, next) => {
		const url = new URL(c.req.url);
		const { headers } = c.req.raw;
		if (isLoopback(url)) return next();
		if (isSecure(url, headers)) {
			await next();
			c.res.headers.set("strict-transport-security", STRICT_TRANSPORT_SECURITY);
			return;
		}
		const isHarmless = ["GET", "HEAD"].includes(c.req.method) && !CREDENTIALS.some((name) => headers.has(name));
		if (!isHarmless) return failureResponse(c, { reason: "https_required" });
		const location = `https://${url.hostname}${url.pathname}${url.search}`;
		return new Response(null, { status: 308, headers: { location } });
	};
}
