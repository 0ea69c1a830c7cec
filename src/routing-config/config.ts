// Normalized routing configs: what a receipt says of one, and how a request's joins the server's. Pure.
import { type Hash, hashObject } from "../proof/hash.ts";
import type { CompiledConfig, RoutingConfig } from "../routing/routing-config.ts";

/** What a receipt says of the config in force: H(C({type, config})), `rules` and `compliance` only when set. */
export function configDigest(config: RoutingConfig): Hash {
	return hashObject({ type: "svc.brain.v1", config });
}

function lowerLimit(a: number | null, b: number | null): number | null {
	return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * A request's config over the server's, member by member: what the request's leaves open is the server's, `blocked` is
 * united, the lower `max_cost` wins. A member at its default (`auto`, null, empty) leaves it open, so that two texts with one
 * normal form, and one digest, act alike.
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

/** The same of configs that are ready to be applied. */
export function mergeConfigs(own: CompiledConfig, server: CompiledConfig): CompiledConfig {
	return {
		config: mergeNormalForms(own.config, server.config),
		matches: own.config.rules ? own.matches : server.matches,
	};
}
