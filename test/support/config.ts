// Routing configs for tests of pure parts: compiled at once, with the engines that the service loads on first use.

import type { Catalog } from "../../src/catalog/catalog.ts";
import type { CompiledConfig } from "../../src/routing/routing-config.ts";
import { matchesPattern, patternChecker } from "../../src/routing-config/patterns.ts";
import { validateConfig } from "../../src/routing-config/validate.ts";

/**
 * A config that can be applied.
 * @throws when it is not valid.
 */
export function compiledConfig(raw: unknown, catalog: Catalog): CompiledConfig {
	const { config, faults } = validateConfig(raw, { catalog, checkPattern: patternChecker() });
	if (faults.length > 0) throw new Error(JSON.stringify(faults));
	return { config, matches: matchesPattern };
}
