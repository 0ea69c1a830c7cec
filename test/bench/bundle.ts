// Measures a cold start: the size of the built bundle and the CPU time of its top-level code.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { CpuProfile } from "./inspector.ts";
import { median } from "./statistics.ts";
import { runWrangler } from "./wrangler.ts";

const BUDGET_GZIP_BYTES = 1_048_576;
const BUDGET_STARTUP_MS = 50;
const STARTUP_RUNS = 5;

interface BundleSize {
	rawBytes: number;
	gzipBytes: number;
}

/** Measures the bundle in a folder made by buildBundle, in bytes. */
function measureSize(bundleDir: string): BundleSize {
	const bundle = readFileSync(join(bundleDir, "index.js"));
	return { rawBytes: bundle.byteLength, gzipBytes: gzipSync(bundle).byteLength };
}

/** V8's names for time without JavaScript. Garbage collection counts, because the bundle causes it. */
const NOT_STARTUP: ReadonlySet<string> = new Set(["(root)", "(idle)", "(program)"]);

/** Sums the time of a profile's samples inside JavaScript, in milliseconds. */
function activeMs(profile: CpuProfile): number {
	const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
	const activeMicros = profile.samples
		.map((node, sample) => (NOT_STARTUP.has(frames.get(node) ?? "") ? 0 : (profile.timeDeltas[sample] ?? 0)))
		.reduce((sum, micros) => sum + micros, 0);
	return activeMicros / 1000;
}

interface Startup {
	method: string;
	runsMs: number[];
	medianMs: number;
}

function profileStartup(outfile: string): CpuProfile {
	runWrangler(["check", "startup", "--outfile", outfile]);
	return JSON.parse(readFileSync(outfile, "utf8")) as CpuProfile;
}

/** Profiles the evaluation of the bundle's top-level code in fresh workerd processes, in milliseconds. */
function measureStartup(tempDir: string): Startup {
	const runsMs = Array.from({ length: STARTUP_RUNS }, (_, run) =>
		activeMs(profileStartup(join(tempDir, `startup-${run}.cpuprofile`))),
	);
	return {
		method: "wrangler check startup: sampled time in JavaScript and garbage collection, profiler on",
		runsMs,
		medianMs: median(runsMs),
	};
}

export interface ColdStart {
	bundle: BundleSize & { budgetGzipBytes: number };
	startup: Startup & { budgetMs: number };
}

/** Measures a bundle and its start-up, with their budgets. */
export function measureColdStart(bundleDir: string, tempDir: string): ColdStart {
	return {
		bundle: { ...measureSize(bundleDir), budgetGzipBytes: BUDGET_GZIP_BYTES },
		startup: { ...measureStartup(tempDir), budgetMs: BUDGET_STARTUP_MS },
	};
}
