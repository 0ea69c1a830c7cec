// The console's session: who comes in, for how long, and what ends it; and what every page owes.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { generateApiKey } from "../../../src/account/api-key.ts";
import { openBrowser, signIn } from "../../support/console.ts";
import { always, onlyFor, useFaults } from "../../support/faults.ts";
import {
	anAddress,
	call,
	callWith,
	chat,
	newKey,
	ORIGIN,
	operator,
	type Upstream,
	useSandbox,
} from "../../support/service.ts";

const HOUR_MS = 3_600_000;

let upstream: Upstream;
beforeEach(() => {
	upstream = useSandbox();
});
afterEach(() => {
	upstream.restore();
	vi.useRealTimers();
});

function send(method: string, key: string, path: string, body: unknown = {}): Promise<Response> {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	return call(path, { method, headers, body: JSON.stringify(body) });
}

describe("signing in", () => {
	it("shows the overview of the key's user, and nothing to a browser without a session", async () => {
		const key = await newKey("pro");
		await (await chat(key.key, "Say hello")).text();
		const browser = await signIn(key);
		const page = await browser.get("/console");
		expect(page.status).toBe(200);
		const html = await page.text();
		expect(html).toContain("Pro");
		expect(html).toContain(`…${key.key.slice(-4)}`);
		expect(html).not.toContain(key.key);
		const outside = await openBrowser().get("/console?x=1");
		expect(outside.status).toBe(303);
		expect(outside.headers.get("location")).toBe("/console/sign-in?next=%2Fconsole%3Fx%3D1");
	});

	it("shows which models are not served, while they are not", async () => {
		const key = await newKey("pro");
		const browser = await signIn(key);
		const overview = async () => (await browser.get("/console")).text();
		expect(await overview()).not.toContain("did not serve");
		await (await chat(key.key, "[[unserved @openai]] hi", { model: "gpt-6-luna" })).text();
		expect(await overview()).toContain("gpt-6-luna (openai)");
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_001 });
		expect(await overview()).not.toContain("did not serve");
	});

	it("keeps the key sealed in a cookie that no script and no other site gets", async () => {
		const key = await newKey("pro");
		const response = await openBrowser().post("/console/sign-in", { key: key.key });
		const cookie = response.headers.get("set-cookie") ?? "";
		expect(cookie).toMatch(/^__Host-svc_console=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/);
		expect(cookie).not.toContain(key.key);
		expect(atob((cookie.split(/[=;]/)[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("svc_sk_");
	});

	it("leaves Secure off on loopback alone", async () => {
		const key = await newKey("pro");
		const { app } = await import("../../../src/app.ts");
		const { createExecutionContext } = await import("cloudflare:test");
		const origin = "http://127.0.0.1:8787";
		const request = new Request(`${origin}/console/sign-in`, {
			method: "POST",
			headers: { origin, "content-type": "application/x-www-form-urlencoded" },
			body: new URLSearchParams({ key: key.key }).toString(),
		});
		const response = await app.fetch(request, env, createExecutionContext());
		expect(response.headers.get("set-cookie")).toMatch(/^svc_console=.*Max-Age=43200$/);
	});

	it.each([
		["", 422],
		["svc_sk_wrong", 401],
	])("refuses %j with a sentence", async (key, status) => {
		const browser = openBrowser(anAddress());
		const response = await browser.post("/console/sign-in", { key });
		expect(response.status).toBe(status);
		expect(await response.text()).toMatch(/role="alert"/);
		expect(browser.cookie()).toBe("");
	});

	it("counts an unknown key as a guess of its address", async () => {
		const browser = openBrowser(anAddress());
		const guess = () =>
			browser.post("/console/sign-in", {
				key: generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count))),
			});
		let last = await guess();
		for (let guesses = 0; last.status === 401 && guesses < 250; guesses++) last = await guess();
		expect(last.status).toBe(429);
		expect(await last.text()).toContain("too many unknown API keys");
	});

	it.each([
		"https://evil.test/",
		"//evil.test",
		"/\\evil.test",
		"/v1/usage",
		"/console\\evil",
		"/consolex",
		"/console/../v1/usage",
		"/console/%2e%2e/v1/usage",
		"/console/..%2fv1",
		"/console\r\nx: y",
	])("leads to the overview, not to %s", async (next) => {
		const response = await openBrowser().post("/console/sign-in", { key: (await newKey("pro")).key, next });
		expect(response.headers.get("location")).toBe("/console");
	});
});

describe("a session", () => {
	it("ends when its key is revoked", async () => {
		const key = await newKey("pro");
		const browser = await signIn(key);
		expect((await operator("POST", `/internal/keys/${key.key_id}/revoke`)).status).toBe(200);
		const page = await browser.get("/console");
		expect(page.status).toBe(401);
		expect(await page.text()).toContain("sign in again");
		expect(browser.cookie()).toBe("");
	});

	it("that has ended leads, after a form, to the section of the form: its path is no page", async () => {
		const key = await newKey("pro");
		const browser = await signIn(key);
		expect((await operator("POST", `/internal/keys/${key.key_id}/revoke`)).status).toBe(200);
		const path = "/console/waiting/agt_1/pnd_1";
		const refused = await browser.post(path, { decision: "approve" });
		expect(refused.status).toBe(401);
		expect(await refused.text()).toContain('name="next" value="/console/waiting"');
		const outside = await openBrowser().post(path, { decision: "approve" });
		expect(outside.headers.get("location")).toBe("/console/sign-in?next=%2Fconsole%2Fwaiting");
	});

	it("ends when its key is rotated, although the key itself works until the overlap is over", async () => {
		const key = await newKey("pro");
		const browser = await signIn(key);
		expect((await send("POST", key.key, `/v1/keys/${key.key_id}/rotate`, { overlap_seconds: 600 })).status).toBe(200);
		expect((await chat(key.key, "Say hello")).status).toBe(200);
		expect((await browser.get("/console")).status).toBe(401);
		expect(browser.cookie()).toBe("");
	});

	it("ends when what its key may do is changed", async () => {
		const key = await newKey("pro");
		const browser = await signIn(key);
		expect((await send("PATCH", key.key, `/v1/keys/${key.key_id}`, { name: "renamed" })).status).toBe(200);
		expect((await browser.get("/console")).status).toBe(401);
	});

	it("begins at once with a key that has just been changed", async () => {
		const key = await newKey("pro");
		await signIn(key);
		await send("PATCH", key.key, `/v1/keys/${key.key_id}`, { name: "renamed" });
		expect((await (await signIn(key)).get("/console")).status).toBe(200);
	});

	it("ends after 12 hours, whatever the browser keeps", async () => {
		const browser = await signIn(await newKey("pro"));
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 12 * HOUR_MS - 60_000 });
		expect((await browser.get("/console")).status).toBe(200);
		vi.setSystemTime(Date.now() + 60_001);
		const page = await browser.get("/console");
		expect(page.status).toBe(303);
		expect(page.headers.get("location")).toBe("/console/sign-in?next=%2Fconsole");
	});

	it.each(["", "AAAA", "%%%", "a".repeat(5_000)])(
		"does not begin with a cookie that was not sealed here: %#",
		async (value) => {
			const page = await call("/console", { headers: { cookie: `__Host-svc_console=${value}` }, redirect: "manual" });
			expect(page.status).toBe(303);
		},
	);

	it("does not open under another pepper", async () => {
		const browser = await signIn(await newKey("pro"));
		const headers = { cookie: browser.cookie() };
		const page = await callWith({ KEY_PEPPER: "another-pepper-of-the-test" } as Partial<Env>, "/console", {
			headers,
			redirect: "manual",
		});
		expect(page.status).toBe(303);
	});

	it("ends in the browser by signing out", async () => {
		const browser = await signIn(await newKey("pro"));
		const response = await browser.post("/console/sign-out", {});
		expect(response.headers.get("location")).toBe("/console/sign-in");
		expect(browser.cookie()).toBe("");
	});

	it("is refused at once after signing out, whoever has a copy of its cookie", async () => {
		const key = await newKey("pro");
		const browser = await signIn(key);
		const other = await signIn(key);
		const headers = { cookie: browser.cookie() };
		const copy = (path: string, method = "GET") =>
			callWith({}, path, { method, headers: { ...headers, origin: ORIGIN }, redirect: "manual" });
		expect((await copy("/console")).status).toBe(200);
		// A page that calls no endpoint is refused like any other.
		for (const path of ["/console", "/console/config", "/console/policy"]) expect((await copy(path)).status).toBe(200);
		await browser.post("/console/sign-out", {});
		for (const path of ["/console", "/console/config", "/console/policy"]) {
			const page = await copy(path);
			expect([page.status, page.headers.get("location")?.split("?")[0]]).toEqual([303, "/console/sign-in"]);
		}
		const made = await copy("/console/keys/new", "POST");
		expect([made.status, made.headers.get("location")]).toEqual([303, "/console/sign-in?next=%2Fconsole%2Fkeys"]);
		// Nothing of it is in an isolate's memory: the user's object says it, also after it was evicted.
		await evictDurableObject(env.ACCOUNT_METER.getByName(key.user_id));
		expect((await copy("/console")).status).toBe(303);
		// The same key's other session goes on.
		expect((await other.get("/console")).status).toBe(200);
	});

	it("is ended by the next sign-in of its browser", async () => {
		const browser = await signIn(await newKey("pro"));
		const headers = { cookie: browser.cookie() };
		await browser.post("/console/sign-in", { key: (await newKey("pro")).key });
		expect((await browser.get("/console")).status).toBe(200);
		expect((await call("/console", { headers, redirect: "manual" })).status).toBe(303);
	});

	it("is not believed while nobody can say whether it has ended, and stays until it is ended", async () => {
		const key = await newKey("pro");
		const browser = await signIn(key);
		const cookie = browser.cookie();
		const faults = useFaults({ ACCOUNT_METER: onlyFor(["takePage", "endSession"], always("fail")) });
		try {
			const page = await browser.get("/console");
			expect(page.status).toBe(503);
			expect(await page.text()).toContain("could not be checked");
			const end = await browser.post("/console/sign-out", {});
			expect(end.status).toBe(503);
			expect(await end.text()).toContain("still signed in");
			expect(browser.cookie()).toBe(cookie);
		} finally {
			faults.restore();
		}
		expect((await browser.get("/console")).status).toBe(200);
		await browser.post("/console/sign-out", {});
		expect((await call("/console", { headers: { cookie }, redirect: "manual" })).status).toBe(303);
	});

	it("is forgotten by the user's object once it would be over by itself", async () => {
		const key = await newKey("pro");
		const meter = env.ACCOUNT_METER.getByName(key.user_id);
		await meter.endSession("old", Date.now() - 1);
		await meter.endSession("ended", Date.now() + HOUR_MS);
		await meter.endSession("ended", Date.now() + HOUR_MS);
		expect([await meter.isSessionEnded("old"), await meter.isSessionEnded("ended")]).toEqual([false, true]);
		const rows = await runInDurableObject(meter, (_, state) => [
			...state.storage.sql.exec("SELECT session FROM ended_sessions"),
		]);
		expect(rows).toEqual([{ session: "ended" }]);
	});
});

describe("a form", () => {
	it.each<Record<string, string>>([
		{ origin: "https://evil.test" },
		{ origin: "null" },
		{ "sec-fetch-site": "cross-site", origin: "https://elsewhere.test" },
	])("from elsewhere is refused: %j", async (headers) => {
		const browser = await signIn(await newKey("pro"));
		expect((await browser.post("/console/sign-out", {}, headers)).status).toBe(403);
		expect(browser.cookie()).not.toBe("");
	});

	it("from a browser that sends Sec-Fetch-Site alone is taken", async () => {
		const response = await call("/console/sign-out", {
			method: "POST",
			headers: { "sec-fetch-site": "same-origin" },
			redirect: "manual",
		});
		expect(response.status).toBe(303);
	});

	it("that is larger than the limit is refused", async () => {
		const response = await openBrowser().post("/console/sign-in", { key: "a".repeat(2_097_153) });
		expect(response.status).toBe(413);
	});
});

describe("the console", () => {
	it("serves its style, script, mark and font under names that hold their hash", async () => {
		const html = await (await openBrowser().get("/console/sign-in")).text();
		const assets = new Set([...html.matchAll(/\/console\/assets\/[\w.]+/g)].map(([path]) => path));
		const types = new Map<string, string | null>();
		for (const path of assets) {
			const response = await call(path);
			expect(response.status).toBe(200);
			expect(response.headers.get("cache-control")).toContain("immutable");
			types.set(path.split(".").at(-1) ?? "", response.headers.get("content-type"));
			if (!path.endsWith(".css")) continue;
			const [font] = /\/console\/assets\/[\w.]+/.exec(await response.text()) ?? [];
			expect(assets).toContain(font);
		}
		expect(Object.fromEntries(types)).toEqual({
			css: "text/css; charset=utf-8",
			js: "text/javascript; charset=utf-8",
			svg: "image/svg+xml",
			woff2: "font/woff2",
		});
		expect((await call("/console/assets/console.0000000000000000.js")).status).toBe(404);
	});

	it("is closed to other origins", async () => {
		for (const method of ["GET", "OPTIONS"]) {
			const response = await call("/console/sign-in", {
				method,
				headers: { origin: "https://elsewhere.test", "access-control-request-method": "POST" },
			});
			expect(response.headers.get("access-control-allow-origin")).toBeNull();
		}
	});

	it("takes the page's own methods only", async () => {
		const response = await call("/console", { method: "POST", headers: { origin: ORIGIN } });
		expect(response.status).toBe(405);
		expect(response.headers.get("allow")).toBe("GET, HEAD");
		expect((await call("/console/sign-out")).headers.get("allow")).toBe("POST");
	});
});
