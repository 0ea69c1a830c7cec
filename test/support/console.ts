// A browser of the console, as far as HTTP goes: it keeps the session's cookie and sends what a browser sends.
import { afterEach, beforeEach, expect } from "vitest";
import { call, newKey, ORIGIN, type TestKey, type Upstream, useSandbox } from "./service.ts";

export interface ConsoleBrowser {
	get(path: string, headers?: Record<string, string>): Promise<Response>;
	/** Sends a form from a page of the console. */
	post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
	/** The HTML of a page, which must have this status and be kept nowhere. */
	show(path: string, status?: number): Promise<string>;
	/** The cookie as it is kept now; empty when the session has ended. */
	cookie(): string;
}

export function openBrowser(address = "203.0.113.7"): ConsoleBrowser {
	let cookie = "";
	async function exchange(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
		const sent = { "cf-connecting-ip": address, ...(cookie ? { cookie } : {}), ...init.headers };
		const response = await call(path, { ...init, headers: sent, redirect: "manual" });
		const set = response.headers.get("set-cookie");
		if (set !== null) cookie = /Max-Age=0/.test(set) ? "" : (set.split(";")[0] ?? "");
		return response;
	}
	return {
		get: (path, headers = {}) => exchange(path, { headers }),
		async show(path, status = 200) {
			const response = await exchange(path, { headers: {} });
			const html = await response.text();
			expect(response.status, html).toBe(status);
			expect(response.headers.get("cache-control")).toBe("no-store");
			return html;
		},
		post: (path, fields, headers = {}) =>
			exchange(path, {
				method: "POST",
				body: new URLSearchParams(fields).toString(),
				headers: { "content-type": "application/x-www-form-urlencoded", origin: ORIGIN, ...headers },
			}),
		cookie: () => cookie,
	};
}

/** A browser that is signed in with a key. */
export async function signIn({ key }: Pick<TestKey, "key">): Promise<ConsoleBrowser> {
	const browser = openBrowser();
	const response = await browser.post("/console/sign-in", { key });
	if (response.status !== 303) throw new Error(`sign-in answered ${response.status}: ${await response.text()}`);
	return browser;
}

/** Whose pages a test looks at. */
export interface ConsoleUser {
	/** A key of a user who is new in each test. */
	key(): TestKey;
	/** A browser that is signed in with it. */
	browser(): ConsoleBrowser;
}

/** A new user with a browser, and the sandbox as the only upstream, for each test. To be called once in a test file. */
export function useConsoleUser(plan: string): ConsoleUser {
	let signedIn: { key: TestKey; browser: ConsoleBrowser } | undefined;
	let upstream: Upstream | undefined;

	beforeEach(async () => {
		upstream = useSandbox();
		const key = await newKey(plan);
		signedIn = { key, browser: await signIn(key) };
	});
	afterEach(() => upstream?.restore());

	function user() {
		if (!signedIn) throw new Error("nobody is signed in before a test begins");
		return signedIn;
	}
	return { key: () => user().key, browser: () => user().browser };
}
