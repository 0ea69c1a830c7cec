// What a run used, what it cost, and how that is written down: bills, receipt, usage row, reservation. Pure.
import type { Reservation, UsageRow } from "../account/settlement.ts";
import { type CallCost, costOf, inputTokens, outputTokens, type TokenUsage } from "../catalog/price.ts";
import { type Hash, hashText } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import { outputHash } from "../proof/output-hash.ts";
import type { Outcome, Receipt, ReceiptBase, ReceiptDetail } from "../proof/receipt.ts";
import { joinedText, type ModelAnswer, partsOfType, type Warning } from "../providers/model-call.ts";
import type { Candidate } from "../routing/select.ts";
import { estimateTokens } from "../routing/signals.ts";
import type { Attempt, CallPlan } from "./plan.ts";
import { markedCallId } from "./tool-call-ids.ts";

/** One call that a run may make: a candidate of a plan and its exact request. */
export interface PlannedCall {
	plan: CallPlan;
	candidate: Candidate;
	attempt: Attempt;
}

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

/** A call that is, or may be, billed by its provider. */
export interface BilledCall extends PlannedCall {
	bill: Bill;
}

/** How the kind of a run writes down what became of it. */
export interface Description {
	/** The receipt's members of this kind. */
	receipt: ReceiptDetail;
	/** What the usage row says of the run as a whole. */
	usage: Pick<UsageRow, "model" | "provider" | "mode" | "fallback">;
}

/** What a run is for. */
export interface Purpose {
	inputHash: string;
	/** Digest of the routing config in force; null without one. */
	configDigest: string | null;
	/** @param billed every call so far, in the order they ended; never empty. */
	describe(billed: readonly BilledCall[]): Description;
}

/** A run on its way: everything its receipt and usage row are made of besides its calls. */
export interface RunRecord {
	requestId: string;
	userId: string;
	/** When the request arrived, ms since the epoch. */
	startedAtMs: number;
	catalogVersion: string;
	purpose: Purpose;
	/** Worst case of all its calls together, reserved before the first. */
	boundNanoUsd: number;
}

/**
 * The bill of a call by its reported usage, else at its bound.
 * @param sentAtMs when the upstream call was sent, which decides the price.
 */
export function billOf(
	{ plan, candidate, attempt }: PlannedCall,
	usage: TokenUsage | null,
	delivered: ModelAnswer | null,
	sentAtMs: number,
): Bill {
	const bound = attempt.worstCase;
	if (!usage) {
		const completionTokens = estimateTokens(delivered ? writtenText(delivered) : "");
		return { promptTokens: plan.signals.promptTokens, completionTokens, cost: bound, estimated: true, overrun: false };
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

/** Everything a model wrote, of whatever kind. */
function writtenText({ content }: ModelAnswer): string {
	return content
		.map((part) => (part.type === "provider" ? "" : part.type === "tool_call" ? part.arguments : part.text))
		.join("");
}

/** Cost of all billed calls, nano-USD. */
export function totalNanoUsd(billed: readonly BilledCall[]): number {
	return billed.reduce((sum, { bill }) => sum + bill.cost.totalNanoUsd, 0);
}

/** Hash of what is delivered by a model: tool calls stand under the ids the client gets. */
export function answerHash({ content }: ModelAnswer, modelId: string): Hash {
	const calls = partsOfType(content, "tool_call").map((call) => ({ ...call, id: markedCallId(call.id, modelId) }));
	const text = joinedText(content, "text");
	return outputHash(calls.length === 0 ? (text ?? joinedText(content, "refusal")) : text, calls);
}

/** The model that was meant to serve, when another did or tried to. */
export function fallbackFrom({ plan, candidate }: PlannedCall): string | null {
	const { failover, fallbackFrom } = plan.selection;
	return fallbackFrom ?? (candidate.model === failover[0].model ? null : failover[0].model.id);
}

/** Why this model: the selection's reason, and what failover made of it. */
export function reasonFor({ plan, candidate }: PlannedCall): string {
	const { failover, reason } = plan.selection;
	if (candidate.model === failover[0].model) return reason;
	return `${reason}; it did not answer, and ${candidate.model.display_name} stood in`;
}

/** The last of the billed calls is the one that served, or tried last. */
export function lastOf(billed: readonly BilledCall[]): BilledCall {
	const last = billed.at(-1);
	if (!last) throw new Error("nothing was billed, so there is nothing to write down");
	return last;
}

/** How one model's answer is written down: a chat completion, or a skill's. */
export function describeSingleAnswer(skillId: string | null): Purpose["describe"] {
	return (billed) => {
		const last = lastOf(billed);
		const { plan, candidate, attempt, bill } = last;
		const { id: model, provider } = candidate.model;
		const { mode } = plan.selection;
		const fallback = fallbackFrom(last);
		const answer = {
			model,
			provider,
			upstream_host: attempt.access.host,
			mode,
			reason: reasonFor(last),
			prompt_tokens: bill.promptTokens,
			completion_tokens: bill.completionTokens,
			fallback_from: fallback,
		};
		const receipt: ReceiptDetail =
			skillId === null ? { kind: "chat", ...answer, skill_id: null } : { kind: "skill", ...answer, skill_id: skillId };
		return { receipt, usage: { model, provider, mode, fallback: fallback !== null } };
	};
}

/** What a run's receipt and row say of how it ended. */
export interface Ending {
	outcome: Outcome;
	outputHash: Hash;
	atMs: number;
	latencyMs: number;
}

/** Usage row and unsigned receipt of a run. */
export function writtenDown(
	run: RunRecord,
	billed: readonly BilledCall[],
	{ outcome, outputHash: output_hash, atMs, latencyMs }: Ending,
): { usage: UsageRow; receipt: Receipt } {
	const { receipt: detail, usage } = run.purpose.describe(billed);
	const calls = billed.map(({ candidate, bill }) => ({
		model: candidate.model.id,
		provider: candidate.model.provider,
		tokens: bill.promptTokens + bill.completionTokens,
		input_tokens: bill.promptTokens,
		cost_nano_usd: bill.cost.totalNanoUsd,
	}));
	const costNanoUsd = totalNanoUsd(billed);
	const estimated = billed.some((call) => call.bill.estimated);
	const base: ReceiptBase = {
		type: "svc.receipt.v1",
		request_id: run.requestId,
		timestamp: new Date(atMs).toISOString(),
		outcome,
		estimated,
		cost_usd: usd(costNanoUsd),
		bound_usd: usd(run.boundNanoUsd),
		input_hash: run.purpose.inputHash,
		output_hash,
		compliance: null,
		catalog_version: run.catalogVersion,
		config_digest: run.purpose.configDigest,
	};
	return {
		receipt: { ...base, ...detail },
		usage: {
			request_id: run.requestId,
			user_id: run.userId,
			created_at: new Date(run.startedAtMs).toISOString(),
			kind: detail.kind,
			...usage,
			tokens: calls.reduce((sum, call) => sum + call.tokens, 0),
			input_tokens: calls.reduce((sum, call) => sum + call.input_tokens, 0),
			cost_nano_usd: costNanoUsd,
			estimated,
			outcome,
			latency_ms: latencyMs,
			calls,
		},
	};
}

/** What is recorded at `expiresAtMs` if the process that reserved it dies before it settles: the whole bound, for the first call. */
export function reservationOf(run: RunRecord, first: PlannedCall, expiresAtMs: number): Reservation {
	const cost = { inputNanoUsd: 0, outputNanoUsd: run.boundNanoUsd, totalNanoUsd: run.boundNanoUsd };
	const billed = [{ ...first, bill: { ...billOf(first, null, null, run.startedAtMs), cost } }];
	const ending = { outcome: "cut" as const, outputHash: hashText(""), atMs: run.startedAtMs, latencyMs: 0 };
	return { expiresAtMs, ...writtenDown(run, billed, ending) };
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
