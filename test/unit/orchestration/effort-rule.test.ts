// How much the calls of a workflow reason, and what that adds to their output limits and bounds.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { createEffortRule, createEfforts } from "../../../src/orchestration/effort-rule.ts";
import { toQuestionCall } from "../../../src/orchestration/request.ts";
import { type EffortPolicy, userMessage } from "../../../src/orchestration/strategy.ts";
import { chooseEffort } from "../../../src/routing/effort.ts";
import { minOutputTokens } from "../../../src/routing/length.ts";
import { detectSignals } from "../../../src/routing/signals.ts";

const FREE = { effort: null, maxTokens: null };

describe("the effort of a call", () => {
	it.each<[EffortPolicy, string, string | undefined]>([
		["efficiency", "judge", undefined],
		["balanced", "judge", "low"],
		["balanced", "planner", "low"],
		["balanced", "reviewer", "low"],
		["balanced", "proposer", undefined],
		["depth", "judge", "medium"],
		["depth", "proposer", "low"],
		["depth", "coder", "low"],
	])("under %s of a %s is %s", (policy, role, expected) => {
		const effort = createEffortRule({ policy, ...FREE })({ role, maxTokens: 512 });
		expect(effort.preferredEffort).toBe(expected);
		expect(effort.addsReasoning).toBe(expected === undefined ? undefined : true);
	});

	it("is bought only where the client's max_tokens leaves the answer its length", () => {
		const rule = createEffortRule({ policy: "depth", effort: null, maxTokens: 1_024 });
		expect(rule({ role: "proposer", maxTokens: 1_024 })).toEqual({});
		expect(rule({ role: "judge", maxTokens: 512 })).toEqual({ preferredEffort: "medium", addsReasoning: true });
		expect(rule({ role: "judge", maxTokens: 513 })).toEqual({});
	});

	it("is the client's where it sets one, for every role, also where money is short", () => {
		const { chosen, least } = createEfforts({ policy: "balanced", effort: "high", maxTokens: null });
		for (const rule of [chosen, least])
			expect(rule({ role: "sampler", maxTokens: 100 })).toEqual({ effort: "high", addsReasoning: true });
		const limited = createEffortRule({ policy: "balanced", effort: "high", maxTokens: 300 });
		expect(limited({ role: "sampler", maxTokens: 300 })).toEqual({ effort: "high" });
	});

	it("without a client's is the least where money is short", () => {
		expect(createEfforts({ policy: "depth", ...FREE }).least({ role: "judge", maxTokens: 64 })).toEqual({});
	});
});

describe("a call that reasons", () => {
	const call = toQuestionCall(
		{ messages: [userMessage("Which is better?")], maxTokens: 512, temperature: 0, json: true },
		{ preferredEffort: "medium", addsReasoning: true },
	);
	const request = {
		call,
		outputLimit: null,
		signals: detectSignals(call),
		worstCase: () => ({ inputNanoUsd: 0, outputNanoUsd: 0, totalNanoUsd: 0 }),
	};

	it.each(CATALOG.models.map((model) => [model.id, model] as const))(
		"keeps 512 visible tokens of %s, and warns of nothing",
		(_, model) => {
			const { effort, warnings } = chooseEffort(model, call, "quality");
			expect(warnings).toEqual([]);
			const limit = minOutputTokens(request, model, "quality");
			const share = { medium: 0.5, low: 0.25, minimal: 0.1, none: 0 }[String(effort)] ?? 0;
			expect(limit).toBe(Math.ceil(512 / (1 - share)));
			if (!model.reasoning?.inside_max_tokens) expect(limit).toBe(512);
		},
	);
});
