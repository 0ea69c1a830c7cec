// What is heavy and seldom needed, loaded on first use: start-up and calls without a routing config pay nothing for it.

/** The YAML reader (yaml.ts). */
export function loadYaml() {
	return import("./yaml.ts");
}

/** The regular expressions (patterns.ts). */
export function loadPatterns() {
	return import("./patterns.ts");
}
