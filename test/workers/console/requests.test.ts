// Requests in the console: the list with its filters, and one with its decision and its receipt.
import { expect, it } from "vitest";
import { signIn, useConsoleUser } from "../../support/console.ts";
import { callWithKey, chat, newKey } from "../../support/service.ts";

const { key, browser } = useConsoleUser("pro");

async function ask(more: Record<string, unknown> = {}): Promise<{ id: string; model: string }> {
	return (await chat(key().key, "Say hello", more)).json();
}

it("an answered request is in the list at once, with why its model was chosen", async () => {
	const { id } = await ask();
	const html = await browser().show("/console/requests");
	expect(html).toContain(`/console/requests/${id}`);
	expect(html).toMatch(/ranks first of \d+ eligible models/);
});

it("the list is narrowed by what the filters say, and keeps showing it", async () => {
	const pinned = await ask({ model: "gpt-6-luna" });
	const other = await ask({ model: "mistral-small-latest" });
	const html = await browser().show(`/console/requests?model=${pinned.model}&kind=chat`);
	expect(html).toContain(pinned.id);
	if (other.model !== pinned.model) expect(html).not.toContain(other.id);
	expect(html).toContain(`value="${pinned.model}"`);
	expect(html).toMatch(/<option value="chat" selected/);
});

it("pages lead from one to the next with the filters", async () => {
	for (let count = 0; count < 51; count++) await (await chat(key().key, "Say hello")).text();
	const first = await browser().show("/console/requests?kind=chat");
	const next =
		/href="(\/console\/requests\?kind=chat&amp;cursor=[^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
	const second = await browser().show(next);
	expect(second.match(/<tr /g)).toHaveLength(2);
	expect(second).toContain("End of the list");
});

it("one request shows its cost and a receipt that holds", async () => {
	const { id, model } = await ask();
	const page = await browser().get(`/console/requests/${id}`);
	const html = await page.text();
	expect(page.status).toBe(200);
	expect(html).toContain("The receipt holds");
	expect(html).toContain("sha256:");
	expect(html).toContain(`${model} of `);
	expect(html).toContain("The other candidates are not kept");
});

it.each(["svc-unknown", "%3Cscript%3E"])("an unknown one is 404: %s", async (id) => {
	expect((await browser().get(`/console/requests/${id}`)).status).toBe(404);
});

it("another user's is unknown", async () => {
	const { id } = await ask();
	const stranger = await signIn(await newKey("pro"));
	expect((await stranger.get(`/console/requests/${id}`)).status).toBe(404);
});

it("a filter that the API refuses is explained", async () => {
	const page = await browser().get("/console/requests?since=yesterday");
	expect(page.status).toBe(422);
	expect(await page.text()).toContain("since");
});

it("a refused one is in the list with its status and why, and has a page without a receipt", async () => {
	const refused = await chat(key().key, "Say hello", { brain_config: { max_cost: 0.000_000_001 } });
	expect(refused.status).toBe(402);
	await refused.text();
	const html = await browser().show("/console/requests?outcome=refused");
	expect(html).toContain("refused 402");
	const path = /href="(\/console\/requests\/svc-[^"]+)"/.exec(html)?.[1] ?? "";
	const page = await browser().show(path);
	expect(page).toContain("No answer: HTTP 402");
	expect(page).toContain("Nothing was billed");
	expect(page).not.toContain("The receipt holds");
});

it("keys have their names, and metadata leads to all with the same", async () => {
	const made = await callWithKey(key().key, "/v1/keys", { name: "checkout", role: "agent" });
	const { key: other } = await made.json<{ key: string }>();
	const { id } = await (await chat(other, "Say hello", { metadata: { team: "search" } })).json<{ id: string }>();
	const html = await browser().show("/console/requests?metadata=team%3Dsearch");
	expect(html).toContain(id);
	expect(html).toMatch(/<bdi class="words">checkout<\/bdi>/);
	expect(await browser().show("/console/requests?metadata=team%3Dother")).not.toContain(id);
	expect(await browser().show(`/console/requests/${id}`)).toContain("metadata=team%3Dsearch");
});

it("the rows alone come for the script, with the same filters and the same time zone", async () => {
	const { id } = await ask();
	const rows = await browser().show("/console/requests/rows?kind=chat&time_zone=Asia%2FTokyo");
	expect(rows).toMatch(
		/^<div id="rows" data-refresh="\/console\/requests\/rows\?kind=chat&amp;time_zone=Asia%2FTokyo"/,
	);
	expect(rows).toContain(id);
	expect(rows).toContain("Time (Asia/Tokyo)");
});

it("the code that asks again names what was asked for, and no prompt that nobody kept", async () => {
	const { id } = await ask({ model: "gpt-6-luna" });
	const html = await browser().show(`/console/requests/${id}`);
	expect(html).toContain("&quot;model&quot;: &quot;gpt-6-luna&quot;");
	expect(html).not.toContain("Say hello");
	expect(html).toContain("/console/playground?model=gpt-6-luna");
});

it("texts are read only if somebody asks, and there may be none", async () => {
	const { id } = await ask();
	expect(await browser().show(`/console/requests/${id}`)).toContain("Show the texts");
	expect(await browser().show(`/console/requests/${id}?texts=1`)).toContain("No texts of this request are kept");
});

it("texts that are kept are shown, and given to the playground and the code", async () => {
	const made = await callWithKey(key().key, "/v1/keys", { name: "logged", role: "agent", log_texts: true });
	const { key: logged } = await made.json<{ key: string }>();
	const { id } = await (await chat(logged, "Say heliotrope")).json<{ id: string }>();
	expect(await browser().show(`/console/requests/${id}`)).not.toContain("heliotrope");
	const html = await browser().show(`/console/requests/${id}?texts=1`);
	expect(html).toContain("This look was recorded");
	expect(html).toMatch(/aria-label="The input"[^>]*><pre><code>[^<]*heliotrope/);
	expect(html).toMatch(/playground\?[^"]*prompt=[^"]*heliotrope/);
});
