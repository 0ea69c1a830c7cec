// Selects the models that may work on a step at an intensity: those of its tiers, and cheaper ones of lower tiers that are expected to
// be as good. Nothing is called.
import { INTENSITIES } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import type { Result } from "../failure.ts";
import { ok } from "../failure.ts";
import type { PlanContext } from "../inference/caller.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { planCallFor } from "../inference/workflow.edge.ts";
import { optionalMember } from "../json.ts";
import { type ModelPool, selectPool } from "../orchestration/model-pool.edge.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import type { EffortPolicy, Task } from "../orchestration/strategy.ts";
import type { ModelCall, ToolDefinition } from "../providers/model-call.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import type { Candidate } from "../routing/selection.ts";
import { INTENSITIES_DESCENDING, type Intensity } from "./step-decision.ts";

/** The model ids that routing knows the intensities by. */
const ROUTING_MODEL_ID: Readonly<Record<Intensity, string>> = { Laser: "laser-1", Halo: "halo-1", Foton: "foton-1" };

/** The rules by which models are chosen for every call of a run. */
export interface PoolRules {
	policy: EffortPolicy;
	config: RoutingConfig | null;
	gate: CallOptions["gate"];
}

/** What a pool is restricted by. */
interface PoolLimits {
	/** Only one model answers, so no panel is ranked. */
	isSingle?: boolean;
	/** Models that the step does without where another may serve. */
	avoid?: readonly string[];
	/** What the models may call: those that call no tools are left out. */
	tools?: readonly ToolDefinition[];
	/** The form of the answer: models that cannot be held to it are left out. */
	output?: ModelCall["output"];
}

/** Whether a model is of a tier below an intensity's. */
function isBelow({ tier }: Model, intensity: Intensity): boolean {
	const lower = INTENSITIES_DESCENDING.slice(INTENSITIES_DESCENDING.indexOf(intensity) + 1);
	return lower.some((each) => INTENSITIES[ROUTING_MODEL_ID[each]]?.tiers.includes(tier));
}

/** A pool with models before its own that cost less than its first, and are expected to be as good. */
function withCheaperEquals(pool: ModelPool, cheaper: readonly Candidate[]): ModelPool {
	const [best, ...others] = cheaper;
	if (!best) return pool;
	const { rankings, single, cheapest, worstCaseNanoUsd, options } = pool;
	const [first, ...fallbacks] = [...cheaper.map(({ model }) => model.id), ...single];
	return {
		...pool,
		rankings: {
			panel: [best, ...others, ...rankings.panel],
			best: [best, ...others, ...rankings.best],
			cheap: [best, ...others, ...rankings.cheap],
		},
		single: [first ?? single[0], ...fallbacks.slice(0, single.length)],
		cheapest: [cheapest, ...cheaper].reduce((least, next) =>
			worstCaseNanoUsd(next) < worstCaseNanoUsd(least) ? next : least,
		),
		// Calls are planned again by these options, which must not exclude them.
		options: { ...options, model: "auto" },
	};
}

/**
 * The models that may work on a task at an intensity, which is the highest tier allowed: a cheaper model that is expected to be as
 * good comes first. Flat-rate runs never call a hyper-frontier model (docs/reference/agents.md, "Agents").
 */
export function selectStepPool(
	context: PlanContext,
	{ policy, config, gate }: PoolRules,
	intensity: Intensity,
	task: Task,
	{ isSingle = false, avoid = [], tools = [], output }: PoolLimits = {},
): Result<ModelPool> {
	const question = toQuestionCall({ ...task, json: false });
	const call: ModelCall = { ...question, tools: [...tools], output: output ?? question.output };
	const isAllowed = ({ hyper_frontier, id }: Model) => !hyper_frontier && !avoid.includes(id);
	const found = selectPool(context, call, {
		policy,
		model: ROUTING_MODEL_ID[intensity],
		asks: task.prompt,
		config: config && { config, matches: () => false },
		gate,
		planLimitNanoUsd: null,
		only: { allows: isAllowed, noneMessage: "no model that agents may use is available" },
		isSingle,
	});
	if (!found.ok) {
		const isForced = avoid.length > 0 && found.failure.reason === "no_provider_available";
		const limits = { isSingle, tools, ...optionalMember("output", output) };
		return isForced ? selectStepPool(context, { policy, config, gate }, intensity, task, limits) : found;
	}
	const pool = found.value;
	const own = pool.rankings.panel.find(({ model }) => model.id === pool.single[0]) ?? pool.rankings.panel[0];
	const all = planCallFor(context, call, { ...pool.options, model: "auto" });
	const candidates = all.ok ? all.value.selection.candidates : [];
	const cheaper = candidates.filter(
		({ model, expectation: { quality, cost } }) =>
			isBelow(model, intensity) &&
			isAllowed(model) &&
			quality >= own.expectation.quality &&
			cost.totalNanoUsd < own.expectation.cost.totalNanoUsd,
	);
	return ok(
		withCheaperEquals(
			pool,
			cheaper.toSorted(
				(a, b) =>
					b.expectation.quality - a.expectation.quality ||
					a.expectation.cost.totalNanoUsd - b.expectation.cost.totalNanoUsd,
			),
		),
	);
}
