// Profiles the service under load with V8's sampling profiler in workerd, by module and by function.
// Run: node test/bench/profile.ts [whole|whole-upstream|streamed|chunks|agent|self_consistency] [--seconds S] [--save FILE.cpuprofile]
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { applyLocalMigrations } from "../../src/cli/local-service.ts";
import { buildModules } from "../../src/cli/modules.ts";
import { modulesByLine } from "./bundle-modules.ts";
import { type CpuProfile, Inspector } from "./inspector.ts";
import { runRound } from "./load.ts";
import { AGENT_RUN, LONG_STREAM, orchestrationLoad, STREAMED, WHOLE, WHOLE_UPSTREAM } from "./loads.ts";
import { processCpuMs } from "./process.ts";
import { inSession } from "./session.ts";
import { renderTable, type TableRow } from "./table.ts";
import { runWrangler } from "./wrangler.ts";

const USERS = 96;
const CONNECTIONS = 16;
const SHOWN_FUNCTIONS = 45;
const LOADS = {
	whole: WHOLE,
	streamed: STREAMED,
	chunks: LONG_STREAM,
	"whole-upstream": WHOLE_UPSTREAM,
	agent: AGENT_RUN,
	self_consistency: orchestrationLoad("self_consistency"),
};
const INTERVAL_MICROS = 200;

/** Time between samples, µs. In a longer gap the process had no core, so the gap is cut. */
function sampleMicros({ timeDeltas }: CpuProfile): number[] {
	return timeDeltas.map((micros) => Math.min(micros, 2 * INTERVAL_MICROS));
}

/** Self time of every function and every module, µs. */
function selfTimes(profile: CpuProfile, modules: readonly string[]) {
	const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
	const byFunction = new Map<string, number>();
	const byModule = new Map<string, number>();
	const times = sampleMicros(profile);
	const add = (sums: Map<string, number>, name: string, micros: number) =>
		sums.set(name, (sums.get(name) ?? 0) + micros);
	for (const [sample, node] of profile.samples.entries()) {
		const frame = frames.get(node);
		if (!frame) continue;
		const { functionName, url, lineNumber } = frame;
		const inBundle = url !== "" && lineNumber >= 0;
		const module = inBundle ? (modules[lineNumber] ?? url) : functionName || "(native)";
		const micros = times[sample] ?? 0;
		add(byModule, inBundle ? module : `(engine) ${module}`, micros);
		add(byFunction, `${module}\t${functionName || `(anonymous, line ${lineNumber + 1})`}`, micros);
	}
	return { byFunction, byModule };
}

/** Time of every function with everything it calls, µs. Recursion counts once. */
function totalTimes(profile: CpuProfile, modules: readonly string[]): Map<string, number> {
	const self = new Map<number, number>();
	const times = sampleMicros(profile);
	for (const [sample, node] of profile.samples.entries()) {
		self.set(node, (self.get(node) ?? 0) + (times[sample] ?? 0));
	}
	const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
	const totals = new Map<string, number>();
	const visit = (id: number, above: ReadonlySet<string>): number => {
		const node = nodes.get(id);
		if (!node) return 0;
		const { functionName, url, lineNumber } = node.callFrame;
		const name =
			url === "" ? "" : `${modules[lineNumber] ?? url}\t${functionName || `(anonymous, line ${lineNumber + 1})`}`;
		const below = name === "" ? above : new Set([...above, name]);
		const sum = (self.get(id) ?? 0) + (node.children ?? []).reduce((total, child) => total + visit(child, below), 0);
		if (name !== "" && !above.has(name)) totals.set(name, (totals.get(name) ?? 0) + sum);
		return sum;
	};
	const children = new Set(profile.nodes.flatMap((node) => node.children ?? []));
	for (const { id } of profile.nodes) if (!children.has(id)) visit(id, new Set());
	return totals;
}

function rankTimes(
	sums: ReadonlyMap<string, number>,
	requests: number,
	shown: number,
	activeMicros: number,
): TableRow[] {
	const rest = [...sums].filter(([name]) => !/\((?:idle|program|root)\)/.test(name));
	return rest
		.toSorted(([, a], [, b]) => b - a)
		.slice(0, shown)
		.map(([name, micros]) => [
			name.replace("\t", "  "),
			(micros / requests).toFixed(1),
			`${((100 * micros) / activeMicros).toFixed(1)} %`,
		]);
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		seconds: { type: "string", default: "10" },
		"warm-up": { type: "string", default: "1500" },
		save: { type: "string" },
	},
});
const name = (positionals[0] ?? "whole") as keyof typeof LOADS;
const load = LOADS[name];
if (!load) throw new Error(`there is no load ${name}; the loads are ${Object.keys(LOADS).join(", ")}`);

const tempDir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "svc-profile-"));
try {
	const bundleDir = join(tempDir, "bundle");
	await buildModules();
	runWrangler(["deploy", "--dry-run", "--no-minify", "--outdir", bundleDir]);
	const emptyStateDir = join(tempDir, "state");
	await applyLocalMigrations(emptyStateDir);
	const modules = modulesByLine(readFileSync(join(bundleDir, "index.js"), "utf8"));
	await inSession({ tempDir, bundleDir, emptyStateDir }, async (session) => {
		const svc = await session.startSvc({ users: USERS, stateRoot: tempDir, inspected: true });
		const send = (durationMs: number) =>
			runRound(svc, [load], { connections: CONNECTIONS, durationMs, maxRequests: 100_000 });
		await runRound(svc, [load], {
			connections: CONNECTIONS,
			durationMs: 60_000,
			maxRequests: Number(values["warm-up"]),
		});
		const { pid } = svc;
		const inspector = await Inspector.open(svc.inspectorUrl ?? "");
		const beforeMs = pid === null ? 0 : processCpuMs(pid);
		let requests = 0;
		const profile = await inspector.profile(async () => {
			requests = (await send(Number(values.seconds) * 1_000)).requests;
		}, INTERVAL_MICROS);
		const processMs = pid === null ? Number.NaN : processCpuMs(pid) - beforeMs;
		inspector.close();
		if (values.save) writeFileSync(values.save, JSON.stringify(profile));
		const { byFunction, byModule } = selfTimes(profile, modules);
		const samplesMs = sampleMicros(profile).reduce((sum, micros) => sum + micros, 0) / 1_000;
		console.log(
			`${name}: ${requests} requests, CPU of the process ${(processMs / requests).toFixed(3)} ms a request (profiler on), samples over ${samplesMs.toFixed(0)} ms`,
		);
		const activeMicros = [...byFunction]
			.filter(([key]) => !/\((?:idle|program|root)\)/.test(key))
			.reduce((sum, [, micros]) => sum + micros, 0);
		const away = [...byFunction].filter(([key]) => /\((?:idle|program|root)\)/.test(key));
		for (const [key, micros] of away)
			console.log(`${key.replace("\t", " ")}: ${(micros / requests).toFixed(1)} µs a request`);
		console.log(
			`\n${renderTable([["module, self time", "µs a request", "share"], ...rankTimes(byModule, requests, 40, activeMicros)])}`,
		);
		console.log(
			`\n${renderTable([["function, self time", "µs a request", "share"], ...rankTimes(byFunction, requests, SHOWN_FUNCTIONS, activeMicros)])}`,
		);
		console.log(
			`\n${renderTable([["function, with what it calls", "µs a request", "share"], ...rankTimes(totalTimes(profile, modules), requests, 70, activeMicros)])}`,
		);
	});
} finally {
	rmSync(tempDir, { recursive: true, force: true });
}
