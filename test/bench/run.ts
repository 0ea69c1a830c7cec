// `npm run bench`: the service beside a pass-through Worker, its memory, what a million requests cost, its cold start. Judges nothing.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { applyLocalMigrations, buildBundle } from "../../src/cli/local-service.ts";
import { measureColdStart } from "./bundle.ts";
import { STREAMED, WHOLE } from "./loads.ts";
import { compareUnderLoad, measureCost, watchMemory } from "./parts.ts";
import { type BenchResults, type Machine, reportOf } from "./report.ts";
import type { Workshop } from "./session.ts";

const RESULTS_PATH = join(import.meta.dirname, "../../bench-results.json");

function progress(text: string): void {
	process.stderr.write(`${text}\n`);
}

/** By the name it is asked for: `npm run bench -- load cost`. The cold start comes first, before anything warms the machine. */
const PARTS: Record<string, (workshop: Workshop) => Promise<Partial<BenchResults>>> = {
	cold: async (workshop) => ({ cold: measureColdStart(workshop.bundleDir, workshop.tempDir) }),
	load: async (workshop) => ({ load: await compareUnderLoad(workshop, WHOLE, progress) }),
	stream: async (workshop) => ({ stream: await compareUnderLoad(workshop, STREAMED, progress) }),
	memory: async (workshop) => ({ memory: await watchMemory(workshop, progress) }),
	cost: async (workshop) => ({ cost: await measureCost(workshop, progress) }),
};

/** The parts to run, in the order of the table; all where none is named. */
function chosenParts(names: readonly string[]): string[] {
	const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
	if (unknown.length > 0) {
		throw new Error(`there is no part ${unknown.join(", ")}; the parts are ${Object.keys(PARTS).join(", ")}`);
	}
	return Object.keys(PARTS).filter((name) => names.length === 0 || names.includes(name));
}

function machine(): Machine {
	const cores = cpus();
	return {
		cpus: cores.length,
		cpuModel: cores[0]?.model ?? "unknown",
		node: process.versions.node,
		stateRoot: tmpdir(),
		loadAverageBefore: loadavg()[0] ?? 0,
	};
}

/** Runs the parts. What is known so far is written after each, so that a part that fails loses only its own figures. */
async function measure(parts: readonly string[], tempDir: string): Promise<BenchResults> {
	const startMs = performance.now();
	const results: BenchResults = { measuredAt: new Date().toISOString(), elapsedSeconds: 0, machine: machine() };
	progress("building the bundle");
	const bundleDir = buildBundle(join(tempDir, "bundle"));
	const emptyStateDir = join(tempDir, "state");
	applyLocalMigrations(emptyStateDir);
	for (const part of parts) {
		progress(`part: ${part}`);
		Object.assign(results, await PARTS[part]?.({ tempDir, bundleDir, emptyStateDir }));
		results.elapsedSeconds = (performance.now() - startMs) / 1000;
		writeFileSync(RESULTS_PATH, `${JSON.stringify(results, null, 2)}\n`);
	}
	return results;
}

async function main(): Promise<void> {
	const parts = chosenParts(process.argv.slice(2));
	const tempDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
	process.once("exit", () => rmSync(tempDir, { recursive: true, force: true }));
	// Exiting, rather than dying of the signal, lets Miniflare end its processes and the line above run.
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

	console.log(`${reportOf(await measure(parts, tempDir))}\n\nresults: ${RESULTS_PATH}`);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
