// Requests in the console: the list with its filters, and one with its decision and its receipt.
import { expect, it } from "vitest";
import { signIn, useConsoleUser } from "../../support/console.ts";
import { chat, newKey } from "../../support/service.ts";

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
