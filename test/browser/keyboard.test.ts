// The console by keyboard alone: every stop of every page in its order and seen, and what people do there without a mouse.
import { beforeAll, describe, expect, it } from "vitest";
import { type FurnishedUser, furnishUser } from "./furnish.ts";
import { Keyboard } from "./keyboard.ts";
import { useConsole } from "./use-console.ts";
import { DESK, type View, type Visit } from "./visit.ts";

const { service, visit } = useConsole();
const PHONE: View = { width: 390, colorScheme: "dark" };

let user: FurnishedUser;
beforeAll(async () => {
	user = await furnishUser(service());
});

function workspacePath(): string {
	return user.paths.find((path) => /^\/console\/workspaces\/[^/]+$/.test(path)) ?? "";
}

interface Typist {
	visitor: Visit;
	page: Visit["page"];
	keyboard: Keyboard;
}

/** Signs in without a mouse. */
async function signedIn(view = DESK): Promise<Typist> {
	const visitor = await visit(view);
	const keyboard = new Keyboard(visitor.page);
	await visitor.open("/console/sign-in");
	await keyboard.tabTo("API key");
	await keyboard.type(user.key);
	await keyboard.press("Enter");
	await visitor.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	return { visitor, page: visitor.page, keyboard };
}

describe.each([DESK, PHONE])("at $width pixels", (view) => {
	it("each part of a page that can be used is a stop, in the order in which it stands, and is seen", async () => {
		const { visitor, keyboard } = await signedIn(view);
		for (const path of [...user.paths, user.sharePath]) {
			expect(await visitor.open(path), path).toBe(200);
			expect(await keyboard.findObstacles(), path).toEqual([]);
			if ((await visitor.page.locator("details").count()) === 0) continue;
			await visitor.open(path);
			await visitor.openDisclosures();
			expect(await keyboard.findObstacles(), `${path} with its disclosures open`).toEqual([]);
		}
		expect(visitor.takeComplaints()).toEqual([]);
	});
});

it("what hinders the keyboard is noticed", async () => {
	const { page, keyboard } = await signedIn();
	const body = `<!doctype html><style>body { margin-top: 100px } :focus { outline: 2px solid } #unseen { outline: none }
p { position: absolute; top: 0 }</style><a href="#a" tabindex="-1">skipped</a> <a href="#b" id="unseen">unseen</a>
<p><a href="#c">higher</a></p><a href="#d" tabindex="1">first</a>`;
	await page.route("**/obstacles", (route) => route.fulfill({ contentType: "text/html", body }));
	await page.goto(`${service().url}/obstacles`);
	expect(await keyboard.findObstacles()).toEqual([
		"no stop: 0 A skipped",
		"out of turn: 1 A unseen",
		"above the stop before: 2 A higher",
		"not seen: 1 A unseen",
	]);
});

describe("by keyboard alone, somebody", () => {
	it("skips the navigation", async () => {
		const { visitor, keyboard } = await signedIn();
		await visitor.open("/console/requests");
		await keyboard.press("Tab");
		expect(await keyboard.focusedName()).toBe("Skip to content");
		await keyboard.press("Enter");
		await keyboard.press("Tab");
		expect(await keyboard.focusedName()).toBe("Live");
	});

	it("narrows a list, and shows all again", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await visitor.open("/console/requests");
		await keyboard.tabTo("Model");
		await keyboard.type("no-such-model");
		await keyboard.press("Enter");
		await page.getByText("No request matches").waitFor();
		await keyboard.tabTo("Show all");
		await keyboard.press("Enter");
		await page.getByRole("table").waitFor();
		// The time zone is no filter.
		expect(visitor.path()).toBe("/console/requests?time_zone=UTC");
	});

	it("opens a disclosure, and reads what is in it", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await visitor.open("/console");
		await keyboard.tabTo("Table");
		const table = page.getByRole("table", { name: "Spend by model" });
		expect(await table.isVisible()).toBe(false);
		await keyboard.press("Enter");
		expect(await table.isVisible()).toBe(true);
		await keyboard.press("Tab");
		expect(await keyboard.focusedName()).toBe("Spend by model as a table");
	});

	it("makes a key, copies it, and goes on to its page", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await visitor.open("/console/keys");
		await keyboard.tabTo("Make a key");
		await keyboard.press("Enter");
		await keyboard.tabTo("Name");
		await keyboard.type("by-keyboard");
		await keyboard.press("Enter");
		const made = await page.locator("#made-key").innerText();
		await keyboard.tabTo("Copy the key");
		await keyboard.press("Enter");
		await page.getByRole("status").filter({ hasText: "Copied to the clipboard" }).waitFor();
		expect(await page.evaluate("navigator.clipboard.readText()")).toBe(made);
		expect(await keyboard.focusedName()).toBe("Copy the key");
		await keyboard.tabTo("To the key's page");
		await keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "by-keyboard" }).waitFor();
		await keyboard.tabTo("Rotate the key");
		await keyboard.press("Space");
		await page.locator("#made-key").waitFor();
		expect(await page.locator("#made-key").innerText()).not.toBe(made);
	});

	it("is told at the field what is wrong with it", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await visitor.open("/console/keys/new");
		await keyboard.tabTo("Tags");
		await keyboard.type("a!b");
		await keyboard.press("Enter");
		await page.getByRole("alert").waitFor();
		expect(await keyboard.focusedName()).toContain("The request was not valid");
		await keyboard.tabTo("Tags");
		expect(await keyboard.focusedDescription()).toContain("must be 1 to 64 characters");
	});

	it("edits a manifest, is told of the line that is wrong, and saves it", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await visitor.open(`${workspacePath()}/manifest`);
		await keyboard.tabTo("Manifest as JSON");
		await page.keyboard.press("Control+A");
		await keyboard.type('{\n"protected_paths": ["infra/" "db/"]\n}');
		// Neither key keeps somebody in the field.
		await keyboard.press("Escape");
		await keyboard.press("Shift+Tab");
		expect(await keyboard.focusedName()).not.toBe("Manifest as JSON");
		await keyboard.tabTo("Manifest as JSON");
		await keyboard.tabTo("Review changes");
		await keyboard.press("Space");
		await page.locator("li.faulty").waitFor();
		expect(await page.locator("li.faulty").innerText()).toContain("a comma is missing");
		expect(await keyboard.findObstacles()).toEqual([]);
		await keyboard.tabTo("Manifest as JSON");
		expect(await keyboard.focusedDescription()).toContain("Nothing was saved");
		await page.keyboard.press("Control+A");
		await keyboard.type('{"protected_paths": ["infra/", "db/"]}');
		await keyboard.tabTo("Review changes");
		await keyboard.press("Enter");
		await page.getByRole("heading", { name: "Once it is saved" }).waitFor();
		expect(await keyboard.findObstacles()).toEqual([]);
		await keyboard.tabTo("Save this manifest");
		await keyboard.press("Enter");
		await page.getByText("The manifest is saved and in force").waitFor();
	});

	it("opens an entry of a chain, and follows its proof", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await visitor.open(`${workspacePath()}/chain`);
		await keyboard.tabTo("Contents and signature of entry 0");
		await keyboard.press("Space");
		await keyboard.tabTo("Proof that it is in the chain (JSON)");
		await keyboard.press("Enter");
		await page.waitForURL("**/chain/proof?index=0");
	});

	it("begins a run and cancels it", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await visitor.open("/console/runs/new");
		await keyboard.tabTo("Goal");
		await keyboard.type("[[slow 3000]] Compare two ways to cache results");
		await keyboard.tabTo("Begin the run");
		await keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Run" }).waitFor();
		await keyboard.tabTo("Cancel the run");
		await keyboard.press("Enter");
		await page.getByRole("status").filter({ hasText: "cancelled" }).waitFor();
	});

	it("sends a prompt, stops the answer, and hears of both", async () => {
		const { visitor, page, keyboard } = await signedIn();
		await visitor.open("/console/playground");
		await keyboard.tabTo("Prompt");
		await keyboard.type("[[slow 5000]] Say hello");
		await keyboard.tabTo("Send");
		await keyboard.press("Enter");
		await page.getByRole("status").filter({ hasText: "Answering" }).waitFor();
		expect(await keyboard.focusedName()).toBe("Send");
		await keyboard.tabTo("Stop");
		await keyboard.press("Enter");
		await page.getByRole("status").filter({ hasText: "Stopped." }).waitFor();
		expect(await keyboard.focusedName()).toBe("Send");
	});
});
