// `npm run build:client`: builds the client and the command line as a package in `dist/client`, ready for `npm pack` or `npm publish`.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { BROWSER_TARGETS } from "./modules.ts";

const ROOT = join(import.meta.dirname, "../..");
const DEFAULT_OUT_DIR = join(ROOT, "dist/client");

/** Where the client runs: Node, Workers, and browsers that verify Ed25519 in WebCrypto. */

const SHARED = { bundle: true, format: "esm", charset: "utf8", legalComments: "none", logLevel: "error" } as const;

/** The library. What verifies proofs is a module of its own, loaded on first use. */
async function buildLibrary(outDir: string): Promise<void> {
	await build({
		...SHARED,
		entryPoints: [join(ROOT, "src/client/index.ts"), join(ROOT, "src/client/verification.ts")],
		outdir: outDir,
		splitting: true,
		platform: "neutral",
		mainFields: ["module", "main"],
		target: ["es2023", ...BROWSER_TARGETS],
		chunkNames: "shared-[hash]",
	});
}

/** The command line, with a client of its own. */
async function buildCommandLine(outDir: string): Promise<void> {
	await build({
		...SHARED,
		entryPoints: { svc: join(ROOT, "src/cli/svc.ts") },
		outdir: join(outDir, "bin"),
		splitting: true,
		platform: "node",
		target: "node22",
		banner: { js: "#!/usr/bin/env node" },
	});
	chmodSync(join(outDir, "bin/svc.js"), 0o755);
}

/** The declarations of the library's own files and of those that they name. */
function buildTypes(outDir: string): void {
	const everything = join(outDir, ".types");
	const { status, stdout } = spawnSync(
		process.execPath,
		[join(ROOT, "node_modules/typescript/bin/tsc"), "-p", join(ROOT, "src/client"), "--outDir", everything],
		{ encoding: "utf8" },
	);
	if (status !== 0) throw new Error(`the client's types cannot be built:\n${stdout}`);
	const copied = new Set<string>();
	const copy = (file: string): void => {
		if (copied.has(file)) return;
		copied.add(file);
		const target = join(outDir, "types", relative(everything, file));
		mkdirSync(dirname(target), { recursive: true });
		copyFileSync(file, target);
		for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g))
			copy(`${resolve(dirname(file), path)}.d.ts`);
	};
	copy(join(everything, "client/index.d.ts"));
	copy(join(everything, "client/verification.d.ts"));
	rmSync(everything, { recursive: true });
}

function writePackage(outDir: string): void {
	const { version, license } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const entry = (name: string) => ({ types: `./types/client/${name}.d.ts`, default: `./${name}.js` });
	const manifest = {
		name: "svc-client",
		version,
		description: "Client of svc, a routing and agent-governance service",
		license,
		type: "module",
		// Map.groupBy, with which chains are checked.
		engines: { node: ">=22" },
		bin: { svc: "./bin/svc.js" },
		exports: { ".": entry("index"), "./verification": entry("verification") },
	};
	writeFileSync(join(outDir, "package.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	copyFileSync(join(ROOT, "LICENSE"), join(outDir, "LICENSE"));
	copyFileSync(join(ROOT, "src/docs/client.md"), join(outDir, "README.md"));
}

/** Builds the package. @returns its folder. */
export async function buildClient(outDir = DEFAULT_OUT_DIR): Promise<string> {
	rmSync(outDir, { recursive: true, force: true });
	mkdirSync(outDir, { recursive: true });
	await buildLibrary(outDir);
	await buildCommandLine(outDir);
	buildTypes(outDir);
	writePackage(outDir);
	return outDir;
}

if (import.meta.main) console.log(await buildClient());
