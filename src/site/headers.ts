// Headers of the site's answers: the policy of content, how long a cache may keep them. Pure.
import type { SiteFile } from "./site-file.ts";

/** Nothing from elsewhere, nothing inline. A page reads the search index of its own origin. */
const PAGE_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"form-action 'none'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** A drawing opened by itself keeps its style, and nothing of it runs. */
const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export function siteHeaders({ type, etag, isImmutable }: Omit<SiteFile, "text">): Record<string, string> {
	return {
		"content-type": type,
		etag,
		"cache-control": isImmutable ? "public, max-age=31536000, immutable" : "public, max-age=300",
		"content-security-policy": type.startsWith("image/svg+xml") ? DRAWING_POLICY : PAGE_POLICY,
		"x-content-type-options": "nosniff",
		"referrer-policy": "no-referrer",
	};
}
