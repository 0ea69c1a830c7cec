// Mounts the site: documents for people and for agents that read. Its module is loaded on first use.
import type { Context, Hono } from "hono";
import type { RequestContext } from "../http/context.ts";
import { conditionalStage } from "../http/mount.edge.ts";
import { failureResponse, PATH_NOT_FOUND, type RequestState } from "../http/respond.edge.ts";
import { siteHeaders } from "./headers.ts";
import { prefersHtml } from "./preference.ts";
import {
	PICTURE_PATHS,
	type PicturesModule,
	type SiteFile,
	type SiteModule,
	type SitePicture,
	type ViewerModule,
} from "./site-file.ts";

const PATHS = ["/docs", "/docs/*", "/llms.txt"];

function fileResponse(file: SiteFile | SitePicture, status = 200): Response {
	const headers = siteHeaders(file);
	const body = "bytes" in file ? file.bytes : file.text;
	// What is missing now may be there after the next deployment.
	return new Response(body, {
		status,
		headers: status === 200 ? headers : { ...headers, "cache-control": "no-store" },
	});
}

function prefersPage(headers: Headers): boolean {
	return prefersHtml(headers.get("accept") ?? "");
}

/** Names of the viewer's files begin so. */
const VIEWER_PATHS = "/docs/assets/viewer.";

interface SiteLoaders {
	site(): Promise<SiteModule>;
	viewer(): Promise<ViewerModule>;
	pictures(): Promise<PicturesModule>;
}

/** @param load the site's modules, each on first use. */
export function mountSite<C extends RequestContext>(app: Hono<RequestState<C>>, load: SiteLoaders): void {
	const logged = (c: Context<RequestState<C>>): Promise<SiteModule> => {
		c.get("context").log.endpoint = "site";
		return load.site();
	};
	const findFile = async (path: string, site: SiteModule) => {
		if (path.startsWith(VIEWER_PATHS)) return (await load.viewer()).findViewerFile(path);
		return path.startsWith(PICTURE_PATHS) ? (await load.pictures()).findPicture(path) : site.findSiteFile(path);
	};
	const answer = async (c: Context<RequestState<C>>) => {
		const site = await logged(c);
		const { pathname } = new URL(c.req.url);
		if (pathname.endsWith("/") && site.findSiteFile(pathname.slice(0, -1)))
			return c.redirect(pathname.slice(0, -1), 308);
		const file = await findFile(pathname, site);
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
