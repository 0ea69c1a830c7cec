// `npm run bench:pages`: how long each page of the console takes until something is painted and until it is whole, for a user with
// 100,000 requests of 30 days, 200 keys and 6,000 policy checks, in Chromium beside the service. It prints figures and judges none.
// CHROMIUM names the browser; `-- N` stores N requests instead.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { sandboxVariables } from "../../src/cli/local-env.ts";
import { applyLocalMigrations, buildBundle, startLocalService } from "../../src/cli/local-service.ts";
import { createKey } from "../../src/cli/operator.ts";
import { startSandbox } from "../../src/cli/sandbox-server.ts";
import { findChromium } from "../browser/chromium.ts";
import { type FurnishedAccount, furnishAccount } from "../support/history/furnish.ts";
import { MUCH, seedHistory } from "../support/history/seed.ts";
import { median } from "./statistics.ts";
import { renderFigure, renderTable } from "./table.ts";
import { discardOutput } from "./targets.ts";

/** Each page is opened so many times after a first time, which fills the browser's cache; medians are printed. */
const TIMES = 7;
const SIZES = { ...MUCH, requests: Number(process.argv[2] ?? MUCH.requests) };

const secrets = {
	SIGNING_KEY: randomBytes(32).toString("hex"),
	KEY_PEPPER: randomBytes(32).toString("hex"),
	ADMIN_TOKEN: randomBytes(32).toString("hex"),
};

function pagesOf({ ids }: FurnishedAccount): string[] {
	const id = (name: string) => encodeURIComponent(ids[name] ?? "");
	return [
		"/",
		"/console",
		"/console?range=90d",
		"/console/requests",
		`/console/requests/${id("request_id")}`,
		"/console/policy",
		"/console/models",
		"/console/keys",
		`/console/keys/${id("key_id")}`,
		"/console/runs",
		`/console/runs/${id("run_id")}`,
		"/console/workspaces",
		`/console/workspaces/${id("id")}`,
		"/console/audit",
		"/console/playground",
		"/console/config",
	];
}

interface PageTimes {
	status: number;
	/** First byte of the answer, first paint, and all of it loaded, ms after the navigation began. */
	answerMs: number;
	paintMs: number;
	loadedMs: number;
}

const READ_TIMES = `(async () => {
	const [navigation] = performance.getEntriesByType("navigation");
	while (performance.getEntriesByName("first-contentful-paint").length === 0)
		await new Promise((resolve) => setTimeout(resolve, 5));
	const [paint] = performance.getEntriesByName("first-contentful-paint");
	return [navigation.responseStart, paint.startTime, navigation.loadEventEnd];
})()`;

async function openPage(page: Page, address: string): Promise<PageTimes> {
	const response = await page.goto(address, { waitUntil: "load" });
	const [answerMs = 0, paintMs = 0, loadedMs = 0] = (await page.evaluate(READ_TIMES)) as number[];
	return { status: response?.status() ?? 0, answerMs, paintMs, loadedMs };
}

async function signIn(page: Page, url: string, key: string): Promise<void> {
	await page.goto(`${url}/console/sign-in`);
	await page.getByLabel("API key").fill(key);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.waitForLoadState();
}

/** A minute has 120 pages for a user. */
const PAUSE_EVERY = 100;
const MINUTE_MS = 61_000;

async function timePages(browser: Browser, url: string, account: FurnishedAccount): Promise<string> {
	const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
	await signIn(page, url, account.key);
	const rows: string[][] = [];
	let opened = 1;
	for (const path of pagesOf(account)) {
		const times: PageTimes[] = [];
		for (let time = 0; time <= TIMES; time++) {
			if (path !== "/" && opened++ % PAUSE_EVERY === 0) await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
			const taken = await openPage(page, `${url}${path}`);
			if (taken.status !== 200) throw new Error(`benchmark failed: ${path} answered ${taken.status}`);
			if (time > 0) times.push(taken);
		}
		const figure = (of: (taken: PageTimes) => number) => renderFigure(Math.round(median(times.map(of))));
		const shown = path.replaceAll(/(?:svc-|agt_|key_)\w+|team%\w+%40main/g, "…");
		rows.push([
			shown,
			figure(({ answerMs }) => answerMs),
			figure(({ paintMs }) => paintMs),
			figure(({ loadedMs }) => loadedMs),
		]);
	}
	return renderTable([["page, ms", "first byte", "first paint", "loaded"], ...rows]);
}

async function measurePages(tempDir: string): Promise<string> {
	const executablePath = findChromium();
	if (executablePath === null) throw new Error("no Chromium is installed");
	const stateDir = join(tempDir, "state");
	await applyLocalMigrations(stateDir);
	const sandbox = await startSandbox(0);
	const options = {
		bundleDir: await buildBundle(join(tempDir, "bundle")),
		stateDir,
		port: 0,
		variables: { ...secrets, ...sandboxVariables(sandbox.url) },
		onOutput: discardOutput,
	};
	let service = await startLocalService(options);
	let browser: Browser | undefined;
	try {
		const newKey = (plan: string) => createKey(service.url, secrets.ADMIN_TOKEN, "bench", plan);
		const account = await furnishAccount({ url: service.url, newKey });
		await service.stop();
		process.stderr.write(`storing ${SIZES.requests} requests\n`);
		seedHistory(stateDir, account.userId, SIZES);
		service = await startLocalService(options);
		browser = await chromium.launch({ executablePath });
		process.stderr.write("opening pages\n");
		return await timePages(browser, service.url, account);
	} finally {
		await browser?.close();
		await service.stop();
		await sandbox.stop();
	}
}

const tempDir = mkdtempSync(join(tmpdir(), "svc-bench-pages-"));
try {
	console.log(await measurePages(tempDir));
} finally {
	rmSync(tempDir, { recursive: true, force: true });
}
