// Renders the benchmark's results as text. run.ts writes the same figures as JSON.
import type { ColdStart } from "./bundle.ts";
import type { ChunkCost, TargetFigures } from "./compare.ts";
import { renderCostTables } from "./cost-report.ts";
import type { MemoryResult } from "./memory.ts";
import type { NeighbourFigures } from "./neighbours.ts";
import type { StateName } from "./options.ts";
import type { CostResult, GovernanceResult } from "./parts.ts";
import { renderTable, type TableRow } from "./table.ts";
import type { WorkflowFigures } from "./workflows.ts";

export interface Machine {
	cpus: number;
	cpuModel: string;
	node: string;
	/** Folders of the databases; null if the machine has no such place. */
	stateRoots: Record<StateName, string | null>;
	/** Name of the load generator. */
	generator: string;
	/** Over the minute before the run. Far above 0 means that something else ran, too. */
	loadAverageBefore: number;
}

/** A part that did not run is absent. */
export interface BenchResults {
	measuredAt: string;
	elapsedSeconds: number;
	machine: Machine;
	rounds: { count: number; ms: number };
	cold?: ColdStart;
	load?: TargetFigures[];
	stream?: TargetFigures[];
	chunks?: ChunkCost[];
	governance?: GovernanceResult;
	workflows?: WorkflowFigures[];
	neighbours?: NeighbourFigures[];
	/** Empty if the runtimes' processes cannot be found. */
	memory?: MemoryResult[];
	cost?: CostResult;
}

const NOT_MEASURED = "-";

function renderDecimal(value: number | null | undefined, digits: number): string {
	return value === null || value === undefined ? NOT_MEASURED : value.toFixed(digits);
}

/** Medians over the rounds, and ratios to the neighbouring rounds of bare and of the floor. */
function renderTargetTable(title: string, figures: readonly TargetFigures[]): string {
	const streamed = figures.some(({ medianFirstDeltaMs }) => medianFirstDeltaMs !== null);
	const compared = figures.some(({ toBare, toFloor }) => toBare !== null || toFloor !== null);
	const row = (target: TargetFigures): TableRow => [
		target.name,
		String(target.connections),
		String(target.requests),
		...(streamed ? [renderDecimal(target.medianFirstDeltaMs, 2)] : []),
		renderDecimal(target.medianMs, 2),
		renderDecimal(target.p95Ms, 2),
		renderDecimal(target.requestsPerSecond, 0),
		`${Math.min(...target.roundsRequestsPerSecond).toFixed(0)}–${Math.max(...target.roundsRequestsPerSecond).toFixed(0)}`,
		renderDecimal(target.cpuMs, 3),
		...(compared
			? [
					renderDecimal(target.toBare?.throughput, 3),
					renderDecimal(target.toBare?.cpu, 2),
					renderDecimal(target.toFloor?.throughput, 3),
					renderDecimal(target.toFloor?.cpu, 2),
				]
			: []),
	];
	return renderTable([
		[
			title,
			"connections",
			"requests",
			...(streamed ? ["ms to first delta"] : []),
			"median ms",
			"p95 ms",
			"req/s",
			"by round",
			"CPU ms a request",
			...(compared ? ["req/s to bare", "CPU to bare", "req/s to floor", "CPU to floor"] : []),
		],
		...figures.map(row),
	]);
}

function renderChunkTable(chunks: readonly ChunkCost[]): string {
	return renderTable([
		["one chunk more in a stream, 16 connections", "CPU µs", "by round"],
		...chunks.map(({ name, cpuMicros, roundsCpuMicros }) => [
			name,
			renderDecimal(cpuMicros, 1),
			roundsCpuMicros.map((micros) => micros.toFixed(1)).join(", "),
		]),
	]);
}

function renderWorkflowTable(workflows: readonly WorkflowFigures[]): string {
	return renderTable([
		["16 connections", "requests", "model calls", "CPU ms a request", "a call", "a step", "a request, by round"],
		...workflows.map(({ name, requests, calls, cpuMs, cpuMsPerCall, cpuMsPerStep, roundsCpuMs }) => [
			name,
			String(requests),
			calls.toFixed(1),
			renderDecimal(cpuMs, 2),
			renderDecimal(cpuMsPerCall, 2),
			renderDecimal(cpuMsPerStep, 2),
			roundsCpuMs.map((ms) => ms.toFixed(1)).join(", "),
		]),
	]);
}

function renderNeighbourTable(neighbours: readonly NeighbourFigures[]): string {
	return renderTable([
		[
			"beside four connections",
			"p50 ms alone",
			"p99",
			"p50 beside",
			"p99",
			"p99 ratio",
			"requests",
			"failed",
			"the neighbour's answers",
		],
		...neighbours.map(({ name, alone, besides, p99Ratio, answers }) => [
			name,
			renderDecimal(alone.medianMs, 0),
			renderDecimal(alone.p99Ms, 0),
			renderDecimal(besides.medianMs, 0),
			renderDecimal(besides.p99Ms, 0),
			renderDecimal(p99Ratio, 1),
			String(besides.requests),
			String(besides.failures),
			Object.entries(answers)
				.map(([status, count]) => `${count} × ${status}`)
				.join(", "),
		]),
	]);
}

function renderVerdict(value: number, budget: number): string {
	return value <= budget ? "within" : "OVER";
}

function renderKib(bytes: number): string {
	return (bytes / 1024).toFixed(1);
}

function renderMib(bytes: number): string {
	return (bytes / 1_048_576).toFixed(1);
}

function renderColdStartTables({ bundle, startup }: ColdStart): string[] {
	return [
		renderTable([
			["cold start", "measured", "budget", ""],
			["bundle raw KiB", renderKib(bundle.rawBytes), "", ""],
			[
				"bundle gzip KiB",
				renderKib(bundle.gzipBytes),
				renderKib(bundle.budgetGzipBytes),
				renderVerdict(bundle.gzipBytes, bundle.budgetGzipBytes),
			],
			[
				"start-up ms, median",
				startup.medianMs.toFixed(1),
				startup.budgetMs.toFixed(1),
				renderVerdict(startup.medianMs, startup.budgetMs),
			],
		]),
		`start-up by ${startup.method}; runs: ${startup.runsMs.map((ms) => ms.toFixed(1)).join(", ")}`,
	];
}

/** What a forced collection leaves. */
function renderCollectionTable({ collections }: MemoryResult): string {
	return renderTable([
		["forced collection", "resident MiB before", "after", "heap MiB", "held outside MiB"],
		...collections.map(({ requests, before, after, heapBytes, outsideBytes }) => [
			requests === 0 ? "after the warm-up" : `after ${requests} requests`,
			renderMib(before.residentBytes),
			renderMib(after.residentBytes),
			renderMib(heapBytes),
			renderMib(outsideBytes),
		]),
	]);
}

function renderMemoryResult(result: MemoryResult): string[] {
	const { name, samples, collections, gaps, idlePauseMs, growthMibPer1000, elapsedMs } = result;
	const shown = samples.filter((_, index) => index % 5 === 0);
	return [
		renderTable([
			[`memory of workerd: ${name}, 1 in 4 streamed, 16 connections`, "resident MiB", "its own MiB"],
			...shown.map(({ requests, residentBytes, anonymousBytes }) => [
				requests === 0 ? "after the warm-up" : `after ${requests} requests`,
				renderMib(residentBytes),
				renderMib(anonymousBytes),
			]),
		]),
		`growth over the second half: ${growthMibPer1000.toFixed(2)} MiB per 1,000 requests (least squares); ${samples.at(-1)?.requests ?? 0} requests took ${(elapsedMs / 1000).toFixed(0)} s, the last collection came ${idlePauseMs / 1000} s after them`,
		...(collections.length > 0 ? [renderCollectionTable(result)] : []),
		...gaps.map((gap) => `not measured: ${gap}`),
	];
}

function renderMemoryTables(memory: readonly MemoryResult[]): string[] {
	if (memory.length === 0) return ["memory: not measured (the runtime's process is only found on Linux)"];
	return memory.flatMap(renderMemoryResult);
}

/** Renders the results as tables, times in ms, sizes in KiB or MiB. */
export function renderReport(results: BenchResults): string {
	const {
		machine,
		rounds,
		elapsedSeconds,
		cold,
		load,
		stream,
		chunks,
		governance,
		workflows,
		neighbours,
		memory,
		cost,
	} = results;
	const places = Object.entries(machine.stateRoots).map(([state, root]) => `${state} ${root ?? "none"}`);
	return [
		`svc in workerd, ${machine.cpus} × ${machine.cpuModel}, Node ${machine.node}, load from ${machine.generator}, ${rounds.count} rounds of ${rounds.ms / 1000} s, state: ${places.join(", ")}, load average before: ${machine.loadAverageBefore.toFixed(2)}, took ${elapsedSeconds.toFixed(0)} s`,
		...(cold ? renderColdStartTables(cold) : []),
		...(load ? [renderTargetTable("whole answers", load)] : []),
		...(stream ? [renderTargetTable("streamed answers", stream)] : []),
		...(chunks ? [renderChunkTable(chunks)] : []),
		...(governance
			? [
					renderTargetTable("handoffs", governance.handoffs),
					renderTargetTable("policy checks", governance.policyChecks),
				]
			: []),
		...(workflows ? [renderWorkflowTable(workflows)] : []),
		...(neighbours ? [renderNeighbourTable(neighbours)] : []),
		...(memory === undefined ? [] : renderMemoryTables(memory)),
		...(cost ? renderCostTables(cost) : []),
	].join("\n\n");
}
