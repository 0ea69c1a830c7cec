// Percentiles of measured values, and what several rounds of one target come to.
import type { Round } from "./load.ts";

/** The value below which `share` (0 to 1) of the values lie, by nearest rank; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The value in the middle, in the values' own unit. */
export function median(values: readonly number[]): number {
	return percentile(values, 0.5);
}

export interface LoadSummary {
	requests: number;
	medianMs: number;
	p95Ms: number;
	requestsPerSecond: number;
	/** One per round, in order: how much the machine's noise moves the figure. */
	roundsRequestsPerSecond: number[];
}

/** Pools the rounds of one target at one number of connections. */
export function summarize(rounds: readonly Round[]): LoadSummary {
	const latenciesMs = rounds.flatMap((round) => round.latenciesMs);
	const elapsedMs = rounds.reduce((sum, round) => sum + round.elapsedMs, 0);
	return {
		requests: latenciesMs.length,
		medianMs: median(latenciesMs),
		p95Ms: percentile(latenciesMs, 0.95),
		requestsPerSecond: (latenciesMs.length / elapsedMs) * 1000,
		roundsRequestsPerSecond: rounds.map((round) => (round.latenciesMs.length / round.elapsedMs) * 1000),
	};
}

export interface Comparison {
	connections: number;
	bare: LoadSummary;
	svc: LoadSummary;
	/** svc/bare. */
	throughputRatio: number;
	addedMedianMs: number;
}

/** Sets the service beside the bare Worker. */
export function compare(connections: number, bareRounds: readonly Round[], svcRounds: readonly Round[]): Comparison {
	const bare = summarize(bareRounds);
	const svc = summarize(svcRounds);
	return {
		connections,
		bare,
		svc,
		throughputRatio: svc.requestsPerSecond / bare.requestsPerSecond,
		addedMedianMs: svc.medianMs - bare.medianMs,
	};
}
