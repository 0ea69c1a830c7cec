// Digests and merges routing configs in normal form. Pure.
import { type Hash, hashObject } from "../proof/hash.ts";
import type { CompiledConfig, RoutingConfig } from "../routing/routing-config.ts";

/** The config's digest in receipts: H(C({type, config})), with `rules` and `compliance` only when set. */
export function configDigest(config: RoutingConfig): Hash {
	return hashObject({ type: "svc.brain.v1", config });
}

function lowerLimit(a: number | null, b: number | null): number | null {
	return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * Merges a request's config with the server's, member by member. The request's member wins unless it is at its default
 * (`auto`, null, empty); `blocked` is the union, and the lower `max_cost` holds. Defaults count as absent, so that two texts
 * with one normal form, and one digest, have one effect.
 */
function mergeNormalForms(own: RoutingConfig, server: RoutingConfig): RoutingConfig {
	const rules = own.rules ?? server.rules;
	const compliance = own.compliance ?? server.compliance;
	return {
		model: own.model === "auto" ? server.model : own.model,
		routing_mode: own.routing_mode ?? server.routing_mode,
		max_cost: lowerLimit(own.max_cost, server.max_cost),
		blocked: [...own.blocked, ...server.blocked.filter((entry) => !own.blocked.includes(entry))],
		fallback: own.fallback.length > 0 ? own.fallback : server.fallback,
		...(rules ? { rules } : {}),
		...(compliance ? { compliance } : {}),
	};
}

/** Merges a request's compiled config with the server's. */
export function mergeConfigs(own: CompiledConfig, server: CompiledConfig): CompiledConfig {
	return {
		config: mergeNormalForms(own.config, server.config),
		matches: own.config.rules ? own.matches : server.matches,
	};
}
