// Who is calling: API keys for users, ADMIN_TOKEN for operators. Refuses before anything of the body is read.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { findAccount } from "./accounts.store.ts";
import { apiKeyDigest, isWellFormedApiKey } from "./api-key.ts";
import type { Account, ServiceContext } from "./context.ts";
import { countMiss } from "./misses.edge.ts";

/** How long an isolate trusts a look-up. Revocation does not wait for it: the meter refuses a revoked key at once. */
const CACHE_MS = 30_000;
const CACHE_ENTRIES = 10_000;

const cache = new Map<string, { account: Account; untilMs: number }>();

function refused(message: string): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_api_key", message });
}

function bearerToken(authorization: string | null): string | null {
	return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? null;
}

/** The account behind the request's API key. Unknown keys are not remembered, so a new key works at once. */
export async function authenticate(authorization: string | null, context: ServiceContext): Promise<Result<Account>> {
	if (authorization === null) return refused("an API key is required: Authorization: Bearer svc_sk_…");
	const key = bearerToken(authorization);
	if (key === null || !isWellFormedApiKey(key)) return refused("the API key is malformed");
	const digest = apiKeyDigest(context.settings.keyPepper, key);
	const known = cache.get(digest);
	if (known && known.untilMs > context.startedAtMs) return ok(known.account);
	const account = await findAccount(context.db, digest);
	if (!account) {
		cache.delete(digest);
		const limited = await countMiss("key", context);
		return limited ? fail(limited) : refused("the API key is unknown or revoked");
	}
	if (cache.size >= CACHE_ENTRIES) cache.delete(cache.keys().next().value ?? "");
	cache.set(digest, { account, untilMs: context.startedAtMs + CACHE_MS });
	return ok(account);
}

/** Drops what this isolate remembers of a user's keys, after their plan turned out to be another. */
export function forgetAccount(userId: string): void {
	for (const [digest, { account }] of cache) if (account.userId === userId) cache.delete(digest);
}

/** Whether two secrets are equal, in time that does not depend on where they differ. */
function equalSecrets(a: string, b: string): boolean {
	const left = sha256(utf8ToBytes(a));
	const right = sha256(utf8ToBytes(b));
	let difference = 0;
	for (let i = 0; i < left.length; i++) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
	return difference === 0;
}

/** Lets an operator in; nobody is one without an ADMIN_TOKEN. */
export function authenticateOperator(authorization: string | null, adminToken: string | null): Failure | null {
	const token = bearerToken(authorization);
	if (token !== null && adminToken !== null && equalSecrets(token, adminToken)) return null;
	return { reason: "invalid_api_key", message: "the admin token is missing or wrong" };
}
