// The server's own routing config: KV's `brain:default`, else BRAIN_MD, else none. Held in the isolate for a short time.
import type { ServiceContext } from "../account/context.ts";
import { StorageUnavailableError } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { readConfigText } from "./read.ts";

const DEFAULT_CONFIG_KEY = "brain:default";
/** A change reaches every isolate within this, and what KV's own cache adds. */
const CACHE_MS = 60_000;
/** After KV has failed, what was held is good for so long again. */
const RETRY_MS = 5_000;

type DefaultConfigState = "none" | "valid" | "invalid";

interface DefaultConfig {
	state: DefaultConfigState;
	/** Null unless valid: an invalid one is not applied. */
	config: CompiledConfig | null;
}

interface CachedConfig extends DefaultConfig {
	text: string | null;
	untilMs: number;
}

export type DefaultConfigContext = Pick<ServiceContext, "env" | "settings">;

/** By binding, which an isolate has one of. */
const cache = new WeakMap<KVNamespace, CachedConfig>();
/** The last text that the log was told of. */
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
 * @throws StorageUnavailableError when KV does not answer and nothing is held: what the operator blocks may be in it.
 */
async function loadDefaultConfig(context: DefaultConfigContext): Promise<DefaultConfig> {
	const { env, settings } = context;
	const nowMs = Date.now();
	const held = cache.get(env.KV);
	if (held && nowMs < held.untilMs) return held;
	let stored: string | null;
	try {
		stored = await env.KV.get(DEFAULT_CONFIG_KEY, { cacheTtl: 60 });
	} catch (error) {
		logError("default_config_unread", error);
		if (!held) throw new StorageUnavailableError("KV did not answer");
		cache.set(env.KV, { ...held, untilMs: nowMs + RETRY_MS });
		return held;
	}
	const text = stored ?? settings.brainMd;
	const known = held?.text === text ? held : await parseDefaultConfig(text, context);
	const fresh = { state: known.state, config: known.config, text, untilMs: nowMs + CACHE_MS };
	cache.set(env.KV, fresh);
	return fresh;
}

/** The config that holds for requests where they say nothing else; null when there is none that is valid. */
export async function findDefaultConfig(context: DefaultConfigContext): Promise<CompiledConfig | null> {
	return (await loadDefaultConfig(context)).config;
}

/** What health says of it. */
export async function defaultConfigState(context: DefaultConfigContext): Promise<DefaultConfigState | "unknown"> {
	try {
		return (await loadDefaultConfig(context)).state;
	} catch {
		return "unknown";
	}
}
