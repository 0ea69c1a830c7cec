// A settled run as telemetry is told of it: its row, and its steps by what their calls were charged. Pure.
import { toRequestTelemetry } from "../../inference/request-telemetry.ts";
import { NO_END, NO_FACTS } from "../../meter/request-facts.ts";
import type { Settlement } from "../../meter/settlement.ts";
import { nanoUsd } from "../../proof/money.ts";
import type { Receipt } from "../../proof/receipt.ts";
import type { RequestTelemetry, StepTelemetry } from "../../telemetry/request-telemetry.ts";
import { type RunStep, type RunTracePlace, type StepCharge, sumChargesNanoUsd } from "./run.ts";

/** The role of a try that made no step. */
const TRIED = "try";

function toStep({ calls, attempts = [] }: StepCharge, index: number, role: string): StepTelemetry {
	const served = attempts.findLast(({ error }) => error === null);
	const failed = served ? undefined : attempts.at(-1);
	const startedMs = Math.min(...attempts.map((attempt) => attempt.startedMs));
	const inputTokens = calls.reduce((sum, call) => sum + call.input_tokens, 0);
	return {
		index,
		role,
		model: served?.model ?? failed?.model ?? null,
		provider: served?.provider ?? failed?.provider ?? null,
		startedMs,
		ms: Math.max(...attempts.map((attempt) => attempt.startedMs + attempt.ms)) - startedMs,
		inputTokens,
		outputTokens: calls.reduce((sum, call) => sum + call.tokens, 0) - inputTokens,
		costNanoUsd: sumChargesNanoUsd([{ calls, estimated: false }]),
		error: failed?.error ?? null,
	};
}

/**
 * Steps, and tries that made none, in order. One that was under way when its object died has no attempts, and so no time: it is left
 * out.
 */
export function toRunSteps(charges: readonly StepCharge[], steps: readonly RunStep[]): StepTelemetry[] {
	const left = [...steps];
	return charges.flatMap((charge, index) => {
		const isNext = left[0] !== undefined && nanoUsd(left[0].record.cost_usd) === sumChargesNanoUsd([charge]);
		const made = isNext ? left.shift() : undefined;
		return charge.attempts?.length ? [toStep(charge, index, made?.record.role ?? TRIED)] : [];
	});
}

export function toRunTelemetry(
	{ usage, receipt, facts = NO_FACTS, end = NO_END }: Settlement,
	{ charges, steps }: { charges: readonly StepCharge[]; steps: readonly RunStep[] },
	{ parent, route }: RunTracePlace,
): RequestTelemetry {
	const exchange = { usage, receipt: JSON.parse(receipt.receipt) as Receipt, facts, end };
	const told = toRequestTelemetry({
		...exchange,
		single: null,
		endpoint: route,
		parent,
	});
	return { ...told, steps: toRunSteps(charges, steps) };
}
