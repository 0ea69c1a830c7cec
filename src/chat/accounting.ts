// What a chat run used, what it cost, and how that is written down: bill, receipt, usage row, reservation. Pure.
import type { Reservation, UsageRow } from "../account/settlement.ts";
import { configDigest } from "../brain/config.ts";
import { CATALOG_VERSION } from "../catalog/catalog.ts";
import { hashObject, hashText } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import type { ChatReceipt } from "../proof/receipt.ts";
import { type CallCost, costOf, inputTokens, outputTokens, type TokenUsage } from "../routing/cost.ts";
import type { Candidate } from "../routing/select.ts";
import { estimateTokens } from "../routing/signals.ts";
import type { ChatAnswer } from "./call.ts";
import type { Attempt, ChatPlan } from "./plan.ts";

/** A chosen model on its way: everything its bill, receipt and usage row are made of. */
export interface Run {
	requestId: string;
	userId: string;
	/** When the request arrived, ms since the epoch. */
	startedAtMs: number;
	plan: ChatPlan;
	candidate: Candidate;
	attempt: Attempt;
	inputHash: string;
	/** When the upstream call was sent, which decides the price. */
	sentAtMs: number;
}

export type Outcome = ChatReceipt["outcome"];

/** What was used and what it cost, never above the reserved bound. */
export interface Bill {
	promptTokens: number;
	completionTokens: number;
	cost: CallCost;
	/** No usage was reported: the cost is the bound, the tokens are an estimate. */
	estimated: boolean;
	/** More was reported than the request allowed: the cost is the bound. */
	overrun: boolean;
}

/** The bill of a run by its reported usage, else at the bound. */
export function billOf(run: Run, usage: TokenUsage | null, delivered: ChatAnswer | null): Bill {
	const bound = run.attempt.worstCase;
	if (!usage) {
		const calls = delivered?.toolCalls.map((call) => call.arguments) ?? [];
		const written = [delivered?.content, delivered?.refusal, delivered?.reasoning, ...calls].join("");
		const { promptTokens } = run.plan.signals;
		return { promptTokens, completionTokens: estimateTokens(written), cost: bound, estimated: true, overrun: false };
	}
	const actual = costOf(run.candidate.model, usage, run.sentAtMs);
	const overrun = actual.totalNanoUsd > bound.totalNanoUsd;
	return {
		promptTokens: inputTokens(usage),
		completionTokens: outputTokens(usage),
		cost: overrun ? bound : actual,
		estimated: false,
		overrun,
	};
}

/** Hash of what is delivered: of the text, or of text and tool calls when there are any. */
export function outputHash({ content, refusal, toolCalls }: ChatAnswer): string {
	if (toolCalls.length === 0) return hashText(content ?? refusal ?? "");
	const tool_calls = toolCalls.map((call) => ({
		id: call.id,
		type: "function",
		function: { name: call.name, arguments: call.arguments },
	}));
	return hashObject({ type: "svc.output.v1", content, tool_calls });
}

/** The receipt of a run, unsigned. */
export function receiptOf(run: Run, bill: Bill, outcome: Outcome, output_hash: string, atMs: number): ChatReceipt {
	const { plan, candidate, attempt } = run;
	return {
		type: "svc.receipt.v1",
		kind: "chat",
		request_id: run.requestId,
		timestamp: new Date(atMs).toISOString(),
		outcome,
		estimated: bill.estimated,
		cost_usd: usd(bill.cost.totalNanoUsd),
		bound_usd: usd(attempt.worstCase.totalNanoUsd),
		input_hash: run.inputHash,
		output_hash,
		compliance: null,
		catalog_version: CATALOG_VERSION,
		config_digest: plan.config ? configDigest(plan.config) : null,
		model: candidate.model.id,
		provider: candidate.model.provider,
		upstream_host: attempt.access.host,
		mode: plan.selection.mode,
		reason: plan.selection.reason,
		prompt_tokens: bill.promptTokens,
		completion_tokens: bill.completionTokens,
		fallback_from: plan.selection.fallbackFrom,
		skill_id: null,
	};
}

/** The usage row of a run. */
export function usageRowOf(run: Run, bill: Bill, outcome: Outcome, latencyMs: number): UsageRow {
	const { id: model, provider } = run.candidate.model;
	const tokens = bill.promptTokens + bill.completionTokens;
	const cost_nano_usd = bill.cost.totalNanoUsd;
	return {
		request_id: run.requestId,
		user_id: run.userId,
		created_at: new Date(run.startedAtMs).toISOString(),
		kind: "chat",
		model,
		provider,
		mode: run.plan.selection.mode,
		tokens,
		cost_nano_usd,
		estimated: bill.estimated,
		outcome,
		latency_ms: latencyMs,
		fallback: run.plan.selection.fallbackFrom !== null,
		calls: [{ model, provider, tokens, cost_nano_usd }],
	};
}

/** What is recorded at `expiresAtMs` if the process that reserved it dies before it settles. */
export function reservationOf(run: Run, expiresAtMs: number): Reservation {
	const bill = billOf(run, null, null);
	return {
		expiresAtMs,
		usage: usageRowOf(run, bill, "cut", 0),
		receipt: receiptOf(run, bill, "cut", hashText(""), run.startedAtMs),
	};
}
