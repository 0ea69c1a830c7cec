// Percentiles and slopes of measured values, summaries of rounds, and ratios between targets. Pure.
import type { RoundAnswers } from "./load.ts";

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

/** One round of load on one target. */
export interface MeasuredRound extends RoundAnswers {
	/** CPU time of the target's process per request, user and system; null if unknown. */
	cpuMs: number | null;
}

/** Medians over the rounds of one target at one number of connections. */
export interface LoadSummary {
	requests: number;
	/** To the last byte. */
	medianMs: number;
	p95Ms: number;
	/** To the first delta; null if nothing was streamed. */
	medianFirstDeltaMs: number | null;
	requestsPerSecond: number;
	/** One per round, in order. They show how much noise of the machine moves the figure. */
	roundsRequestsPerSecond: number[];
	cpuMs: number | null;
}

function throughput({ requests, elapsedMs }: RoundAnswers): number {
	return (requests / elapsedMs) * 1000;
}

/** The median; null if any value is unknown. */
function medianIfKnown(values: readonly (number | null)[]): number | null {
	const known = values.filter((value) => value !== null);
	return known.length === values.length && known.length > 0 ? median(known) : null;
}

export function summarizeRounds(rounds: readonly MeasuredRound[]): LoadSummary {
	return {
		requests: rounds.reduce((sum, { requests }) => sum + requests, 0),
		medianMs: median(rounds.map(({ medianMs }) => medianMs)),
		p95Ms: median(rounds.map(({ p95Ms }) => p95Ms)),
		medianFirstDeltaMs: medianIfKnown(rounds.map(({ medianFirstDeltaMs }) => medianFirstDeltaMs)),
		requestsPerSecond: median(rounds.map(throughput)),
		roundsRequestsPerSecond: rounds.map(throughput),
		cpuMs: medianIfKnown(rounds.map(({ cpuMs }) => cpuMs)),
	};
}

/** A target's figures divided by another's. */
export interface TargetRatio {
	throughput: number;
	/** null if a CPU time is unknown. */
	cpu: number | null;
}

/**
 * Median of the ratios of neighbouring rounds. What slows the machine for a while slows both neighbours, so it moves their
 * ratio less than the ratio of two medians.
 */
export function medianRatio(rounds: readonly MeasuredRound[], reference: readonly MeasuredRound[]): TargetRatio {
	const pairs = rounds.flatMap((round, at) => {
		const other = reference[at];
		return other ? [[round, other] as const] : [];
	});
	return {
		throughput: median(pairs.map(([round, other]) => throughput(round) / throughput(other))),
		cpu: medianIfKnown(
			pairs.map(([{ cpuMs }, other]) => (cpuMs === null || !other.cpuMs ? null : cpuMs / other.cpuMs)),
		),
	};
}

const MIB = 1_048_576;

/** Growth over the second half of the requests, MiB per 1,000. Caches have filled by then, so what still grows may be a leak. */
export function growthMibPer1000Requests(samples: readonly { requests: number; residentBytes: number }[]): number {
	const half = (samples.at(-1)?.requests ?? 0) / 2;
	const second = samples.filter(({ requests }) => requests >= half);
	return slope(second.map(({ requests, residentBytes }) => [requests / 1000, residentBytes / MIB]));
}
