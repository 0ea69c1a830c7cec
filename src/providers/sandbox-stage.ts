// Tells the sandbox upstream which call of a workflow a request is, so that it need not guess from the prompt. No other upstream
// is told. Pure.
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { ProviderAccess } from "../settings.ts";
import type { UpstreamRequest } from "./wire.ts";

/** The provider key under which every provider is the sandbox. No real provider has such a key. */
export const SANDBOX_KEY = "sandbox";
/** The same as AWS's credentials. */
export const SANDBOX_AWS_KEY = { access_key_id: "AKIASANDBOX", secret_access_key: SANDBOX_KEY };

/** Request header of the sandbox: stage, role and, where there is one, what the call asks for, with spaces between. */
export const STAGE_HEADER = "x-svc-stage";

/** Which call of a workflow a request is. */
export interface CallStage {
	/** As the trace names it, such as `round:1`. */
	stage: string;
	role: string;
	/** What stage and role do not say, such as `repair`. */
	asksFor?: string;
}

function isSandboxKey({ secret, credentials }: ProviderKey): boolean {
	return (credentials?.form === "aws" ? credentials.secretAccessKey : secret) === SANDBOX_KEY;
}

/** A request with its stage in a header if it goes to the sandbox; else the request itself. */
export function withStage(
	request: UpstreamRequest,
	{ provider, keys, baseUrl }: ProviderAccess,
	callStage: CallStage | undefined,
): UpstreamRequest {
	const isSandbox = keys.every(isSandboxKey) && baseUrl !== provider.base_url;
	if (!callStage || !isSandbox) return request;
	const { stage, role, asksFor } = callStage;
	const header = [stage, role, ...(asksFor ? [asksFor] : [])].join(" ");
	return { ...request, headers: { ...request.headers, [STAGE_HEADER]: header } };
}

/** Reads the header; null without one. */
export function parseStage(header: string | undefined): CallStage | null {
	const [, stage, role, asksFor] = /^(\S+) (\S+)(?: (.+))?$/.exec(header ?? "") ?? [];
	return stage && role ? { stage, role, asksFor } : null;
}
