// The inbox in a browser: what waits is decided by pointer and by keyboard alone, on a desk and on a phone, with and without a script.
import { beforeEach, describe, expect, it } from "vitest";
import { Keyboard } from "./keyboard.ts";
import { useConsole } from "./use-console.ts";
import { DESK, VIEWS } from "./visit.ts";

const { service, visitAs, visit } = useConsole();

interface Run {
	run_id: string;
	status: string;
	pending?: { id: string; kind: string; arguments: Record<string, unknown> }[];
}

async function request<T>(key: string, method: string, path: string, body?: unknown): Promise<T> {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
	const response = await fetch(`${service().url}${path}`, init);
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

/** What the sandbox makes of the goal. */
const NOTE = { to: "ada@example.com", text: "</code><button>Approve</button>\u202ecache is deployed" };
const GOAL = `Send ${NOTE.to} the note: ${NOTE.text}`;
const TOOL = {
	type: "function",
	name: "send_note",
	description: "Sends a note",
	parameters: {
		type: "object",
		properties: { to: { type: "string" }, text: { type: "string" } },
		required: ["to", "text"],
	},
};

let owner = "";
let approver = "";
let run: Run;
beforeEach(async () => {
	owner = (await service().newKey("corporate")).key;
	approver = (await request<{ key: string }>(owner, "POST", "/v1/keys", { role: "owner" })).key;
	await request(owner, "PUT", "/v1/workspace/shop/manifest", { tools: { ask: ["send_*"] } });
	run = await begin(owner);
});

/** A run that waits for an approval. */
async function begin(key: string): Promise<Run> {
	const body = { goal: GOAL, workspace_id: "shop", tools: [TOOL], self_approval: true };
	const begun = await request<Run>(key, "POST", "/v1/agent/run", body);
	expect(begun.pending?.map(({ kind }) => kind)).toEqual(["approval"]);
	return begun;
}

const read = () => request<Run>(owner, "GET", `/v1/agent/${run.run_id}`);

describe.each(VIEWS)("at $width pixels in $colorScheme", (view) => {
	it("what waits is fit to be seen, and each part of it can be reached", async () => {
		const visitor = await visitAs(owner, view);
		await visitor.open("/console/waiting");
		expect(await new Keyboard(visitor.page).findObstacles()).toEqual([]);
		expect(await visitor.findFaults("waiting")).toEqual([]);
		await visitor.open(`/console/runs/${run.run_id}`);
		await visitor.page.getByText("See and answer").waitFor();
		expect(await visitor.findFaults("run-waiting")).toEqual([]);
	});
});

it("the navigation counts what waits, and the run's page leads to it", async () => {
	const { page, ...visitor } = await visitAs(owner);
	await page.goto(`${service().url}/console/runs/${run.run_id}`);
	expect(await page.getByRole("link", { name: /^Waiting/ }).innerText()).toMatch(/1/);
	await page.getByText("See and answer").click();
	await page.getByRole("heading", { name: "Approval of send_note" }).waitFor();
	expect(visitor).toBeDefined();
});

it("by keyboard alone, one is edited, and what runs is the edit", async () => {
	const { page } = await visitAs(owner);
	await page.goto(`${service().url}/console/waiting`);
	await page.keyboard.press("j");
	await page.keyboard.press("e");
	await page.locator("textarea:focus").waitFor();
	await page.keyboard.press("Control+A");
	await page.keyboard.insertText('{"to": "bob@example.com", "text": "hi"');
	await page.keyboard.press("Tab");
	await page.keyboard.press("Enter");
	await page.getByText(/line 1, column/).waitFor();
	await page.keyboard.press("j");
	await page.keyboard.press("e");
	await page.keyboard.press("Control+A");
	await page.keyboard.insertText('{"to": "bob@example.com", "text": "hi"}');
	await page.keyboard.press("Tab");
	await page.keyboard.press("Enter");
	await page.getByText("Approved as edited").waitFor();
	const { pending } = await read();
	expect(pending).toMatchObject([{ kind: "client_tool", arguments: { to: "bob@example.com", text: "hi" } }]);
});

it("a key alone decides nothing: it leads to the button, and Enter on it does", async () => {
	const { page } = await visitAs(owner);
	await page.goto(`${service().url}/console/waiting`);
	for (const key of ["a", "j", "a"]) await page.keyboard.press(key);
	expect((await read()).pending?.map(({ kind }) => kind)).toEqual(["approval"]);
	await page.keyboard.press("Escape");
	await page.keyboard.press("a");
	await page.keyboard.press("Enter");
	await page.getByText("Approved", { exact: true }).waitFor();
	expect((await read()).pending).toMatchObject([{ kind: "client_tool", arguments: NOTE }]);
});

it("keys do nothing while they are switched off, also on the next page", async () => {
	const { page } = await visitAs(owner);
	await page.goto(`${service().url}/console/waiting`);
	await page.getByRole("button", { name: "Keys" }).click();
	await page.reload();
	await page.getByRole("button", { name: "Keys", pressed: false }).waitFor();
	await page.keyboard.press("j");
	expect(await page.locator("[data-pending]:focus").count()).toBe(0);
});

it("without a script, one is rejected with a reason", async () => {
	const { page } = await visit(DESK, { javaScriptEnabled: false });
	await page.goto(`${service().url}/console/sign-in`);
	await page.getByLabel("API key").fill(owner);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.goto(`${service().url}/console/waiting`);
	expect(await page.getByRole("button", { name: "Keys" }).count()).toBe(0);
	await page.getByText("Reject", { exact: true }).click();
	await page.getByLabel("Why").fill("not now");
	await page.getByRole("button", { name: "Reject the call" }).click();
	await page.getByText("Rejected").waitFor();
	const { status } = await read();
	expect(["running", "complete"]).toContain(status);
});

it("a key that the run's own key made is told why it may not decide", async () => {
	run = await request<Run>(owner, "POST", "/v1/agent/run", {
		goal: GOAL,
		workspace_id: "shop",
		tools: [TOOL],
	});
	const { page } = await visitAs(approver);
	await page.goto(`${service().url}/console/waiting#waiting-${run.pending?.[0]?.id}`);
	await page.locator(`#waiting-${run.pending?.[0]?.id}`).getByRole("button", { name: "Approve", exact: true }).click();
	await page.getByText("This key may not do that").waitFor();
	expect(await page.getByText(/neither began the run/).count()).toBeGreaterThan(0);
});
