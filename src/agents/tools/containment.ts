// What a run may still do unasked once it has read what others wrote: all rules, with their reasons. Untrusted text is contained, not
// detected: no rule looks at what a text says. A tool's `effects` count here and nowhere else. Pure.
import type { Decision } from "../../audit/event.ts";
import type { PolicyDecision } from "../../policy/decide.ts";
import { RISK_THRESHOLDS, toRiskTier } from "../../policy/factors.ts";
import type { ToolEffects } from "./tool.ts";

/** What a run has read so far. */
export interface RunReading {
	/** It has read the result of an untrusted tool. What it writes from then on may be an attacker's. */
	isTainted: boolean;
	/** It has read the result of a private tool, or one with a secret in it. */
	hasReadPrivate: boolean;
}

/** A call, as far as containment looks at it. */
export interface ContainedCall extends RunReading {
	/** Of a built-in tool: `read`. */
	effects: ToolEffects;
	/** Its arguments hold commands or hosts, at the pointers of its tool. */
	reachesOut: boolean;
	/** An `allow` pattern of the manifest names it; that `tools.unknown` allows it does not count. */
	isNamed: boolean;
	/** Its arguments hold what looks like a password, a token or a key. */
	hasSecret: boolean;
}

/** A rule that makes a call wait for a person. */
interface ContainmentRule {
	id: "private" | "tainted" | "secret";
	/** What it asks for at least. */
	decision: "confirm" | "approve";
	holds: (call: ContainedCall) => boolean;
	/** For the person and for the model. */
	reason: string;
}

const changes = ({ effects }: ContainedCall) => effects !== "read";

/** Strictest first: the first rule that holds is the one that is told. */
const RULES: readonly ContainmentRule[] = [
	{
		id: "private",
		decision: "approve",
		// Private data, text by others and a way out are all that a theft takes. An `allow` pattern says that a tool may run, not what it
		// may carry off. A read from a chosen address carries data off in that address.
		holds: (call) => call.isTainted && call.hasReadPrivate && (changes(call) || call.reachesOut),
		reason:
			"the run has read private data and text that others wrote, so nothing that writes or reaches out runs without a person",
	},
	{
		id: "tainted",
		decision: "confirm",
		// Who listed a tool by name has accepted that it is called with whatever a text suggests. `tools.unknown` was written without
		// this tool in mind.
		holds: (call) => call.isTainted && changes(call) && !call.isNamed,
		reason:
			"the run has read text that others wrote, so what writes or reaches out runs without a person only where a pattern in tools.allow of the manifest names it",
	},
	{
		id: "secret",
		decision: "confirm",
		holds: (call) => changes(call) && call.hasSecret,
		reason: "its arguments hold what looks like a secret",
	},
];

/** What containment makes of a policy's decision. */
export interface ContainedDecision extends PolicyDecision {
	/** The rule that asks; null where none does. */
	rule: ContainmentRule["id"] | null;
}

const STRICTNESS: readonly Decision[] = ["allow", "confirm", "approve", "deny"];
const PHRASES = { confirm: "Needs confirmation", approve: "Needs approval" } as const;

/** Holds the rules against a call that the policy decided on. A denied call stays denied, and no rule makes a decision weaker. */
export function contain(call: ContainedCall, decided: PolicyDecision): ContainedDecision {
	const rule = decided.decision === "deny" ? undefined : RULES.find(({ holds }) => holds(call));
	if (!rule) return { ...decided, rule: null };
	const reason = `${PHRASES[rule.decision]}: ${rule.reason}. The policy alone says: ${decided.reason}`;
	if (STRICTNESS.indexOf(decided.decision) >= STRICTNESS.indexOf(rule.decision))
		return { ...decided, reason, rule: rule.id };
	const least = RISK_THRESHOLDS.find(({ decision }) => decision === rule.decision)?.from ?? 0;
	const score = Math.max(decided.risk_score, least);
	return {
		...decided,
		reason,
		rule: rule.id,
		risk_score: score,
		risk_tier: toRiskTier(score).tier,
		decision: rule.decision,
	};
}

/** The error result of a denied call, for the model: what was refused, why, and what would pass. */
export function renderDenial(tool: string, { reason }: Pick<PolicyDecision, "reason">): string {
	return `The call of ${tool} was refused and has not run. ${reason} Go on without it, or in a way that this allows.`;
}
