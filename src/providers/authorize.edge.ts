// Sends a request under a key, in whatever way its provider takes it: by a header, by a token that is fetched first, or by a
// signature.
// What is sent, and what the answer means, are the caller's.
import { PROJECT } from "../catalog/credentials.ts";
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { ProviderAccess } from "../settings.ts";
import { type AccessToken, accessTokens, type TokenCredentials } from "./access-tokens.edge.ts";
import { withKey } from "./auth-headers.ts";
import { signAws } from "./aws-signer.edge.ts";
import { type CallFailure, NO_PARTIAL_ANSWER, type NoToken } from "./call-failure.ts";
import type { UpstreamRequest } from "./wire.ts";

/** What signatures of calls of Bedrock are for, whatever the host is called. */
const BEDROCK_SERVICE = "bedrock";

/** How long a call may take until the head of its answer. */
interface HeadLimits {
	headMs: number;
	endsAtMs: number;
}

/** What a request is authorized with. */
export interface Authorization<Limits extends HeadLimits> {
	access: Pick<ProviderAccess, "provider">;
	key: ProviderKey;
	limits: Limits;
	/** The client's. */
	signal: AbortSignal;
}

/** A client that has gone waits for no token. */
function whenClosed(signal: AbortSignal): { closed: Promise<CallFailure>; release(): void } {
	let close: () => void = () => undefined;
	const closed = new Promise<CallFailure>((resolve) => {
		close = () => resolve({ kind: "client_closed", sent: false, partial: NO_PARTIAL_ANSWER });
	});
	if (signal.aborted) close();
	signal.addEventListener("abort", close, { once: true });
	return { closed, release: () => signal.removeEventListener("abort", close) };
}

async function findToken<Limits extends HeadLimits>(
	{ access, key, limits, signal }: Authorization<Limits>,
	credentials: TokenCredentials,
): Promise<AccessToken | NoToken | CallFailure> {
	const waitMs = Math.min(limits.headMs, limits.endsAtMs - Date.now());
	const { closed, release } = whenClosed(signal);
	try {
		return await Promise.race([accessTokens.find(key, credentials, access.provider.id, waitMs), closed]);
	} finally {
		release();
	}
}

function withToken(request: UpstreamRequest, credentials: TokenCredentials, { token }: AccessToken): UpstreamRequest {
	const url = credentials.form === "google" ? request.url.replace(PROJECT, credentials.projectId ?? "") : request.url;
	return { ...request, url, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/**
 * Sends a request under a token. The time that the token took is the head's. A token that was kept and is refused is dropped, and the
 * request sent once more under a new one.
 */
async function sendWithToken<Limits extends HeadLimits, Sent extends { kind: string }>(
	request: UpstreamRequest,
	authorization: Authorization<Limits>,
	credentials: TokenCredentials,
	send: (request: UpstreamRequest, limits: Limits) => Promise<Sent | CallFailure>,
): Promise<Sent | CallFailure> {
	const { limits, key } = authorization;
	const headEndsAtMs = Date.now() + limits.headMs;
	const left = () => ({ ...limits, headMs: Math.max(1, headEndsAtMs - Date.now()) });
	const first = await findToken(authorization, credentials);
	if (!("token" in first)) return first;
	const sent = await send(withToken(request, credentials, first), left());
	const isRefused = sent.kind === "status" && "status" in sent && sent.status === 401;
	if (!isRefused) return sent;
	accessTokens.drop(key, first);
	if (!first.isKept) return sent;
	const second = await findToken({ ...authorization, limits: left() }, credentials);
	return "token" in second ? send(withToken(request, credentials, second), left()) : second;
}

/**
 * Sends a request under a key. With a plain key nothing is waited for.
 * @param send sends the authorized request, within the limits that are left of it.
 */
export function sendAuthorized<Limits extends HeadLimits, Sent extends { kind: string }>(
	request: UpstreamRequest,
	authorization: Authorization<Limits>,
	send: (request: UpstreamRequest, limits: Limits) => Promise<Sent | CallFailure>,
): Promise<Sent | CallFailure> {
	const { access, key, limits } = authorization;
	const { credentials } = key;
	switch (credentials?.form) {
		case "google":
		case "entra":
			return sendWithToken(request, authorization, credentials, send);
		case "aws": {
			const scope = { region: access.provider.region ?? "", service: BEDROCK_SERVICE };
			return signAws(request, credentials, scope, Date.now()).then((signed) => send(signed, limits));
		}
		default:
			return send(withKey(request, access.provider, key), limits);
	}
}
