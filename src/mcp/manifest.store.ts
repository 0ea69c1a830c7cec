// The manifest's tools in KV: written once per version of the Worker, so that not every isolate has to write 30 schemas.

import type { ServiceContext } from "../account/context.ts";
import { logError } from "../http/log.edge.ts";
import { type ManifestTools, manifestToolsSchema } from "./manifest.ts";

/** A version that is rolled back to writes it again. */
const MANIFEST_CACHE_SECONDS = 86_400;

/** What this isolate has read or written. */
let isolateTools: ManifestTools | null = null;

/** The key holds nothing that a request could choose. */
function manifestKey({ CF_VERSION_METADATA }: Env): string {
	return `mcp:manifest:${CF_VERSION_METADATA.id}`;
}

function logFailure(error: unknown): null {
	logError("manifest_not_kept", error);
	return null;
}

/** What KV holds; null for nothing, and for what cannot be read, which is written anew. */
async function readManifestTools(env: Env): Promise<ManifestTools | null> {
	const kept: unknown = await env.KV.get(manifestKey(env), { type: "json", cacheTtl: 3600 }).catch(logFailure);
	return manifestToolsSchema.safeParse(kept).data ?? null;
}

/**
 * The tools of this version: this isolate's, else KV's, else as `write` makes them.
 * @param write what they are, from the code alone.
 */
export async function cachedManifestTools(
	{ env, waitUntil }: Pick<ServiceContext, "env" | "waitUntil">,
	write: () => ManifestTools,
): Promise<ManifestTools> {
	if (isolateTools) return isolateTools;
	const kept = await readManifestTools(env);
	const tools = kept ?? write();
	if (!kept)
		waitUntil(
			env.KV.put(manifestKey(env), JSON.stringify(tools), { expirationTtl: MANIFEST_CACHE_SECONDS }).catch(logFailure),
		);
	isolateTools = tools;
	return tools;
}
