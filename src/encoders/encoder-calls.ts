// What a call of an encoder model may use and did use, and what its request writes down of it. Pure.
import type { EncoderModel } from "../catalog/encoder.ts";
import { SEARCH_DOCUMENTS } from "../catalog/encoder.ts";
import { type EncoderAmounts, encoderCharges, priceEncoder } from "../catalog/encoder-price.ts";
import type { CallCost } from "../catalog/price.ts";
import type { Bill, RequestDescription } from "../inference/accounting.ts";
import type { FailoverCall, KeyOfCall } from "../inference/failover.ts";
import type { EncoderCall, EncoderForm, EncoderUsage } from "../providers/encoders/encoder-call.ts";
import type { UpstreamRequest, Wire } from "../providers/wire.ts";
import type { ProviderAccess } from "../settings.ts";
import { utf8Length } from "../text/utf8.ts";
import { likelyTokens, mostTokens } from "./token-bounds.ts";

/** Tokens of a document of a search, with the query; a longer one is counted in pieces (cohere.com/pricing, read 2026-11-28). */
const PIECE_TOKENS = 500;
/** What is left of a piece beside a long query. */
const MIN_PIECE_TOKENS = 100;

/** Why this model answers a request. */
export interface EncoderChoice {
	/** The model that was asked for, or that the operator's default is. */
	named: EncoderModel;
	reason: string;
}

/** One call of an encoder model that may be made. */
export interface EncoderPlannedCall extends FailoverCall {
	candidate: { model: EncoderModel };
	choice: EncoderChoice;
	/** What it asks. */
	asked: EncoderCall;
	attempt: {
		access: ProviderAccess;
		form: EncoderForm;
		wire: Pick<Wire, "parseError">;
		request: UpstreamRequest;
		/** The most that it may be billed for. */
		most: EncoderAmounts;
		/** About what it will be billed for. */
		likely: EncoderAmounts;
		worstCase: CallCost;
	};
}

export type EncoderKeyedCall = EncoderPlannedCall & KeyOfCall;
export type EncoderBilledCall = EncoderPlannedCall & { bill: Bill } & Partial<Pick<KeyOfCall, "key">>;

/** What of a call is billed, by a count of tokens of its texts. @param countTokens of one text or list of tokens. */
function countAmounts(call: EncoderCall, countTokens: (input: string | readonly number[]) => number): EncoderAmounts {
	if (call.kind !== "rerank")
		return { tokens: call.inputs.reduce((sum, input) => sum + countTokens(input), 0), searches: 0 };
	const { query, documents } = call;
	const queryTokens = countTokens(query);
	const pieceTokens = Math.max(MIN_PIECE_TOKENS, PIECE_TOKENS - queryTokens);
	const tokens = documents.map((document) => countTokens(document));
	const pieces = tokens.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / pieceTokens)), 0);
	return {
		// The query is read with each document.
		tokens: tokens.reduce((sum, count) => sum + queryTokens + count, 0),
		searches: Math.ceil(pieces / SEARCH_DOCUMENTS),
	};
}

/** The most that a call may be billed for. */
export function mostAmounts(call: EncoderCall): EncoderAmounts {
	return countAmounts(call, mostTokens);
}

/** About what a call will be billed for. */
export function likelyAmounts(call: EncoderCall): EncoderAmounts {
	return countAmounts(call, likelyTokens);
}

function toBill(tokens: number, cost: CallCost, kind: "reported" | "estimated" | "overrun"): Bill {
	return {
		promptTokens: tokens,
		completionTokens: 0,
		parts: {},
		cost,
		estimated: kind === "estimated",
		overrun: kind === "overrun",
	};
}

/** The bill of an answer: by what was reported; where that lacks what the model charges by, at the call's bound. */
export function billEncoderCall(
	{ candidate: { model }, attempt }: EncoderPlannedCall,
	usage: EncoderUsage,
	sentAtMs: number,
): Bill {
	const { most, likely, worstCase } = attempt;
	const { byTokens, bySearches } = encoderCharges(model, sentAtMs);
	// Some servers write zeros: no text has no tokens, and none is searched without a search.
	const [tokens, searches] = [usage.inputTokens || null, usage.searches || null];
	// The bound is what is paid, so the tokens shown are those that it covers; also where tokens cost nothing.
	const shown = Math.min(tokens ?? likely.tokens, most.tokens);
	if ((byTokens && tokens === null) || (bySearches && searches === null)) return toBill(shown, worstCase, "estimated");
	const cost = priceEncoder(model, { tokens: tokens ?? 0, searches: searches ?? 0 }, sentAtMs);
	if (cost.totalNanoUsd > worstCase.totalNanoUsd) return toBill(shown, worstCase, "overrun");
	return toBill(shown, cost, "reported");
}

/** A token of common text has at least so many UTF-8 bytes. */
const ESTIMATED_BYTES_PER_TOKEN = 3;

/** The bill of a call that broke off: as chat's, what was sent, at a token for three bytes. Never above its bound. */
export function billBrokenEncoderCall(call: EncoderPlannedCall, sentAtMs: number): Bill {
	const { candidate, attempt, asked } = call;
	const estimate = (input: string | readonly number[]) =>
		typeof input === "string" ? Math.ceil(utf8Length(input) / ESTIMATED_BYTES_PER_TOKEN) : input.length;
	const amounts = countAmounts(asked, estimate);
	const cost = priceEncoder(candidate.model, amounts, sentAtMs);
	const isOver = cost.totalNanoUsd > attempt.worstCase.totalNanoUsd;
	return toBill(Math.min(amounts.tokens, attempt.most.tokens), isOver ? attempt.worstCase : cost, "estimated");
}

/** Why this model: that it was named and, for another host of it, why the named one did not serve. */
export function explainEncoder({ candidate: { model }, choice: { named, reason } }: EncoderPlannedCall): string {
	return model === named ? reason : `${reason}; ${named.provider} did not serve it, and ${model.provider} has the same`;
}

/** The named model, where another host of it was called; else null. */
export function encoderFallbackFrom({ candidate: { model }, choice: { named } }: EncoderPlannedCall): string | null {
	return model === named ? null : named.id;
}

/** Describes a request of an encoder model. @param billed all of its calls. */
export function describeEncoder(billed: readonly EncoderBilledCall[]): RequestDescription {
	const last = billed.at(-1);
	if (!last) throw new Error("nothing was billed, so there is nothing to write down");
	const { candidate, attempt } = last;
	const { id: model, provider, kind } = candidate.model;
	const fallback = encoderFallbackFrom(last);
	return {
		receipt: {
			kind,
			model,
			provider,
			upstream_host: attempt.access.host,
			mode: "direct",
			reason: explainEncoder(last),
			prompt_tokens: billed.reduce((sum, { bill }) => sum + bill.promptTokens, 0),
			fallback_from: fallback,
			skill_id: null,
		},
		usage: { model, provider, mode: "direct", fallback: fallback !== null },
	};
}
