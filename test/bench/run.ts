// `npm run bench`: the service beside other targets under load, its memory, what a million requests cost, its cold start. Judges nothing.
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
	measureAgents,
	measureCost,
	measureTargetsMemory,
} from "./parts.ts";
import { type BenchResults, type Machine, renderReport } from "./report.ts";
import { loadGenerator } from "./wrk.ts";

const RESULTS_PATH = join(import.meta.dirname, "../../bench-results.json");

function reportProgress(text: string): void {
	process.stderr.write(`${text}\n`);
}

/** In the order of the table. The cold start comes first, before anything warms the machine. */
const PARTS: Record<PartName, (run: BenchRun) => Promise<Partial<BenchResults>>> = {
	cold: async ({ workshop }) => ({ cold: measureColdStart(workshop.bundleDir, workshop.tempDir) }),
	load: async (run) => ({ load: await compareTargets(run, WHOLE) }),
	stream: async (run) => ({ stream: await compareTargets(run, STREAMED) }),
	chunks: async (run) => ({ chunks: await compareChunks(run) }),
	agents: async (run) => ({ agents: await measureAgents(run) }),
	memory: async (run) => ({ memory: await measureTargetsMemory(run) }),
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

/** Runs the parts. What is known so far is written after each, so that a part that fails loses only its own figures. */
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
	applyLocalMigrations(emptyStateDir);
	for (const part of options.parts) {
		reportProgress(`part: ${part}`);
		const workshop = { tempDir, bundleDir, emptyStateDir };
		Object.assign(results, await PARTS[part]({ workshop, options, onProgress: reportProgress }));
		results.elapsedSeconds = (performance.now() - startMs) / 1000;
		writeFileSync(RESULTS_PATH, `${JSON.stringify(results, null, 2)}\n`);
	}
	return results;
}

async function runBench(): Promise<void> {
	const options = readOptions(process.argv.slice(2));
	const tempDir = mkdtempSync(join(stateRoots()[options.states[0] ?? "disk"] ?? tmpdir(), "svc-bench-"));
	process.once("exit", () => rmSync(tempDir, { recursive: true, force: true }));
	// Exiting, rather than dying of the signal, lets Miniflare end its processes and the line above run.
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

	console.log(`${renderReport(await runParts(options, tempDir))}\n\nresults: ${RESULTS_PATH}`);
}

runBench().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
