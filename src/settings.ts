// All settings of the service, described and validated. Nothing else reads variables or secrets. Those of an operator's catalog are read
// with it: load-settings.edge.ts.
import { hexToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import type { Catalog } from "./catalog/catalog.ts";
import {
	credentialForm,
	keyVariableNames,
	PROJECT,
	parseSharedCredentials,
	plainKeyNames,
	tokenAddress,
} from "./catalog/credentials.ts";
import { type ProviderKeys, parseCredentialKeys, parseProviderKeys, soleKey } from "./catalog/provider-keys.ts";
import type { Provider } from "./catalog/schema.ts";
import { CATALOG } from "./catalog/shipped.ts";
import type { CredentialForm } from "./catalog/vocabulary.ts";
import { MisconfiguredError } from "./failure.ts";
import type { Deployment } from "./http/deployment.ts";
import { isJsonObject } from "./json.ts";
import { type AddressRules, findAddressFault, stripTrailingSlash } from "./operator-catalog/address.ts";
import { createSigner, fromBase64, type PublicKeyEntry, type Signer, toPublicKeyEntry } from "./proof/signing.ts";
import { isIpAddress } from "./webhooks/webhook.ts";

/** A positive integer (bytes or milliseconds), written as text. */
const positiveInteger = (fallback: number) => z.coerce.number().int().positive().default(fallback);

/**
 * Labels of letters, digits and inner hyphens, at most 253 characters (RFC 1123, section 2.1). Every such name is also a valid
 * key name of c2sp.org/signed-note: not empty, no white space, no +.
 */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** A host name, an IPv4 address, or an IPv6 address in brackets. */
function isHostName(host: string): boolean {
	return HOST_NAME.test(host) || (/^\[[0-9a-f:.]+\]$/.test(host) && URL.canParse(`http://${host}`));
}

/** Host names separated by commas, in lower case. */
const hostList = z
	.string()
	.default("")
	.transform((list) => list.split(",").map((host) => host.trim().toLowerCase()))
	.transform((hosts) => hosts.filter((host) => host !== ""));

/** A header's name (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Headers that the sender of a body sets, or the connection. */
const OWN_HEADERS = new Set([
	"content-type",
	"content-length",
	"content-encoding",
	"host",
	"connection",
	"transfer-encoding",
]);

/** A text without its percent escapes; null where one of them is none. */
function decodePercent(text: string): string | null {
	try {
		return decodeURIComponent(text);
	} catch {
		return null;
	}
}

/**
 * `name=value` separated by commas, values percent-encoded, as OpenTelemetry writes `OTEL_EXPORTER_OTLP_HEADERS` (Protocol Exporter,
 * "Specifying headers via environment variables"); null where a part is none.
 */
function parseHeaderList(list: string): [name: string, value: string][] | null {
	const headers: [string, string][] = [];
	for (const part of list.split(",").filter((some) => some.trim() !== "")) {
		const end = part.indexOf("=");
		const name = part.slice(0, Math.max(0, end)).trim().toLowerCase();
		const value = decodePercent(part.slice(end + 1).trim());
		const isGood = HEADER_NAME.test(name) && !OWN_HEADERS.has(name) && value !== null && /^[\t\x20-\x7e]*$/.test(value);
		if (!isGood) return null;
		headers.push([name, value]);
	}
	return headers;
}

const headerList = z
	.string()
	.default("")
	.transform((list, check) => {
		const headers = parseHeaderList(list);
		if (headers) return headers;
		const message = "must be name=value separated by commas, values percent-encoded, none of them a header of the body";
		check.addIssue({ code: "custom", message });
		return z.NEVER;
	});

/** What metrics may tell apart besides model, provider and outcome, if the operator lists it. */
const METRIC_LABELS = ["user", "key"] as const;
export type MetricLabel = (typeof METRIC_LABELS)[number];

function isMetricLabel(label: string): label is MetricLabel {
	return (METRIC_LABELS as readonly string[]).includes(label);
}

const labelList = z
	.string()
	.default("")
	.transform((list, check) => {
		const labels = [...new Set(list.split(",").map((label) => label.trim().toLowerCase()))].filter(Boolean);
		const known = labels.filter(isMetricLabel);
		if (known.length === labels.length) return known;
		check.addIssue({ code: "custom", message: `must be of ${METRIC_LABELS.join(", ")}, separated by commas` });
		return z.NEVER;
	});

/** `on` or `off`, which is the default. */
const onOrOff = z.enum(["on", "off"], { error: "must be on or off" }).default("off");

/** A host as it stands in an address, with its port where that is not the scheme's. */
function isUpstreamHost(host: string): boolean {
	const address = `http://${host}`;
	return URL.canParse(address) && [host, host.replace(/:80$/, "")].includes(new URL(address).host);
}

/** Whether texts may be sent to an address: encrypted, or on the same machine. */
function isSafeAddress(address: string): boolean {
	if (!URL.canParse(address)) return false;
	const { protocol, hostname, username, search, hash } = new URL(address);
	if (username !== "" || search !== "" || hash !== "") return false;
	const isLoopback = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
	return protocol === "https:" || (protocol === "http:" && isLoopback);
}

const settingsSchema = z.object({
	/** HMAC key under which API keys are stored. */
	KEY_PEPPER: z.string({ error: "is required (any long random text)" }).min(16, "must have at least 16 characters"),
	/** Ed25519 seed, hex. Without it nothing is signed, and answers say so. */
	SIGNING_KEY: z
		.string()
		.regex(/^[0-9a-fA-F]{64}$/, "must be 64 hex digits (a 32-byte Ed25519 seed)")
		.optional(),
	/** Public keys of former signing keys, which still verify. */
	RETIRED_PUBLIC_KEYS: z.string().default(""),
	/** Bearer token of the operator endpoints. Without it they do not exist. */
	ADMIN_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
	/** Host name in the origin line of checkpoints. A setting, so that it does not depend on the request's Host. */
	LOG_ORIGIN: z
		.string()
		.regex(HOST_NAME, "must be a host name such as svc.example.com, without scheme, port or path")
		.default("svc.local"),
	/** Default routing config, as text. The KV entry `brain:default` takes precedence. */
	BRAIN_MD: z.string().optional(),
	/** Base of a share's short URL (`<base>/b/{share_id}`); the service's own origin by default. */
	SHORT_URL_BASE: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
	/** `hash` replaces detected secrets in audit payloads by keyed hashes; `keep` stores payloads unchanged. */
	AUDIT_SECRETS: z.enum(["keep", "hash"], { error: "must be keep or hash" }).default("keep"),
	/** Where the service runs. wrangler.toml says `cloudflare`; local starts say `local`. */
	PLATFORM: z.enum(["cloudflare", "local"], { error: "must be cloudflare or local" }).default("local"),
	/** Off Cloudflare: `1` believes `x-forwarded-proto` and `x-forwarded-for` of the proxy in front. */
	TRUST_PROXY: z.literal("1", { error: "must be 1, or absent" }).optional(),
	/** Off Cloudflare: host names that the service answers besides loopback, separated by commas, without ports. */
	ALLOWED_HOSTS: hostList.refine(
		(hosts) => hosts.every(isHostName),
		"must be host names or IP addresses without ports, separated by commas",
	),
	/** Host names that webhooks may be sent to, separated by commas. Without it there are no webhooks. */
	WEBHOOK_HOSTS: hostList.refine(
		(hosts) => hosts.every((host) => HOST_NAME.test(host) && !isIpAddress(host)),
		"must be host names without schemes and ports, no IP addresses, separated by commas",
	),
	/** Hosts of providers that may be private or without TLS, separated by commas, with ports that are not the scheme's. */
	UPSTREAM_HOSTS: hostList.refine(
		(hosts) => hosts.every(isUpstreamHost),
		"must be hosts such as 10.0.0.5:8000, separated by commas, without schemes and paths",
	),
	/** The operator's catalog as JSON, at most 5 KB on Cloudflare. The KV entry `catalog:operator` takes precedence. */
	CATALOG: z.string().optional(),
	/**
	 * A Presidio-compatible analyzer, asked under policies that say `detect: "inferred"`. It is sent texts, so that http is for
	 * the same machine only.
	 */
	DETECTOR_URL: z
		.string()
		.refine(isSafeAddress, "must be an https address, or an http address of this machine")
		.optional(),
	/** Where traces and metrics are sent as OTLP/JSON: `/v1/traces` and `/v1/metrics` are appended. Without it none are. */
	OTLP_ENDPOINT: z.string().optional(),
	/** Headers of what is sent there. */
	OTLP_HEADERS: headerList,
	/** `on`: traces hold what was asked and answered, after masking. */
	OTLP_CONTENT: onOrOff,
	/** `on`: metrics hold the histogram of tokens that the GenAI conventions had before their counters, too. */
	OTLP_LEGACY_METRICS: onOrOff,
	/** Bearer token of `GET /metrics`. Without it that does not exist. */
	METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
	/** What metrics tell apart besides model, provider and outcome, separated by commas. Each makes them grow. */
	METRICS_LABELS: labelList,
	/** `off`: responses are not stored, and texts of a run's steps are deleted when the run ends. */
	STORE_RESPONSES: z.literal("off", { error: "must be off, or absent" }).optional(),
	/** How many days texts of requests are kept, of keys that want them kept; 0: none are. */
	LOG_TEXTS: z.coerce.number().int().min(0).max(365).default(0),
	/** `refuse`: a model id that means nothing is 404; by default the cheapest budget model runs, with a warning. */
	UNKNOWN_MODEL: z.literal("refuse", { error: "must be refuse, or absent" }).optional(),
	/** The embedding model of requests that name none, or `auto`. Without it they are refused. */
	DEFAULT_EMBEDDING_MODEL: z.string().min(1).max(128).optional(),
	/** The most bytes that a user of the Corporate plan may store. Without it, nothing limits them. */
	CORPORATE_STORED_BYTES: z.coerce.number().int().positive().optional(),
	/** How many days requests and their receipts are kept; 0 for good. */
	KEEP_REQUESTS_DAYS: z.coerce.number().int().min(0).default(400),
	MAX_BODY_BYTES: positiveInteger(2_097_152),
	MAX_CHAT_BODY_BYTES: positiveInteger(16_777_216),
	/** Time to the response head of an upstream call, ms. */
	UPSTREAM_TIMEOUT_MS: positiveInteger(30_000),
	/** Longest silence within an upstream answer, ms. */
	UPSTREAM_IDLE_TIMEOUT_MS: positiveInteger(20_000),
	/** Time for all upstream calls of one request together, ms. */
	UPSTREAM_TOTAL_TIMEOUT_MS: positiveInteger(600_000),
	/** The patience with a call that hangs and that its workflow can go on without: so much of the time that others took, per cent. */
	CALL_PATIENCE_PERCENT: positiveInteger(200),
	/** The waits before the second try of an agent's step, the third and so on, ms, separated by commas. */
	STEP_RETRY_WAITS_MS: z
		.string()
		.default("250,1000,4000")
		.transform((list) => list.split(",").map((wait) => Number(wait.trim() || Number.NaN)))
		.refine((waits) => waits.every((wait) => Number.isSafeInteger(wait) && wait > 0), {
			error: "must be whole numbers of milliseconds above 0, separated by commas",
		}),
});

/** How to call a provider that has a key, or takes none. */
export interface ProviderAccess {
	provider: Provider;
	keys: ProviderKeys;
	/** The part before `/chat/completions`, without a trailing slash. */
	baseUrl: string;
	/** Host and port that calls are sent to. */
	host: string;
}

/** What the operator attests about a provider (docs/reference/compliance.md, "Compliance"). */
export interface ProviderAttestation {
	/** The base URL differs from the product's, and the operator does not attest that it serves the same product. */
	isReplaced: boolean;
	/** The address is that of an operator's row, not of the product that ships, and the operator does not attest that it serves it. */
	isMoved: boolean;
	/** The operator attests a zero-retention agreement. */
	zeroRetention: boolean;
	/** The operator attests a business associate agreement, without which HIPAA does not count. */
	businessAssociate: boolean;
	/** The name of the setting that attests it. */
	businessAssociateSetting: string;
}

/** Where traces and metrics are sent. */
export interface OtlpTarget {
	tracesUrl: string;
	metricsUrl: string;
	headers: readonly (readonly [name: string, value: string])[];
}

/** What the service tells of its requests, and to whom. */
export interface TelemetrySettings {
	/** Null: nothing is sent. */
	otlp: OtlpTarget | null;
	/** Traces hold what was asked and answered. */
	hasContent: boolean;
	/** Metrics hold the former histogram of tokens. */
	hasLegacyMetrics: boolean;
	/** Null: there is no `GET /metrics`. */
	metricsToken: string | null;
	/** What metrics tell apart besides what they always do. */
	metricLabels: readonly MetricLabel[];
}

/** Whether anybody reads metrics. */
export function hasMetrics({ otlp, metricsToken }: TelemetrySettings): boolean {
	return otlp !== null || metricsToken !== null;
}

/** The settings that no catalog has a part in. */
export interface BaseSettings {
	keyPepper: string;
	signer: Signer | null;
	/** The current key first, then retired ones. */
	publicKeys: PublicKeyEntry[];
	adminToken: string | null;
	logOrigin: string;
	/** Text of the default routing config. */
	brainMd: string | null;
	/** Text of the operator's catalog, where a variable holds it. */
	catalogText: string | null;
	/** Where providers may be. */
	addressRules: AddressRules;
	deployment: Deployment;
	/** Without a trailing slash; null is the origin of the request. */
	shortUrlBase: string | null;
	/** A model id that means nothing is refused. */
	refusesUnknownModels: boolean;
	/** The embedding model of requests that name none; null: they are refused. */
	defaultEmbeddingModel: string | null;
	/** The most bytes that a user of the Corporate plan may store; null for no limit. */
	corporateStoredBytes: number | null;
	/** How many days requests and their receipts are kept; 0 for good. */
	keepRequestsDays: number;
	maxBodyBytes: number;
	maxChatBodyBytes: number;
	upstreamTimeoutMs: number;
	upstreamIdleTimeoutMs: number;
	upstreamTotalTimeoutMs: number;
	callPatiencePercent: number;
	stepRetryWaitsMs: readonly number[];
	/** Secrets in audit payloads are stored as keyed hashes. */
	hashesAuditSecrets: boolean;
	/** Host names that webhooks may be sent to. */
	webhookHosts: ReadonlySet<string>;
	/** The analyzer's address, the part before `/analyze`; null if there is none. */
	detectorUrl: string | null;
	/** Texts that users may read again are stored for a while. */
	storesTexts: boolean;
	/** So long texts of requests are kept, of keys that want them kept; 0 where none are. */
	logTextsDays: number;
	telemetry: TelemetrySettings;
}

/** The models to route over, and the settings of their providers. */
export interface CatalogSettings {
	catalog: Catalog;
	/** Providers that have a key or take none, by id. */
	providers: ReadonlyMap<string, ProviderAccess>;
	/** All providers of the catalog, by id. */
	attestations: ReadonlyMap<string, ProviderAttestation>;
}

export interface Settings extends BaseSettings, CatalogSettings {}

/** A setting is missing or invalid. The message names the variable and never its value. */
export class SettingsError extends MisconfiguredError {
	override name = "SettingsError";
}

type Variables = Record<string, unknown>;

/** The only valid values of `<PREFIX>_FACTS`, and of `<PREFIX>_ZERO_RETENTION` and `<PREFIX>_BAA`. */
const VOUCHED = "provider";
const ATTESTED = "1";

/** Names of the variables of a provider. */
function providerVariableNames(provider: Provider) {
	const { env_prefix } = provider;
	return {
		keys: keyVariableNames(provider),
		baseUrl: `${env_prefix}_BASE_URL`,
		/** `provider`: the replaced base URL serves the provider's own product. */
		facts: `${env_prefix}_FACTS`,
		/** `1`: a zero-retention agreement is in force. */
		zeroRetention: `${env_prefix}_ZERO_RETENTION`,
		/** `1`: a business associate agreement is in force. */
		businessAssociate: `${env_prefix}_BAA`,
	};
}

/** Names of all variables and secrets that the service reads with a catalog. */
export function settingNames({ providers }: Pick<Catalog, "providers">): string[] {
	const ofProviders = providers.flatMap((provider) => {
		const { keys, ...names } = providerVariableNames(provider);
		return [...keys, ...Object.values(names)];
	});
	return [...Object.keys(settingsSchema.shape), ...new Set(ofProviders)];
}

/** Names of the variables and secrets that the service reads with the catalog that ships. */
export const SETTING_NAMES: readonly string[] = settingNames(CATALOG);

/** The trimmed value of a variable, as JSON where wrangler.toml holds a table; undefined when absent or blank. */
function readVariable(env: Variables, name: string): string | undefined {
	const value = env[name];
	const text = isJsonObject(value) || Array.isArray(value) ? JSON.stringify(value) : value;
	return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}

/** The address that a provider is called at. */
function readBaseUrl(env: Variables, provider: Provider): string {
	return readVariable(env, providerVariableNames(provider).baseUrl) ?? provider.base_url;
}

interface ReadKeys {
	keys?: ProviderKeys;
	faults: string[];
}

/** A cloud's credentials: the provider's own variable, which may hold a list, else those that all providers of the cloud share. */
function readCredentials(env: Variables, provider: Provider, form: CredentialForm, rules: AddressRules): ReadKeys {
	const [ownName = "", sharedName = "", ...others] = keyVariableNames(provider);
	const own = readVariable(env, ownName);
	const shared = own === undefined ? parseSharedCredentials(form, (name) => readVariable(env, name)) : { faults: [] };
	const written = own ?? shared.written;
	if (written === undefined) return { faults: shared.faults };
	const name = own === undefined ? sharedName : ownName;
	const { keys, faults = [] } = parseCredentialKeys(written, form);
	if (!keys) return { faults: faults.map((fault) => `${name}${fault}`) };
	// The last of Entra's variables is the authority's.
	const addressName = own === undefined ? (others.at(-1) ?? sharedName) : ownName;
	const needsProject = readBaseUrl(env, provider).includes(PROJECT);
	const found = keys.flatMap(({ name: key, credentials }) => {
		const of = (variable: string) => (key === "" ? variable : `${variable} ${key}`);
		const address = credentials && tokenAddress(credentials);
		const fault = address ? findAddressFault(address, rules) : null;
		const lacksProject = needsProject && credentials?.form === "google" && credentials.projectId === null;
		return [
			...(fault === null ? [] : [`${of(addressName)}: the address of its tokens ${fault}`]),
			...(lacksProject ? [`${of(name)} has no project_id, and the row of ${provider.id} names no project`] : []),
		];
	});
	return found.length > 0 ? { faults: found } : { keys, faults: [] };
}

/** A provider's keys, or what is wrong with them; nothing where it has none. A provider that takes no key has one without a text. */
function readProviderKeys(env: Variables, provider: Provider, rules: AddressRules): ReadKeys {
	if (provider.auth === "none") return { keys: [soleKey("")], faults: [] };
	const form = credentialForm(provider);
	const isSet = (variable: string) => readVariable(env, variable) !== undefined;
	const name = (form === null ? keyVariableNames(provider) : plainKeyNames(provider)).find(isSet);
	// A plain key goes before credentials that all providers of a cloud share, as in AWS's own tools.
	const hasOwn = isSet(`${provider.env_prefix}_CREDENTIALS`);
	if (form !== null && (name === undefined || hasOwn)) return readCredentials(env, provider, form, rules);
	if (name === undefined) return { faults: [] };
	const { keys, faults = [] } = parseProviderKeys(readVariable(env, name) ?? "");
	const named = faults.map((fault) => `${name}${fault}`);
	return keys ? { keys, faults: named } : { faults: named };
}

function readProviderAccess(env: Variables, provider: Provider, rules: AddressRules): ProviderAccess | null {
	const { keys } = readProviderKeys(env, provider, rules);
	if (!keys) return null;
	const configured = readBaseUrl(env, provider);
	return { provider, keys, baseUrl: stripTrailingSlash(configured), host: new URL(configured).host };
}

/** Faults of a provider's variables. An attestation with an unknown value is a fault, not ignored. */
function findProviderFaults(env: Variables, provider: Provider, rules: AddressRules): string[] {
	const { baseUrl, facts, zeroRetention, businessAssociate } = providerVariableNames(provider);
	const address = readVariable(env, baseUrl);
	const addressFault = address === undefined ? null : findAddressFault(address, rules);
	const isOr = (name: string, word: string) => [undefined, word].includes(readVariable(env, name));
	return [
		...readProviderKeys(env, provider, rules).faults,
		...(addressFault === null ? [] : [`${baseUrl} ${addressFault}`]),
		...(isOr(facts, VOUCHED) ? [] : [`${facts} must be ${VOUCHED}, or absent`]),
		...[zeroRetention, businessAssociate]
			.filter((name) => !isOr(name, ATTESTED))
			.map((name) => `${name} must be ${ATTESTED}, or absent`),
	];
}

function readStanding(env: Variables, provider: Provider): ProviderAttestation {
	const { facts, zeroRetention, businessAssociate } = providerVariableNames(provider);
	const address = stripTrailingSlash(readBaseUrl(env, provider));
	const isVouched = readVariable(env, facts) === VOUCHED;
	return {
		isReplaced: address !== stripTrailingSlash(provider.base_url) && !isVouched,
		isMoved: provider.product_url !== undefined && !isVouched,
		zeroRetention: readVariable(env, zeroRetention) === ATTESTED,
		businessAssociate: readVariable(env, businessAssociate) === ATTESTED,
		businessAssociateSetting: businessAssociate,
	};
}

function parseRetiredKeys(list: string): PublicKeyEntry[] {
	return list
		.split(",")
		.map((entry) => entry.trim())
		.filter((entry) => entry !== "")
		.map((entry) => {
			const bytes = fromBase64(entry);
			if (bytes?.length !== 32) {
				throw new SettingsError("RETIRED_PUBLIC_KEYS must be comma-separated base64 of 32-byte Ed25519 public keys");
			}
			return toPublicKeyEntry(bytes, "retired");
		});
}

type Values = z.output<typeof settingsSchema>;

/** Where providers may be. A setting that cannot be read allows nothing. */
export function readAddressRules(env: Variables): AddressRules {
	const isLocal = (readVariable(env, "PLATFORM") ?? "local") === "local";
	const hosts = settingsSchema.shape.UPSTREAM_HOSTS.safeParse(readVariable(env, "UPSTREAM_HOSTS"));
	return { isLocal, hosts: new Set(hosts.data) };
}

function toTelemetry(values: Values): TelemetrySettings {
	const base = values.OTLP_ENDPOINT === undefined ? null : stripTrailingSlash(values.OTLP_ENDPOINT);
	return {
		otlp:
			base === null
				? null
				: { tracesUrl: `${base}/v1/traces`, metricsUrl: `${base}/v1/metrics`, headers: values.OTLP_HEADERS },
		hasContent: values.OTLP_CONTENT === "on",
		hasLegacyMetrics: values.OTLP_LEGACY_METRICS === "on",
		metricsToken: values.METRICS_TOKEN ?? null,
		metricLabels: values.METRICS_LABELS,
	};
}

/** Faults of the address that traces and metrics are sent to. */
function findOtlpFaults(env: Variables, rules: AddressRules): string[] {
	const address = readVariable(env, "OTLP_ENDPOINT");
	const fault = address === undefined ? null : findAddressFault(address, rules);
	return fault === null ? [] : [`OTLP_ENDPOINT ${fault}`];
}

function toBaseSettings(values: Values, addressRules: AddressRules): BaseSettings {
	const signer = values.SIGNING_KEY ? createSigner(hexToBytes(values.SIGNING_KEY)) : null;
	return {
		keyPepper: values.KEY_PEPPER,
		signer,
		publicKeys: [
			...(signer ? [toPublicKeyEntry(signer.publicKey, "current")] : []),
			...parseRetiredKeys(values.RETIRED_PUBLIC_KEYS),
		],
		adminToken: values.ADMIN_TOKEN ?? null,
		logOrigin: values.LOG_ORIGIN,
		brainMd: values.BRAIN_MD ?? null,
		catalogText: values.CATALOG ?? null,
		addressRules,
		deployment: {
			platform: values.PLATFORM,
			trustsProxy: values.TRUST_PROXY === "1",
			allowedHosts: new Set(values.ALLOWED_HOSTS),
		},
		shortUrlBase: values.SHORT_URL_BASE === undefined ? null : stripTrailingSlash(values.SHORT_URL_BASE),
		refusesUnknownModels: values.UNKNOWN_MODEL === "refuse",
		defaultEmbeddingModel: values.DEFAULT_EMBEDDING_MODEL ?? null,
		corporateStoredBytes: values.CORPORATE_STORED_BYTES ?? null,
		keepRequestsDays: values.KEEP_REQUESTS_DAYS,
		maxBodyBytes: values.MAX_BODY_BYTES,
		maxChatBodyBytes: values.MAX_CHAT_BODY_BYTES,
		upstreamTimeoutMs: values.UPSTREAM_TIMEOUT_MS,
		upstreamIdleTimeoutMs: values.UPSTREAM_IDLE_TIMEOUT_MS,
		upstreamTotalTimeoutMs: values.UPSTREAM_TOTAL_TIMEOUT_MS,
		callPatiencePercent: values.CALL_PATIENCE_PERCENT,
		stepRetryWaitsMs: values.STEP_RETRY_WAITS_MS,
		hashesAuditSecrets: values.AUDIT_SECRETS === "hash",
		webhookHosts: new Set(values.WEBHOOK_HOSTS),
		detectorUrl: values.DETECTOR_URL === undefined ? null : stripTrailingSlash(values.DETECTOR_URL),
		storesTexts: values.STORE_RESPONSES !== "off",
		logTextsDays: values.STORE_RESPONSES === "off" ? 0 : values.LOG_TEXTS,
		telemetry: toTelemetry(values),
	};
}

/** Faults of the variables of a catalog's providers. */
function findProvidersFaults(env: Variables, { providers }: Catalog, rules: AddressRules): string[] {
	// Providers of one cloud share variables.
	return [...new Set(providers.flatMap((provider) => findProviderFaults(env, provider, rules)))];
}

function toCatalogSettings(env: Variables, catalog: Catalog, rules: AddressRules): CatalogSettings {
	const access = catalog.providers
		.map((provider) => readProviderAccess(env, provider, rules))
		.filter((entry) => entry !== null);
	return {
		catalog,
		providers: new Map(access.map((entry) => [entry.provider.id, entry])),
		attestations: new Map(catalog.providers.map((provider) => [provider.id, readStanding(env, provider)])),
	};
}

/**
 * Parses variables and secrets.
 * @throws SettingsError that names all invalid variables.
 */
export function parseSettings(env: Variables, catalog: Catalog = CATALOG): Settings {
	const given = Object.fromEntries(Object.keys(settingsSchema.shape).map((name) => [name, readVariable(env, name)]));
	const parsed = settingsSchema.safeParse(given);
	const rules = readAddressRules(env);
	const faults = [
		...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join(".")} ${issue.message}`),
		...findOtlpFaults(env, rules),
		...findProvidersFaults(env, catalog, rules),
	];
	if (!parsed.success || faults.length > 0) throw new SettingsError(faults.join("; "));
	return { ...toBaseSettings(parsed.data, rules), ...toCatalogSettings(env, catalog, rules) };
}

/**
 * Settings with another catalog.
 * @throws SettingsError that names the invalid variables of its providers.
 */
export function withCatalog(settings: BaseSettings, env: Variables, catalog: Catalog): Settings {
	const faults = findProvidersFaults(env, catalog, settings.addressRules);
	if (faults.length > 0) throw new SettingsError(faults.join("; "));
	return { ...settings, ...toCatalogSettings(env, catalog, settings.addressRules) };
}

const settingsByEnv = new WeakMap<object, Settings>();

/** The settings of an environment with the catalog that ships, parsed once per `env` object. */
export function shippedSettings(env: object): Settings {
	const known = settingsByEnv.get(env);
	if (known) return known;
	const settings = parseSettings(env as Variables);
	settingsByEnv.set(env, settings);
	return settings;
}

/** The settings of an environment that no catalog has a part in. */
export function cachedSettings(env: object): BaseSettings {
	return shippedSettings(env);
}
