// What an audit event keeps of texts that hold secrets, by the setting AUDIT_SECRETS: the values, or a keyed hash in their place.
// The same value has the same hash, so that a trail still shows where it turned up; without KEY_PEPPER nobody can test a guess.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Settings } from "../settings.ts";
import type { SecretSpan } from "./detect.ts";
import { loadDetector } from "./load.ts";

/** Half of a SHA-256: enough that two values do not meet by chance. */
const HASH_DIGITS = 32;

/** @param name what the text stands under, if anything: it may be what says that the text is a secret. */
type ReplaceText = (text: string, name?: string) => string;

/** A value of JSON with every text in it replaced, names of members included. `{name, value}` is read as a member, too. */
function replaceTexts(value: unknown, replace: ReplaceText, name?: string): unknown {
	if (typeof value === "string") return replace(value, name);
	if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace, name));
	if (typeof value !== "object" || value === null) return value;
	const members: [name: string, item: unknown][] = Object.entries(value);
	const named = members.find(([member, item]) => /^(?:name|key)$/i.test(member) && typeof item === "string")?.[1];
	const nameOf = (member: string) => (typeof named === "string" && /^value$/i.test(member) ? named : member);
	return Object.fromEntries(
		members.map(([member, item]) => [replace(member), replaceTexts(item, replace, nameOf(member))]),
	);
}

type FindSpans = (text: string) => SecretSpan[];

/** The secrets in a text by itself; where there are none, those that its name tells. */
function findNamedSpans(name: string | undefined, text: string, find: FindSpans): SecretSpan[] {
	const alone = find(text);
	if (alone.length > 0 || name === undefined) return alone;
	const before = `${name}: `.length;
	return find(`${name}: ${text}`)
		.filter(({ end }) => end > before)
		.map(({ start, end, kind }) => ({ start: Math.max(0, start - before), end: end - before, kind }));
}

/** Replaces what looks like a secret, by the setting; loads the detector only where it is asked for. */
async function createReplacer({
	hashesAuditSecrets,
	keyPepper,
}: Pick<Settings, "hashesAuditSecrets" | "keyPepper">): Promise<ReplaceText | null> {
	if (!hashesAuditSecrets) return null;
	const { secretSpans } = await loadDetector();
	const key = hmac(sha256, utf8ToBytes(keyPepper), utf8ToBytes("svc.audit-secrets.v1"));
	const hashSecret = (secret: string) => bytesToHex(hmac(sha256, key, utf8ToBytes(secret))).slice(0, HASH_DIGITS);
	return (text, name) => {
		let redacted = "";
		let from = 0;
		for (const { start, end, kind } of findNamedSpans(name, text, secretSpans)) {
			redacted += `${text.slice(from, start)}[${kind} hmac-sha256:${hashSecret(text.slice(start, end))}]`;
			from = end;
		}
		return redacted + text.slice(from);
	};
}

/** A text as an audit event keeps it. */
export async function redactSecrets(text: string, settings: Settings): Promise<string> {
	return (await createReplacer(settings))?.(text) ?? text;
}

/** The same of a payload, JSON text of an object. */
export async function redactPayloadSecrets(payload: string, settings: Settings): Promise<string> {
	const replace = await createReplacer(settings);
	return replace ? JSON.stringify(replaceTexts(JSON.parse(payload), replace)) : payload;
}
