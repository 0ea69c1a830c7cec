// A run's page while the run goes on: at every width, when it is interrupted, when its stream breaks and when the key is revoked.
import { describe, expect, it } from "vitest";
import { useConsole } from "./use-console.ts";
import { VIEWS, type View, type Visit } from "./visit.ts";

const { service, visit } = useConsole();

interface Watched {
	visitor: Visit;
	keyId: string;
	/** The page of the run. */
	path: string;
	/** The paths that the browser has asked for since it opened that page. */
	asked: string[];
}

/** Begins a run and opens its page. @param prepare is told the run's page before it is opened. */
async function watchRun(
	goal: string,
	view?: View,
	prepare: (visitor: Visit, path: string) => Promise<void> = async () => undefined,
): Promise<Watched> {
	const { key, key_id: keyId } = await service().newKey("corporate");
	const visitor = await visit(view);
	await visitor.signIn(key);
	const response = await fetch(`${service().url}/v1/agent/run`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ goal, background: true, max_cost_usd: 0.5 }),
	});
	expect(response.status).toBe(202);
	const { run_id } = (await response.json()) as { run_id: string };
	const path = `/console/runs/${run_id}`;
	await prepare(visitor, path);
	const asked: string[] = [];
	visitor.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
	await visitor.open(path);
	return { visitor, keyId, path, asked };
}

const slowGoal = (ms: number) => `1. Name a river [[slow ${ms}]]\n2. Name a city\n3. Name a lake ${"far".repeat(60)}`;

const stepLink = ({ page }: Visit, index: number) =>
	page.getByRole("table", { name: /^Steps, / }).getByRole("link", { name: String(index), exact: true });

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	it("a run that goes on, and its end, fit and have no barriers", async () => {
		const { visitor, asked, path } = await watchRun(slowGoal(1_000), view);
		await stepLink(visitor, 0).waitFor();
		expect(await visitor.findFaults("run-streamed")).toEqual([]);
		await visitor.page.getByText("The trajectory holds").waitFor();
		expect(await visitor.findFaults("run-ended")).toEqual([]);
		expect(asked).toContain(`${path}/stream`);
		expect(asked).not.toContain(`${path}/live`);
	});
});

describe("a run's page", () => {
	it("asks again where its stream breaks, until the run has ended", async () => {
		const { visitor, asked, path } = await watchRun(slowGoal(1_500), undefined, async ({ page }, runPath) => {
			await page.route(`**${runPath}/stream`, (route) => route.abort());
		});
		await visitor.page.getByText("The trajectory holds").waitFor();
		expect(asked.filter((name) => name === `${path}/stream`)).toHaveLength(1);
		expect(asked).toContain(`${path}/live`);
	});

	it("leads to the sign-in page with the reason when its key is revoked, and nothing goes on", async () => {
		const { visitor, keyId, path, asked } = await watchRun(slowGoal(20_000));
		await visitor.page.locator("#live").getByText("running").first().waitFor();
		await service().revokeKey(keyId);
		await visitor.page.getByLabel("API key").waitFor();
		expect(visitor.path()).toBe(path);
		expect(await visitor.page.getByRole("main").innerText()).toMatch(/revoked/);
		expect(await visitor.page.context().cookies()).toEqual([]);
		expect(await visitor.page.locator("main main, #live").count()).toBe(0);
		expect(asked).not.toContain(`${path}/live`);
		expect(await visitor.findFaults("run-revoked")).toEqual([]);
	});

	// At last: the providers that answer so are left alone for a while.
	it("shows that its run was interrupted, offers to resume it, and watches it no more", async () => {
		const { visitor, path, asked } = await watchRun("1. Name a river [[status 500]]\n2. Name a city");
		await visitor.page.getByRole("button", { name: "Resume the run" }).waitFor();
		expect(await visitor.page.locator("#live").innerText()).toMatch(/interrupted/i);
		expect(await visitor.page.locator("#live").getAttribute("data-live")).toBeNull();
		expect(await visitor.findFaults("run-interrupted")).toEqual([]);
		asked.length = 0;
		await visitor.open(path);
		await visitor.page.getByRole("button", { name: "Resume the run" }).waitFor();
		expect(asked).not.toContain(`${path}/stream`);
	});
});
