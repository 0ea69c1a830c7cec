// The counts of a run's calls of tools in a sentence, from its answer or its receipt. Pure.
import { formatCount } from "./format.ts";

/** The counts of a run's calls in the order in which they are told: a receipt has them by name. */
const CALL_COUNTS = ["requested", "allowed", "denied", "approved", "rejected", "expired"] as const;

/** The counts of a run's calls; null where there are none. */
export function describeToolCalls(counts: unknown): string | null {
	if (typeof counts !== "object" || counts === null) return null;
	const byName = new Map<string, unknown>(Object.entries(counts));
	return CALL_COUNTS.map((name) => `${formatCount(Number(byName.get(name) ?? 0))} ${name}`).join(", ");
}
