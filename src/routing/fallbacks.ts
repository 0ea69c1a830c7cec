// Orders the candidates that stand in for a model. Pure.
import { blendedRate } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import { TIERS } from "../catalog/vocabulary.ts";
import type { Candidate } from "./selection.ts";

/** The cheapest first, budget models before all others. */
export function sortByPrice(candidates: readonly Candidate[], nowMs: number): Candidate[] {
	return candidates
		.map((candidate) => ({
			candidate,
			rank: candidate.model.tier === "budget" ? 0 : 1,
			price: blendedRate(candidate.model, nowMs),
		}))
		.sort((a, b) => a.rank - b.rank || a.price - b.price)
		.map(({ candidate }) => candidate);
}

/**
 * Order of fallbacks for an intended model: those that are not more expensive first, then by distance in tier, other
 * providers, and score. A client that names a model has a price in mind, so a fallback at several times that price
 * would be a surprise.
 */
export function sortByDistance(candidates: readonly Candidate[], intended: Model, nowMs: number): Candidate[] {
	const price = blendedRate(intended, nowMs);
	const distance = ({ model }: Candidate) =>
		(blendedRate(model, nowMs) > price ? 100 : 0) +
		2 * Math.abs(TIERS.indexOf(model.tier) - TIERS.indexOf(intended.tier)) +
		(model.provider === intended.provider ? 1 : 0);
	return candidates
		.map((candidate) => ({ candidate, distance: distance(candidate) }))
		.sort((a, b) => a.distance - b.distance || b.candidate.score - a.candidate.score)
		.map(({ candidate }) => candidate);
}
