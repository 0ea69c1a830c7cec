// Where requests of the console may come from and lead to. Pure.

/**
 * Whether a request that changes something comes from a page of this service: its Origin is ours, or, where a browser sends none,
 * Sec-Fetch-Site says so (Fetch Metadata). No page elsewhere can forge either.
 */
export function isFromOwnPage(headers: Headers, origin: string): boolean {
	const named = headers.get("origin");
	return named === null ? headers.get("sec-fetch-site") === "same-origin" : named === origin;
}

/** Where a sign-in leads: a page of the console, whatever the link said. */
export function toOwnPath(next: string | null): string {
	return next !== null && /^\/console(?:[/?][\x21-\x7e]*)?$/.test(next) && !next.includes("\\") ? next : "/console";
}
