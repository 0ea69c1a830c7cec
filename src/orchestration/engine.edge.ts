// Strategies' questions as calls of the engine: who may answer them, what they cost at most, and how they are asked.
import { orchestrationLimitNanoUsd } from "../catalog/plans.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Caller } from "../inference/caller.edge.ts";
import type { CallOptions, CallPlan } from "../inference/plan.ts";
import { boundCall, planCallFor, type Workflow } from "../inference/workflow.edge.ts";
import { nanoUsd } from "../proof/money.ts";
import type { RoutingMode } from "../routing/mode.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { matchRule } from "../routing/rules.ts";
import type { Candidate } from "../routing/select.ts";
import { detectSignals, type Signals } from "../routing/signals.ts";
import { type Limits, limitOf } from "./bounds.ts";
import { type LoneModels, MAX_STAND_INS } from "./panel.ts";
import { POLICY_MODE } from "./planner.ts";
import { panelConfig, toQuestionCall } from "./request.ts";
import {
	type EffortPolicy,
	type Engine,
	type Member,
	type PanelPool,
	type Question,
	type Task,
	userMessage,
} from "./strategy.ts";

/** Who may work on a task, and under what. */
export interface ModelPool extends PanelPool {
	signals: Signals;
	/** The cheapest that may serve at all. */
	cheapest: Candidate;
	limits: Limits;
	/** Wishes of every call. */
	options: CallOptions;
}

/** The floor of a request that has limits of its own. */
export interface BudgetedPool extends ModelPool, LoneModels {}

function callOfTask({ messages, maxTokens, temperature }: Task) {
	return toQuestionCall({ messages, maxTokens, temperature, json: false });
}

/** The model that a lone answer comes from, and who would stand in for it in a chat. */
const MAX_SINGLE = 3;

function singleMember({ selection }: CallPlan): Member {
	const [first, ...rest] = selection.failover;
	return [first.model.id, ...rest.slice(0, MAX_SINGLE - 1).map(({ model }) => model.id)];
}

/** The config's limit on the whole request, and the plan's. */
function hardLimit(config: CompiledConfig | null, maxCost: number | null, planLimit: number | null): Limits["hard"] {
	const own = config && maxCost !== null ? { scope: "max_cost" as const, nanoUsd: nanoUsd(maxCost) } : null;
	const ofPlan = planLimit === null ? null : { scope: "plan_envelope" as const, nanoUsd: planLimit };
	if (own && ofPlan) return own.nanoUsd <= ofPlan.nanoUsd ? own : ofPlan;
	return own ?? ofPlan;
}

/** What holds for every model that may work on a task. */
export interface PoolRules {
	/** The routing config in force; null without one. */
	config: CompiledConfig | null;
	/** The compliance policy in force; null without one. */
	gate: ComplianceGate | null;
}

/** Ranks the models that may work on a task. */
export function selectPool(
	caller: Caller,
	task: Task,
	policy: EffortPolicy,
	{ config, gate }: PoolRules,
	maxCostUsd: number | null,
): Result<BudgetedPool> {
	const call = callOfTask(task);
	const detected = detectSignals(call);
	const rule = config && matchRule(config, call, detected);
	const ofPanel = config && { ...config, config: panelConfig(config.config, rule?.use.max_cost) };
	const planLimitNanoUsd = orchestrationLimitNanoUsd(caller.account.plan);
	const options = (mode: RoutingMode): CallOptions => ({
		model: "auto",
		mode,
		config: ofPanel,
		gate,
		planLimitNanoUsd,
	});
	const mode = POLICY_MODE[policy];
	const ranked = (by: RoutingMode) => planCallFor(caller, call, options(by));
	const [panel, best, cheap] = [
		ranked(mode),
		ranked(policy === "efficiency" ? "balanced" : "quality"),
		ranked("agility"),
	];
	const lone = planCallFor(caller, call, { ...options(mode), config });
	for (const plan of [panel, best, cheap, lone]) if (!plan.ok) return plan;
	if (!panel.ok || !best.ok || !cheap.ok || !lone.ok)
		return fail({ reason: "no_provider_available", message: "no model may serve" });
	const worst = ({ model, effort }: Candidate) => panel.value.attempt(model, effort).worstCase.totalNanoUsd;
	const { candidates } = panel.value.selection;
	const cheapest = candidates.reduce((least, next) => (worst(next) < worst(least) ? next : least));
	const limits: Limits = {
		soft: maxCostUsd === null ? null : nanoUsd(maxCostUsd),
		hard: hardLimit(config, ofPanel?.config.max_cost ?? null, planLimitNanoUsd),
	};
	const limit = limitOf(limits);
	return ok({
		signals: detected,
		rankings: { panel: candidates, best: best.value.selection.candidates, cheap: cheap.value.selection.candidates },
		single: singleMember(lone.value),
		cheapest,
		fitting: candidates.find((candidate) => worst(candidate) <= limit) ?? cheapest,
		limits,
		options: options(mode),
	});
}

/** What a question costs at most; equal questions are weighed once. */
export function questionBounder(caller: Caller, { options }: ModelPool): (question: Question) => Result<number> {
	const known = new Map<Question, Result<number>>();
	return (question) => {
		const bound =
			known.get(question) ?? boundCall(caller, { call: toQuestionCall(question), options, models: question.member });
		known.set(question, bound);
		return bound;
	};
}

/** The engine that strategies ask. */
export function createEngine(work: Workflow, caller: Caller, { options }: ModelPool, task: Task): Engine {
	return {
		async ask(questions) {
			const specs = questions.map((question) => {
				const { stage, role, asksFor, member } = question;
				const staged = { ...options, stage: { stage, role, asksFor } };
				return { stage, role, call: toQuestionCall(question), options: staged, models: member };
			});
			return work.askAll(specs);
		},
		describe: (stage, detail) => work.trace.describe(stage, detail),
		route(text, members) {
			const ids = new Set(members.flat());
			const planned = planCallFor(
				caller,
				toQuestionCall({ ...task, messages: [userMessage(text)], json: false }),
				options,
			);
			const best = planned.ok ? planned.value.selection.candidates.filter(({ model }) => ids.has(model.id)) : [];
			const [first, ...standIns] = best.map(({ model }) => model.id);
			return first ? [first, ...standIns.slice(0, MAX_STAND_INS)] : members[0];
		},
	};
}
