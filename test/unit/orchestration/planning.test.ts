// Planning: which strategy and why, who takes part, and what is left of a plan when money is short.
import { describe, expect, it } from "vitest";
import { ok } from "../../../src/failure.ts";
import type { Limits } from "../../../src/orchestration/bounds.ts";
import { choosePanel, diversify, toMember } from "../../../src/orchestration/panel.ts";
import { choosePlan, planStrategy, type StrategyRequest, shrinkPlan } from "../../../src/orchestration/planner.ts";
import { panelConfig, toQuestionCall } from "../../../src/orchestration/request.ts";
import { type SizedStrategy, STRATEGY, type StrategyName } from "../../../src/orchestration/strategies.ts";
import { type EffortPolicy, POLICIES, type Rankings, userMessage } from "../../../src/orchestration/strategy.ts";
import type { Candidate } from "../../../src/routing/selection.ts";
import { detectSignals } from "../../../src/routing/signals.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { task } from "../../support/fake-engine.ts";
import { chooseFor, readStrategyCases } from "../../support/strategy-table.ts";

function planned(prompt: string, asked: Partial<StrategyRequest> = {}) {
	const call = toQuestionCall({ messages: [userMessage(prompt)], maxTokens: 100, temperature: undefined, json: false });
	return planStrategy({ policy: "balanced", strategy: null, k: null, ...asked }, prompt, detectSignals(call));
}

const PROSE = "Describe for our newsletter what a lighthouse keeper in Norway does on a stormy night in winter.";

describe("the planner", () => {
	it.each<[EffortPolicy, string, StrategyName]>([
		["efficiency", "hi", "single"],
		["depth", "hi", "ensemble_moa"],
		["efficiency", PROSE, "cascade"],
		[
			"efficiency",
			"Compare these two approaches and analyse their trade-offs for a large team of engineers.",
			"cascade",
		],
		["balanced", PROSE, "single"],
		["balanced", "Write a Python function that parses a config file and reports each error with its line.", "single"],
		[
			"balanced",
			"How many eggs are left when a hen lays 17 of them and the farmer eats 5 of them for breakfast?",
			"self_consistency",
		],
		[
			"balanced",
			"Please do two things for the newsletter:\n1. Describe the harbour.\n2. Describe the fish market.",
			"decompose_and_route",
		],
		["depth", PROSE, "ensemble_moa"],
		["depth", "Write a Python function that parses a config file and reports each error with its line.", "rank_fuse"],
		[
			"depth",
			"Prove step by step that the square root of two is irrational, and say where the proof would fail for four.",
			"debate",
		],
	])("under %s answers %j with %s, and says why", (policy, prompt, strategy) => {
		const plan = planned(prompt, { policy });
		expect(plan.strategy).toBe(strategy);
		expect(plan.reason).toContain(`under the ${policy} policy`);
		if (strategy === "single")
			expect(plan.reason).toContain(policy === "balanced" ? "at a fraction of the cost" : "one model is enough");
	});

	it("chooses the strategy that labelled prompts deserve: nine in ten of all, and of those it once got wrong", () => {
		const cases = readStrategyCases();
		expect(cases.length).toBeGreaterThanOrEqual(3 * 200);
		const share = (of: typeof cases) => of.filter(({ deserved, chosen }) => deserved === chosen).length / of.length;
		for (const policy of POLICIES) expect(share(cases.filter((one) => one.policy === policy))).toBeGreaterThan(0.9);
		expect(share(cases.filter(({ named }) => named !== undefined))).toBeGreaterThan(0.9);
	});

	it("never votes on code, translations and texts, and asks several models under depth", () => {
		const cases = readStrategyCases();
		const work = cases.filter(({ kind }) => /code|translation|text|creative|math_json/.test(kind));
		expect(work.filter(({ policy, chosen }) => policy === "balanced" && chosen === "self_consistency")).toEqual([]);
		expect(cases.filter(({ policy, chosen }) => policy === "depth" && chosen === "single")).toEqual([]);
	});

	it.each([
		"checks if number is product of 3 prime numbers",
		"Given a list of integers in C++, calculate their average and display it.\n2, 4, 6, 8, 10",
		"How to find the inverse of a 2x2 matrix in Python?\nmatrix = [[1, 2], [3, 4]]",
	])("does not vote where a program may be meant: %j", (content) => {
		expect(chooseFor("balanced", [{ role: "user", content }])).toBe("single");
	});

	it("never splits a document because of its bullets", () => {
		const document = "- Revenue grew\n- Churn fell\n- Hiring is frozen until March\n- Two offices opened";
		for (const request of ["Summarize these notes in a sentence:", "Translate into German:", "Make this friendlier:"])
			expect(chooseFor("balanced", [{ role: "user", content: `${request}\n\n${document}` }])).toBe("single");
	});

	it("asks two models side by side in one layer where a prompt under depth is trivial", () => {
		for (const prompt of ["hi", "hey", "What is the capital of France?"])
			expect(planned(prompt, { policy: "depth" })).toMatchObject({ strategy: "ensemble_moa", width: 2, rounds: 1 });
		expect(planned(PROSE, { policy: "depth" })).toMatchObject({ strategy: "ensemble_moa", width: 4, rounds: 2 });
	});

	it("takes short questions in one line for one prompt, and splits them where they are listed", () => {
		const line = "What does a lighthouse keeper do on a stormy night? And why do people still want the job?";
		expect(planned(line, { policy: "balanced" }).strategy).toBe("single");
		const listed =
			"Two questions for the newsletter:\n1. Describe what a keeper does.\n2. Explain why people want the job.";
		expect(planned(listed, { policy: "balanced" }).strategy).toBe("decompose_and_route");
	});

	it("does as it is asked, with the width it is asked for where there is one", () => {
		expect(planned("hi", { strategy: "debate", k: 8 })).toMatchObject({ strategy: "debate", width: 3 });
		expect(planned("hi", { strategy: "self_consistency", k: 8 })).toMatchObject({ width: 8 });
		const least = planned("hi", { strategy: "ensemble_moa", k: 1 });
		expect(least).toMatchObject({ width: 2, reason: expect.stringContaining("with 2 members, since 1 makes no") });
	});
});

/** Candidates of the test catalog, ranked as it lists them. */
const CANDIDATES = TEST_CATALOG.models.map(
	(model, at): Candidate => ({
		model,
		effort: null,
		maxTokens: 100,
		warnings: [],
		score: 1 - at / 100,
		isBelowFloor: false,
		isFailing: false,
		expectation: {
			quality: model.quality.general,
			cost: { inputNanoUsd: 0, outputNanoUsd: at + 1, totalNanoUsd: at + 1 },
			latencyMs: 1,
		},
	}),
) as [Candidate, ...Candidate[]];
const BEST = CANDIDATES.toReversed() as [Candidate, ...Candidate[]];
const RANKINGS: Rankings = { panel: CANDIDATES, best: BEST, cheap: CANDIDATES };

/** The panel of a strategy, chosen from the rankings. */
function panelFor(size: SizedStrategy, judgeModel: string | null = null) {
	return choosePanel(STRATEGY[size.strategy], { rankings: RANKINGS, single: ["alone"] }, size, judgeModel);
}

const providerOf = (id: string) => TEST_CATALOG.findModel(id)?.provider;

describe("a panel", () => {
	it("has a member of every provider before a second of any", () => {
		const providers = new Set(CANDIDATES.map(({ model }) => model.provider));
		const chosen = diversify(CANDIDATES, providers.size);
		expect(new Set(chosen.map(({ model }) => model.provider))).toEqual(providers);
	});

	it("begins anew where there are not enough models", () => {
		expect(
			diversify(CANDIDATES.slice(0, 2) as [Candidate, ...Candidate[]], 3).map(({ model }) => model.id),
		).toHaveLength(3);
	});

	it("has stand-ins that are not dearer, of another provider first, and no member twice", () => {
		const last = CANDIDATES.at(-1) as Candidate;
		const [own, standIn] = toMember(last, CANDIDATES);
		expect(own).toBe(last.model.id);
		expect(providerOf(standIn ?? "")).not.toBe(last.model.provider);
		expect(toMember(CANDIDATES[0], CANDIDATES)).toEqual([CANDIDATES[0].model.id]);
		const { members } = panelFor({ strategy: "ensemble_moa", width: 4, rounds: 1 });
		const firsts = members.map(([id]) => id);
		for (const [, ...standIns] of members) for (const id of standIns) expect(firsts).not.toContain(id);
	});

	it("is judged by an outsider where answers are compared, or by who was asked for", () => {
		const { members, judge } = panelFor({ strategy: "rank_fuse", width: 3, rounds: 1 });
		expect(members.map(([id]) => id)).not.toContain(judge[0]);
		const [wanted] = BEST;
		expect(panelFor({ strategy: "rank_fuse", width: 3, rounds: 1 }, wanted.model.id).judge[0]).toBe(wanted.model.id);
		expect(panelFor({ strategy: "rank_fuse", width: 3, rounds: 1 }, "nobody").judge).toEqual(judge);
	});

	it("is judged by the cheapest outsider that is about as good as the best", () => {
		const terms = [0.9, 0.9, 0.9, 0.9, 0.89, 0.85].map((quality, at) => ({
			quality,
			nanoUsd: [9, 9, 9, 50, 2, 1][at] ?? 0,
		}));
		const [first, ...rest] = terms.flatMap(({ quality, nanoUsd }, at): Candidate[] => {
			const candidate = CANDIDATES[at];
			if (!candidate) return [];
			const cost = { inputNanoUsd: 0, outputNanoUsd: nanoUsd, totalNanoUsd: nanoUsd };
			return [{ ...candidate, expectation: { quality, cost, latencyMs: 1 } }];
		});
		if (!first) throw new Error("the test catalog has models");
		const ranked: [Candidate, ...Candidate[]] = [first, ...rest];
		const rankings: Rankings = { panel: ranked, best: ranked, cheap: ranked };
		const { members, judge } = choosePanel(
			STRATEGY.rank_fuse,
			{ rankings, single: ["alone"] },
			{ width: 3, rounds: 1 },
			null,
		);
		const outside = ranked.filter(({ model }) => !members.some(([id]) => id === model.id));
		const enough = outside.filter(({ expectation }) => expectation.quality >= 0.88);
		const cheapest = enough.toSorted((a, b) => a.expectation.cost.totalNanoUsd - b.expectation.cost.totalNanoUsd)[0];
		expect(enough.length).toBeGreaterThan(1);
		expect(outside.length).toBeGreaterThan(enough.length);
		expect(judge[0]).toBe(cheapest?.model.id);
	});

	it("has its answers compared by an outsider, also where the judge is a member and writes the answer", () => {
		const { members, judge, comparer = judge } = panelFor({ strategy: "ensemble_moa", width: 3, rounds: 1 });
		expect(members.map(([id]) => id)).toContain(judge[0]);
		expect(members.map(([id]) => id)).not.toContain(comparer[0]);
		const graph = STRATEGY.ensemble_moa.callGraph(task(), { members, judge, comparer, rounds: 1 });
		expect(graph.filter(({ stage }) => stage === "agree").every(({ member }) => member === comparer)).toBe(true);
		const ladder = panelFor({ strategy: "cascade", width: 3, rounds: 1 });
		expect(ladder.members.map(([id]) => id)).not.toContain(ladder.judge[0]);
	});

	it("of a cascade under efficiency begins with the cheapest model that is good enough alone", () => {
		const size = { width: 4, rounds: 1, policy: "efficiency" } as const;
		const quality = (id: string | undefined) => TEST_CATALOG.findModel(id ?? "")?.quality.general ?? 0;
		const { members, bar } = panelFor({ strategy: "cascade", ...size });
		const top = BEST[0].model;
		expect(members.at(-1)?.[0]).toBe(top.id);
		expect(bar).toEqual({ confidence: top.quality.general - 0.05, isSingleEnough: true });
		const rank = (id: string) => CANDIDATES.findIndex(({ model }) => model.id === id);
		const foot = members
			.slice(0, -1)
			.map(([id]) => ({ cost: rank(id), isEnough: quality(id) >= (bar?.confidence ?? 1) }));
		expect(foot).toEqual(foot.toSorted((a, b) => Number(b.isEnough) - Number(a.isEnough) || a.cost - b.cost));
		expect(panelFor({ strategy: "cascade", width: 4, rounds: 1 }).bar?.isSingleEnough).toBe(false);
	});

	it("of a cascade rises in quality to the best", () => {
		const { members } = panelFor({ strategy: "cascade", width: 4, rounds: 1 });
		const qualities = members.map(([id]) => TEST_CATALOG.findModel(id)?.quality.general ?? 0);
		expect(qualities).toEqual(qualities.toSorted((a, b) => a - b));
		expect(members.at(-1)?.[0]).toBe(BEST[0].model.id);
	});
});

describe("a plan under a limit", () => {
	const NONE: Limits = { soft: null, hard: null };
	/** Every call costs 10 nano-USD at most. */
	const weigh = (strategy: StrategyName, limits: Limits) => {
		const plan = planned(PROSE, { strategy, policy: "depth" });
		return choosePlan(shrinkPlan(plan), task(), limits, (attempt) => panelFor(attempt), {
			chosen: () => ok(10),
			least: () => ok(10),
		});
	};
	const weighed = (strategy: StrategyName, limits: Limits) => {
		const result = weigh(strategy, limits);
		if (!result.ok) throw new Error(JSON.stringify(result.failure));
		return result.value;
	};

	it("is what was planned where the limit covers it: the bound is that of the whole call graph", () => {
		const { plan, panel: cast, boundNanoUsd } = weighed("debate", NONE);
		expect(plan).toMatchObject({ strategy: "debate", width: 3, rounds: 3 });
		expect(boundNanoUsd).toBe(10 * STRATEGY.debate.callGraph(task(), cast).length);
		// Nine answers, two verdicts and two repairs after each round, the judge, and a comparison of its answer.
		expect(boundNanoUsd).toBe(10 * (3 * 3 + 3 * 4 + 1 + 2));
	});

	it("loses rounds, then members, then is one model, and says so", () => {
		expect(weighed("debate", { soft: 175, hard: null }).plan).toMatchObject({
			rounds: 2,
			width: 3,
			reason: expect.stringContaining("2 of 3 rounds"),
		});
		expect(weighed("debate", { soft: 95, hard: null }).plan).toMatchObject({ rounds: 1, width: 2 });
		expect(weighed("debate", { soft: 10, hard: null }).plan).toMatchObject({ strategy: "single" });
	});

	it("runs one cheapest call whatever the soft limit says, and nothing above the hard one", () => {
		expect(weighed("debate", { soft: 1, hard: null })).toMatchObject({
			plan: { strategy: "single", price: "lowest", reason: expect.stringContaining("may cost more than max_cost_usd") },
			boundNanoUsd: 10,
		});
		expect(weigh("debate", { soft: null, hard: { scope: "max_cost", nanoUsd: 9 } })).toMatchObject({
			ok: false,
			failure: { reason: "cost_limit_exceeded", scope: "max_cost", worstCaseUsd: 1e-8 },
		});
	});

	it("that is a cascade keeps its steps and climbs as far as the money goes", () => {
		expect(weighed("cascade", { soft: 25, hard: null })).toMatchObject({
			plan: { strategy: "cascade", width: 4 },
			boundNanoUsd: 25,
		});
		expect(weighed("cascade", { soft: 15, hard: null })).toMatchObject({ plan: { strategy: "single" } });
	});
});

describe("a config for panels", () => {
	it("keeps what is blocked and the lowest limit, and names no model", () => {
		const config = {
			model: "m",
			routing_mode: null,
			max_cost: 2,
			blocked: ["x"],
			fallback: ["y"],
			rules: [{ when: {}, use: { model: "m" } }],
		};
		expect(panelConfig(config, 1)).toEqual({
			model: "auto",
			routing_mode: null,
			max_cost: 1,
			blocked: ["x"],
			fallback: [],
		});
	});
});
