// Caches the manifest's tools in KV, once per version of the Worker, so that not every isolate has to compute 30 schemas.
import type { ServiceContext } from "../account/context.ts";
import { logError } from "../http/log.edge.ts";
import { type ManifestTools, manifestToolsSchema } from "./manifest.ts";

/** A version that returns by a rollback writes it again. */
const MANIFEST_CACHE_SECONDS = 86_400;

/** The tools that this isolate has read or written, by KV binding, of which it has one. */
const isolateTools = new WeakMap<KVNamespace, ManifestTools>();

/** No part of the key comes from a request. */
function manifestKey({ CF_VERSION_METADATA }: Env): string {
	return `mcp:manifest:${CF_VERSION_METADATA.id}`;
}

function logFailure(error: unknown): null {
	logError("manifest_not_kept", error);
	return null;
}

/** The tools in KV. Null when there are none or when they cannot be parsed; they are then written again. */
async function readManifestTools(env: Env): Promise<ManifestTools | null> {
	const stored: unknown = await env.KV.get(manifestKey(env), { type: "json", cacheTtl: 3600 }).catch(logFailure);
	return manifestToolsSchema.safeParse(stored).data ?? null;
}

/**
 * The tools of this version: this isolate's, else KV's, else new ones.
 * @param compute makes the tools from the code.
 */
export async function cachedManifestTools(
	{ env, waitUntil }: Pick<ServiceContext, "env" | "waitUntil">,
	compute: () => ManifestTools,
): Promise<ManifestTools> {
	const known = isolateTools.get(env.KV);
	if (known) return known;
	const stored = await readManifestTools(env);
	const tools = stored ?? compute();
	if (!stored)
		waitUntil(
			env.KV.put(manifestKey(env), JSON.stringify(tools), { expirationTtl: MANIFEST_CACHE_SECONDS }).catch(logFailure),
		);
	isolateTools.set(env.KV, tools);
	return tools;
}
