// Keys in the console: what an owner makes, changes and ends, and what an agent's key and other users may not.
import { describe, expect, it } from "vitest";
import { signIn, useConsoleUser } from "../../support/console.ts";
import { call, callWithKey, chat, newKey } from "../../support/service.ts";

const { key: owner, browser } = useConsoleUser("pro");

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;

interface MadeKey {
	key_id: string;
	key: string;
	last4: string;
}

async function makeKey(options: Record<string, unknown> = {}): Promise<MadeKey> {
	return (await callWithKey(owner().key, "/v1/keys", options)).json();
}

describe("an owner", () => {
	it("makes a key, which one page shows once and which works", async () => {
		const page = await browser().post("/console/keys/new", {
			role: "agent",
			name: HOSTILE,
			budget_usd: "1.5",
			budget_period: "day",
		});
		expect(page.status).toBe(200);
		expect(page.headers.get("cache-control")).toBe("no-store");
		const html = await page.text();
		const key = /svc_sk_\w+/.exec(html)?.[0] ?? "";
		expect((await chat(key, "Say hello")).status).toBe(200);
		const list = await browser().show("/console/keys");
		expect(list).not.toContain(key);
		expect(list).not.toContain("<img src=x");
		expect(list).toContain("&lt;img src=x");
		expect(list).toContain("of $1.50 (day)");
	});

	it("sees at its field what is wrong, and keeps what was typed", async () => {
		const page = await browser().post("/console/keys/new", {
			role: "agent",
			name: "ci",
			rpm: "many",
			models: "no-such-model",
		});
		expect(page.status).toBe(422);
		const html = await page.text();
		expect(html).toMatch(/id="field-rpm-error"/);
		expect(html).toMatch(/value="ci"/);
		expect(html).toMatch(/value="many"/);
	});

	it("changes a key's limits at once", async () => {
		const made = await makeKey({ role: "agent", name: "ci" });
		const page = await browser().post(`/console/keys/${made.key_id}`, { name: "renamed", rpm: "1" });
		expect(await page.text()).toContain("The key was changed");
		expect((await callWithKey(made.key, "/v1/usage")).status).toBe(200);
		expect((await callWithKey(made.key, "/v1/usage")).status).toBe(429);
	});

	it("rotates a key: the new one works, the old one does not", async () => {
		const made = await makeKey({ role: "agent" });
		const html = await (await browser().post(`/console/keys/${made.key_id}/rotate`, { overlap_seconds: "0" })).text();
		const key = /svc_sk_\w+/.exec(html)?.[0] ?? "";
		expect(key).not.toBe(made.key);
		expect((await callWithKey(key, "/v1/usage")).status).toBe(200);
		expect((await callWithKey(made.key, "/v1/usage")).status).toBe(401);
	});

	it("revokes a key only after naming it", async () => {
		const made = await makeKey({ role: "agent" });
		expect((await browser().post(`/console/keys/${made.key_id}/revoke`, { confirm: "zzzz" })).status).toBe(422);
		expect((await callWithKey(made.key, "/v1/usage")).status).toBe(200);
		expect((await browser().post(`/console/keys/${made.key_id}/revoke`, { confirm: made.last4 })).status).toBe(303);
		expect((await callWithKey(made.key, "/v1/usage")).status).toBe(401);
	});

	it("is warned before the session's own key is changed, and signs in again after", async () => {
		expect(await browser().show(`/console/keys/${owner().key_id}`)).toContain("the key of this session");
		const html = await (
			await browser().post(`/console/keys/${owner().key_id}/rotate`, { overlap_seconds: "0" })
		).text();
		expect(html).toMatch(/svc_sk_\w+/);
		expect((await browser().get("/console/keys")).status).toBe(401);
	});
});

describe("the list of keys", () => {
	it("is searched, narrowed, ordered and paged, without a script", async () => {
		for (const [name, tag] of [
			["web", "live"],
			["web tests", "ci"],
			["docs", "ci"],
		])
			await makeKey({ role: "agent", name, tags: [tag] });
		const shown = async (query: string) =>
			[...(await browser().show(`/console/keys${query}`)).matchAll(/<bdi class="words">([^<]+)<\/bdi><\/a>/g)].map(
				([, name]) => name,
			);
		expect(await shown("?q=web&order=name")).toEqual(["web", "web tests"]);
		expect(await shown("?tag=ci&order=newest")).toEqual(["docs", "web tests"]);
		expect(await shown("?role=owner")).toEqual([expect.stringContaining("unnamed")]);
		expect(await browser().show("/console/keys?q=moon")).toContain("No key matches");
		expect(await browser().show("/console/keys?page=7")).toContain("4 keys");
	});
});

describe("who may not", () => {
	it("an agent's key sees itself, and its forms are refused", async () => {
		const made = await makeKey({ role: "agent" });
		const agent = await signIn(made);
		expect((await agent.get(`/console/keys/${owner().key_id}`)).status).toBe(404);
		const html = await agent.show(`/console/keys/${made.key_id}`);
		expect(html).not.toContain('<form method="post" action="/console/keys');
		for (const path of ["new", made.key_id, `${made.key_id}/rotate`])
			expect((await agent.post(`/console/keys/${path}`, { overlap_seconds: "0" })).status, path).toBe(403);
		for (const path of [owner().key_id, `${owner().key_id}/rotate`])
			expect((await agent.post(`/console/keys/${path}`, { overlap_seconds: "0" })).status, path).toBe(404);
		expect((await callWithKey(owner().key, "/v1/usage")).status).toBe(200);
	});

	it("another user's keys are unknown", async () => {
		const other = await newKey("pro");
		expect((await browser().get(`/console/keys/${other.key_id}`)).status).toBe(404);
		expect((await browser().post(`/console/keys/${other.key_id}/rotate`, { overlap_seconds: "0" })).status).toBe(404);
		expect(
			(await browser().post(`/console/keys/${other.key_id}/revoke`, { confirm: other.key.slice(-4) })).status,
		).toBe(404);
		expect((await call("/v1/usage", { headers: { authorization: `Bearer ${other.key}` } })).status).toBe(200);
	});
});
