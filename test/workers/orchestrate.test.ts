// Orchestration through the front door: every strategy, what it costs, and what is said when something fails.
import { describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { fail } from "../../src/failure.ts";
import { ensembleMoa } from "../../src/orchestration/ensemble-moa.ts";
import { type Orchestration, orchestrationSchema } from "../../src/orchestration/response.ts";
import { STRATEGIES } from "../../src/orchestration/strategies.ts";
import { hashObject } from "../../src/proof/hash.ts";
import { STAGE_HEADER } from "../../src/providers/sandbox-stage.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { answers } from "../support/scripted.ts";
import { canonical, saltedHash } from "../support/second-ledger.ts";
import {
	callWith,
	callWithKey,
	eventually,
	newKey,
	proofOf,
	type TestKey,
	usageOf,
	withKey,
} from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";
import { resultsOf, stageOf } from "../support/stages.ts";

const { upstream, key } = useService("corporate");

const SUM = "What is 17 + 25?";
/** One short answer is comparable, and is no number. */
const FACT = "Who was the second person to hold the office of Secretary-General of the United Nations?";
/** Ordinary prose that no rule finds trivial. */
const PROSE = "Describe for our newsletter what a lighthouse keeper in Norway does on a stormy night in winter.";

/** Providers that answer in formats of their own. */
const NOT_OPENAI_FORMAT = ["anthropic", "google"];

function messages(content: string) {
	return [{ role: "user", content }];
}

function post(content: string, more: Record<string, unknown> = {}, by: TestKey = key): Promise<Response> {
	return callWithKey(by.key, "/v2/orchestrate", { messages: messages(content), ...more });
}

/** An answer that must have come with status 200 and in its schema. */
async function orchestrated(content: string, more: Record<string, unknown> = {}, by?: TestKey): Promise<Orchestration> {
	const response = await post(content, more, by);
	const body = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
	return orchestrationSchema.parse(body);
}

const STAGES: Readonly<Record<(typeof STRATEGIES)[number], string[]>> = {
	single: ["answer"],
	cascade: ["step:0"],
	ensemble_moa: ["propose", "aggregate"],
	rank_fuse: ["propose", "rank", "fuse"],
	decompose_and_route: ["subtasks", "synthesize", "agree"],
	self_consistency: ["sample", "vote"],
	debate: ["round:0", "judge"],
};

describe.each(STRATEGIES)("%s", (strategy) => {
	it("answers, and usage, receipt, stages and answer say the same cost", async () => {
		const content = `${SUM}\n1. Work it out.\n2. Then say it.`;
		const answer = await orchestrated(content, { strategy });
		expect(answer).toMatchObject({ strategy, svc: { orchestration: { strategy }, cost: { basis: "provider_usage" } } });
		expect(answer.svc.stages?.map(({ name }) => name)).toEqual(STAGES[strategy]);
		expect(resultsOf(answer).every(({ ok }) => ok)).toBe(true);
		expect(upstream.answered).toBe(resultsOf(answer).length);

		const cost = resultsOf(answer).reduce((sum, { cost_usd }) => sum + nano(cost_usd), 0);
		expect(nano(answer.svc.cost.total_usd)).toBe(cost);
		expect(answer.svc.cost.bound_usd).toBeGreaterThanOrEqual(answer.svc.cost.total_usd);

		const proof = await proofOf(answer.id);
		const { orchestration } = answer.svc;
		expect(proof).toMatchObject({ valid: true, signed: true, proof_hash: answer.svc.proof.proof_hash });
		expect(hashObject({ type: "", ...proof.receipt })).toBe(proof.proof_hash);
		expect(proof.receipt).toMatchObject({
			kind: "orchestration",
			outcome: "complete",
			strategy,
			input_hash: saltedHash(answer.svc.proof.salt, canonical({ type: "svc.input.v1", messages: messages(content) })),
			output_hash: saltedHash(answer.svc.proof.salt, answer.choices[0].message.content),
			cost_usd: answer.svc.cost.total_usd,
			bound_usd: answer.svc.cost.bound_usd,
			confidence: orchestration.confidence,
			agreement: orchestration.agreement,
			models_used: orchestration.models_used,
			stages: answer.svc.stages?.map(({ name, results }) => ({
				name,
				results: results.map(({ latency_ms: _, confidence_basis: __, ...result }) => ({
					...result,
					output_hash: expect.stringMatching(/^sha256:/),
				})),
			})),
		});
		const usage = await usageOf(key);
		expect(usage.total_cost_usd).toBe(answer.svc.cost.total_usd);
		expect(usage).toMatchObject({
			total_requests: 1,
			total_tokens: answer.usage.total_tokens,
			by_mode: { balanced: { requests: 1 } },
		});
		const calls = Object.values(usage.by_model).reduce((sum, { requests }) => sum + requests, 0);
		expect(calls).toBe(resultsOf(answer).length);
	});

	it("keeps its bound when every call overruns", async () => {
		const answer = await orchestrated(`[[overrun]] ${SUM}`, { strategy });
		expect(answer.svc.cost.total_usd).toBeGreaterThan(0);
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
	});

	it("says 502 when every call fails, and charges nothing", async () => {
		const response = await post(`[[status 503]] ${SUM}`, { strategy });
		expect(response.status).toBe(502);
		expect(await response.json()).toMatchObject({ error: "all_models_failed", cost_usd: 0 });
		expect((await usageOf(key)).total_requests).toBe(0);
	});
});

describe("one failed call", () => {
	it.each(["ensemble_moa", "rank_fuse", "self_consistency", "debate"])(
		"does not fail %s, and shows",
		async (strategy) => {
			const whole = await orchestrated(SUM, { strategy });
			const [first] = resultsOf(whole);
			const provider = CATALOG.findModel(first?.model ?? "")?.provider;
			const answer = await orchestrated(`[[fail ${provider}]] ${SUM}`, { strategy });
			expect(resultsOf(answer).some(({ ok }) => !ok)).toBe(true);
			expect(
				resultsOf(answer)
					.filter(({ ok }) => !ok)
					.every(({ cost_usd, confidence }) => cost_usd === 0 && confidence === 0),
			).toBe(true);
			expect(answer.svc.orchestration.models_used).not.toContain(first?.model);
			expect(answer.choices[0].message.content).not.toBe("");
		},
	);
});

describe("what strategies show", () => {
	it.each(["ensemble_moa", "rank_fuse", "debate", "decompose_and_route"])(
		"other models' words never reach a system prompt of %s, on any wire",
		async (strategy) => {
			const rules = "Answer like a pirate.";
			const conversation = [{ role: "system", content: rules }, ...messages(`[[disagree]] 1. ${SUM}\n2. ${PROSE}`)];
			for (const judge_model of ["claude-opus-5-5", "gemini-3.8-flash", "gpt-6-sol"])
				await orchestrated("", { strategy, policy: "depth", messages: conversation, judge_model });
			const wires = new Set<string>();
			for (const { body, headers, url } of upstream.requests) {
				const turns = (body["messages"] ?? body["contents"] ?? []) as { role: string }[];
				const system = JSON.stringify([
					turns.filter(({ role }) => role === "system"),
					body["system"],
					body["systemInstruction"],
				]);
				const stage = headers.get(STAGE_HEADER) ?? "";
				expect(system, stage).not.toContain("The sandbox");
				expect(system.includes(rules), stage).toBe(!/^(?:agree|rank|subtasks planner)/.test(stage));
				const roles = turns.map(({ role }) => role).filter((role) => role !== "system");
				expect(
					roles.filter((role, at) => role === roles[at - 1]),
					stage,
				).toEqual([]);
				wires.add(url.replace(/^.*\/(chat\/completions|messages|models)\b.*$/, "$1"));
			}
			expect(wires).toEqual(new Set(["chat/completions", "messages", "models"]));
		},
	);

	it("the sandbox is told the stage of every call", async () => {
		await orchestrated(PROSE, { strategy: "rank_fuse" });
		const stages = upstream.requests.map(({ headers }) => headers.get(STAGE_HEADER));
		expect(new Set(stages)).toEqual(new Set(["propose proposer", "rank judge", "fuse fuser", "agree judge groups"]));
	});

	it("a cascade that is not agreed on climbs to its top, with a confidence at each step", async () => {
		const answer = await orchestrated(`[[disagree]] ${FACT}`, { strategy: "cascade" });
		expect(answer.svc.orchestration).toMatchObject({ escalated: true, agreement: 0 });
		expect(answer.svc.stages?.map(({ name }) => name)).toEqual(["step:0", "step:1", "step:2"]);
		const { escalations, stopped_by } = stageOf(answer, "step:0").detail as {
			escalations: { confidence: number }[];
			stopped_by: string;
		};
		expect(escalations).toHaveLength(3);
		expect(stopped_by).toBe("the last step");
		const agreed = await orchestrated(FACT, { strategy: "cascade" });
		expect(agreed.svc.orchestration.escalated).toBe(false);
		expect(agreed.svc.orchestration.confidence).toBeGreaterThan(answer.svc.orchestration.confidence);
	});

	it("under efficiency a cascade asks one cheap model, and stops where a single answer clears the bar", async () => {
		const answer = await orchestrated(PROSE, { policy: "efficiency" });
		expect(answer).toMatchObject({ strategy: "cascade", svc: { orchestration: { escalated: false, agreement: 1 } } });
		expect(resultsOf(answer)).toHaveLength(1);
		expect(stageOf(answer, "step:0").detail).toMatchObject({ stopped_by: "confidence" });
		const cut = await orchestrated(PROSE, { policy: "efficiency", max_tokens: 10 });
		expect(cut.svc.orchestration.escalated).toBe(true);
	});

	it("a cascade whose prose says the same stops after a judge found so twice, and all of it is accounted for", async () => {
		const answer = await orchestrated(PROSE, { strategy: "cascade" });
		expect(answer.svc.orchestration).toMatchObject({ escalated: false, agreement: 1 });
		const { results, detail } = stageOf(answer, "agree:0");
		expect(results).toMatchObject([
			{ ok: true, role: "judge" },
			{ ok: true, role: "judge" },
		]);
		expect(detail).toEqual({ compared: 2, verdicts: 2, confirmed: true });
		const judge = results[0]?.model ?? "";
		expect(stageOf(answer, "step:0").results.map(({ model }) => model)).not.toContain(judge);
		expect(answer.svc.orchestration.models_used).toContain(judge);
		const { receipt } = await proofOf(answer.id);
		expect(receipt["stages"]).toMatchObject([{ name: "step:0" }, { name: "agree:0", results: [{}, {}] }]);
		expect(receipt["cost_usd"]).toBe(answer.svc.cost.total_usd);
	});

	it("a cascade whose judge writes no JSON climbs to its top", async () => {
		const answer = await orchestrated(`[[never json]] ${PROSE}`, { strategy: "cascade" });
		expect(answer.svc.orchestration).toMatchObject({ escalated: true, agreement: 0 });
		expect(stageOf(answer, "agree:0").results).toHaveLength(2);
	});

	it("a judge is held to a JSON Schema where its model has it, with the reason before the verdict", async () => {
		const answer = await orchestrated(PROSE, { strategy: "rank_fuse" });
		const [{ model } = { model: "" }] = stageOf(answer, "rank").results;
		expect(CATALOG.findModel(model)?.supports.json_schema).toBe(true);
		const judged = upstream.requests.filter(({ headers }) => headers.get(STAGE_HEADER)?.startsWith("rank judge"));
		for (const { body } of judged) expect(JSON.stringify(body)).toMatch(/"properties":\{"reason":.*"winner":/);
	});

	it("a mixture under depth has a second layer of proposers, which is in bound and receipt", async () => {
		const answer = await orchestrated(PROSE, { strategy: "ensemble_moa", policy: "depth", k: 3 });
		expect(answer.svc.stages?.map(({ name }) => name)).toEqual(["propose", "propose:1", "aggregate", "agree"]);
		expect(stageOf(answer, "propose:1")).toMatchObject({
			results: [{ role: "proposer", ok: true }, { ok: true }, { ok: true }],
			detail: { proposals: 3, kept: 0 },
		});
		const { receipt } = await proofOf(answer.id);
		expect(receipt).toMatchObject({
			stages: [{ name: "propose" }, { name: "propose:1" }, { name: "aggregate" }, { name: "agree" }],
		});
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
		const limit = answer.svc.cost.bound_usd * 0.6;
		const short = await orchestrated(PROSE, { strategy: "ensemble_moa", policy: "depth", k: 3, max_cost_usd: limit });
		expect(short.reason).toContain("1 of 2 rounds, to stay within max_cost_usd");
		expect(stageOf(short, "propose").results).toHaveLength(3);
	});

	it("a panel under depth is the same after one failed call of a member", async () => {
		let failures = 0;
		upstream.replace(async () => (failures-- > 0 ? new Response("", { status: 500 }) : undefined));
		const members = async () =>
			stageOf(await orchestrated(PROSE, { strategy: "ensemble_moa", policy: "depth" }), "propose").results.map(
				({ model }) => model,
			);
		const before = await members();
		failures = 1;
		const [model = ""] = before;
		const answered = await callWithKey(key.key, "/v1/chat/completions", { model, messages: messages("hi") });
		expect(answered.status).toBe(200);
		const preview = await callWithKey(key.key, "/v1/route", { model, prompt: "hi" });
		expect(await preview.json()).toMatchObject({ observed: { failure_share: { [model]: expect.any(Number) } } });
		expect(await members()).toEqual(before);
	});

	it("a debate that finds consensus stops, and one that finds none is judged", async () => {
		const found = await orchestrated(SUM, { strategy: "debate", policy: "depth" });
		expect(stageOf(found, "judge")).toMatchObject({ results: [], detail: { rounds: 1, consensus: true } });
		const open = await orchestrated(`[[disagree]] ${SUM}`, { strategy: "debate", policy: "depth" });
		expect(stageOf(open, "judge")).toMatchObject({
			results: [{ role: "judge" }],
			detail: { rounds: 3, consensus: false },
		});
	});

	it("samples are voted on by their final answers", async () => {
		const answer = await orchestrated(SUM, { strategy: "self_consistency", k: 4 });
		expect(stageOf(answer, "vote").detail).toMatchObject({ votes: [{ answer: "42", votes: 4 }] });
		expect(answer.choices[0].message.content).toContain("42");
	});

	it("members come from different providers", async () => {
		const answer = await orchestrated(PROSE, { strategy: "ensemble_moa", k: 5 });
		const providers = stageOf(answer, "propose").results.map(({ model }) => CATALOG.findModel(model)?.provider);
		expect(new Set(providers).size).toBe(5);
	});

	it("subtasks wait for those they need, and only for those", async () => {
		const content = "Please do this:\n1. Name a river.\n2. Name a mountain.\n3. Then write a line based on that river.";
		const answer = await orchestrated(content, { strategy: "decompose_and_route" });
		expect(stageOf(answer, "subtasks").detail).toMatchObject({
			plan: "split",
			waves: 2,
			tree: [
				{ id: "1", depends_on: [] },
				{ id: "2", depends_on: [] },
				{ id: "3", depends_on: ["2"] },
			],
		});
	});

	it("a judge's malformed JSON is repaired once, and given up then", async () => {
		const repaired = await orchestrated(`[[malformed json]] ${PROSE}`, { strategy: "rank_fuse" });
		expect(stageOf(repaired, "rank").results.filter(({ role }) => role === "judge")).toHaveLength(12);
		expect(stageOf(repaired, "rank").detail).toMatchObject({ unreadable: 0 });
		const never = await orchestrated(`[[never json]] ${PROSE}`, { strategy: "rank_fuse" });
		expect(stageOf(never, "rank").detail).toMatchObject({ unreadable: 6, rankings: [{ win_share: null }, {}, {}] });
		const unplanned = await orchestrated(`[[never json]] ${PROSE}`, { strategy: "decompose_and_route" });
		expect(stageOf(unplanned, "subtasks").detail).toMatchObject({ plan: "unusable" });
		expect(unplanned.choices[0].message.content).not.toBe("");
	});

	it("the judge that is asked for judges, and one that is none is ignored", async () => {
		const [judge] = CATALOG.models;
		if (!judge) throw new Error("no model");
		const answer = await orchestrated(PROSE, { strategy: "ensemble_moa", judge_model: judge.id });
		expect(stageOf(answer, "aggregate").results[0]?.model).toBe(judge.id);
		expect(answer.reason).not.toContain("judge_model");
		const ignored = await orchestrated(PROSE, { strategy: "ensemble_moa", judge_model: "nobody" });
		expect(ignored.reason).toContain("judge_model nobody may not serve here and was ignored");
		expect(ignored.svc.orchestration.reason).toBe(ignored.reason);
	});

	it("that the cost is the bound where no usage was reported", async () => {
		const answer = await orchestrated(`[[no usage]] ${PROSE}`, { strategy: "ensemble_moa" });
		expect(answer.svc.cost).toMatchObject({ estimated: true, basis: "bound" });
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
		expect((await proofOf(answer.id)).receipt).toMatchObject({ estimated: true });
	});

	it("no stages without a trace", async () => {
		expect((await orchestrated("hi", { include_trace: false })).svc.stages).toBeUndefined();
	});
});

describe("an answer that reaches its output limit", () => {
	it("is continued once, within the bound and in the receipt", async () => {
		const answer = await orchestrated(PROSE, { strategy: "single", max_tokens: 10 });
		expect(answer.choices[0].message.content).toMatch(/and so on\.$/);
		expect(answer.svc).not.toHaveProperty("truncated");
		expect(answer.svc.stages?.map(({ name }) => name)).toEqual(["answer", "continue"]);
		expect(stageOf(answer, "continue")).toMatchObject({
			results: [{ role: "answerer", ok: true }],
			detail: { how: "continued" },
		});
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
		const { receipt } = await proofOf(answer.id);
		expect(receipt).toMatchObject({
			cost_usd: answer.svc.cost.total_usd,
			output_hash: saltedHash(answer.svc.proof.salt, answer.choices[0].message.content),
		});
	});

	it("is delivered as cut, with a warning, where the money covers no more", async () => {
		const answer = await orchestrated(PROSE, { strategy: "single", max_tokens: 10, max_cost_usd: 1e-9 });
		const message =
			"the answer was cut at its output limit, and could not be continued: raise max_tokens or max_cost_usd";
		const cut = { code: "truncated", param: "max_tokens" };
		expect(answer.svc).toMatchObject({ truncated: true, warnings: [{ ...cut, message }] });
		const none = await orchestrated("[[long 3000]]", { strategy: "single", max_cost_usd: 1e-9 });
		const unnamed = "the answer was cut at 1024 tokens, the default, and could not be continued: set max_tokens";
		expect(none.svc).toMatchObject({ truncated: true, warnings: [{ ...cut, message: unnamed }] });
		expect(resultsOf(answer)).toHaveLength(1);
	});

	it("agrees with nothing: a cascade climbs", async () => {
		const answer = await orchestrated(PROSE, { strategy: "cascade", max_tokens: 10 });
		expect(answer.svc.orchestration).toMatchObject({ escalated: true, agreement: 0 });
	});
});

describe("a blank answer", () => {
	it("is a failure, and two of them are two", async () => {
		const response = await post(`[[empty]] ${PROSE}`, { strategy: "self_consistency", k: 2 });
		expect(response.status).toBe(502);
		expect(await response.json()).toMatchObject({ error: "all_models_failed" });
	});
});

describe("an orchestration that fails after a stage that served", () => {
	it("says what all of it has cost", async () => {
		const split = vi.spyOn(ensembleMoa, "run").mockImplementationOnce(async (task, cast, engine) => {
			await engine.ask(ensembleMoa.callGraph(task, cast).slice(0, 1));
			return fail({ reason: "all_models_failed", attempts: ["nobody"], costUsd: 0, retryAfterMs: null });
		});
		const response = await post(PROSE, { strategy: "ensemble_moa" });
		split.mockRestore();
		const { total_cost_usd } = await usageOf(key);
		expect(total_cost_usd).toBeGreaterThan(0);
		expect([response.status, await response.json()]).toMatchObject([
			502,
			{ error: "all_models_failed", cost_usd: total_cost_usd },
		]);
	});
});

describe("a subtask whose model fails", () => {
	it("is answered by another member, also by a dearer one", async () => {
		const parts = "1. What is 3 + 4?\n2. What is 5 + 6?";
		const strategy = { strategy: "decompose_and_route", judge_model: "claude-opus-5-5" };
		const routedIn = (answer: Orchestration) =>
			stageOf(answer, "subtasks").results.filter(({ role }) => role === "subtask");
		const [routed] = routedIn(await orchestrated(parts, strategy));
		const provider = CATALOG.findModel(routed?.model ?? "")?.provider;
		const answer = await orchestrated(`${parts} [[status 503 @${provider}]]`, strategy);
		expect(routedIn(answer).filter(({ ok }) => ok)).toHaveLength(2);
		expect(stageOf(answer, "subtasks").results.some(({ ok }) => !ok)).toBe(true);
	});
});

describe("an orchestrator that raises", () => {
	it("says 502, and what was spent by then is settled", async () => {
		const raising = vi.spyOn(ensembleMoa, "run").mockImplementationOnce(async (task, cast, engine) => {
			await engine.ask(ensembleMoa.callGraph(task, cast).slice(0, 1));
			throw new Error("a bug");
		});
		const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
		const response = await post(PROSE, { strategy: "ensemble_moa" });
		expect([response.status, await response.json()]).toMatchObject([502, { error: "orchestration_error" }]);
		expect(logged.mock.calls.flat().join()).toContain("orchestration_failed");
		raising.mockRestore();
		logged.mockRestore();
		const usage = await usageOf(key);
		expect(usage).toMatchObject({ total_requests: 1 });
		expect(usage.total_cost_usd).toBeGreaterThan(0);
		const [row] = usage.recent;
		expect((await proofOf(row?.request_id ?? "")).receipt).toMatchObject({
			outcome: "cut",
			cost_usd: usage.total_cost_usd,
		});
	});
});

describe("the plan", () => {
	it("is one model where one is enough, and says so", async () => {
		const answer = await orchestrated("hi", { policy: "balanced" });
		expect(answer.strategy).toBe("single");
		expect(answer.reason).toContain("one model is enough");
		expect((await usageOf(key)).by_mode).toMatchObject({ balanced: { requests: 1 } });
	});

	it.each(STRATEGIES)("honours response_format in the final answer of %s", async (strategy) => {
		const schema = { type: "object", properties: { total_of_both: { type: "integer" } }, required: ["total_of_both"] };
		const response_format = { type: "json_schema", json_schema: { name: "sum", schema } };
		const answer = await orchestrated(SUM, { strategy, response_format });
		expect(JSON.parse(answer.choices[0].message.content)).toEqual({ total_of_both: 1 });
		expect(answer.svc.format_met).toBe(true);
		const formed = upstream.requests.filter(({ body }) =>
			/"total_of_both":\{"type":"integer"/i.test(JSON.stringify(body)),
		);
		const stages = formed.map(({ headers }) => headers.get(STAGE_HEADER)?.split(" ")[1]);
		const others = new Set(strategy === "debate" ? [] : ["judge", "planner"]);
		expect(stages.length).toBeGreaterThan(0);
		expect(stages.filter((role) => others.has(role ?? ""))).toEqual([]);
		expect(JSON.stringify(upstream.requests.map(({ body }) => body))).not.toContain("Final answer: <the answer");
	});

	it("warns of what it cannot honour, and refuses what would change the answer's form", async () => {
		const plain = await orchestrated(SUM);
		expect(plain.svc.warnings).toEqual([]);
		const answer = await orchestrated(SUM, { seed: 7, stop: ["x"], tools: [], model: "auto" });
		expect(answer.svc.warnings.map(({ code, param }) => [code, param])).toEqual([
			["parameter_dropped", "seed"],
			["parameter_dropped", "stop"],
		]);
		upstream.requests.length = 0;
		const refused = await post(SUM, { tools: [{ type: "function", function: { name: "f" } }], n: 2 });
		expect([refused.status, await refused.json()]).toMatchObject([
			422,
			{ error: "invalid_request", issues: [{ path: "tools" }, { path: "n" }] },
		]);
		expect(upstream.requests).toEqual([]);
	});

	it("counts reasoning in the bound, and gives it up first where money is short", async () => {
		const asked = { strategy: "rank_fuse", policy: "depth" };
		const roomy = (await orchestrated(PROSE, asked)).svc.cost.bound_usd;
		// Room for continuing a cut answer is in the bound only where the limit covers it.
		const chosen = (await orchestrated(PROSE, { ...asked, max_cost_usd: 0.95 * roomy })).svc.cost.bound_usd;
		const short = await orchestrated(PROSE, { ...asked, max_cost_usd: 0.98 * chosen });
		expect(short.reason).toContain("without reasoning more than the models must, to stay within max_cost_usd");
		expect(resultsOf(short).length).toBeGreaterThan(4);
		expect(short.svc.cost.bound_usd).toBeLessThan(0.98 * chosen);
	});

	it("sends the client's effort to every model, and warns where one lacks it", async () => {
		const high = await orchestrated(PROSE, { strategy: "rank_fuse", reasoning_effort: "high" });
		expect(high.svc.cost.total_usd).toBeLessThanOrEqual(high.svc.cost.bound_usd);
		expect(high.svc.warnings.filter(({ param }) => param !== "reasoning_effort")).toEqual([]);
		const most = await orchestrated(PROSE, { strategy: "rank_fuse", reasoning_effort: "max" });
		expect(most.svc.warnings).toContainEqual(
			expect.objectContaining({ code: "parameter_changed", param: "reasoning_effort" }),
		);
		expect((await post(SUM, { reasoning_effort: "much" })).status).toBe(422);
	});

	it("samples one model twice at temperature 0 only with a warning", async () => {
		const alone = { strategy: "self_consistency", temperature: 0, k: 3 };
		const warned = (answer: Orchestration) => answer.svc.warnings.filter(({ code }) => code === "parameter_changed");
		const varied = await orchestrated(SUM, alone);
		expect(new Set(varied.svc.orchestration.models_used).size).toBe(3);
		expect(warned(varied)).toEqual([]);
		const compliance = {
			provider_allowlist: [CATALOG.findModel(varied.svc.orchestration.models_used[0] ?? "")?.provider],
		};
		const repeated = await orchestrated(SUM, { ...alone, k: 8, compliance });
		expect(new Set(repeated.svc.orchestration.models_used).size).toBeLessThan(8);
		expect(warned(repeated)).toMatchObject([{ param: "temperature" }]);
	});

	it("shrinks under max_cost_usd and says so, down to one cheapest call that always runs", async () => {
		const whole = await orchestrated(SUM, { strategy: "debate" });
		const bound = whole.svc.cost.bound_usd;
		const smaller = await orchestrated(SUM, { strategy: "debate", max_cost_usd: bound / 2 });
		expect(smaller.svc.cost.bound_usd).toBeLessThanOrEqual(bound / 2);
		expect(smaller.reason).toContain("to stay within max_cost_usd");
		const least = await orchestrated(SUM, { strategy: "debate", max_cost_usd: 1e-9 });
		expect(least).toMatchObject({ strategy: "single", usage: { prompt_tokens: expect.any(Number) } });
		expect(resultsOf(least)).toHaveLength(1);
		expect(least.reason).toContain("the cheapest model alone, though it may cost more than max_cost_usd");
	});

	it("is a better model where the money is for more than the cheapest", async () => {
		const least = await orchestrated(SUM, { strategy: "debate", max_cost_usd: 1e-9 });
		const cheap = await orchestrated(SUM, { strategy: "debate", max_cost_usd: 0.002 });
		expect(cheap).toMatchObject({ strategy: "single", reason: expect.stringContaining("a cheaper model alone") });
		expect(cheap.svc.orchestration.models_used).not.toEqual(least.svc.orchestration.models_used);
		expect(cheap.svc.cost.bound_usd).toBeLessThanOrEqual(0.002);
	});

	it("lets a cascade climb only as far as the money reaches", async () => {
		const whole = await orchestrated(`[[disagree]] ${PROSE}`, { strategy: "cascade" });
		// Less than the worst case of its last step.
		const limit = whole.svc.cost.bound_usd * 0.006;
		const answer = await orchestrated(`[[disagree]] ${PROSE}`, { strategy: "cascade", max_cost_usd: limit });
		expect(answer.svc.cost.bound_usd).toBeLessThanOrEqual(limit);
		expect(resultsOf(answer).length).toBeLessThan(resultsOf(whole).length);
		expect(stageOf(answer, "step:0").detail).toMatchObject({ stopped_by: "budget" });
	});

	it("is refused where the config's max_cost covers not even the cheapest call", async () => {
		const dear = await post(PROSE, { brain_config: { max_cost: 1e-9 } });
		expect(dear.status).toBe(402);
		expect(await dear.json()).toMatchObject({ error: "cost_limit_exceeded", scope: "max_cost" });
		expect(upstream.requests).toEqual([]);
	});

	it("never goes above the limit of a guarded plan", async () => {
		const personal = await newKey("personal");
		const answer = await orchestrated(
			PROSE,
			{ strategy: "rank_fuse", policy: "depth", k: 8, max_tokens: 4_096 },
			personal,
		);
		expect(answer.svc.cost.bound_usd).toBeLessThanOrEqual(0.5);
		expect(answer.reason).toContain("to stay within the plan's limit");
	});
});

describe("who may take part", () => {
	it("no model that the plan does not have, judges included", async () => {
		const free = await newKey("free");
		for (const strategy of ["ensemble_moa", "rank_fuse", "debate"]) {
			const answer = await orchestrated(PROSE, { strategy, judge_model: "claude-opus-5-5" }, free);
			for (const { model } of resultsOf(answer)) expect(CATALOG.freeModels).toContain(model);
		}
	});

	it("nobody that the config blocks; which model it names decides for a lone answer only", async () => {
		const named = CATALOG.models.find(({ tier }) => tier === "premium");
		if (!named) throw new Error("no premium model");
		const brain_config = { model: named.id, blocked: ["openai"] };
		const lone = await orchestrated(PROSE, { strategy: "single", brain_config: { model: named.id } });
		expect(lone.svc.orchestration.models_used).toEqual([named.id]);
		const panel = await orchestrated(SUM, { strategy: "self_consistency", k: 3, brain_config });
		expect(panel.svc.orchestration.models_used.length).toBe(3);
		for (const model of panel.svc.orchestration.models_used)
			expect(CATALOG.findModel(model)?.provider).not.toBe("openai");
		const nobody = await post(PROSE, { brain_config: { blocked: ["*"] } });
		expect(nobody.status).toBe(403);
	});

	it("nobody that the compliance policy bars, and what it decided and attests is shown", async () => {
		const allowed = CATALOG.providers.slice(0, 4).map(({ id }) => id);
		const compliance = { provider_allowlist: allowed };
		const answer = await orchestrated(PROSE, { strategy: "rank_fuse", compliance });
		for (const { model } of resultsOf(answer)) expect(allowed).toContain(CATALOG.findModel(model)?.provider);
		expect(answer.svc.compliance).toMatchObject({ policy_active: true, excluded: expect.any(Object) });
		const seen = [...new Set(resultsOf(answer).map(({ model }) => model))].sort();
		expect(answer.svc.proof.compliance).toMatchObject({ type: "svc.attestation.v1", models: seen });
		const { receipt } = await proofOf(answer.id);
		expect(receipt["compliance"]).toEqual(answer.svc.proof.compliance);
		expect((await orchestrated("hi")).svc.compliance).toBeUndefined();

		const blocked = await post(PROSE, {
			compliance: { provider_allowlist: ["mistral"], provider_denylist: ["mistral"] },
		});
		expect(blocked.status).toBe(403);
		expect(await blocked.json()).toMatchObject({ error: "compliance_blocked" });
	});

	it("nobody without a provider key", async () => {
		const bare = Object.fromEntries(CATALOG.providers.map(({ env_prefix }) => [`${env_prefix}_API_KEY`, ""]));
		const response = await callWith(
			bare as Partial<Env>,
			"/v2/orchestrate",
			withKey(key.key, { messages: messages("hi") }),
		);
		expect(response.status).toBe(503);
		expect(await response.json()).toMatchObject({ error: "no_provider_available" });
	});
});

describe("a stream", () => {
	it("tells of stages and calls, and ends with the object that an unstreamed answer is", async () => {
		const response = await post(SUM, { strategy: "self_consistency", k: 3, stream: true });
		expect(response.headers.get("content-type")).toContain("text/event-stream");
		const events = eventsOf(await response.text());
		const progress = events.filter(({ event }) => event === "progress").map(({ data }) => JSON.parse(data));
		expect(progress[0]).toMatchObject({ type: "planned", strategy: "self_consistency" });
		expect(progress[1]).toEqual({ type: "stage_started", stage: "sample" });
		expect(progress.filter(({ type }) => type === "call_finished")).toHaveLength(3);
		const last = events.at(-1);
		expect(last?.event).toBe("result");
		const answer = orchestrationSchema.parse(JSON.parse(last?.data ?? ""));
		expect(await proofOf(answer.id)).toMatchObject({ valid: true });
	});

	it("ends with the error and its status where nobody answers", async () => {
		const response = await post(`[[status 503]] ${SUM}`, { strategy: "self_consistency", stream: true });
		expect(response.status).toBe(200);
		const last = eventsOf(await response.text()).at(-1);
		expect(last?.event).toBe("error");
		expect(JSON.parse(last?.data ?? "")).toMatchObject({ error: "all_models_failed", status: 502 });
	});

	it("that is refused before any call is an ordinary error response", async () => {
		const response = await post(PROSE, { stream: true, brain_config: { max_cost: 1e-9 } });
		expect([response.status, await response.json()]).toMatchObject([402, { error: "cost_limit_exceeded" }]);
	});

	it("that its client leaves stops its calls and is settled", async () => {
		const leaving = new AbortController();
		const response = await callWith({}, "/v2/orchestrate", {
			...withKey(key.key, { messages: messages(`[[think 5000]] ${PROSE}`), strategy: "ensemble_moa", stream: true }),
			signal: leaving.signal,
		});
		await eventually(async () => upstream.answered >= 3);
		leaving.abort();
		await response.body?.cancel().catch(() => undefined);
		await eventually(async () => (await usageOf(key)).total_requests === 1);
		const [row] = (await usageOf(key)).recent;
		await eventually(async () => (await proofOf(row?.request_id ?? "")).valid);
		expect((await proofOf(row?.request_id ?? "")).receipt).toMatchObject({ outcome: "client_closed", estimated: true });
		expect(upstream.requests).toHaveLength(3);
	});
});

describe("a body", () => {
	it.each([
		[{ messages: [] }, 400, "no_messages"],
		[{}, 400, "no_messages"],
		[{ messages: messages("  ") }, 400, "no_messages"],
		[{ messages: messages("hi"), k: 9 }, 422, "invalid_request"],
		[{ messages: messages("hi"), strategy: "guess" }, 422, "invalid_request"],
		[{ messages: messages("hi"), max_cost_usd: 0 }, 422, "invalid_request"],
		[{ messages: messages("hi"), temperature: 2.1 }, 422, "invalid_request"],
		[{ messages: messages("hi"), max_tokens: 10_000_000 }, 422, "invalid_request"],
		[{ messages: [{ role: "tool", content: "hi" }] }, 422, "invalid_request"],
	])("%j is refused with %s %s", async (body, status, error) => {
		const response = await callWithKey(key.key, "/v2/orchestrate", body);
		expect([response.status, await response.json()]).toMatchObject([status, { error }]);
		expect(upstream.requests).toEqual([]);
	});
});

describe("models that do not answer", () => {
	const OPEN = "Name three things that a lighthouse keeper needs in winter.";

	it.each(["unwilling", "filtered", "toolless"])(
		"all of them, %s: the refusal is delivered, and counts nothing",
		async (word) => {
			const answer = await orchestrated(`${OPEN} [[${word}]]`, { strategy: "single" });
			expect(answer.svc).toMatchObject({
				refused: true,
				orchestration: { confidence: 0, confidence_basis: "self_report", agreement: 0 },
			});
			expect(upstream.answered).toBe(2);
			const used = answer.svc.orchestration.models_used;
			expect(new Set(used).size).toBe(2);
			expect(answer.svc.cost.bound_usd).toBeGreaterThanOrEqual(answer.svc.cost.total_usd);
		},
	);

	it("the only one asked: one other model answers, within the bound and in the receipt", async () => {
		const refusal = "I'm sorry, but I can't assist with that request.";
		// The providers of the others answer in formats of their own.
		const alone = { strategy: "single", brain_config: { blocked: ["anthropic", "google"] } };
		const plain = await orchestrated(OPEN, alone);
		const [first = ""] = plain.svc.orchestration.models_used;
		const upstreamModel = CATALOG.findModel(first)?.upstream_model;
		upstream.replace(async (request) => {
			const { model } = (await request.json()) as { model: string };
			return model === upstreamModel ? answers(refusal) : undefined;
		});
		const answer = await orchestrated(OPEN, alone);
		expect(answer.svc.refused).toBeUndefined();
		expect(answer.svc.orchestration).toMatchObject({ escalated: true });
		expect(answer.svc.orchestration.confidence).toBeGreaterThan(0);
		const [asked, other, ...more] = resultsOf(answer);
		expect([asked, other, more]).toMatchObject([{ model: first, ok: true, confidence: 0 }, { ok: true }, []]);
		expect(other?.model).not.toBe(first);
		expect(answer.choices[0].message.content).toContain(CATALOG.findModel(other?.model ?? "")?.upstream_model);
		expect(stageOf(answer, "continue").detail).toEqual({
			...{ how: "another model answered", instead_of: first, why: "it refused" },
		});
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
		expect(nano(answer.svc.cost.total_usd)).toBe(nano(asked?.cost_usd ?? 0) + nano(other?.cost_usd ?? 0));
		expect((await proofOf(answer.id)).receipt).toMatchObject({
			cost_usd: answer.svc.cost.total_usd,
			stages: [{ name: "answer" }, { name: "continue", results: [{ model: other?.model }] }],
		});
	});

	it("who puts answers together: the best proposal is delivered", async () => {
		const answer = await orchestrated(`${SUM} [[unwilling aggregate]]`, { strategy: "ensemble_moa" });
		expect(answer.svc.refused).toBeUndefined();
		expect(answer.choices[0].message.content).not.toContain("can't assist");
		expect(stageOf(answer, "aggregate")?.detail).toMatchObject({
			how: expect.stringContaining("the aggregator failed"),
		});
	});

	it.each(["blank", "overloaded", "thinking"])("%s: what is there is no answer", async (word) => {
		const response = await post(`${OPEN} [[${word}]]`, { strategy: "single" });
		expect(response.status).toBe(502);
		const { total_cost_usd } = await usageOf(key);
		expect(await response.json()).toMatchObject({
			error: "all_models_failed",
			attempts: [expect.any(String), expect.any(String)],
			cost_usd: total_cost_usd,
		});
		const other = await orchestrated(`${OPEN} [[${word} answer]]`, { strategy: "single" });
		expect(stageOf(other, "continue").detail).toMatchObject({ how: "another model answered" });
		expect(other.svc.orchestration.confidence).toBeGreaterThan(0);
	});

	it("an echo is delivered with a confidence of 0, and is no refusal", async () => {
		const answer = await orchestrated(`${OPEN} [[echo]]`, { strategy: "single" });
		expect(answer.svc.orchestration).toMatchObject({ confidence: 0, confidence_basis: "verified" });
		expect(answer.svc.refused).toBeUndefined();
	});
});

describe("confidence", () => {
	const UNPROVEN = "Prove the Riemann hypothesis";
	const SCHEMA = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };

	/** Every model says the same, whatever it is asked. */
	function allSay(text: string): Record<string, unknown> {
		upstream.replace(async () => answers(text));
		return { brain_config: { blocked: NOT_OPENAI_FORMAT } };
	}

	it.each([undefined, ...STRATEGIES])("in a number that proves nothing is low, by %s", async (strategy) => {
		for (const policy of strategy ? ["balanced"] : ["efficiency", "balanced", "depth"]) {
			const answer = await orchestrated(UNPROVEN, { policy, strategy, ...allSay("42") });
			expect(answer.choices[0].message.content).toBe("42");
			expect(answer.svc.orchestration.confidence).toBeLessThanOrEqual(0.3);
		}
	});

	it("in an open answer by one model is 0.6 at most where the prompt is hard, and 0.8 where it is easy", async () => {
		const said = "Let them be 2m and 2n. Their sum is 2(m + n), which is even, as was to be shown.";
		const argued = "Show that the sum of two even numbers is even.";
		const hard = await orchestrated(argued, { strategy: "single", ...allSay(said) });
		expect(hard.svc.orchestration).toMatchObject({ confidence: 0.6, confidence_basis: "prior" });
		const hardest = await orchestrated(UNPROVEN, { strategy: "single", ...allSay(said) });
		expect(hardest.svc.orchestration.confidence).toBeLessThan(0.6);
		const easy = await orchestrated(PROSE, { strategy: "single" });
		expect(easy.svc.orchestration.confidence).toBeLessThanOrEqual(0.8);
		expect(easy.svc.orchestration.confidence).toBeGreaterThan(hard.svc.orchestration.confidence);
	});

	it("in an answer that says it cannot know is low by its own word", async () => {
		const more = { strategy: "ensemble_moa", ...allSay("It is not known what you dreamt of last night.") };
		const answer = await orchestrated("Describe in one sentence what I dreamt of last night.", more);
		expect(answer.svc.orchestration).toMatchObject({ agreement: 1, confidence_basis: "self_report" });
		expect(answer.svc.orchestration.confidence).toBeLessThanOrEqual(0.3);
	});

	it("in an answer that no other agrees with is its share of the votes at most", async () => {
		const answer = await orchestrated(`[[disagree]] ${FACT}`, { strategy: "self_consistency", k: 3 });
		expect(answer.svc.orchestration).toMatchObject({ agreement: 0, confidence_basis: "agreement" });
		expect(answer.svc.orchestration.confidence).toBeLessThanOrEqual(0.4);
	});

	it("in plain arithmetic is verified, right or wrong", async () => {
		const asked = { strategy: "single", ...allSay("Final answer: 42") };
		const right = await orchestrated(SUM, asked);
		expect(right.svc.orchestration).toMatchObject({ confidence: 0.99, confidence_basis: "verified" });
		const wrong = await orchestrated("What is 17 + 26?", asked);
		expect(wrong.svc.orchestration).toMatchObject({ confidence: 0.01, confidence_basis: "verified" });
	});

	it("in JSON by a schema is verified as far as the form goes, and low where the form is not met", async () => {
		const response_format = { type: "json_schema", json_schema: { name: "sum", schema: SCHEMA } };
		const asked = (text: string) =>
			orchestrated("Give the sum of my bill as JSON.", { strategy: "single", response_format, ...allSay(text) });
		const met = await asked('{"sum": 17}');
		expect(met.svc.orchestration.confidence_basis).toBe("verified");
		expect(met.svc.orchestration.confidence).toBeGreaterThan(0.3);
		const unmet = await asked('{"total": "17"}');
		expect(unmet.svc.orchestration.confidence_basis).toBe("verified");
		expect(unmet.svc.orchestration.confidence).toBeLessThanOrEqual(0.3);
	});

	it("says what it rests on beside every answer, and never in what is hashed", async () => {
		const answer = await orchestrated(PROSE, { strategy: "rank_fuse" });
		expect(answer.svc.orchestration.confidence_basis).toBe("judge");
		expect(stageOf(answer, "rank").results.map(({ confidence_basis }) => confidence_basis)).toContain("verified");
		const proof = await proofOf(answer.id);
		expect(proof.valid).toBe(true);
		expect(JSON.stringify(proof.receipt)).not.toContain("basis");
	});
});
