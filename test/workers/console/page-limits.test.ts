// Pages of the console have a limit of their own, and count against neither the minute nor the day of their user.
import { afterEach, describe, expect, it, vi } from "vitest";
import { openBrowser, signIn, useConsoleUser } from "../../support/console.ts";
import { call, callWithKey, newKey } from "../../support/service.ts";

const { key, browser } = useConsoleUser("free");

afterEach(() => {
	vi.useRealTimers();
});

/** What is left of the minute after a request by API, which takes one itself. */
async function remaining(headers: Record<string, string> = {}): Promise<number> {
	const response = await call("/v1/usage", { headers: { authorization: `Bearer ${key().key}`, ...headers } });
	expect(response.status).toBe(200);
	return Number(response.headers.get("x-ratelimit-remaining-requests"));
}

async function usedToday(): Promise<number> {
	const usage = (await (await callWithKey(key().key, "/v1/usage")).json()) as {
		limits: { daily_requests_used: number };
	};
	return usage.limits.daily_requests_used;
}

/** Opens a page until one is refused. @returns how many were shown, and the refusal. */
async function openUntilRefused(opened = browser()) {
	for (let shown = 0; shown < 200; shown++) {
		const page = await opened.get("/console/keys/new");
		if (page.status !== 200) return { shown, page };
	}
	throw new Error("no page was refused");
}

describe("pages of the console", () => {
	it("leave the minute and the day of a Free user as they were", async () => {
		for (let nth = 0; nth < 8; nth++)
			for (const path of ["/console", "/console/keys", "/console/requests", "/console/policy"])
				await browser().show(path);
		expect(await remaining()).toBe(9);
		expect(await usedToday()).toBe(0);
	});

	it("are shown while the minute of the API is used up", async () => {
		for (let nth = 0; nth < 10; nth++) await remaining();
		expect((await callWithKey(key().key, "/v1/usage")).status).toBe(429);
		await browser().show("/console");
		await browser().show("/console/policy");
	});

	it("are 120 in a minute, the sign-in's among them, for all sessions of a user; the next is free when the answer says", async () => {
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_001 });
		const { shown, page } = await openUntilRefused();
		expect(shown).toBe(120);
		expect(page.status).toBe(429);
		expect(page.headers.get("retry-after")).toBe("60");
		const html = await page.text();
		expect(html).toContain("too many pages");
		expect(html).toContain("60 seconds");
		// Neither a new session nor another kind of page is a way around it, and another user is not hindered.
		expect((await openBrowser().post("/console/sign-in", { key: key().key })).status).toBe(429);
		expect((await browser().get("/console/runs/svc-none/live")).status).toBe(429);
		expect((await browser().post("/console/keys/new", { role: "agent" })).status).toBe(429);
		await (await signIn(await newKey("free"))).show("/console/keys");
		// The API is not hindered either.
		expect(await remaining()).toBe(9);
		vi.setSystemTime(Date.now() + 59_999);
		expect((await browser().get("/console/keys/new")).status).toBe(429);
		vi.setSystemTime(Date.now() + 1);
		expect((await openUntilRefused()).shown).toBe(120);
		// Who may open no page may still leave.
		expect((await browser().post("/console/sign-out", {})).headers.get("location")).toBe("/console/sign-in");
		expect(browser().cookie()).toBe("");
	});

	it("count what they change or ask of a model as the API does", async () => {
		const fields = { role: "agent", name: "made in the console" };
		expect((await browser().post("/console/keys/new", fields)).status).toBe(200);
		expect(await remaining()).toBe(8);
		for (let left = 8; left > 0; left--) await remaining();
		const refused = await browser().post("/console/keys/new", fields);
		expect(refused.status).toBe(429);
		expect(await refused.text()).toContain("10 requests per minute");
	});
});

describe("a client of the API", () => {
	it("is counted whatever it sends: no header says that it is the console", async () => {
		const cookie = browser().cookie();
		const claims: Record<string, string>[] = [
			{ cookie },
			{ cookie, origin: "https://svc.test", "sec-fetch-site": "same-origin", referer: "https://svc.test/console" },
			{ session: "open", "x-session": "open", "x-session-id": "console", "x-svc-console": "1", "x-page-read": "true" },
		];
		for (const [nth, headers] of claims.entries()) expect(await remaining(headers)).toBe(9 - nth);
	});

	it("gets nothing from the API for a session's cookie alone", async () => {
		const response = await call("/v1/usage", { headers: { cookie: browser().cookie() } });
		expect(response.status).toBe(401);
	});
});
