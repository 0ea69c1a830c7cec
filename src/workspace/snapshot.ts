// A workspace at a glance (spec 2.9), from sums that the store takes in SQL and the last handoffs. Pure.

/** The tiers of a risk; what has none of them is counted as `unknown`. */
export const SNAPSHOT_TIERS = ["auto", "confirm", "approve", "block"] as const;
type Tier = (typeof SNAPSHOT_TIERS)[number];

/** Sums over the handoffs of a workspace, or over those at or after `since`. */
export interface HandoffAggregates {
	/** COUNT(*). */
	count: number;
	/** Entries with a signature. */
	signed: number;
	/** SUM(risk_score) over the entries that have one; 0 for none. */
	riskScoreSum: number;
	/** COUNT(risk_score). */
	riskScoreCount: number;
	/** COUNT(*) GROUP BY risk_tier. */
	tiers: readonly { tier: string | null; count: number }[];
}

/** One handoff, summarized. */
export interface HandoffSummary {
	id: string;
	objective: string;
	from_tool: string | null;
	to_tool: string | null;
	created_at: string;
	risk_tier: string | null;
	risk_score: number | null;
	signed: boolean;
}

/** The verdict over the whole chain, whatever `since` says: a chain is intact or not as one. */
export interface ChainIntegrity {
	ok: boolean;
	n: number;
	first_broken_index: number | null;
	reasons: string[];
}

export interface Snapshot {
	object: "workspace.snapshot";
	workspace_id: string;
	count: number;
	risk_distribution: Record<Tier | "unknown", number>;
	avg_risk_score: number | null;
	signed_share: number;
	integrity: ChainIntegrity;
	tail: HandoffSummary[];
}

function distribution(tiers: HandoffAggregates["tiers"]): Snapshot["risk_distribution"] {
	const counts = { auto: 0, confirm: 0, approve: 0, block: 0, unknown: 0 };
	for (const { tier, count } of tiers) {
		counts[SNAPSHOT_TIERS.find((known) => known === tier) ?? "unknown"] += count;
	}
	return counts;
}

/**
 * Puts a snapshot together.
 * `tail` is in the chain's order, oldest first, as in `GET /v1/handoff/chain/{workspace_id}`.
 * `avg_risk_score` is rounded to two decimals. `signed_share` is not rounded: 1 means every entry, not nearly every.
 */
export function snapshotOf(parts: {
	workspaceId: string;
	aggregates: HandoffAggregates;
	tail: readonly HandoffSummary[];
	integrity: ChainIntegrity;
}): Snapshot {
	const { count, signed, riskScoreSum, riskScoreCount, tiers } = parts.aggregates;
	const { ok, n, first_broken_index, reasons } = parts.integrity;
	return {
		object: "workspace.snapshot",
		workspace_id: parts.workspaceId,
		count,
		risk_distribution: distribution(tiers),
		avg_risk_score: riskScoreCount === 0 ? null : Math.round((riskScoreSum / riskScoreCount) * 100) / 100,
		signed_share: count === 0 ? 0 : signed / count,
		integrity: { ok, n, first_broken_index, reasons },
		tail: parts.tail.map((handoff) => ({
			id: handoff.id,
			objective: handoff.objective,
			from_tool: handoff.from_tool,
			to_tool: handoff.to_tool,
			created_at: handoff.created_at,
			risk_tier: handoff.risk_tier,
			risk_score: handoff.risk_score,
			signed: handoff.signed,
		})),
	};
}
