// Which models may serve a call, and for each that may not, why. Pure.

import type { Plan } from "../catalog/plans.ts";
import type { Model } from "../catalog/schema.ts";
import type { Tier } from "../catalog/vocabulary.ts";
import { usd } from "../proof/money.ts";
import type { CallField, ModelCall } from "../providers/model-call.ts";
import { findBlocking } from "./routing-config.ts";
import type { Signals } from "./signals.ts";

/** Why a model is out. `param` names what of the call or its wishes asks too much. */
export interface Exclusion {
	code: "unavailable" | "plan" | "blocked" | "compliance" | "capability" | "limits" | "tier" | "cost";
	param?: CallField | "config";
	text: string;
}

/** What holds for every model that may see this request: failover and fallback included. */
export interface Constraints {
	call: ModelCall;
	signals: Signals;
	plan: Plan;
	/** Ids of the models that the plan may call; null is all. */
	allowlist: readonly string[] | null;
	blocked: readonly string[];
	/** The lower of the config's max_cost and the plan's ceiling; null is none. */
	ceiling: { scope: "plan_envelope" | "max_cost"; nanoUsd: number } | null;
	/** Intensity tiers; null is all. */
	tiers: readonly Tier[] | null;
	available(model: Model): boolean;
	/** Why a model must not see the call under the compliance policy in force; empty when it may. */
	complianceReasons(model: Model): readonly string[];
	/** Whether a model's format takes images by https address; this service fetches none. */
	takesRemoteImages(model: Model): boolean;
	/** Whether its format takes a tool of that name. */
	takesToolName(model: Model, name: string): boolean;
	/** Worst case of the call, nano-USD. */
	worstCaseNanoUsd(model: Model): number;
}

function capabilityExclusions(model: Model, constraints: Constraints): Exclusion[] {
	const { call, signals } = constraints;
	const lacks = (param: CallField, what: string): Exclusion => ({
		code: "capability",
		param,
		text: `does not support ${what}`,
	});
	const { supports } = model;
	const found: Exclusion[] = [];
	if (signals.hasTools && !supports.tools) found.push(lacks("tools", "tools"));
	const misnamed = call.tools.find(({ name }) => !constraints.takesToolName(model, name));
	if (misnamed) found.push(lacks("tools", `a tool named ${misnamed.name}`));
	if (signals.hasImages && !supports.vision) found.push(lacks("messages", "images"));
	if (signals.hasRemoteImages && !constraints.takesRemoteImages(model))
		found.push(lacks("messages", "images by https address"));
	if (call.output.type === "json_schema" && !supports.json_schema)
		found.push(lacks("output", "response_format json_schema"));
	if (call.logprobs && !supports.logprobs) found.push(lacks("logprobs", "logprobs"));
	return found;
}

function limitExclusions(model: Model, { call, signals }: Constraints): Exclusion[] {
	const { context_window, max_input_tokens, max_output_tokens } = model.limits;
	const { contextTokens } = signals;
	if (call.maxTokens > max_output_tokens) {
		return [
			{
				code: "limits",
				param: "max_tokens",
				text: `writes at most ${max_output_tokens} tokens, max_tokens is ${call.maxTokens}`,
			},
		];
	}
	const room = Math.min(max_input_tokens ?? context_window, context_window - call.maxTokens);
	if (contextTokens <= room) return [];
	return [
		{
			code: "limits",
			param: "messages",
			text: `the prompt has about ${contextTokens} tokens, there is room for ${room}`,
		},
	];
}

/** Everything that keeps a model from serving the call; empty when it may. */
export function findExclusions(model: Model, constraints: Constraints): Exclusion[] {
	const { plan, allowlist, blocked, ceiling, tiers } = constraints;
	const found: Exclusion[] = [];
	if (!constraints.available(model))
		found.push({
			code: "unavailable",
			text: `no key is configured for ${model.provider}`,
		});
	if (allowlist && !allowlist.includes(model.id))
		found.push({ code: "plan", text: `not in the ${plan.displayName} plan` });
	const entry = findBlocking(model, blocked);
	if (entry !== undefined)
		found.push({ code: "blocked", param: "config", text: `blocked by the routing config (${entry})` });
	for (const text of constraints.complianceReasons(model)) found.push({ code: "compliance", text });
	if (tiers && !tiers.includes(model.tier))
		found.push({ code: "tier", text: `tier ${model.tier} is outside ${tiers.join(" and ")}` });
	found.push(...capabilityExclusions(model, constraints), ...limitExclusions(model, constraints));
	// Pricing needs the exact request, which only an available model's format can build. What compliance alone keeps out is
	// priced too: whether nothing else does decides what the client is told.
	if (ceiling && found.every(({ code }) => code === "compliance")) {
		const worst = constraints.worstCaseNanoUsd(model);
		if (worst > ceiling.nanoUsd) {
			found.push({
				code: "cost",
				text: `its worst case of $${usd(worst)} exceeds the ${ceiling.scope === "max_cost" ? "max_cost" : "plan's envelope"} of $${usd(ceiling.nanoUsd)}`,
			});
		}
	}
	return found;
}
