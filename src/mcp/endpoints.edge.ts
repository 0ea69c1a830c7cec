// The endpoints as tools: the manifest, and the MCP server.
import { endpoint } from "../account/endpoint.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { keptTools } from "./manifest.store.ts";
import { manifestAt, manifestSchema, manifestTools } from "./manifest.ts";
import { toolsOf } from "./tools.ts";

/** The endpoint that lists the tools of a service that has `endpoints`. */
function manifestEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
	return endpoint({
		id: "get_mcp_manifest",
		method: "GET",
		path: "/v1/mcp/manifest",
		access: "public",
		limited: true,
		notATool: true,
		conditional: "strong",
		cacheControl: "public, max-age=60",
		summary: "The endpoints as tools for a model, with JSON Schemas of their arguments, and a client's config.",
		result: manifestSchema,
		async handle({ context }) {
			const tools = await keptTools(context, () => manifestTools(toolsOf(endpoints())));
			return ok(manifestAt(context.origin, tools));
		},
	});
}

/**
 * The endpoints that offer others as tools.
 * @param endpoints all of the service's, these included; asked for with the first request.
 */
export function toolEndpoints(endpoints: () => readonly Endpoint[]): Endpoint[] {
	return [manifestEndpoint(endpoints)];
}
