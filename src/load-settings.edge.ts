// The settings with the operator's catalog: KV's `catalog:operator`, else CATALOG, else the catalog that ships. The same text gives the
// same object, so that what is made from settings can be kept with them.
import { CATALOG } from "./catalog/shipped.ts";
import { MisconfiguredError, StorageUnavailableError } from "./failure.ts";
import type { DocumentFault } from "./faults.ts";
import { isJsonObject, type JsonObject, parseJson } from "./json.ts";
import { MAX_CATALOG_BYTES } from "./operator-catalog/size.ts";
import {
	type DocumentReader,
	type DocumentState,
	OperatorDocuments,
	type ReadDocument,
} from "./operator-document.edge.ts";
import {
	type BaseSettings,
	type CatalogSettings,
	cachedSettings,
	type Settings,
	SettingsError,
	shippedSettings,
	withCatalog,
} from "./settings.ts";

const documents = new OperatorDocuments<Settings>("catalog:operator", "operator_catalog");

export const CATALOG_KEY = documents.key;

/** A fault with its path, such as `models.2.prices: needs input_per_m`. */
function renderFault({ path, message }: DocumentFault): string {
	return path.length === 0 ? `the catalog ${message}` : `${path.join(".")}: ${message}`;
}

/** The settings of an environment with an operator's rows, or each fault of the rows and of the variables of their providers. */
export async function extendSettings(
	env: Env,
	document: unknown,
): Promise<{ settings: Settings; faults: DocumentFault[] }> {
	// The schemas of the rows take a tenth of the start-up, and most deployments have none.
	const { extendCatalog } = await import("./operator-catalog/extend.ts");
	const base = shippedSettings(env);
	const { catalog, faults } = extendCatalog(CATALOG, document, base.addressRules);
	if (catalog === CATALOG) return { settings: base, faults };
	try {
		return { settings: withCatalog(base, { ...env }, catalog), faults: [] };
	} catch (error) {
		if (!(error instanceof SettingsError)) throw error;
		return {
			settings: base,
			faults: [{ path: [], at: "value", message: `and the settings disagree: ${error.message}` }],
		};
	}
}

async function readCatalogText(text: string, env: Env): Promise<ReadDocument<Settings>> {
	// Whoever writes to KV directly may write anything.
	if (text.length > MAX_CATALOG_BYTES) return { ok: false, faults: [`it has more than ${MAX_CATALOG_BYTES} bytes`] };
	const document = parseJson(text);
	if (document === undefined) return { ok: false, faults: ["it is not JSON, which `npm run catalog -- apply` writes"] };
	const { settings, faults } = await extendSettings(env, document);
	return faults.length > 0 ? { ok: false, faults: faults.map(renderFault) } : { ok: true, value: settings };
}

function readerFor(env: Env): DocumentReader<Settings> {
	const base = cachedSettings(env);
	return { fallback: base.catalogText, basis: base, read: (text) => readCatalogText(text, env) };
}

/**
 * The settings as of at most a minute ago.
 * @throws StorageUnavailableError when KV does not answer and nothing is cached; MisconfiguredError when no text of the operator's
 * catalog could ever be read. What it replaces or hides would be open without it.
 */
export async function requireSettings(env: Env): Promise<Settings> {
	const { state, value } = await documents.load(env.KV, readerFor(env));
	if (value) return value;
	if (state === "none") return shippedSettings(env);
	throw new MisconfiguredError("the operator's catalog cannot be read");
}

const MEMBERS: readonly (keyof CatalogSettings)[] = ["catalog", "providers", "attestations"];

/** Settings whose catalog cannot be used: to read a member that depends on it throws. */
function withoutCatalog(base: BaseSettings, error: Error): Settings {
	const get = (): never => {
		throw error;
	};
	const { catalog: _, providers: __, attestations: ___, ...rest } = base as Settings;
	const members = Object.fromEntries(MEMBERS.map((name) => [name, { get }]));
	return Object.defineProperties({ ...rest }, members) as Settings;
}

const beforeCatalog = new WeakMap<object, Settings>();

/** The settings of a request until its catalog is loaded. */
export function settingsBeforeCatalog(env: Env): Settings {
	const known = beforeCatalog.get(env);
	if (known) return known;
	const settings = withoutCatalog(cachedSettings(env), new Error("the catalog is not loaded yet"));
	beforeCatalog.set(env, settings);
	return settings;
}

/** The settings as of at most a minute ago. Without a catalog, what needs it throws; the ledger, keys and audit go on. */
export async function loadSettings(env: Env): Promise<Settings> {
	try {
		return await requireSettings(env);
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return withoutCatalog(cachedSettings(env), error);
	}
}

/** What the health endpoint says of the catalog. */
interface CatalogHealth {
	state: DocumentState | "unknown";
	/** Those in force; with the catalog that ships where there is no other. */
	settings: Settings;
}

/** The catalog as of at most a minute ago. @param inTime rejects where that takes too long. */
export async function operatorCatalogHealth(
	env: Env,
	inTime: <T>(work: Promise<T>) => Promise<T>,
): Promise<CatalogHealth> {
	try {
		const { state, value } = await inTime(documents.load(env.KV, readerFor(env)));
		return { state, settings: value ?? shippedSettings(env) };
	} catch {
		return { state: "unknown", settings: shippedSettings(env) };
	}
}

interface StoredCatalog {
	source: "kv" | "variable" | "none";
	/** As it was written; null without one, and where it is no JSON object. */
	document: JsonObject | null;
	/** Why it cannot be read. */
	faults: string[];
	/** Those of the document; of one that cannot be read, the ones in force. */
	settings: Settings;
}

/**
 * The operator's catalog as it is stored.
 * @throws StorageUnavailableError when KV does not answer.
 */
export async function readStoredCatalog(env: Env): Promise<StoredCatalog> {
	const stored = await env.KV.get(CATALOG_KEY).catch((error: unknown) => {
		throw new StorageUnavailableError(`KV did not answer: ${error}`);
	});
	const text = stored ?? cachedSettings(env).catalogText;
	if (text === null) return { source: "none", document: null, faults: [], settings: shippedSettings(env) };
	const read = await readCatalogText(text, env);
	const document = parseJson(text);
	return {
		source: stored === null ? "variable" : "kv",
		document: isJsonObject(document) ? document : null,
		faults: read.ok ? [] : [...read.faults],
		settings: read.ok ? read.value : await requireSettings(env).catch(() => shippedSettings(env)),
	};
}

/**
 * Stores a document that `extendSettings` has read without a fault; in force in this isolate at once, in others within two
 * minutes.
 * @throws StorageUnavailableError when KV refuses it.
 */
export async function storeCatalog(env: Env, text: string): Promise<void> {
	await env.KV.put(CATALOG_KEY, text).catch((error: unknown) => {
		throw new StorageUnavailableError(`KV refused the catalog: ${error}`);
	});
	await documents.replace(env.KV, text, readerFor(env));
}
