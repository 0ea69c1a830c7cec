// The benchmark's results as text for people; run.ts writes the same figures as JSON.
import type { BundleSize, Startup } from "./bundle.ts";
import type { Comparison, LoadSummary } from "./statistics.ts";

export interface BenchResults {
	measuredAt: string;
	machine: {
		cpus: number;
		cpuModel: string;
		node: string;
		/** Where the databases are: a disk that syncs slowly slows every settlement. */
		stateRoot: string;
		/** Over the minute before the run; far above 0 means that something else ran too. */
		loadAverageBefore: number;
	};
	load: Comparison[];
	bundle: BundleSize & { budgetGzipBytes: number };
	startup: Startup & { budgetMs: number };
}

type Row = readonly string[];

/** Aligns columns: the first to the left, figures to the right. */
function table(rows: readonly Row[]): string {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const line = (row: Row) =>
		row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
	return rows.map((row) => line(row).join("  ")).join("\n");
}

function loadRow(name: string, connections: number, summary: LoadSummary): Row {
	const perRound = summary.roundsRequestsPerSecond;
	return [
		name,
		String(connections),
		String(summary.requests),
		summary.medianMs.toFixed(2),
		summary.p95Ms.toFixed(2),
		summary.requestsPerSecond.toFixed(0),
		`${Math.min(...perRound).toFixed(0)}–${Math.max(...perRound).toFixed(0)}`,
	];
}

function againstBudget(value: number, budget: number): string {
	return value <= budget ? "within" : "OVER";
}

function kib(bytes: number): string {
	return (bytes / 1024).toFixed(1);
}

/** Writes the results as tables; times in ms, sizes in KiB. */
export function reportOf({ machine, load, bundle, startup }: BenchResults): string {
	const loadTable = table([
		["target", "connections", "requests", "median ms", "p95 ms", "req/s", "req/s by round"],
		...load.flatMap(({ connections, bare, svc }) => [
			loadRow("bare", connections, bare),
			loadRow("svc", connections, svc),
		]),
	]);
	const comparisonTable = table([
		["svc against bare", "added median ms", "throughput ratio"],
		...load.map(({ connections, addedMedianMs, throughputRatio }) => [
			`${connections} connection${connections === 1 ? "" : "s"}`,
			addedMedianMs.toFixed(2),
			throughputRatio.toFixed(3),
		]),
	]);
	const coldStartTable = table([
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
	]);
	return [
		`POST /v1/chat/completions in workerd, ${machine.cpus} × ${machine.cpuModel}, Node ${machine.node}, state under ${machine.stateRoot}, load average before: ${machine.loadAverageBefore.toFixed(2)}`,
		loadTable,
		comparisonTable,
		coldStartTable,
		`start-up by ${startup.method}; runs: ${startup.runsMs.map((ms) => ms.toFixed(1)).join(", ")}`,
	].join("\n\n");
}
