// Finds the page of a path. Pure.
import type { ConsolePage } from "./page.ts";

export type RouteMatch =
	| { kind: "page"; page: ConsolePage; params: Record<string, string> }
	/** The path has pages, but none for the method. */
	| { kind: "method"; allow: string }
	| { kind: "unknown" };

/** A part of a path, decoded; null where it is not valid UTF-8. */
function decodePart(part: string): string | null {
	try {
		return decodeURIComponent(part);
	} catch {
		return null;
	}
}

/** The parameters of a path under a pattern such as `/console/runs/{id}`; null when it does not match. */
function matchPath(pattern: string, path: string): Record<string, string> | null {
	const wanted = pattern.split("/");
	const parts = path.split("/");
	if (wanted.length !== parts.length) return null;
	const params: Record<string, string> = {};
	for (const [index, part] of parts.entries()) {
		const name = /^\{(\w+)\}$/.exec(wanted[index] ?? "")?.[1];
		if (name === undefined) {
			if (part !== wanted[index]) return null;
			continue;
		}
		const value = decodePart(part);
		if (value === null || value === "") return null;
		params[name] = value;
	}
	return params;
}

/** The first page that matches. Pages with fixed parts come before those with a parameter in the same place. */
export function matchRoute(pages: readonly ConsolePage[], method: string, path: string): RouteMatch {
	const methods = new Set<string>();
	for (const page of pages) {
		const params = matchPath(page.path, path);
		if (!params) continue;
		if (page.method === method) return { kind: "page", page, params };
		methods.add(page.method === "GET" ? "GET, HEAD" : page.method);
	}
	return methods.size > 0 ? { kind: "method", allow: [...methods].join(", ") } : { kind: "unknown" };
}
