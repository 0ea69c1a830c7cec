// Runs of agents through the front door: what they answer, what they cost, what stops them, and who sees them.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSchema } from "../../src/agents/response.ts";
import { INTENSITIES_DESCENDING } from "../../src/agents/step-decision.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { textHash } from "../../src/proof/salted.ts";
import {
	expectAccounted,
	expectInterrupted,
	GOAL,
	postRun,
	postVerify,
	readRun,
	readTrajectory,
	runAgent,
} from "../support/agents.ts";
import { statementsOf } from "../support/d1-statements.ts";
import { sentLimitOf } from "../support/models.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { answers, DONE, finish, ROLE, says, word } from "../support/scripted.ts";
import { call, callWith, callWithKey, db, eventually, newKey, usageOf, withKey } from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";

const { upstream, key } = useService("pro");

const BOOK = `Write a book:\n${Array.from({ length: 12 }, (_, at) => `${at + 1}. Chapter ${at + 1} [[overrun]]`).join("\n")}`;

/** Has the upstream answer the second of three subtasks when the gate is opened. */
function holdSecondSubtask(): PromiseWithResolvers<void> {
	const gate = Promise.withResolvers<void>();
	upstream.replace(async (request) => {
		if ((await request.text()).includes("Subtask 2 of 3")) await gate.promise;
		return undefined;
	});
	return gate;
}

async function errorOf(response: Response): Promise<unknown> {
	return { status: response.status, body: await response.json() };
}

describe("a run", () => {
	it("says which members of the body it does not know, and reasons as the client wants", async () => {
		const response = await postRun(key, { goal: GOAL, reasoning_effort: "low", seed: 1, model: "auto" });
		const body = await response.json();
		expect(body).toMatchObject({
			status: "complete",
			svc: { warnings: [{ code: "parameter_dropped", param: "seed" }] },
		});
		await expectAccounted(key, runSchema.parse(body));
	});

	it("is planned, worked on and put together, and every place that speaks of it says the same", async () => {
		const run = await runAgent(key);
		expect(run).toMatchObject({
			object: "agent.run",
			status: "complete",
			policy: "balanced",
			strategy: "cascade",
			plan: ["Name three rivers of France", "Say where each begins", "Put them in a table"],
			steps_taken: 5,
			max_cost_usd: 2.5,
			alerts: [],
			budget: { plan: "pro", plan_envelope_usd: 0.5, tier_limit_usd: 2.5, max_cost_usd: 2.5, multiplier: 5 },
		});
		expect(run.run_id).toMatch(/^agt_[0-9A-Z]{26}$/);
		expect(run.steps.map(({ role, strategy, intensity }) => [role, strategy, intensity])).toEqual([
			["subtask", "single", "Halo"],
			["subtask", "single", "Halo"],
			["subtask", "single", "Halo"],
			["subtask", "single", "Halo"],
			["finalize", "single", "Halo"],
		]);
		expect(run.output).toContain("3 results");
		expect(run).not.toHaveProperty("final_message");
		await expectAccounted(key, run);
		expect((await readRun(key, run.run_id)).steps).toEqual(run.steps);
	});

	it.each([
		["efficiency", "Foton", ["budget"], "single"],
		["balanced", "Halo", ["mid", "budget"], "cascade"],
		["depth", "Laser", ["premium", "frontier", "mid", "budget"], "ensemble_moa"],
	])(
		"under %s starts at %s, with models of at most its tier and none that is hyper-frontier",
		async (policy, intensity, tiers, strategy) => {
			const run = await runAgent(key, { policy });
			expect(run).toMatchObject({ status: "complete", policy, strategy });
			expect(new Set(run.steps.map((step) => step.intensity))).toEqual(new Set([intensity]));
			const called = Object.keys((await usageOf(key)).by_model).map((id) => CATALOG.findModel(id));
			expect(called.every((model) => model && tiers.includes(model.tier) && !model.hyper_frontier)).toBe(true);
			await expectAccounted(key, run);
		},
	);

	it("counts once against the limits, however many calls it makes", async () => {
		const { headers } = await postRun(key);
		expect(headers.get("x-ratelimit-remaining-requests")).toBe("299");
		expect((await usageOf(key)).limits.daily_requests_used).toBe(1);
		expect(upstream.answered).toBeGreaterThan(4);
	});

	it("takes prompt for goal, and max_steps of one for one subtask without a plan", async () => {
		const response = await callWithKey(key.key, "/v1/agent/run", { prompt: "Say hi", goal: " ", max_steps: 1 });
		expect(await response.json()).toMatchObject({ status: "complete", steps_taken: 1, plan: ["Say hi"] });
		expect(upstream.requests.length).toBeGreaterThan(0);
	});

	it("that has no steps left says so, with what there is", async () => {
		const run = await runAgent(key, { goal: "Do this:\n1. Write A\n2. Write B\n3. Write C", max_steps: 2 });
		expect(run).toMatchObject({ status: "max_steps_reached", steps_taken: 1 });
		expect(run.final_message).toMatch(/limit of 2 steps.*1 of 3 subtasks done/);
		expect(run.output).toContain("Write A");
		await expectAccounted(key, run);
	});

	it("ends early when a step finds the goal met, and names each later subtask", async () => {
		const run = await runAgent(key, { goal: `${GOAL} [[goal met]]` });
		expect(run.status).toBe("complete");
		expect(run.steps.map(({ role }) => role)).toEqual(["subtask", "subtask"]);
		expect(run.plan).toHaveLength(3);
		expect(run.output).toBe("The sandbox has done: Name three rivers of France.");
	});

	it.each(["GOAL MET", "GOAL MET 00000000\n2: is done\n3: is done\n4: is done\n5: is done"])(
		"goes on where a step says %j, which the goal says too",
		async (claim) => {
			upstream.replace(async (request) =>
				(await request.text()).includes("Subtask 1 of 5") ? answers(`I am done.\n${claim}`) : undefined,
			);
			const goal = `Say "${claim.replaceAll("\n", " ")}". Find A. Find B. Find C. Find D`;
			const run = await runAgent(key, { goal, policy: "efficiency" });
			expect(run).toMatchObject({ status: "complete", steps_taken: 7 });
			expect(run.plan).toHaveLength(5);
			await expectAccounted(key, run);
		},
	);

	it("tells each step what comes after it, and marks what others wrote with words of the step's own", async () => {
		await runAgent(key, { policy: "efficiency" });
		const prompts = upstream.requests.map(({ body }) => JSON.stringify(body));
		const first = prompts.find((prompt) => prompt.includes("Subtask 1 of 3")) ?? "";
		expect(first).toContain("3. Put them in a table");
		const nonces = prompts.flatMap((prompt) => /<<(?:Plan|Results) 1 ([0-9a-f]{16})>>/.exec(prompt)?.[1] ?? []);
		expect(nonces).toHaveLength(4);
		expect(new Set(nonces).size).toBe(4);
	});

	it("delivers sections as they were written, between what the final step writes", async () => {
		const goal = "Write a book:\n1. Chapter on tea\n2. Chapter on milk\n3. Chapter on sugar";
		const run = await runAgent(key, { goal });
		const section = (name: string) => `## Chapter on ${name}\n\nThe sandbox has done: Chapter on ${name}.`;
		const together = "The sandbox puts 3 results together: Chapter on tea; Chapter on milk; Chapter on sugar.";
		const opening = `# A text by the sandbox\n\n${together}`;
		const parts = [opening, section("tea"), section("milk"), section("sugar"), "That is all."];
		expect(run.output).toBe(parts.join("\n\n"));
		expect(run).not.toHaveProperty("truncated");
		await expectAccounted(key, run);
	});

	it("reads a loose plan, and takes from it which results are sections", async () => {
		const subtasks = ["Collect", "Tea", "Milk"].map((title, at) => ({
			title,
			task: `Do ${title}`,
			is_section: at > 0,
		}));
		upstream.replace(async (request) =>
			(await request.text()).includes("You split the goal")
				? answers(`Gladly:\n${JSON.stringify({ plan: { subtasks } })}\nThat is [my] plan.`)
				: undefined,
		);
		const run = await runAgent(key, {
			goal: "Erkläre Tee und Milch für eine Broschüre, die in Schulen verteilt wird",
			policy: "efficiency",
		});
		expect(run.plan).toEqual(["Do Collect", "Do Tea", "Do Milk"]);
		expect(run.output).toMatch(
			/## Tea\n\nThe sandbox has done: Do Tea\.\n\n## Milk\n\nThe sandbox has done: Do Milk\./,
		);
		expect(run.output).not.toContain("has done: Do Collect");
		const [plan] = upstream.requests.map(({ body }) => JSON.stringify(body));
		expect(plan).toMatch(/json_?schema/i);
		await expectAccounted(key, run);
	});

	it("leaves a panel's single answer as it is", async () => {
		const goal = "Write an essay about how the trade in tea changed the politics of Europe and Asia in three centuries";
		const run = await runAgent(key, { goal, policy: "depth" });
		expect(run.steps.map(({ role, strategy }) => [role, strategy])).toEqual([
			["subtask", "single"],
			["subtask", "ensemble_moa"],
		]);
		expect(textHash(run.salt)(run.output)).toBe(run.steps.at(-1)?.output_hash);
		await expectAccounted(key, run);
	});

	/** Cuts the answer to one subtask, and continues it as a test says. */
	function cutSubtask(continuation: () => Response): void {
		upstream.replace(async (request) => {
			const prompt = await request.text();
			if (!prompt.includes("Subtask 2 of 3")) return undefined;
			const isContinued = prompt.includes("was cut off at the length limit");
			return isContinued ? continuation() : says(ROLE, word("It begins, and then it is c"), finish("length"), DONE);
		});
	}

	it("continues an answer that was cut", async () => {
		cutSubtask(() => answers("continued to its end."));
		const goal = "Write a book:\n1. Chapter on tea\n2. Chapter on milk\n3. Chapter on sugar";
		const run = await runAgent(key, { goal, policy: "efficiency" });
		expect(run.output).toContain("It begins, and then it is continued to its end.");
		expect(run).not.toHaveProperty("truncated");
		await expectAccounted(key, run);
	});

	it("says that a section is cut which nobody could continue", async () => {
		cutSubtask(() => says(ROLE, word("and c"), finish("length"), DONE));
		const goal = "Write a book:\n1. Chapter on tea\n2. Chapter on milk\n3. Chapter on sugar";
		const run = await runAgent(key, { goal, policy: "efficiency" });
		expect(run).toMatchObject({ status: "complete", truncated: true });
		const message =
			"the output or a section of it was cut at 1024 tokens, the default, and could not be completed: set max_tokens";
		expect(run).toMatchObject({ svc: { warnings: [{ code: "truncated", param: "max_tokens", message }] } });
		expect(run.output).toMatch(/It begins, and then it is and c\n\n\[…\]\n\n## Chapter on sugar/);
		expect(await readRun(key, run.run_id)).toEqual(run);
		await expectAccounted(key, run);
	});

	it("shows what it paid for in its steps, also what gave nothing", async () => {
		const brokenOff = 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"One"}}]}\n\n';
		upstream.replace(async (request) =>
			(await request.text()).includes("You split the goal")
				? new Response(brokenOff, { headers: { "content-type": "text/event-stream" } })
				: undefined,
		);
		const run = await runAgent(key, { policy: "efficiency", goal: "Do this:\n1. Write A\n2. Write B" });
		expect(run).toMatchObject({ status: "complete", plan: ["Write A", "Write B"] });
		expect(run.output).toContain("2 results");
		const nothing = { confidence: 0, confidence_basis: null, output_hash: textHash(run.salt)("") };
		expect(run.steps[0]).toMatchObject({ role: "subtask", ...nothing });
		// What a step rests on is stored with it, and no proof holds it.
		expect(run.steps.slice(1).map(({ confidence_basis }) => confidence_basis)).not.toContain(undefined);
		expect(run.steps.at(-1)?.confidence_basis).toBe("prior");
		expect(run.steps[0]?.cost_usd).toBeGreaterThan(0);
		expect(run.steps.reduce((sum, { cost_usd }) => sum + nano(cost_usd), 0)).toBe(nano(run.cost_consumed_usd));
		await expectAccounted(key, run);
	});

	it("has room for its plan, however short its answers are to be", async () => {
		await runAgent(key, { goal: "Write three letters to the council", max_tokens: 64 });
		const limits = upstream.requests.map(({ body }) => sentLimitOf(body));
		expect([limits[0], new Set(limits.slice(1))]).toEqual([256, new Set([64])]);
	});

	it("asks once more for a plan that is none", async () => {
		const run = await runAgent(key, { goal: "Write a poem [[bad plan]]" });
		expect(run.plan).toEqual(["Do all of it"]);
	});

	it("of a goal that is long however it is written down comes to an end, and is read whole", async () => {
		const goal = `Write it ${"\u0001😀".repeat(52_000)}`;
		const run = await runAgent(key, { goal, max_steps: 1, max_tokens: 64 });
		expect(run).toMatchObject({ status: "complete", plan: [goal], steps_taken: 1 });
		await expectAccounted(key, run);
		await evictDurableObject(env.AGENT_RUN.getByName(`run:${run.run_id}`));
		expect(await readRun(key, run.run_id)).toEqual(run);
	});

	it("keeps what a step is told from growing with the number of steps", async () => {
		const list = Array.from({ length: 14 }, (_, at) => `${at + 1}. Write chapter ${at + 1} [[long 700]]`).join("\n");
		await runAgent(key, { goal: `Write a book:\n${list}`, max_steps: 3, policy: "efficiency" });
		const few = Math.max(...upstream.requests.map(({ body }) => JSON.stringify(body).length));
		await runAgent(key, { goal: `Write a book:\n${list}`, policy: "efficiency" });
		const many = Math.max(...upstream.requests.map(({ body }) => JSON.stringify(body).length));
		expect(many).toBeLessThan(few + 20_000);
	});
});

describe("a run's cap", () => {
	it("that is too small for a step ends it before any model runs, and is no error", async () => {
		const run = await runAgent(key, { max_cost_usd: 0.000001 });
		expect(run).toMatchObject({ status: "budget_exhausted", steps_taken: 0, cost_consumed_usd: 0, output: "" });
		expect(run.final_message).toMatch(/raise max_cost_usd/);
		expect(upstream.requests).toEqual([]);
		await expectAccounted(key, run);
	});

	it("per step does the same", async () => {
		const run = await runAgent(key, { max_cost_per_step: 0.000001 });
		expect(run).toMatchObject({ status: "budget_exhausted", steps_taken: 0 });
		expect(run.final_message).toMatch(/max_cost_per_step/);
	});

	it("is told of in alerts, and lowers the intensity", async () => {
		const run = await runAgent(key, { goal: BOOK, policy: "depth", max_cost_usd: 0.03, max_tokens: 300 });
		expect(run).toMatchObject({ status: "complete", steps_taken: 13 });
		expect(run.alerts.map(({ code }) => code)).toContain("provider_overrun");
		const pressure = run.alerts.filter(({ code }) => code === "budget_pressure");
		expect(pressure.map(({ threshold }) => threshold)).toContain(0.7);
		const at = pressure[0]?.step_index ?? 0;
		expect(run.steps.slice(0, at).map(({ intensity }) => intensity)).toContain("Laser");
		expect(run.steps.slice(at + 1).map(({ intensity }) => intensity)).not.toContain("Laser");
		await expectAccounted(key, run);
	});

	it.each([
		["balanced", 0.05],
		["balanced", 0.01],
		["depth", 0.2],
		["depth", 0.03],
	])("under %s of %d USD never lets the intensity rise from one step to the next", async (policy, max_cost_usd) => {
		const run = await runAgent(key, { goal: BOOK, policy, max_cost_usd });
		const rungs = run.steps.map(({ intensity }) => INTENSITIES_DESCENDING.indexOf(intensity));
		expect(rungs.length).toBeGreaterThan(3);
		expect(rungs).toEqual(rungs.toSorted());
		await expectAccounted(key, run);
	});

	it("that covers what panels really cost keeps them to the last subtask", async () => {
		const list = Array.from({ length: 6 }, (_, at) => `${at + 1}. Explain point ${at + 1} [[long 400]]`).join("\n");
		const run = await runAgent(key, { goal: `Do this:\n${list}`, policy: "depth", max_cost_usd: 0.5 });
		expect(run.steps.slice(1, -1).map(({ intensity, strategy }) => [intensity, strategy])).toEqual(
			Array.from({ length: 6 }, () => ["Laser", "ensemble_moa"]),
		);
		expect(run).toMatchObject({ status: "complete", alerts: [] });
		await expectAccounted(key, run);
	});

	it.each(["max_cost_usd", "max_cost_per_step"])(
		"that has no room for a whole answer shortens it on the same models (%s)",
		async (limit) => {
			const body = { goal: "Explain tea", policy: "depth", max_steps: 1 };
			const events = eventsOf(await (await postRun(key, { ...body, stream: true })).text());
			const [worstCase] = /(?<=costs at most )[\d.]+/.exec(events[0]?.data ?? "") ?? [];
			const whole = JSON.parse(events.at(-1)?.data ?? "") as Awaited<ReturnType<typeof runAgent>>;
			const other = await newKey("pro");
			const run = await runAgent(other, { ...body, [limit]: Number(worstCase) - 1e-6 });
			expect(run.steps.map(({ intensity, model }) => [intensity, model])).toEqual(
				whole.steps.map(({ intensity, model }) => [intensity, model]),
			);
			await expectAccounted(other, run);
		},
	);

	it("that is used up leaves what was reached, with a message", async () => {
		const run = await runAgent(key, { goal: BOOK, policy: "depth", max_cost_usd: 0.0003, max_tokens: 300 });
		expect(run.status).toBe("budget_exhausted");
		expect(run.steps_taken).toBeGreaterThan(2);
		expect(run.steps.at(-1)?.role).toBe("finalize");
		expect(run.final_message).toMatch(
			/^The run stopped within its budget: .* of 12 subtasks done\. .* The output holds what was reached\.$/,
		);
		await expectAccounted(key, run);
	});

	it("holds whatever providers do", async () => {
		const word = fc.constantFrom(
			"",
			"[[overrun]]",
			"[[no usage]]",
			"[[cut]]",
			"[[garbage]]",
			"[[empty]]",
			"[[status 503]]",
			"[[cut @openai]]",
			"[[fail anthropic]]",
			"[[overrun @google]]",
		);
		const request = fc.record({
			words: fc.array(word, { maxLength: 2 }),
			max_cost_usd: fc.constantFrom(0.0004, 0.002, 0.01, 0.05),
			policy: fc.constantFrom("efficiency", "balanced", "depth"),
			max_steps: fc.constantFrom(1, 3, 6),
			max_tokens: fc.constantFrom(64, 400),
		});
		await fc.assert(
			fc.asyncProperty(request, async ({ words, ...limits }) => {
				const user = await newKey("pro");
				const response = await postRun(user, { ...limits, goal: `${GOAL} ${words.join(" ")}` });
				const { run_id } = (await response.json()) as { run_id: string };
				expect([200, 502]).toContain(response.status);
				const run = await readRun(user, run_id);
				expect(run.status === "interrupted").toBe(response.status === 502);
				await (response.status === 502 ? expectInterrupted : expectAccounted)(user, run);
			}),
			{ numRuns: 20, seed: 17 },
		);
	});

	it("holds for each of many runs at once, and their spends add up", async () => {
		const caps = [0.0001, 0.0005, 0.002, 0.01, 0.05];
		const runs = await Promise.all(
			caps.map((max_cost_usd) => runAgent(key, { max_cost_usd, goal: `${GOAL} [[overrun]]` })),
		);
		for (const { cost_consumed_usd, max_cost_usd } of runs) expect(cost_consumed_usd).toBeLessThanOrEqual(max_cost_usd);
		const sum = runs.reduce((total, { cost_consumed_usd }) => total + nano(cost_consumed_usd), 0);
		const usage = await usageOf(key);
		expect(usage).toMatchObject({ total_requests: caps.length, held_usd: 0, open: [] });
		expect(nano(usage.total_cost_usd)).toBe(sum);
	});

	it("above the plan's limit is refused before any model runs, with its three fields", async () => {
		expect(await errorOf(await postRun(key, { max_cost_usd: 2.500001 }))).toMatchObject({
			status: 402,
			body: {
				error: "budget_exceeds_tier_limit",
				tier_limit_usd: 2.5,
				plan_envelope_usd: 0.5,
				requested_max_cost_usd: 2.500001,
			},
		});
		expect(upstream.requests).toEqual([]);
	});

	it("is the routing config's max_cost where that is lower", async () => {
		const run = await runAgent(key, { brain_config: { max_cost: 0.001 } });
		expect(run).toMatchObject({ max_cost_usd: 0.001, budget: { max_cost_usd: 0.001 } });
		await expectAccounted(key, run);
	});
});

describe("a request for a run", () => {
	it.each([
		[400, "no_goal", { goal: "" }],
		[400, "no_goal", { goal: " ", prompt: null }],
		[400, "no_goal", { goal: null }],
		[422, "invalid_request", { goal: 7 }],
		[422, "invalid_request", { max_cost_usd: 0 }],
		[422, "invalid_request", { policy: "best" }],
		[422, "invalid_request", { idempotency_key: "x".repeat(201) }],
		[422, "invalid_request", { workspace_id: ".." }],
		[422, "invalid_request", { time_zone: "Mars/Olympus" }],
		[422, "invalid_request", { time_zone: "+01:00" }],
		[422, "invalid_request", { max_tokens: 10_000_000 }],
		[422, "invalid_request", { reasoning_effort: "much" }],
		[422, "invalid_request", { tools: [{ type: "function", function: { name: "f" } }] }],
		[422, "invalid_request", { response_format: { type: "json_object" } }],
		[422, "invalid_brain_config", { brain_config: { nope: 1 } }],
		[403, "model_blocked", { brain_config: { blocked: ["*"] } }],
		[403, "compliance_blocked", { compliance: { jurisdiction: ["CH"] } }],
	])("(%#) that cannot be served is answered %i %s, and calls nobody", async (status, error, body) => {
		expect(await errorOf(await postRun(key, body))).toMatchObject({ status, body: { error } });
		expect(upstream.requests).toEqual([]);
	});

	it.each(["goal", "prompt"])(
		"whose %s is as large as the limit is served, and larger by a byte answered 422",
		async (member) => {
			const limits = { max_steps: 1, max_cost_usd: 0.000001 };
			const goal = "é".repeat(131_072);
			const served = await postRun(key, { goal: null, [member]: goal, ...limits });
			expect(await errorOf(served)).toMatchObject({ status: 200, body: { status: "budget_exhausted" } });
			expect(await errorOf(await postRun(key, { goal: null, [member]: `${goal}x`, ...limits }))).toMatchObject({
				status: 422,
				body: {
					error: "invalid_request",
					issues: [{ path: member, message: expect.stringContaining("262144 bytes") }],
				},
			});
		},
	);

	it("larger than a body may be is answered 413", async () => {
		const body = { goal: "x", workspace_id: "x".repeat(2 * 1024 ** 2) };
		expect(await errorOf(await postRun(key, body))).toMatchObject({
			status: 413,
			body: { error: "request_too_large" },
		});
	});

	it("without a provider key on the server is answered 503", async () => {
		const keys = Object.keys(await import("cloudflare:workers").then(({ env }) => env)).filter((name) =>
			name.endsWith("_API_KEY"),
		);
		const none = Object.fromEntries(keys.map((name) => [name, ""])) as Partial<Env>;
		const response = await callWith(none, "/v1/agent/run", withKey(key.key, { goal: GOAL }));
		expect(await errorOf(response)).toMatchObject({ status: 503, body: { error: "no_provider_available" } });
	});

	it("that no model answers is answered 502 with the run, which can be resumed", async () => {
		const response = await postRun(key, { goal: `${GOAL} [[status 500]]` });
		const { status, body } = (await errorOf(response)) as { status: number; body: { error: string; run_id: string } };
		expect([status, body.error]).toEqual([502, "agent_error"]);
		const run = await readRun(key, body.run_id);
		expect(run).toMatchObject({ status: "interrupted", cost_consumed_usd: 0 });
		expect(run.final_message).toMatch(/no model answered/);
		await expectInterrupted(key, run);
	});

	it("under the Free plan runs on its models, within its limit", async () => {
		const free = await newKey("free");
		const run = await runAgent(free, { policy: "depth" });
		expect(run).toMatchObject({ status: "complete", max_cost_usd: 0.1 });
		for (const id of Object.keys((await usageOf(free)).by_model)) expect(CATALOG.freeModels).toContain(id);
		await expectAccounted(free, run);
	});

	it("holds a compliance policy for every call, and attests it", async () => {
		const run = await runAgent(key, { compliance: { provider_allowlist: ["openai"] } });
		expect(Object.keys((await usageOf(key)).by_provider)).toEqual(["openai"]);
		const { receipt } = (await (await call(`/v1/proof/${run.run_id}`)).json()) as { receipt: Record<string, unknown> };
		expect(receipt["compliance"]).toMatchObject({ type: "svc.attestation.v1", providers: ["openai"] });
	});
});

describe("an idempotency key", () => {
	const body = { idempotency_key: "order 7" };

	it("stands for one run: twenty requests at once are one run, one spend, one body", async () => {
		const responses = await Promise.all(Array.from({ length: 20 }, () => postRun(key, body)));
		const texts = await Promise.all(responses.map((response) => response.text()));
		expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
		expect(new Set(texts).size).toBe(1);
		const run = JSON.parse(texts[0] ?? "") as Awaited<ReturnType<typeof runAgent>>;
		await expectAccounted(key, run);
		const calls = upstream.answered;
		expect(await runAgent(key, body)).toEqual(run);
		expect(await runAgent(key, { ...body, stream: false })).toEqual(run);
		expect(upstream.answered).toBe(calls);
	});

	it("with another body is a conflict, and another user's own", async () => {
		const first = await runAgent(key, body);
		expect(await errorOf(await postRun(key, { ...body, goal: "Something else" }))).toMatchObject({
			status: 409,
			body: { error: "idempotency_conflict" },
		});
		const other = await newKey("pro");
		expect((await runAgent(other, { ...body, goal: "Something else" })).run_id).not.toBe(first.run_id);
	});

	it("of a request that was refused stands for nothing", async () => {
		expect((await postRun(key, { ...body, max_cost_usd: 99 })).status).toBe(402);
		expect((await postRun(key, body)).status).toBe(200);
	});
});

describe("cancelling", () => {
	it("in the middle stops before the next call, and both get the partial run with its proof", async () => {
		const gate = holdSecondSubtask();
		const posted = postRun(key, { policy: "efficiency" });
		let runId = "";
		await eventually(async () => {
			const { open } = (await (await callWithKey(key.key, "/v1/usage")).json()) as {
				open: { request_id: string; spent_usd: number }[];
			};
			runId = open[0]?.request_id ?? "";
			return upstream.requests.some(({ body }) => JSON.stringify(body).includes("Subtask 2 of 3"));
		});
		expect(await readRun(key, runId)).toMatchObject({ status: "running", steps_taken: 2 });
		expect((await readTrajectory(key, runId)).verification.valid).toBe(true);
		const cancelled = callWithKey(key.key, `/v1/agent/${runId}/cancel`, {});
		const stub = env.AGENT_RUN.getByName(`run:${runId}`) as unknown as DurableObjectStub<undefined>;
		await eventually(() =>
			runInDurableObject(stub, (_, { storage }) => {
				const { state } = storage.sql.exec<{ state: string }>("SELECT state FROM run").one();
				return JSON.parse(state).isCancelled;
			}),
		);
		gate.resolve();
		const [run, other] = await Promise.all([posted, cancelled]).then((both) =>
			Promise.all(both.map((one) => one.json())),
		);
		expect(run).toEqual(other);
		const shown = run as Awaited<ReturnType<typeof runAgent>>;
		expect(shown).toMatchObject({ status: "cancelled", steps_taken: 3 });
		expect(shown.output).toContain("Name three rivers");
		expect(upstream.requests).toHaveLength(3);
		await expectAccounted(key, shown);
	});

	it("what is over leaves it as it is, as often as it is asked", async () => {
		const run = await runAgent(key);
		for (let i = 0; i < 2; i++) {
			const response = await callWithKey(key.key, `/v1/agent/${run.run_id}/cancel`, {});
			expect([response.status, await response.json()]).toEqual([200, run]);
		}
	});
});

describe("usage", () => {
	it("shows what a run holds and has spent at every moment, and never more than its cap", async () => {
		const seen: { spent_usd: number; held_usd: number; bound_usd: number; kind: string }[] = [];
		upstream.replace(async () => {
			const { open } = (await (await callWithKey(key.key, "/v1/usage")).json()) as { open: typeof seen };
			seen.push(...open);
			return undefined;
		});
		const run = await runAgent(key, { policy: "efficiency" });
		expect(seen.length).toBe(5);
		for (const { spent_usd, held_usd, bound_usd, kind } of seen) {
			expect(kind).toBe("agent");
			expect(nano(held_usd)).toBeGreaterThan(0);
			expect(nano(spent_usd) + nano(held_usd)).toBeLessThanOrEqual(nano(bound_usd));
		}
		expect(seen.map(({ spent_usd }) => spent_usd)).toEqual(
			seen.map(({ spent_usd }) => spent_usd).toSorted((a, b) => a - b),
		);
		await expectAccounted(key, run);
	});
});

describe("the list of runs", () => {
	it("is newest first, limited, and its owner's alone", async () => {
		const goals = ["Say a", "Say b", `Say c ${"x".repeat(300)}`];
		for (const goal of goals) await runAgent(key, { goal, max_steps: 1 });
		const list = async (query = "", by = key) =>
			(await (await callWithKey(by.key, `/v1/agent/runs${query}`)).json()) as {
				object: string;
				count: number;
				data: { goal: string }[];
			};
		const all = await list();
		expect(all).toMatchObject({ object: "list", count: 3 });
		expect(all.data.map(({ goal }) => goal)).toEqual([...goals].reverse().map((goal) => goal.slice(0, 200)));
		expect(all.data[0]).toMatchObject({ object: "agent.run", status: "complete", steps_taken: 1 });
		expect(all.data[0]).not.toHaveProperty("steps");
		expect((await list("?limit=2")).count).toBe(2);
		expect((await list("?limit=5000")).count).toBe(3);
		expect(await list("?limit=0")).toMatchObject({ error: "invalid_request" });
		expect(await list("", await newKey("pro"))).toMatchObject({ count: 0, data: [] });
	});

	it("goes page by page, and by status and time, and names every run once", async () => {
		const ids: string[] = [];
		for (const goal of ["Say a", "Say b", "Say c"]) ids.unshift((await runAgent(key, { goal, max_steps: 1 })).run_id);
		interface Page {
			has_more: boolean;
			next_cursor: string | null;
			data: { run_id: string; created_at: string }[];
		}
		const page = async (query: string): Promise<Page> => (await callWithKey(key.key, `/v1/agent/runs?${query}`)).json();
		const walk = async (query: string) => {
			const runs: Page["data"] = [];
			for (let next = query; next !== ""; ) {
				const { data, next_cursor, has_more } = await page(next);
				expect(has_more).toBe(next_cursor !== null);
				runs.push(...data);
				next = next_cursor === null ? "" : `${query}&cursor=${next_cursor}`;
			}
			return runs.map(({ run_id }) => run_id);
		};
		for (const limit of [1, 2, 3, 200]) expect(await walk(`limit=${limit}`)).toEqual(ids);
		expect(await walk("status=complete&limit=2")).toEqual(ids);
		expect(await walk("status=cancelled")).toEqual([]);
		const at = (await page("")).data[1]?.created_at ?? "";
		expect(await walk(`since=${at}`)).toEqual(ids.slice(0, 2));
		expect(await walk(`until=${at}`)).toEqual(ids.slice(2));
		for (const query of ["status=done", "cursor=a2V5", "since=yesterday"])
			expect(await page(query)).toMatchObject({ error: "invalid_request" });
	});

	it("is read by index: a page costs its own rows, wherever it is", async () => {
		await db
			.prepare(
				`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
				INSERT INTO agent_runs (id, user_id, created_at, revision, status, summary)
				SELECT 'agt_' || printf('%020d', i) || substr(?1, -6), ?1, strftime('%Y-%m-%dT%H:%M:%S.000Z', '2026-01-01', i || ' seconds'), 1,
					iif(i % 1000 = 0, 'cancelled', 'complete'), '{}' FROM n`,
			)
			.bind(key.user_id)
			.run();
		const path = "/v1/agent/runs?limit=50";
		const { next_cursor } = (await (await callWithKey(key.key, `${path}&until=2026-01-01T00:30:00Z`)).json()) as {
			next_cursor: string;
		};
		const queries = ["", "&status=complete", "&status=cancelled", "&status=running", "&until=2026-01-02"];
		for (const query of queries.flatMap((filter) => [filter, `${filter}&cursor=${next_cursor}`])) {
			const statements = await statementsOf(() => callWithKey(key.key, `${path}${query}`));
			const rowsRead = statements.reduce((sum, statement) => sum + statement.rowsRead, 0);
			expect(rowsRead, query).toBeLessThanOrEqual(2 * 51);
			for (const { plan, sql } of statements) expect(plan, sql).not.toMatch(/SCAN agent_runs/);
		}
	});

	it("shows a run that goes on as running, with what it has done", async () => {
		const gate = holdSecondSubtask();
		const posted = postRun(key, { policy: "efficiency" });
		await eventually(async () => upstream.requests.length === 3);
		const list = await (await callWithKey(key.key, "/v1/agent/runs")).json();
		expect(list).toMatchObject({ count: 1, data: [{ status: "running" }] });
		const count = async (status: string) =>
			((await (await callWithKey(key.key, `/v1/agent/runs?status=${status}`)).json()) as { count: number }).count;
		expect([await count("running"), await count("complete")]).toEqual([1, 0]);
		gate.resolve();
		expect((await posted).status).toBe(200);
		const after = await (await callWithKey(key.key, "/v1/agent/runs")).json();
		expect(after).toMatchObject({ count: 1, data: [{ status: "complete", steps_taken: 5 }] });
		expect([await count("running"), await count("complete")]).toEqual([0, 1]);
	});
});

describe("a run's trajectory", () => {
	it("shows cut hashes, and whole ones with what verifies them", async () => {
		const run = await runAgent(key);
		const cut = (await (await callWithKey(key.key, `/v1/agent/${run.run_id}/trajectory`)).json()) as Awaited<
			ReturnType<typeof readTrajectory>
		>;
		expect(cut).not.toHaveProperty("verify_request");
		for (const { input_hash, output_hash, step_proof, timestamp } of cut.steps) {
			for (const hash of [input_hash, output_hash, step_proof]) expect(hash).toMatch(/^sha256:[0-9a-f]{12}$/);
			expect(timestamp).toMatch(/Z$/);
		}
		const { steps, verify_request } = await readTrajectory(key, run.run_id);
		expect(steps).toEqual(run.steps);
		expect(await postVerify(verify_request)).toMatchObject({ valid: true, issued: true, mismatched_steps: [] });
		const [first, ...rest] = steps;
		const changed = { ...verify_request, steps: [{ ...first, cost_usd: 0 }, ...rest] };
		expect(await postVerify(changed)).toMatchObject({ valid: false, mismatched_steps: [0], issued: true });
		expect(await postVerify({ ...verify_request, steps: rest, step_proofs: null })).toMatchObject({ valid: false });
	});
});

describe("an unknown run", () => {
	it.each(["agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "agt_x", "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV", "%20"])(
		"(%s) is 404 to every read",
		async (id) => {
			for (const [path, body] of [
				[`/v1/agent/${id}`],
				[`/v1/agent/${id}/trajectory`],
				[`/v1/agent/${id}/cancel`, {}],
			] as const)
				expect(await errorOf(await callWithKey(key.key, path, body))).toMatchObject({
					status: 404,
					body: { error: "run_not_found" },
				});
		},
	);

	it("is what another user's run is", async () => {
		const { run_id } = await runAgent(key, { max_steps: 1 });
		const other = await newKey("pro");
		for (const [path, body] of [
			[`/v1/agent/${run_id}`],
			[`/v1/agent/${run_id}/trajectory`],
			[`/v1/agent/${run_id}/cancel`, {}],
		] as const)
			expect((await callWithKey(other.key, path, body)).status).toBe(404);
	});
});

describe("a streamed run", () => {
	it("tells of its plan and of every step with its proof, then gives the run", async () => {
		const response = await postRun(key, { stream: true, policy: "efficiency" });
		expect(response.headers.get("content-type")).toContain("text/event-stream");
		const events = eventsOf(await response.text());
		const last = events.at(-1);
		expect(last?.event).toBe("result");
		const run = JSON.parse(last?.data ?? "") as Awaited<ReturnType<typeof runAgent>>;
		const told = events
			.slice(0, -1)
			.map(({ data }) => JSON.parse(data) as { type: string; step?: { step_proof: string } });
		expect(told.map(({ type }) => type)).toEqual([
			"step_started",
			"step_done",
			"planned",
			...Array.from({ length: 4 }, () => ["step_started", "step_done"]).flat(),
			"finished",
		]);
		expect(told.flatMap(({ step }) => step ?? [])).toEqual(run.steps);
		await expectAccounted(key, run);
	});

	it("that fails before its head is an ordinary error, and afterwards an error event", async () => {
		expect((await postRun(key, { stream: true, max_cost_usd: 99 })).status).toBe(402);
		const events = eventsOf(await (await postRun(key, { stream: true, goal: `${GOAL} [[status 500]]` })).text());
		expect(events.at(-1)?.event).toBe("error");
		expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({ error: "agent_error", status: 502 });
	});

	it("goes on when its client has left", async () => {
		const response = await postRun(key, { stream: true, policy: "efficiency", goal: `${GOAL} [[slow 60]]` });
		const reader = response.body?.getReader();
		await reader?.read();
		await reader?.cancel();
		await eventually(async () => {
			const list = (await (await callWithKey(key.key, "/v1/agent/runs")).json()) as { data: { status: string }[] };
			return list.data[0]?.status === "complete";
		});
	});
});

describe("the audit log", () => {
	const events = async (query = "") =>
		(
			(await (await callWithKey(key.key, `/v1/audit/events${query}`)).json()) as {
				data: { event_type: string; workspace_id: string | null; actor: string; payload: Record<string, unknown> }[];
			}
		).data;

	it.each([undefined, "shop"])("has the plan and the record of a run in workspace %s", async (workspace_id) => {
		const run = await runAgent(key, workspace_id === undefined ? {} : { workspace_id });
		const found = await events(workspace_id === undefined ? "" : `?workspace_id=${workspace_id}`);
		expect(found).toMatchObject([
			{
				event_type: "agent_record",
				workspace_id: workspace_id ?? null,
				actor: `key:${key.key_id}`,
				payload: { run_id: run.run_id, status: "complete", trajectory_proof: run.trajectory_proof, steps_taken: 5 },
			},
			{ event_type: "agent_plan", workspace_id: workspace_id ?? null, payload: { run_id: run.run_id, plan: run.plan } },
		]);
		expect(await events()).toHaveLength(2);
	});
});
