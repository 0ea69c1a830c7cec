// A workspace's manifest: its request body, its normal form and its digest (docs/reference/workspaces.md, "Workspaces"). Storage
// is in manifests.store.ts.
import * as z from "zod";
import { workspaceIdSchema } from "../ids.ts";
import { type Hash, hashObject } from "../proof/hash.ts";
import { normalizeToolRules, type ToolRules } from "./tool-rules.ts";
import { toolRulesRequestSchema, toolRulesSchema } from "./tool-rules-body.ts";

const MAX_MANIFEST_TEXT_CHARS = 500;
const MAX_MANIFEST_ENTRIES = 200;

const textSchema = z.string().max(MAX_MANIFEST_TEXT_CHARS, `must have at most ${MAX_MANIFEST_TEXT_CHARS} characters`);
const entriesSchema = z
	.array(textSchema)
	.max(MAX_MANIFEST_ENTRIES, `must have at most ${MAX_MANIFEST_ENTRIES} entries`);

/** The request body of the endpoints that take a manifest. Unknown members are dropped. */
export const manifestRequestSchema = z.lazy(() =>
	z.object({
		workspace_id: workspaceIdSchema.describe("Id of the workspace, as you choose it."),
		project_name: textSchema.nullish().describe("Name of the project in generated files."),
		stack: entriesSchema.nullish().describe("Technologies the project is built with."),
		protected_paths: entriesSchema
			.nullish()
			.describe("gitignore-style globs of paths that need approval before an agent writes to them."),
		forbidden_commands: entriesSchema.nullish().describe("Command patterns that must never run."),
		allowed_commands: entriesSchema
			.nullish()
			.describe("Patterns of commands that need not ask although their effect cannot be seen or undone."),
		tools: toolRulesRequestSchema
			.nullish()
			.describe("Which tools coding agents may call: patterns over `server__tool` of MCP tools, and names of others."),
		require_handoffs: z.boolean().nullish().describe("Agents must record a handoff before handing off."),
		require_risk_gate: z.boolean().nullish().describe("Agents must pass the policy check before they act."),
	}),
);

type ManifestRequest = z.output<typeof manifestRequestSchema>;

/**
 * A manifest in its normal form, as it is stored, hashed and shown. All members but `allowed_commands` and `tools` are always
 * there.
 */
export const workspaceManifestSchema = z.lazy(() =>
	z.object({
		workspace_id: workspaceIdSchema,
		project_name: textSchema.nullable(),
		stack: entriesSchema,
		protected_paths: entriesSchema,
		forbidden_commands: entriesSchema,
		allowed_commands: entriesSchema.optional(),
		tools: toolRulesSchema.optional(),
		require_handoffs: z.boolean(),
		require_risk_gate: z.boolean(),
	}),
);

export type WorkspaceManifest = z.output<typeof workspaceManifestSchema>;

/**
 * The allowed commands of a manifest. Without any, the member is left out, so that a manifest that does not use it has the
 * digest that it had before the member existed. An empty list is the same as none.
 */
function allowedMember({ allowed_commands }: { readonly allowed_commands?: string[] | null | undefined }): {
	allowed_commands?: string[];
} {
	return allowed_commands && allowed_commands.length > 0 ? { allowed_commands } : {};
}

/** The rules about tools, left out like allowed commands where they say nothing. */
function toolsMember({ tools }: Pick<ManifestRequest, "tools">): { tools?: ToolRules } {
	const rules = normalizeToolRules(tools);
	return rules ? { tools: rules } : {};
}

/**
 * Fills in what a request left out: null, [] or false; `allowed_commands` and `tools` stay out. Texts stay as they are. Lists keep the
 * caller's order and duplicates, because they are hashed. So two manifests are equal exactly when their normal forms are.
 */
export function normalizeManifest(request: ManifestRequest): WorkspaceManifest {
	return {
		workspace_id: request.workspace_id,
		project_name: request.project_name ?? null,
		stack: request.stack ?? [],
		protected_paths: request.protected_paths ?? [],
		forbidden_commands: request.forbidden_commands ?? [],
		...allowedMember(request),
		...toolsMember(request),
		require_handoffs: request.require_handoffs ?? false,
		require_risk_gate: request.require_risk_gate ?? false,
	};
}

/** The object hash of a manifest, type `svc.manifest.v1`. Members are listed by name, so that no later one slips in. */
export function manifestDigest(manifest: WorkspaceManifest): Hash {
	return hashObject({
		type: "svc.manifest.v1",
		workspace_id: manifest.workspace_id,
		project_name: manifest.project_name,
		stack: manifest.stack,
		protected_paths: manifest.protected_paths,
		forbidden_commands: manifest.forbidden_commands,
		...allowedMember(manifest),
		...toolsMember(manifest),
		require_handoffs: manifest.require_handoffs,
		require_risk_gate: manifest.require_risk_gate,
	});
}

/** The manifest of a workspace that never posted one. It has no rules of its own, so only the built-in ones hold. */
export function defaultManifest(workspaceId: string): WorkspaceManifest {
	return normalizeManifest({ workspace_id: workspaceId });
}
