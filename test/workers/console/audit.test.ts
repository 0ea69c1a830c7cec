// The console's page of the audit log.
import { describe, expect, it } from "vitest";
import { useConsoleUser } from "../../support/console.ts";
import { handOnTimes } from "../../support/ledger.ts";
import { callWithKey } from "../../support/service.ts";

const { key, browser } = useConsoleUser("corporate");

/** Kinds of the events in the table. */
function kinds(html: string): string[] {
	return [...html.matchAll(/data-label="Event"><span class="name">([\w ]+)</g)].map(([, kind = ""]) =>
		kind.replaceAll(" ", "_"),
	);
}

describe("the audit log", () => {
	it("says how to begin, then shows each event with its payload as text", async () => {
		expect(await browser().show("/console/audit")).toContain("Nothing is recorded yet");
		const action = `<script>alert(1)</script>`;
		await callWithKey(key().key, "/v1/policy/check", { workspace_id: "shop", action });
		const html = await browser().show("/console/audit");
		expect(html).toContain("&lt;script&gt;alert(1)");
		expect(html).not.toContain("<script>alert");
	});

	it("is filtered by kind, workspace and actor", async () => {
		await handOnTimes(key(), 1, { workspace_id: "a" });
		await callWithKey(key().key, "/v1/policy/check", { workspace_id: "b", action: "Look" });
		expect(kinds(await browser().show("/console/audit"))).toEqual(["policy_check", "handoff_created"]);
		expect(kinds(await browser().show("/console/audit?event_type=handoff_created"))).toEqual(["handoff_created"]);
		expect(kinds(await browser().show("/console/audit?workspace_id=b"))).toEqual(["policy_check"]);
		expect(await browser().show("/console/audit?actor=operator")).toContain("No event matches");
		expect(await browser().show("/console/audit?event_type=moon", 422)).toContain("event_type");
	});

	it("goes on to the next page with its filters", async () => {
		await handOnTimes(key(), 51, { workspace_id: "a" });
		const html = await browser().show("/console/audit?event_type=handoff_created&workspace_id=a");
		expect(kinds(html)).toHaveLength(50);
		const next = (/href="([^"]*cursor=[^"]*)"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&");
		expect(next).toContain("event_type=handoff_created");
		expect(kinds(await browser().show(next))).toHaveLength(1);
	});
});
