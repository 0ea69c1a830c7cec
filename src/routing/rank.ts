// Ranks the models that may serve a call by what they are worth in a mode. Pure.
import { type Catalog, choosableModels, isChoosable, perCatalog } from "../catalog/catalog.ts";
import { isInPlan } from "../catalog/plans.ts";
import type { Model } from "../catalog/schema.ts";
import type { Tier } from "../catalog/vocabulary.ts";
import { budgetLeftNanoUsd } from "../meter/key-budget.ts";
import { nanoUsd, usd } from "../proof/money.ts";
import { conversationTokens } from "./conversation.ts";
import { chooseEffort } from "./effort.ts";
import { type Constraints, type Exclusion, findExclusions } from "./eligibility.ts";
import {
	fitLength,
	type LongestAnswer,
	longestAnswer,
	minOutputTokens,
	toLengthWarnings,
	withOutputLimit,
	worstCaseNanoUsd,
} from "./length.ts";
import type { Mode } from "./mode.ts";
import { findObservation } from "./observed.ts";
import { computeExpectation, modeUtility, type Prospect, scoreExpectation, typicalAnswerTokens } from "./score.ts";
import type { Candidate, RankedModels, SelectionRequest } from "./selection.ts";
import { summarizeMedia } from "./signals.ts";

/** The lowest of the config's max_cost, its rule's max_cost, the plan's limit, and what is left of the key's budget. */
export function costCeiling({ config, rule, planLimitNanoUsd, keyBudget }: SelectionRequest): Constraints["ceiling"] {
	const limits = [config?.max_cost, rule?.use.max_cost].filter((limit) => limit != null);
	const own = limits.length > 0 ? { scope: "max_cost" as const, nanoUsd: nanoUsd(Math.min(...limits)) } : null;
	const envelope = planLimitNanoUsd === null ? null : { scope: "plan_envelope" as const, nanoUsd: planLimitNanoUsd };
	const left = keyBudget && { scope: "key_budget" as const, nanoUsd: budgetLeftNanoUsd(keyBudget) };
	return [envelope, left].reduce<Constraints["ceiling"]>(
		(lowest, next) => (next && (!lowest || next.nanoUsd < lowest.nanoUsd) ? next : lowest),
		own,
	);
}

/** A cost limit in words. */
function describeCeiling({ scope, nanoUsd: limitNanoUsd }: NonNullable<Constraints["ceiling"]>): string {
	const limit = `$${usd(limitNanoUsd)}`;
	if (scope === "max_cost") return `max_cost of ${limit}`;
	return scope === "plan_envelope" ? `the plan's limit of ${limit}` : `the ${limit} left of the API key's budget`;
}

/** The longest answer of an eligible model, of at least `least` tokens, that the cost limit allows. */
function longestAffordable(
	request: SelectionRequest,
	model: Model,
	mode: Mode,
	{ least, ceiling }: { least: number; ceiling: Constraints["ceiling"] },
): LongestAnswer {
	const longest = longestAnswer(request, model, mode);
	if (!ceiling || request.outputLimit === null) return longest;
	const fit = fitLength(ceiling.nanoUsd, { least, most: longest.maxTokens }, (maxTokens) =>
		worstCaseNanoUsd(request, model, mode, maxTokens),
	);
	const maxTokens = fit?.maxTokens ?? least;
	return maxTokens < longest.maxTokens ? { maxTokens, boundBy: "cost" } : longest;
}

/** Effort and output limit of a candidate, and what the client is told of them. */
function toTerms(
	request: SelectionRequest,
	model: Model,
	mode: Mode,
	longest: LongestAnswer,
	costLimit: string,
): Pick<Candidate, "effort" | "maxTokens" | "warnings"> {
	const { maxTokens } = longest;
	const { effort, warnings } = chooseEffort(model, withOutputLimit(request.call, maxTokens), mode);
	const ofLength = toLengthWarnings(request, model, longest, costLimit);
	return { effort, maxTokens, warnings: ofLength.length === 0 ? warnings : [...warnings, ...ofLength] };
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
	if (request.outputLimit === null) return null;
	const least = minOutputTokens(request, model, mode);
	const fit = fitLength(limitNanoUsd, { least, most }, (maxTokens) =>
		worstCaseNanoUsd(request, model, mode, maxTokens),
	);
	if (!fit) return null;
	const shorter: LongestAnswer = { maxTokens: fit.maxTokens, boundBy: "cost" };
	return { ...candidate, model, ...toTerms(request, model, mode, shorter, "what is left of the request's cost limit") };
}

/** A model of whose recent calls so large a share failed is called after the others. */
const FAILING_SHARE = 0.25;

function toCandidate(
	request: SelectionRequest,
	model: Model,
	mode: Mode,
	prospect: Prospect,
	limits: { least: number; ceiling: Constraints["ceiling"] },
): Candidate {
	const longest = longestAffordable(request, model, mode, limits);
	const costLimit = limits.ceiling && longest.boundBy === "cost" ? describeCeiling(limits.ceiling) : "";
	const { effort, maxTokens, warnings } = toTerms(request, model, mode, longest, costLimit);
	const { observations } = request;
	const observation = findObservation(observations, model.id);
	const terms = {
		effort,
		maxTokens,
		cachedTokens: observations.conversation_model === model.id ? conversationTokens(request.signals) : 0,
		observation,
	};
	const expectation = computeExpectation(model, terms, prospect);
	const score = scoreExpectation(expectation, mode);
	const isFailing = observation.failureShare >= FAILING_SHARE;
	return { model, effort, maxTokens, warnings, expectation, score, isBelowFloor: false, isFailing };
}

/** The scores that candidates are sorted by: no higher than that of any other which is both cheaper and better. */
function scoresBehindBetter(candidates: readonly Candidate[]): (candidate: Candidate) => number {
	const toTraits = ({ expectation: { quality, cost }, score }: Candidate) => ({
		quality,
		nanoUsd: cost.totalNanoUsd,
		score,
	});
	const lowestFirst = candidates.map(toTraits).sort((a, b) => a.score - b.score);
	return (candidate) => {
		const { quality, nanoUsd, score } = toTraits(candidate);
		const isBetter = (other: (typeof lowestFirst)[number]) => other.quality > quality && other.nanoUsd < nanoUsd;
		return lowestFirst.find((other) => other.score >= score || isBetter(other))?.score ?? score;
	};
}

/**
 * Sorts by score; those that fail come later, and those below the mode's floor last. Equal scores are ordered by quality, then by id.
 */
function sortByScore(candidates: Candidate[], mode: Mode): Candidate[] {
	const best = candidates.reduce((most, { expectation }) => Math.max(most, expectation.quality), 0);
	const { floorGap, isBehindBetter } = modeUtility(mode);
	const floor = best - floorGap;
	const toKey = isBehindBetter ? scoresBehindBetter(candidates) : ({ score }: Candidate) => score;
	return candidates
		.map((candidate) => {
			const isBelowFloor = candidate.expectation.quality < floor;
			return {
				candidate: isBelowFloor ? { ...candidate, isBelowFloor } : candidate,
				class: 2 * Number(isBelowFloor) + Number(candidate.isFailing),
				key: toKey(candidate),
			};
		})
		.sort(
			(a, b) =>
				a.class - b.class ||
				b.key - a.key ||
				b.candidate.expectation.quality - a.candidate.expectation.quality ||
				(a.candidate.model.id < b.candidate.model.id ? -1 : 1),
		)
		.map(({ candidate }) => candidate);
}

/** What keeps listed models from requests that do not name them. */
const unnamedExclusions = perCatalog(
	({ models }: Catalog): ReadonlyMap<string, Exclusion[]> =>
		new Map(
			models
				.filter((model) => !model.hidden && !isChoosable(model))
				.map(({ id, assumed_quality }) => [
					id,
					[
						{
							code: "unnamed",
							text: assumed_quality
								? "no quality figures: only requests that name it get it"
								: "auto: false in its row: only requests that name it get it",
						},
					],
				]),
		),
);

/**
 * Ranks the models of some tiers, or of all, that may serve a call. Those that are not chosen by themselves are left out, but for
 * one that is named. The config's fallbacks may be any.
 */
export function rankModels(
	request: SelectionRequest,
	mode: Mode,
	tiers: readonly Tier[] | null,
	named: Model | null = null,
): RankedModels {
	const { catalog, signals, plan, config, nowMs } = request;
	const constraints: Constraints = {
		media: summarizeMedia(request.call),
		signals,
		plan,
		isInPlan: (model) => isInPlan(model, plan, catalog),
		keyAllowlists: config?.allowlists ?? [],
		blocked: config?.blocked ?? [],
		unnamedBlocked: config?.operator_blocked ?? [],
		ceiling: costCeiling(request),
		tiers,
		available: request.available,
		notServed: new Set(Object.keys(request.observations.not_served ?? {})),
		complianceReasons: request.complianceReasons,
		takesRemoteImages: request.takesRemoteImages,
		takesToolName: request.takesToolName,
		worstCaseNanoUsd: (model, maxTokens) => worstCaseNanoUsd(request, model, mode, maxTokens),
	};
	const prospect: Prospect = {
		signals,
		nowMs,
		testEase: catalog.testEase,
		answerTokens: typicalAnswerTokens(signals),
	};
	const found: [string, Exclusion[]][] = [];
	const consider = (model: Model): Candidate | null => {
		const least = minOutputTokens(request, model, mode);
		const exclusions = findExclusions(model, withOutputLimit(request.call, least), constraints);
		found.push([model.id, exclusions]);
		return exclusions.length > 0
			? null
			: toCandidate(request, model, mode, prospect, { least, ceiling: constraints.ceiling });
	};
	const isAside = named !== null && !isChoosable(named);
	const considered = isAside ? [...choosableModels(catalog), named] : choosableModels(catalog);
	const eligible = considered.map(consider).filter((candidate) => candidate !== null);
	const ranked = sortByScore(eligible, mode);
	const listed = [...new Set((config?.fallback ?? []).flatMap((id) => catalog.findModel(id) ?? []))];
	const configured = listed.flatMap((model) =>
		isChoosable(model) || model === named
			? ranked.filter((candidate) => candidate.model === model)
			: (consider(model) ?? []),
	);
	return {
		eligible: ranked,
		configured,
		excluded: () =>
			new Map(
				[...new Map([...unnamedExclusions(catalog), ...found])].filter(([, exclusions]) => exclusions.length > 0),
			),
	};
}
