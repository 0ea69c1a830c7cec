// A settled request as its span says it: what its row and its receipt say. What only the engine knows of it, the engine adds. Pure.
import { nanoUsd } from "../proof/money.ts";
import type { Receipt } from "../proof/receipt.ts";
import { pickReceiptDecision } from "../proof/receipt-decision.ts";
import { type RequestTelemetry, type StageTelemetry, UNTOLD } from "../telemetry/request-telemetry.ts";
import { toCountedRequest, toCountedSettlement } from "./counted-request.ts";
import { NO_END, NO_FACTS, type RequestEnd } from "./request-facts.ts";
import type { Settlement } from "./settlement.ts";

/** The status of a request whose client had gone, in logs of nginx and others. */
const CLIENT_CLOSED = 499;

/** What the client got; null where nobody knows, because the process died. */
export function toSentStatus({ status, outcome }: Pick<RequestEnd, "status"> & { outcome: string }): number | null {
	return status ?? (outcome === "client_closed" ? CLIENT_CLOSED : null);
}

/** A settlement before its receipt is sealed, or after. */
export interface ToldSettlement extends Pick<Settlement, "usage" | "facts" | "end"> {
	receipt: Receipt;
}

function toStages(receipt: Receipt): StageTelemetry[] {
	if (!("stages" in receipt)) return [];
	return receipt.stages.map(({ name, results }) => ({
		name,
		startedMs: null,
		ms: null,
		calls: results.length,
		served: results.filter(({ ok }) => ok).length,
		costNanoUsd: results.reduce((sum, { cost_usd }) => sum + nanoUsd(cost_usd), 0),
		content: null,
	}));
}

/** @param place its endpoint and its caller's span; null where they are not known. */
export function toSettledTelemetry(
	settlement: ToldSettlement,
	place: Pick<RequestTelemetry, "endpoint" | "parent">,
): RequestTelemetry {
	const { usage, receipt, facts = NO_FACTS, end = NO_END } = settlement;
	const { endpoint, parent } = place;
	const { reason, fallback_from, strategy } = pickReceiptDecision({ ...receipt });
	const { sessionId, endUser, metadata, attempts } = facts;
	return {
		...UNTOLD,
		...toCountedRequest(toCountedSettlement(settlement), usage.user_id),
		requestId: usage.request_id,
		startedAtMs: Date.parse(usage.created_at),
		endpoint,
		parent,
		isStream: false,
		status: toSentStatus({ status: end.status, outcome: usage.outcome }),
		mode: usage.mode,
		reason,
		fallbackFrom: fallback_from,
		isEstimated: usage.estimated,
		workflow: receipt.kind === "code" ? "code" : strategy,
		stages: toStages(receipt),
		sessionId,
		endUser,
		metadata,
		attempts,
	};
}
