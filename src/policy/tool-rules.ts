// Rules of a manifest about tools that coding agents call, and what they say of a tool. Pure, and without zod: the policy engine
// uses it. Their request body is in tool-rules-body.ts.

/** What a rule says of a tool. `allow`: that it is called need not be asked about; what its arguments do is judged all the same. */
export const TOOL_VERDICTS = ["allow", "ask", "deny"] as const;
export type ToolVerdict = (typeof TOOL_VERDICTS)[number];

/** `tools` of a manifest in its normal form. */
export interface ToolRules {
	allow: string[];
	ask: string[];
	deny: string[];
	/** What holds for a tool that no pattern names and that is not known otherwise. */
	unknown: ToolVerdict;
}

/** Rules as a request has them. */
export type ToolRulesRequest = { [Member in keyof ToolRules]?: ToolRules[Member] | null | undefined };

/** What holds where a manifest says nothing about tools. */
export const NO_TOOL_RULES: ToolRules = { allow: [], ask: [], deny: [], unknown: "ask" };

/** What holds in a workspace without a manifest. */
export const TOOL_RULES_WITHOUT_MANIFEST: ToolRules = { ...NO_TOOL_RULES, unknown: "allow" };

/** The normal form of rules; null where they say what holds without any. */
export function normalizeToolRules(rules: ToolRulesRequest | null | undefined): ToolRules | null {
	const { allow, ask, deny, unknown } = rules ?? {};
	const normal = { allow: allow ?? [], ask: ask ?? [], deny: deny ?? [], unknown: unknown ?? NO_TOOL_RULES.unknown };
	const isEmpty = normal.allow.length + normal.ask.length + normal.deny.length === 0;
	return isEmpty && normal.unknown === NO_TOOL_RULES.unknown ? null : normal;
}

/** Whether a pattern covers a name whole: `*` is any run of characters, case is ignored. Takes time in the lengths' sum. */
function coversName(pattern: string, name: string): boolean {
	const [first = "", ...pieces] = pattern.toLowerCase().split("*");
	const folded = name.toLowerCase();
	const last = pieces.pop();
	if (last === undefined) return folded === first;
	if (folded.length < first.length + last.length || !folded.startsWith(first) || !folded.endsWith(last)) return false;
	let at = first.length;
	for (const piece of pieces) {
		const found = folded.indexOf(piece, at);
		if (found < 0) return false;
		at = found + piece.length;
	}
	return at <= folded.length - last.length;
}

/** What the rules say of a tool, and the pattern that says it; null for `unknown`, and where a known tool is named by none. */
export interface ToolJudgement {
	verdict: ToolVerdict;
	pattern: string | null;
}

/**
 * Judges a tool by its names. Deny beats ask, which beats allow.
 * @param isKnown what a known tool does is judged by its input, so no pattern has to name it.
 */
export function judgeTool(names: readonly string[], isKnown: boolean, rules: ToolRules): ToolJudgement {
	for (const verdict of ["deny", "ask", "allow"] as const) {
		const pattern = rules[verdict].find((one) => names.some((name) => coversName(one.trim(), name)));
		if (pattern !== undefined) return { verdict, pattern };
	}
	return { verdict: isKnown ? "allow" : rules.unknown, pattern: null };
}
