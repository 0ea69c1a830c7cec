// What a routing config tells the router. Its file format, validation and digest are left to routing-config/.
import type { Model } from "../catalog/schema.ts";
import type { Intent, Tier } from "../catalog/vocabulary.ts";
import type { CompliancePolicy } from "../compliance/policy.ts";
import { matchesGlob } from "../text/match-glob.ts";
import type { RoutingMode } from "./mode.ts";

/** When a rule matches: all conditions that are set must hold. A rule without conditions always matches. */
export interface RuleCondition {
	/** At least one of these was detected. */
	intent?: Intent[];
	/** Occurs in the last user text; case is ignored. */
	contains?: string;
	/** A regular expression in RE2 syntax that matches somewhere in the last user text. */
	matches?: string;
	/** Estimated prompt tokens; both bounds are inclusive. */
	min_tokens?: number;
	max_tokens?: number;
	has_tools?: boolean;
	has_images?: boolean;
}

/** What a matching rule decides, unless the request does. Its max_cost always applies. */
export interface RuleChoice {
	model?: string;
	routing_mode?: RoutingMode;
	tier?: Tier;
	/** USD per request. */
	max_cost?: number;
}

/** A rule of a routing config: when it matches, and what it decides. */
export interface RoutingRule {
	name?: string;
	when: RuleCondition;
	use: RuleChoice;
}

/** The canonical form of any input form. `rules`, `compliance` and `default_max_tokens` are present only when they are set. */
export interface RoutingConfig {
	model: string;
	routing_mode: RoutingMode | null;
	/** USD per request. */
	max_cost: number | null;
	blocked: string[];
	fallback: string[];
	rules?: RoutingRule[];
	compliance?: CompliancePolicy;
	/** The output limit of requests that name none. */
	default_max_tokens?: number;
	/** Of API keys: lists of ids, tiers and globs, each of which must have the model. Only the service sets them. */
	allowlists?: string[][];
	/** The entries of `blocked` that are the operator's, which answers do not name. Only the service sets them; no digest has them. */
	operator_blocked?: string[];
}

/** A validated config with its compiled patterns. */
export interface CompiledConfig {
	config: RoutingConfig;
	/** Whether one of its patterns matches somewhere in a text. Takes time linear in the text. */
	matches(pattern: string, text: string): boolean;
}

/** Whether an entry of a list means a model: by its id, an alias of its row, or its provider. */
function matchesModel(entry: string, { id, provider, aliases }: Pick<Model, "id" | "provider" | "aliases">): boolean {
	return (
		matchesGlob(entry, id) ||
		matchesGlob(entry, provider) ||
		(aliases?.some((alias) => matchesGlob(entry, alias)) ?? false)
	);
}

/** Whether a list of ids, providers, tiers and globs has a model. */
export function isListed(
	model: Pick<Model, "id" | "provider" | "aliases"> & { tier?: Model["tier"] },
	list: readonly string[],
): boolean {
	return list.some((entry) => entry === model.tier || matchesModel(entry, model));
}

/** The entry of `blocked` that blocks a model; undefined when none does. */
export function findBlocking(
	model: Pick<Model, "id" | "provider" | "aliases">,
	blocked: readonly string[],
): string | undefined {
	return blocked.find((entry) => matchesModel(entry, model));
}
