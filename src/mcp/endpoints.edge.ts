// The endpoints of the tool manifest and of the MCP server.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { type Failure, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { findBatchError, findProtocolError, mcpAnswerSchema, mcpBodySchema, mcpErrorSchema } from "./json-rpc.ts";
import { cachedManifestTools } from "./manifest.store.ts";
import { MCP_PATH, toManifestTools, toolManifestSchema, toToolManifest } from "./manifest.ts";
import { toTools } from "./tools.ts";

/** The endpoint that lists the tools among `endpoints`. */
function manifestEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
	return endpoint({
		id: "get_mcp_manifest",
		method: "GET",
		path: "/v1/mcp/manifest",
		access: "public",
		limited: true,
		conditional: "strong",
		cacheControl: "public, max-age=60",
		toolGroup: null,
		summary: "The endpoints as tools for a model, with JSON Schemas of their arguments, and a client's config.",
		result: toolManifestSchema,
		async handle({ context }) {
			const tools = await cachedManifestTools(context, () => toManifestTools(toTools(endpoints())));
			return ok(toToolManifest(context.origin, tools));
		},
	});
}

function toErrorResponse(error: unknown): Response {
	return Response.json(error, { status: 400, headers: { "cache-control": "no-store" } });
}

function refuseBody(failure: Failure, rawBody: unknown): Response | null {
	const error = findProtocolError(failure, rawBody);
	return error && toErrorResponse(error);
}

/** The MCP server over `endpoints`. It has no sessions, so there is nothing to GET or DELETE. */
function mcpEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
	return endpoint({
		id: "mcp",
		method: "POST",
		path: MCP_PATH,
		access: "key",
		admission: "none",
		bodyLimit: "chat",
		toolGroup: null,
		summary: "The endpoints as an MCP server over streamable HTTP, without a session.",
		query: z.object({
			tools: z
				.string()
				.optional()
				.describe(
					"Groups of tools that tools/list shows, joined by commas; all shows every tool. Any tool can be called.",
				),
		}),
		body: mcpBodySchema,
		result: mcpAnswerSchema,
		eventStream:
			"Where a tool takes its time, or its call has a progressToken: messages of the protocol, one an event.",
		protocol: { accepted: "Notifications, which nobody answers.", error: mcpErrorSchema, refuse: refuseBody },
		ids: "walked apart",
		example: { body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_plans", arguments: {} } } },
		async handle({ query, body, context }) {
			const batchError = findBatchError(body, context.headers.get("mcp-protocol-version"));
			if (batchError) return { ok: true, response: toErrorResponse(batchError) };
			const { answerMcp } = await import("./server.edge.ts");
			return { ok: true, response: await answerMcp(body, endpoints(), context, query.tools) };
		},
	});
}

/**
 * The endpoints that offer others as tools.
 * @param endpoints returns all endpoints of the service, including these. Called with the first request.
 */
export function toolEndpoints(endpoints: () => readonly Endpoint[]): Endpoint[] {
	return [manifestEndpoint(endpoints), mcpEndpoint(endpoints)];
}
