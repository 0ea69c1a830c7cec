// Headers of the console's answers: the policy of content, no cache, no CORS.

/** Nothing from elsewhere, nothing inline. */
const CONTENT_SECURITY_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"font-src 'self'",
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
