// Runs the built Worker on this machine, on the state that `wrangler dev` uses: for `npm start`, client tests and benchmarks.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { buildPages } from "./pages.ts";

const CONFIG = "wrangler.toml";

/** What `npx wrangler` runs. */
export const WRANGLER = "node_modules/wrangler/bin/wrangler.js";

function wrangler(args: string[]): void {
	const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_LOG: "error" };
	const result = spawnSync(process.execPath, [WRANGLER, ...args], {
		env,
		encoding: "utf8",
	});
	if (result.status !== 0) throw new Error(`wrangler ${args.join(" ")} failed:\n${result.stdout}${result.stderr}`);
}

/** Bundles the Worker as a deployment would, with its pages; returns the bundle's folder. */
export async function buildBundle(outDir: string): Promise<string> {
	await buildPages();
	// Texts of an earlier build stand under names of their own and would stay.
	rmSync(outDir, { recursive: true, force: true });
	wrangler(["deploy", "--dry-run", "--outdir", outDir]);
	return outDir;
}

/** What wrangler calls a text module of a bundle: the SHA-1 of its contents, then the file's name. */
export const TEXT_MODULE = /^[0-9a-f]{40}-.+\.(?:md|html)$/;

/** The modules of a bundle made by buildBundle. */
function modulesOf(bundleDir: string): { type: "ESModule" | "Text"; path: string }[] {
	const texts = readdirSync(bundleDir).filter((name) => TEXT_MODULE.test(name));
	return [
		{ type: "ESModule", path: join(bundleDir, "index.js") },
		...texts.map((name) => ({ type: "Text" as const, path: join(bundleDir, name) })),
	];
}

const MIGRATIONS_DIR = "migrations";

/** Applies the migrations that the local database does not have yet; starting a tool to find out that it has them all takes seconds. */
export function applyLocalMigrations(stateDir: string): void {
	const there = readdirSync(MIGRATIONS_DIR).filter((name) => name.endsWith(".sql"));
	// Beside the database, so that whoever removes the one removes the other.
	const noteDir = join(stateDir, "v3/d1");
	const note = join(noteDir, "applied-migrations.txt");
	const list = there.sort().join("\n");
	if (existsSync(note) && readFileSync(note, "utf8") === list) return;
	wrangler(["d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir]);
	mkdirSync(noteDir, { recursive: true });
	writeFileSync(note, list);
}

export interface LocalServiceOptions {
	/** A folder made by buildBundle. */
	bundleDir: string;
	stateDir: string;
	/** IP address to bind; 127.0.0.1 by default. */
	address?: string;
	/** 0 takes a free one. */
	port: number;
	/** Variables and secrets, instead of those in `.dev.vars`. */
	variables: Record<string, string>;
	/** For a profiler: where V8's inspector listens; 0 takes a free one. Without it nothing listens. */
	inspectorPort?: number;
	/** The Worker's own log. */
	onOutput?: (stdout: Readable, stderr: Readable) => void;
}

export interface LocalService {
	/** Origin, without a trailing slash. */
	url: string;
	/** Origin of the inspector, which lists its targets under `/json`; null without one. */
	inspectorUrl: string | null;
	stop(): Promise<void>;
}

/** Starts the service and waits until it answers. */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
	// Reading the configuration would say which secrets file it found; this service gets its variables from `options`.
	process.env["WRANGLER_LOG"] ??= "error";
	const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG);
	const { modulesRules: _rules, ...bindings } = workerOptions;
	const { name } = unstable_readConfig({ config: CONFIG });
	const miniflare = new Miniflare({
		...bindings,
		// Objects live in a folder named after the Worker, here as under `wrangler dev`.
		...(name ? { name } : {}),
		bindings: options.variables,
		modules: modulesOf(options.bundleDir),
		modulesRoot: options.bundleDir,
		host: options.address ?? "127.0.0.1",
		port: options.port,
		defaultPersistRoot: join(options.stateDir, "v3"),
		...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
		...(options.onOutput ? { handleRuntimeStdio: options.onOutput } : {}),
	});
	const url = (await miniflare.ready).origin;
	const inspectorUrl = options.inspectorPort === undefined ? null : (await miniflare.getInspectorURL()).origin;
	return { url, inspectorUrl, stop: () => miniflare.dispose() };
}
