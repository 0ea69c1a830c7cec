// Traces of requests that the meter settled at their bounds, because their process or their run's object died: whoever would have told their
// spans is gone. The span has the caller's trace and id, so one that is told twice is one.
import type { Receipt } from "../proof/receipt.ts";
import { traceOpener } from "../telemetry/request-trace.edge.ts";
import type { TraceParent } from "../telemetry/trace-context.ts";
import { toSettledTelemetry } from "./settled-telemetry.ts";
import { isAtBound, type Settlement } from "./settlement.ts";

/** Hands over the spans of requests that were settled at their bounds. Never throws. @param parents their callers' spans, by request. */
export async function traceAtBound(
	{ env, waitUntil }: { env: Env; waitUntil(work: Promise<unknown>): void },
	settlements: readonly Settlement[],
	parents: ReadonlyMap<string, TraceParent | null>,
): Promise<void> {
	const atBound = settlements.filter(isAtBound);
	if (atBound.length === 0) return;
	const open = await traceOpener({ env, waitUntil, isLast: true });
	for (const { usage, receipt: sealed, facts, end } of open ? atBound : []) {
		const parent = parents.get(usage.request_id) ?? null;
		const told = {
			usage,
			receipt: JSON.parse(sealed.receipt) as Receipt,
			...(facts && { facts }),
			...(end && { end }),
		};
		open?.(parent).handRequest(() => toSettledTelemetry(told, { endpoint: null, parent }));
	}
}
