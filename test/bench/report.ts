// The benchmark's results as text for people; run.ts writes the same figures as JSON.
import type { ColdStart } from "./bundle.ts";
import type { ChunkCost, TargetFigures } from "./compare.ts";
import { renderCostTables } from "./cost-report.ts";
import type { MemoryResult } from "./memory.ts";
import type { StateName } from "./options.ts";
import type { AgentResult, CostResult } from "./parts.ts";
import { renderTable, type TableRow } from "./table.ts";

export interface Machine {
	cpus: number;
	cpuModel: string;
	node: string;
	/** Where the databases are; null where the machine has no such place. */
	stateRoots: Record<StateName, string | null>;
	/** What sends the load. */
	generator: string;
	/** Over the minute before the run; far above 0 means that something else ran too. */
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
	agents?: AgentResult;
	/** Empty where a runtime's process cannot be looked at. */
	memory?: MemoryResult[];
	cost?: CostResult;
}

const NOT_MEASURED = "-";

function renderDecimal(value: number | null | undefined, digits: number): string {
	return value === null || value === undefined ? NOT_MEASURED : value.toFixed(digits);
}

/** Medians over the rounds, and beside each round of a target the round of bare and of the floor next to it. */
function renderTargetTable(title: string, standings: readonly TargetFigures[]): string {
	const streamed = standings.some(({ medianFirstDeltaMs }) => medianFirstDeltaMs !== null);
	const compared = standings.some(({ toBare, toFloor }) => toBare !== null || toFloor !== null);
	const row = (standing: TargetFigures): TableRow => [
		standing.name,
		String(standing.connections),
		String(standing.requests),
		...(streamed ? [renderDecimal(standing.medianFirstDeltaMs, 2)] : []),
		renderDecimal(standing.medianMs, 2),
		renderDecimal(standing.p95Ms, 2),
		renderDecimal(standing.requestsPerSecond, 0),
		`${Math.min(...standing.roundsRequestsPerSecond).toFixed(0)}–${Math.max(...standing.roundsRequestsPerSecond).toFixed(0)}`,
		renderDecimal(standing.cpuMs, 3),
		...(compared
			? [
					renderDecimal(standing.toBare?.throughput, 3),
					renderDecimal(standing.toBare?.cpu, 2),
					renderDecimal(standing.toFloor?.throughput, 3),
					renderDecimal(standing.toFloor?.cpu, 2),
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
		...standings.map(row),
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

function renderMemoryTables(memory: readonly MemoryResult[]): string[] {
	if (memory.length === 0) return ["memory: not measured (the runtime's process is only found on Linux)"];
	return memory.flatMap(({ name, samples, heap, idle, idlePauseMs, growthMibPer1000, elapsedMs }) => {
		const requests = samples.at(-1)?.requests ?? 0;
		const shown = samples.filter((_, at) => at % 5 === 0);
		const heapTable = renderTable([
			["heap of the Worker after a collection", "JavaScript MiB", "held outside MiB"],
			...heap.map((sample) => [
				`after ${sample.requests} requests`,
				renderMib(sample.usedBytes),
				renderMib(sample.outsideBytes),
			]),
		]);
		return [
			renderTable([
				[`memory of workerd: ${name}, 1 in 4 streamed, 16 connections`, "resident MiB", "its own MiB"],
				...shown.map((sample) => [
					sample.requests === 0 ? "after the warm-up" : `after ${sample.requests} requests`,
					renderMib(sample.residentBytes),
					renderMib(sample.anonymousBytes),
				]),
				[
					`after ${idlePauseMs / 1000} s without a request`,
					renderMib(idle.residentBytes),
					renderMib(idle.anonymousBytes),
				],
			]),
			`growth over the second half: ${growthMibPer1000.toFixed(2)} MiB per 1,000 requests (least squares); ${requests} requests took ${(elapsedMs / 1000).toFixed(0)} s`,
			...(heap.length > 0 ? [heapTable] : []),
		];
	});
}

/** Writes the results as tables; times in ms, sizes in KiB or MiB. */
export function renderReport(results: BenchResults): string {
	const { machine, rounds, elapsedSeconds, cold, load, stream, chunks, agents, memory, cost } = results;
	const places = Object.entries(machine.stateRoots).map(([state, root]) => `${state} ${root ?? "none"}`);
	return [
		`svc in workerd, ${machine.cpus} × ${machine.cpuModel}, Node ${machine.node}, load from ${machine.generator}, ${rounds.count} rounds of ${rounds.ms / 1000} s, state: ${places.join(", ")}, load average before: ${machine.loadAverageBefore.toFixed(2)}, took ${elapsedSeconds.toFixed(0)} s`,
		...(cold ? renderColdStartTables(cold) : []),
		...(load ? [renderTargetTable("whole answers", load)] : []),
		...(stream ? [renderTargetTable("streamed answers", stream)] : []),
		...(chunks ? [renderChunkTable(chunks)] : []),
		...(agents
			? [renderTargetTable("handoffs", agents.handoffs), renderTargetTable("policy checks", agents.policyChecks)]
			: []),
		...(memory === undefined ? [] : renderMemoryTables(memory)),
		...(cost ? renderCostTables(cost) : []),
	].join("\n\n");
}
