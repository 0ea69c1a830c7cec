// Workspaces in the browser: what agents wrote is text and fits, a manifest is reviewed before it is saved, a broken chain is marked.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { useConsole } from "./use-console.ts";
import { DESK, VIEWS } from "./visit.ts";

const { service, visitAs } = useConsole();

/** Breaks out of text, attributes and links, turns direction, and has no place to break. */
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e${"w".repeat(3_000)}`;
const WORKSPACE = "team/checkout@main";
const BROKEN = "broken";
const PATH = `/console/workspaces/${encodeURIComponent(WORKSPACE)}`;

let key = "";

async function send(method: string, path: string, body: unknown): Promise<void> {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const response = await fetch(`${service().url}${path}`, { method, headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

/** Changes an entry behind the service's back, as nobody can through it: its triggers refuse that. */
function tamper(workspaceId: string, seq: number): void {
	const dir = join(service().stateDir, "v3/d1/miniflare-D1DatabaseObject");
	const name = readdirSync(dir).find((file) => /^[0-9a-f]+\.sqlite$/.test(file));
	const database = new DatabaseSync(join(dir, name ?? ""));
	const triggers = database
		.prepare("SELECT name FROM sqlite_master WHERE tbl_name = 'handoffs' AND type = 'trigger'")
		.all();
	for (const trigger of triggers) database.exec(`DROP TRIGGER ${String(trigger["name"])}`);
	const { changes } = database
		.prepare("UPDATE handoffs SET objective = 'Ship it now' WHERE workspace_id = ? AND seq = ?")
		.run(workspaceId, seq);
	database.close();
	if (changes !== 1) throw new Error("no entry was changed");
}

beforeAll(async () => {
	key = (await service().newKey("corporate")).key;
	for (const objective of ["Add retries to the payment client", HOSTILE.slice(0, 500), "Review it"])
		for (const workspace_id of [WORKSPACE, BROKEN])
			await send("POST", "/v1/handoff", {
				workspace_id,
				objective,
				from_tool: HOSTILE,
				to_tool: "reviewer",
				files_touched: [HOSTILE],
				risks: [{ id: "r1", description: HOSTILE }],
				recommended_next_action: HOSTILE,
			});
	await send("POST", "/v1/policy/check", { workspace_id: WORKSPACE, action: HOSTILE, commands: [`echo ${HOSTILE}`] });
	await send("POST", "/v1/policy/check", { workspace_id: WORKSPACE, action: "Clean up", commands: ["rm -rf /"] });
	for (const protected_paths of [["infra/", HOSTILE.slice(0, 200)], ["infra/"]])
		await send("PUT", `/v1/workspace/${encodeURIComponent(WORKSPACE)}/manifest`, { protected_paths });
	tamper(BROKEN, 1);
});

const PAGES = [
	"/console/workspaces",
	PATH,
	`${PATH}/chain`,
	`${PATH}/manifest`,
	`${PATH}/manifest?from=1&to=2`,
	`/console/workspaces/${BROKEN}/chain`,
	"/console/policy",
	"/console/audit",
];

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	it("what agents wrote is text, and fits", async () => {
		const visitor = await visitAs(key, view);
		for (const path of PAGES) {
			expect(await visitor.open(path), path).toBe(200);
			expect(await visitor.findFaults(path), path).toEqual([]);
			expect(await visitor.page.locator("main img, main script").count()).toBe(0);
		}
	});

	it("a manifest with faults, and one that was overtaken, are fit to be seen", async () => {
		const visitor = await visitAs(key, view);
		const { page } = visitor;
		const id = `overtaken-${view.width}-${view.colorScheme}`;
		const review = async (text: string) => {
			await page.getByLabel("Manifest as JSON").fill(text);
			await page.getByRole("button", { name: "Review changes" }).click();
			await page.waitForLoadState();
		};
		await visitor.open(`/console/workspaces/${id}/manifest`);
		await review(`{\n  "stack": ["${"w".repeat(300)}" 7]\n}`);
		expect(await page.locator("li.faulty").innerText()).toContain("a comma is missing");
		expect(await visitor.findFaults("manifest-faults")).toEqual([]);
		await review('{\n  "protected_paths": ["infra/", "db/"]\n}');
		await page.getByRole("heading", { name: "Once it is saved" }).waitFor();
		await send("PUT", `/v1/workspace/${id}/manifest`, { protected_paths: ["infra/", "keys/"] });
		await page.getByRole("button", { name: "Save this manifest" }).click();
		await page.getByText("Somebody saved version 1").waitFor();
		expect(await page.getByRole("main").innerText()).toMatch(/keys\/[\s\S]*db\//);
		expect(await visitor.findFaults("manifest-overtaken")).toEqual([]);
	});
});

describe("a chain", () => {
	it("that holds says so, entry by entry", async () => {
		const visitor = await visitAs(key, DESK);
		await visitor.open(`${PATH}/chain`);
		expect(await visitor.page.getByText("holds", { exact: true }).count()).toBe(3);
		expect(await visitor.page.getByText("broken", { exact: true }).count()).toBe(0);
	});

	it("that was changed outside the service marks the entry, and leads to it", async () => {
		const visitor = await visitAs(key, DESK);
		await visitor.open(`/console/workspaces/${BROKEN}/chain`);
		const { page } = visitor;
		expect(await page.getByRole("alert").innerText()).toContain("The chain is broken");
		expect(await page.getByText("broken", { exact: true }).count()).toBe(1);
		await page.getByRole("link", { name: "Go to the first broken entry" }).click();
		expect(await page.getByText("Ship it now").isVisible()).toBe(true);
	});
});

describe("a manifest", () => {
	it("shows what a change weakens before it is saved", async () => {
		const visitor = await visitAs(key, DESK);
		const { page } = visitor;
		await visitor.open(`${PATH}/manifest`);
		const field = page.getByLabel("Manifest as JSON");
		await field.fill((await field.inputValue()).replace('"infra/"', '"docs/"'));
		await page.getByRole("button", { name: "Review changes" }).click();
		expect(await page.getByRole("main").innerText()).toContain("This weakens the policy");
		expect(await visitor.findFaults("manifest-review")).toEqual([]);
	});
});
