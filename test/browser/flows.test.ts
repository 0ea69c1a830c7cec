// What people do in the console: make and rotate a key, begin a run, ask in the playground, check a config. And what strangers wrote.
import { describe, expect, it } from "vitest";
import { flatTree, toPdf } from "../support/sent-files.ts";
import { useConsole } from "./use-console.ts";
import { DESK, VIEWS, type View, type Visit } from "./visit.ts";

const { service, visit } = useConsole();

/** Breaks out of text, attributes and links, turns direction, and has no place to break. */
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script><a href="javascript:alert(3)">x</a>\u202e${"w".repeat(10_000)}`;

const PHONE: View = { width: 390, colorScheme: "dark" };

const WEATHER = {
	type: "function",
	function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

async function signedIn(view = VIEWS[0]): Promise<{ visitor: Visit; key: string }> {
	const { key } = await service().newKey("corporate");
	const visitor = await visit(view);
	await visitor.signIn(key);
	return { visitor, key };
}

async function post<T>(key: string, path: string, body: unknown): Promise<T> {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const response = await fetch(`${service().url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

async function usageStatus(key: string): Promise<number> {
	return (await fetch(`${service().url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).status;
}

describe("an owner", () => {
	it("makes a key, copies it, rotates it and revokes it", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await visitor.open("/console/keys");
		await page.getByRole("link", { name: "Make a key" }).click();
		await page.getByLabel("Name").fill("ci");
		await page.getByLabel("Budget in USD").fill("1.5");
		await page.getByRole("button", { name: "Make the key" }).click();
		const first = await page.locator("#made-key").innerText();
		await page.getByRole("button", { name: "Copy the key" }).click();
		await page.getByRole("status").filter({ hasText: "Copied to the clipboard" }).waitFor();
		expect(await page.evaluate("navigator.clipboard.readText()")).toBe(first);
		expect(await usageStatus(first)).toBe(200);
		expect(await visitor.findFaults("made-key")).toEqual([]);

		await page.getByRole("link", { name: "To the key's page" }).click();
		await page.getByRole("button", { name: "Rotate the key" }).click();
		const second = await page.locator("#made-key").innerText();
		expect(await usageStatus(first)).toBe(401);
		expect(await usageStatus(second)).toBe(200);

		await page.getByRole("link", { name: "To the key's page" }).click();
		await page.getByLabel(/to confirm/).fill("nope");
		await page.getByRole("button", { name: "Revoke the key" }).click();
		expect(await page.getByRole("alert").innerText()).toContain("not the key's");
		await page.getByLabel(/to confirm/).fill(second.slice(-4));
		await page.getByRole("button", { name: "Revoke the key" }).click();
		await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
		expect(await usageStatus(second)).toBe(401);
		expect(visitor.takeComplaints()).toEqual([]);
	});

	it("begins a run and sees it end without reloading", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await visitor.open("/console/runs/new");
		await page.getByLabel("Goal").fill("Compare two ways to cache results: list pros and cons of each");
		await page.getByLabel("Cap in USD").fill("0.5");
		await page.getByRole("button", { name: "Begin the run" }).click();
		await page.getByRole("heading", { level: 1, name: "Run" }).waitFor();
		await page.getByText("The trajectory holds").waitFor();
		expect(await page.getByRole("main").innerText()).toMatch(/\$0\.\d+ of \$0\.50/);
		expect(await visitor.findFaults("run")).toEqual([]);
		await page.getByRole("link", { name: "0", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Step 0" }).waitFor();
		expect(await visitor.findFaults("run-step")).toEqual([]);
	});

	it("sees a run go on step by step by one stream, and keeps the place where one stands", async () => {
		const { visitor, key } = await signedIn();
		const { page } = visitor;
		const goal = "1. Name a river [[slow 1500]]\n2. Name a city [[slow 1500]]\n3. Name a lake [[slow 1500]]";
		const run = await post<{ run_id: string }>(key, "/v1/agent/run", { goal, background: true, max_cost_usd: 0.05 });
		const asked: string[] = [];
		page.on("request", (request) => asked.push(new URL(request.url()).pathname));
		await visitor.open(`/console/runs/${run.run_id}`);
		const steps = page.getByRole("table", { name: /^Steps, / });
		await steps.getByRole("link", { name: "0", exact: true }).focus();
		await steps.getByRole("link", { name: "1", exact: true }).waitFor();
		expect(await page.locator(":focus").innerText()).toBe("0");
		expect(await page.getByLabel("Goal").innerText()).toContain("Name a lake");
		await page.getByText("The trajectory holds").waitFor();
		const path = `/console/runs/${run.run_id}`;
		expect(asked.filter((name) => name === `${path}/stream`)).toHaveLength(1);
		expect(asked).not.toContain(`${path}/live`);
		// Once to look, and once more when it had ended.
		expect(asked.filter((name) => name === path)).toHaveLength(2);
	});

	it("asks in the playground: the answer streams, and its decision and receipt are a link away", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await visitor.open("/console/playground");
		await page.getByLabel("Prompt").fill("Say hello <script>alert(1)</script> [here](javascript:alert(2)) **now**");
		await page.getByRole("button", { name: "Send" }).click();
		await page.getByText("Complete.").waitFor();
		const answer = page.locator(".answer");
		expect(await answer.innerText()).toContain("<script>");
		expect(await answer.locator("strong").last().innerText()).toBe("now");
		expect(await answer.locator("a").count()).toBe(1);
		expect(await answer.innerText()).toMatch(/\$0\.\d+[\s\S]* tokens[\s\S]*ranks first/);
		expect(await visitor.findFaults("playground")).toEqual([]);
		await page.getByRole("link", { name: "Decision, cost and receipt" }).click();
		await page.getByText("The receipt holds").waitFor();
		expect(visitor.takeComplaints()).toEqual([]);
	});

	it("asks two models side by side in the playground, and goes on with each", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await visitor.open("/console/playground?model=gpt-6-luna");
		await page.getByLabel("Beside it").fill("claude-haiku-5-5");
		for (const [nth, prompt] of ["Say hello", "And again"].entries()) {
			await page.getByLabel("Prompt").fill(prompt);
			await page.getByRole("button", { name: "Send" }).click();
			await page.locator(".turn").nth(nth).locator(".answer-facts a").nth(1).waitFor();
			await page.getByText("Complete.").waitFor();
		}
		const heads = await page.locator(".turn").last().locator(".answer-head strong").allInnerTexts();
		expect(heads).toEqual(["gpt-6-luna", "claude-haiku-5-5"]);
		expect(await page.getByLabel("Prompt").inputValue()).toBe("");
		await page.getByText("The request as code").click();
		expect(await page.locator("#code-python").innerText()).toMatch(/Say hello[\s\S]*And again/);
		expect(await visitor.findFaults("playground-two")).toEqual([]);
	});

	it.each([DESK, PHONE])(
		"answers for tools in the playground at $width pixels, and two models go on with their own",
		async (view) => {
			const { visitor } = await signedIn(view);
			const { page } = visitor;
			const turns = page.locator(".turn");
			const send = page.getByRole("button", { name: "Send", exact: true });
			await visitor.open("/console/playground?model=gpt-6-luna");
			await page.getByLabel("Beside it").fill("claude-haiku-5-5");
			await page.getByLabel("Tools as JSON").fill(JSON.stringify([WEATHER]));
			await page.getByLabel("Prompt").fill("What is the weather in Graz?");
			await send.click();
			const results = turns.first().getByLabel("Result of weather");
			await results.nth(1).waitFor();
			expect(await turns.first().innerText()).toContain("Calls weather");
			expect(await visitor.findFaults("playground-tools")).toEqual([]);

			// No model can go on before it has what it asked for.
			await page.getByLabel("Prompt").fill("And tomorrow?");
			await send.click();
			await page.getByText("Send the results of the tools first.").waitFor();
			expect(await turns.count()).toBe(1);
			for (const [nth, result] of ["19 degrees <b>", "21 degrees"].entries()) {
				await results.nth(nth).fill(result);
				await page.getByRole("button", { name: "Send the results" }).first().click();
				const turn = turns.nth(nth + 1);
				await turn.getByRole("link", { name: "Decision, cost and receipt" }).waitFor();
				expect(await turn.innerText()).toContain(result);
				await page.getByText("Complete.").waitFor();
			}
			await send.click();
			const last = turns.nth(3).locator(".answer-facts a");
			await last.nth(1).waitFor();
			await page.getByText("Complete.").waitFor();
			expect(await page.getByLabel("Prompt").inputValue()).toBe("");
			const code = (await page.locator("#code-curl").textContent()) ?? "";
			expect(code).toMatch(/"role":\s*"tool"[\s\S]*19 degrees[\s\S]*And tomorrow\?/);
			expect(code).not.toContain("21 degrees");
			expect(await visitor.findFaults("playground-tools-answered")).toEqual([]);
		},
	);

	it("sends an image with a prompt in the playground", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await visitor.open("/console/playground");
		const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } });
		await page.locator("#images").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer });
		await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
		expect(await visitor.findFaults("playground-image")).toEqual([]);
		await page.getByLabel("Prompt").fill("What is it?");
		await page.getByRole("button", { name: "Send" }).click();
		await page.getByText("Complete.").waitFor();
		expect(await page.locator(".said").innerText()).toContain("with an image");
		expect(await page.getByRole("button", { name: "Remove dot.png" }).count()).toBe(0);
		expect(visitor.takeComplaints()).toEqual([]);
	});

	it("sends a PDF with a prompt in the playground", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await visitor.open("/console/playground");
		const buffer = Buffer.from(toPdf(flatTree(2)));
		await page.locator("#images").setInputFiles({ name: "q3.pdf", mimeType: "application/pdf", buffer });
		await page.getByRole("button", { name: "Remove q3.pdf" }).waitFor();
		expect(await visitor.findFaults("playground-pdf")).toEqual([]);
		await page.getByLabel("Prompt").fill("Sum it up");
		await page.getByRole("button", { name: "Send" }).click();
		await page.getByText("Complete.").waitFor();
		expect(await page.locator(".said").innerText()).toContain("with a file");
		await page.getByText("document.pdf (2 pages").waitFor();
		expect(visitor.takeComplaints()).toEqual([]);
	});

	it("is told what the playground's request failed of", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await visitor.open("/console/playground");
		await page.getByLabel("Prompt").fill("Say hello");
		await page.getByLabel("USD at most").fill("0.000000001");
		await page.getByRole("button", { name: "Send" }).click();
		await page.getByText(/^Failed: /).waitFor();
		expect(visitor.takeComplaints()).toEqual([expect.stringContaining("402")]);
	});

	it("sees a config's errors at their lines", async () => {
		const { visitor } = await signedIn();
		const { page } = visitor;
		await visitor.open("/console/config");
		await page.getByLabel("Config").fill("model: auto\nblokked: [x]\n");
		await page.getByRole("button", { name: "Check" }).click();
		expect(await page.locator("li.faulty").innerText()).toMatch(/blokked[\s\S]*did you mean blocked/);
		expect(await visitor.findFaults("config-errors")).toEqual([]);
	});
});

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	it("what strangers wrote is text, and fits", async () => {
		const { visitor, key } = await signedIn(view);
		const { page } = visitor;
		await post(key, "/v1/keys", { name: HOSTILE.slice(0, 128), tags: [] });
		const run = await post<{ run_id: string }>(key, "/v1/agent/run", { goal: HOSTILE, max_steps: 3 });
		const chat = await post<{ id: string }>(key, "/v1/chat/completions", {
			messages: [{ role: "user", content: HOSTILE }],
		});
		for (const path of [
			"/console",
			"/console/keys",
			"/console/runs",
			`/console/runs/${run.run_id}`,
			`/console/runs/${run.run_id}/steps/0`,
			`/console/requests/${chat.id}`,
			`/console/requests?model=${encodeURIComponent(HOSTILE.slice(0, 200))}`,
			`/console/playground?prompt=${encodeURIComponent(HOSTILE.slice(0, 2_000))}`,
		]) {
			await visitor.open(path);
			expect(await visitor.findFaults(`hostile-${path.slice(0, 30)}`), path).toEqual([]);
		}
		await visitor.open("/console/config");
		await page.getByLabel("Config").fill(HOSTILE);
		await page.getByRole("button", { name: "Check" }).click();
		await page.waitForLoadState();
		expect(await visitor.findFaults("hostile-config")).toEqual([]);
		expect(await page.locator("main img, main script").count()).toBe(0);
	});
});
