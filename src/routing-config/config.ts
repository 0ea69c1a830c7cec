// Digests and merges routing configs in normal form. Pure.
import { MODE_IS_OPERATORS } from "../compliance/policy.ts";
import { unitePolicies } from "../compliance/policy-levels.ts";
import { type Hash, hashObject } from "../proof/hash.ts";
import type { CompiledConfig, RoutingConfig } from "../routing/routing-config.ts";

/** The config's digest in receipts: H(C({type, config})), with `rules`, `compliance` and `default_max_tokens` only when set. */
export function configDigest({ operator_blocked: _, ...config }: RoutingConfig): Hash {
	return hashObject({ type: "svc.brain.v1", config });
}

/** What is wrong with a config that is not the operator's; its members are valid. */
export function findMisplacedMembers({ compliance }: RoutingConfig): string[] {
	return compliance?.mode ? [`compliance.mode: ${MODE_IS_OPERATORS}`] : [];
}

function lowerLimit(a: number | null, b: number | null): number | null {
	return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * Merges a config with that of the level above it: a request's with its key's, a key's with the server's. Members that restrict
 * are united: `blocked`, the lower `max_cost`, all lists of allowed models, the compliance policies. Of the others, a config's own
 * win unless they are at their defaults (`auto`, null, empty). Defaults count as absent, so that two texts with one normal form,
 * and one digest, have one effect.
 */
export function mergeNormalForms(own: RoutingConfig, server: RoutingConfig): RoutingConfig {
	const rules = own.rules ?? server.rules;
	const compliance =
		own.compliance && server.compliance
			? unitePolicies(server.compliance, own.compliance)
			: (own.compliance ?? server.compliance);
	const defaultMaxTokens = own.default_max_tokens ?? server.default_max_tokens;
	const operatorBlocked = own.operator_blocked ?? server.operator_blocked;
	const allowlists = [...(own.allowlists ?? []), ...(server.allowlists ?? [])];
	return {
		model: own.model === "auto" ? server.model : own.model,
		routing_mode: own.routing_mode ?? server.routing_mode,
		max_cost: lowerLimit(own.max_cost, server.max_cost),
		blocked: [...own.blocked, ...server.blocked.filter((entry) => !own.blocked.includes(entry))],
		fallback: own.fallback.length > 0 ? own.fallback : server.fallback,
		...(rules ? { rules } : {}),
		...(compliance ? { compliance } : {}),
		...(defaultMaxTokens === undefined ? {} : { default_max_tokens: defaultMaxTokens }),
		...(allowlists.length > 0 ? { allowlists } : {}),
		...(operatorBlocked ? { operator_blocked: operatorBlocked } : {}),
	};
}

/** Merges a compiled config with that of the level above it. */
export function mergeConfigs(own: CompiledConfig, server: CompiledConfig): CompiledConfig {
	return {
		config: mergeNormalForms(own.config, server.config),
		matches: own.config.rules ? own.matches : server.matches,
	};
}
