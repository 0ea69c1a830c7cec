// Refusals by compliance, folded into audit events: those of one minute that are alike are one event with their number, so that a
// client that tries again and again does not fill D1. Pure.
import { type MeterEvent, type MeterEventCause, toMeterEvent } from "./meter-events.ts";
import { MINUTE_MS } from "./rolling-window.ts";

/** Different refusals of a user in one minute that get an event each. Further ones share one event for each key. */
export const MAX_REFUSALS_PER_MINUTE = 20;
/** An hour of them. While D1 lacks that many events, all refusals of a minute share one for each key. */
export const MAX_UNFLUSHED_REFUSALS = 1_200;

/** A request that compliance has refused. It holds no content of the request. */
export interface ComplianceRefusal {
	requestId: string;
	userId: string;
	keyId: string;
	/** Equal for refusals that are alike. */
	likeness: string;
	/** What the event says of it. */
	details: Readonly<Record<string, unknown>>;
}

/** Refusals that are one event. */
export interface FoldedRefusals {
	/** Of the first refusal. Without `refusals` and `last_at`, which may grow. */
	event: MeterEvent;
	refusals: number;
	lastAtMs: number;
}

/** When the refusals of a minute are complete. */
export function minuteEndMs(minute: number): number {
	return (minute + 1) * MINUTE_MS;
}

/** @param isMixed it stands for refusals that are not alike; `details` are those of the first. */
export function toRefusalEvent(cause: MeterEventCause, { requestId, details }: ComplianceRefusal, isMixed: boolean) {
	const payload = { request_id: requestId, ...details, ...(isMixed ? { mixed: true } : {}) };
	return toMeterEvent(cause, "compliance_blocked", payload);
}

/** The event as it is now. */
export function toFoldedEvent({ event, refusals, lastAtMs }: FoldedRefusals): MeterEvent {
	const last_at = new Date(lastAtMs).toISOString();
	return { ...event, payload: JSON.stringify({ ...JSON.parse(event.payload), refusals, last_at }) };
}
