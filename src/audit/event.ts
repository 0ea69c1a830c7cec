// Audit events: the row. What an operation says in its payload stands beside the operation.

const EVENT_ID = /^ae_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** True for `ae_` and a ULID. */
export function isEventId(text: string): boolean {
	return EVENT_ID.test(text);
}

/** Who did it: the key that was used. */
export function toActor({ keyId }: { keyId: string }): string {
	return `key:${keyId}`;
}

/** Who did it: the operator. */
export const OPERATOR_ACTOR = "operator";

/** What a policy check comes to, and how risky it found the action: the decision is always the tier's. */
export const RISK_TIERS = ["auto", "confirm", "approve", "block"] as const;
export type RiskTier = (typeof RISK_TIERS)[number];
export const DECISIONS = ["allow", "confirm", "approve", "deny"] as const;
export type Decision = (typeof DECISIONS)[number];

export const EVENT_TYPES = [
	"policy_check",
	"tool_recorded",
	"handoff_created",
	"agent_plan",
	"agent_record",
	"agent_run_deleted",
	"manifest_changed",
	"manifest_deleted",
	"key_created",
	"key_changed",
	"key_revoked",
	"key_budget_alert",
	"key_webhook_failed",
	"compliance_blocked",
	"texts_read",
	"tool_approved",
	"tool_rejected",
] as const;

/** Events of what all keys of a user share: the chain and the manifest of a workspace. */
export const SHARED_EVENT_TYPES: readonly (typeof EVENT_TYPES)[number][] = [
	"handoff_created",
	"manifest_changed",
	"manifest_deleted",
];

/** The coding agent that an event comes from, by its hook. A member that the agent does not send is null. */
export interface EventOrigin {
	agent: string | null;
	session_id: string | null;
	/** Where the agent works. */
	directory: string | null;
	permission_mode: string | null;
}

/** One row of the audit_events table, in its column names. Its origin stands in its payload, too. Events of no hook have none. */
export interface AuditEventRow extends Partial<EventOrigin> {
	/** `ae_` and a ULID. */
	id: string;
	user_id: string;
	workspace_id: string | null;
	event_type: (typeof EVENT_TYPES)[number];
	/** As toActor writes it, or OPERATOR_ACTOR. */
	actor: string;
	decision: string | null;
	risk_score: number | null;
	risk_tier: string | null;
	/** JSON object. */
	payload: string;
	created_at: string;
}

/** The members of an event that every one has, without those of a policy decision. */
export type PlainEvent = Pick<AuditEventRow, "user_id" | "workspace_id" | "event_type" | "actor" | "payload">;

/** An event that decides nothing. @param id a ULID. */
export function toPlainEvent(event: PlainEvent, id: string, atMs: number): AuditEventRow {
	const decided = { decision: null, risk_score: null, risk_tier: null };
	return { id: `ae_${id}`, ...event, ...decided, created_at: new Date(atMs).toISOString() };
}
