// Agent runs in the console: begun once, shown, cancelled, and nobody else's.
import { expect, it, onTestFinished } from "vitest";
import { signIn, useConsoleUser } from "../../support/console.ts";
import { call, callWithKey, newKey, useSandbox, withKey } from "../../support/service.ts";
import { OPENAI_FORMAT, toolModel } from "../../support/tool-model.ts";

const { key, browser } = useConsoleUser("corporate");

interface Run {
	run_id: string;
	status: string;
}

async function finishedRun(goal = "List two ways to cache results"): Promise<Run> {
	return (await callWithKey(key().key, "/v1/agent/run", { goal, max_steps: 4 })).json();
}

it("a form that is sent twice begins one run", async () => {
	const form = await (await browser().get("/console/runs/new")).text();
	const idempotencyKey = /name="idempotency_key" value="([^"]+)"/.exec(form)?.[1] ?? "";
	const fields = { goal: "List two ways to cache results", max_steps: "4", idempotency_key: idempotencyKey };
	const first = await browser().post("/console/runs/new", fields);
	const second = await browser().post("/console/runs/new", fields);
	expect(first.status).toBe(303);
	expect(second.headers.get("location")).toBe(first.headers.get("location"));
	expect(first.headers.get("location")).toMatch(/^\/console\/runs\/agt_/);
});

it("a cap that is no number is refused, not ignored", async () => {
	const page = await browser().post("/console/runs/new", { goal: "x", max_cost_usd: "a dollar" });
	expect(page.status).toBe(422);
	expect(await page.text()).toContain("field-max_cost_usd-error");
});

it("an ended run shows its steps, its spend and that its trajectory holds", async () => {
	const { run_id } = await finishedRun();
	const html = await (await browser().get(`/console/runs/${run_id}`)).text();
	expect(html).toContain("The trajectory holds");
	expect(html).toContain(`/console/runs/${run_id}/steps/0`);
	expect(html).not.toContain("data-live");
	expect(html).not.toContain("Cancel the run");
	expect((await browser().get(`/console/runs/${run_id}/steps/0`)).status).toBe(200);
	expect((await browser().get(`/console/runs/${run_id}/steps/99`)).status).toBe(404);
	expect(await (await browser().get("/console/runs?status=complete")).text()).toContain(run_id);
});

it("a step with tools shows its calls, and the request's receipt counts them", async () => {
	const manifest = { tools: { allow: ["read_note"], deny: ["drop_table"] } };
	await call("/v1/workspace/team/manifest", { ...withKey(key().key, manifest), method: "PUT" });
	const model = toolModel(({ results }) =>
		results.length > 0
			? { text: "Done." }
			: {
					calls: [
						{ name: "compute", args: { expression: "6 * 7" } },
						{ name: "drop_table", args: { name: "<b>users</b>" } },
					],
				},
	);
	const upstream = useSandbox(model.answer);
	onTestFinished(() => upstream.restore());
	const tools = [{ type: "compute" }, { type: "function", name: "drop_table" }];
	const body = { goal: "Compute six times seven, then drop the table of users", workspace_id: "team", tools };
	const run: Run = await (
		await callWithKey(key().key, "/v1/agent/run", { ...body, brain_config: OPENAI_FORMAT })
	).json();
	expect(run).toMatchObject({ status: "complete", tool_calls: { requested: 2, allowed: 1, denied: 1 } });
	const html = await (await browser().get(`/console/runs/${run.run_id}/steps/1`)).text();
	for (const shown of ["Calls of tools", "drop_table", "denied", "&lt;b&gt;users", "42"]) expect(html).toContain(shown);
	expect(html).not.toContain("<b>users");
	const request = await (await browser().get(`/console/requests/${run.run_id}`)).text();
	expect(request).toContain("2 requested, 1 allowed, 1 denied, 0 approved, 0 rejected, 0 expired");
});

it("what a script asks for is the part that changes alone", async () => {
	const { run_id } = await finishedRun();
	const html = await (await browser().get(`/console/runs/${run_id}/live`)).text();
	expect(html).toMatch(/^<div id="live">/);
	expect(html).not.toContain("<html");
});

it("a run's page streams its part as the run goes on", async () => {
	const held = Promise.withResolvers<void>();
	const upstream = useSandbox(async (request) => {
		if ((await request.text()).includes("Subtask 2 of 2")) await held.promise;
		return undefined;
	});
	onTestFinished(() => upstream.restore());
	const goal = "1. Name a <b>river</b>\n2. Name a city";
	const begun = await callWithKey(key().key, "/v1/agent/run", { goal, background: true, policy: "efficiency" });
	const { run_id } = (await begun.json()) as Run;
	const page = await (await browser().get(`/console/runs/${run_id}`)).text();
	expect(page).toContain(`data-stream="/console/runs/${run_id}/stream"`);
	const response = await browser().get(`/console/runs/${run_id}/stream`);
	expect(response.headers.get("content-type")).toContain("text/event-stream");
	expect(response.headers.get("cache-control")).toBe("no-store");
	held.resolve();
	const parts = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
		([, json = ""]) => JSON.parse(json) as string,
	);
	expect(parts[0]).toContain("data-live");
	for (const part of parts) {
		expect(part).toMatch(/^<div id="live"/);
		expect(part).toContain("Name a &lt;b&gt;river&lt;/b&gt;");
	}
	expect(parts.at(-1)).not.toContain("data-live");
	expect(parts.at(-1)).toContain("complete");
	expect(parts.at(-1)).toMatch(/\d+ in, \d+ out/);
});

it("another user's run is unknown", async () => {
	const { run_id } = await finishedRun();
	const stranger = await signIn(await newKey("corporate"));
	for (const path of ["", "/live", "/stream", "/steps/0"])
		expect((await stranger.get(`/console/runs/${run_id}${path}`)).status).toBe(404);
	for (const action of ["cancel", "resume"])
		expect((await stranger.post(`/console/runs/${run_id}/${action}`, {})).status).toBe(404);
});
