// Every setting of the service, described and checked in one place; the only reader of variables and secrets.
import { hexToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import type { Catalog } from "./catalog/catalog.ts";
import type { Provider } from "./catalog/schema.ts";
import { CATALOG } from "./catalog/shipped.ts";
import { createSigner, describePublicKey, fromBase64, type PublicKeyEntry, type Signer } from "./proof/signing.ts";

/** A whole number of bytes or milliseconds, given as text. */
const whole = (fallback: number) => z.coerce.number().int().positive().default(fallback);

/**
 * Labels of letters, digits and inner hyphens, 253 characters at most (RFC 1123, section 2.1). No such name breaks the rules
 * for key names of c2sp.org/signed-note: not empty, no white space, no +.
 */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

const variables = z.object({
	/** HMAC key for API keys. */
	KEY_PEPPER: z.string({ error: "is required (any long random text)" }).min(16, "must have at least 16 characters"),
	/** Ed25519 seed; without it nothing is signed, and everything says so. */
	SIGNING_KEY: z
		.string()
		.regex(/^[0-9a-fA-F]{64}$/, "must be 64 hex digits (a 32-byte Ed25519 seed)")
		.optional(),
	/** Public keys that still verify and never sign. */
	RETIRED_PUBLIC_KEYS: z.string().default(""),
	/** Bearer of the operator endpoints; without it they do not exist. */
	ADMIN_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
	/** Host name that checkpoints and their keys begin with: a log is the same log under whatever name it is called. */
	LOG_ORIGIN: z
		.string()
		.regex(HOST_NAME, "must be a host name such as svc.example.com, without scheme, port or path")
		.default("svc.local"),
	/** Routing config of requests without their own, as text; KV's `brain:default` goes before it. */
	BRAIN_MD: z.string().optional(),
	/** What stands before `/b/{share_id}` in a share's short address; the service's own origin by default. */
	SHORT_URL_BASE: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
	/** `hash`: what looks like a secret in the payload of an audit event is kept as a keyed hash; `keep`: as it was sent. */
	AUDIT_SECRETS: z.enum(["keep", "hash"], { error: "must be keep or hash" }).default("keep"),
	MAX_BODY_BYTES: whole(2_097_152),
	MAX_CHAT_BODY_BYTES: whole(16_777_216),
	/** Time to the response head of an upstream call. */
	UPSTREAM_TIMEOUT_MS: whole(30_000),
	/** Silence between two pieces of an upstream answer. */
	UPSTREAM_IDLE_TIMEOUT_MS: whole(20_000),
	/** Time for all upstream calls of a request together. */
	UPSTREAM_TOTAL_TIMEOUT_MS: whole(600_000),
});

/** A provider that has a key and can be called. */
export interface ProviderAccess {
	provider: Provider;
	apiKey: string;
	/** What stands before `/chat/completions`, without a trailing slash. */
	baseUrl: string;
	/** Host (and port) that calls really go to. */
	host: string;
}

/** How far what is public of a provider's product holds for what is really called (docs/reference.md, "Compliance"). */
export interface ProviderStanding {
	/** Its base address is another than the product's, and nobody vouches that the product stands behind it. */
	isReplaced: boolean;
	/** The operator attests an agreement of zero retention. */
	zeroRetention: boolean;
}

export interface Settings {
	/** The models to route over. */
	catalog: Catalog;
	keyPepper: string;
	signer: Signer | null;
	/** The current key first, then retired ones. */
	publicKeys: PublicKeyEntry[];
	adminToken: string | null;
	logOrigin: string;
	/** Text of the default routing config. */
	brainMd: string | null;
	/** Without a trailing slash; null is the origin of the request. */
	shortUrlBase: string | null;
	maxBodyBytes: number;
	maxChatBodyBytes: number;
	upstreamTimeoutMs: number;
	upstreamIdleTimeoutMs: number;
	upstreamTotalTimeoutMs: number;
	/** By provider id; a provider without a key is not in it. */
	providers: ReadonlyMap<string, ProviderAccess>;
	/** By provider id; of every provider of the catalog. */
	standings: ReadonlyMap<string, ProviderStanding>;
	/** Whether values of class SECRETS in audit payloads are kept as a keyed hash. */
	hashesAuditSecrets: boolean;
}

/** A setting is missing or wrong; the message names the variable and never its value. */
export class SettingsError extends Error {
	override name = "SettingsError";
}

type Variables = Record<string, unknown>;

/** What `<PREFIX>_FACTS` and `<PREFIX>_ZERO_RETENTION` may say. */
const VOUCHED = "provider";
const ATTESTED = "1";

/** Variables that say how a provider is called. */
function providerVariables({ env_prefix, key_env_alternatives }: Provider) {
	return {
		keys: [`${env_prefix}_API_KEY`, ...key_env_alternatives],
		baseUrl: `${env_prefix}_BASE_URL`,
		/** `provider`: a replaced address is the provider's product all the same. */
		facts: `${env_prefix}_FACTS`,
		/** `1`: an agreement of zero retention is in force. */
		zeroRetention: `${env_prefix}_ZERO_RETENTION`,
	};
}

/** Every variable and secret that the service reads. */
export const SETTING_NAMES: readonly string[] = [
	...Object.keys(variables.shape),
	...CATALOG.providers.flatMap((provider) => {
		const { keys, baseUrl, facts, zeroRetention } = providerVariables(provider);
		return [...keys, baseUrl, facts, zeroRetention];
	}),
];

/** A variable's text; an empty one counts as absent. */
function text(env: Variables, name: string): string | undefined {
	const value = env[name];
	return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function providerAccess(env: Variables, provider: Provider): ProviderAccess | null {
	const { keys, baseUrl: variable } = providerVariables(provider);
	const apiKey = keys.map((name) => text(env, name)).find((value) => value !== undefined);
	if (apiKey === undefined) return null;
	const configured = text(env, variable) ?? provider.base_url;
	return { provider, apiKey, baseUrl: withoutSlash(configured), host: new URL(configured).host };
}

const isWebAddress = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** What is wrong with a provider's variables. Two may be left out or say one word: another would be a promise misread. */
function providerFaults(env: Variables, provider: Provider): string[] {
	const { baseUrl, facts, zeroRetention } = providerVariables(provider);
	const isOr = (name: string, word: string) => [undefined, word].includes(text(env, name));
	return [
		...(isWebAddress(text(env, baseUrl) ?? provider.base_url) ? [] : [`${baseUrl} must be an http or https address`]),
		...(isOr(facts, VOUCHED) ? [] : [`${facts} must be ${VOUCHED}, or absent`]),
		...(isOr(zeroRetention, ATTESTED) ? [] : [`${zeroRetention} must be ${ATTESTED}, or absent`]),
	];
}

function withoutSlash(address: string): string {
	return address.replace(/\/+$/, "");
}

function standingOf(env: Variables, provider: Provider): ProviderStanding {
	const { baseUrl, facts, zeroRetention } = providerVariables(provider);
	const address = withoutSlash(text(env, baseUrl) ?? provider.base_url);
	return {
		isReplaced: address !== withoutSlash(provider.base_url) && text(env, facts) !== VOUCHED,
		zeroRetention: text(env, zeroRetention) === ATTESTED,
	};
}

function retiredKeys(list: string): PublicKeyEntry[] {
	return list
		.split(",")
		.map((entry) => entry.trim())
		.filter((entry) => entry !== "")
		.map((entry) => {
			const bytes = fromBase64(entry);
			if (bytes?.length !== 32) {
				throw new SettingsError("RETIRED_PUBLIC_KEYS must be comma-separated base64 of 32-byte Ed25519 public keys");
			}
			return describePublicKey(bytes, "retired");
		});
}

/**
 * Parses variables and secrets.
 * @throws SettingsError with every faulty variable named.
 */
export function parseSettings(env: Variables, catalog: Catalog = CATALOG): Settings {
	const given = Object.fromEntries(Object.keys(variables.shape).map((name) => [name, text(env, name)]));
	const parsed = variables.safeParse(given);
	const faults = [
		...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join(".")} ${issue.message}`),
		...catalog.providers.flatMap((provider) => providerFaults(env, provider)),
	];
	if (!parsed.success || faults.length > 0) throw new SettingsError(faults.join("; "));
	const values = parsed.data;
	const signer = values.SIGNING_KEY ? createSigner(hexToBytes(values.SIGNING_KEY)) : null;
	const access = catalog.providers.map((provider) => providerAccess(env, provider)).filter((entry) => entry !== null);
	return {
		catalog,
		keyPepper: values.KEY_PEPPER,
		signer,
		publicKeys: [
			...(signer ? [describePublicKey(signer.publicKey, "current")] : []),
			...retiredKeys(values.RETIRED_PUBLIC_KEYS),
		],
		adminToken: values.ADMIN_TOKEN ?? null,
		logOrigin: values.LOG_ORIGIN,
		brainMd: values.BRAIN_MD ?? null,
		shortUrlBase: values.SHORT_URL_BASE === undefined ? null : withoutSlash(values.SHORT_URL_BASE),
		maxBodyBytes: values.MAX_BODY_BYTES,
		maxChatBodyBytes: values.MAX_CHAT_BODY_BYTES,
		upstreamTimeoutMs: values.UPSTREAM_TIMEOUT_MS,
		upstreamIdleTimeoutMs: values.UPSTREAM_IDLE_TIMEOUT_MS,
		upstreamTotalTimeoutMs: values.UPSTREAM_TOTAL_TIMEOUT_MS,
		providers: new Map(access.map((entry) => [entry.provider.id, entry])),
		standings: new Map(catalog.providers.map((provider) => [provider.id, standingOf(env, provider)])),
		hashesAuditSecrets: values.AUDIT_SECRETS === "hash",
	};
}

const parsedByEnv = new WeakMap<object, Settings>();

/** The settings of an environment, parsed once; the Worker and its objects each have one. */
export function cachedSettings(env: object): Settings {
	const known = parsedByEnv.get(env);
	if (known) return known;
	const settings = parseSettings(env as Variables);
	parsedByEnv.set(env, settings);
	return settings;
}
