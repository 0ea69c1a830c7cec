// Percentiles and slopes of measured values, and what several rounds of one target come to. Pure.
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

/** Rise of y per unit of x by least squares; NaN for fewer than two different x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
	const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const meanX = mean(points.map(([x]) => x));
	const meanY = mean(points.map(([, y]) => y));
	const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
	const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
	return covariance / variance;
}

export interface LoadSummary {
	requests: number;
	/** To the last byte. */
	medianMs: number;
	p95Ms: number;
	/** To the first delta; null where nothing was streamed. */
	medianFirstDeltaMs: number | null;
	requestsPerSecond: number;
	/** One per round, in order: how much the machine's noise moves the figure. */
	roundsRequestsPerSecond: number[];
}

/** Pools the rounds of one target at one number of connections. */
export function summarize(rounds: readonly Round[]): LoadSummary {
	const latenciesMs = rounds.flatMap((round) => round.latenciesMs);
	const firstDeltasMs = rounds.flatMap((round) => round.firstDeltasMs);
	const elapsedMs = rounds.reduce((sum, round) => sum + round.elapsedMs, 0);
	return {
		requests: latenciesMs.length,
		medianMs: median(latenciesMs),
		p95Ms: percentile(latenciesMs, 0.95),
		medianFirstDeltaMs: firstDeltasMs.length === 0 ? null : median(firstDeltasMs),
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
	addedMedianFirstDeltaMs: number | null;
}

/** Sets the service beside the bare Worker. */
export function compare(connections: number, bareRounds: readonly Round[], svcRounds: readonly Round[]): Comparison {
	const bare = summarize(bareRounds);
	const svc = summarize(svcRounds);
	const firstDeltas = [bare.medianFirstDeltaMs, svc.medianFirstDeltaMs] as const;
	return {
		connections,
		bare,
		svc,
		throughputRatio: svc.requestsPerSecond / bare.requestsPerSecond,
		addedMedianMs: svc.medianMs - bare.medianMs,
		addedMedianFirstDeltaMs:
			firstDeltas[0] === null || firstDeltas[1] === null ? null : firstDeltas[1] - firstDeltas[0],
	};
}

/** Resident memory after a number of requests. */
export interface MemorySample {
	requests: number;
	residentBytes: number;
}

const MIB = 1_048_576;

/** Growth over the second half of the requests, MiB per 1,000: what is left when caches have filled, which is where a leak shows. */
export function growthOf(samples: readonly MemorySample[]): number {
	const half = (samples.at(-1)?.requests ?? 0) / 2;
	const second = samples.filter(({ requests }) => requests >= half);
	return slope(second.map(({ requests, residentBytes }) => [requests / 1000, residentBytes / MIB]));
}
