// Signed notes and tree checkpoints in the public C2SP formats (c2sp.org/signed-note, c2sp.org/tlog-checkpoint): written,
// read and verified. Where a checkpoint's root comes from is left to the ledger.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { createVerifier, fromBase64, type Signer, toBase64, type Verifier } from "./signing.ts";

/** Signature type byte of plain Ed25519. */
const ED25519 = 0x01;
const KEY_HASH_BYTES = 4;
/** More signatures than this make a note malformed, as in golang.org/x/mod/sumdb/note. */
const MAX_SIGNATURES = 100;

/** Key names are not empty and hold no Unicode space and no plus. */
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
 * @throws RangeError for a name that is no key name.
 */
export function toVkey(name: string, publicKey: Uint8Array): string {
	if (!isKeyName(name)) throw new RangeError(`not a key name: ${JSON.stringify(name)}`);
	const key = toBase64(concatBytes(Uint8Array.of(ED25519), publicKey));
	return `${name}+${bytesToHex(toKeyHash(name, publicKey))}+${key}`;
}

/** Origin line of a workspace's checkpoints, which is also the name of the key that signs them:
 * `<LOG_ORIGIN>/<first 16 hex of SHA-256(user_id)>/<workspace_id>`: apart per user, and telling nobody who the user is.
 */
export function checkpointOrigin(logOrigin: string, userId: string, workspaceId: string): string {
	return `${logOrigin}/${bytesToHex(sha256(utf8ToBytes(userId))).slice(0, 16)}/${workspaceId}`;
}

/** What a checkpoint says about a tree. */
export interface Checkpoint {
	/** Identity of the log; also its key name. */
	origin: string;
	/** Number of leaves. */
	size: number;
	/** RFC 6962 root, 32 bytes. */
	root: Uint8Array;
}

/** The text of a checkpoint: origin, size and root, each on a line of its own. */
export function renderCheckpoint({ origin, size, root }: Checkpoint): string {
	return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** The checkpoint a note's text is, or null. Extension lines are allowed and not read. */
export function parseCheckpoint(text: string): Checkpoint | null {
	const [, origin = "", digits = "", rootBase64 = ""] =
		/^([^\n]+)\n(0|[1-9]\d*)\n([^\n]+)\n(?:[^\n]+\n)*$/.exec(text) ?? [];
	const size = Number(digits);
	const root = fromBase64(rootBase64);
	return origin !== "" && Number.isSafeInteger(size) && root?.length === 32 ? { origin, size, root } : null;
}

/**
 * A note of `body` with one Ed25519 signature by `name`.
 * @throws RangeError for a body without a final newline or with control characters, or a name that is no key name.
 */
export function signNote(body: string, name: string, signer: Pick<Signer, "publicKey" | "signSync">): string {
	if (!isKeyName(name)) throw new RangeError(`not a key name: ${JSON.stringify(name)}`);
	if (!isNoteText(body) || !body.endsWith("\n")) throw new RangeError("not a note's text");
	const signature = fromBase64(signer.signSync(body)) ?? new Uint8Array();
	return `${body}\n— ${name} ${toBase64(concatBytes(toKeyHash(name, signer.publicKey), signature))}\n`;
}

/** No ASCII control characters but the newline, and nothing that UTF-8 cannot carry. */
function isNoteText(text: string): boolean {
	return text.isWellFormed() && ![...text].some((char) => char < " " && char !== "\n");
}

/** One signature line, not yet verified. */
interface NoteSignature {
	name: string;
	/** 8 lower-case hex digits. */
	keyHash: string;
	/** Standard base64, without the key hash. */
	signature: string;
}

/** A note taken apart, nothing of it verified. */
interface Note {
	/** What is signed: with its final newline, without the blank line. */
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

/** Takes a note apart; null when it is malformed. Bytes that are not UTF-8 make it so. */
export function parseNote(note: string | Uint8Array): Note | null {
	const whole = typeof note === "string" ? note : decodeUtf8(note);
	if (whole === null || !isNoteText(whole)) return null;
	// The last blank line separates: a text may hold others.
	const split = whole.lastIndexOf("\n\n");
	if (split < 0 || !whole.endsWith("\n") || whole.length === split + 2) return null;
	const lines = whole.slice(split + 2, -1).split("\n");
	if (lines.length > MAX_SIGNATURES) return null;
	const signatures = lines.map(parseSignatureLine).filter((signature) => signature !== null);
	return signatures.length === lines.length ? { text: whole.slice(0, split + 1), signatures } : null;
}

/** What a note is worth to somebody who trusts certain keys. Whatever is not `verified` is to be ignored as a whole. */
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
 * Verifies a note against trusted verifier keys, as golang.org/x/mod/sumdb/note does: signatures of unknown keys are
 * passed over, a wrong one of a known key refuses the note, and so does the lack of any right one.
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
		// Only a key's first signature counts; what repeats it is not looked at.
		if (verified.some(sameKey)) continue;
		if (!(await key.verifier.verify(parsed.text, signature.signature))) return { outcome: "invalid_signature" };
		verified.push(signature);
	}
	return verified.length > 0
		? { outcome: "verified", text: parsed.text, verified, unknown }
		: { outcome: "unverified" };
}
