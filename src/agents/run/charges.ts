// What the calls of a run and of its steps cost. Pure.
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

/** The part of a run that says what it has cost. */
interface ChargedRun {
	charges: readonly StepCharge[];
	state: { tools?: { open: { charge: StepCharge } | null } };
}

/** The charges of a run: of its steps that ended, and of the open tool step so far. */
export function listCharges({ charges, state: { tools } }: ChargedRun): readonly StepCharge[] {
	return tools?.open ? [...charges, tools.open.charge] : charges;
}

/** The cost of all charges, integer nano-USD. */
export function sumChargesNanoUsd(charges: readonly StepCharge[]): number {
	return charges.reduce(
		(total, { calls }) => total + calls.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0),
		0,
	);
}

/** Tokens of a step, as its record has them. */
export function sumTokens({ calls }: StepCharge): { tokens: number; input_tokens: number } {
	return {
		tokens: calls.reduce((sum, call) => sum + call.tokens, 0),
		input_tokens: calls.reduce((sum, call) => sum + call.input_tokens, 0),
	};
}
