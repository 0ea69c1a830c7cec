// Chooses the panel: the best ranked models of different providers, each with fallbacks that cost no more. Pure.
import type { Candidate } from "../routing/selection.ts";
import type { Member, Panel, PanelPool, PanelSize, Strategy } from "./strategy.ts";

/** Fallbacks of one member, at most. */
export const MAX_MEMBER_FALLBACKS = 2;

/** The models for one call when money is short. */
export interface SingleModels {
	/** The first by policy whose worst case the limits cover; else the cheapest. */
	fitting: Candidate;
	/** The cheapest that may serve. */
	cheapest: Candidate;
}

function expectedCostNanoUsd({ expectation }: Candidate): number {
	return expectation.cost.totalNanoUsd;
}

/** The best ranked of each provider in turn, then the next of each. With too few candidates it starts again. */
export function diversify(ranked: readonly [Candidate, ...Candidate[]], size: number): [Candidate, ...Candidate[]] {
	const seen = new Map<string, number>();
	const turns = ranked.map((candidate, rank) => {
		const { provider } = candidate.model;
		const turn = seen.get(provider) ?? 0;
		seen.set(provider, turn + 1);
		return { candidate, turn, rank };
	});
	const inTurns = turns.toSorted((a, b) => a.turn - b.turn || a.rank - b.rank).map(({ candidate }) => candidate);
	const first = inTurns[0] ?? ranked[0];
	return [first, ...Array.from({ length: size - 1 }, (_, at) => inTurns[(at + 1) % inTurns.length] ?? first)];
}

/** A candidate with its fallbacks: others of the ranking that cost no more and are not in `taken`, another provider first. */
export function toMember(candidate: Candidate, ranked: readonly Candidate[], taken: readonly Candidate[] = []): Member {
	const { provider } = candidate.model;
	const fallbacks = ranked
		.filter((other) => other.model !== candidate.model && !taken.some(({ model }) => model === other.model))
		.filter((other) => expectedCostNanoUsd(other) <= expectedCostNanoUsd(candidate))
		.map((other, rank) => ({ id: other.model.id, distance: other.model.provider === provider ? 1 : 0, rank }))
		.toSorted((a, b) => a.distance - b.distance || a.rank - b.rank)
		.map(({ id }) => id);
	return [candidate.model.id, ...fallbacks.slice(0, MAX_MEMBER_FALLBACKS)];
}

function toMembers(chosen: readonly [Candidate, ...Candidate[]], ranked: readonly Candidate[]): Panel["members"] {
	const [first, ...rest] = chosen;
	const member = (candidate: Candidate) => toMember(candidate, ranked, chosen);
	return [member(first), ...rest.map(member)];
}

/** Expected quality that a judge is not paid for. */
const JUDGE_QUALITY_MARGIN = 0.02;

/** The best ranked that is no member, or the cheapest that is expected to be as good within a margin. */
function chooseOutsider(ranked: readonly Candidate[], panel: readonly Candidate[]): Candidate | undefined {
	const outsiders = ranked.filter(({ model }) => !panel.some((member) => member.model === model));
	const [best] = outsiders;
	if (!best) return undefined;
	const enough = best.expectation.quality - JUDGE_QUALITY_MARGIN;
	return outsiders
		.filter(({ expectation, isFailing }) => expectation.quality >= enough && (!isFailing || best.isFailing))
		.reduce((cheapest, other) => (expectedCostNanoUsd(other) < expectedCostNanoUsd(cheapest) ? other : cheapest));
}

/** The judge that the client prefers, if it may serve; else the best ranked, and for an `outsider` one that is no member. */
function chooseJudge(
	ranked: readonly [Candidate, ...Candidate[]],
	panel: readonly Candidate[],
	rule: Strategy["judge"],
	preferred: string | null,
): Member {
	const requested = ranked.find(({ model }) => model.id === preferred);
	const outsider = rule === "outsider" ? chooseOutsider(ranked, panel) : undefined;
	return toMember(requested ?? outsider ?? ranked[0], ranked);
}

/**
 * Chooses members and judge for a strategy.
 * @param judgeModel the judge that the client prefers; ignored where it may not serve.
 */
export function choosePanel(strategy: Strategy, pool: PanelPool, size: PanelSize, judgeModel: string | null): Panel {
	if (strategy.choosePanel) return strategy.choosePanel(pool, size);
	const ranked = pool.rankings.panel;
	const members = diversify(ranked, size.width);
	const judge = chooseJudge(ranked, members, strategy.judge, judgeModel);
	const isOutsider = strategy.judge === "outsider";
	const comparer = isOutsider ? judge : chooseJudge(ranked, members, "outsider", null);
	return { members: toMembers(members, ranked), judge, comparer, rounds: size.rounds };
}
