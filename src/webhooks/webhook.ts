// Webhooks: which addresses may be named, what a delivery says and signs, and when it is tried again. Follows Standard Webhooks
// 1.0.0 (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md). deliveries.edge.ts stores and sends. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Signer } from "../proof/signing.ts";

export const MAX_WEBHOOK_URL_CHARS = 2_048;
/** The time that a receiver has for its answer. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** The waits before the second, third, fourth and fifth try: an hour from the first to the last. */
const RETRY_WAITS_MS = [60_000, 240_000, 900_000, 2_400_000];
export const MAX_WEBHOOK_TRIES = RETRY_WAITS_MS.length + 1;

/** What the operator lets webhooks do. */
export interface WebhookRules {
	/** The host names that webhooks may name, in lower case. */
	hosts: ReadonlySet<string>;
	/** Null: nothing can be signed, and nothing is sent. */
	signer: Signer | null;
}

/** The rules of a service's settings. */
export function toWebhookRules(settings: { webhookHosts: ReadonlySet<string>; signer: Signer | null }): WebhookRules {
	return { hosts: settings.webhookHosts, signer: settings.signer };
}

/** The part of an address that holds no secret: its path and query may. */
export function maskWebhook(address: string): string {
	return `${new URL(address).origin}/…`;
}

/** An IPv4 address as the URL parser writes it, or an IPv6 address in brackets. */
export function isIpAddress(hostname: string): boolean {
	return /^[\d.]+$/.test(hostname) || hostname.startsWith("[");
}

/** Why no webhook may be sent to an address, without naming it; null when one may. */
export function findWebhookFault(address: string, { hosts, signer }: WebhookRules): string | null {
	if (!signer) return "this service has no signing key, and an unsigned webhook proves nothing";
	if (!URL.canParse(address) || address.length > MAX_WEBHOOK_URL_CHARS) return "webhook is not an address";
	const { protocol, port, username, password, hostname } = new URL(address);
	if (protocol !== "https:" || port !== "") return "a webhook goes to https on port 443 only";
	if (username !== "" || password !== "") return "a webhook's address holds no user name and no password";
	if (isIpAddress(hostname)) return "a webhook's address names a host, not an IP address";
	return hosts.has(hostname)
		? null
		: "the operator of this service has not allowed this webhook's host (WEBHOOK_HOSTS)";
}

/** Refuses an address to which no webhook may be sent. */
export function checkWebhook(address: string, rules: WebhookRules): Result<string> {
	const message = findWebhookFault(address, rules);
	const failure: Failure | null = message === null ? null : { reason: "webhook_unavailable", message };
	return failure ? fail(failure) : ok(address);
}

/** The table that an object keeps for its WebhookDeliveries. */
export const WEBHOOK_TABLE = `CREATE TABLE webhooks (id TEXT PRIMARY KEY, url TEXT NOT NULL, body TEXT NOT NULL,
	tries INTEGER NOT NULL, next_at_ms INTEGER NOT NULL) WITHOUT ROWID`;

/** One message of a webhook. It keeps its id and its body at every try. */
export interface WebhookMessage {
	/** Never holds a full stop, which separates what is signed. */
	id: string;
	/** JSON. */
	body: string;
}

/** The headers of one try. The signature is Ed25519 over `id.timestamp.body` in UTF-8. */
export async function webhookHeaders(
	{ id, body }: WebhookMessage,
	signer: Signer,
	nowMs: number,
): Promise<Record<string, string>> {
	const timestamp = String(Math.floor(nowMs / 1_000));
	return {
		"content-type": "application/json",
		"webhook-id": id,
		"webhook-timestamp": timestamp,
		"webhook-signature": `v1a,${await signer.sign(`${id}.${timestamp}.${body}`)}`,
	};
}

/** When the next try is due after one that began now. After the last try, that is when its outcome must be known. */
export function nextTryAtMs(tries: number, nowMs: number): number {
	return nowMs + (RETRY_WAITS_MS[tries - 1] ?? 2 * WEBHOOK_TIMEOUT_MS);
}
