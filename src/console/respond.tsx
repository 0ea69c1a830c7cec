// Documents as responses: the policy of content, no cache, no CORS. Every page of the console is made here.
import type { Child } from "hono/jsx";
import { Fragment } from "hono/jsx";
import type { ConsoleService } from "./service.ts";
import { Plain } from "./views/layout.tsx";
import { Notice } from "./views/parts.tsx";

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

export function documentResponse(html: Child, status = 200, headers: Record<string, string> = {}): Response {
	return new Response(`<!doctype html>${(<Fragment>{html}</Fragment>).toString()}`, {
		status,
		headers: { "content-type": "text/html; charset=utf-8", ...PAGE_HEADERS, ...headers },
	});
}

/** A page without navigation, for browsers that are not signed in. */
export function plainDocument(title: string, content: Child, status = 200): Response {
	return documentResponse(<Plain title={title}>{content}</Plain>, status);
}

/** A refusal outside any page. */
export function errorDocument(status: number, title: string, message: string, { requestId }: ConsoleService): Response {
	return plainDocument(
		title,
		<Notice kind="error" title={title}>
			<p>{message}</p>
			<p>
				<a href="/console">Overview</a> · request <code>{requestId}</code>
			</p>
		</Notice>,
		status,
	);
}
