// What every page of the console owes. A page joins by being in the list.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONSOLE_PAGES } from "../../src/console/pages.ts";
import { type ConsoleBrowser, openBrowser, signIn } from "../support/console.ts";
import { call, callWithKey, newKey, ORIGIN, type Upstream, useSandbox } from "../support/service.ts";

let browser: ConsoleBrowser;
let approver: ConsoleBrowser;
let upstream: Upstream;
beforeAll(async () => {
	upstream = useSandbox();
	browser = await signIn(await newKey("corporate"));
	// Of another user: a minute has so many pages for each.
	const other = await newKey("corporate");
	approver = await signIn(await (await callWithKey(other.key, "/v1/keys", { role: "approver" })).json());
});

afterAll(() => upstream.restore());

function anyPath(path: string): string {
	return path.replace(/\{\w+\}/g, "anything");
}

const pages = CONSOLE_PAGES.map((page) => [`${page.method} ${page.path}`, page] as const);

describe.each(pages)("%s", (_, { method, path }) => {
	const target = anyPath(path);
	const visit = (from: ConsoleBrowser, headers?: Record<string, string>) =>
		method === "GET" ? from.get(target, headers) : from.post(target, {}, headers);

	it("leads a browser without a session to the sign-in", async () => {
		const response = await visit(openBrowser());
		expect(response.status).toBe(303);
		expect(response.headers.get("location")).toMatch(/^\/console\/sign-in/);
	});

	it("is nobody's to keep, to frame, or to read from elsewhere", async () => {
		const response = await visit(browser, { origin: ORIGIN });
		expect(response.status).toBeLessThan(500);
		expect(response.headers.get("cache-control")).toBe("no-store");
		expect(response.headers.get("access-control-allow-origin")).toBeNull();
		if (response.status === 303) return;
		const policy = response.headers.get("content-security-policy") ?? "";
		for (const directive of ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"])
			expect(policy).toContain(directive);
		expect(policy).not.toMatch(/unsafe|\*|https?:/);
	});

	it("has no inline script or style, and one heading of the first level", async () => {
		const response = await visit(browser);
		if (!response.headers.get("content-type")?.startsWith("text/html")) return;
		const html = await response.text();
		expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:/i);
		// A part of a page has none.
		if (html.startsWith("<!doctype html>")) expect(html.match(/<h1/g)).toHaveLength(1);
	});

	it("is shown or refused to an approver's key, and never fails for it", async () => {
		const response = await visit(approver);
		const html = await response.text();
		expect([200, 303, 400, 403, 404, 409, 422], html).toContain(response.status);
		if (response.status !== 303 && html.startsWith("<!doctype html>")) expect(html).toContain("approver key");
	});

	it("takes a form from its own pages only", async () => {
		if (method === "GET") return;
		const headers = {
			cookie: browser.cookie(),
			origin: "https://evil.test",
			"content-type": "application/x-www-form-urlencoded",
		};
		expect((await call(target, { method, headers, body: "" })).status).toBe(403);
	});
});

describe("the list of pages", () => {
	it("has each path and method once", () => {
		const names = pages.map(([name]) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(names.length).toBeGreaterThan(0);
	});
});
