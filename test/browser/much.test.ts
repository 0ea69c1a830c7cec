// The console of a team that has worked for a month: 100,000 requests, failures, 200 keys, 6,000 policy checks. Each page is fit to be
// seen, stands still while it loads, and is used by the keyboard alone.
import { beforeAll, describe, expect, it } from "vitest";
import { SECTIONS } from "../../src/console/page.ts";
import { furnishAccount } from "../support/history/furnish.ts";
import { seedHistory } from "../support/history/seed.ts";
import { serveInPieces } from "./in-pieces.ts";
import { Keyboard } from "./keyboard.ts";
import { listenOnLoopback, useConsole } from "./use-console.ts";
import { VIEWS } from "./visit.ts";

const { service, visit, visitAs } = useConsole();
let key = "";

beforeAll(async () => {
	const account = await furnishAccount(service());
	key = account.key;
	await service().restart((stateDir) => seedHistory(stateDir, account.userId));
});

/** How far parts of the page have moved without anybody having done anything, as Chromium measures it. */
const MOVED = `new Promise((resolve) => {
	let moved = 0;
	new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) if (!entry.hadRecentInput) moved += entry.value;
	}).observe({ type: "layout-shift", buffered: true });
	requestAnimationFrame(() => setTimeout(() => resolve(moved), 100));
})`;

const PATHS = [
	...Object.values(SECTIONS).map(({ path }) => path),
	"/console/policy?decision=deny",
	"/console/keys?order=budget&budget=some&page=2",
	"/console/requests?outcome=failed",
	"/console/models?provider=anthropic&order=price",
];

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	it.each(PATHS)("%s is fit to be seen and stands still", async (path) => {
		const visitor = await visitAs(key, view);
		expect(await visitor.open(path)).toBe(200);
		await visitor.page.waitForLoadState("networkidle");
		expect(Number(await visitor.page.evaluate(MOVED))).toBeLessThan(0.001);
		expect(await visitor.findFaults(`much-${path}`)).toEqual([]);
	});
});

it("stands still over a slow line, too", async () => {
	const line = serveInPieces(service().url);
	const origin = await listenOnLoopback(line);
	const session = await (await visitAs(key)).page.context().cookies();
	for (const view of VIEWS.filter(({ colorScheme }) => colorScheme === "light")) {
		const visitor = await visit(view, {}, origin);
		await visitor.page.context().addCookies(session);
		for (const path of PATHS) {
			expect(await visitor.open(path)).toBe(200);
			await visitor.page.waitForLoadState("networkidle");
			expect(Number(await visitor.page.evaluate(MOVED)), `${path} at ${view.width} pixels`).toBeLessThan(0.001);
		}
	}
	line.closeAllConnections();
	line.close();
});

describe("who uses the keyboard alone", () => {
	it("finds a key among two hundred", async () => {
		const visitor = await visitAs(key);
		await visitor.open("/console/keys");
		const keyboard = new Keyboard(visitor.page);
		await keyboard.tabTo("Search");
		await keyboard.type("fraud-triage-3");
		await keyboard.press("Enter");
		await visitor.page.getByText("1 of 202 keys").waitFor();
		await keyboard.tabTo("fraud-triage-3");
		await keyboard.press("Enter");
		await visitor.page.getByRole("heading", { level: 1, name: "fraud-triage-3" }).waitFor();
	});

	it("opens a policy check and reads its whole reason", async () => {
		const visitor = await visitAs(key);
		await visitor.open("/console/policy?decision=deny");
		const row = visitor.page.locator("tbody details").first();
		await row.locator("summary").focus();
		expect(await row.getAttribute("open")).toBeNull();
		await visitor.page.keyboard.press("Enter");
		expect(await row.getByText("recorded as").isVisible()).toBe(true);
		expect(visitor.takeComplaints()).toEqual([]);
	});
});
