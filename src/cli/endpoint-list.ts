// Loads the list of endpoints in Node, for what is generated from it. What only runs on the platform is left empty.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Endpoint } from "../http/endpoint.ts";

/** The platform's modules, texts that stand beside the bundle, and modules that are loaded on first use. */
const EMPTY_MODULES: Plugin = {
	name: "empty-modules",
	setup(build) {
		build.onResolve({ filter: /^cloudflare:|\?raw$|\/built\// }, ({ path }) => ({ path, namespace: "empty" }));
		build.onLoad({ filter: /./, namespace: "empty" }, () => ({
			contents:
				"export default ''; export class DurableObject {}; export class WorkerEntrypoint {}; export const env = {};",
		}));
	},
};

/** The endpoints as `src/endpoints.ts` lists them. Their handlers cannot be called. Takes a second. */
export async function loadEndpoints(): Promise<readonly Endpoint[]> {
	const { outputFiles } = await build({
		entryPoints: [join(import.meta.dirname, "../endpoints.ts")],
		bundle: true,
		write: false,
		format: "esm",
		platform: "node",
		target: "es2024",
		logLevel: "error",
		plugins: [EMPTY_MODULES],
	});
	const dir = mkdtempSync(join(tmpdir(), "svc-endpoints-"));
	const file = join(dir, "endpoints.mjs");
	try {
		writeFileSync(file, outputFiles[0]?.contents ?? "");
		const { ENDPOINTS } = await import(pathToFileURL(file).href);
		return ENDPOINTS;
	} finally {
		rmSync(dir, { recursive: true });
	}
}
