// Signed notes and tree checkpoints in the public C2SP formats (c2sp.org/signed-note, c2sp.org/tlog-checkpoint):
// rendered, parsed, signed and verified. The ledger computes the root of a checkpoint.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { createVerifier, fromBase64, type Signer, toBase64, type Verifier } from "./signing.ts";

/** Signature type byte of plain Ed25519. */
const ED25519 = 0x01;
const KEY_HASH_BYTES = 4;
const OWNER_DIGITS = 16;
/** A note with more signatures is malformed, as in golang.org/x/mod/sumdb/note. */
const MAX_SIGNATURES = 100;

/** A key name is not empty and contains neither Unicode white space nor a plus. */
function isKeyName(name: string): boolean {
	return name !== "" && name.isWellFormed() && !/[\p{White_Space}+]/u.test(name);
}

/** First 4 bytes of SHA-256(name || "\n" || 0x01 || public key). */
function toKeyHash(name: string, publicKey: Uint8Array): Uint8Array {
	const digest = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(ED25519), publicKey));
	return digest.subarray(0, KEY_HASH_BYTES);
}

/**
 * A verifier key, `<name>+<8 hex>+<base64(0x01 || public key)>`, as existing tools take it.
 * @param publicKey 32 raw bytes.
 * @throws RangeError when the name is not a key name.
 */
export function toVkey(name: string, publicKey: Uint8Array): string {
	if (!isKeyName(name)) throw new RangeError(`not a key name: ${JSON.stringify(name)}`);
	const key = toBase64(concatBytes(Uint8Array.of(ED25519), publicKey));
	return `${name}+${bytesToHex(toKeyHash(name, publicKey))}+${key}`;
}

/** Tells a user's workspaces from another's without revealing the user: the first 16 hex digits of SHA-256(user id). */
export function toOwnerDigest(userId: string): string {
	return bytesToHex(sha256(utf8ToBytes(userId))).slice(0, OWNER_DIGITS);
}

/**
 * The origin line of a workspace's checkpoints, which is also the name of the key that signs them: `<LOG_ORIGIN>/<first
 * 16 hex of SHA-256(user_id)>/<workspace_id>`. It differs per user without revealing the user.
 */
export function checkpointOrigin(logOrigin: string, userId: string, workspaceId: string): string {
	return `${logOrigin}/${toOwnerDigest(userId)}/${workspaceId}`;
}

/** The owner that a checkpoint's origin names; null where it is no origin of that workspace. */
export function parseOriginOwner(origin: string, workspaceId: string): string | null {
	const end = `/${workspaceId}`;
	if (!origin.endsWith(end)) return null;
	const owner = origin.slice(0, -end.length).split("/").at(-1) ?? "";
	return new RegExp(`^[0-9a-f]{${OWNER_DIGITS}}$`).test(owner) ? owner : null;
}

/** What a checkpoint says about a tree. */
export interface Checkpoint {
	/** Identifies the log; also its key name. */
	origin: string;
	/** Number of leaves. */
	size: number;
	/** RFC 6962 root, 32 bytes. */
	root: Uint8Array;
}

/** The text of a checkpoint: origin, size and root, one per line. */
export function renderCheckpoint({ origin, size, root }: Checkpoint): string {
	return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** The checkpoint in a note's text; null when it is not one. Extension lines are allowed and not read. */
export function parseCheckpoint(text: string): Checkpoint | null {
	const [, origin = "", digits = "", rootBase64 = ""] =
		/^([^\n]+)\n(0|[1-9]\d*)\n([^\n]+)\n(?:[^\n]+\n)*$/.exec(text) ?? [];
	const size = Number(digits);
	const root = fromBase64(rootBase64);
	return origin !== "" && Number.isSafeInteger(size) && root?.length === 32 ? { origin, size, root } : null;
}

/**
 * Renders a note with `body` and one Ed25519 signature by `name`.
 * @throws RangeError when the body lacks its final newline or has control characters, or the name is not a key name.
 */
export function signNote(body: string, name: string, signer: Pick<Signer, "publicKey" | "signSync">): string {
	if (!isKeyName(name)) throw new RangeError(`not a key name: ${JSON.stringify(name)}`);
	if (!isNoteText(body) || !body.endsWith("\n")) throw new RangeError("not a note's text");
	const signature = fromBase64(signer.signSync(body)) ?? new Uint8Array();
	return `${body}\n— ${name} ${toBase64(concatBytes(toKeyHash(name, signer.publicKey), signature))}\n`;
}

/** Whether a text is valid Unicode without ASCII control characters other than the newline. */
function isNoteText(text: string): boolean {
	return text.isWellFormed() && ![...text].some((char) => char < " " && char !== "\n");
}

/** One signature line, not verified yet. */
interface NoteSignature {
	name: string;
	/** 8 lower-case hex digits. */
	keyHash: string;
	/** Standard base64, without the key hash. */
	signature: string;
}

/** A parsed note, not verified yet. */
interface Note {
	/** The signed text: with its final newline, without the blank line after it. */
	text: string;
	signatures: NoteSignature[];
}

function decodeUtf8(note: Uint8Array): string | null {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(note);
	} catch {
		return null;
	}
}

function parseSignatureLine(line: string): NoteSignature | null {
	const [, name = "", encoded = ""] = /^— ([^ ]*) (.*)$/.exec(line) ?? [];
	const bytes = fromBase64(encoded);
	if (!isKeyName(name) || !bytes || bytes.length <= KEY_HASH_BYTES) return null;
	return {
		name,
		keyHash: bytesToHex(bytes.subarray(0, KEY_HASH_BYTES)),
		signature: toBase64(bytes.subarray(KEY_HASH_BYTES)),
	};
}

/** Parses a note; null when it is malformed. Bytes that are not UTF-8 are malformed. */
export function parseNote(note: string | Uint8Array): Note | null {
	const whole = typeof note === "string" ? note : decodeUtf8(note);
	if (whole === null || !isNoteText(whole)) return null;
	// The last blank line separates text and signatures. The text may contain others.
	const split = whole.lastIndexOf("\n\n");
	if (split < 0 || !whole.endsWith("\n") || whole.length === split + 2) return null;
	const lines = whole.slice(split + 2, -1).split("\n");
	if (lines.length > MAX_SIGNATURES) return null;
	const signatures = lines.map(parseSignatureLine).filter((signature) => signature !== null);
	return signatures.length === lines.length ? { text: whole.slice(0, split + 1), signatures } : null;
}

/** The result of verifying a note against trusted keys. A note that is not `verified` must be ignored as a whole. */
type NoteVerdict =
	| { outcome: "verified"; text: string; verified: NoteSignature[]; unknown: NoteSignature[] }
	| { outcome: "malformed_note" | "malformed_vkey" | "ambiguous_key" | "invalid_signature" | "unverified" };

interface VerifierKey {
	name: string;
	keyHash: string;
	verifier: Verifier;
}

function parseVkey(vkey: string): VerifierKey | null {
	const [, name = "", keyHash = "", encoded = ""] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/.exec(vkey) ?? [];
	const bytes = fromBase64(encoded);
	if (!isKeyName(name) || bytes?.length !== 33 || bytes[0] !== ED25519) return null;
	const publicKey = bytes.subarray(1);
	if (bytesToHex(toKeyHash(name, publicKey)) !== keyHash) return null;
	return { name, keyHash, verifier: createVerifier(publicKey) };
}

/**
 * Verifies a note against trusted verifier keys, as golang.org/x/mod/sumdb/note does. Signatures of unknown keys are
 * skipped. The note is refused when a known key's signature is wrong, or when no known key has signed.
 */
export async function verifyNote(note: string | Uint8Array, vkeys: readonly string[]): Promise<NoteVerdict> {
	const known = vkeys.map(parseVkey).filter((key) => key !== null);
	if (known.length !== vkeys.length) return { outcome: "malformed_vkey" };
	const parsed = parseNote(note);
	if (!parsed) return { outcome: "malformed_note" };
	const verified: NoteSignature[] = [];
	const unknown: NoteSignature[] = [];
	for (const signature of parsed.signatures) {
		const sameKey = ({ name, keyHash }: Pick<NoteSignature, "name" | "keyHash">) =>
			name === signature.name && keyHash === signature.keyHash;
		const [key, ...others] = known.filter(sameKey);
		if (others.length > 0) return { outcome: "ambiguous_key" };
		if (!key) {
			if (!unknown.some((seen) => sameKey(seen) && seen.signature === signature.signature)) unknown.push(signature);
			continue;
		}
		// Only a key's first signature counts. Further ones are skipped.
		if (verified.some(sameKey)) continue;
		if (!(await key.verifier.verify(parsed.text, signature.signature))) return { outcome: "invalid_signature" };
		verified.push(signature);
	}
	return verified.length > 0
		? { outcome: "verified", text: parsed.text, verified, unknown }
		: { outcome: "unverified" };
}
