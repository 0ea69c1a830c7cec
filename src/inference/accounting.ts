// What a request's calls used, what they cost, and how that is written down: bills, usage row, receipt, reservation. Pure.

import { type CallCost, inputTokens, outputTokens, priceUsage, type TokenUsage } from "../catalog/price.ts";
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Model } from "../catalog/schema.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import type { RequestNames } from "../meter/request-facts.ts";
import type { Reservation, UsageCall, UsageRow } from "../meter/settlement.ts";
import { type TokenParts, toTokenParts } from "../meter/token-parts.ts";
import { usd } from "../proof/money.ts";
import { type Outcome, type Receipt, type ReceiptBase, type ReceiptDetail, toHashedOutput } from "../proof/receipt.ts";
import { hashSalted } from "../proof/salted.ts";
import type { CallFailure, PartialAnswer } from "../providers/call-failure.ts";
import {
	joinText,
	type Message,
	type ModelAnswer,
	partsOfType,
	type ToolCallPart,
	type Warning,
} from "../providers/model-call.ts";
import { reasonsHidden } from "../routing/effort.ts";
import { replacementWarning } from "../routing/replacement.ts";
import type { Candidate } from "../routing/selection.ts";
import { estimateTokens } from "../routing/signals.ts";
import type { SingleAnswerTelemetry } from "../telemetry/request-telemetry.ts";
import type { CallSpan } from "../telemetry/request-trace.edge.ts";
import { utf8Length } from "../text/utf8.ts";
import type { CallPlan, ModelRequest } from "./plan.ts";
import type { ReceiptInput } from "./receipt-input.edge.ts";
import { markedCallId } from "./tool-call-ids.ts";

/** One call that may be made: a candidate of a plan and its exact request. */
export interface PlannedCall {
	plan: CallPlan;
	candidate: Candidate;
	attempt: ModelRequest;
	/** Whether the intended model had been asked by the time of this call. */
	intendedWasAsked: boolean;
}

/** A call with the key that it is made with. */
export interface KeyedCall extends PlannedCall {
	key: ProviderKey;
	/** The call's span; absent while no address for traces is set. */
	span?: CallSpan;
}

/** What one call used and what it cost, never above its own bound. */
export interface Bill {
	promptTokens: number;
	completionTokens: number;
	/** As far as the provider reports them. */
	parts: TokenParts;
	cost: CallCost;
	/** Some usage was not reported: cost and tokens are estimates on the high side, never above the bound. */
	estimated: boolean;
	/** The provider reported more usage than the request allowed: the cost is the bound. */
	overrun: boolean;
}

/** A call that is, or may be, billed by its provider. */
export interface BilledCall extends PlannedCall {
	bill: Bill;
	/** Absent for a call that may never have been sent. */
	key?: ProviderKey;
}

/** A billed call of any kind, as far as a request's row and receipt need it. */
export interface AccountedCall {
	candidate: { model: Pick<Model, "id" | "provider"> };
	bill: Bill;
	/** Absent for a call that may never have been sent. */
	key?: ProviderKey;
}

/** How one kind of request writes down what became of it. */
export interface RequestDescription {
	/** The receipt's members of this kind. */
	receipt: ReceiptDetail;
	/** What the usage row says of the request as a whole. */
	usage: Pick<UsageRow, "model" | "provider" | "mode" | "fallback">;
}

/** What a request is for. @typeParam C the calls that it makes. */
export interface RequestPurpose<C extends AccountedCall = BilledCall> {
	/** What its `input_hash` is over. */
	input: ReceiptInput;
	/** Digest of the routing config in force; null without one. */
	configDigest: string | null;
	/** The compliance policy in force; null without one. */
	gate: ComplianceGate | null;
	/** What models are sent of the request, after masking. Absent: none of its texts are kept or told. */
	sentMessages?(): readonly Message[];
	/** @param billed every call so far, in the order they ended; never empty for a single answer. */
	describe(billed: readonly C[]): RequestDescription;
	/** What telemetry is told of the answer of one model. Absent for an answer of several. */
	tell?(call: C, written: ModelAnswer | null, hasContent: boolean): SingleAnswerTelemetry;
}

/** A request on its way: everything that its receipt and usage row are made of besides its calls. */
export interface RequestRecord<C extends AccountedCall = BilledCall> {
	requestId: string;
	userId: string;
	/** The API key that made the request. */
	apiKeyId: string;
	/** What its client calls it by. */
	names: RequestNames;
	/** When the request arrived, ms since the epoch. */
	startedAtMs: number;
	catalogVersion: string;
	purpose: RequestPurpose<C>;
	/** The salt of its hashes, and the hash of its input: once it is admitted. */
	salted: { salt: string; inputHash: string } | null;
	/** Worst case of all its calls together, reserved before the first. */
	boundNanoUsd: number;
}

/**
 * Reported usage that can be true of what was sent and written; null for counts that nobody counted. Some servers write zeros: no
 * prompt has no tokens, and no text has none.
 */
function credibleUsage(usage: TokenUsage | null, written: string): TokenUsage | null {
	return usage && inputTokens(usage) > 0 && (outputTokens(usage) > 0 || written === "") ? usage : null;
}

/** The parts of reported tokens, within those that are billed. */
function toParts(usage: TokenUsage, promptTokens: number, completionTokens: number): TokenParts {
	const cached = Math.min(usage.cacheRead, promptTokens);
	const written = usage.cacheWrite + (usage.hourCacheWrite ?? 0);
	return toTokenParts({
		cached_tokens: cached,
		cache_write_tokens: Math.min(written, promptTokens - cached),
		reasoning_tokens: Math.min(usage.reasoning, completionTokens),
	});
}

/**
 * The bill of a whole answer: by its reported usage; without one, at its bound.
 * @param sentAtMs when the upstream call was sent, which decides the price.
 */
export function billCall(
	{ plan, candidate, attempt }: PlannedCall,
	reported: TokenUsage | null,
	delivered: ModelAnswer | null,
	sentAtMs: number,
): Bill {
	const { worstCase, request } = attempt;
	const written = delivered ? writtenText(delivered) : "";
	const usage = credibleUsage(reported, written);
	if (!usage) {
		const completionTokens = estimateTokens(written);
		const { promptTokens } = plan.signals;
		return { promptTokens, completionTokens, parts: {}, cost: worstCase, estimated: true, overrun: false };
	}
	const actual = priceUsage(candidate.model, usage, sentAtMs);
	const overrun = actual.totalNanoUsd > worstCase.totalNanoUsd;
	// The bound is what is paid, so the tokens shown are those that it covers.
	const promptTokens = overrun ? Math.min(inputTokens(usage), request.maxInputTokens) : inputTokens(usage);
	const completionTokens = overrun ? Math.min(outputTokens(usage), request.maxOutputTokens) : outputTokens(usage);
	return {
		promptTokens,
		completionTokens,
		parts: toParts(usage, promptTokens, completionTokens),
		cost: overrun ? worstCase : actual,
		estimated: false,
		overrun,
	};
}

/** Output tokens that a provider may have generated and not yet delivered when a stream broke off. They are always billed. */
const PENDING_OUTPUT_TOKENS = 256;

/** A token of common text has at least so many UTF-8 bytes. */
const ESTIMATED_BYTES_PER_TOKEN = 3;

function estimateMaxTokens(text: string): number {
	return Math.ceil(utf8Length(text) / ESTIMATED_BYTES_PER_TOKEN);
}

/** Reasoning that was neither shown nor counted may be as long as the output limit. */
function unseenReasoningTokens({ candidate, attempt }: PlannedCall, counts: TokenUsage | null): number {
	if (counts && counts.reasoning > 0) return 0;
	return reasonsHidden(candidate.model, attempt.access.provider, candidate.effort)
		? attempt.request.maxOutputTokens
		: 0;
}

/** The bound with the tokens that it was computed from. */
function billWholeBound({ request, worstCase }: ModelRequest): Bill {
	return {
		promptTokens: request.maxInputTokens,
		completionTokens: request.maxOutputTokens,
		parts: {},
		cost: worstCase,
		estimated: true,
		overrun: false,
	};
}

/**
 * The bill of a call that broke off or was left. Reported usage counts as reported. The rest is estimated at one token per three
 * bytes sent and delivered, plus the output that may have been pending. Never above the call's bound. A longer answer
 * that was requested whole is billed at the bound.
 */
export function billInterruptedCall(call: PlannedCall, { answer, reported }: PartialAnswer, sentAtMs: number): Bill {
	if (reported?.isFinal) return billCall(call, reported.counts, answer, sentAtMs);
	const { candidate, attempt } = call;
	const { request, worstCase } = attempt;
	// Nothing shows how much of an answer was generated that was requested whole.
	if (attempt.isWhole && request.maxOutputTokens > PENDING_OUTPUT_TOKENS) return billWholeBound(attempt);
	const written = answer ? writtenText(answer) : "";
	const counts = credibleUsage(reported?.counts ?? null, "");
	const sentTokens = Math.min(estimateMaxTokens(request.body), request.maxInputTokens);
	const input = counts ?? { uncachedInput: sentTokens, cacheRead: 0, cacheWrite: 0 };
	const outputSoFar = counts ? outputTokens(counts) : 0;
	const outputText = Math.min(
		Math.max(outputSoFar, estimateMaxTokens(written)) + PENDING_OUTPUT_TOKENS + unseenReasoningTokens(call, counts),
		request.maxOutputTokens,
	);
	const cost = priceUsage(candidate.model, { ...input, outputText, reasoning: 0 }, sentAtMs);
	const inputNanoUsd = Math.min(cost.inputNanoUsd, worstCase.inputNanoUsd);
	const outputNanoUsd = Math.min(cost.outputNanoUsd, worstCase.outputNanoUsd);
	const promptTokens = counts ? Math.min(inputTokens(counts), request.maxInputTokens) : sentTokens;
	return {
		// The tokens of the cost, so that a receipt's figures belong together.
		promptTokens,
		completionTokens: outputText,
		parts: counts ? toParts(counts, promptTokens, outputText) : {},
		cost: { inputNanoUsd, outputNanoUsd, totalNanoUsd: inputNanoUsd + outputNanoUsd },
		estimated: true,
		overrun: false,
	};
}

/** The bill of a call that did not serve; null when it cost nothing. */
export function billFailedCall(
	call: PlannedCall,
	failure: CallFailure,
	sentAtMs: number,
	billInterrupted: InterruptedBilling,
): Bill | null {
	// Providers bill neither an error status nor a request that did not reach them.
	if (failure.kind === "status" || failure.kind === "no_token" || !failure.sent) return null;
	const { partial: remains } = failure;
	// An empty answer is a whole answer.
	if (failure.kind === "lost" && failure.why === "empty")
		return billCall(call, remains.reported?.counts ?? null, remains.answer, sentAtMs);
	return billInterrupted(call, remains, sentAtMs);
}

/** How a call that broke off is billed. */
export type InterruptedBilling = typeof billInterruptedCall;

/** The same where a cap must hold whatever a provider charges for a broken call: an estimate becomes the bound. */
export const billInterruptedCallAtBound: InterruptedBilling = (call, remains, sentAtMs) => {
	const bill = billInterruptedCall(call, remains, sentAtMs);
	return bill.estimated ? billCall(call, null, remains.answer, sentAtMs) : bill;
};

/** Everything that a model wrote: text, reasoning, refusals and arguments of tool calls. */
function writtenText({ content }: ModelAnswer): string {
	return content
		.map((part) => (part.type === "provider" ? "" : part.type === "tool_call" ? part.arguments : part.text))
		.join("");
}

/** Cost of all billed calls, nano-USD. */
export function totalNanoUsd(billed: readonly AccountedCall[]): number {
	return billed.reduce((sum, { bill }) => sum + bill.cost.totalNanoUsd, 0);
}

/** A tool call with name and arguments as its client gets them. Its id is marked later. */
export type CallDelivery = (call: ToolCallPart) => ToolCallPart;

/**
 * What the hash of a delivered answer is over. Its tool calls have the ids that the client gets.
 * @param deliver default: as the model wrote them.
 */
export function deliveredText(
	{ content }: ModelAnswer,
	modelId: string,
	deliver: CallDelivery = (call) => call,
): string {
	const calls = partsOfType(content, "tool_call").map((call) => ({
		...deliver(call),
		id: markedCallId(call.id, modelId),
	}));
	const text = joinText(content, "text");
	return toHashedOutput(calls.length === 0 ? (text ?? joinText(content, "refusal")) : text, calls);
}

/** The intended model, where another one was called; else null. */
export function fallbackFrom({ plan, candidate }: PlannedCall): string | null {
	const { failover, fallbackFrom, replaced } = plan.selection;
	return replaced?.asked ?? fallbackFrom ?? (candidate.model === failover[0].model ? null : failover[0].model.id);
}

/** Why this model: the selection's reason and, for a fallback, why the intended model did not serve. */
export function explainServingModel({ plan, candidate, intendedWasAsked }: PlannedCall): string {
	const { failover, reason } = plan.selection;
	if (candidate.model === failover[0].model) return reason;
	const why = intendedWasAsked ? "it did not answer" : "it was not asked, because it is not to be called for a while";
	return `${reason}; ${why}, and ${candidate.model.display_name} stood in`;
}

/** The call that served or, where none did, the last one that was billed. */
export function lastBilledCall<C extends AccountedCall>(billed: readonly C[]): C {
	const last = billed.at(-1);
	if (!last) throw new Error("nothing was billed, so there is nothing to write down");
	return last;
}

/** Describes the answer of one model: a chat completion, or a skill's. */
export function describeSingleAnswer(skillId: string | null): RequestPurpose["describe"] {
	return (billed) => {
		const last = lastBilledCall(billed);
		const { plan, candidate, attempt, bill } = last;
		const { id: model, provider } = candidate.model;
		const { mode } = plan.selection;
		const fallback = fallbackFrom(last);
		const answer = {
			model,
			provider,
			upstream_host: attempt.access.host,
			mode,
			reason: explainServingModel(last),
			prompt_tokens: bill.promptTokens,
			completion_tokens: bill.completionTokens,
			fallback_from: fallback,
		};
		const receipt: ReceiptDetail =
			skillId === null ? { kind: "chat", ...answer, skill_id: null } : { kind: "skill", ...answer, skill_id: skillId };
		return { receipt, usage: { model, provider, mode, fallback: fallback !== null } };
	};
}

/** How a request ended, for its receipt and usage row. */
interface RequestEnding {
	outcome: Outcome;
	/** Null in a reservation whose salt is not known yet. */
	outputHash: string | null;
	atMs: number;
	latencyMs: number;
	/** Every model that was sent the text, or may have been. */
	readers: Iterable<Pick<Model, "id" | "provider">>;
}

/** A billed call as a usage row has it. */
export function toUsageCall({ candidate: { model }, bill, key }: AccountedCall): UsageCall {
	return {
		model: model.id,
		provider: model.provider,
		tokens: bill.promptTokens + bill.completionTokens,
		input_tokens: bill.promptTokens,
		cost_nano_usd: bill.cost.totalNanoUsd,
		...bill.parts,
		...(key?.name ? { provider_key: key.name } : {}),
	};
}

/** Usage row and unsigned receipt of a request. */
export function toUsageAndReceipt<C extends AccountedCall>(
	record: RequestRecord<C>,
	billed: readonly C[],
	{ outcome, outputHash, atMs, latencyMs, readers }: RequestEnding,
): { usage: UsageRow; receipt: Receipt } {
	const { gate, describe } = record.purpose;
	const { receipt: detail, usage } = describe(billed);
	const calls = billed.map(toUsageCall);
	const costNanoUsd = totalNanoUsd(billed);
	const estimated = billed.some(({ bill }) => bill.estimated);
	const base: ReceiptBase = {
		type: "svc.receipt.v2",
		request_id: record.requestId,
		timestamp: new Date(atMs).toISOString(),
		outcome,
		estimated,
		cost_usd: usd(costNanoUsd),
		bound_usd: usd(record.boundNanoUsd),
		input_hash: record.salted?.inputHash ?? null,
		output_hash: outputHash,
		compliance: gate?.attest(readers) ?? null,
		catalog_version: record.catalogVersion,
		config_digest: record.purpose.configDigest,
	};
	return {
		receipt: { ...base, ...detail },
		usage: {
			request_id: record.requestId,
			user_id: record.userId,
			api_key_id: record.apiKeyId,
			created_at: new Date(record.startedAtMs).toISOString(),
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

/** The bill of a call whose process dies while it is under way: its worst case, with nothing delivered. */
export function billAtBound(call: PlannedCall, atMs: number): BilledCall {
	return { ...call, bill: billCall(call, null, null, atMs) };
}

/**
 * What is recorded at `expiresAtMs` if the process dies before it settles: these calls and nothing else.
 * @param billed calls that were billed, and calls under way at their worst case, each under its own model.
 */
export function reserveBilledSoFar<C extends AccountedCall>(
	record: RequestRecord<C>,
	billed: readonly C[],
	expiresAtMs: number,
): Reservation {
	const ending: RequestEnding = {
		outcome: "cut",
		outputHash: record.salted && hashSalted(record.salted.salt, ""),
		atMs: record.startedAtMs,
		latencyMs: 0,
		readers: billed.map(({ candidate }) => candidate.model),
	};
	const { names, boundNanoUsd: holdNanoUsd } = record;
	return { expiresAtMs, holdNanoUsd, names, ...toUsageAndReceipt(record, billed, ending) };
}

/**
 * What is recorded at `expiresAtMs` if the process dies before it settles: the whole bound, for the first call.
 * @param first at its own bound.
 */
export function reserveWholeBound<C extends AccountedCall>(
	record: RequestRecord<C>,
	first: C,
	expiresAtMs: number,
): Reservation {
	const cost = { inputNanoUsd: 0, outputNanoUsd: record.boundNanoUsd, totalNanoUsd: record.boundNanoUsd };
	return reserveBilledSoFar(record, [{ ...first, bill: { ...first.bill, cost } }], expiresAtMs);
}

/** Warnings for the client about the choice of a model, and the terms on which it is called. */
export function choiceWarnings(
	{ selection: { replaced }, observed }: Pick<CallPlan, "selection" | "observed">,
	{ model, warnings }: Candidate,
): Warning[] {
	return [...(replaced ? [replacementWarning(replaced, model, Date.parse(observed.at))] : []), ...warnings];
}

/** Says that an answer ends at a limit which its client did not name. */
export function cutWarnings(
	{ plan: { options }, candidate: { maxTokens } }: Pick<PlannedCall, "plan" | "candidate">,
	{ finishReason }: Pick<ModelAnswer, "finishReason">,
): Warning[] {
	const { defaultMaxTokens } = options;
	if (finishReason !== "length" || defaultMaxTokens === undefined) return [];
	const cut = { code: "truncated", param: "max_tokens" } as const;
	if (maxTokens >= defaultMaxTokens)
		return [{ ...cut, message: `the answer was cut at ${maxTokens} tokens, the default`, isCuredBySetting: true }];
	const most = "the most that the model, its context and the cost limits allow";
	return [{ ...cut, message: `the answer was cut at ${maxTokens} tokens, ${most}` }];
}

/** Warnings for the client about how its call was made. */
export function callWarnings({ plan, candidate, attempt, bill }: BilledCall): Warning[] {
	const warnings = [...choiceWarnings(plan, candidate), ...attempt.request.warnings];
	if (bill.overrun) {
		const message = "the provider reported more usage than the request allowed; the cost is the reserved bound";
		warnings.push({ code: "provider_overrun", param: null, message });
	}
	return warnings;
}
