// What a routing config asks of a selection. Its file format, validation and digest are brain/.
import type { Model } from "../catalog/schema.ts";
import type { Tier } from "../catalog/vocabulary.ts";
import type { CompliancePolicy } from "../compliance/policy.ts";
import type { RoutingMode } from "./mode.ts";
import type { Intent } from "./signals.ts";

/** What must hold for a rule to match: all that is given; nothing given always holds. */
export interface RuleCondition {
	/** One of these was detected. */
	intent?: Intent[];
	/** Stands in the last user text, in whatever case. */
	contains?: string;
	/** A regular expression in RE2 syntax that matches somewhere in the last user text. */
	matches?: string;
	/** Estimated prompt tokens, both bounds included. */
	min_tokens?: number;
	max_tokens?: number;
	has_tools?: boolean;
	has_images?: boolean;
}

/** What a rule that matches decides, where the request leaves it open; its max_cost always holds. */
export interface RuleChoice {
	model?: string;
	routing_mode?: RoutingMode;
	tier?: Tier;
	/** USD per request. */
	max_cost?: number;
}

export interface RoutingRule {
	name?: string;
	when: RuleCondition;
	use: RuleChoice;
}

/** The canonical form, whatever the input form. `rules` and `compliance` are there only when they say something. */
export interface RoutingConfig {
	model: string;
	routing_mode: RoutingMode | null;
	/** USD per request. */
	max_cost: number | null;
	blocked: string[];
	fallback: string[];
	rules?: RoutingRule[];
	compliance?: CompliancePolicy;
}

/** A config that was validated, with what its rules need to be tried. */
export interface CompiledConfig {
	config: RoutingConfig;
	/** Whether one of its patterns matches somewhere in a text; in time linear in the text. */
	matches(pattern: string, text: string): boolean;
}

/** Whether a text matches a pattern whose `*` stands for any characters; linear in both. */
function matchesGlob(pattern: string, text: string): boolean {
	const parts = pattern.split("*");
	const [first = "", last = ""] = [parts[0], parts.at(-1)];
	if (parts.length === 1) return pattern === text;
	if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
	let from = first.length;
	const end = text.length - last.length;
	for (const part of parts.slice(1, -1)) {
		const at = text.indexOf(part, from);
		if (at < 0 || at + part.length > end) return false;
		from = at + part.length;
	}
	return true;
}

/** The entry of `blocked` that a model falls under, or undefined. */
export function findBlocking(model: Pick<Model, "id" | "provider">, blocked: readonly string[]): string | undefined {
	return blocked.find((entry) => matchesGlob(entry, model.id) || matchesGlob(entry, model.provider));
}
