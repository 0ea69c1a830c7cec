// Who takes part: members from different providers, in the order that selection ranks them, with stand-ins that are not dearer. Pure.
import type { Candidate } from "../routing/select.ts";
import type { Member, Panel, StrategyName } from "./strategy.ts";

/** Members of a call set: who is asked and at most so many who stand in. */
export const MAX_STAND_INS = 2;

/** Candidates as selection ranked them for what they are to do. */
export interface Rankings {
	/** By policy: who proposes, samples, debates, judges. */
	panel: readonly [Candidate, ...Candidate[]];
	/** By quality: who stands at the top of a cascade. */
	best: readonly [Candidate, ...Candidate[]];
	/** By price and speed: who stands at the foot of a cascade. */
	cheap: readonly [Candidate, ...Candidate[]];
}

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

/** Strategies whose judge compares members' answers, and would be partial to its own. */
const NEEDS_OUTSIDER: ReadonlySet<StrategyName> = new Set(["rank_fuse", "debate"]);

/**
 * The model that the client prefers as a judge, if it may serve; else the first by policy, and where answers are compared the
 * first that is not of the panel.
 */
function judgeOf(
	{ panel }: Rankings,
	chosen: readonly Candidate[],
	strategy: StrategyName,
	preferred: string | null,
): Member {
	const asked = panel.find(({ model }) => model.id === preferred);
	const outsider = panel.find(({ model }) => !chosen.some((member) => member.model === model));
	return toMember(asked ?? (NEEDS_OUTSIDER.has(strategy) ? outsider : undefined) ?? panel[0], panel);
}

/** Of a cascade: the cheap of different providers by rising quality, and at the top the best. */
function ladder({ cheap, best }: Rankings, size: number): [Candidate, ...Candidate[]] {
	const top = best[0];
	const [first, ...rest] = cheap.filter(({ model }) => model !== top.model);
	if (!first || size < 2) return [size < 2 ? cheap[0] : top];
	const foot = diversify([first, ...rest], Math.min(size - 1, rest.length + 1));
	const [lowest = first, ...higher] = foot.toSorted((a, b) => a.expectation.quality - b.expectation.quality);
	return [lowest, ...higher, top];
}

/** What a cast is made for. */
export interface PanelSize {
	strategy: StrategyName;
	/** Members. */
	width: number;
	/** Of a debate. */
	rounds: number;
}

/** Chooses members and judge. */
export function choosePanel(
	rankings: Rankings,
	{ strategy, width, rounds }: PanelSize,
	judgeModel: string | null,
): Panel {
	if (strategy === "cascade") {
		const steps = ladder(rankings, width);
		const [first, ...rest] = steps;
		const all = [...rankings.cheap];
		const judge = toMember(rankings.best[0], rankings.best);
		return { members: [toMember(first, all, steps), ...rest.map((step) => toMember(step, all, steps))], judge, rounds };
	}
	const chosen = diversify(rankings.panel, width);
	return { members: membersOf(chosen, rankings.panel), judge: judgeOf(rankings, chosen, strategy, judgeModel), rounds };
}
