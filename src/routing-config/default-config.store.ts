// The server's own routing config: KV's `brain:default`, else BRAIN_MD, else none. Each isolate caches it for a short time. One that
// cannot be read never lifts what the one before restricts: the last that could be read is kept in KV, and stays in force.
import type { ServiceContext } from "../account/context.ts";
import { fail, ok, type Result, StorageUnavailableError } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { readConfigText } from "./read.ts";

const DEFAULT_CONFIG_KEY = "brain:default";
/** The text of the last config that could be read. */
const LAST_CONFIG_KEY = "brain:default:last";
/** A change reaches every isolate within this time and that of KV's own cache. */
const DEFAULT_CONFIG_CACHE_MS = 60_000;
/** After KV has failed, the cached config is used for this long before the next try. */
const RETRY_MS = 5_000;

type DefaultConfigState = "none" | "valid" | "invalid";

interface DefaultConfig {
	/** `invalid` when the config cannot be read. */
	state: DefaultConfigState;
	/** The one in force: of an invalid one, the last that could be read. Null when there is none. */
	config: CompiledConfig | null;
	text: string | null;
}

interface CachedConfig extends DefaultConfig {
	untilMs: number;
}

export type DefaultConfigContext = Pick<ServiceContext, "env" | "settings">;

/** By KV binding, of which an isolate has one. */
const cacheByBinding = new WeakMap<KVNamespace, CachedConfig>();
/** The last invalid text that was logged. */
let lastLoggedText: string | null = null;

/** The texts in KV. */
interface StoredTexts {
	current: string | null;
	/** Of the last config that could be read. */
	last: string | null;
}

async function readTexts({ KV }: Env): Promise<StoredTexts> {
	const [current, last] = await Promise.all([
		KV.get(DEFAULT_CONFIG_KEY, { cacheTtl: 60 }),
		KV.get(LAST_CONFIG_KEY, { cacheTtl: 60 }),
	]);
	return { current, last };
}

/** Keeps a text that could be read. Isolates may do so at once, or fail: each config that is read anew is a new try. */
async function keepLast(text: string, { KV }: Env): Promise<void> {
	try {
		await KV.put(LAST_CONFIG_KEY, text);
	} catch (error) {
		logError("default_config_not_kept", error);
	}
}

/** The config of a text; null when it cannot be read. */
async function parseText(text: string, { settings }: DefaultConfigContext): Promise<CompiledConfig | null> {
	const { errors, config, matches } = await readConfigText(text, settings.catalog, { isOperators: true });
	if (errors.length === 0) return { config, matches };
	if (lastLoggedText !== text)
		logError("invalid_default_config", new Error(`${errors.length} errors`), { errors: errors.slice(0, 5) });
	lastLoggedText = text;
	return null;
}

async function resolveConfig(
	{ current, last }: StoredTexts,
	cached: DefaultConfig | undefined,
	context: DefaultConfigContext,
): Promise<DefaultConfig> {
	const text = current ?? context.settings.brainMd;
	if (text === null) return { state: "none", config: null, text };
	if (cached?.text === text && cached.config) return cached;
	const config = await parseText(text, context);
	if (config) {
		if (last !== text) await keepLast(text, context.env);
		return { state: "valid", config, text };
	}
	const before = last === null || last === text ? null : await parseText(last, context);
	return { state: "invalid", config: before ?? cached?.config ?? null, text };
}

/**
 * The server's config as of at most a minute ago.
 * @throws StorageUnavailableError when KV does not answer and nothing is cached: the config may block models.
 */
async function loadDefaultConfig(context: DefaultConfigContext): Promise<DefaultConfig> {
	const { env } = context;
	const nowMs = Date.now();
	const cached = cacheByBinding.get(env.KV);
	const restMs = cached ? cached.untilMs - nowMs : 0;
	// What is to hold for longer was read under a clock that was ahead.
	if (cached && restMs > 0 && restMs <= DEFAULT_CONFIG_CACHE_MS) return cached;
	let stored: StoredTexts;
	try {
		stored = await readTexts(env);
	} catch (error) {
		logError("default_config_unread", error);
		if (!cached) throw new StorageUnavailableError("KV did not answer");
		cacheByBinding.set(env.KV, { ...cached, untilMs: nowMs + RETRY_MS });
		return cached;
	}
	const fresh = await resolveConfig(stored, cached, context);
	cacheByBinding.set(env.KV, { ...fresh, untilMs: nowMs + DEFAULT_CONFIG_CACHE_MS });
	return fresh;
}

/** The config above those of keys and requests; null when there is none. A failure when no text of it could ever be read. */
export async function findDefaultConfig(context: DefaultConfigContext): Promise<Result<CompiledConfig | null>> {
	const { state, config } = await loadDefaultConfig(context);
	return state === "invalid" && !config ? fail({ reason: "misconfigured" }) : ok(config);
}

/** The config's state for the health endpoint. */
export async function defaultConfigState(context: DefaultConfigContext): Promise<DefaultConfigState | "unknown"> {
	try {
		return (await loadDefaultConfig(context)).state;
	} catch {
		return "unknown";
	}
}
