// Ranks the models for a call by signals, mode and constraints, and gives the reason. Pure: the same request gives the
// same ranking.

import { type Catalog, INTENSITIES } from "../catalog/catalog.ts";
import { modelAllowlist, type Plan } from "../catalog/plans.ts";
import { blendedRate } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import { TIERS, type Tier } from "../catalog/vocabulary.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { nanoUsd, usd } from "../proof/money.ts";
import type { Warning } from "../providers/model-call.ts";
import { chooseEffort } from "./effort.ts";
import { type Constraints, type Exclusion, findExclusions } from "./eligibility.ts";
import {
	fitLength,
	type LengthRequest,
	maxOutputTokens,
	minOutputTokens,
	withOutputLimit,
	worstCaseNanoUsd,
} from "./length.ts";
import type { Mode, RoutingMode } from "./mode.ts";
import type { RoutingConfig } from "./routing-config.ts";
import type { MatchedRule } from "./rules.ts";
import { computeExpectation, type Expectation, scoreExpectation } from "./score.ts";
import type { Signals } from "./signals.ts";

/** Everything that a selection depends on. */
export interface SelectionRequest extends LengthRequest {
	/** The models to choose from. */
	catalog: Catalog;
	/** As the client wrote it; `auto` leaves the choice to routing. */
	model: string;
	routingMode: RoutingMode | null;
	/** The mode for a trivial prompt when neither request nor config sets one. */
	trivialMode: RoutingMode;
	config: RoutingConfig | null;
	/** The config's rule that matches the call; null when none does. */
	rule: MatchedRule | null;
	plan: Plan;
	/** The most that the plan lets the request cost, nano-USD; null means no limit. */
	planLimitNanoUsd: number | null;
	/** Whether a model's provider can be called. */
	available(model: Model): boolean;
	/** Why the compliance policy in force keeps the call from a model; empty when it does not. */
	complianceReasons(model: Model): readonly string[];
	/** Whether a model's wire takes images by https address. */
	takesRemoteImages(model: Model): boolean;
	/** Whether a model's wire takes a tool of this name. */
	takesToolName(model: Model, name: string): boolean;
	/** The model that has served the conversation so far; null when there is none, or it is not known. */
	conversationModel: string | null;
	nowMs: number;
}

/** A model that may serve a call. */
export interface Candidate {
	model: Model;
	effort: EffortChoice;
	/** The output limit that it is called with. */
	maxTokens: number;
	warnings: Warning[];
	score: number;
	expectation: Expectation;
}

/** The ranked models for a call, and why the first one ranks first. */
export interface Selection {
	mode: Mode;
	/** Ranked; the first is called first. Never empty. */
	candidates: [Candidate, ...Candidate[]];
	/** The order of calls: the first candidate, then its fallbacks. */
	failover: [Candidate, ...Candidate[]];
	/** The most that all calls of the request may cost together, nano-USD; null means no limit. */
	ceilingNanoUsd: number | null;
	excluded: Record<string, string[]>;
	/**
	 * The model or id that was named but cannot serve; null when the first candidate is the intended one.
	 */
	fallbackFrom: string | null;
	/** One sentence for people. */
	reason: string;
}

interface RankedModels {
	eligible: Candidate[];
	excluded: Map<string, Exclusion[]>;
}

function chooseMode(request: SelectionRequest): Mode {
	const requestedMode = request.routingMode ?? request.rule?.use.routing_mode ?? request.config?.routing_mode;
	if (requestedMode) return requestedMode;
	return request.signals.difficulty === "hard"
		? "quality"
		: request.signals.difficulty === "trivial"
			? request.trivialMode
			: "balanced";
}

/** The lowest of the config's max_cost, its rule's max_cost, and the plan's limit. */
function costCeiling({ config, rule, planLimitNanoUsd }: SelectionRequest): Constraints["ceiling"] {
	const limits = [config?.max_cost, rule?.use.max_cost].filter((limit) => limit != null);
	const own = limits.length > 0 ? { scope: "max_cost" as const, nanoUsd: nanoUsd(Math.min(...limits)) } : null;
	const envelope = planLimitNanoUsd === null ? null : { scope: "plan_envelope" as const, nanoUsd: planLimitNanoUsd };
	if (own && envelope) return own.nanoUsd <= envelope.nanoUsd ? own : envelope;
	return own ?? envelope;
}

/** The longest answer of an eligible model that the cost limit allows, in tokens. */
function longestAnswerTokens(request: SelectionRequest, model: Model, mode: Mode): number {
	const ceiling = costCeiling(request);
	const least = minOutputTokens(request, model, mode);
	const most = maxOutputTokens(request, model, mode);
	if (!ceiling) return most;
	const fit = fitLength(ceiling.nanoUsd, { least, most }, (maxTokens) =>
		worstCaseNanoUsd(request, model, mode, maxTokens),
	);
	return fit?.maxTokens ?? least;
}

/**
 * The candidate with an answer short enough that its worst case fits the limit (nano-USD); null when it cannot be
 * shortened that much, or not at all.
 */
export function shortenCandidate(
	request: SelectionRequest,
	mode: Mode,
	{ model, maxTokens: most, ...candidate }: Candidate,
	limitNanoUsd: number,
): Candidate | null {
	if (!request.isOpenEnded) return null;
	const least = minOutputTokens(request, model, mode);
	const fit = fitLength(limitNanoUsd, { least, most }, (maxTokens) =>
		worstCaseNanoUsd(request, model, mode, maxTokens),
	);
	if (!fit) return null;
	const { maxTokens } = fit;
	return { ...candidate, model, maxTokens, ...chooseEffort(model, withOutputLimit(request.call, maxTokens), mode) };
}

function rankModels(request: SelectionRequest, mode: Mode, tiers: readonly Tier[] | null): RankedModels {
	const { catalog, signals, plan, config, nowMs } = request;
	const allowlist = modelAllowlist(plan, catalog);
	const ranking: RankedModels = { eligible: [], excluded: new Map() };
	for (const model of catalog.models) {
		const least = minOutputTokens(request, model, mode);
		const constraints: Constraints = {
			call: withOutputLimit(request.call, least),
			signals,
			plan,
			allowlist,
			blocked: config?.blocked ?? [],
			ceiling: costCeiling(request),
			tiers,
			available: request.available,
			complianceReasons: request.complianceReasons,
			takesRemoteImages: request.takesRemoteImages,
			takesToolName: request.takesToolName,
			worstCaseNanoUsd: (candidate) => worstCaseNanoUsd(request, candidate, mode, least),
		};
		const exclusions = findExclusions(model, constraints);
		if (exclusions.length > 0) {
			ranking.excluded.set(model.id, exclusions);
			continue;
		}
		const maxTokens = request.isOpenEnded ? longestAnswerTokens(request, model, mode) : least;
		const { effort, warnings } = chooseEffort(model, withOutputLimit(request.call, maxTokens), mode);
		const expectation = computeExpectation(model, effort, signals, maxTokens, nowMs);
		ranking.eligible.push({
			model,
			effort,
			maxTokens,
			warnings,
			expectation,
			score: scoreExpectation(expectation, mode),
		});
	}
	ranking.eligible.sort((a, b) => b.score - a.score || (a.model.id < b.model.id ? -1 : 1));
	return ranking;
}

function sortByPrice(candidates: readonly Candidate[], nowMs: number): Candidate[] {
	const rank = ({ model }: Candidate) => (model.tier === "budget" ? 0 : 1);
	return candidates.toSorted((a, b) => rank(a) - rank(b) || blendedRate(a.model, nowMs) - blendedRate(b.model, nowMs));
}

/**
 * Order of fallbacks for an intended model: those that are not more expensive first, then by distance in tier, other
 * providers, and score. A client that names a model has a price in mind, so a fallback at several times that price
 * would be a surprise.
 */
function sortByDistance(candidates: readonly Candidate[], intended: Model, nowMs: number): Candidate[] {
	const price = blendedRate(intended, nowMs);
	const distance = ({ model }: Candidate) =>
		(blendedRate(model, nowMs) > price ? 100 : 0) +
		2 * Math.abs(TIERS.indexOf(model.tier) - TIERS.indexOf(intended.tier)) +
		(model.provider === intended.provider ? 1 : 0);
	return candidates.toSorted((a, b) => distance(a) - distance(b) || b.score - a.score);
}

/** The eligible fallbacks that the config lists, in its order. */
function listConfiguredFallbacks(ranking: RankedModels, config: RoutingConfig | null): Candidate[] {
	return (config?.fallback ?? [])
		.map((id) => ranking.eligible.find(({ model }) => model.id === id))
		.filter((candidate) => candidate !== undefined);
}

function renderExclusions(excluded: ReadonlyMap<string, readonly Exclusion[]>): Record<string, string[]> {
	return Object.fromEntries([...excluded].map(([id, exclusions]) => [id, exclusions.map(({ text }) => text)]));
}

type WouldFit = Extract<Failure, { reason: "cost_limit_exceeded" }>["wouldFit"];

/** A shorter answer is no useful suggestion, unless the client asked for less. */
const MIN_SUGGESTED_TOKENS = 64;

/** The longest answer of a model whose worst case fits the limit; null when there is none. */
function fitForModel(request: SelectionRequest, model: Model, mode: Mode, limitNanoUsd: number): WouldFit {
	const { maxTokens: most } = request.call;
	const least = Math.min(most, MIN_SUGGESTED_TOKENS);
	const fit = fitLength(limitNanoUsd, { least, most }, (maxTokens) =>
		worstCaseNanoUsd(request, model, mode, maxTokens),
	);
	return fit && { model: model.id, maxTokens: fit.maxTokens, worstCaseUsd: usd(fit.worstNanoUsd) };
}

/**
 * The suggestion for the client: among models that cost too much, the longest answer that fits; of equals, the
 * cheapest.
 */
function suggestFit(request: SelectionRequest, models: readonly Model[], mode: Mode, limitNanoUsd: number): WouldFit {
	return models
		.map((model) => fitForModel(request, model, mode, limitNanoUsd))
		.reduce(
			(best, fit) =>
				fit &&
				(!best ||
					fit.maxTokens > best.maxTokens ||
					(fit.maxTokens === best.maxTokens && fit.worstCaseUsd < best.worstCaseUsd))
					? fit
					: best,
			null,
		);
}

/** @param others models that could serve, when the request named one that cannot. */
function toCostFailure(
	request: SelectionRequest,
	models: readonly Model[],
	mode: Mode,
	others: readonly Candidate[],
): Failure {
	const ceiling = costCeiling(request);
	const worst = Math.min(
		...models.map((model) => worstCaseNanoUsd(request, model, mode, minOutputTokens(request, model, mode))),
	);
	const scope = ceiling?.scope ?? "max_cost";
	const limitUsd = usd(ceiling?.nanoUsd ?? 0);
	const isEnvelope = request.planLimitNanoUsd === request.plan.envelopeNanoUsd;
	const planLimit = `the ${request.plan.displayName} plan's ${isEnvelope ? "envelope" : "limit"} per request`;
	const limit = scope === "max_cost" ? "max_cost" : planLimit;
	const message = `the cheapest eligible model could cost $${usd(worst)}, ${limit} is $${limitUsd}; ${request.isOpenEnded ? "set max_tokens" : "lower max_tokens"} or shorten the prompt`;
	const limitNanoUsd = ceiling?.nanoUsd ?? 0;
	const wouldFit =
		suggestFit(request, models, mode, limitNanoUsd) ??
		suggestFit(
			request,
			others.slice(0, 1).map(({ model }) => model),
			mode,
			limitNanoUsd,
		);
	return { reason: "cost_limit_exceeded", message, scope, limitUsd, worstCaseUsd: usd(worst), wouldFit };
}

/** Why no model may serve. The failure names what excludes the models that are closest to being eligible. */
function toSelectionFailure(
	request: SelectionRequest,
	excluded: ReadonlyMap<string, Exclusion[]>,
	mode: Mode,
	others: readonly Candidate[] = [],
): Failure {
	const reachable = [...excluded].filter(
		([, exclusions]) => !exclusions.some(({ code }) => code === "unavailable" || code === "plan"),
	);
	if (reachable.length === 0) return toNoProviderFailure(request);
	const only = (...codes: Exclusion["code"][]) =>
		reachable.filter(([, exclusions]) => exclusions.every(({ code }) => codes.includes(code)));
	const byPolicy: Failure = {
		reason: "compliance_blocked",
		message: "the compliance policy excludes every model that could serve this request",
		excluded: renderExclusions(excluded),
	};
	if (only("compliance").length > 0) return byPolicy;
	const tooDear = only("cost")
		.map(([id]) => request.catalog.findModel(id))
		.filter((model) => model !== undefined);
	if (tooDear.length > 0) return toCostFailure(request, tooDear, mode, others);
	if (only("blocked", "tier").length > 0) {
		return {
			reason: "model_blocked",
			message: "the routing config blocks every model that could serve this request",
			excluded: renderExclusions(excluded),
		};
	}
	// Both the policy and something the client could change exclude each model. Changing it would not help against the
	// policy.
	if (only("compliance", "blocked", "tier", "cost").length > 0) return byPolicy;
	const issues = new Map<string, string>();
	for (const [id, exclusions] of reachable) {
		for (const { param, text } of exclusions)
			if (param && !issues.has(param))
				issues.set(param, reachable.length === 1 ? `${id}: ${text}` : `no model can serve this; ${id}: ${text}`);
	}
	return { reason: "invalid_request", issues: [...issues].map(([path, message]) => ({ path, message })) };
}

function toNoProviderFailure({ plan, catalog }: SelectionRequest): Failure {
	const message = modelAllowlist(plan, catalog)
		? `none of the ${plan.displayName} plan's models is available: no key is configured for their providers`
		: "no provider key is configured on this server";
	return { reason: "no_provider_available", message };
}

function joinWithAnd(words: readonly string[]): string {
	return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function describeExpectation({ expectation }: Candidate): string {
	const cost = (expectation.cost.totalNanoUsd / 1e9).toPrecision(2);
	return `expected quality ${expectation.quality.toFixed(2)}, about $${Number(cost)} and ${(expectation.latencyMs / 1000).toFixed(1)} s`;
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
	const fallbacks = isToolLoop ? rest.filter(({ model }) => model.provider === first.model.provider) : rest;
	const configured = listConfiguredFallbacks(ranking, request.config).filter((candidate) =>
		fallbacks.includes(candidate),
	);
	const { rule } = request;
	const nearest = sortByDistance(fallbacks, first.model, request.nowMs);
	return {
		mode,
		candidates: [first, ...rest],
		failover: [first, ...new Set([...configured, ...nearest])],
		ceilingNanoUsd: costCeiling(request)?.nanoUsd ?? null,
		excluded: renderExclusions(ranking.excluded),
		fallbackFrom,
		reason: `${rule ? `rule ${JSON.stringify(rule.name)}: ` : ""}${reason(first)}`,
	};
}

/** Score gain that is worth losing the prompt cache of the conversation's model. */
const SWITCH_GAIN = 0.08;

/** The conversation's model, unless the best model is so much better that switching pays. */
function conversationCandidate(ranking: RankedModels, modelId: string | null): Candidate | null {
	const own = ranking.eligible.find(({ model }) => model.id === modelId);
	const best = ranking.eligible[0];
	return own && best && own !== best && best.score - own.score < SWITCH_GAIN ? own : null;
}

/** The prompt's intents and other signals, for the reason. */
function describePrompt({ intents, hasTools, longContext }: Signals): string {
	return joinWithAnd([...intents, ...(hasTools ? ["tools"] : []), ...(longContext ? ["long context"] : [])]);
}

/** The tiers that a selection is limited to, and their name for the client. */
interface TierRange {
	name: string;
	tiers: readonly Tier[];
}

/** Selects within tiers. While no model of them is eligible, it goes to the next lower tier. */
function selectWithinTiers(request: SelectionRequest, mode: Mode, range: TierRange | null): Result<Selection> {
	const kinds = describePrompt(request.signals);
	let tiers: readonly Tier[] | null = range?.tiers ?? null;
	for (;;) {
		const ranking = rankModels(request, mode, tiers);
		const within =
			range && tiers
				? ` within ${range.name}${tiers === range.tiers ? "" : ` (nearest tier: ${tiers.join(", ")})`}`
				: "";
		const conversation = conversationCandidate(ranking, request.conversationModel);
		const ranked = conversation
			? [conversation, ...ranking.eligible.filter((candidate) => candidate !== conversation)]
			: ranking.eligible;
		const chosen = buildSelection(request, mode, ranked, ranking, null, (first) => {
			if (conversation) return `${mode} routing${within}: ${first.model.display_name} goes on with its conversation`;
			const others = ranking.eligible.length;
			return `${mode} routing${within} for a ${kinds} prompt: ${first.model.display_name} ranks first of ${others} eligible ${others === 1 ? "model" : "models"} (${describeExpectation(first)})`;
		});
		if (chosen) return ok(chosen);
		const lowest = tiers ? Math.min(...tiers.map((tier) => TIERS.indexOf(tier))) : 0;
		const lower = TIERS[lowest - 1];
		if (!lower) return fail(toSelectionFailure(request, rankModels(request, mode, null).excluded, mode));
		tiers = [lower];
	}
}

/** Selects the cheapest budget model. It replaces an id that is not in the catalog or not in the plan. */
function selectCheapest(request: SelectionRequest, why: string): Result<Selection> {
	const ranking = rankModels(request, "direct", null);
	const chosen = buildSelection(
		request,
		"direct",
		sortByPrice(ranking.eligible, request.nowMs),
		ranking,
		request.model,
		(first) => `${why}: ${first.model.display_name} is the cheapest available budget model`,
	);
	return chosen ? ok(chosen) : fail(toSelectionFailure(request, ranking.excluded, "direct"));
}

/**
 * Selects a model that was named.
 * A model named by the request is served by that model or the config's own fallbacks. Other fallbacks serve only when
 * its provider cannot be called.
 * A model named by the config is a preference: any fallback may serve instead.
 */
function selectNamed(request: SelectionRequest, model: Model, by: "request" | "config"): Result<Selection> {
	const ranking = rankModels(request, "direct", null);
	const own = ranking.eligible.find((candidate) => candidate.model === model);
	const others = ranking.eligible.filter((candidate) => candidate !== own);
	const fallbacks = [
		...new Set([...listConfiguredFallbacks(ranking, request.config), ...sortByDistance(others, model, request.nowMs)]),
	];
	if (own) {
		const ranked = [own, ...fallbacks.filter((candidate) => candidate !== own)];
		const chosen = buildSelection(
			request,
			"direct",
			ranked,
			ranking,
			null,
			(first) => `${first.model.display_name} was named by the ${by === "request" ? by : "routing config"}`,
		);
		if (chosen) return ok(chosen);
	}
	const why = ranking.excluded.get(model.id) ?? [];
	const anyMayServe = by === "config" || why.some(({ code }) => code === "unavailable");
	// When the model lacks a capability or exceeds a limit, only the client can change the request. For price and
	// config, the config's own fallbacks may serve.
	const refusal = why.find(({ code }) => code === "capability" || code === "limits");
	const configured = refusal ? [] : listConfiguredFallbacks(ranking, request.config);
	const ranked = anyMayServe ? fallbacks : configured;
	const chosen = buildSelection(
		request,
		"direct",
		ranked,
		ranking,
		model.id,
		(first) =>
			`${model.display_name} cannot serve (${why[0]?.text}): ${first.model.display_name} is its nearest stand-in`,
	);
	if (chosen) return ok(chosen);
	return fail(
		anyMayServe
			? toSelectionFailure(request, ranking.excluded, "direct")
			: toSelectionFailure(request, new Map([[model.id, why]]), "direct", others),
	);
}

/** Continues with the model whose tool calls the request answers; null when it cannot serve. */
function continueToolLoop(request: SelectionRequest, modelId: string, mode: Mode): Selection | null {
	const ranking = rankModels(request, mode, null);
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

/** Selects the model for a call and ranks the others as fallbacks. */
export function selectModels(request: SelectionRequest): Result<Selection> {
	const target = findTarget(request);
	const { toolLoopModel } = request.call;
	const namedModel = target && "by" in target ? target : null;
	if (toolLoopModel !== undefined && namedModel?.by !== "request") {
		const same = continueToolLoop(request, toolLoopModel, chooseMode(request));
		if (same) return ok(same);
	}
	if (!target || "tiers" in target) return selectWithinTiers(request, chooseMode(request), target);
	const model = request.catalog.findModel(target.model);
	const allowlist = modelAllowlist(request.plan, request.catalog);
	const namedRequest = { ...request, model: target.model };
	if (!model) return selectCheapest(namedRequest, "the id asked for is not in the catalog");
	if (allowlist && !allowlist.includes(model.id))
		return selectCheapest(namedRequest, `${model.id} is not in the ${request.plan.displayName} plan`);
	return selectNamed(namedRequest, model, target.by);
}
