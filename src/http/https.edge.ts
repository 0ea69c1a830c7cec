// Requires HTTPS. Only requests to this machine itself are answered in the clear.
import type { MiddlewareHandler } from "hono";
import type { RequestContext } from "./context.ts";
import { failureResponse, type RequestState } from "./respond.edge.ts";

/** A year, the minimum of browsers' preload lists. Without includeSubDomains: other hosts are their operators' decision. */
const STRICT_TRANSPORT_SECURITY = "max-age=31536000";

/** Headers that must not travel in the clear. A request with one of them is refused instead of redirected. */
const CREDENTIALS = ["authorization", "cookie", "x-api-key"];

const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether a host name is this machine's (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
function isLoopback({ hostname }: URL): boolean {
	return LOOPBACK.test(hostname);
}

function isSecure(url: URL, headers: Headers): boolean {
	if (url.protocol === "https:") return true;
	// Cloudflare marks its requests with cf-ray, and their URL is right. Elsewhere, the proxy that ends the TLS says so.
	if (headers.has("cf-ray")) return false;
	const [closestToClient = ""] = (headers.get("x-forwarded-proto") ?? "").split(",");
	return closestToClient.trim().toLowerCase() === "https";
}

/** The service's origin as the client sees it. */
export function clientOrigin(address: string, headers: Headers): string {
	const url = new URL(address);
	return isSecure(url, headers) ? `https://${url.host}` : url.origin;
}

/** Passes HTTPS requests and those to this machine. Others are redirected, or refused if they have a credential or are no GET or HEAD. */
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
