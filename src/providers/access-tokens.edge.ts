// Tokens that credentials are changed for: of a service account (RFC 7523) and of an application of Entra's (RFC 6749, section 4.4).
// Each is fetched once at a time and kept until shortly before it ends, in this isolate alone. No part of a credential, an assertion or
// a token is logged, or stands in a failure.
import * as z from "zod";
import { BoundedMap } from "../bounded-map.ts";
import type { EntraCredentials, GoogleCredentials } from "../catalog/credentials.ts";
import type { ProviderKey } from "../catalog/provider-keys.ts";
import { logWarning } from "../http/log.edge.ts";
import { parseRetryAfterMs } from "../http/retry-after.ts";
import { withDeadline } from "../in-time.edge.ts";
import { parseJson } from "../json.ts";
import { toBase64 } from "../proof/signing.ts";
import type { NoToken, TokenFault } from "./call-failure.ts";
import { utf8Bytes } from "./wire.ts";

/** Credentials that are changed for a token. */
export type TokenCredentials = GoogleCredentials | EntraCredentials;

/** Google's scope of all that an account may do (docs.cloud.google.com/vertex-ai, "Authenticate", read 2026-11-28). */
const GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** An assertion holds for at most an hour (developers.google.com/identity/protocols/oauth2/service-account). */
const ASSERTION_S = 3_600;

/** How long a token endpoint may take, whoever waits for it. */
const TOKEN_TIMEOUT_MS = 10_000;
/** So long before its end a token is no longer used: a call may be on its way for a while. */
const MARGIN_MS = 60_000;
/** The life of a token whose answer does not say it. */
const UNSAID_LIFE_S = 300;
const MAX_LIFE_S = 86_400;
const MAX_ANSWER_CHARS = 65_536;
/** More than the keys of a deployment. */
const MAX_TOKENS = 1_000;

/** Tokens come of header values; some endpoints write the life as a text. */
const tokenSchema = z.lazy(() =>
	z.looseObject({
		access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
		token_type: z
			.string()
			.regex(/^bearer$/i)
			.optional(),
		expires_in: z.coerce.number().positive().catch(UNSAID_LIFE_S),
	}),
);
/** The word of RFC 6749, section 5.2, and Entra's numbers: what an operator looks up. */
const errorSchema = z.lazy(() =>
	z.looseObject({
		error: z.string().regex(/^[a-z_]{1,64}$/),
		error_codes: z.array(z.int()).max(8).optional().catch(undefined),
	}),
);

interface KeptToken {
	token: string;
	fetchedAtMs: number;
	/** From then on, how long it is used. */
	usedForMs: number;
}

type FetchedToken = KeptToken | NoToken;

interface PendingToken {
	startedAtMs: number;
	fetched: Promise<FetchedToken>;
}

function noToken(why: TokenFault, status: number | null = null, retryAfterMs: number | null = null): NoToken {
	return { kind: "no_token", why, status, retryAfterMs };
}

function toBase64Url(bytes: Uint8Array): string {
	return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function toSegment(part: Record<string, unknown>): string {
	return toBase64Url(utf8Bytes(JSON.stringify(part)));
}

/** A signed assertion that the bearer is the account (RFC 7523, section 3). @throws where the key is none. */
export async function signAssertion(credentials: GoogleCredentials, nowMs: number): Promise<string> {
	const { clientEmail, privateKeyId, privateKey, tokenUri } = credentials;
	const issuedAt = Math.floor(nowMs / 1_000);
	const header = { alg: "RS256", typ: "JWT", ...(privateKeyId === null ? {} : { kid: privateKeyId }) };
	const claims = { iss: clientEmail, scope: GOOGLE_SCOPE, aud: tokenUri, iat: issuedAt, exp: issuedAt + ASSERTION_S };
	const signed = `${toSegment(header)}.${toSegment(claims)}`;
	const der = Uint8Array.from(atob(privateKey), (char) => char.charCodeAt(0));
	const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
	const key = await crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
	const signature = await crypto.subtle.sign(algorithm.name, key, utf8Bytes(signed));
	return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

async function toForm(credentials: TokenCredentials): Promise<Record<string, string>> {
	if (credentials.form === "google") {
		const assertion = await signAssertion(credentials, Date.now());
		return { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
	}
	const { clientId, clientSecret, scope } = credentials;
	return { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope };
}

/** The body as text, as far as it may reach. */
async function readAnswer({ body }: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	if (!body) return text;
	for await (const chunk of body) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > MAX_ANSWER_CHARS) return "";
	}
	return text + decoder.decode();
}

/** Why there is no token in an answer. A 408 or 429 is of the moment, like a 5xx. */
function toFault(status: number): TokenFault {
	if (status === 408 || status === 429 || status >= 500) return "failed";
	return status >= 400 ? "refused" : "unusable";
}

function readToken(status: number, body: unknown, retryAfterMs: number | null): FetchedToken {
	if (status !== 200) return noToken(toFault(status), status, retryAfterMs);
	const parsed = tokenSchema.safeParse(body);
	if (!parsed.success) return noToken("unusable", status);
	const lifeMs = Math.min(parsed.data.expires_in, MAX_LIFE_S) * 1_000;
	const usedForMs = lifeMs - Math.min(MARGIN_MS, lifeMs / 2);
	return { token: parsed.data.access_token, fetchedAtMs: Date.now(), usedForMs };
}

/** Asks for a token. Never throws. @param provider for the log. */
async function fetchToken(credentials: TokenCredentials, provider: string, signal: AbortSignal): Promise<FetchedToken> {
	let form: Record<string, string>;
	try {
		form = await toForm(credentials);
	} catch {
		// The error may quote the key.
		return noToken("unusable");
	}
	try {
		const response = await fetch(credentials.tokenUri, {
			method: "POST",
			headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
			body: new URLSearchParams(form).toString(),
			// The credentials go to no other host.
			redirect: "manual",
			signal,
		});
		const body = parseJson(await readAnswer(response));
		const fetched = readToken(response.status, body, parseRetryAfterMs(response.headers, Date.now()));
		if ("kind" in fetched) {
			const { error = null, error_codes: codes } = errorSchema.safeParse(body).data ?? {};
			logWarning("token_refused", { provider, status: response.status, error, ...(codes ? { codes } : {}) });
		}
		return fetched;
	} catch {
		return noToken("unreachable");
	}
}

function isInUse({ fetchedAtMs, usedForMs }: KeptToken, nowMs: number): boolean {
	// One that was fetched in time to come is of a clock that went back.
	return fetchedAtMs <= nowMs && nowMs < fetchedAtMs + usedForMs;
}

/** How long after its deadline a fetch is given up that has not ended. */
const TAKE_OVER_MS = 500;

function isAbandoned({ startedAtMs }: PendingToken, nowMs: number): boolean {
	return nowMs < startedAtMs || nowMs >= startedAtMs + TOKEN_TIMEOUT_MS + TAKE_OVER_MS;
}

/** A token to make a call with. */
export interface AccessToken {
	token: string;
	/** It was fetched for an earlier call, so that a provider's 401 may mean that it has ended. */
	isKept: boolean;
}

/** The tokens of one isolate, by the marks of their keys. */
export class AccessTokens {
	readonly #kept = new BoundedMap<string, KeptToken>(MAX_TOKENS);
	readonly #pending = new Map<string, PendingToken>();

	/**
	 * The token of a key.
	 * @param provider for the log.
	 * @param waitMs how long the caller waits. The token is fetched on for others.
	 */
	async find(
		{ mark }: Pick<ProviderKey, "mark">,
		credentials: TokenCredentials,
		provider: string,
		waitMs: number,
	): Promise<AccessToken | NoToken> {
		const endsAtMs = Date.now() + waitMs;
		for (;;) {
			const nowMs = Date.now();
			const kept = this.#kept.get(mark);
			if (kept && isInUse(kept, nowMs)) return { token: kept.token, isKept: true };
			const leftMs = endsAtMs - nowMs;
			if (leftMs <= 0) return noToken("late");
			const known = this.#pending.get(mark);
			const pending = known && !isAbandoned(known, nowMs) ? known : this.#fetch(mark, credentials, provider);
			// The request that fetches it may be over, and its fetch with it: then another one fetches it.
			const abandonedInMs = pending.startedAtMs + TOKEN_TIMEOUT_MS + TAKE_OVER_MS - nowMs;
			const fetched = await withDeadline(pending.fetched, Math.max(1, Math.min(leftMs, abandonedInMs)), () => null);
			if (fetched === null) continue;
			return "kind" in fetched ? fetched : { token: fetched.token, isKept: false };
		}
	}

	/** Drops a token that was refused, unless another has taken its place. */
	drop({ mark }: Pick<ProviderKey, "mark">, { token }: Pick<AccessToken, "token">): void {
		if (this.#kept.get(mark)?.token === token) this.#kept.delete(mark);
	}

	clear(): void {
		this.#kept.clear();
		this.#pending.clear();
	}

	#fetch(mark: string, credentials: TokenCredentials, provider: string): PendingToken {
		const abort = new AbortController();
		const work = withDeadline(fetchToken(credentials, provider, abort.signal), TOKEN_TIMEOUT_MS, () => {
			abort.abort();
			return noToken("late");
		});
		const fetched = work.then((result) => {
			if (this.#pending.get(mark) === pending) this.#pending.delete(mark);
			if (!("kind" in result)) this.#kept.set(mark, result);
			return result;
		});
		const pending: PendingToken = { startedAtMs: Date.now(), fetched };
		this.#pending.set(mark, pending);
		return pending;
	}
}

/** The tokens of this isolate, shared by all its requests. */
export const accessTokens = new AccessTokens();
