// Selects the model for a call and its fallbacks by signals, mode and constraints, and gives the reason. Pure: the same request
// gives the same selection.
import { findNamedEncoder, findNamedModel } from "../catalog/aliases.ts";
import { INTENSITIES } from "../catalog/catalog.ts";
import { explainEncoderUse } from "../catalog/encoder.ts";
import { isInPlan } from "../catalog/plans.ts";
import type { Model } from "../catalog/schema.ts";
import { TIERS, type Tier } from "../catalog/vocabulary.ts";
import { fail, ok, type Result } from "../failure.ts";
import { stayWithModel } from "./conversation.ts";
import { sortByDistance, sortByPrice } from "./fallbacks.ts";
import type { Mode } from "./mode.ts";
import { costCeiling, rankModels } from "./rank.ts";
import { describeChoice } from "./reason.ts";
import { renderExclusions, toSelectionFailure } from "./refusal.ts";
import { toUnknownModel } from "./replacement.ts";
import type { Candidate, RankedModels, Replacement, Selection, SelectionRequest } from "./selection.ts";

function chooseMode(request: SelectionRequest): Mode {
	const requestedMode = request.routingMode ?? request.rule?.use.routing_mode ?? request.config?.routing_mode;
	if (requestedMode) return requestedMode;
	return request.signals.difficulty === "hard"
		? "quality"
		: request.signals.difficulty === "trivial"
			? request.trivialMode
			: "balanced";
}

function buildSelection(
	request: SelectionRequest,
	mode: Mode,
	ranked: Candidate[],
	ranking: RankedModels,
	fallbackFrom: string | null,
	reason: (first: Candidate) => string,
): Selection | null {
	const [first, ...rest] = ranked;
	if (!first) return null;
	// Between a tool call and its result, no other provider can take over: it would not know the call.
	const isToolLoop = request.call.toolLoopModel !== undefined;
	const mayFollow = (candidate: Candidate) =>
		candidate !== first && (!isToolLoop || candidate.model.provider === first.model.provider);
	const { rule } = request;
	const nearest = sortByDistance(rest.filter(mayFollow), first.model, request.nowMs);
	const configured = ranking.configured.filter(mayFollow);
	return {
		mode,
		candidates: [first, ...rest],
		failover: [first, ...(configured.length === 0 ? nearest : new Set([...configured, ...nearest]))],
		ceilingNanoUsd: costCeiling(request)?.nanoUsd ?? null,
		excluded: () => renderExclusions(ranking.excluded()),
		fallbackFrom,
		reason: `${rule ? `rule ${JSON.stringify(rule.name)}: ` : ""}${reason(first)}`,
	};
}

/** The tiers that a selection is limited to, and their name for the client. */
interface TierRange {
	name: string;
	tiers: readonly Tier[];
}

/** Selects the conversation's model while no switch is worth it, else the best ranked; null when nothing is eligible. */
function selectBest(request: SelectionRequest, mode: Mode, ranking: RankedModels, within: string): Selection | null {
	const { eligible } = ranking;
	const stay = stayWithModel(request, eligible);
	const ranked = stay ? [stay.candidate, ...eligible.filter((candidate) => candidate !== stay.candidate)] : eligible;
	return buildSelection(request, mode, ranked, ranking, null, (first) =>
		stay
			? `${mode} routing${within}: ${first.model.display_name} ${stay.why}`
			: describeChoice(mode, within, request.signals, [first, ...ranked.slice(1)]),
	);
}

/** Selects within tiers. While no model of them is eligible, it goes to the next lower tier. */
function selectWithinTiers(request: SelectionRequest, mode: Mode, range: TierRange | null): Result<Selection> {
	let tiers: readonly Tier[] | null = range?.tiers ?? null;
	for (;;) {
		const ranking = rankModels(request, mode, tiers);
		const within =
			range && tiers
				? ` within ${range.name}${tiers === range.tiers ? "" : ` (nearest tier: ${tiers.join(", ")})`}`
				: "";
		const chosen = selectBest(request, mode, ranking, within);
		if (chosen) return ok(chosen);
		const lowest = tiers ? Math.min(...tiers.map((tier) => TIERS.indexOf(tier))) : 0;
		const lower = TIERS[lowest - 1];
		if (!lower) return fail(toSelectionFailure(request, rankModels(request, mode, null).excluded(), mode));
		tiers = [lower];
	}
}

/** Selects the cheapest budget model. It replaces an id that means nothing, or a model that is not in the plan. */
function selectCheapest(request: SelectionRequest, because: "unknown" | "plan", why: string): Result<Selection> {
	const ranking = rankModels(request, "direct", null);
	const chosen = buildSelection(
		request,
		"direct",
		sortByPrice(ranking.eligible, request.nowMs),
		ranking,
		request.model,
		(first) => `${why}: ${first.model.display_name} is the cheapest available budget model`,
	);
	const replaced: Replacement = { asked: request.model, because };
	return chosen ? ok({ ...chosen, replaced }) : fail(toSelectionFailure(request, ranking.excluded(), "direct"));
}

/**
 * Selects a model that was named.
 * A model named by the request is served by that model or the config's own fallbacks. Other fallbacks serve only when
 * its provider cannot be called.
 * A model named by the config is a preference: any fallback may serve instead.
 */
function selectNamed(request: SelectionRequest, model: Model, by: "request" | "config"): Result<Selection> {
	const namer = by === "request" ? by : "routing config";
	const isAlias = request.model !== model.id;
	const isDue = by === "request" && request.observations.not_served?.[model.id] === 0;
	const ranking = rankModels(isDue ? withServed(request, [model.id]) : request, "direct", null, model);
	const own = ranking.eligible.find((candidate) => candidate.model === model);
	const others = ranking.eligible.filter((candidate) => candidate !== own);
	const fallbacks = [...new Set([...ranking.configured, ...sortByDistance(others, model, request.nowMs)])];
	if (own) {
		const mayWork = new Set(others);
		const ranked = [own, ...fallbacks.filter((candidate) => mayWork.has(candidate))];
		const chosen = buildSelection(request, "direct", ranked, ranking, null, (first) =>
			isAlias
				? `${first.model.display_name} is the nearest model to ${request.model}, which the ${namer} named`
				: `${first.model.display_name} was named by the ${namer}`,
		);
		if (chosen) return ok(chosen);
	}
	const why = ranking.excluded().get(model.id) ?? [];
	const anyMayServe = by === "config" || why.some(({ code }) => code === "unavailable");
	// When the model lacks a capability or exceeds a limit, only the client can change the request. For price and
	// config, the config's own fallbacks may serve.
	const refusal = why.find(({ code }) => code === "capability" || code === "limits");
	const configured = refusal ? [] : ranking.configured;
	const ranked = anyMayServe ? fallbacks : configured;
	const chosen = buildSelection(
		request,
		"direct",
		ranked,
		ranking,
		model.id,
		(first) =>
			`${model.display_name}${isAlias ? `, the nearest model to ${request.model},` : ""} cannot serve (${why[0]?.text}): ${first.model.display_name} is its nearest stand-in`,
	);
	if (chosen) return ok(chosen);
	return fail(
		anyMayServe
			? toSelectionFailure(request, ranking.excluded(), "direct")
			: toSelectionFailure(request, new Map([[model.id, why]]), "direct", others),
	);
}

/** Continues with the model whose tool calls the request answers; null when it cannot serve. */
function continueToolLoop(request: SelectionRequest, modelId: string, mode: Mode): Selection | null {
	const ranking = rankModels(request, mode, null, request.catalog.findModel(modelId) ?? null);
	const own = ranking.eligible.find(({ model }) => model.id === modelId);
	if (!own) return null;
	const ranked = [own, ...ranking.eligible.filter((candidate) => candidate !== own)];
	return buildSelection(
		request,
		mode,
		ranked,
		ranking,
		null,
		(first) => `${first.model.display_name} goes on with the tool calls it made`,
	);
}

/** What to select: a named model, tiers, or null for any model. The request decides, else the rule, else the config. */
function findTarget({
	model,
	rule,
	config,
}: SelectionRequest): { by: "request" | "config"; model: string } | TierRange | null {
	const intensity = Object.hasOwn(INTENSITIES, model) ? INTENSITIES[model] : undefined;
	if (intensity) return intensity;
	if (model !== "auto") return { by: "request", model };
	const ruleModel = rule?.use.model;
	if (ruleModel !== undefined) return ruleModel === "auto" ? null : { by: "config", model: ruleModel };
	if (rule?.use.tier) return { name: `tier ${rule.use.tier}`, tiers: [rule.use.tier] };
	return config && config.model !== "auto" ? { by: "config", model: config.model } : null;
}

/** The request as if providers had not said that they do not serve some models. */
function withServed(request: SelectionRequest, modelIds: readonly string[]): SelectionRequest {
	const { not_served = {}, ...observations } = request.observations;
	const left = Object.entries(not_served).filter(([id]) => !modelIds.includes(id));
	return { ...request, observations: { ...observations, not_served: Object.fromEntries(left) } };
}

/**
 * Selects the model for a call and ranks the others as fallbacks. Models that their providers lately said they do not serve are passed
 * by; where nothing else may serve, they are asked.
 */
export function selectModels(request: SelectionRequest): Result<Selection> {
	const selected = selectServed(request);
	const passedBy = Object.keys(request.observations.not_served ?? {});
	return selected.ok || passedBy.length === 0 ? selected : selectServed(withServed(request, passedBy));
}

function selectServed(request: SelectionRequest): Result<Selection> {
	const target = findTarget(request);
	const { toolLoopModel } = request.call;
	const namedModel = target && "by" in target ? target : null;
	if (toolLoopModel !== undefined && namedModel?.by !== "request") {
		const same = continueToolLoop(request, toolLoopModel, chooseMode(request));
		if (same) return ok(same);
	}
	if (!target || "tiers" in target) return selectWithinTiers(request, chooseMode(request), target);
	const named = findNamedModel(target.model, request.catalog);
	const asked = { ...request, model: target.model };
	if (!named) {
		const encoder = findNamedEncoder(target.model, request.catalog);
		if (encoder)
			return fail({ reason: "invalid_request", issues: [{ path: "model", message: explainEncoderUse(encoder) }] });
		if (request.refusesUnknown) return fail(toUnknownModel(target.model));
		return selectCheapest(asked, "unknown", "the id asked for is not in the catalog");
	}
	const { model, isExact } = named;
	if (!isInPlan(model, request.plan, request.catalog))
		return selectCheapest(asked, "plan", `${model.id} is not in the ${request.plan.displayName} plan`);
	const selected = selectNamed(isExact ? { ...request, model: model.id } : asked, model, target.by);
	if (!selected.ok || isExact) return selected;
	return ok({ ...selected.value, replaced: { asked: target.model, because: "alias", nearest: model.id } });
}
