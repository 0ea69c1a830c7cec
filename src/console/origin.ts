// Where requests of the console may come from and lead to. Pure.

/**
 * Whether a request that changes something comes from a page of this service: its Origin is ours, or, where a browser sends none,
 * Sec-Fetch-Site says so (Fetch Metadata). No page elsewhere can forge either.
 */
export function isFromOwnPage(headers: Headers, origin: string): boolean {
	const named = headers.get("origin");
	return named === null ? headers.get("sec-fetch-site") === "same-origin" : named === origin;
}

/** Some origin to read paths under. */
const BASE = "http://console.invalid";

/**
 * Where a sign-in leads: a page of the console, whatever the link said. A path that a browser would read as another one, such as
 * `/console/%2e%2e/v1`, leads to the overview, and so does one with a slash that is encoded, which a proxy may decode.
 */
export function toOwnPath(next: string | null): string {
	if (next === null || !/^\/console(?:[/?][\x21-\x7e]*)?$/.test(next)) return "/console";
	const { origin, pathname, search } = new URL(next, BASE);
	const isAsWritten = origin === BASE && `${pathname}${search}` === next;
	return isAsWritten && !/\\|%2f|%5c|\/\//i.test(pathname) ? next : "/console";
}
