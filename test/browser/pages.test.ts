// Every page of the console in each view: for a user with history, and the ones that need no id for a new user as well.
import { beforeAll, describe, expect, it } from "vitest";
import { CONSOLE_PAGES } from "../../src/console/pages.ts";
import { chat } from "../clients/support.ts";
import { type FurnishedUser, furnishUser } from "./furnish.ts";
import { useConsole } from "./use-console.ts";
import { DESK, VIEWS } from "./visit.ts";

const PATHS = CONSOLE_PAGES.filter(({ method, path }) => method === "GET" && !path.includes("{")).map(
	({ path }) => path,
);

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
