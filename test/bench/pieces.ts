// Finds what one request computes in one piece, in which no other request of its isolate goes on, with V8's sampling profiler in workerd.
// Run: node test/bench/pieces.ts [NAME, a part of the names of the loads in neighbour-loads.ts] [--requests N] [--least MS]
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { applyLocalMigrations } from "../../src/cli/local-service.ts";
import { buildModules } from "../../src/cli/modules.ts";
import { modulesByLine } from "./bundle-modules.ts";
import { type CpuProfile, Inspector } from "./inspector.ts";
import { neighbourLoads } from "./neighbour-loads.ts";
import { inSession } from "./session.ts";
import { nextBody } from "./varied.ts";
import { runWrangler } from "./wrangler.ts";

const INTERVAL_MICROS = 200;
/** Between two requests, so that their pieces are apart. */
const PAUSE_MS = 300;
const SHOWN_FUNCTIONS = 6;

/** A pause between two turns may be shorter than two samples. So the bundle that is profiled spends some time at each. */
const MARK = "endPiece";
/** The mark is inlined, or not. */
const BETWEEN = /^(?:endPiece|pause|\((?:idle|program|root)\))$/;
const PAUSE = /^function pause\(ms\) \{$/m;

function markPauses(bundle: string): string {
	if (!PAUSE.test(bundle)) throw new Error("the bundle has no function pause(ms) in turns/turns.edge.ts");
	const mark = `function ${MARK}() { let sum = 0; for (let at = 0; at < 200_000; at++) sum += at % 7; return sum; }`;
	return bundle.replace(PAUSE, (line) => `${mark}\n${line} ${MARK}();`);
}

interface Piece {
	/** A gap between samples counts as two intervals at most: in a longer one, the process had no core. */
	ms: number;
	wallMs: number;
	/** Self time by function, ms. */
	byFunction: Map<string, number>;
}

/** The runs of samples in which code of the isolate was running. */
function findPieces({ nodes, samples, timeDeltas }: CpuProfile, modules: readonly string[]): Piece[] {
	const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
	const pieces: Piece[] = [];
	let piece: Piece | null = null;
	for (const [at, node] of samples.entries()) {
		const frame = frames.get(node);
		if (!frame || BETWEEN.test(frame.functionName)) {
			piece = null;
			continue;
		}
		if (!piece) {
			piece = { ms: 0, wallMs: 0, byFunction: new Map() };
			pieces.push(piece);
		}
		const wallMs = (timeDeltas[at] ?? 0) / 1_000;
		const ms = Math.min(wallMs, (2 * INTERVAL_MICROS) / 1_000);
		const module = frame.url === "" ? "" : `${modules[frame.lineNumber] ?? frame.url} `;
		const name = `${module}${frame.functionName || `(anonymous, line ${frame.lineNumber + 1})`}`;
		piece.ms += ms;
		piece.wallMs += wallMs;
		piece.byFunction.set(name, (piece.byFunction.get(name) ?? 0) + ms);
	}
	return pieces;
}

function describePiece({ ms, wallMs, byFunction }: Piece): string {
	const parts = [...byFunction].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN_FUNCTIONS);
	return `  ${ms.toFixed(1)} ms (wall ${wallMs.toFixed(1)}): ${parts.map(([name, took]) => `${name} ${took.toFixed(1)}`).join("; ")}`;
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { requests: { type: "string", default: "4" }, least: { type: "string", default: "8" } },
});
const [wanted = ""] = positionals;

const tempDir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "svc-pieces-"));
try {
	const bundleDir = join(tempDir, "bundle");
	await buildModules();
	runWrangler(["deploy", "--dry-run", "--no-minify", "--outdir", bundleDir]);
	const emptyStateDir = join(tempDir, "state");
	applyLocalMigrations(emptyStateDir);
	const bundlePath = join(bundleDir, "index.js");
	const bundle = markPauses(readFileSync(bundlePath, "utf8"));
	writeFileSync(bundlePath, bundle);
	const modules = modulesByLine(bundle);
	await inSession({ tempDir, bundleDir, emptyStateDir }, async (session) => {
		const svc = await session.startSvc({ users: 1, stateRoot: tempDir, inspected: true });
		const inspector = await Inspector.open(svc.inspectorUrl ?? "");
		for (const { name, path, body } of neighbourLoads(wanted)) {
			const statuses: string[] = [];
			const send = async () => {
				const headers = { authorization: `Bearer ${svc.keys[0]}`, "content-type": "application/json" };
				const response = await fetch(`${svc.url}${path}`, {
					method: "POST",
					headers,
					body: new Uint8Array(nextBody(body)),
				});
				const text = await response.text();
				statuses.push(response.ok ? `${response.status}` : `${response.status} ${text.slice(0, 200)}`);
				await delay(PAUSE_MS);
			};
			// The first request compiles what the others run.
			await send();
			const profile = await inspector.profile(async () => {
				for (let sent = 0; sent < Number(values.requests); sent++) await send();
			}, INTERVAL_MICROS);
			const pieces = findPieces(profile, modules).toSorted((a, b) => b.ms - a.ms);
			const long = pieces.filter(({ ms }) => ms >= Number(values.least));
			console.log(`${name}: ${[...new Set(statuses)].join(", ")}; longest ${(pieces[0]?.ms ?? 0).toFixed(1)} ms`);
			for (const piece of long) console.log(describePiece(piece));
		}
		inspector.close();
	});
} finally {
	rmSync(tempDir, { recursive: true, force: true });
}
