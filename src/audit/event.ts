// Audit events: the row, and what each kind of operation says in it.
import type { HandoffRow } from "../ledger/entry.ts";

const EVENT_ID = /^ae_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** True for `ae_` and a ULID. */
export function isEventId(text: string): boolean {
	return EVENT_ID.test(text);
}

/** Who did it: the key that was used. */
export function actorOf({ keyId }: { keyId: string }): string {
	return `key:${keyId}`;
}

export const EVENT_TYPES = ["policy_check", "handoff_created", "agent_plan", "agent_record"] as const;

/** One row of the audit_events table, in its column names. */
export interface AuditEventRow {
	/** `ae_` and a ULID. */
	id: string;
	user_id: string;
	workspace_id: string | null;
	event_type: (typeof EVENT_TYPES)[number];
	/** As actorOf writes it. */
	actor: string;
	decision: string | null;
	risk_score: number | null;
	risk_tier: string | null;
	/** JSON object. */
	payload: string;
	created_at: string;
}

/** The event of a created handoff; of the caller's texts it repeats the objective alone, which is short. */
export function handoffCreated(entry: HandoffRow, id: string, actor: string): AuditEventRow {
	const risk = { score: entry.risk_score, tier: entry.risk_tier, factors: JSON.parse(entry.risk_factors) as string[] };
	const { seq, objective, action_kind, hash, signature } = entry;
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
