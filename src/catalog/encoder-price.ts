// What calls of encoder models cost: tokens, and searches where the provider charges by them. Pure.
import type { EncoderModel } from "./encoder.ts";
import { type CallCost, PRICE_HORIZON_MS, priceAt, tokensNanoUsd } from "./price.ts";

/** USD per thousand searches, as nano-USD per search. */
const NANO_PER_SEARCH_RATE = 1e6;

/** What a call used, or may use. */
export interface EncoderAmounts {
	tokens: number;
	searches: number;
}

/** Whether a model charges by tokens, and by searches. A price of 0 is one. */
export function encoderCharges(model: EncoderModel, atMs: number): { byTokens: boolean; bySearches: boolean } {
	const { input, search = 0 } = priceAt(model, atMs);
	return { byTokens: input > 0 || search === 0, bySearches: search > 0 };
}

/** Cost of one call. Nothing is written, so all of it is input. @param atMs when it was sent. */
export function priceEncoder(model: EncoderModel, { tokens, searches }: EncoderAmounts, atMs: number): CallCost {
	const { input, search = 0 } = priceAt(model, atMs);
	const inputNanoUsd = tokensNanoUsd(tokens, input) + Math.ceil(searches * search * NANO_PER_SEARCH_RATE);
	return { inputNanoUsd, outputNanoUsd: 0, totalNanoUsd: inputNanoUsd };
}

/** The most that a call may cost that is sent soon after `atMs`. */
export function priceEncoderWorstCase(model: EncoderModel, amounts: EncoderAmounts, atMs: number): CallCost {
	const now = priceEncoder(model, amounts, atMs);
	const soon = priceEncoder(model, amounts, atMs + PRICE_HORIZON_MS);
	return soon.totalNanoUsd > now.totalNanoUsd ? soon : now;
}
