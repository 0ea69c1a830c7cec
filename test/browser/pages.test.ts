// Every page of the console in each view: for a user with history, and the ones that need no id for a new user as well.
import { beforeAll, describe, expect, it } from "vitest";
import { CONSOLE_PAGES } from "../../src/console/pages.ts";
import { chat } from "../clients/support.ts";
import { type FurnishedUser, furnishUser, NO_PAGES } from "./furnish.ts";
import { useConsole } from "./use-console.ts";
import { DESK, VIEWS } from "./visit.ts";

const PATHS = CONSOLE_PAGES.filter(
	({ id, method, path }) => method === "GET" && !path.includes("{") && !NO_PAGES.includes(id),
).map(({ path }) => path);

const { service, visit, visitAs } = useConsole();
let newKey = "";
let usedKey = "";
let user: FurnishedUser;

beforeAll(async () => {
	newKey = (await service().newKey("corporate")).key;
	usedKey = (await service().newKey("corporate")).key;
	user = await furnishUser(service());
	for (let nth = 0; nth < 25; nth++) {
		const { status } = await chat(service().url, usedKey, `Say hello <b>${nth}</b>${"!".repeat(nth * 40)}`);
		expect(status).toBe(200);
	}
});

/** The brightness of the page's background, 0 to 255. */
const BRIGHTNESS =
	"Math.max(...getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number))";

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	it.each(PATHS)("%s is fit to be seen by a new user", async (path) => {
		const visitor = await visitAs(newKey, view);
		expect(await visitor.open(path)).toBe(200);
		expect(await visitor.findFaults(`${path}-new`)).toEqual([]);
	});

	it.each(PATHS)("%s is fit to be seen by a user with history", async (path) => {
		const visitor = await visitAs(usedKey, view);
		expect(await visitor.open(path)).toBe(200);
		expect(await visitor.findFaults(path)).toEqual([]);
	});

	it("every page with an id is fit to be seen", async () => {
		const visitor = await visitAs(user.key, view);
		const paths = user.paths.filter((path) => PATHS.every((other) => other !== path));
		expect(paths.length).toBeGreaterThan(5);
		for (const path of [...paths, user.sharePath]) {
			expect(await visitor.open(path), path).toBe(200);
			expect(await visitor.findFaults(`id-${path.replaceAll(/(?:svc-|agt_)\w+/g, "x")}`), path).toEqual([]);
		}
	});

	it("the background is as the browser asks", async () => {
		const visitor = await visit(view);
		await visitor.open("/console/sign-in");
		const brightness = Number(await visitor.page.evaluate(BRIGHTNESS));
		if (view.colorScheme === "dark") expect(brightness).toBeLessThan(80);
		else expect(brightness).toBeGreaterThan(200);
	});
});

describe("the overview", () => {
	it("draws what was spent, tells a step's values under the pointer, and has the table behind it", async () => {
		const visitor = await visit();
		await visitor.signIn(usedKey);
		const { page } = visitor;
		const chart = page.getByRole("figure").filter({ hasText: "Spend by model" });
		await chart.locator("canvas").waitFor();
		expect(await chart.getByRole("img").count()).toBe(1);
		const box = await chart.locator(".u-over").boundingBox();
		if (!box) throw new Error("the chart has no place");
		// The last step, which is today.
		await page.mouse.move(box.x + box.width - 3, box.y + box.height / 2);
		const tip = chart.locator(".chart-tip");
		await tip.waitFor();
		expect(await tip.innerText()).toMatch(/\$0\.\d*[1-9]/);
		await chart.getByText("Table", { exact: true }).click();
		const today = chart.getByRole("row").last();
		expect(await today.innerText()).toMatch(/\$0\.\d*[1-9]/);
		const requests = page.getByRole("table", { name: "Latest requests" });
		expect(await requests.getByRole("row").count()).toBe(9);
		expect(visitor.takeComplaints()).toEqual([]);
	});

	it("draws the same without a script", async () => {
		const visitor = await visitAs(usedKey);
		const context = await visitor.page.context().browser()?.newContext({ javaScriptEnabled: false });
		if (!context) throw new Error("there is no browser");
		await context.addCookies(await visitor.page.context().cookies());
		const page = await context.newPage();
		await page.goto(`${service().url}/console?range=24h&by=key&time_zone=Asia/Tokyo`);
		const chart = page.getByRole("figure").filter({ hasText: "Spend by key" });
		expect(await chart.locator("svg path").count()).toBeGreaterThan(2);
		await context.close();
	});

	it("keeps range, stack and time zone in the address, and takes the browser's zone where none is named", async () => {
		const visitor = await visit(DESK, { timezoneId: "Europe/Vienna" });
		await visitor.signIn(usedKey);
		const { page } = visitor;
		await page.waitForURL(/time_zone=Europe%2FVienna/);
		await page.getByLabel("Range").selectOption("7d");
		await page.getByLabel("Stacked by").selectOption("provider");
		await page.getByRole("button", { name: "Show" }).click();
		await page.getByRole("heading", { name: "Spend by provider" }).waitFor();
		expect(visitor.path()).toMatch(/range=7d.*by=provider.*time_zone=Europe%2FVienna/);
		await page.getByRole("link", { name: "Requests", exact: true }).click();
		await page.waitForURL(/requests\?time_zone=Europe%2FVienna/);
	});

	it("says how to begin to who has asked nothing yet", async () => {
		const visitor = await visit();
		await visitor.signIn(newKey);
		expect(await visitor.page.getByRole("main").innerText()).toContain("/chat/completions");
	});

	it("says in words that a minute has no more pages", async () => {
		const { key } = await service().newKey("free");
		const visitor = await visit();
		await visitor.signIn(key);
		let status = 200;
		for (let nth = 0; nth < 121 && status === 200; nth++)
			status = (await visitor.page.context().request.get(`${service().url}/console/keys/new`)).status();
		expect(status).toBe(429);
		expect(await visitor.open("/console")).toBe(429);
		expect(await visitor.page.getByRole("main").innerText()).toContain("120 pages");
		expect(await visitor.findFaults("limit-reached")).toEqual([]);
	});
});

/** A little more than the page's script waits between its looks. */
const BETWEEN_LOOKS_MS = 4_500;

describe("the list of requests", () => {
	it("shows a new request by itself, but not while it is paused or somebody stands on a row", async () => {
		const { key } = await service().newKey("corporate");
		const visitor = await visit();
		await visitor.signIn(key);
		const { page } = visitor;
		await page.clock.install();
		await visitor.open("/console/requests");
		await page.getByText("No request yet").waitFor();
		await chat(service().url, key, "Say hello");
		const rows = page.getByRole("table", { name: /^Requests/ }).getByRole("row");
		await page.clock.runFor(BETWEEN_LOOKS_MS);
		await rows.nth(1).waitFor();
		expect(await rows.count()).toBe(2);

		const live = page.getByRole("button", { name: "Live" });
		await live.click();
		expect(await live.getAttribute("aria-pressed")).toBe("false");
		const asked: string[] = [];
		page.on("request", (request) => asked.push(new URL(request.url()).pathname));
		await chat(service().url, key, "Say hello");
		await page.clock.runFor(BETWEEN_LOOKS_MS);
		expect(asked).toEqual([]);

		await live.click();
		await rows.nth(1).getByRole("link").first().focus();
		await page.clock.runFor(BETWEEN_LOOKS_MS);
		expect(asked).toEqual([]);
		await live.focus();
		await page.clock.runFor(BETWEEN_LOOKS_MS);
		await rows.nth(2).waitFor();
		expect(visitor.takeComplaints()).toEqual([]);
	});

	it("narrows by what is folded away, keeps it in the address, and shows it", async () => {
		const visitor = await visitAs(usedKey);
		const { page } = visitor;
		await visitor.open("/console/requests");
		await page.getByText("More filters").click();
		await page.getByLabel("Id begins with").fill("svc-0");
		await page.getByLabel("Metadata").fill("team=nobody");
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText("No request matches").waitFor();
		expect(visitor.path()).toContain("metadata=team%3Dnobody");
		expect(await page.getByLabel("Metadata").inputValue()).toBe("team=nobody");
		expect(await page.getByLabel("Metadata").isVisible()).toBe(true);
	});
});

describe.each(VIEWS)("a request at $width pixels, $colorScheme,", (view) => {
	it("is checked in the browser, and can be copied as code", async () => {
		const visitor = await visitAs(usedKey, view);
		const { page } = visitor;
		await visitor.open("/console/requests?outcome=complete");
		await page.getByRole("table").getByRole("row").nth(1).getByRole("link").first().click();
		await page.getByText("Checked in this browser: hash and signature hold").waitFor();
		const way = page.getByRole("table", { name: /^The way it took/ });
		expect(await way.getByRole("rowheader").allInnerTexts()).toEqual([
			"Admission and routing",
			expect.stringMatching(/^Call: .+ of .+/),
			"Settlement and receipt",
		]);
		await page.getByText("Python", { exact: true }).click();
		expect(await page.locator("#code-python").innerText()).toContain("OpenAI(base_url=");
		expect(await visitor.findFaults("request-checked")).toEqual([]);
	});

	it("that was refused says why, without a receipt", async () => {
		const response = await fetch(`${service().url}/v1/chat/completions`, {
			method: "POST",
			headers: { authorization: `Bearer ${usedKey}`, "content-type": "application/json" },
			body: JSON.stringify({
				messages: [{ role: "user", content: "Say hello" }],
				brain_config: { max_cost: 0.000_000_001 },
			}),
		});
		expect(response.status).toBe(402);
		const visitor = await visitAs(usedKey, view);
		const { page } = visitor;
		await visitor.open("/console/requests?outcome=refused");
		await page.getByRole("table").getByRole("row").nth(1).getByRole("link").first().click();
		await page.getByRole("alert").filter({ hasText: "No answer: HTTP 402" }).waitFor();
		expect(await page.getByRole("main").innerText()).toContain("Nothing was billed, so there is no receipt.");
		expect(await visitor.findFaults("request-refused")).toEqual([]);
	});
});

describe.each(VIEWS)("no page that draws moves at $width pixels, $colorScheme:", (view) => {
	it.each(["/console", "/console?range=24h&by=key", "/console/requests"])("%s", async (path) => {
		const visitor = await visitAs(usedKey, view);
		const { page } = visitor;
		await page.addInitScript(`window.shift = 0;
new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shift += value; })
	.observe({ type: "layout-shift", buffered: true });`);
		await visitor.open(path);
		await page.waitForLoadState("networkidle");
		expect(await page.evaluate("window.shift")).toBe(0);
	});
});
