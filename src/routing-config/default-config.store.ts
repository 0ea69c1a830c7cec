// The server's own routing config: KV's `brain:default`, else BRAIN_MD, else none. Each isolate caches it for a short time.
import type { ServiceContext } from "../account/context.ts";
import { StorageUnavailableError } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { readConfigText } from "./read.ts";

const DEFAULT_CONFIG_KEY = "brain:default";
/** A change reaches every isolate within this time and that of KV's own cache. */
const DEFAULT_CONFIG_CACHE_MS = 60_000;
/** After KV has failed, the cached config is used for this long before the next try. */
const RETRY_MS = 5_000;

type DefaultConfigState = "none" | "valid" | "invalid";

interface DefaultConfig {
	state: DefaultConfigState;
	/** Null unless valid. An invalid config is not applied. */
	config: CompiledConfig | null;
}

interface CachedConfig extends DefaultConfig {
	text: string | null;
	untilMs: number;
}

export type DefaultConfigContext = Pick<ServiceContext, "env" | "settings">;

/** By KV binding, of which an isolate has one. */
const cacheByBinding = new WeakMap<KVNamespace, CachedConfig>();
/** The last invalid text that was logged. */
let lastLoggedText: string | null = null;

async function parseDefaultConfig(text: string | null, { settings }: DefaultConfigContext): Promise<DefaultConfig> {
	if (text === null) return { state: "none", config: null };
	const { errors, config, matches } = await readConfigText(text, settings.catalog);
	if (errors.length === 0) return { state: "valid", config: { config, matches } };
	if (lastLoggedText !== text)
		logError("invalid_default_config", new Error(`${errors.length} errors`), { errors: errors.slice(0, 5) });
	lastLoggedText = text;
	return { state: "invalid", config: null };
}

/**
 * The server's config as of at most a minute ago.
 * @throws StorageUnavailableError when KV does not answer and nothing is cached: the config may block models.
 */
async function loadDefaultConfig(context: DefaultConfigContext): Promise<DefaultConfig> {
	const { env, settings } = context;
	const nowMs = Date.now();
	const cached = cacheByBinding.get(env.KV);
	if (cached && nowMs < cached.untilMs) return cached;
	let stored: string | null;
	try {
		stored = await env.KV.get(DEFAULT_CONFIG_KEY, { cacheTtl: 60 });
	} catch (error) {
		logError("default_config_unread", error);
		if (!cached) throw new StorageUnavailableError("KV did not answer");
		cacheByBinding.set(env.KV, { ...cached, untilMs: nowMs + RETRY_MS });
		return cached;
	}
	const text = stored ?? settings.brainMd;
	const known = cached?.text === text ? cached : await parseDefaultConfig(text, context);
	const fresh = { state: known.state, config: known.config, text, untilMs: nowMs + DEFAULT_CONFIG_CACHE_MS };
	cacheByBinding.set(env.KV, fresh);
	return fresh;
}

/** The config under those of requests; null when there is none that is valid. */
export async function findDefaultConfig(context: DefaultConfigContext): Promise<CompiledConfig | null> {
	return (await loadDefaultConfig(context)).config;
}

/** The config's state for the health endpoint. */
export async function defaultConfigState(context: DefaultConfigContext): Promise<DefaultConfigState | "unknown"> {
	try {
		return (await loadDefaultConfig(context)).state;
	} catch {
		return "unknown";
	}
}
