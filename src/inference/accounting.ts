// What a chat run used, what it cost, and how that is written down: bills, receipt, usage row, reservation. Pure.
import type { Reservation, UsageRow } from "../account/settlement.ts";
import { configDigest } from "../brain/config.ts";
import { type CallCost, costOf, inputTokens, outputTokens, type TokenUsage } from "../catalog/price.ts";
import { hashObject, hashText } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import type { ChatReceipt } from "../proof/receipt.ts";
import type { ChatAnswer, Warning } from "../providers/model-call.ts";
import type { Candidate } from "../routing/select.ts";
import { estimateTokens } from "../routing/signals.ts";
import type { Attempt, ChatPlan } from "./plan.ts";
import { markedCallId } from "./tool-call-ids.ts";

/** A request on its way: everything its receipt and usage row are made of. */
export interface Run {
	requestId: string;
	userId: string;
	/** When the request arrived, ms since the epoch. */
	startedAtMs: number;
	plan: ChatPlan;
	inputHash: string;
	/** Worst case of all its calls together, reserved before the first. */
	boundNanoUsd: number;
}

/** One call of a run: a candidate and its exact request. */
export interface Call {
	candidate: Candidate;
	attempt: Attempt;
}

/** A call that is, or may be, billed by its provider. */
export interface BilledCall extends Call {
	bill: Bill;
}

export type Outcome = ChatReceipt["outcome"];

/** What one call used and what it cost, never above its own bound. */
export interface Bill {
	promptTokens: number;
	completionTokens: number;
	cost: CallCost;
	/** No usage was reported: the cost is the bound, the tokens are an estimate. */
	estimated: boolean;
	/** More was reported than the request allowed: the cost is the bound. */
	overrun: boolean;
}

/**
 * The bill of a call by its reported usage, else at its bound.
 * @param sentAtMs when the upstream call was sent, which decides the price.
 */
export function billOf(
	run: Run,
	{ candidate, attempt }: Call,
	usage: TokenUsage | null,
	delivered: ChatAnswer | null,
	sentAtMs: number,
): Bill {
	const bound = attempt.worstCase;
	if (!usage) {
		const calls = delivered?.toolCalls.map((call) => call.arguments) ?? [];
		const written = [delivered?.content, delivered?.refusal, delivered?.reasoning, ...calls].join("");
		const { promptTokens } = run.plan.signals;
		return { promptTokens, completionTokens: estimateTokens(written), cost: bound, estimated: true, overrun: false };
	}
	const actual = costOf(candidate.model, usage, sentAtMs);
	const overrun = actual.totalNanoUsd > bound.totalNanoUsd;
	return {
		promptTokens: inputTokens(usage),
		completionTokens: outputTokens(usage),
		cost: overrun ? bound : actual,
		estimated: false,
		overrun,
	};
}

/** Cost of all billed calls, nano-USD. */
export function totalNanoUsd(billed: readonly BilledCall[]): number {
	return billed.reduce((sum, { bill }) => sum + bill.cost.totalNanoUsd, 0);
}

/** Hash of what is delivered by a model: of the text, or of text and tool calls (under the ids the client gets) when there are any. */
export function outputHash({ content, refusal, toolCalls }: ChatAnswer, modelId: string): string {
	if (toolCalls.length === 0) return hashText(content ?? refusal ?? "");
	const tool_calls = toolCalls.map((call) => ({
		id: markedCallId(call.id, modelId),
		type: "function",
		function: { name: call.name, arguments: call.arguments },
	}));
	return hashObject({ type: "svc.output.v1", content, tool_calls });
}

/** The model that was meant to serve, when another did or tried to. */
export function fallbackFrom({ plan }: Run, served: Candidate): string | null {
	const { failover, fallbackFrom } = plan.selection;
	return fallbackFrom ?? (served.model === failover[0].model ? null : failover[0].model.id);
}

/** Why this model: the selection's reason, and what failover made of it. */
export function reasonFor({ plan }: Run, served: Candidate): string {
	const { failover, reason } = plan.selection;
	if (served.model === failover[0].model) return reason;
	return `${reason}; it did not answer, and ${served.model.display_name} stood in`;
}

/** The last of the billed calls is the one that served, or tried last. */
function lastOf(billed: readonly BilledCall[]): BilledCall {
	const last = billed.at(-1);
	if (!last) throw new Error("nothing was billed, so there is nothing to write down");
	return last;
}

/** The receipt of a run, unsigned. */
export function receiptOf(
	run: Run,
	billed: readonly BilledCall[],
	outcome: Outcome,
	output_hash: string,
	atMs: number,
): ChatReceipt {
	const { plan } = run;
	const { candidate, attempt, bill } = lastOf(billed);
	return {
		type: "svc.receipt.v1",
		kind: "chat",
		request_id: run.requestId,
		timestamp: new Date(atMs).toISOString(),
		outcome,
		estimated: billed.some((call) => call.bill.estimated),
		cost_usd: usd(totalNanoUsd(billed)),
		bound_usd: usd(run.boundNanoUsd),
		input_hash: run.inputHash,
		output_hash,
		compliance: null,
		catalog_version: plan.catalogVersion,
		config_digest: plan.config ? configDigest(plan.config) : null,
		model: candidate.model.id,
		provider: candidate.model.provider,
		upstream_host: attempt.access.host,
		mode: plan.selection.mode,
		reason: reasonFor(run, candidate),
		prompt_tokens: bill.promptTokens,
		completion_tokens: bill.completionTokens,
		fallback_from: fallbackFrom(run, candidate),
		skill_id: null,
	};
}

/** The usage row of a run: one request, with each call that was billed. */
export function usageRowOf(run: Run, billed: readonly BilledCall[], outcome: Outcome, latencyMs: number): UsageRow {
	const { candidate } = lastOf(billed);
	const calls = billed.map((call) => ({
		model: call.candidate.model.id,
		provider: call.candidate.model.provider,
		tokens: call.bill.promptTokens + call.bill.completionTokens,
		input_tokens: call.bill.promptTokens,
		cost_nano_usd: call.bill.cost.totalNanoUsd,
	}));
	return {
		request_id: run.requestId,
		user_id: run.userId,
		created_at: new Date(run.startedAtMs).toISOString(),
		kind: "chat",
		model: candidate.model.id,
		provider: candidate.model.provider,
		mode: run.plan.selection.mode,
		tokens: calls.reduce((sum, call) => sum + call.tokens, 0),
		input_tokens: calls.reduce((sum, call) => sum + call.input_tokens, 0),
		cost_nano_usd: totalNanoUsd(billed),
		estimated: billed.some((call) => call.bill.estimated),
		outcome,
		latency_ms: latencyMs,
		fallback: fallbackFrom(run, candidate) !== null,
		calls,
	};
}

/** What is recorded at `expiresAtMs` if the process that reserved it dies before it settles: the whole bound, for the first call. */
export function reservationOf(run: Run, first: Call, expiresAtMs: number): Reservation {
	const own = billOf(run, first, null, null, run.startedAtMs);
	const cost = { inputNanoUsd: 0, outputNanoUsd: run.boundNanoUsd, totalNanoUsd: run.boundNanoUsd };
	const billed = [{ ...first, bill: { ...own, cost } }];
	return {
		expiresAtMs,
		usage: usageRowOf(run, billed, "cut", 0),
		receipt: receiptOf(run, billed, "cut", hashText(""), run.startedAtMs),
	};
}

/** What the client should know about how its request was carried out. */
export function warningsOf({ candidate, attempt, bill }: BilledCall): Warning[] {
	const warnings = [...candidate.warnings, ...attempt.request.warnings];
	if (bill.overrun) {
		const message = "the provider reported more usage than the request allowed; the cost is the reserved bound";
		warnings.push({ code: "provider_overrun", param: null, message });
	}
	return warnings;
}
