// The operator's catalog that the settings of this machine name, before a service has it: CATALOG_FILE, else CATALOG.
import type { Catalog } from "../catalog/catalog.ts";
import { CATALOG } from "../catalog/shipped.ts";
import { isJsonObject, parseJson } from "../json.ts";
import type { AddressRules } from "../operator-catalog/address.ts";
import { readAddressRules } from "../settings.ts";
import { type CheckedCatalog, checkCatalog, readCatalogFile } from "./catalog-file.ts";

/** The catalog that a setting names is wrong, or cannot be read. The message names each mistake in a line of its own. */
export class CatalogSettingError extends Error {
	override name = "CatalogSettingError";
}

/** Where a wrong catalog is said, a service would start without the rows that its operator relies on. */
function requireFaultless(setting: string, checked: CheckedCatalog): CheckedCatalog {
	if (checked.errors.length > 0)
		throw new CatalogSettingError(
			[...checked.errors, `${setting} is wrong: nothing was started or changed`].join("\n"),
		);
	return checked;
}

/**
 * The catalog of a file that a service is to be given; null without CATALOG_FILE.
 * @throws CatalogSettingError
 */
export function readCatalogFileSetting(path: string | undefined, rules: AddressRules): CheckedCatalog | null {
	if (!path) return null;
	let checked: CheckedCatalog;
	try {
		checked = readCatalogFile(path, rules);
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw new CatalogSettingError(`CATALOG_FILE cannot be read: ${reason}`, { cause });
	}
	return requireFaultless("CATALOG_FILE", checked);
}

/**
 * The catalog in the variable CATALOG, which the service reads where its KV has none; null without it.
 * @param value a text, or a table of wrangler.toml.
 * @throws CatalogSettingError
 */
export function readCatalogVariable(value: unknown, rules: AddressRules): CheckedCatalog | null {
	const text = isJsonObject(value) ? JSON.stringify(value) : String(value ?? "").trim();
	if (text === "") return null;
	if (parseJson(text) === undefined) throw new CatalogSettingError("CATALOG is not JSON; CATALOG_FILE names a file");
	return requireFaultless("CATALOG", checkCatalog(new TextEncoder().encode(text), "CATALOG", rules));
}

/** The catalog that a local start begins with. */
export interface StartCatalog {
	catalog: Catalog;
	/** What the service is given to keep; null leaves what it has. */
	document: unknown;
	warnings: readonly string[];
}

/**
 * The catalog of the settings of this machine.
 * @throws CatalogSettingError
 */
export function readStartCatalog(settings: Record<string, string>): StartCatalog {
	const rules = readAddressRules({ ...settings, PLATFORM: "local" });
	const file = readCatalogFileSetting(settings["CATALOG_FILE"], rules);
	if (file) return file;
	const variable = readCatalogVariable(settings["CATALOG"], rules);
	return { catalog: variable?.catalog ?? CATALOG, document: null, warnings: variable?.warnings ?? [] };
}
