// The playground and the check of routing configs, without a script.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { storeCatalog } from "../../../src/load-settings.edge.ts";
import { useConsoleUser } from "../../support/console.ts";
import { OPERATOR_CATALOG } from "../../support/operator-catalog.ts";
import { usageOf } from "../../support/service.ts";

const { key, browser } = useConsoleUser("pro");

describe("the playground", () => {
	it("brings a whole answer with its decision and cost", async () => {
		const html = await (
			await browser().post("/console/playground", { prompt: "Say <b>hello</b>", model: "auto" })
		).text();
		expect(html).toContain("Say &lt;b&gt;hello");
		expect(html).toMatch(/ranks first of \d+ eligible models/);
		expect(html).toMatch(/\/console\/requests\/svc-/);
	});

	it("goes on with the conversation, shows answers as Markdown and the request as code, without a script", async () => {
		const first = await (
			await browser().post("/console/playground", { prompt: "Say **hello**", model: "auto" })
		).text();
		expect(first).toContain("<strong>hello</strong>");
		expect(first).toContain("curl https://svc.test/v1/chat/completions");
		const conversation = (/name="conversation" value="([^"]*)"/.exec(first)?.[1] ?? "").replaceAll("&quot;", '"');
		expect(JSON.parse(conversation)).toEqual([
			{ role: "user", content: "Say **hello**" },
			expect.objectContaining({ role: "assistant" }),
		]);
		const fields = { prompt: "And <script>?", model: "auto", conversation };
		const second = await (await browser().post("/console/playground", fields)).text();
		expect(second).toContain("And &lt;script&gt;?");
		expect(second.match(/class="answer"/g)).toHaveLength(2);
		const odd = await browser().post("/console/playground", { prompt: "Hi", tools: "[{", conversation: "" });
		expect([odd.status, await odd.text()]).toEqual([422, expect.stringContaining("tools")]);
	});

	it("offers the models that may be called, and the one that a link names", async () => {
		const html = await browser().show("/console/playground?model=gpt-6-luna");
		expect(html).toContain('<option value="claude-haiku-5-5"');
		expect(html).toMatch(/name="model"[^>]* value="gpt-6-luna"/);
	});

	it("shows the choice and its candidates without spending", async () => {
		const page = await browser().post("/console/playground/estimate", { prompt: "Say hello", mode: "quality" });
		const html = await page.text();
		expect(html).toContain("Candidates, best first");
		expect((await usageOf(key())).total_cost_usd).toBe(0);
	});

	it("says whose models are, as the overview does", async () => {
		await storeCatalog(env, JSON.stringify(OPERATOR_CATALOG));
		try {
			const page = await browser().post("/console/playground/estimate", { prompt: "Say hello", model: "own/chosen" });
			expect(await page.text()).toMatch(/own\/chosen<\/span> <span class="badge plain">operator.{0,6}s</);
			const overview = await (await browser().get("/console")).text();
			expect(overview).toContain("Models of this service");
			expect(overview).toContain('<span class="name">own/chosen</span> (own-server)');
			expect(overview).not.toContain("own/hidden");
		} finally {
			await storeCatalog(env, "{}");
		}
	});

	it("streams what the API streams", async () => {
		const response = await browser().post("/console/playground/stream", { prompt: "Say hello" });
		expect(response.headers.get("content-type")).toContain("text/event-stream");
		const text = await response.text();
		expect(text).toContain("chat.completion.chunk");
		expect(text.trimEnd()).toMatch(/data: \[DONE\]$/);
	});

	it("obeys a limit of cost, and refuses one that is no number", async () => {
		expect((await browser().post("/console/playground", { prompt: "Say hello", max_cost: "0.000000001" })).status).toBe(
			402,
		);
		expect((await browser().post("/console/playground", { prompt: "Say hello", max_cost: "little" })).status).toBe(422);
	});
});

describe("the check of a config", () => {
	it("shows each error at its line", async () => {
		const html = await (await browser().post("/console/config", { brain_md: "model: auto\nblokked: [x]" })).text();
		expect(html).toMatch(/<li class="faulty"><code>blokked: \[x\]<\/code><span class="error">line 2, column 1/);
	});

	it("shows a valid one in normal form, and shares it", async () => {
		expect(await (await browser().post("/console/config", { brain_md: "model: auto" })).text()).toContain(
			"The config is valid",
		);
		const shared = await (await browser().post("/console/config/share", { brain_md: "model: auto" })).text();
		expect(shared).toMatch(/href="\/b\/\w{10}"/);
	});
});
