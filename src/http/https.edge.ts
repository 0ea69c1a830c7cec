// Refuses foreign hosts and plain HTTP. Off Cloudflare, only loopback and allowed hosts are answered; loopback needs no HTTPS.
import type { MiddlewareHandler } from "hono";
import type { RequestContext } from "./context.ts";
import { type Deployment, isLoopback, isSecure, isServedHost } from "./deployment.ts";
import { failureResponse, type RequestState } from "./respond.edge.ts";

/** One year, the minimum for browsers' preload lists. Other hosts of the domain are their operator's business. */
const STRICT_TRANSPORT_SECURITY = "max-age=31536000";

/** Headers that must not travel in the clear. A request that carries one is refused, not redirected. */
const CREDENTIALS = ["authorization", "cookie", "x-api-key"];

/** Refuses hosts that are not the service's (RFC 9110, section 15.5.20), and sends or refuses what comes in the clear. */
export function requireOwnHostAndHttps<C extends RequestContext>(
	deploymentFor: (context: C) => Deployment,
): MiddlewareHandler<RequestState<C>> {
	return async (c, next) => {
		const url = new URL(c.req.url);
		const { headers } = c.req.raw;
		const deployment = deploymentFor(c.get("context"));
		if (!isServedHost(url, headers, deployment))
			return failureResponse(c, { reason: "misdirected_request", host: headers.get("host") ?? url.hostname });
		if (isLoopback(url)) return next();
		if (isSecure(url, headers, deployment)) {
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
