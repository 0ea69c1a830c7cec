// What a new manifest allows that the one before did not, as far as its entries tell. Patterns are not compared. Pure.
import type { WorkspaceManifest } from "./manifest.ts";
import { NO_TOOL_RULES, type ToolRules, type ToolVerdict } from "./tool-rules.ts";

/** One thing by which a manifest is weaker. `removed` and `added` are entries of a list; a rule that is off has neither. */
export interface Weakening {
	member:
		| "protected_paths"
		| "forbidden_commands"
		| "allowed_commands"
		| `tools.${keyof ToolRules}`
		| "require_handoffs"
		| "require_risk_gate";
	removed?: string;
	added?: string;
}

const LISTS = ["protected_paths", "forbidden_commands"] as const;
const RULES = ["require_handoffs", "require_risk_gate"] as const;

/** A protected path that makes an exception from those before it. */
function isException(entry: string): boolean {
	return entry.startsWith("!");
}

function without(entries: readonly string[], others: readonly string[]): string[] {
	return [...new Set(entries)].filter((entry) => !others.includes(entry));
}

const STRICTNESS: Readonly<Record<ToolVerdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** What rules about tools allow that those before did not. A tool that was asked about and is denied now is no weaker. */
function findToolWeakenings(before: ToolRules, after: ToolRules): Weakening[] {
	const denied = without(before.deny, after.deny).map((entry): Weakening => ({ member: "tools.deny", removed: entry }));
	const asked = without(before.ask, [...after.ask, ...after.deny]).map(
		(entry): Weakening => ({ member: "tools.ask", removed: entry }),
	);
	const allowed = without(after.allow, before.allow).map(
		(entry): Weakening => ({ member: "tools.allow", added: entry }),
	);
	const isLaxer = STRICTNESS[after.unknown] < STRICTNESS[before.unknown];
	return [
		...denied,
		...asked,
		...allowed,
		...(before.self_approval === false && after.self_approval !== false
			? [{ member: "tools.self_approval", removed: "false", added: "true" } as const]
			: []),
		...(isLaxer ? [{ member: "tools.unknown", removed: before.unknown, added: after.unknown } as const] : []),
	];
}

/**
 * What became weaker from one manifest to the next: entries that are gone or replaced, exceptions, commands that need not
 * ask any more, tools that are less restricted, rules that are off.
 */
export function findWeakenings(before: WorkspaceManifest, after: WorkspaceManifest): Weakening[] {
	const removed = LISTS.flatMap((member) =>
		without(before[member], after[member])
			.filter((entry) => member !== "protected_paths" || !isException(entry))
			.map((entry): Weakening => ({ member, removed: entry })),
	);
	const exceptions = without(after.protected_paths, before.protected_paths).filter(isException);
	const added = exceptions.map((entry): Weakening => ({ member: "protected_paths", added: entry }));
	const allowed = without(after.allowed_commands ?? [], before.allowed_commands ?? []).map(
		(entry): Weakening => ({ member: "allowed_commands", added: entry }),
	);
	const off = RULES.filter((member) => before[member] && !after[member]).map((member): Weakening => ({ member }));
	const tools = findToolWeakenings(before.tools ?? NO_TOOL_RULES, after.tools ?? NO_TOOL_RULES);
	return [...removed, ...added, ...allowed, ...tools, ...off];
}
