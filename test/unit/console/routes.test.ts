// Finding the page of a path.
import { describe, expect, it } from "vitest";
import type { ConsolePage } from "../../../src/console/page.ts";
import { matchRoute } from "../../../src/console/routes.ts";

function page(method: "GET" | "POST", path: `/console${string}`): ConsolePage {
	return { id: path, method, path, handle: async () => ({ kind: "redirect", to: "/console" }) };
}

const PAGES = [
	page("GET", "/console"),
	page("GET", "/console/keys/new"),
	page("GET", "/console/keys/{id}"),
	page("POST", "/console/keys/{id}"),
	page("POST", "/console/keys/{id}/rotate"),
];

describe("a path", () => {
	it("finds its page and decodes its parameters", () => {
		expect(matchRoute(PAGES, "GET", "/console/keys/new")).toMatchObject({ page: { id: "/console/keys/new" } });
		expect(matchRoute(PAGES, "GET", "/console/keys/a%2Fb%20%C3%A9")).toMatchObject({ params: { id: "a/b é" } });
		expect(matchRoute(PAGES, "POST", "/console/keys/x/rotate")).toMatchObject({ params: { id: "x" } });
	});

	it.each(["/console/", "/console/keys", "/console/keys/", "/console/keys/a/b/c", "/console/keys/%ff", "/consol"])(
		"%s has no page",
		(path) => {
			expect(matchRoute(PAGES, "GET", path)).toEqual({ kind: "unknown" });
		},
	);

	it("names the methods that it takes", () => {
		expect(matchRoute(PAGES, "PUT", "/console/keys/x")).toEqual({ kind: "method", allow: "GET, HEAD, POST" });
	});
});
