// Reads the operator's routing config before the service does, and says what is wrong with it.
import type { Catalog } from "../catalog/catalog.ts";
import { readConfigText } from "../routing-config/read.ts";

/** A report of a config that was read as the service will read it. */
interface ConfigReport {
	isValid: boolean;
	/** One for each error and warning, after the name of the config. */
	lines: string[];
}

/** @param name what the lines call the config: a file, or a setting. */
export async function checkOperatorConfig(text: string, name: string, catalog: Catalog): Promise<ConfigReport> {
	const { errors, warnings } = await readConfigText(text, catalog, { isOperators: true });
	const lines = [...errors, ...warnings.map((warning) => `warning: ${warning}`)].map((line) => `${name}: ${line}`);
	return { isValid: errors.length === 0, lines };
}
