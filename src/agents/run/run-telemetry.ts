// A settled run as telemetry is told of it: its row, and its steps by what their calls were charged. Pure.
import { toTextMessage } from "../../inference/request-telemetry.ts";
import { toSettledTelemetry } from "../../meter/settled-telemetry.ts";
import type { Settlement } from "../../meter/settlement.ts";
import { nanoUsd } from "../../proof/money.ts";
import type { Receipt } from "../../proof/receipt.ts";
import type { ExchangedContent, RequestTelemetry, StepTelemetry } from "../../telemetry/request-telemetry.ts";
import { toToolTelemetry } from "../tools/call-telemetry.ts";
import type { ToolCall } from "../tools/tool-call.ts";
import { type StepCharge, sumChargesNanoUsd } from "./charges.ts";
import type { RunSpec, RunStep, RunTracePlace } from "./run.ts";

/** Masks a text that is told. */
export type TellText = (text: string) => string;

function exchange(asked: string, answered: string, tell: TellText): ExchangedContent {
	return { input: [toTextMessage("user", tell(asked))], output: [toTextMessage("assistant", tell(answered))] };
}

/** The role of a try that made no step. */
const TRIED = "try";

function toStep(
	{ calls, attempts = [] }: StepCharge,
	index: number,
	made: RunStep | undefined,
	tell: TellText | null,
): StepTelemetry {
	const served = attempts.findLast(({ error }) => error === null);
	const failed = served ? undefined : attempts.at(-1);
	const startedMs = Math.min(...attempts.map((attempt) => attempt.startedMs));
	const inputTokens = calls.reduce((sum, call) => sum + call.input_tokens, 0);
	return {
		index,
		role: made?.record.role ?? TRIED,
		model: served?.model ?? failed?.model ?? null,
		provider: served?.provider ?? failed?.provider ?? null,
		startedMs,
		ms: Math.max(...attempts.map((attempt) => attempt.startedMs + attempt.ms)) - startedMs,
		inputTokens,
		outputTokens: calls.reduce((sum, call) => sum + call.tokens, 0) - inputTokens,
		costNanoUsd: sumChargesNanoUsd([{ calls, estimated: false }]),
		error: failed?.error ?? null,
		content: made && tell ? exchange(made.subtask, made.output, tell) : null,
	};
}

/**
 * Steps, and tries that made none, in order. One that was under way when its object died has no attempts, and so no time: it is left
 * out.
 */
export function toRunSteps(
	charges: readonly StepCharge[],
	steps: readonly RunStep[],
	tell: TellText | null = null,
): StepTelemetry[] {
	const left = [...steps];
	return charges.flatMap((charge, index) => {
		const isNext = left[0] !== undefined && nanoUsd(left[0].record.cost_usd) === sumChargesNanoUsd([charge]);
		const made = isNext ? left.shift() : undefined;
		return charge.attempts?.length ? [toStep(charge, index, made, tell)] : [];
	});
}

/** What spans of a run that is over are made of, beside its row. */
interface RunMaterial {
	spec: Pick<RunSpec, "goal" | "tools" | "startedAtMs">;
	calls: readonly ToolCall[];
	charges: readonly StepCharge[];
	steps: readonly RunStep[];
	output: string;
}

/** @param tell null where texts are not told. */
export function toRunTelemetry(
	{ receipt, ...settled }: Settlement,
	{ spec, calls, charges, steps, output }: RunMaterial,
	{ parent, route }: RunTracePlace,
	tell: TellText | null,
): RequestTelemetry {
	const { goal } = spec;
	const told = { ...settled, receipt: JSON.parse(receipt.receipt) as Receipt };
	return {
		...toSettledTelemetry(told, { endpoint: route, parent }),
		steps: toRunSteps(charges, steps, tell),
		tools: toToolTelemetry({ spec, calls }),
		// A goal that is not kept is empty.
		content: tell && goal !== "" ? { system: [], ...exchange(goal, output, tell) } : null,
	};
}
