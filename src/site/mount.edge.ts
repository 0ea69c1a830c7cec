// Mounts the site: documents for people and for agents that read. Its module is loaded on first use.
import type { Context, Hono } from "hono";
import type { RequestContext } from "../http/context.ts";
import { conditionalStage } from "../http/mount.edge.ts";
import { failureResponse, PATH_NOT_FOUND, type RequestState } from "../http/respond.edge.ts";
import { siteHeaders } from "./headers.ts";
import type { SiteFile, SiteModule, ViewerModule } from "./site-file.ts";

const PATHS = ["/docs", "/docs/*", "/llms.txt"];

function fileResponse(file: SiteFile, status = 200): Response {
	const headers = siteHeaders(file);
	// What is missing now may be there after the next deployment.
	return new Response(file.text, {
		status,
		headers: status === 200 ? headers : { ...headers, "cache-control": "no-store" },
	});
}

function prefersPage(headers: Headers): boolean {
	return headers.get("accept")?.includes("text/html") ?? false;
}

/** Names of the viewer's files begin so. */
const VIEWER_PATHS = "/docs/assets/viewer.";

/**
 * @param load the site's module.
 * @param loadViewer the module of the API viewer.
 */
export function mountSite<C extends RequestContext>(
	app: Hono<RequestState<C>>,
	load: () => Promise<SiteModule>,
	loadViewer: () => Promise<ViewerModule>,
): void {
	const logged = (c: Context<RequestState<C>>): Promise<SiteModule> => {
		c.get("context").log.endpoint = "site";
		return load();
	};
	const answer = async (c: Context<RequestState<C>>) => {
		const site = await logged(c);
		const { pathname } = new URL(c.req.url);
		if (pathname.endsWith("/") && site.findSiteFile(pathname.slice(0, -1)))
			return c.redirect(pathname.slice(0, -1), 308);
		const file = pathname.startsWith(VIEWER_PATHS)
			? (await loadViewer()).findViewerFile(pathname)
			: site.findSiteFile(pathname);
		if (file) return fileResponse(file);
		return prefersPage(c.req.raw.headers) ? fileResponse(site.missingPage, 404) : failureResponse(c, PATH_NOT_FOUND);
	};
	const answerHome = async (c: Context<RequestState<C>>) => {
		const { findSiteFile, programIndex } = await logged(c);
		const page = prefersPage(c.req.raw.headers) ? findSiteFile("/") : null;
		const response = fileResponse(page ?? programIndex);
		response.headers.set("vary", "Accept");
		return response;
	};
	const mountAt = (path: string, handler: typeof answer) => {
		app.get(path, conditionalStage("strong"), handler);
		app.all(path, (c) => failureResponse(c, { reason: "method_not_allowed", allow: ["GET", "HEAD"] }));
	};
	for (const path of PATHS) mountAt(path, answer);
	mountAt("/", answerHome);
}
