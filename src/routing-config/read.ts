// Reads a routing config in either form, text or object, into its normal form, with every error and its position.
import type { Catalog } from "../catalog/catalog.ts";
import type { DocumentFault } from "../faults.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { patternsIn } from "./config-schema.ts";
import { loadPatterns, loadYaml } from "./load.ts";
import { findYaml } from "./markdown.ts";
import { type ValidatedConfig, validateConfig } from "./validate.ts";
import type { TextPosition } from "./yaml.ts";

/** Maximum UTF-8 bytes of a config's text. */
export const MAX_CONFIG_BYTES = 65_536;

/** Whether a config's text, or the JSON of one, is too large. */
export function exceedsConfigLimit(text: string): boolean {
	return text.length > MAX_CONFIG_BYTES || new TextEncoder().encode(text).byteLength > MAX_CONFIG_BYTES;
}

/** A config that was read. Without errors, it can be applied. */
export interface ReadConfig extends CompiledConfig {
	/** One line each, after `line L, column C: ` when the config was a text. */
	errors: string[];
	warnings: string[];
}

/** What a config is read under. */
export interface ConfigSource {
	/** The operator's: see validate.ts. */
	isOperators?: boolean;
}

async function validateWithPatterns(
	raw: unknown,
	catalog: Catalog,
	source: ConfigSource,
): Promise<ValidatedConfig & Pick<CompiledConfig, "matches">> {
	// Without patterns, their engine is not loaded.
	if (patternsIn(raw).length === 0) {
		const basis = { ...source, catalog, checkPattern: () => null };
		return { ...validateConfig(raw, basis), matches: () => false };
	}
	const { matchesPattern, patternChecker } = await loadPatterns();
	return { ...validateConfig(raw, { ...source, catalog, checkPattern: patternChecker() }), matches: matchesPattern };
}

/** A path in words. Keys are cut, because they may be as long as the config. */
export function pathName(path: DocumentFault["path"]): string {
	return path.map((step) => String(step).slice(0, 64)).join(".");
}

function toErrorText({ path, message }: DocumentFault): string {
	const name = pathName(path);
	return `${name === "" ? "config" : name}: ${message}`;
}

/** A message behind its position, where there is one. */
export function withPosition(message: string, { line, column }: Partial<TextPosition>): string {
	return line === undefined || column === undefined ? message : `line ${line}, column ${column}: ${message}`;
}

/** Reads a config from an object. */
export async function readConfigObject(raw: unknown, catalog: Catalog): Promise<ReadConfig> {
	const { config, faults, warnings, matches } = await validateWithPatterns(raw, catalog, {});
	return { config, matches, warnings, errors: faults.map(toErrorText) };
}

/** Reads a config from its text: YAML, or Markdown with YAML in it. */
export async function readConfigText(text: string, catalog: Catalog, source: ConfigSource = {}): Promise<ReadConfig> {
	const failed = async (error: string): Promise<ReadConfig> => ({
		...(await readConfigObject({}, catalog)),
		errors: [error],
	});
	if (exceedsConfigLimit(text)) return failed(`is larger than ${MAX_CONFIG_BYTES} bytes`);
	const found = findYaml(text);
	if (!found.ok) return failed(withPosition(found.message, { line: found.line, column: 1 }));
	const yaml = (await loadYaml()).parseYaml(found.yaml);
	if (yaml.faults.length > 0) {
		const { config, matches, warnings } = await readConfigObject({}, catalog);
		return { config, matches, warnings, errors: yaml.faults.map((fault) => withPosition(fault.message, fault)) };
	}
	const { config, faults, warnings, matches } = await validateWithPatterns(yaml.value, catalog, source);
	const notes = [...(found.warning === null ? [] : [found.warning]), ...warnings];
	if (yaml.value === null) notes.push("the config is empty");
	return {
		config,
		matches,
		warnings: notes,
		errors: faults.map((fault) => withPosition(toErrorText(fault), yaml.findPosition(fault.path, fault.at) ?? {})),
	};
}
