// The console's catalog: what it says of models, what it narrows by, and what was routed where.
import { describe, expect, it } from "vitest";
import { useConsoleUser } from "../../support/console.ts";
import { chat } from "../../support/service.ts";

const { key, browser } = useConsoleUser("corporate");

/** Ids of the models in the table. */
function ids(html: string): string[] {
	return [...html.matchAll(/<span class="hint"><code>([^<]+)<\/code><\/span><\/summary>/g)].map(([, id = ""]) => id);
}

describe("the catalog", () => {
	it("lists every model with prices and a way to try it", async () => {
		const html = await browser().show("/console/models");
		expect(ids(html).length).toBeGreaterThan(20);
		expect(html).toContain('href="/console/playground?model=gpt-6-luna"');
		expect(html).toContain("none yet");
	});

	it("says what was routed where", async () => {
		await (await chat(key().key, "Say hello")).text();
		const html = await browser().show("/console/models");
		expect(ids(html)[0]).toBe("gpt-6-luna");
		expect(html).toMatch(/href="\/console\/requests\?model=gpt-6-luna"/);
		expect(html).toContain("100 % of 1 requests");
	});

	it("says what is not served now, and offers no trial of it", async () => {
		await (await chat(key().key, "[[unserved @openai]] hi", { model: "gpt-6-luna" })).text();
		const html = await browser().show("/console/models?q=gpt-6-luna");
		expect(html).toContain("not served now");
		expect(html).not.toContain('href="/console/playground?model=gpt-6-luna"');
	});

	it("is searched, narrowed and ordered, without a script", async () => {
		const shown = async (query: string) => ids(await browser().show(`/console/models?${query}`));
		expect((await shown("provider=anthropic&order=price"))[0]).toBe("claude-haiku-5-5");
		expect(await shown("q=opus")).toEqual(["claude-opus-5-5"]);
		expect((await shown("tier=frontier")).every((id) => !id.includes("nano"))).toBe(true);
		expect((await shown("can=vision")).length).toBeLessThan((await shown("")).length);
		expect(await shown("can=constructor")).toEqual([]);
		expect(await browser().show("/console/models?q=%3Cscript%3E")).toContain("No model matches");
	});
});
