// The rules of a workspace as they are in force: those of its manifest, or of none. Pure.
import { agentLimitNanoUsd, type Plan } from "../catalog/plans.ts";
import type { Hash } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import type { PolicyRules } from "./decide.ts";
import { defaultManifest, manifestDigest } from "./manifest.ts";
import type { StoredManifest } from "./manifests.store.ts";
import { NO_TOOL_RULES, TOOL_RULES_WITHOUT_MANIFEST, type ToolRules } from "./tool-rules.ts";

export interface RulesInForce {
	rules: PolicyRules & { tools: ToolRules };
	manifestDigest: Hash;
}

/** @param stored null where no manifest was ever posted. */
export function toRulesInForce(stored: StoredManifest | null, workspaceId: string, plan: Plan): RulesInForce {
	const manifest = stored?.manifest ?? defaultManifest(workspaceId);
	return {
		rules: {
			protectedPaths: manifest.protected_paths,
			forbiddenCommands: manifest.forbidden_commands,
			allowedCommands: manifest.allowed_commands,
			tools: stored ? (manifest.tools ?? NO_TOOL_RULES) : TOOL_RULES_WITHOUT_MANIFEST,
			budgetUsd: usd(agentLimitNanoUsd(plan)),
		},
		manifestDigest: stored?.digest ?? manifestDigest(manifest),
	};
}
