// The snapshot of a workspace (docs/reference/workspaces.md, "Workspaces"), summed up while its chain is verified. Pure.
import { RISK_TIERS, type RiskTier } from "../audit/event.ts";

/** A handoff's summary. */
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

/** Adds up the handoffs of a chain one by one, and keeps the last of them. */
export class HandoffSums {
	count = 0;
	signed = 0;
	scoreSum = 0;
	scored = 0;
	readonly tiers = { auto: 0, confirm: 0, approve: 0, block: 0, unknown: 0 };
	/** Oldest first, at most `tailLimit`. */
	readonly tail: HandoffSummary[] = [];
	#tailLimit: number;

	constructor(tailLimit: number) {
		this.#tailLimit = tailLimit;
	}

	add(handoff: HandoffSummary): void {
		this.count++;
		if (handoff.signed) this.signed++;
		if (handoff.risk_score !== null) {
			this.scored++;
			this.scoreSum += handoff.risk_score;
		}
		this.tiers[RISK_TIERS.find((known) => known === handoff.risk_tier) ?? "unknown"]++;
		this.tail.push(handoff);
		if (this.tail.length > this.#tailLimit) this.tail.shift();
	}
}

/** The verdict on the whole chain, whatever `since` says. */
interface ChainIntegrity {
	ok: boolean;
	n: number;
	first_broken_index: number | null;
	reasons: string[];
}

export interface Snapshot {
	object: "workspace.snapshot";
	workspace_id: string;
	count: number;
	risk_distribution: Record<RiskTier | "unknown", number>;
	avg_risk_score: number | null;
	signed_share: number;
	integrity: ChainIntegrity;
	tail: HandoffSummary[];
}

/**
 * Converts sums to a snapshot. `tail` is in the chain's order, oldest first, as in `GET
 * /v1/handoff/chain/{workspace_id}`. `avg_risk_score` is rounded to two decimals. `signed_share` is not rounded, so
 * that 1 means every entry.
 */
export function toSnapshot(workspaceId: string, sums: HandoffSums, integrity: ChainIntegrity): Snapshot {
	const { count, signed, scoreSum, scored, tiers, tail } = sums;
	const { ok, n, first_broken_index, reasons } = integrity;
	return {
		object: "workspace.snapshot",
		workspace_id: workspaceId,
		count,
		risk_distribution: { ...tiers },
		avg_risk_score: scored === 0 ? null : Math.round((scoreSum / scored) * 100) / 100,
		signed_share: count === 0 ? 0 : signed / count,
		integrity: { ok, n, first_broken_index, reasons },
		tail,
	};
}
