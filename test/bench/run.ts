// `npm run bench`: added latency and throughput beside a pass-through Worker, bundle size, start-up time. Judges nothing.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { applyLocalMigrations, buildBundle } from "../../src/cli/local-service.ts";
import { measureSize, measureStartup } from "./bundle.ts";
import { type LoadTarget, type Round, runRound } from "./load.ts";
import { type BenchResults, reportOf } from "./report.ts";
import { type Comparison, compare } from "./statistics.ts";
import { requireSignedAnswer, startBare, startSvc, startUpstream } from "./targets.ts";

const BUDGET_GZIP_BYTES = 1_048_576;
const BUDGET_STARTUP_MS = 50;
const CONNECTIONS = [1, 16] as const;
const ROUNDS = 4;
const ROUND_MS = 2_500;
const JIT_WARM_UP_MS = 2_000;
/** Lets the service's flush to D1 end, which runs on after the answers, so that it does not slow the next round. */
const PAUSE_MS = 500;
/** The meter allows a user 1000 requests in a minute; the whole load takes about one. */
const USERS = 48;
const MAX_ROUND_REQUESTS = 8_000;
const RESULTS_PATH = join(import.meta.dirname, "../../bench-results.json");

const BODY = Buffer.from(
	JSON.stringify({
		model: "auto",
		messages: [
			{ role: "system", content: "You are a concise assistant." },
			{ role: "user", content: "What makes the tide rise, in one sentence?" },
		],
		max_tokens: 256,
	}),
);

function progress(text: string): void {
	process.stderr.write(`${text}\n`);
}

/** One request per user: isolates trust a looked-up key for 30 seconds only, and a round should not measure the look-ups. */
async function warmKeys(target: LoadTarget): Promise<void> {
	await runRound(target, BODY, { connections: 4, durationMs: 10_000, maxRequests: USERS });
}

async function measuredRound(target: LoadTarget, connections: number): Promise<Round> {
	await warmKeys(target);
	const limits = { connections, durationMs: ROUND_MS, maxRequests: MAX_ROUND_REQUESTS };
	const round = await runRound(target, BODY, limits);
	await delay(PAUSE_MS);
	return round;
}

/** Alternates between the two, so that the machine's noise hits both alike. */
async function compareAt(connections: number, bare: LoadTarget, svc: LoadTarget): Promise<Comparison> {
	const bareRounds: Round[] = [];
	const svcRounds: Round[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		progress(`${connections} connections, round ${round} of ${ROUNDS}`);
		bareRounds.push(await measuredRound(bare, connections));
		svcRounds.push(await measuredRound(svc, connections));
	}
	return compare(connections, bareRounds, svcRounds);
}

async function measureLoad(bundleDir: string, stateDir: string): Promise<Comparison[]> {
	const running: { stop(): Promise<void> }[] = [];
	const started = <T extends { stop(): Promise<void> }>(part: T): T => {
		running.unshift(part);
		return part;
	};
	try {
		const upstream = started(await startUpstream());
		const bare = started(await startBare(upstream.url));
		const svc = started(await startSvc(upstream.url, { bundleDir, stateDir, users: USERS }));
		await requireSignedAnswer(svc, BODY);
		for (const target of [bare, svc]) {
			await runRound(target, BODY, { connections: 16, durationMs: JIT_WARM_UP_MS, maxRequests: MAX_ROUND_REQUESTS });
		}
		const comparisons: Comparison[] = [];
		for (const connections of CONNECTIONS) comparisons.push(await compareAt(connections, bare, svc));
		return comparisons;
	} finally {
		for (const part of running) await part.stop();
	}
}

async function measureAll(tempDir: string): Promise<BenchResults> {
	const loadAverageBefore = loadavg()[0] ?? 0;
	progress("building the bundle");
	const bundleDir = buildBundle(join(tempDir, "bundle"));
	const stateDir = join(tempDir, "state");
	applyLocalMigrations(stateDir);
	progress("profiling the start-up");
	const startup = measureStartup(tempDir);
	const load = await measureLoad(bundleDir, stateDir);
	const cores = cpus();
	return {
		measuredAt: new Date().toISOString(),
		machine: {
			cpus: cores.length,
			cpuModel: cores[0]?.model ?? "unknown",
			node: process.versions.node,
			stateRoot: tmpdir(),
			loadAverageBefore,
		},
		load,
		bundle: { ...measureSize(bundleDir), budgetGzipBytes: BUDGET_GZIP_BYTES },
		startup: { ...startup, budgetMs: BUDGET_STARTUP_MS },
	};
}

async function main(): Promise<void> {
	const tempDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
	process.once("exit", () => rmSync(tempDir, { recursive: true, force: true }));
	// Exiting, rather than dying of the signal, lets Miniflare end its processes and the line above run.
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

	const results = await measureAll(tempDir);
	writeFileSync(RESULTS_PATH, `${JSON.stringify(results, null, 2)}\n`);
	console.log(`${reportOf(results)}\n\nresults: ${RESULTS_PATH}`);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
