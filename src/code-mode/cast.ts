// Chooses the models of a code request: coders of different providers, and a critic that is none of them. Pure.
import { diversify, type SingleModels, toMember } from "../orchestration/panel.ts";
import type { PriceRange } from "../orchestration/planner.ts";
import type { Member, Rankings } from "../orchestration/strategy.ts";
import type { Candidate } from "../routing/selection.ts";
import type { CodeOptions } from "./request.ts";

export interface CodeCast {
	coders: readonly [Member, ...Member[]];
	/** Null where nothing is reviewed. */
	critic: Member | null;
	/** Preferences of the client that could not be met, and what falls short. One sentence each. */
	notes: string[];
}

/** How many models take part, and of which prices. */
export interface CodeCastSize {
	width: number;
	review: boolean;
	price: PriceRange;
}

function findPreferred(ranked: readonly Candidate[], modelId: string | null): Candidate | null {
	return ranked.find(({ model }) => model.id === modelId) ?? null;
}

/** Coders: the client's own first, then the best ranked of each provider; none twice. */
function chooseCoders(
	ranked: readonly [Candidate, ...Candidate[]],
	preferred: Candidate | null,
	width: number,
): [Candidate, ...Candidate[]] {
	const [first, ...rest] = diversify(ranked, width);
	const coders = preferred ? [preferred, first, ...rest] : [first, ...rest];
	const distinct = coders.filter(({ model }, place) => coders.findIndex((other) => other.model === model) === place);
	const [head = first, ...tail] = distinct.slice(0, width);
	return [head, ...tail];
}

function isAmong(coders: readonly Candidate[], candidate: Candidate): boolean {
	return coders.some(({ model }) => model === candidate.model);
}

/** The critic: the client's own, else the best of a provider without a coder, else the best that is no coder; null where all are coders. */
function chooseCritic(
	ranked: readonly Candidate[],
	coders: readonly Candidate[],
	preferred: Candidate | null,
): Candidate | null {
	const others = ranked.filter((candidate) => !isAmong(coders, candidate));
	if (preferred && !isAmong(coders, preferred)) return preferred;
	const providers = new Set(coders.map(({ model }) => model.provider));
	return others.find(({ model }) => !providers.has(model.provider)) ?? others[0] ?? null;
}

function castNotes(
	{ coderModel, reviewerModel }: CodeOptions,
	coder: Candidate | null,
	reviewer: Candidate | null,
): string[] {
	const unusable = (name: string, id: string) => `${name} ${id} may not serve here and was ignored`;
	return [
		...(coderModel !== null && !coder ? [unusable("coder_model", coderModel)] : []),
		...(reviewerModel !== null && !reviewer ? [unusable("reviewer_model", reviewerModel)] : []),
	];
}

/**
 * Chooses coders and critic from the models that may serve. A preferred model that may not serve is ignored, with a note.
 * @param single the models that write alone when money is short.
 */
export function chooseCodeCast(
	rankings: Rankings,
	single: SingleModels,
	options: CodeOptions,
	{ width, review, price }: CodeCastSize,
): CodeCast {
	if (price === "lowest" || price === "fitting") {
		const coder = price === "lowest" ? single.cheapest : single.fitting;
		return { coders: [toMember(coder, [])], critic: null, notes: [] };
	}
	const cheap = price === "low";
	const ranked = cheap || options.policy === "efficiency" ? rankings.cheap : rankings.panel;
	const judges = cheap ? rankings.cheap : rankings.best;
	const preferredCoder = cheap ? null : findPreferred(ranked, options.coderModel);
	const preferredReviewer = cheap ? null : findPreferred(judges, options.reviewerModel);
	const coders = chooseCoders(ranked, preferredCoder, width);
	const notes = cheap ? [] : castNotes(options, preferredCoder, preferredReviewer);
	const [first, ...rest] = coders;
	if (!review) return { coders: [toMember(first, ranked, coders)], critic: null, notes };
	const critic = chooseCritic(judges, coders, preferredReviewer);
	if (preferredReviewer && critic !== preferredReviewer)
		notes.push(`${preferredReviewer.model.id} writes the code, so another model reviews it`);
	if (!critic) notes.push("no other model may serve, so the coder reviews its own code");
	const taken = critic ? [...coders, critic] : coders;
	const member = (candidate: Candidate) => toMember(candidate, ranked, taken);
	return {
		coders: [member(first), ...rest.map(member)],
		critic: toMember(critic ?? first, judges, taken),
		notes,
	};
}
