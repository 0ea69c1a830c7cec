// The four instruction files of a workspace, from its manifest alone: equal manifests give the same bytes.

import type { WorkspaceManifest } from "../policy/manifest.ts";
import { agentsMd } from "./agents-md.ts";
import { type BuiltInRules, GENERATOR_VERSION } from "./artifact-sections.ts";
import { assistantMd } from "./assistant-md.ts";
import { docsRules, securityRules } from "./editor-rules.ts";

export { type BuiltInRules, GENERATOR_VERSION };

/** A file to be written to the repository: its path from the root, its text. */
export interface Artifact {
	path: string;
	content: string;
}

/**
 * Generates the instruction files (docs/reference.md, "Workspaces"), in a fixed order. Nothing but the manifest and the policy's built-in
 * rules enters them: no address, no time. Texts of both are quoted as data (quote.ts).
 */
export function generateArtifacts(
	manifest: WorkspaceManifest,
	builtIns: BuiltInRules,
): { version: string; workspace_id: string; artifacts: Artifact[] } {
	return {
		version: GENERATOR_VERSION,
		workspace_id: manifest.workspace_id,
		artifacts: [
			{ path: "AGENTS.md", content: agentsMd(manifest, builtIns) },
			{ path: "ASSISTANT.md", content: assistantMd(manifest, builtIns) },
			{ path: ".editor/rules/svc-security.mdc", content: securityRules(manifest, builtIns) },
			{ path: ".editor/rules/svc-docs.mdc", content: docsRules(manifest) },
		],
	};
}
