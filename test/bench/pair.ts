// Compares the CPU time of a chat in this checkout with another's: both run at once under the same load, so that what the machine does
// meanwhile happens to both. With --entrance, this checkout gets the same conversation through another entrance; with
// --operator-models, it has so many models of an operator's in its catalog, which are weighed for every request with --auto; with
// --telemetry, it sends traces and metrics to a collector that takes everything, and counts for Prometheus.
// Run: npm run bench:pair -- DIR [--connections N] [--rounds N] [--seconds S] [--streamed] [--entrance responses|messages|"responses, stored"]
//      [--operator-models N [--auto]] [--telemetry]
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { applyLocalMigrations, buildBundle } from "../../src/cli/local-service.ts";
import { builtInGenerator, type Load, type LoadTarget } from "./load.ts";
import { type BenchEntrance, ENTRANCES, entranceLoad, STREAMED, WHOLE } from "./loads.ts";
import { operatorRows } from "./operator-rows.ts";
import { stateRoots } from "./options.ts";
import { processCpuMs } from "./process.ts";
import { percentile } from "./statistics.ts";
import { type SvcOptions, startSvc } from "./svc-target.ts";
import { startUpstream } from "./targets.ts";

const USERS = 96;
/** The meters flush within a second of a request. */
const FLUSH_MS = 1_500;

interface Checkout {
	buildBundle: typeof buildBundle;
	applyLocalMigrations: typeof applyLocalMigrations;
	startSvc: typeof startSvc;
}

/** The same functions of another checkout. They are the same types as long as it is no older than these functions. */
async function loadCheckout(dir: string): Promise<Checkout> {
	const load = (file: string) => import(pathToFileURL(join(dir, file)).href) as Promise<Checkout>;
	const [local, target] = [await load("src/cli/local-service.ts"), await load("test/bench/svc-target.ts")];
	return { ...local, startSvc: target.startSvc };
}

/** Builds and starts the service of the checkout in `dir`, on a fresh state in `folder`. */
async function startCheckout(
	dir: string,
	checkout: Checkout,
	upstreamUrl: string,
	folder: string,
	more: Pick<SvcOptions, "operatorCatalog" | "variables"> = {},
): Promise<LoadTarget> {
	const before = process.cwd();
	// The build reads the configuration and the sources of the folder that it runs in.
	process.chdir(dir);
	try {
		const bundleDir = await checkout.buildBundle(join(folder, "bundle"));
		const stateDir = join(folder, "state");
		await checkout.applyLocalMigrations(stateDir);
		return await checkout.startSvc(upstreamUrl, { bundleDir, stateDir, users: USERS, inspected: false, ...more });
	} finally {
		process.chdir(before);
	}
}

function cpuMs({ pid, name }: LoadTarget): number {
	if (pid === null) throw new Error(`benchmark failed: the process of ${name} is unknown`);
	return processCpuMs(pid);
}

/** A target, and the load that it takes. */
interface Side {
	target: LoadTarget;
	load: Load;
}

/** CPU ms a request of both sides, which take their loads at the same time. */
async function measurePair(sides: readonly Side[], connections: number, durationMs: number) {
	const before = sides.map(({ target }) => cpuMs(target));
	const limits = { connections, durationMs, maxRequests: Number.POSITIVE_INFINITY };
	const rounds = await Promise.all(sides.map(({ target, load }) => builtInGenerator.run(target, load, limits)));
	await delay(FLUSH_MS);
	return sides.map(({ target }, index) => {
		const requests = rounds[index]?.requests ?? Number.NaN;
		return (cpuMs(target) - (before[index] ?? 0)) / requests;
	});
}

interface SinkCollector {
	/** Origin, without a trailing slash. */
	url: string;
	/** What it was sent. */
	requests(): number;
	bytes(): number;
	stop(): Promise<void>;
}

/** A collector that takes everything and reads nothing of it. */
async function startCollector(): Promise<SinkCollector> {
	let [requests, bytes] = [0, 0];
	const server = createServer((request, response) => {
		requests++;
		request.on("data", (chunk: Buffer) => {
			bytes += chunk.byteLength;
		});
		request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		requests: () => requests,
		bytes: () => bytes,
		stop: async () => {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** @throws for a name that is no entrance. */
function parseEntrance(name: string | undefined): BenchEntrance | null {
	const entrance = ENTRANCES.find((known) => known === name);
	if (name !== undefined && entrance === undefined) throw new Error(`the entrances are ${ENTRANCES.join("; ")}`);
	return entrance ?? null;
}

async function comparePair(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			connections: { type: "string", default: "1" },
			rounds: { type: "string", default: "10" },
			seconds: { type: "string", default: "6" },
			streamed: { type: "boolean", default: false },
			entrance: { type: "string" },
			"operator-models": { type: "string" },
			auto: { type: "boolean", default: false },
			telemetry: { type: "boolean", default: false },
		},
	});
	const [dir] = positionals;
	const entrance = parseEntrance(values.entrance);
	if (dir === undefined) throw new Error("name the folder of the other checkout");
	const folder = mkdtempSync(join(stateRoots().tmpfs ?? tmpdir(), "svc-pair-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	const started: { stop(): Promise<void> }[] = [];
	try {
		const upstream = await startUpstream();
		started.push(upstream);
		const otherDir = resolve(dir);
		const others = await startCheckout(otherDir, await loadCheckout(otherDir), upstream.url, join(folder, "other"));
		started.unshift(others);
		const ownDir = join(import.meta.dirname, "../..");
		const checkout = { buildBundle, applyLocalMigrations, startSvc };
		const models = values["operator-models"];
		const rows = models === undefined ? {} : { operatorCatalog: operatorRows(Number(models), values.auto) };
		const collector = values.telemetry ? await startCollector() : null;
		if (collector) started.push(collector);
		const variables: Record<string, string> = collector
			? { OTLP_ENDPOINT: collector.url, METRICS_TOKEN: "a-token-of-the-benchmark" }
			: {};
		const own = await startCheckout(ownDir, checkout, upstream.url, join(folder, "own"), { ...rows, variables });
		started.unshift(own);
		const chat = values.streamed ? STREAMED : WHOLE;
		const sides = [
			{ target: others, load: chat },
			{ target: own, load: entrance ? entranceLoad(entrance, values.streamed) : chat },
		];
		const roundMs = 1_000 * Number(values.seconds);
		const connections = Number(values.connections);
		await measurePair(sides, connections, 2 * roundMs);
		const ratios: number[] = [];
		console.log(`${connections} connections to each; CPU ms a request: other, this, ratio`);
		for (let round = 0; round < Number(values.rounds); round++) {
			const [other = Number.NaN, mine = Number.NaN] = await measurePair(sides, connections, roundMs);
			ratios.push(mine / other);
			console.log(`${other.toFixed(3)}  ${mine.toFixed(3)}  ${(mine / other).toFixed(3)}`);
		}
		const at = (share: number) => percentile(ratios, share).toFixed(3);
		if (collector) console.log(`the collector was sent ${collector.requests()} requests, ${collector.bytes()} bytes`);
		console.log(`ratio: median ${at(0.5)}, from ${at(0)} to ${at(1)}`);
	} finally {
		for (const target of started) await target.stop();
	}
}

comparePair().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
