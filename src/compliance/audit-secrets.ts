// Redacts secrets in the texts of audit events, if the setting AUDIT_SECRETS says so: a keyed hash replaces each value. Equal
// values have equal hashes, so that a trail still shows where a secret occurs. Without KEY_PEPPER nobody can test a guess.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { loadDetector } from "../load-detector.ts";
import type { Settings } from "../settings.ts";
import { findNamedSpans, memberNames } from "./find-secrets.ts";

/** Half of a SHA-256: enough to avoid collisions. */
const HASH_DIGITS = 32;

/** @param name of the member that holds the text; null if there is none. It may show that the text is a secret. */
type ReplaceText = (text: string, name: string | null) => string;

/** A JSON value with all its texts replaced, names of members included. `{name, value}` is read as a member, too. */
function replaceTexts(value: unknown, replace: ReplaceText, name: string | null): unknown {
	if (typeof value === "string") return replace(value, name);
	if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace, name));
	if (typeof value !== "object" || value === null) return value;
	const members: [name: string, item: unknown][] = Object.entries(value);
	const nameFor = memberNames(members);
	return Object.fromEntries(
		members.map(([member, item]) => [replace(member, null), replaceTexts(item, replace, nameFor(member))]),
	);
}

/** Replaces what looks like a secret; null if the setting says to keep it. The detector is loaded only if it is needed. */
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

/** A text as an audit event stores it. */
export async function redactSecrets(
	text: string,
	settings: Pick<Settings, "hashesAuditSecrets" | "keyPepper">,
): Promise<string> {
	return (await createReplacer(settings))?.(text, null) ?? text;
}

/** The payload of an audit event, which is the JSON text of an object, as it is stored. */
export async function redactPayloadSecrets(
	payload: string,
	settings: Pick<Settings, "hashesAuditSecrets" | "keyPepper">,
): Promise<string> {
	const replace = await createReplacer(settings);
	return replace ? JSON.stringify(replaceTexts(JSON.parse(payload), replace, null)) : payload;
}
