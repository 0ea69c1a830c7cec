// The running service and a browser for the tests of a file; what a test opened is closed after it.
import { once } from "node:events";
import type { Server } from "node:http";
import { type Browser, type BrowserContext, type BrowserContextOptions, type Cookie, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startTestService, type TestService } from "../clients/support.ts";
import { findChromium } from "./chromium.ts";
import { DESK, type View, Visit } from "./visit.ts";

export interface UsedConsole {
	service(): TestService;
	/** A visit by a browser that knows nothing of others. @param origin what it visits, by default the service. */
	visit(view?: View, options?: BrowserContextOptions, origin?: string): Promise<Visit>;
	/** A visit by a browser in which a key is signed in. The first one of the key signs in, and the others go on with its session. */
	visitAs(key: string, view?: View): Promise<Visit>;
}

/** Lets another site answer on this machine. @returns its origin, without a trailing slash. */
export async function listenOnLoopback(server: Server): Promise<string> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	return `http://127.0.0.1:${address.port}`;
}

/** The most that a browser waits for anything; less than a test has. On a machine that is busy, its own 30 s are not enough. */
const WAIT_TIMEOUT_MS = 120_000;

/** To be called once in a test file. */
export function useConsole(): UsedConsole {
	let service: TestService | undefined;
	let browser: Browser | undefined;
	const contexts: BrowserContext[] = [];
	const sessions = new Map<string, Cookie[]>();

	beforeAll(async () => {
		service = await startTestService();
		const executablePath = findChromium();
		if (executablePath === null) throw new Error("no Chromium is installed");
		browser = await chromium.launch({ executablePath });
	});
	afterEach(async () => {
		for (const context of contexts.splice(0)) await context.close();
	});
	afterAll(async () => {
		await browser?.close();
		await service?.stop();
	});

	function running(): TestService {
		if (!service) throw new Error("the service did not start");
		return service;
	}
	async function visit(view = DESK, options: BrowserContextOptions = {}, origin = running().url): Promise<Visit> {
		if (!browser) throw new Error("the browser did not start");
		const { width, colorScheme } = view;
		const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, ...options });
		context.setDefaultTimeout(WAIT_TIMEOUT_MS);
		contexts.push(context);
		return Visit.begin(context, origin, view);
	}
	return {
		service: running,
		visit,
		async visitAs(key, view) {
			const visitor = await visit(view);
			const context = visitor.page.context();
			const session = sessions.get(key);
			if (session) await context.addCookies(session);
			else {
				await visitor.signIn(key);
				sessions.set(key, await context.cookies());
			}
			return visitor;
		},
	};
}
