// Strategies' questions as calls of the engine: who may answer them, what they cost at most, and how they are asked.
import { runLimitNanoUsdOf } from "../catalog/plans.ts";
import type { Gate } from "../compliance/gate.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Caller } from "../inference/caller.edge.ts";
import type { CallPlan, Wishes } from "../inference/plan.ts";
import { boundOfSpec, planFor, type Work } from "../inference/work.edge.ts";
import { nanoUsd } from "../proof/money.ts";
import type { RoutingMode } from "../routing/mode.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { matchRule } from "../routing/rules.ts";
import type { Candidate } from "../routing/select.ts";
import { type Signals, signals } from "../routing/signals.ts";
import { type Limits, limitOf } from "./bounds.ts";
import { type LoneModels, MAX_STAND_INS, type Rankings } from "./panel.ts";
import { MODE_OF } from "./planner.ts";
import { callOf, panelConfig } from "./request.ts";
import { type Engine, type Member, type Policy, type Question, type Task, userMessage } from "./strategy.ts";

/** Who may work on a task, and under what. */
export interface Floor {
	signals: Signals;
	rankings: Rankings;
	/** The members of a `single`: who would answer a chat, the config's own model and fallbacks included. */
	single: Member;
	/** The cheapest that may serve at all. */
	cheapest: Candidate;
	limits: Limits;
	/** Wishes of every call. */
	wishes: Wishes;
}

/** The floor of a request that has limits of its own. */
export interface LimitedFloor extends Floor, LoneModels {}

function callOfTask({ messages, maxTokens, temperature }: Task) {
	return callOf({ messages, maxTokens, temperature, json: false });
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
export interface FloorRules {
	/** The routing config in force; null without one. */
	config: CompiledConfig | null;
	/** The compliance policy in force; null without one. */
	gate: Gate | null;
}

/** Ranks the models that may work on a task. */
export function floorFor(
	caller: Caller,
	task: Task,
	policy: Policy,
	{ config, gate }: FloorRules,
	maxCostUsd: number | null,
): Result<LimitedFloor> {
	const call = callOfTask(task);
	const detected = signals(call);
	const rule = config && matchRule(config, call, detected);
	const ofPanel = config && { ...config, config: panelConfig(config.config, rule?.use.max_cost) };
	const planLimitNanoUsd = runLimitNanoUsdOf(caller.account.plan);
	const wishes = (mode: RoutingMode): Wishes => ({ model: "auto", mode, config: ofPanel, gate, planLimitNanoUsd });
	const mode = MODE_OF[policy];
	const ranked = (by: RoutingMode) => planFor(caller, call, wishes(by));
	const [panel, best, cheap] = [
		ranked(mode),
		ranked(policy === "efficiency" ? "balanced" : "quality"),
		ranked("agility"),
	];
	const lone = planFor(caller, call, { ...wishes(mode), config });
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
		wishes: wishes(mode),
	});
}

/** What a question costs at most; equal questions are weighed once. */
export function bounder(caller: Caller, { wishes }: Floor): (question: Question) => Result<number> {
	const known = new Map<Question, Result<number>>();
	return (question) => {
		const bound =
			known.get(question) ?? boundOfSpec(caller, { call: callOf(question), wishes, models: question.member });
		known.set(question, bound);
		return bound;
	};
}

/** The engine that strategies ask. */
export function engineOn(work: Work, caller: Caller, { wishes }: Floor, task: Task): Engine {
	return {
		async ask(questions) {
			const specs = questions.map((question) => {
				const { stage, role, member } = question;
				return { stage, role, call: callOf(question), wishes, models: member };
			});
			return work.askAll(specs);
		},
		describe: (stage, detail) => work.trace.describe(stage, detail),
		route(text, members) {
			const ids = new Set(members.flat());
			const planned = planFor(caller, callOf({ ...task, messages: [userMessage(text)], json: false }), wishes);
			const best = planned.ok ? planned.value.selection.candidates.filter(({ model }) => ids.has(model.id)) : [];
			const [first, ...standIns] = best.map(({ model }) => model.id);
			return first ? [first, ...standIns.slice(0, MAX_STAND_INS)] : members[0];
		},
	};
}
