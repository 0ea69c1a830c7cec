// Authenticates callers: API keys for users, ADMIN_TOKEN for operators. Refuses before the body is read.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { findAccount } from "./accounts.store.ts";
import { apiKeyDigest, isWellFormedApiKey } from "./api-key.ts";
import type { Account, ServiceContext } from "./context.ts";
import { countMiss } from "./misses.edge.ts";

/** How long an isolate caches a lookup. Revocations and changes do not wait for it: the meter knows them at once. */
const CACHE_MS = 30_000;
const CACHE_ENTRIES = 10_000;

const accountCache = new Map<string, { account: Account; untilMs: number }>();

function invalidKey(message: string): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_api_key", message });
}

function parseBearerToken(authorization: string | null): string | null {
	return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? null;
}

/**
 * What a request shows for itself, as an Authorization header; null when it shows nothing. Where `x-api-key` is accepted, it counts
 * as well; two different keys are refused, since nobody could tell whose request it is.
 */
export function findCredential({
	headers,
	acceptsApiKeyHeader,
}: Pick<ServiceContext, "headers" | "acceptsApiKeyHeader">): Result<string | null> {
	const authorization = headers.get("authorization");
	const apiKey = acceptsApiKeyHeader ? headers.get("x-api-key")?.trim() : undefined;
	if (!apiKey) return ok(authorization);
	// An empty header holds no key: some clients send one beside the other.
	if (authorization?.trim() && parseBearerToken(authorization) !== apiKey)
		return invalidKey("Authorization and x-api-key hold different keys; send one of them");
	return ok(`Bearer ${apiKey}`);
}

/** Refuses an account whose key has expired. The time is compared at each request, cached look-up or not. */
function refuseExpired(account: Account, { startedAtMs }: ServiceContext): Result<Account> {
	const { expiresAtMs } = account.key;
	return expiresAtMs !== null && startedAtMs >= expiresAtMs ? invalidKey("the API key has expired") : ok(account);
}

/** The account of the request's API key. Unknown keys are not cached, so a new key works at once. */
export async function authenticate(context: ServiceContext): Promise<Result<Account>> {
	const credential = findCredential(context);
	if (!credential.ok) return credential;
	const authorization = credential.value;
	if (authorization === null) return invalidKey("an API key is required: Authorization: Bearer svc_sk_…");
	const key = parseBearerToken(authorization);
	if (key === null || !isWellFormedApiKey(key)) return invalidKey("the API key is malformed");
	const digest = apiKeyDigest(context.settings.keyPepper, key);
	const known = accountCache.get(digest);
	const restMs = known ? known.untilMs - context.startedAtMs : 0;
	// What is to hold for longer was looked up under a clock that was ahead.
	if (known && restMs > 0 && restMs <= CACHE_MS) return refuseExpired(known.account, context);
	const account = await findAccount(context.db, digest);
	if (!account) {
		accountCache.delete(digest);
		const limited = await countMiss("key", context);
		return limited ? fail(limited) : invalidKey("the API key is unknown or revoked");
	}
	if (accountCache.size >= CACHE_ENTRIES) accountCache.delete(accountCache.keys().next().value ?? "");
	accountCache.set(digest, { account, untilMs: context.startedAtMs + CACHE_MS });
	return refuseExpired(account, context);
}

/** Removes a user's keys from this isolate's cache, after their plan or a key turned out to be another. */
export function forgetAccount(userId: string): void {
	for (const [digest, { account }] of accountCache) if (account.userId === userId) accountCache.delete(digest);
}

/** Whether two secrets are equal, in time that does not depend on where they differ. */
function areSecretsEqual(a: string, b: string): boolean {
	const left = sha256(utf8ToBytes(a));
	const right = sha256(utf8ToBytes(b));
	let difference = 0;
	for (let i = 0; i < left.length; i++) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
	return difference === 0;
}

/** Whether a request shows a token of the deployment. Nobody shows one that is not set. */
function showsToken(authorization: string | null, expected: string | null): boolean {
	const token = parseBearerToken(authorization);
	return token !== null && expected !== null && areSecretsEqual(token, expected);
}

/** Authenticates an operator. Without an ADMIN_TOKEN nobody is one. */
export function authenticateOperator(authorization: string | null, adminToken: string | null): Failure | null {
	if (showsToken(authorization, adminToken)) return null;
	return { reason: "invalid_api_key", message: "the admin token is missing or wrong" };
}

/** Authenticates who reads metrics. Without a METRICS_TOKEN nobody does. */
export function authenticateScraper(authorization: string | null, metricsToken: string | null): Failure | null {
	if (showsToken(authorization, metricsToken)) return null;
	return { reason: "invalid_api_key", message: "the metrics token is missing or wrong" };
}
