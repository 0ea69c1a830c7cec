// Loads heavy modules on first use, so that start-up and calls without a routing config do not pay for them.

/** The YAML reader (yaml.ts). */
export function loadYaml() {
	return import("./yaml.ts");
}

/** The regular expressions (patterns.ts). */
export function loadPatterns() {
	return import("./patterns.ts");
}
