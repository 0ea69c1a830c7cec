// The span of a policy check. Pure.
import type { PolicyCheckTelemetry } from "./request-telemetry.ts";
import type { Span } from "./span.ts";
import { toSpanId, toTracePlace } from "./span-ids.ts";
import { toSpan } from "./span-part.ts";
import { isSampled } from "./trace-context.ts";

/** The span of a policy check; none where its caller does not record the trace. */
export function toPolicySpans(check: PolicyCheckTelemetry): Span[] {
	const { checkId, atMs, ms, sessionId, parent } = check;
	if (!isSampled(parent)) return [];
	const span = toSpan(toTracePlace(checkId, parent), parent !== null, {
		type: "policy_check",
		spanId: toSpanId(checkId, "request"),
		parentSpanId: parent?.spanId ?? null,
		name: "policy_check",
		startedAtMs: atMs - (ms ?? 0),
		endedAtMs: atMs,
		values: {
			"gen_ai.conversation.id": sessionId,
			"session.id": sessionId,
			"gen_ai.agent.name": check.agent,
			"gen_ai.tool.name": check.tool,
			"svc.request.id": checkId,
			"svc.user.id": check.userId,
			"svc.key.id": check.keyId,
			"svc.policy.decision": check.decision,
			"svc.policy.tier": check.tier,
			"svc.policy.factors": check.factors,
			"svc.policy.workspace_id": check.workspaceId,
		},
	});
	return [span];
}
