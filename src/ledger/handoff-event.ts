// The audit event of a created handoff. Pure.
import type { AuditEventRow } from "../audit/event.ts";
import type { HandoffRow } from "./entry.ts";

/**
 * The audit event of a created handoff. Of the caller's texts it repeats only the objective, which is short.
 * @param objective with secrets redacted.
 */
export function toHandoffEvent(entry: HandoffRow, id: string, actor: string, objective: string): AuditEventRow {
	const risk = { score: entry.risk_score, tier: entry.risk_tier, factors: JSON.parse(entry.risk_factors) as string[] };
	const { seq, action_kind, hash, signature } = entry;
	return {
		id,
		user_id: entry.user_id,
		workspace_id: entry.workspace_id,
		event_type: "handoff_created",
		actor,
		decision: null,
		risk_score: null,
		risk_tier: null,
		payload: JSON.stringify({
			handoff_id: entry.id,
			seq,
			objective,
			action_kind,
			risk,
			hash,
			signed: signature !== null,
		}),
		created_at: entry.created_at,
	};
}
