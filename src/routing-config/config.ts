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
 * Merges a config with that of the level below, member by member: a request's with its key's, a key's with the server's. The
 * member of the upper level wins unless it is at its default (`auto`, null, empty); `blocked` is the union, the lower `max_cost`
 * and all lists of allowed models hold. Defaults count as absent, so that two texts
 * with one normal form, and one digest, have one effect.
 */
export function mergeNormalForms(own: RoutingConfig, server: RoutingConfig): RoutingConfig {
	const rules = own.rules ?? server.rules;
	const compliance = own.compliance ?? server.compliance;
	const allowlists = [...(own.allowlists ?? []), ...(server.allowlists ?? [])];
	return {
		model: own.model === "auto" ? server.model : own.model,
		routing_mode: own.routing_mode ?? server.routing_mode,
		max_cost: lowerLimit(own.max_cost, server.max_cost),
		blocked: [...own.blocked, ...server.blocked.filter((entry) => !own.blocked.includes(entry))],
		fallback: own.fallback.length > 0 ? own.fallback : server.fallback,
		...(rules ? { rules } : {}),
		...(compliance ? { compliance } : {}),
		...(allowlists.length > 0 ? { allowlists } : {}),
	};
}

/** Merges a compiled config with that of the level below. */
export function mergeConfigs(own: CompiledConfig, server: CompiledConfig): CompiledConfig {
	return {
		config: mergeNormalForms(own.config, server.config),
		matches: own.config.rules ? own.matches : server.matches,
	};
}
