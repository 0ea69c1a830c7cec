// The routing config of an API key: the level between the server's and a request's.
import type { KeyRules } from "../account/context.ts";
import type { CompiledConfig, RoutingConfig } from "../routing/routing-config.ts";
import { patternsIn } from "./config-schema.ts";
import { loadPatterns } from "./load.ts";
import { parseStoredConfig } from "./stored-config.ts";

const EMPTY_CONFIG: RoutingConfig = { model: "auto", routing_mode: null, max_cost: null, blocked: [], fallback: [] };

/** By the rules as they were looked up, so that each look-up is compiled once. */
const compiledByRules = new WeakMap<KeyRules, Promise<CompiledConfig>>();

async function compileRules({ models, brainConfig, defaultMaxTokens }: KeyRules): Promise<CompiledConfig> {
	const own = brainConfig === null ? EMPTY_CONFIG : parseStoredConfig(brainConfig);
	const config: RoutingConfig = {
		...own,
		...(models === null ? {} : { allowlists: [[...models]] }),
		...(defaultMaxTokens === null ? {} : { default_max_tokens: defaultMaxTokens }),
	};
	if (patternsIn(config).length === 0) return { config, matches: () => false };
	const { matchesPattern } = await loadPatterns();
	return { config, matches: matchesPattern };
}

/** The config of a key; null for one that has no rules. */
export async function compileKeyConfig(rules: KeyRules | null): Promise<CompiledConfig | null> {
	if (!rules) return null;
	const known = compiledByRules.get(rules) ?? compileRules(rules);
	compiledByRules.set(rules, known);
	return known;
}
