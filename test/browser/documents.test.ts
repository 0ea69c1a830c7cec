// The documents in each view: fit to be seen, searched by the keyboard, with nothing from elsewhere.
import { describe, expect, it } from "vitest";
import { useConsole } from "./use-console.ts";
import { VIEWS } from "./visit.ts";

const { service, visit } = useConsole();

const PATHS = [
	"/",
	"/docs",
	"/docs/quick-starts",
	"/docs/reference",
	"/docs/reference/agents",
	"/docs/operations",
	"/docs/measurements",
];

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	it.each(PATHS)("%s is fit to be seen", async (path) => {
		const visitor = await visit(view);
		expect(await visitor.open(path)).toBe(200);
		expect(await visitor.page.getByRole("heading", { level: 1 }).count()).toBe(1);
		expect(await visitor.findFaults(path)).toEqual([]);
	});

	it("the API page shows every endpoint with an example, and asks nobody else", async () => {
		const visitor = await visit(view);
		await visitor.open("/docs/api");
		const { page } = visitor;
		await page.locator(".opblock").first().waitFor();
		const { paths } = (await (await fetch(`${service().url}/openapi.json`)).json()) as {
			paths: Record<string, object>;
		};
		const operations = Object.values(paths).flatMap((path) => Object.keys(path));
		expect(await page.locator(".opblock").count()).toBe(operations.length);
		await page.locator("#operations-chat-create_chat_completion .opblock-summary-control").click();
		const block = page.locator("#operations-chat-create_chat_completion");
		await block.getByText("The sandbox answers for").first().waitFor();
		expect(await block.getByText("Say hello").count()).toBeGreaterThan(0);
		expect(await visitor.findFaults("api")).toEqual([]);
	});

	it("a page that is not there says so", async () => {
		const visitor = await visit(view);
		expect(await visitor.open("/docs/nope")).toBe(404);
		expect(await visitor.findFaults("no-such-page")).toEqual([]);
	});

	it("a search shows sections of the documents, and says when nothing is found", async () => {
		const visitor = await visit(view);
		await visitor.open("/docs");
		const { page } = visitor;
		const field = page.getByRole("searchbox");
		await field.fill("idempotency key");
		await page.locator("#found-list li").first().waitFor();
		expect(await page.getByRole("status").innerText()).toMatch(/^\d+ results?$/);
		expect(await visitor.findFaults("search")).toEqual([]);
		await field.fill("zebra crossing");
		await page.getByText("Nothing found for “zebra crossing”.").waitFor();
		expect(await page.locator("#found-list li").count()).toBe(0);
		expect(await visitor.findFaults("search-nothing")).toEqual([]);
	});
});

it("the search works without a mouse: / begins it, arrows choose, Enter follows, Escape ends it", async () => {
	const visitor = await visit();
	await visitor.open("/docs/design");
	const { page } = visitor;
	const focused = () => page.evaluate("document.activeElement.id || document.activeElement.tagName");
	await page.keyboard.press("/");
	expect(await focused()).toBe("query");
	await page.keyboard.type("POST /v1/agent/run");
	await page.locator("#found-list li").first().waitFor();
	await page.keyboard.press("ArrowDown");
	expect(await focused()).toBe("A");
	await page.keyboard.press("ArrowUp");
	expect(await focused()).toBe("query");
	await page.keyboard.press("Escape");
	expect(await page.locator("#found").isVisible()).toBe(false);
	// A browser empties a search field at Escape, or does not.
	await page.getByRole("searchbox").fill("POST /v1/agent/run");
	await page.locator("#found-list li").first().waitFor();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.waitForURL("**/docs/api#POST/v1/agent/run");
	const block = page.locator("#operations-agent-start_agent_run");
	await block.getByRole("heading", { name: "Responses" }).waitFor();
	expect(await page.evaluate("document.activeElement.closest('.opblock').id")).toBe("operations-agent-start_agent_run");
	expect(await block.locator(".opblock-summary").isVisible()).toBe(true);
	expect(visitor.takeComplaints()).toEqual([]);
});

it("an endpoint's address opens it, also when the page is there already, and is shown once it is opened by hand", async () => {
	const visitor = await visit();
	const { page } = visitor;
	const isOpen = (id: string) => page.locator(`#${id} .opblock-body`).first().waitFor();
	const inView = (id: string) =>
		page.evaluate(
			`(() => { const { top } = document.getElementById("${id}").getBoundingClientRect(); return top >= 0 && top < innerHeight; })()`,
		);
	await visitor.open("/docs/api#GET/v1/agent/%7Brun_id%7D");
	await isOpen("operations-agent-get_agent_run");
	expect(await inView("operations-agent-get_agent_run")).toBe(true);
	await page.getByRole("searchbox").fill("DELETE /v1/keys");
	await page.locator("#found-list li").first().waitFor();
	await page.keyboard.press("Enter");
	await isOpen("operations-keys-delete_key");
	expect(await inView("operations-keys-delete_key")).toBe(true);
	await page.locator("#operations-models-list_models .opblock-summary-control").click();
	expect(new URL(page.url()).hash).toBe("#GET/v1/models");
	// An address that names nothing, or is no text, does nothing.
	for (const odd of ["#nowhere", "#%E0%A4%A"]) await visitor.open(`/docs/api${odd}`);
	await page.locator(".opblock").first().waitFor();
	expect(visitor.takeComplaints()).toEqual([]);
});

it("a phone's list of documents is closed at first, and opens", async () => {
	const visitor = await visit({ width: 390, colorScheme: "light" });
	await visitor.open("/docs/proofs");
	const link = visitor.page.getByRole("navigation", { name: "Documents" }).getByRole("link", { name: "Reference" });
	expect(await link.isVisible()).toBe(false);
	await visitor.page.getByText("Contents", { exact: true }).click();
	await link.click();
	expect(visitor.path()).toBe("/docs/reference");
});

it("a page is whole without its script", async () => {
	const visitor = await visit(undefined, { javaScriptEnabled: false });
	expect(await visitor.open("/docs/reference")).toBe(200);
	expect(await visitor.page.getByRole("heading", { name: "Endpoints", exact: true }).isVisible()).toBe(true);
	expect(await visitor.page.getByRole("searchbox").count()).toBe(0);
});
