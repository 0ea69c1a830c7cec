// The tool manifest: the tools with their addresses, and a client's configuration (docs/reference/tools.md, "Tool manifest"). Pure.
import * as z from "zod";
import { METHODS } from "../http/endpoint.ts";
import type { McpTool } from "./tools.ts";

const MANIFEST_VERSION = "svc-mcp-manifest-v0.1";

/** The path of the MCP server. */
export const MCP_PATH = "/v1/mcp";

const inputSchema = z.lazy(() =>
	z.looseObject({ type: z.literal("object"), properties: z.record(z.string(), z.unknown()) }),
);

const toolEntrySchema = z.lazy(() =>
	z.object({
		name: z.string(),
		description: z.string(),
		method: z.enum(METHODS),
		path: z.string(),
		input_schema: inputSchema.describe(
			"One JSON Schema for all arguments: those named in the path go there, the others into the body, or into the query of a GET.",
		),
		auth_required: z.boolean(),
	}),
);

/** The tools without the service's address, as they are cached. */
export const manifestToolsSchema = z.lazy(() => z.array(toolEntrySchema));
export type ManifestTools = z.output<typeof manifestToolsSchema>;

const clientEntrySchema = z.lazy(() =>
	z.object({
		type: z.literal("http"),
		transport: z.literal("http"),
		url: z.string(),
		auth: z.object({ type: z.literal("bearer"), token: z.string() }),
		headers: z.object({ Authorization: z.string() }),
	}),
);

/** `GET /v1/mcp/manifest` (docs/reference/tools.md, "Tool manifest"). */
export const toolManifestSchema = z.lazy(() =>
	z.object({
		object: z.literal("mcp.manifest"),
		version: z.string(),
		base_url: z.string(),
		tool_count: z.int(),
		tools: z.array(toolEntrySchema.unwrap().extend({ url: z.string().describe("base_url and path.") })),
		install: z.object({
			claude_code_config: z
				.object({ mcpServers: z.object({ svc: clientEntrySchema }) })
				.describe("For .mcp.json; the client puts the variable SVC_API_KEY in."),
		}),
	}),
);

/** The manifest's entries of tools, without the service's address. */
export function toManifestTools(tools: readonly McpTool[]): ManifestTools {
	return tools.map(({ name, description, method, path, inputSchema, authRequired }) => ({
		name,
		description,
		method,
		path,
		input_schema: { ...inputSchema, type: "object" as const, properties: { ...Object(inputSchema["properties"]) } },
		auth_required: authRequired,
	}));
}

/** The manifest of a service at an origin. */
export function toToolManifest(origin: string, tools: ManifestTools): z.output<typeof toolManifestSchema> {
	// biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces it by the variable of its environment.
	const token = "${SVC_API_KEY}";
	const svc = {
		type: "http" as const,
		transport: "http" as const,
		url: `${origin}${MCP_PATH}`,
		auth: { type: "bearer" as const, token },
		headers: { Authorization: `Bearer ${token}` },
	};
	return {
		object: "mcp.manifest",
		version: MANIFEST_VERSION,
		base_url: origin,
		tool_count: tools.length,
		tools: tools.map((tool) => ({ ...tool, url: `${origin}${tool.path}` })),
		install: { claude_code_config: { mcpServers: { svc } } },
	};
}
