// What several batches of calls cost together. Pure.
import type { CallAttempt } from "../../meter/call-attempt.ts";
import type { UsageCall } from "../../meter/settlement.ts";

/** What the calls of one step cost, or may have cost. */
export interface StepCharge {
	calls: UsageCall[];
	/** Some cost in it is a bound. */
	estimated: boolean;
	/** The upstream calls of the step that are kept; absent while it is under way. */
	attempts?: CallAttempt[];
}

/** Two charges as one. */
export function mergeCharges(one: StepCharge, other: StepCharge): StepCharge {
	const attempts = [...(one.attempts ?? []), ...(other.attempts ?? [])];
	return {
		calls: [...one.calls, ...other.calls],
		estimated: one.estimated || other.estimated,
		...(attempts.length > 0 ? { attempts } : {}),
	};
}
