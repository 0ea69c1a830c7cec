// Documents as responses. Every page of the console is made here.
import type { Child } from "hono/jsx";
import { Fragment } from "hono/jsx";
import { PAGE_HEADERS } from "./headers.ts";
import type { ConsoleService } from "./service.ts";
import { Plain } from "./views/layout.tsx";
import { Notice } from "./views/parts.tsx";

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
