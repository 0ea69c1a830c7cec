// Headers of all that the console answers, and parts of pages as responses: a policy of content, no cache, no CORS.
import type { Child } from "hono/jsx";
import { Fragment } from "hono/jsx";

/** Nothing from elsewhere, nothing inline. */
const CONTENT_SECURITY_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"form-action 'self'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** Headers of all that the console answers but assets. */
export const PAGE_HEADERS = {
	"cache-control": "no-store",
	"content-security-policy": CONTENT_SECURITY_POLICY,
	"x-content-type-options": "nosniff",
	"referrer-policy": "same-origin",
	"cross-origin-opener-policy": "same-origin",
} as const;

/** A part of a page, for a script that puts it in its place. */
export function fragmentResponse(html: Child, status = 200, headers: Record<string, string> = {}): Response {
	return new Response((<Fragment>{html}</Fragment>).toString(), {
		status,
		headers: { "content-type": "text/html; charset=utf-8", ...PAGE_HEADERS, ...headers },
	});
}
