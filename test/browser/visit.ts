// A browser's visit to the console: it notes all that a customer would not have liked.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, ConsoleMessage, Page, Request, Response } from "playwright-core";
import { findBarriers } from "./axe.ts";

/** How a page is looked at: on a desk or a phone, by day or by night. */
export interface View {
	width: 1440 | 390;
	colorScheme: "light" | "dark";
}

export const DESK: View = { width: 1440, colorScheme: "light" };

/** Every page must be fit to be seen in each of them. */
export const VIEWS: readonly View[] = [
	DESK,
	{ width: 1440, colorScheme: "dark" },
	{ width: 390, colorScheme: "light" },
	{ width: 390, colorScheme: "dark" },
];

/** By how many pixels the page is wider than its window. */
const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
const OPEN_DETAILS = "for (const element of document.querySelectorAll('details')) element.open = true";

export class Visit {
	readonly page: Page;
	#origin: string;
	#view: View;
	#complaints: string[] = [];

	private constructor(page: Page, origin: string, view: View) {
		this.page = page;
		this.#origin = origin;
		this.#view = view;
		page.on("console", (message) => this.#noteMessage(message));
		page.on("pageerror", (error) => this.#complaints.push(`a script threw ${error.message}`));
		page.on("dialog", async (dialog) => {
			this.#complaints.push(`a dialog opened: ${dialog.message()}`);
			await dialog.dismiss();
		});
		page.on("request", (request) => this.#noteRequest(request));
		page.on("response", (response) => this.#noteResponse(response));
	}

	/** @param origin the service's, without a trailing slash. */
	static async begin(context: BrowserContext, origin: string, view: View): Promise<Visit> {
		return new Visit(await context.newPage(), origin, view);
	}

	/** Chromium also reports each status that is an error, which is noted for parts of a page and expected of some pages. */
	#noteMessage(message: ConsoleMessage): void {
		const isStatus = message.text().startsWith("Failed to load resource: the server responded with a status");
		if (["error", "warning"].includes(message.type()) && !isStatus)
			this.#complaints.push(`${message.type()} in the browser's console: ${message.text()}`);
	}

	#noteRequest(request: Request): void {
		const url = request.url();
		if (!url.startsWith(`${this.#origin}/`) && !/^(?:data|blob):/.test(url))
			this.#complaints.push(`${request.resourceType()} from elsewhere: ${url}`);
	}

	#noteResponse(response: Response): void {
		if (response.status() >= 400 && !response.request().isNavigationRequest())
			this.#complaints.push(`${response.status()} for ${response.url()}`);
	}

	/** Goes to a page of the service. @returns its status. */
	async open(path: string): Promise<number> {
		return (await this.page.goto(`${this.#origin}${path}`))?.status() ?? 0;
	}

	/** Sends the sign-in form, which must be shown. */
	async enterKey(key: string): Promise<void> {
		await this.page.getByLabel("API key").fill(key);
		await this.page.getByRole("button", { name: "Sign in" }).click();
		await this.page.waitForLoadState();
	}

	/** Signs in and shows the overview. */
	async signIn(key: string): Promise<void> {
		await this.open("/console/sign-in");
		await this.enterKey(key);
		await this.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	}

	/** The path shown, with its query. */
	path(): string {
		const { pathname, search } = new URL(this.page.url());
		return pathname + search;
	}

	/** What the browser has noted since it was asked last. */
	takeComplaints(): string[] {
		return this.#complaints.splice(0);
	}

	/** Opens every disclosure of the page. */
	async openDisclosures(): Promise<void> {
		await this.page.evaluate(OPEN_DETAILS);
	}

	async #findOverflow(state: string): Promise<string[]> {
		const pixels = Number(await this.page.evaluate(OVERFLOW));
		return pixels > 0 ? [`${state} the page is ${pixels} px wider than its window`] : [];
	}

	/**
	 * All that is wrong with the page as it is shown, in words: what the browser noted, a page wider than its window, barriers.
	 * Disclosures are open afterwards. @param name of the picture that SCREENSHOTS asks for.
	 */
	async findFaults(name: string): Promise<string[]> {
		await this.#takePicture(name);
		const faults = await this.#findOverflow("at first");
		await this.openDisclosures();
		faults.push(...(await this.#findOverflow("with its details")));
		faults.push(...(await findBarriers(this.page)));
		return [...faults, ...this.takeComplaints()];
	}

	async #takePicture(name: string): Promise<void> {
		const dir = process.env["SCREENSHOTS"];
		if (!dir) return;
		mkdirSync(dir, { recursive: true });
		const { width, colorScheme } = this.#view;
		const file = `${name.replaceAll(/[^a-z0-9]+/gi, "-")}-${width}-${colorScheme}.png`;
		// Chromium draws no picture that is taller.
		const fullPage = Number(await this.page.evaluate("document.documentElement.scrollHeight")) < 16_000;
		await this.page.screenshot({ path: join(dir, file), fullPage });
	}
}
