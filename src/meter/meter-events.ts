// The audit events that a meter owns until D1 has them. Pure.

/** An audit event under its column names. It belongs to no workspace and decides nothing. */
export interface MeterEvent {
	/** `ae_` and a ULID. */
	id: string;
	user_id: string;
	workspace_id: null;
	event_type: "key_budget_alert" | "key_webhook_failed" | "compliance_blocked";
	/** `key:` and the key's id. */
	actor: string;
	decision: null;
	risk_score: null;
	risk_tier: null;
	/** JSON object. */
	payload: string;
	created_at: string;
}

/** The request that an event is about, by its user and key, and when it was. */
export interface MeterEventCause {
	userId: string;
	keyId: string;
	/** `ae_` and a ULID. */
	eventId: string;
	atMs: number;
}

/** An event of now. */
export function toMeterEvent(
	{ userId, keyId, eventId, atMs }: MeterEventCause,
	event_type: MeterEvent["event_type"],
	payload: object,
): MeterEvent {
	return {
		id: eventId,
		user_id: userId,
		workspace_id: null,
		event_type,
		actor: `key:${keyId}`,
		decision: null,
		risk_score: null,
		risk_tier: null,
		payload: JSON.stringify(payload),
		created_at: new Date(atMs).toISOString(),
	};
}

/** An event from its JSON, as a table of the meter keeps it. */
export function toStoredEvent(text: string): MeterEvent {
	return JSON.parse(text);
}
