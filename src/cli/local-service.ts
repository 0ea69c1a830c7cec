// Runs the built Worker on this machine, for `npm start`, client tests and benchmarks. `wrangler dev` uses the same state.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import type { SourcelessWorkerOptions } from "wrangler";
import { PRIVATE_PATHS } from "./local-env.ts";
import { migrateDatabase } from "./local-migrations.ts";
import { hasAppliedMigrations, listAppliedMigrations, setAsideOtherVersion } from "./local-state.ts";
import { buildModules } from "./modules.ts";
import { closeToOthers } from "./private-files.ts";

const CONFIG = "wrangler.toml";

/** Where the runtime listens, and `npm start` unless HOST names another. */
export const LOOPBACK_ADDRESS = "127.0.0.1";

/** The script that `npx wrangler` runs. */
export const WRANGLER = "node_modules/wrangler/bin/wrangler.js";

function runWrangler(args: string[]): void {
	const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_LOG: "error" };
	const result = spawnSync(process.execPath, [WRANGLER, ...args], {
		env,
		encoding: "utf8",
	});
	if (result.status !== 0) throw new Error(`wrangler ${args.join(" ")} failed:\n${result.stdout}${result.stderr}`);
}

/** What Miniflare must know of the Worker besides its modules and its variables: bindings, and the rules of the runtime. */
async function readRuntimeOptions(): Promise<SourcelessWorkerOptions> {
	const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import("wrangler");
	const { WRANGLER_LOG: level } = process.env;
	// Otherwise it prints which secrets file it found, although a local service gets its variables from its caller.
	process.env["WRANGLER_LOG"] ??= "error";
	try {
		const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG);
		const { modulesRules: _rules, bindings: _variables, ...options } = workerOptions;
		const { name } = unstable_readConfig({ config: CONFIG });
		// The objects' folder has the Worker's name, as under `wrangler dev`.
		return { ...options, ...(name ? { name } : {}) };
	} finally {
		// `wrangler dev` inherits it.
		if (level === undefined) delete process.env["WRANGLER_LOG"];
	}
}

/** In a bundle's folder: those options. To load wrangler for them takes longer than all else that a start does before the runtime. */
const OPTIONS_FILE = "runtime-options.json";

/** The options with which a bundle runs. A benchmark's bundle may have none beside it. */
async function loadRuntimeOptions(bundleDir: string): Promise<SourcelessWorkerOptions> {
	const file = join(bundleDir, OPTIONS_FILE);
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : readRuntimeOptions();
}

/** In a bundle's folder: the digest of what it was made from. */
const SOURCES_FILE = "sources.sha256";

/** What a bundle is made from, besides `src`: its configuration, and the packages as they are installed. */
const OTHER_SOURCES = ["wrangler.toml", "package.json", "node_modules/.package-lock.json"];

/** The digest of all that a bundle is made from; null where not all of it can be read. */
function digestSources(): string | null {
	if (!OTHER_SOURCES.every((path) => existsSync(path))) return null;
	const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
		.filter((name) => !name.split(sep).includes("built"))
		.map((name) => join("src", name))
		// An editor may leave a link to nothing.
		.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
	const hash = createHash("sha256");
	for (const path of [...OTHER_SOURCES, ...sources.toSorted()]) {
		const content = readFileSync(path);
		hash.update(`${path}\0${content.byteLength}\0`).update(content);
	}
	return hash.digest("hex");
}

function isBundleOf(sources: string, outDir: string): boolean {
	const noted = join(outDir, SOURCES_FILE);
	return existsSync(noted) && readFileSync(noted, "utf8") === sources;
}

/**
 * Bundles the Worker as for a deployment, with the modules beside it; returns the bundle's folder. A bundle of the same sources
 * stays as it is: building takes seconds.
 */
export async function buildBundle(outDir: string): Promise<string> {
	const sources = digestSources();
	if (sources !== null && isBundleOf(sources, outDir)) return outDir;
	await buildModules();
	// Text modules of an earlier build have other names and would stay.
	rmSync(outDir, { recursive: true, force: true });
	runWrangler(["deploy", "--dry-run", "--outdir", outDir]);
	writeFileSync(join(outDir, OPTIONS_FILE), JSON.stringify(await readRuntimeOptions()));
	// Last: a build that was ended is made again.
	if (sources !== null) writeFileSync(join(outDir, SOURCES_FILE), sources);
	return outDir;
}

/** How wrangler names a text module of a bundle: the SHA-1 of its content, then the file's name. */
export const TEXT_MODULE = /^[0-9a-f]{40}-.+\.(?:md|html)$/;

const BUILT_MODULE = /^[^/]+\/built\/[^/]+\.js$/;

/**
 * The JavaScript beside a bundle that is loaded on first use (see wrangler.toml), by its path in the bundle's folder. The bundle of
 * a benchmark, whose entry stands elsewhere, has none: it holds them itself.
 */
export function findBuiltModules(bundleDir: string): readonly string[] {
	return readdirSync(bundleDir, { recursive: true, encoding: "utf8" }).filter((name) => BUILT_MODULE.test(name));
}

/** The modules of a bundle made by buildBundle. */
function bundleModules(bundleDir: string): { type: "ESModule" | "Text"; path: string }[] {
	const texts = readdirSync(bundleDir).filter((name) => TEXT_MODULE.test(name));
	return [
		{ type: "ESModule", path: join(bundleDir, "index.js") },
		// The small ones first: Miniflare copies all that it has written so far for each module.
		...texts.map((name) => ({ type: "Text" as const, path: join(bundleDir, name) })),
		...findBuiltModules(bundleDir).map((name) => ({ type: "ESModule" as const, path: join(bundleDir, name) })),
	];
}

/** Applies the migrations that the local database lacks. If it lacks none, no runtime is started. */
export async function applyLocalMigrations(stateDir: string): Promise<void> {
	if (hasAppliedMigrations(stateDir)) return;
	const { d1Databases } = await readRuntimeOptions();
	const miniflare = new Miniflare({
		modules: true,
		script: "",
		d1Databases,
		defaultPersistRoot: join(stateDir, "v3"),
	});
	try {
		await migrateDatabase(await miniflare.getD1Database("DB"));
	} finally {
		await miniflare.dispose();
	}
	listAppliedMigrations(stateDir);
}

/**
 * Makes the state ready for this version: sets one of another version aside, and applies the migrations that are missing. From then
 * on, what this process and the runtime make is their owner's alone, and so is what they had made before.
 */
export async function prepareState(stateDir: string): Promise<void> {
	process.umask(0o077);
	closeToOthers(PRIVATE_PATHS);
	const aside = setAsideOtherVersion(stateDir, Date.now());
	if (aside !== null) {
		console.log(
			`the local state was made by ${aside.madeBy}, and this one does not read it: it is now in ${aside.dir}, and the service begins with an empty one`,
		);
	}
	await applyLocalMigrations(stateDir);
}

interface LocalServiceOptions {
	/** A folder made by buildBundle. */
	bundleDir: string;
	stateDir: string;
	/** 0 takes a free one. */
	port: number;
	/** Variables and secrets, instead of those in `.dev.vars`. */
	variables: Record<string, string>;
	/** Port of V8's inspector, for a profiler; 0 takes a free one. Without it there is none. */
	inspectorPort?: number;
	/** The Worker's own log. */
	onOutput?: (stdout: Readable, stderr: Readable) => void;
}

interface LocalService {
	/** Origin, without a trailing slash. */
	url: string;
	/** Origin of the inspector, which lists its targets at `/json`; null without one. */
	inspectorUrl: string | null;
	stop(): Promise<void>;
}

/**
 * The runtime's garbage collector, unless MINIFLARE_WORKERD_V8_FLAGS says otherwise. What a request leaves behind is small in the heap
 * and large beside it, so a young generation of V8's usual 16 MiB keeps hundreds of MiB (src/docs/measurements.md, "Memory").
 */
const RUNTIME_FLAGS = "--max-semi-space-size=4";

/** Starts the service and waits until it answers. */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
	process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= RUNTIME_FLAGS;
	const miniflare = new Miniflare({
		...(await loadRuntimeOptions(options.bundleDir)),
		bindings: options.variables,
		modules: bundleModules(options.bundleDir),
		modulesRoot: options.bundleDir,
		// The Worker has a socket of its own. Miniflare's entry Worker takes 0.13 ms of CPU a request (measured) for what only developers
		// need, and believes headers of its own; nobody is told where it listens. What is to be reached from elsewhere has the front
		// before it: a CONNECT on this socket opens the runtime's own protocol.
		unsafeDirectSockets: [{ host: LOOPBACK_ADDRESS, port: options.port }],
		host: LOOPBACK_ADDRESS,
		port: 0,
		defaultPersistRoot: join(options.stateDir, "v3"),
		...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
		...(options.onOutput ? { handleRuntimeStdio: options.onOutput } : {}),
	});
	await miniflare.ready;
	const url = (await miniflare.unsafeGetDirectURL()).origin;
	const inspectorUrl = options.inspectorPort === undefined ? null : (await miniflare.getInspectorURL()).origin;
	return { url, inspectorUrl, stop: () => miniflare.dispose() };
}
