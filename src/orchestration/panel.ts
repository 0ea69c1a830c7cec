// Who takes part: members from different providers, in the order that selection ranks them, with stand-ins that are not dearer. Pure.
import type { Candidate } from "../routing/select.ts";
import type { Member, Panel, PanelPool, PanelSize, Strategy } from "./strategy.ts";

/** Members of a call set: who is asked and at most so many who stand in. */
export const MAX_STAND_INS = 2;

/** Who is left for one call where money is short. */
export interface LoneModels {
	/** The first by policy whose worst case the limits cover; the cheapest where they cover nobody's. */
	fitting: Candidate;
	/** The cheapest that may serve at all. */
	cheapest: Candidate;
}

function costOf({ expectation }: Candidate): number {
	return expectation.cost.totalNanoUsd;
}

/** The best ranked of each provider in turn, then the next of each; again from the start when there are not enough. */
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

/** A candidate with its stand-ins: others of the ranking, not of `taken` and not dearer, another provider first. */
export function toMember(candidate: Candidate, ranked: readonly Candidate[], taken: readonly Candidate[] = []): Member {
	const { provider } = candidate.model;
	const standIns = ranked
		.filter((other) => other.model !== candidate.model && !taken.some(({ model }) => model === other.model))
		.filter((other) => costOf(other) <= costOf(candidate))
		.map((other, rank) => ({ id: other.model.id, distance: other.model.provider === provider ? 1 : 0, rank }))
		.toSorted((a, b) => a.distance - b.distance || a.rank - b.rank)
		.map(({ id }) => id);
	return [candidate.model.id, ...standIns.slice(0, MAX_STAND_INS)];
}

function membersOf(chosen: readonly [Candidate, ...Candidate[]], ranked: readonly Candidate[]): Panel["members"] {
	const [first, ...rest] = chosen;
	const member = (candidate: Candidate) => toMember(candidate, ranked, chosen);
	return [member(first), ...rest.map(member)];
}

/** The judge that the client prefers, if it may serve; else the best ranked, and for an `outsider` the best that is no member. */
function chooseJudge(
	ranked: readonly [Candidate, ...Candidate[]],
	members: readonly Candidate[],
	rule: Strategy["judge"],
	preferred: string | null,
): Member {
	const requested = ranked.find(({ model }) => model.id === preferred);
	const outsider = ranked.find(({ model }) => !members.some((member) => member.model === model));
	return toMember(requested ?? (rule === "outsider" ? outsider : undefined) ?? ranked[0], ranked);
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
	return { members: membersOf(members, ranked), judge, rounds: size.rounds };
}
