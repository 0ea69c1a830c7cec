// Parts of pages as responses, for scripts that put them in their places.
import type { Child } from "hono/jsx";
import { Fragment } from "hono/jsx";
import { PAGE_HEADERS } from "./headers.ts";

/** A part of a page, for a script that puts it in its place. */
export function fragmentResponse(html: Child, status = 200, headers: Record<string, string> = {}): Response {
	return new Response((<Fragment>{html}</Fragment>).toString(), {
		status,
		headers: { "content-type": "text/html; charset=utf-8", ...PAGE_HEADERS, ...headers },
	});
}
