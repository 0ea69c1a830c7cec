// Sessions in the console: the list, one in its line of time with links, and what strangers may name a session.
import { expect, it } from "vitest";
import { signIn, useConsoleUser } from "../../support/console.ts";
import { call, callWithKey, newKey, withKey } from "../../support/service.ts";

const EVIL = `"><img src=x onerror=alert(1)>`;

const { key, browser } = useConsoleUser("corporate");

/** Posts in a session. @returns what came, whatever it was. */
async function post(path: string, body: unknown, session: string): Promise<{ id: string; run_id: string }> {
	const init = withKey(key().key, body);
	const response = await call(path, { ...init, headers: { ...init.headers, "x-session-id": session } });
	return response.json();
}

const ask = (session: string) =>
	post("/v1/chat/completions", { messages: [{ role: "user", content: "Say hello" }] }, session);
const pathOf = (session: string) => `/console/sessions/${encodeURIComponent(session)}`;
const hrefOf = (session: string) => `href="${pathOf(session)}"`;

it("are listed once there are any, with a page of each in one line of time", async () => {
	expect(await browser().show("/console/sessions")).toContain("No session yet");
	const asked = await ask("s 1/2");
	const run = await post("/v1/agent/run", { goal: "Say hello", max_steps: 1, max_cost_usd: 0.05 }, "s 1/2");
	const check = { workspace_id: "shop", action: "Clean up", commands: ["rm -rf /"] };
	await post("/v1/policy/check", check, "s 1/2");
	await post("/v1/chat/completions", { messages: 7 }, "s 1/2");
	const list = await browser().show("/console/sessions");
	expect(list).toContain(hrefOf("s 1/2"));
	const html = await browser().show(pathOf("s 1/2"));
	expect(html).toContain(`href="/console/requests/${asked.id}"`);
	expect(html).toContain(`href="/console/runs/${run.run_id}"`);
	expect(html).toContain("<code>rm -rf /</code>");
	expect(html).toContain("invalid_request");
	expect(html).toContain("1 of them agent runs");
	expect(html).toContain('href="/console/requests?session_id=s+1%2F2"');
});

it("are linked to by a request, a check, an event and the overview", async () => {
	const { id } = await ask("linked");
	const hook = { hook_event_name: "PreToolUse", session_id: "linked", cwd: "/home/ada/shop", tool_name: "Bash" };
	await callWithKey(key().key, "/v1/hooks/claude-code?workspace=shop", { ...hook, tool_input: { command: "ls" } });
	for (const path of [`/console/requests/${id}`, "/console/policy", "/console/audit", "/console?by=session"])
		expect(await browser().show(path), path).toContain(hrefOf("linked"));
});

it("are one's own, narrowed by key, and may have any name", async () => {
	await ask(EVIL);
	for (const path of ["/console/sessions", pathOf(EVIL), "/console?by=session"]) {
		const html = await browser().show(path);
		expect(html).not.toContain("<img src=x");
		expect(html).toContain("&lt;img src=x");
	}
	const stranger = await signIn(await newKey("corporate"));
	expect(await stranger.show(pathOf(EVIL), 404)).toContain("There is no such thing here");
	expect(await browser().show("/console/sessions?key_id=key_of_nobody")).toContain("No session matches");
	expect(await browser().show("/console/sessions?since=yesterday", 422)).toContain("since");
});

it("lead from page to page with what they are narrowed by", async () => {
	for (let nth = 0; nth < 51; nth++) await ask(`s${nth}`);
	const path = `/console/sessions?key_id=${key().key_id}`;
	const first = await browser().show(path);
	const next = /href="(\/console\/sessions\?[^"]*cursor=[^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
	expect(next).toContain(`key_id=${key().key_id}`);
	const second = await browser().show(next);
	expect(second).toContain(hrefOf("s0"));
	expect(second).toContain("End of the list");
});
