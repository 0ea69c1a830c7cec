// Selects the models that may work on a task, ranked for their parts in it. Nothing is called.
import type { Model } from "../catalog/schema.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { PlanContext } from "../inference/caller.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { planCallFor } from "../inference/workflow.edge.ts";
import type { BudgetStatus } from "../meter/key-budget.ts";
import type { ModelCall } from "../providers/model-call.ts";
import type { RoutingMode } from "../routing/mode.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import type { Candidate } from "../routing/selection.ts";
import { POLICY_MODE } from "./planner.ts";
import type { EffortPolicy, PanelPool } from "./strategy.ts";

/** The models that may work on a task, ranked, and how they are called. */
export interface ModelPool extends PanelPool {
	/** The one whose call costs least at most. */
	cheapest: Candidate;
	/** The most that one call of a candidate can cost, nano-USD. */
	worstCaseNanoUsd(candidate: Candidate): number;
	/** Of every call. */
	options: CallOptions;
}

/** How a pool is selected and called. */
interface PoolOptions extends Pick<CallOptions, "gate" | "asks"> {
	policy: EffortPolicy;
	/** `auto`, or the id of an intensity. */
	model: string;
	/** The routing config for calls of several models; null without one. */
	config: CompiledConfig | null;
	/** The routing config for an answer by one model; by default the same. */
	singleConfig?: CompiledConfig | null;
	/** The compliance policy in force; null without one. */
	gate: ComplianceGate | null;
	/** What the pricing plan lets one call cost; null for anything. */
	planLimitNanoUsd: number | null;
	/** The budget of the caller's key, if what it leaves is a limit of each call. */
	keyBudget?: BudgetStatus | null;
	/** Restricts the pool to some models; the message is for the client, where none of them may serve. */
	only?: { allows(model: Model): boolean; noneMessage: string };
	/** One model answers alone: nothing else is ranked. */
	isSingle?: boolean;
}

/** A model that answers alone, with its fallbacks. */
const MAX_SINGLE = 3;

type RankedCandidates = readonly [Candidate, ...Candidate[]];

/** Ranks the models that may work on a task; a failure where there is none. */
export function selectPool(context: PlanContext, call: ModelCall, poolOptions: PoolOptions): Result<ModelPool> {
	const { policy, model, config, singleConfig = config, gate, planLimitNanoUsd, keyBudget = null } = poolOptions;
	const { only, isSingle = false, asks } = poolOptions;
	const mode = POLICY_MODE[policy];
	const options: CallOptions = { model, mode, config, gate, planLimitNanoUsd, keyBudget, asks };
	const panel = planCallFor(context, call, options);
	if (!panel.ok) return panel;
	const planned = (by: RoutingMode) =>
		by === mode || isSingle ? panel : planCallFor(context, call, { ...options, mode: by });
	const best = planned("quality");
	if (!best.ok) return best;
	const cheap = planned("agility");
	if (!cheap.ok) return cheap;
	const single = singleConfig === config ? panel : planCallFor(context, call, { ...options, config: singleConfig });
	if (!single.ok) return single;
	const usable = ([first, ...others]: RankedCandidates): RankedCandidates | null => {
		const [best, ...rest] = [first, ...others].filter(({ model }) => only?.allows(model) ?? true);
		return best ? [best, ...rest] : null;
	};
	const rankings = [panel, best, cheap].map(({ value }) => usable(value.selection.candidates));
	const [forPanel, forTop, forFoot] = rankings;
	const alone = usable(single.value.selection.failover);
	if (!forPanel || !forTop || !forFoot || !alone)
		return fail({ reason: "no_provider_available", message: only?.noneMessage ?? "no model may serve" });
	const worstCaseNanoUsd = ({ model, effort }: Candidate) => panel.value.attempt(model, effort).worstCase.totalNanoUsd;
	const [first, ...fallbacks] = alone;
	return ok({
		rankings: { panel: forPanel, best: forTop, cheap: forFoot },
		single: [first.model.id, ...fallbacks.slice(0, MAX_SINGLE - 1).map(({ model }) => model.id)],
		cheapest: forPanel.reduce((least, next) => (worstCaseNanoUsd(next) < worstCaseNanoUsd(least) ? next : least)),
		worstCaseNanoUsd,
		options,
	});
}
