// The site as it is served: types, caching, methods, what is not there.
import { describe, expect, it } from "vitest";
import { call } from "../support/service.ts";

const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("a document", () => {
	it.each([
		["/docs", "text/html; charset=utf-8"],
		["/docs/reference", "text/html; charset=utf-8"],
		["/docs/reference.md", "text/markdown; charset=utf-8"],
		["/docs/reference/chat", "text/html; charset=utf-8"],
		["/docs/reference/chat.md", "text/markdown; charset=utf-8"],
		["/docs/index.md", "text/markdown; charset=utf-8"],
		["/docs/routing.svg", "image/svg+xml; charset=utf-8"],
		["/docs/license.txt", "text/plain; charset=utf-8"],
		["/llms.txt", "text/plain; charset=utf-8"],
	])("%s is %s, may be kept for minutes and is not sent twice", async (path, type) => {
		const response = await call(path);
		expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
		expect(response.headers.get("cache-control")).toBe("public, max-age=300");
		expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
		expect(response.headers.get("x-content-type-options")).toBe("nosniff");
		expect(response.headers.get("x-request-id")).toMatch(/^svc-/);
		expect((await response.text()).length).toBeGreaterThan(500);
		const etag = response.headers.get("etag") ?? "";
		expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
		const again = await call(path, { headers: { "if-none-match": etag } });
		expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
		const head = await call(path, { method: "HEAD" });
		expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
	});

	it("allows its own script and style only, kept for ever under a name with their hash", async () => {
		const response = await call("/docs");
		const policy = response.headers.get("content-security-policy") ?? "";
		for (const directive of ["script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
			expect(policy).toContain(directive);
		expect(policy).not.toMatch(/unsafe|\*|https?:/);
		const assets = [...(await response.text()).matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
		expect(assets.map((path) => path.split(".").at(-1)).toSorted()).toEqual(["css", "js", "json"]);
		for (const path of assets) {
			const asset = await call(path);
			expect([asset.status, asset.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
			await asset.text();
		}
	});

	it("refuses other methods", async () => {
		for (const path of ["/docs", "/docs/reference", "/llms.txt"]) {
			const response = await call(path, { method: "POST", body: "{}" });
			expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
			await response.text();
		}
	});
});

describe("a path without a document", () => {
	it.each([
		"/docs/nope",
		"/docs/../settings",
		"/docs/constructor",
		"/docs/assets/",
		"/docs/pictures/nope.webp",

		"/docs/reference.html",
		"/docs/reference/nope",
	])("%s is 404: a page to a browser, an error to a program, kept by nobody", async (path) => {
		const page = await call(path, { headers: PAGE });
		expect([page.status, page.headers.get("cache-control")]).toEqual([404, "no-store"]);
		expect(await call(path).then((response) => response.json())).toMatchObject({ error: "not_found" });
	});

	it("shows browsers the way to the documents", async () => {
		const response = await call("/docs/nope", { headers: PAGE });
		expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(await response.text()).toContain('<a href="/docs">introduction</a>');
	});

	it("leads to the document without the slash at its end", async () => {
		const response = await call("/docs/reference/", { redirect: "manual" });
		expect([response.status, response.headers.get("location")]).toEqual([308, "/docs/reference"]);
	});
});

describe("the first page", () => {
	it("says to a browser what this is, with a recorded answer, and calls nothing", async () => {
		const response = await call("/", { headers: PAGE });
		expect([response.status, response.headers.get("content-type"), response.headers.get("vary")]).toEqual([
			200,
			"text/html; charset=utf-8",
			"Accept",
		]);
		const html = await response.text();
		for (const path of ["/docs", "/console", "/verify", "/health", "/llms.txt"])
			expect(html).toContain(`href="${path}"`);
		expect(html).toContain("curl $SVC_BASE_URL/chat/completions");
		expect(html).toContain("&quot;proof_hash&quot;: &quot;sha256:");
		const pictures = [...html.matchAll(/"(\/docs\/pictures\/[^"]+)"/g)].map(([, path = ""]) => path);
		expect(pictures).toEqual(["/docs/pictures/overview-dark.webp", "/docs/pictures/overview.webp"]);
		for (const path of pictures) {
			const picture = await call(path);
			expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/webp"]);
			const bytes = new Uint8Array(await picture.arrayBuffer());
			expect(new TextDecoder().decode(bytes.slice(8, 12))).toBe("WEBP");
			expect(bytes.length).toBeLessThanOrEqual(153_600);
		}
		const etag = response.headers.get("etag") ?? "";
		const again = await call("/", { headers: { ...PAGE, "if-none-match": etag } });
		expect([again.status, again.headers.get("vary"), await again.text()]).toEqual([304, "Accept", ""]);
	});

	it.each([undefined, "*/*", "application/json", "text/html;q=0.5, application/json"])(
		"names to a program that accepts %s where everything is",
		async (accept) => {
			const response = await call("/", accept === undefined ? {} : { headers: { accept } });
			expect([response.status, response.headers.get("content-type"), response.headers.get("vary")]).toEqual([
				200,
				"application/json",
				"Accept",
			]);
			const { links } = (await response.json()) as { links: Record<string, string> };
			expect(Object.keys(links)).toEqual(expect.arrayContaining(["docs", "console", "verify", "health", "openapi"]));
			for (const path of Object.values(links)) {
				const linked = await call(path);
				expect(linked.status, path).toBeLessThan(400);
				await linked.text();
			}
		},
	);

	it("refuses other methods", async () => {
		const response = await call("/", { method: "POST" });
		expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
	});
});
