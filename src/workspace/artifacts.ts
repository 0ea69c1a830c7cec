// Generates the four instruction files of a workspace from its manifest alone. Equal manifests give equal bytes.

import type { WorkspaceManifest } from "../policy/manifest.ts";
import { renderAgentsMd } from "./agents-md.ts";
import { type BuiltInRules, GENERATOR_VERSION } from "./artifact-sections.ts";
import { renderAssistantMd } from "./assistant-md.ts";
import { renderDocsRules, renderSecurityRules } from "./editor-rules.ts";

/** A file for the repository: its path from the root, and its text. */
interface Artifact {
	path: string;
	content: string;
}

/**
 * Generates the instruction files (docs/reference/workspaces.md, "Workspaces") in a fixed order. They hold the manifest and the
 * policy's built-in rules, quoted as data (quote.ts), and no address or time.
 */
export function generateArtifacts(
	manifest: WorkspaceManifest,
	builtIns: BuiltInRules,
): { version: string; workspace_id: string; artifacts: Artifact[] } {
	return {
		version: GENERATOR_VERSION,
		workspace_id: manifest.workspace_id,
		artifacts: [
			{ path: "AGENTS.md", content: renderAgentsMd(manifest, builtIns) },
			{ path: "ASSISTANT.md", content: renderAssistantMd(manifest, builtIns) },
			{ path: ".editor/rules/svc-security.mdc", content: renderSecurityRules(manifest, builtIns) },
			{ path: ".editor/rules/svc-docs.mdc", content: renderDocsRules(manifest) },
		],
	};
}
