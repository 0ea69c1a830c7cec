// The console's page of policy checks, and its form that makes one.
import { describe, expect, it } from "vitest";
import { signIn, useConsoleUser } from "../../support/console.ts";
import { callWithKey, newKey } from "../../support/service.ts";

const EVIL = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`;

const { key, browser } = useConsoleUser("corporate");

describe("policy checks", () => {
	it("are listed with decision and reason, by filters, and only one's own", async () => {
		expect(await browser().show("/console/policy")).toContain("Nothing was checked yet");
		const check = (action: string, more: object) =>
			callWithKey(key().key, "/v1/policy/check", { workspace_id: "shop", action, ...more });
		await check(`Read ${EVIL}`, {});
		await check("Remove it all", { commands: ["rm -rf /"] });
		const all = await browser().show("/console/policy");
		expect(all).toContain("<code>rm -rf /</code>");
		expect(all).toContain("Denied: risk score");
		expect(all).toContain("Read &lt;script&gt;");
		expect(all).not.toContain("<img src=x");
		const denied = await browser().show("/console/policy?decision=deny");
		expect(denied).toContain("<code>rm -rf /</code>");
		expect(denied).not.toContain("Read &lt;");
		expect(await browser().show("/console/policy?workspace_id=other")).toContain("No check matches");
		const stranger = await signIn(await newKey("corporate"));
		expect(await stranger.show("/console/policy")).toContain("Nothing was checked yet");
	});

	it("say who asked by the key's name, and what was denied or left to a person", async () => {
		const made = (await (await callWithKey(key().key, "/v1/keys", { role: "agent", name: "ci <b>" })).json()) as {
			key: string;
			key_id: string;
		};
		const hook = { hook_event_name: "PreToolUse", session_id: "s-1", cwd: "/home/ada/shop", tool_name: "Bash" };
		for (const command of ["rm -rf /", "sudo systemctl restart nginx"]) {
			const input = { ...hook, tool_input: { command } };
			const response = await callWithKey(made.key, "/v1/hooks/claude-code?workspace=shop", input);
			expect(response.status).toBe(200);
		}
		const html = await browser().show("/console/policy");
		expect(html).toContain(`href="/console/keys/${made.key_id}"`);
		expect(html).toContain("ci &lt;b&gt;");
		expect(html).toContain("claude-code");
		expect(html).toMatch(/1 in 30 days/);
		expect(html).toContain("Left to a person");
		expect(html).not.toContain("ci <b>");
		// Narrowed by what the cards and the rows lead to.
		expect(html).toContain('href="/console/sessions/s-1"');
		const narrowed = await browser().show("/console/policy?session_id=s-1");
		expect(narrowed).toContain("<code>rm -rf /</code>");
		expect(narrowed).not.toContain("Denied by day");
		expect(await browser().show(`/console/policy?actor=key:${made.key_id}&decision=deny`)).toContain("rm -rf /");
		expect(await browser().show("/console/policy?agent=codex")).toContain("No check matches");
	});

	it("name a filter that is not valid", async () => {
		expect(await browser().show("/console/policy?since=yesterday", 422)).toContain("since");
	});

	it("are made by the form, which says that they are recorded", async () => {
		expect(await browser().show("/console/policy/check")).toContain("The check is recorded");
		const fields = {
			workspace_id: "shop",
			action: EVIL,
			action_kind: "",
			files_affected: "",
			commands: "rm -rf /\r\nls",
		};
		const html = await (await browser().post("/console/policy/check", fields)).text();
		expect(html).toContain("Decision: deny");
		expect(html).not.toContain("<script>alert");
		expect(html).toContain("rm -rf /\r\nls</textarea>");
		expect(await browser().show("/console/policy")).toContain("rm -rf /");
		const refused = await browser().post("/console/policy/check", { ...fields, action: " " });
		expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("must not be blank")]);
	});

	it("are not made by other sites", async () => {
		const response = await browser().post("/console/policy/check", {}, { origin: "https://elsewhere.test" });
		expect(response.status).toBe(403);
	});
});
