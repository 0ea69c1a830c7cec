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
		expect(all).toContain("Remove it all");
		expect(all).toContain("Read &lt;script&gt;");
		expect(all).not.toContain("<img");
		const denied = await browser().show("/console/policy?decision=deny");
		expect(denied).toContain("Remove it all");
		expect(denied).not.toContain("Read &lt;");
		expect(await browser().show("/console/policy?workspace_id=other")).toContain("No check matches");
		const stranger = await signIn(await newKey("corporate"));
		expect(await stranger.show("/console/policy")).toContain("Nothing was checked yet");
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
