// Routing configs for tests of pure parts: compiled at once, with the engines that the service loads on first use.
import { matchesPattern, patternChecker } from "../../src/brain/patterns.ts";
import { validateConfig } from "../../src/brain/validate.ts";
import type { Catalog } from "../../src/catalog/catalog.ts";
import type { CompiledConfig } from "../../src/routing/routing-config.ts";

/**
 * A config that can be applied.
 * @throws when it is not valid.
 */
export function compiledConfig(raw: unknown, catalog: Catalog): CompiledConfig {
	const { config, faults } = validateConfig(raw, { catalog, checkPattern: patternChecker() });
	if (faults.length > 0) throw new Error(JSON.stringify(faults));
	return { config, matches: matchesPattern };
}
