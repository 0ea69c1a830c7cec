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
	/** Nobody approves calls of a run that a key of its own side began; left out where the run may say so itself. */
	self_approval?: false;
}

/** Rules as a request has them. */
export type ToolRulesRequest = {
	[Member in Exclude<keyof ToolRules, "self_approval">]?: ToolRules[Member] | null | undefined;
} & {
	self_approval?: boolean | null | undefined;
};

/** What holds where a manifest says nothing about tools. */
export const NO_TOOL_RULES: ToolRules = { allow: [], ask: [], deny: [], unknown: "ask" };

/** What holds in a workspace without a manifest. */
export const TOOL_RULES_WITHOUT_MANIFEST: ToolRules = { ...NO_TOOL_RULES, unknown: "allow" };

/** The normal form of rules; null where they say what holds without any. */
export function normalizeToolRules(rules: ToolRulesRequest | null | undefined): ToolRules | null {
	const { allow, ask, deny, unknown, self_approval } = rules ?? {};
	const normal: ToolRules = {
		allow: allow ?? [],
		ask: ask ?? [],
		deny: deny ?? [],
		unknown: unknown ?? NO_TOOL_RULES.unknown,
		// True is what holds without it, and is left out: the digest stays what it was before the member existed.
		...(self_approval === false ? { self_approval } : {}),
	};
	const isEmpty = normal.allow.length + normal.ask.length + normal.deny.length === 0;
	return isEmpty && normal.unknown === NO_TOOL_RULES.unknown && self_approval !== false ? null : normal;
}

/** A label of a host as addresses have it: `bücher` is `xn--bcher-kva` there. One with `*` in it stays. */
function toAddressLabel(label: string): string {
	return /\P{ASCII}/u.test(label) && !label.includes("*") ? (URL.parse(`https://${label}`)?.hostname ?? label) : label;
}

/** A pattern in which the domain of a place is written as places have it. */
function toPlacePattern(pattern: string): string {
	return pattern.replace(/(?<=\(domain:)[^()]+(?=\)$)/, (domain) =>
		domain
			.split(/[.\u3002\uff0e\uff61]/)
			.map(toAddressLabel)
			.join("."),
	);
}

/** Tells whether a pattern covers a folded name whole: `*` is any run of characters. Takes time in the lengths' sum. */
function toNameTest(pattern: string): (folded: string) => boolean {
	const [first = "", ...pieces] = toPlacePattern(pattern.trim()).toLowerCase().split("*");
	const last = pieces.pop();
	if (last === undefined) return (folded) => folded === first;
	return (folded) => {
		if (folded.length < first.length + last.length || !folded.startsWith(first) || !folded.endsWith(last)) return false;
		let at = first.length;
		for (const piece of pieces) {
			const found = folded.indexOf(piece, at);
			if (found < 0) return false;
			at = found + piece.length;
		}
		return at <= folded.length - last.length;
	};
}

/** What the rules say of a tool, and the pattern that says it; null for `unknown`, and where a known tool is named by none. */
export interface ToolJudgement {
	verdict: ToolVerdict;
	pattern: string | null;
}

/** What patterns may name a call by. */
export interface NamedTool {
	/** Of the tool; a pattern needs to name one. The first is how a reason calls it. */
	readonly names: readonly [string, ...string[]];
	/** Each place that the call reaches, as `fetch(domain:example.com)`. A pattern of `deny` or `ask` needs to name one, those of `allow` all. */
	readonly places?: readonly string[];
	/** Whether its input says what it does, so that no pattern has to name it. */
	readonly isKnown: boolean;
}

/** Judges a tool by its names and the places that the call reaches. Deny beats ask, which beats allow. A call may reach thousands. */
export function judgeTool({ names, places = [], isKnown }: NamedTool, rules: ToolRules): ToolJudgement {
	const tests = (verdict: "allow" | "ask" | "deny") =>
		rules[verdict].map((pattern) => ({ pattern, covers: toNameTest(pattern) }));
	const fold = (name: string) => name.toLowerCase();
	const [foldedNames, foldedPlaces] = [names.map(fold), places.map(fold)];
	const all = [...foldedNames, ...foldedPlaces];
	for (const verdict of ["deny", "ask"] as const) {
		const named = tests(verdict).find(({ covers }) => all.some(covers));
		if (named) return { verdict, pattern: named.pattern };
	}
	const allowing = tests("allow");
	const named = allowing.find(({ covers }) => foldedNames.some(covers));
	if (named) return { verdict: "allow", pattern: named.pattern };
	const findAllowing = (place: string) => allowing.find(({ covers }) => covers(place));
	const [first, ...others] = foldedPlaces;
	const allowed = first === undefined ? undefined : findAllowing(first);
	if (allowed && others.every(findAllowing)) return { verdict: "allow", pattern: allowed.pattern };
	return { verdict: isKnown ? "allow" : rules.unknown, pattern: null };
}
