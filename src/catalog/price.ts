// Prices model calls: actual cost at the rate that applied, worst case at the highest rate that could apply. Pure.
import type { Model, Price } from "./schema.ts";

/** Token usage in disjoint counts. The OpenAI shape is derived from it. */
export interface TokenUsage {
	/** Input that was not read from a cache or written to one. */
	uncachedInput: number;
	cacheRead: number;
	/** Written to a cache at its usual rate: kept for minutes. */
	cacheWrite: number;
	/** Written to a cache that is kept for an hour, which costs more (Anthropic); left out where there is none. */
	hourCacheWrite?: number;
	/** Output without reasoning. */
	outputText: number;
	reasoning: number;
}

/** Cost of one model call in integer nano-USD. Input and output are rounded up separately. */
export interface CallCost {
	inputNanoUsd: number;
	outputNanoUsd: number;
	totalNanoUsd: number;
}

/** Rates in pico-USD per token, as integers: the catalog's USD per million tokens × 1e6. */
interface Rates {
	input: number;
	cacheRead: number;
	cacheWrite: number;
	hourCacheWrite: number;
	output: number;
}

type RateRow = Pick<Price, "input" | "output" | "cached_input" | "cache_write">;

const PICO_PER_RATE = 1e6;
const PICO_PER_NANO = 1000;
/**
 * What a token costs that is kept in a cache for an hour, as a multiple of the input rate. Anthropic's rule for all its
 * models; no other provider has such a cache.
 */
const HOUR_CACHE_WRITE_FACTOR = 2;

/** Rows never change, and a selection prices every model. */
const knownRates = new WeakMap<RateRow, Rates>();

function toRates(row: RateRow): Rates {
	const known = knownRates.get(row);
	if (known) return known;
	const pico = (rate: number) => Math.round(rate * PICO_PER_RATE);
	const cacheWrite = pico(row.cache_write ?? row.input);
	const rates = {
		input: pico(row.input),
		cacheRead: pico(row.cached_input ?? row.input),
		cacheWrite,
		hourCacheWrite: Math.max(pico(row.input) * HOUR_CACHE_WRITE_FACTOR, cacheWrite),
		output: pico(row.output),
	};
	knownRates.set(row, rates);
	return rates;
}

/**
 * The catalog price in force at `atMs` (ms since the epoch).
 * @throws when the model has none.
 */
export function priceAt<P extends Pick<Price, "effective_from">>(
	model: { id: string; prices: readonly P[] },
	atMs: number,
): P {
	const first = model.prices[0];
	return first?.effective_from === null && model.prices.length === 1 ? first : latestPrice(model, atMs);
}

function latestPrice<P extends Pick<Price, "effective_from">>(
	model: { id: string; prices: readonly P[] },
	atMs: number,
): P {
	const current = model.prices.findLast(
		(price) => price.effective_from === null || Date.parse(price.effective_from) <= atMs,
	);
	if (!current) throw new Error(`catalog: ${model.id} has no price`);
	return current;
}

function tierApplies(tier: Price["tiers"][number], inputTokens: number, atMs: number): boolean {
	if ("above_input_tokens" in tier.when) return inputTokens > tier.when.above_input_tokens;
	const hour = new Date(atMs).getUTCHours();
	return tier.when.utc_hours.some(([from, to]) => hour >= from && hour < to);
}

/**
 * The rates that may apply to a call: the highest length tier that it exceeds and the tiers of the hour, else the base
 * price.
 */
function applicableRows(price: Price, input: number, atMs: number): RateRow[] {
	const tiers = price.tiers.filter((tier) => tierApplies(tier, input, atMs));
	const threshold = ({ when }: Price["tiers"][number]) => ("above_input_tokens" in when ? when.above_input_tokens : 0);
	const highest = Math.max(0, ...tiers.map(threshold));
	const rows = tiers.filter((tier) => threshold(tier) === 0 || threshold(tier) === highest);
	return rows.length > 0 ? rows : [price];
}

/** All input tokens. Length tiers depend on this number. */
export function inputTokens(usage: TokenUsage): number {
	return usage.uncachedInput + usage.cacheRead + usage.cacheWrite + (usage.hourCacheWrite ?? 0);
}

/** Output tokens, reasoning included. */
export function outputTokens(usage: TokenUsage): number {
	return usage.outputText + usage.reasoning;
}

function toCallCost(inputNanoUsd: number, outputNanoUsd: number): CallCost {
	return { inputNanoUsd, outputNanoUsd, totalNanoUsd: inputNanoUsd + outputNanoUsd };
}

/** What tokens cost by the whole nano-USD of a rate. Pico-USD of a long prompt at a high rate would not be a safe integer. */
function wholeNanoUsd(tokens: number, rate: number): number {
	return tokens * Math.floor(rate / PICO_PER_NANO);
}

/** What they cost by the rest of the rate, pico-USD. */
function restPicoUsd(tokens: number, rate: number): number {
	return tokens * (rate % PICO_PER_NANO);
}

/** What tokens cost at a rate, rounded up: an integer. */
function toNanoUsd(tokens: number, rate: number): number {
	return wholeNanoUsd(tokens, rate) + Math.ceil(restPicoUsd(tokens, rate) / PICO_PER_NANO);
}

/** What tokens cost at USD per million, rounded up: an integer. */
export function tokensNanoUsd(tokens: number, usdPerMillion: number): number {
	return toNanoUsd(tokens, Math.round(usdPerMillion * PICO_PER_RATE));
}

/** What all input costs, rounded up once. */
function inputNanoUsd({ uncachedInput, cacheRead, cacheWrite, hourCacheWrite = 0 }: TokenUsage, rates: Rates): number {
	const nano =
		wholeNanoUsd(uncachedInput, rates.input) +
		wholeNanoUsd(cacheRead, rates.cacheRead) +
		wholeNanoUsd(cacheWrite, rates.cacheWrite) +
		wholeNanoUsd(hourCacheWrite, rates.hourCacheWrite);
	const pico =
		restPicoUsd(uncachedInput, rates.input) +
		restPicoUsd(cacheRead, rates.cacheRead) +
		restPicoUsd(cacheWrite, rates.cacheWrite) +
		restPicoUsd(hourCacheWrite, rates.hourCacheWrite);
	return nano + Math.ceil(pico / PICO_PER_NANO);
}

function priceAtRow(row: RateRow, usage: TokenUsage): CallCost {
	const rates = toRates(row);
	return toCallCost(inputNanoUsd(usage, rates), toNanoUsd(outputTokens(usage), rates.output));
}

/**
 * Actual cost of one call. The whole call is charged at the tier that applied; when a length tier and an hour tier both
 * did, at the more expensive one.
 * @param atMs when the upstream request was sent, ms since the epoch.
 */
export function priceUsage(model: Model, usage: TokenUsage, atMs: number): CallCost {
	const price = priceAt(model, atMs);
	if (price.tiers.length === 0) return priceAtRow(price, usage);
	const rows = applicableRows(price, inputTokens(usage), atMs);
	return rows.map((row) => priceAtRow(row, usage)).reduce((a, b) => (b.totalNanoUsd > a.totalNanoUsd ? b : a));
}

/** A price may change between reservation and call, within this time. */
export const PRICE_HORIZON_MS = 15 * 60_000;

/** The highest rates that could apply to a call sent soon after `atMs`, over all tiers, hours and cache rates. */
function dearestRates(model: Model, atMs: number, writesHourCache: boolean): { input: number; output: number } {
	const prices = new Set([priceAt(model, atMs), priceAt(model, atMs + PRICE_HORIZON_MS)]);
	const rates = [...prices].flatMap((price) => [price, ...price.tiers]).map(toRates);
	return {
		input: Math.max(
			...rates.flatMap((row) => [
				row.input,
				row.cacheRead,
				row.cacheWrite,
				...(writesHourCache ? [row.hourCacheWrite] : []),
			]),
		),
		output: Math.max(...rates.map((row) => row.output)),
	};
}

/**
 * Worst case of one call: all tokens at the highest rate that could apply.
 * @param atMs when the bound is computed, ms since the epoch.
 * @param writesHourCache the call may write to a cache that is kept for an hour.
 */
export function priceWorstCase(
	model: Model,
	maxInputTokens: number,
	maxOutputTokens: number,
	atMs: number,
	writesHourCache = false,
): CallCost {
	const rates = dearestRates(model, atMs, writesHourCache);
	return toCallCost(toNanoUsd(maxInputTokens, rates.input), toNanoUsd(maxOutputTokens, rates.output));
}

/** Four times the blended price, in millionths of a USD per million tokens: an integer. */
export function blendedMicroRate(model: Model, atMs: number): number {
	const rates = toRates(priceAt(model, atMs));
	return 3 * rates.input + rates.output;
}

/** Blended catalog price, (3 × input + output) / 4, in USD per million tokens, at the base rates. */
export function blendedRate(model: Model, atMs: number): number {
	return blendedMicroRate(model, atMs) / (4 * PICO_PER_RATE);
}
