// `npm run bench`: the service beside other targets under load, its memory, the price of a million requests, its cold start.
// It prints figures and judges none.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { applyLocalMigrations, buildBundle } from "../../src/cli/local-service.ts";
import { measureColdStart } from "./bundle.ts";
import { STREAMED, WHOLE } from "./loads.ts";
import { type BenchOptions, type PartName, readOptions, stateRoots } from "./options.ts";
import {
	type BenchRun,
	compareChunks,
	compareTargets,
	measureCost,
	measureGovernance,
	measureTargetsMemory,
	measureTenants,
	measureWorkflows,
} from "./parts.ts";
import { type BenchResults, type Machine, renderReport } from "./report.ts";
import { loadGenerator } from "./wrk.ts";

const RESULTS_PATH = join(import.meta.dirname, "../../bench-results.json");

function reportProgress(text: string): void {
	process.stderr.write(`${text}\n`);
}

/** Measures one part. `save` keeps the figures so far. */
type MeasurePart = (run: BenchRun, save: (figures: Partial<BenchResults>) => void) => Promise<Partial<BenchResults>>;

/** In the order of the report. The cold start comes first, before anything warms the machine. */
const PARTS: Record<PartName, MeasurePart> = {
	cold: async ({ workshop }) => ({ cold: measureColdStart(workshop.bundleDir, workshop.tempDir) }),
	load: async (run) => ({ load: await compareTargets(run, WHOLE) }),
	stream: async (run) => ({ stream: await compareTargets(run, STREAMED) }),
	chunks: async (run) => ({ chunks: await compareChunks(run) }),
	governance: async (run) => ({ governance: await measureGovernance(run) }),
	workflows: async (run) => ({ workflows: await measureWorkflows(run) }),
	neighbours: async (run) => ({ neighbours: await measureTenants(run) }),
	memory: async (run, save) => ({ memory: await measureTargetsMemory(run, (memory) => save({ memory: [...memory] })) }),
	cost: async (run) => ({ cost: await measureCost(run) }),
};

function describeMachine({ builtInGenerator }: BenchOptions): Machine {
	const cores = cpus();
	return {
		cpus: cores.length,
		cpuModel: cores[0]?.model ?? "unknown",
		node: process.versions.node,
		stateRoots: stateRoots(),
		generator: loadGenerator(builtInGenerator).name,
		loadAverageBefore: loadavg()[0] ?? 0,
	};
}

/** Runs the parts. The results file is written as figures come, so a part that fails loses only what it has not saved. */
async function runParts(options: BenchOptions, tempDir: string): Promise<BenchResults> {
	const startMs = performance.now();
	const { rounds, roundMs } = options;
	const results: BenchResults = {
		measuredAt: new Date().toISOString(),
		elapsedSeconds: 0,
		machine: describeMachine(options),
		rounds: { count: rounds, ms: roundMs },
	};
	reportProgress("building the bundle");
	const bundleDir = await buildBundle(join(tempDir, "bundle"));
	const emptyStateDir = join(tempDir, "state");
	await applyLocalMigrations(emptyStateDir);
	const save = (figures: Partial<BenchResults>) => {
		Object.assign(results, figures);
		results.elapsedSeconds = (performance.now() - startMs) / 1000;
		writeFileSync(RESULTS_PATH, `${JSON.stringify(results, null, 2)}\n`);
	};
	for (const part of options.parts) {
		reportProgress(`part: ${part}`);
		const workshop = { tempDir, bundleDir, emptyStateDir };
		save(await PARTS[part]({ workshop, options, onProgress: reportProgress }, save));
	}
	return results;
}

async function runBench(): Promise<void> {
	const options = readOptions(process.argv.slice(2));
	const tempDir = mkdtempSync(join(stateRoots()[options.states[0] ?? "disk"] ?? tmpdir(), "svc-bench-"));
	process.once("exit", () => rmSync(tempDir, { recursive: true, force: true }));
	// A plain exit lets Miniflare end its processes and the line above run. Death by the signal would not.
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

	console.log(`${renderReport(await runParts(options, tempDir))}\n\nresults: ${RESULTS_PATH}`);
}

runBench().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
