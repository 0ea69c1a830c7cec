// Code mode through the front door: what passes, what is repaired, where it stops, what it costs, and what its receipt proves.
import { describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { type CodeAnswer, codeSchema } from "../../src/code-mode/response.ts";
import { hashObject } from "../../src/proof/hash.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { DONE, finish, ROLE, says, word } from "../support/scripted.ts";
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

const TASK = "Write a Python function that adds two numbers.";

function post(task: string, more: Record<string, unknown> = {}, by: TestKey = key): Promise<Response> {
	return callWithKey(by.key, "/v2/code", { task, ...more });
}

/** An answer that must have come with status 200 and in its schema. */
async function coded(task: string, more: Record<string, unknown> = {}, by?: TestKey): Promise<CodeAnswer> {
	const response = await post(task, more, by);
	const body = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
	return codeSchema.parse(body);
}

const stageNames = ({ svc }: CodeAnswer) => svc.stages?.map(({ name }) => name);
const providerOf = (model: string | null | undefined) => CATALOG.findModel(model ?? "")?.provider;

describe("a run", () => {
	it("that passes at once has one cycle, two models of two providers, and the sandbox's mark", async () => {
		const response = await post(TASK);
		expect([response.status, response.headers.get("x-svc-sandbox")]).toEqual([200, "1"]);
		const answer = codeSchema.parse(await response.json());
		expect(answer).toMatchObject({
			task: TASK,
			language: "python",
			policy: "balanced",
			passed: true,
			iterations: 1,
			files: [{ path: "main.py", language: "python" }],
			review: { passed: true, issues: [] },
			svc: { code: { passed: true, language: "python", iterations: 1 }, cost: { basis: "provider_usage" } },
		});
		expect(answer.files[0]?.bytes).toBe(new TextEncoder().encode(answer.files[0]?.content).length);
		const { coder_models, reviewer_model, models_used, confidence, score } = answer.svc.code;
		expect(models_used).toEqual([...coder_models, reviewer_model]);
		expect(providerOf(reviewer_model)).not.toBe(providerOf(coder_models[0]));
		expect([answer.review?.reviewer, confidence]).toEqual([reviewer_model, score]);
		expect(answer.svc.code.confidence_basis).toBe("judge");
		expect(stageNames(answer)).toEqual(["plan", "generate:0", "review:0"]);
		expect(stageOf(answer, "plan")).toMatchObject({
			results: [],
			detail: { language: "python", coders: coder_models, reviewer: reviewer_model, max_iters: 3 },
		});
		expect(resultsOf(answer).map(({ role }) => role)).toEqual(["coder", "reviewer"]);
	});

	it("that is flawed is repaired with the issues, and passes", async () => {
		const answer = await coded(`${TASK} [[flawed]]`);
		expect(answer).toMatchObject({ passed: true, iterations: 2, review: { issues: [] } });
		expect(stageNames(answer)).toEqual(["plan", "generate:0", "review:0", "generate:1", "review:1"]);
		expect(stageOf(answer, "review:0").detail).toMatchObject({ reviews: [{ passed: false, score: 0.4 }] });
		const repair = JSON.stringify(upstream.requests[2]?.body);
		expect(repair).toContain("main.py: a line says of itself that it is wrong");
		expect(repair).toContain("hello from the sandbox");
		expect(answer.files[0]?.content).not.toContain("this line is wrong");
		expect(answer.reason).toContain("after 2 cycles it passed the review");
	});

	it.each(["unbalanced", "left out", "escaping"])(
		"whose first draft is %s is repaired without asking a critic about it",
		async (word) => {
			const answer = await coded(`${TASK} [[${word}]]`);
			expect(answer).toMatchObject({ passed: true, iterations: 2 });
			expect(stageOf(answer, "review:0")).toMatchObject({
				results: [],
				detail: { reviews: [{ by: "static checks" }] },
			});
			expect(answer.files.map(({ path }) => path)).toEqual(["main.py"]);
			expect(resultsOf(answer).map(({ role }) => role)).toEqual(["coder", "coder", "reviewer"]);
		},
	);

	it("that never passes stops at max_iters and says what is wrong", async () => {
		const answer = await coded(`${TASK} [[hopeless]]`, { max_iters: 2 });
		expect(answer).toMatchObject({ passed: false, iterations: 2, review: { passed: false, score: 0.4 } });
		expect(answer.review?.issues).toEqual(["main.py: a line says of itself that it is wrong"]);
		expect(answer.svc.code.confidence).toBe(0.2);
		expect(answer.reason).toContain("did not pass");
		expect((await coded(`${TASK} [[hopeless]]`, { max_iters: 1 })).iterations).toBe(1);
	});

	it("whose file stands in a plain fence is reviewed and delivered under the name that the task says", async () => {
		const answer = await coded("Write slug.py, a Python script. [[fenced]]");
		expect(answer).toMatchObject({ passed: true, iterations: 1, files: [{ path: "slug.py" }] });
		expect(answer.files[0]?.content).toContain("hello from the sandbox");
		expect(upstream.answered).toBe(2);
	});

	it("without a review is one call, judged by the static checks", async () => {
		const answer = await coded(TASK, { review: false, policy: "depth", max_iters: 5 });
		expect(answer).toMatchObject({ passed: true, review: null, iterations: 1 });
		expect(answer.svc.code).toMatchObject({ score: 1, confidence: 0.5, reviewer_model: null, static_issues: [] });
		expect(answer.svc.code.confidence_basis).toBe("prior");
		expect(stageOf(answer, "review:0").results).toEqual([]);
		expect(upstream.answered).toBe(1);
		const faulty = await coded(`${TASK} [[unbalanced]]`, { review: false });
		expect(faulty).toMatchObject({ passed: false, review: null, svc: { code: { score: 0, confidence: 0 } } });
		// A fault is a finding; that none was found proves nothing.
		expect(faulty.svc.code.confidence_basis).toBe("verified");
		expect(faulty.svc.code.static_issues?.[0]).toContain("never closed");
	});

	it("in depth has coders of different providers, and keeps the best by the critic's score", async () => {
		const answer = await coded(TASK, { policy: "depth" });
		const { coder_models, reviewer_model } = answer.svc.code;
		expect(new Set([...coder_models, reviewer_model].map(providerOf)).size).toBe(4);
		const { reviews, kept } = stageOf(answer, "review:0").detail as {
			reviews: { model: string; score: number }[];
			kept: string;
		};
		expect(reviews).toHaveLength(3);
		const best = Math.max(...reviews.map(({ score }) => score));
		expect(answer.svc.code.score).toBe(best);
		expect(reviews.find(({ model }) => model === kept)?.score).toBe(best);
		expect((await usageOf(key)).by_mode).toMatchObject({ quality: { requests: 1 } });
	});

	it("under efficiency is written by a cheap model", async () => {
		const [cheap, deep] = [await coded(TASK, { policy: "efficiency" }), await coded(TASK, { policy: "depth" })];
		const tiers = cheap.svc.code.coder_models.map((id) => CATALOG.findModel(id)?.tier);
		expect(tiers).toEqual(["budget"]);
		expect(cheap.svc.cost.bound_usd).toBeLessThan(deep.svc.cost.bound_usd);
	});

	it("shows no stages without a trace", async () => {
		expect((await coded(TASK, { include_trace: false })).svc.stages).toBeUndefined();
	});

	it("is in the language that is forced, and may have files in others", async () => {
		const answer = await coded(`${TASK} [[two files]]`, { language: "Rust" });
		expect(answer.language).toBe("rust");
		expect(answer.files.map(({ path, language }) => [path, language])).toEqual([
			["data/settings.json", "json"],
			["src/main.rs", "rust"],
		]);
	});
});

describe("a critic", () => {
	it("whose verdict is prose is asked for it once more, and passes nothing if it cannot be read", async () => {
		const repaired = await coded(`${TASK} [[malformed json]]`);
		expect(repaired).toMatchObject({ passed: true, iterations: 1 });
		expect(stageOf(repaired, "review:0").results).toHaveLength(2);
		const never = await coded(`${TASK} [[never json]]`, { max_iters: 1 });
		expect(stageOf(never, "review:0").results).toHaveLength(4);
		const models = stageOf(never, "review:0").results.map(({ model }) => model);
		expect(new Set(models).size).toBe(2);
		expect(never).toMatchObject({
			passed: false,
			review: { passed: false, score: 1, reviewer: "static checks" },
			svc: {
				code: { passed: false, score: 1, confidence: 0.5, reviewer_model: null },
				unreviewed: true,
				warnings: [{ code: "unreviewed", param: "review" }],
			},
		});
		expect(never.reason).toContain("it is unreviewed");
		expect(never.review?.issues).toEqual(["no reviewer gave a verdict that can be read, so the code is unreviewed"]);
		expect(repaired.svc).not.toHaveProperty("unreviewed");
	});

	it("in depth is confirmed by a second one", async () => {
		const answer = await coded(TASK, { policy: "depth" });
		const reviews = stageOf(answer, "review:0");
		expect(reviews.results).toHaveLength(4);
		expect(reviews.detail).toMatchObject({ confirmed: true });
		expect(new Set(reviews.results.map(({ model }) => model)).size).toBe(2);
	});
});

describe("a draft that reached its output limit", () => {
	it("is continued, within the bound and in the receipt", async () => {
		const answer = await coded(`${TASK} [[wordy]]`, { max_tokens: 110 });
		expect(answer).toMatchObject({ passed: true, iterations: 1, files: [{ path: "main.py" }] });
		expect(answer.svc).not.toHaveProperty("truncated");
		expect(stageNames(answer)).toEqual(["plan", "generate:0", "continue:0", "review:0"]);
		const [draft] = stageOf(answer, "generate:0").results;
		expect(stageOf(answer, "continue:0")).toMatchObject({
			results: [{ role: "coder", ok: true, model: draft?.model }],
			detail: { answers: [{ how: "continued" }] },
		});
		const { receipt } = await proofOf(answer.id);
		expect(receipt).toMatchObject({ models_used: answer.svc.code.models_used });
		expect(JSON.stringify(receipt)).toContain('"continue:0"');
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
		expect(JSON.stringify(upstream.requests[1]?.body)).toContain("cut off at its length limit");
	});

	it("and cannot be completed is delivered without the file that it left open, and says so", async () => {
		const answer = await coded(`${TASK} [[wordy]] [[two files]]`, { max_tokens: 152, review: false });
		expect(answer).toMatchObject({
			passed: false,
			svc: { truncated: true, code: { score: 0 }, warnings: [{ code: "truncated", param: "max_tokens" }] },
		});
		expect(answer.files.map(({ path }) => path)).toEqual(["main.py"]);
		expect(answer.svc.code.static_issues?.join()).toContain("data/settings.json");
	});
});

describe("models that cut, wrap and contradict themselves", () => {
	const openAi = CATALOG.providers.filter(({ wire }) => wire === "openai").map(({ id }) => id);
	const compliance = { provider_allowlist: openAi };
	/** A reply by stage and role. @param boundary as the coder was told it. */
	type StageSay = (stage: string, boundary: string, place: number) => { text: string; end?: "length" };

	function scriptedModels(say: StageSay): void {
		const places = new Map<string, number>();
		upstream.replace(async (request) => {
			const stage = request.headers.get("x-svc-stage")?.split(" ")[0] ?? "";
			const place = places.get(stage) ?? 0;
			places.set(stage, place + 1);
			const boundary = /<<<END ([0-9a-f]{8})>>>/.exec(await request.text())?.[1] ?? "";
			const { text, end } = say(stage, boundary, place);
			return says(ROLE, word(text), finish(end ?? "stop"), DONE);
		});
	}

	it("are continued at the seam, read leniently and repaired", async () => {
		scriptedModels((stage, boundary, place) => {
			const open = `<<<FILE ${boundary} add.py>>>\n`;
			const end = `<<<END ${boundary}>>>\n`;
			if (stage === "generate:0") return { text: `${open}def add(a, b):\n    retu`, end: "length" };
			if (stage === "continue:0")
				return { text: `Here is the rest of it:\n\n\`\`\`python\n    return a + b\n\`\`\`\n${end}` };
			if (stage === "generate:1") return { text: `${open}def add(a, b):\n    return b + a\n${end}` };
			if (stage === "review:0")
				return { text: 'It is fine: {"passed": "yes", "score": "9/10", "issues": "add.py: no types"}' };
			return place === 0 ? { text: "Looks good!" } : { text: '{"verdict": {"score": "90%", "issues": null}}' };
		});
		const answer = await coded(TASK, { compliance });
		expect(stageNames(answer)).toEqual(["plan", "generate:0", "continue:0", "review:0", "generate:1", "review:1"]);
		expect(answer).toMatchObject({ passed: true, iterations: 2, review: { score: 0.9, issues: [] } });
		expect(answer.files).toMatchObject([{ path: "add.py", content: "def add(a, b):\n    return b + a\n" }]);
		const repair = JSON.stringify(
			upstream.requests.find(({ headers }) => headers.get("x-svc-stage")?.startsWith("generate:1"))?.body,
		);
		expect(repair).toContain(JSON.stringify("def add(a, b):\n    return a + b").slice(1, -1));
		expect(repair).toContain("- add.py: no types");
	});

	it("in depth are believed where they are more cautious", async () => {
		scriptedModels((stage, boundary, place) => {
			if (!stage.startsWith("review"))
				return { text: `<<<FILE ${boundary} add.py>>>\nx = ${place}\n<<<END ${boundary}>>>` };
			return {
				text:
					place < 3
						? '{"passed": true, "score": 0.9, "issues": []}'
						: '{"passed": false, "score": 0.5, "issues": ["wrong"]}',
			};
		});
		const answer = await coded(TASK, { compliance, policy: "depth", max_iters: 1 });
		expect(answer).toMatchObject({ passed: false, review: { score: 0.5, issues: ["wrong"] } });
		expect(stageOf(answer, "review:0").detail).toMatchObject({ confirmed: false });
		const critics = stageOf(answer, "review:0").results.map(({ model }) => model);
		expect(answer.review?.reviewer).toBe(critics.at(-1));
		expect(answer.review?.reviewer).not.toBe(critics[0]);
	});
});

describe("preferred models", () => {
	const [coder, reviewer] = CATALOG.models.filter(({ tier }) => tier === "mid");

	it("write and review", async () => {
		const answer = await coded(TASK, { coder_model: coder?.id, reviewer_model: reviewer?.id });
		expect(answer.svc.code).toMatchObject({ coder_models: [coder?.id], reviewer_model: reviewer?.id });
	});

	it("that are none are ignored, and never does a model review its own code", async () => {
		const unknown = await coded(TASK, { coder_model: "nobody", reviewer_model: "nobody" });
		expect(unknown.reason).toContain("coder_model nobody may not serve here and was ignored");
		const same = await coded(TASK, { coder_model: coder?.id, reviewer_model: coder?.id });
		expect(same.svc.code.coder_models).toEqual([coder?.id]);
		expect(same.svc.code.reviewer_model).not.toBe(coder?.id);
	});
});

describe("the receipt", () => {
	it("can be recomputed with the task, the files and the stages", async () => {
		const answer = await coded(`${TASK} [[flawed]] [[two files]]`);
		const proof = await proofOf(answer.id);
		expect(proof).toMatchObject({ valid: true, signed: true, proof_hash: answer.svc.proof.proof_hash });
		expect(hashObject({ type: "", ...proof.receipt })).toBe(proof.proof_hash);
		const hash = (text: string) => saltedHash(answer.svc.proof.salt, text);
		const files = answer.files.map(({ path, language, bytes, content }) => ({
			path_hash: hash(path),
			language,
			bytes,
			hash: hash(content),
		}));
		expect(proof.receipt).toMatchObject({
			kind: "code",
			outcome: "complete",
			policy: "balanced",
			language: "python",
			passed: true,
			input_hash: hash(answer.task),
			output_hash: hash(canonical({ type: "svc.files.v2", files })),
			files,
			cost_usd: answer.svc.cost.total_usd,
			bound_usd: answer.svc.cost.bound_usd,
			confidence: answer.svc.code.confidence,
			models_used: answer.svc.code.models_used,
			stages: answer.svc.stages?.map(({ name, results }) => ({
				name,
				results: results.map(({ latency_ms: _, confidence_basis: __, ...result }) => ({
					...result,
					output_hash: expect.stringMatching(/^sha256:/),
				})),
			})),
		});
		for (const { path } of answer.files) expect(JSON.stringify(proof.receipt)).not.toContain(path);
		expect(JSON.stringify(proof.receipt)).not.toContain("hello from the sandbox");
	});

	it("says the same cost as usage, stages and answer", async () => {
		const answer = await coded(`${TASK} [[flawed]]`, { policy: "depth" });
		const sum = resultsOf(answer).reduce((total, { cost_usd }) => total + nano(cost_usd), 0);
		expect(nano(answer.svc.cost.total_usd)).toBe(sum);
		const usage = await usageOf(key);
		expect(usage).toMatchObject({ total_requests: 1, total_tokens: answer.usage.total_tokens });
		expect(usage.total_cost_usd).toBe(answer.svc.cost.total_usd);
		expect(usage.recent[0]).toMatchObject({ kind: "code" });
	});
});

describe("a run that comes to nothing", () => {
	it("is 502 no_code_produced when models answer without files, and what it cost is charged", async () => {
		const response = await post(`${TASK} [[no code]]`, { max_iters: 2 });
		expect([response.status, response.headers.get("x-should-retry")]).toEqual([502, "false"]);
		const body = (await response.json()) as { cost_usd: number };
		expect(body).toMatchObject({ error: "no_code_produced", attempts: expect.any(Array) });
		expect(body.cost_usd).toBeGreaterThan(0);
		const id = response.headers.get("x-request-id") ?? "";
		expect((await proofOf(id)).receipt).toMatchObject({ kind: "code", outcome: "cut", files: [], passed: false });
		expect((await usageOf(key)).total_cost_usd).toBeGreaterThan(0);
	});

	it("is 502 no_code_produced when nobody answers, with each attempt, and costs nothing", async () => {
		const response = await post(`${TASK} [[status 503]]`);
		const body = (await response.json()) as { attempts: string[] };
		expect([response.status, body]).toMatchObject([502, { error: "no_code_produced", cost_usd: 0 }]);
		expect(body.attempts.length).toBeGreaterThan(0);
		expect(body.attempts.every((attempt) => attempt.includes("503"))).toBe(true);
		expect(response.headers.get("x-should-retry")).toBeNull();
		expect((await usageOf(key)).total_requests).toBe(0);
	});

	it("is 503 without any provider", async () => {
		const bare = Object.fromEntries(CATALOG.providers.map(({ env_prefix }) => [`${env_prefix}_API_KEY`, ""]));
		const response = await callWith(bare as Partial<Env>, "/v2/code", withKey(key.key, { task: TASK }));
		expect([response.status, await response.json()]).toMatchObject([503, { error: "no_provider_available" }]);
	});

	it("is 502 code_error when the loop itself fails, settled and logged under the request's id", async () => {
		const log = vi.spyOn(console, "error").mockReturnValue();
		const looping = await import("../../src/code-mode/static-checks.ts");
		const spy = vi.spyOn(looping, "staticIssues").mockRejectedValue(new Error("a bug"));
		try {
			const response = await post(TASK);
			const body = (await response.json()) as { error: string; request_id: string };
			expect([response.status, body.error]).toEqual([502, "code_error"]);
			expect((await proofOf(body.request_id)).valid).toBe(true);
			expect(log.mock.calls.join()).toContain("code_failed");
		} finally {
			spy.mockRestore();
			log.mockRestore();
		}
	});
});

describe("the money", () => {
	it("is never above its bound, even when every call overruns", async () => {
		const answer = await coded(`[[overrun]] ${TASK} [[flawed]]`, { policy: "depth" });
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
	});

	it("covers every call of a cycle in depth, even when each is charged at its bound", async () => {
		const answer = await coded(`[[overrun]] ${TASK} [[wordy]] [[never json]]`, { policy: "depth", max_tokens: 110 });
		const roles = resultsOf(answer).map(({ role, ok }) => [role, ok].join());
		// Three drafts, each continued; three reviews, each asked of two critics, each verdict repaired.
		expect(roles.filter((role) => role === "coder,true")).toHaveLength(6);
		expect(roles.filter((role) => role === "reviewer,true")).toHaveLength(12);
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(answer.svc.cost.bound_usd);
	});

	it("max_cost_usd shrinks the run and says so, down to one cheapest draft that always runs", async () => {
		const whole = await coded(`${TASK} [[hopeless]]`, { policy: "depth" });
		expect(whole.iterations).toBe(3);
		const bound = whole.svc.cost.bound_usd;
		const smaller = await coded(`${TASK} [[hopeless]]`, { policy: "depth", max_cost_usd: bound / 4 });
		expect(smaller.svc.cost.bound_usd).toBeLessThanOrEqual(bound / 4);
		expect(smaller.reason).toContain("max_cost_usd");
		const least = await coded(TASK, { max_cost_usd: 1e-9 });
		expect(resultsOf(least)).toHaveLength(1);
		expect(least).toMatchObject({ review: null, iterations: 1, passed: true });
		expect(least.reason).toContain("one draft of the cheapest model, without a review, though it may cost more than");
		const fitting = await coded(TASK, { max_cost_usd: 2 * least.svc.cost.bound_usd });
		expect(fitting.svc.cost.bound_usd).toBe(least.svc.cost.bound_usd);
		expect(fitting.reason).toContain("one draft of a cheaper model, without a review, to stay within max_cost_usd");
	});

	it("stops repairing when the next cycle does not fit", async () => {
		const whole = await coded(`${TASK} [[hopeless]]`, { max_iters: 10 });
		const limit = whole.svc.cost.bound_usd / 4;
		const answer = await coded(`${TASK} [[hopeless]]`, { max_iters: 10, max_cost_usd: limit });
		expect(answer.svc.cost.total_usd).toBeLessThanOrEqual(limit);
		expect(answer.iterations).toBeGreaterThan(0);
		expect(answer.reason).toContain("repairs as far as max_cost_usd reaches");
	});

	it("is refused where the config's max_cost or the plan's limit covers not even one draft", async () => {
		const dear = await post(TASK, { brain_config: { max_cost: 1e-9 } });
		expect([dear.status, await dear.json()]).toMatchObject([
			402,
			{ error: "cost_limit_exceeded", scope: "max_cost", limit_usd: 1e-9 },
		]);
		expect(upstream.requests).toEqual([]);
	});

	it("never goes above the limit of a guarded plan", async () => {
		const personal = await newKey("personal");
		const answer = await coded(TASK, { policy: "depth", max_iters: 10, max_tokens: 16_000 }, personal);
		expect(answer.svc.cost.bound_usd).toBeLessThanOrEqual(0.5);
	});
});

describe("who may take part", () => {
	it("no model that a Free key does not have, critics included", async () => {
		const free = await newKey("free");
		const premium = CATALOG.models.find(({ tier }) => tier === "premium");
		const answer = await coded(TASK, { policy: "depth", coder_model: premium?.id, reviewer_model: premium?.id }, free);
		for (const { model } of resultsOf(answer)) expect(CATALOG.freeModels).toContain(model);
	});

	it("nobody that the config blocks", async () => {
		const blocked = "openai";
		const answer = await coded(TASK, { policy: "depth", brain_config: { blocked: [blocked] } });
		for (const { model } of resultsOf(answer)) expect(providerOf(model)).not.toBe(blocked);
		const nobody = await post(TASK, { brain_config: { blocked: ["*"] } });
		expect([nobody.status, await nobody.json()]).toMatchObject([403, { error: "model_blocked" }]);
	});

	it("nobody that the compliance policy excludes, and what took part is attested", async () => {
		const [allowed] = CATALOG.providers;
		const compliance = { provider_allowlist: [allowed?.id] };
		const answer = await coded(TASK, { compliance });
		for (const { model } of resultsOf(answer)) expect(providerOf(model)).toBe(allowed?.id);
		const attested = answer.svc.proof.compliance as { models: string[]; providers: string[] };
		expect(attested.providers).toEqual([allowed?.id]);
		expect(attested.models).toEqual([...answer.svc.code.models_used].toSorted());
		expect((await proofOf(answer.id)).receipt["compliance"]).toEqual(attested);
		const nobody = await post(TASK, { compliance: { provider_denylist: CATALOG.providers.map(({ id }) => id) } });
		expect([nobody.status, await nobody.json()]).toMatchObject([403, { error: "compliance_blocked" }]);
	});
});

describe("a stream", () => {
	it("tells of plan, calls, drafts and reviews, and ends with the object that an unstreamed answer is", async () => {
		const response = await post(`${TASK} [[flawed]]`, { stream: true });
		expect(response.headers.get("content-type")).toContain("text/event-stream");
		const events = eventsOf(await response.text());
		const types = events.filter(({ event }) => event === "progress").map(({ data }) => JSON.parse(data).type);
		expect(types[0]).toBe("planned");
		expect(types.filter((type) => type === "drafted")).toHaveLength(2);
		expect(types.filter((type) => type === "reviewed")).toHaveLength(2);
		expect(types.filter((type) => type === "call_finished")).toHaveLength(4);
		const answer = codeSchema.parse(JSON.parse(events.at(-1)?.data ?? ""));
		expect([events.at(-1)?.event, answer.passed]).toEqual(["result", true]);
		expect(await proofOf(answer.id)).toMatchObject({ valid: true });
	});

	it("that fails before anything happens is an ordinary error, and after that an error event with its status", async () => {
		const early = await post(TASK, { stream: true, brain_config: { max_cost: 1e-9 } });
		expect([early.status, await early.json()]).toMatchObject([402, { error: "cost_limit_exceeded" }]);
		const late = await post(`${TASK} [[no code]]`, { stream: true });
		const last = eventsOf(await late.text()).at(-1);
		expect([last?.event, JSON.parse(last?.data ?? "")]).toMatchObject([
			"error",
			{ error: "no_code_produced", status: 502 },
		]);
	});

	it("that its client leaves stops its calls and is settled", async () => {
		const leaving = new AbortController();
		const response = await callWith({}, "/v2/code", {
			...withKey(key.key, { task: `[[think 5000]] ${TASK}`, stream: true }),
			signal: leaving.signal,
		});
		await eventually(async () => upstream.answered >= 1);
		leaving.abort();
		await response.body?.cancel().catch(() => undefined);
		await eventually(async () => (await usageOf(key)).total_requests === 1);
		const [row] = (await usageOf(key)).recent;
		await eventually(async () => (await proofOf(row?.request_id ?? "")).valid);
		expect((await proofOf(row?.request_id ?? "")).receipt).toMatchObject({ kind: "code", outcome: "client_closed" });
		expect(upstream.requests).toHaveLength(1);
	});
});

describe("a body", () => {
	it.each([
		[{}, 400, "no_task"],
		[{ task: "" }, 400, "no_task"],
		[{ task: " \n" }, 400, "no_task"],
		[{ task: null }, 400, "no_task"],
		[{ task: 7 }, 422, "invalid_request"],
		[{ task: "x".repeat(262_145) }, 422, "invalid_request"],
		[{ task: TASK, max_iters: 0 }, 422, "invalid_request"],
		[{ task: TASK, max_iters: 11 }, 422, "invalid_request"],
		[{ task: TASK, policy: "guess" }, 422, "invalid_request"],
		[{ task: TASK, language: "a\nb" }, 422, "invalid_request"],
		[{ task: TASK, max_cost_usd: 0 }, 422, "invalid_request"],
		[{ task: TASK, temperature: 2.1 }, 422, "invalid_request"],
		[{ task: TASK, max_tokens: 10_000_000 }, 422, "invalid_request"],
		[{ task: TASK, brain_config: { nope: 1 } }, 422, "invalid_brain_config"],
		[{ task: TASK, response_format: { type: "json_object" } }, 422, "invalid_request"],
		[{ task: TASK, tools: [{ type: "function", function: { name: "f" } }] }, 422, "invalid_request"],
	])("%j is refused with %s %s", async (body, status, error) => {
		const response = await callWithKey(key.key, "/v2/code", body);
		expect([response.status, await response.json()]).toMatchObject([status, { error }]);
		expect(upstream.requests).toEqual([]);
	});

	it("warns of what it cannot honour", async () => {
		expect((await coded(TASK)).svc.warnings).toEqual([]);
		const answer = await coded(TASK, { seed: 1, response_format: { type: "text" } });
		expect(answer.svc.warnings).toMatchObject([{ code: "parameter_dropped", param: "seed" }]);
	});

	it("of a long task with a huge output limit is answered or refused by its cost, never by a crash", async () => {
		const answer = await coded("word ".repeat(20_000), { max_tokens: 64_000 });
		expect(answer.files.length).toBeGreaterThan(0);
	});
});
