// The benchmark's results as text for people; run.ts writes the same figures as JSON.
import type { ColdStart } from "./bundle.ts";
import { costTables } from "./cost-report.ts";
import type { MemoryResult } from "./memory.ts";
import type { CostResult } from "./parts.ts";
import type { Comparison, LoadSummary } from "./statistics.ts";
import { type Row, table } from "./table.ts";

export interface Machine {
	cpus: number;
	cpuModel: string;
	node: string;
	/** Where the databases are: a disk that syncs slowly slows every settlement. */
	stateRoot: string;
	/** Over the minute before the run; far above 0 means that something else ran too. */
	loadAverageBefore: number;
}

/** A part that did not run is absent. */
export interface BenchResults {
	measuredAt: string;
	elapsedSeconds: number;
	machine: Machine;
	cold?: ColdStart;
	load?: Comparison[];
	stream?: Comparison[];
	/** null where the runtime's process cannot be looked at. */
	memory?: MemoryResult | null;
	cost?: CostResult;
}

function loadRow(name: string, connections: number, summary: LoadSummary): Row {
	const perRound = summary.roundsRequestsPerSecond;
	return [
		name,
		String(connections),
		String(summary.requests),
		...(summary.medianFirstDeltaMs === null ? [] : [summary.medianFirstDeltaMs.toFixed(2)]),
		summary.medianMs.toFixed(2),
		summary.p95Ms.toFixed(2),
		summary.requestsPerSecond.toFixed(0),
		`${Math.min(...perRound).toFixed(0)}–${Math.max(...perRound).toFixed(0)}`,
	];
}

function comparisonTables(title: string, comparisons: readonly Comparison[]): string[] {
	const streamed = comparisons.some(({ svc }) => svc.medianFirstDeltaMs !== null);
	const times = streamed ? ["median ms to first delta", "median ms to end", "p95 ms to end"] : ["median ms", "p95 ms"];
	const loadTable = table([
		[title, "connections", "requests", ...times, "req/s", "req/s by round"],
		...comparisons.flatMap(({ connections, bare, svc }) => [
			loadRow("bare", connections, bare),
			loadRow("svc", connections, svc),
		]),
	]);
	const comparisonTable = table([
		[
			"svc against bare",
			...(streamed ? ["added median ms to first delta", "added median ms to end"] : ["added median ms"]),
			"throughput ratio",
		],
		...comparisons.map(({ connections, addedMedianMs, addedMedianFirstDeltaMs, throughputRatio }) => [
			`${connections} connection${connections === 1 ? "" : "s"}`,
			...(addedMedianFirstDeltaMs === null ? [] : [addedMedianFirstDeltaMs.toFixed(2)]),
			addedMedianMs.toFixed(2),
			throughputRatio.toFixed(3),
		]),
	]);
	return [loadTable, comparisonTable];
}

function againstBudget(value: number, budget: number): string {
	return value <= budget ? "within" : "OVER";
}

function kib(bytes: number): string {
	return (bytes / 1024).toFixed(1);
}

function mib(bytes: number): string {
	return (bytes / 1_048_576).toFixed(1);
}

function coldStartTables({ bundle, startup }: ColdStart): string[] {
	return [
		table([
			["cold start", "measured", "budget", ""],
			["bundle raw KiB", kib(bundle.rawBytes), "", ""],
			[
				"bundle gzip KiB",
				kib(bundle.gzipBytes),
				kib(bundle.budgetGzipBytes),
				againstBudget(bundle.gzipBytes, bundle.budgetGzipBytes),
			],
			[
				"start-up ms, median",
				startup.medianMs.toFixed(1),
				startup.budgetMs.toFixed(1),
				againstBudget(startup.medianMs, startup.budgetMs),
			],
		]),
		`start-up by ${startup.method}; runs: ${startup.runsMs.map((ms) => ms.toFixed(1)).join(", ")}`,
	];
}

function memoryTables(memory: MemoryResult | null): string[] {
	if (memory === null) return ["memory: not measured (the runtime's process is only found on Linux)"];
	const { samples, idleBytes, idlePauseMs, growthMibPer1000, elapsedMs } = memory;
	const requests = samples.at(-1)?.requests ?? 0;
	return [
		table([
			["memory of workerd, 1 in 4 streamed, 16 connections", "resident MiB"],
			...samples
				.filter((sample) => sample.requests % 5_000 === 0)
				.map((sample) => [
					sample.requests === 0 ? "after the warm-up" : `after ${sample.requests} requests`,
					mib(sample.residentBytes),
				]),
			[`after ${idlePauseMs / 1000} s without a request`, mib(idleBytes)],
		]),
		`growth over the second half: ${growthMibPer1000.toFixed(2)} MiB per 1,000 requests (least squares, a sample every 1,000); ${requests} requests took ${(elapsedMs / 1000).toFixed(0)} s`,
	];
}

/** Writes the results as tables; times in ms, sizes in KiB or MiB. */
export function reportOf({ machine, elapsedSeconds, cold, load, stream, memory, cost }: BenchResults): string {
	return [
		`svc in workerd, ${machine.cpus} × ${machine.cpuModel}, Node ${machine.node}, state under ${machine.stateRoot}, load average before: ${machine.loadAverageBefore.toFixed(2)}, took ${elapsedSeconds.toFixed(0)} s`,
		...(cold ? coldStartTables(cold) : []),
		...(load ? comparisonTables("whole answers", load) : []),
		...(stream ? comparisonTables("streamed answers", stream) : []),
		...(memory === undefined ? [] : memoryTables(memory)),
		...(cost ? costTables(cost) : []),
	].join("\n\n");
}
