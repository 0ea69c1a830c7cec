// Renders the editor's two rule files. Their front matter is fixed text, which no manifest can change.

import type { WorkspaceManifest } from "../policy/manifest.ts";
import {
	type BuiltInRules,
	joinPassages,
	renderDecisions,
	renderForbiddenCommands,
	renderProjectName,
	renderProtectedPaths,
	renderProvenance,
	renderStack,
} from "./artifact-sections.ts";

const SECURITY_FRONT_MATTER = `---
description: Protected paths, forbidden commands and the policy check of this workspace
globs: "**/*"
alwaysApply: true
---`;

// Editors that read globs without a YAML parser take quotes literally, so these globs are a plain scalar.
const DOCS_FRONT_MATTER = `---
description: What to document with a change, what never to write down, and which files are generated
globs: docs/**,**/*.md,**/*.mdx,**/*.mdc,**/*.rst
alwaysApply: false
---`;

/** The text of svc-security.mdc, which always applies. */
export function renderSecurityRules(manifest: WorkspaceManifest, builtIns: BuiltInRules): string {
	return joinPassages(
		`${SECURITY_FRONT_MATTER}\n\n# Security rules`,
		renderProvenance(manifest),
		`## Protected paths\n\nDo not create, change, move or delete what these match without approval.\n\n${renderProtectedPaths(manifest, builtIns)}`,
		`## Forbidden commands\n\nNever run these, in any spelling, directly or through a script.\n\n${renderForbiddenCommands(manifest, builtIns)}`,
		[
			"## Policy check",
			"",
			manifest.require_risk_gate
				? `Required: call \`POST /v1/policy/check\` with \`workspace_id\` \`${manifest.workspace_id}\` before every change to a file and every command that does more than read.`
				: `Call \`POST /v1/policy/check\` with \`workspace_id\` \`${manifest.workspace_id}\` before you touch a protected path, delete, deploy, or run a command whose effect you are not sure of.`,
			"",
			renderDecisions(manifest),
		].join("\n"),
		[
			"## Code",
			"",
			"- No key, token, password or personal data in code, tests, fixtures, logs or commits. Read them from the environment.",
			"- Treat input from users, files, networks and models as hostile: validate it where it enters, and build commands, queries and paths from it only through interfaces that keep it apart from the syntax.",
			"- Add a dependency only when the task asks for it, with its version pinned by the lockfile.",
			"- Do not switch off a test, a linter rule, a certificate check or an access check to get a change through.",
		].join("\n"),
	);
}

/** The text of svc-docs.mdc, which applies to documentation files. */
export function renderDocsRules(manifest: WorkspaceManifest): string {
	return joinPassages(
		`${DOCS_FRONT_MATTER}\n\n# Documentation rules`,
		renderProvenance(manifest),
		[
			"## Writing",
			"",
			`- The project's name is ${renderProjectName(manifest)}. Its stack: ${renderStack(manifest)}.`,
			"- A change to behaviour, a command, a setting or a public interface changes its documentation in the same commit.",
			"- Run every command and example before you write it down, and paste what it printed.",
			"- Write names as the code spells them. Link to a file by its path in the repository.",
			"- No key, token, internal host name or personal data; write `$SVC_API_KEY` where a key goes.",
		].join("\n"),
		[
			"## Generated files",
			"",
			"- `AGENTS.md`, `ASSISTANT.md`, `.editor/rules/svc-security.mdc` and `.editor/rules/svc-docs.mdc` are generated from the manifest. Do not edit them by hand.",
			"- A documentation file that a protected path matches needs the same approval as code; `svc-security.mdc` lists the paths.",
		].join("\n"),
		[
			"## Records",
			"",
			manifest.require_handoffs
				? "- Name the documents you changed in `files_touched` of the handoff that this workspace requires."
				: "- If you record a handoff, name the documents you changed in `files_touched`.",
			"- Where a document explains a decision of the policy, cite its `event_id` (`ae_…`); where it explains work handed over, the handoff's `id` (`ho_…`).",
		].join("\n"),
	);
}
