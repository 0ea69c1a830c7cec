// The handoff ledger a second time, written from docs/proofs.md with node:crypto alone: a stranger's way to
// build and check chains and checkpoints (trees: second-merkle.ts). Nothing of it may come from src or from noble: what
// both agree on is worth something.
import { fromBase64, keyIdOf, type SigningKey, verifyBytes } from "./second-ed25519.ts";
import { sha256 } from "./second-merkle.ts";

/** H over the UTF-8 bytes of a text. */
export function textHash(text: string): string {
	return `sha256:${sha256(text).toString("hex")}`;
}

/** HS over the UTF-8 bytes of a text. @param salt in hex digits. */
export function saltedHash(salt: string, text: string | Buffer): string {
	return `sha256:${sha256("svc.salted.v2\0", Buffer.from(salt, "hex"), text).toString("hex")}`;
}

/** RFC 8785. @throws RangeError for what it cannot represent. */
export function canonical(value: unknown): string {
	if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("not a JSON number");
	if (typeof value === "string" && !value.isWellFormed()) throw new RangeError("a lone surrogate");
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (typeof value !== "object" || value === null) {
		const text = JSON.stringify(value);
		if (text === undefined) throw new RangeError(`no JSON form: ${typeof value}`);
		return text;
	}
	const members = new Map<string, unknown>(Object.entries(value));
	// `sort` without a comparator is by UTF-16 code units, as 3.2.3 demands.
	const keys = [...members.keys()].sort();
	return `{${keys.map((key) => `${canonical(key)}:${canonical(members.get(key))}`).join(",")}}`;
}

/** What an entry says, without its links. */
export interface Handoff {
	id: string;
	workspace_id: string;
	/** Null in entries of version 1. */
	owner: string | null;
	objective: string;
	from_tool: string | null;
	to_tool: string | null;
	files_touched: string[];
	constraints: string[];
	risks: { id: string; description: string }[];
	validation: { id: string; description: string }[];
	recommended_next_action: string | null;
	action_kind: string;
	est_cost: number | null;
	risk: { score: number; tier: string; factors: string[] };
	created_at: string;
}

/** An entry as the service returns it. */
export interface ChainEntry extends Handoff {
	seq: number;
	prev_handoff_id: string | null;
	prev_hash: string | null;
	prev_signature: string | null;
	subject: string;
	hash: string;
	signature: string | null;
	key_id: string | null;
}

const itemsOf = (items: Handoff["risks"]) => items.map(({ id, description }) => ({ id, description }));

/** C over exactly the members that are signed. */
export function subjectOf(entry: Omit<ChainEntry, "subject" | "hash" | "signature" | "key_id">): string {
	return canonical({
		...(entry.owner === null ? { type: "svc.handoff.v1" } : { type: "svc.handoff.v2", owner: entry.owner }),
		id: entry.id,
		workspace_id: entry.workspace_id,
		seq: entry.seq,
		objective: entry.objective,
		from_tool: entry.from_tool,
		to_tool: entry.to_tool,
		files_touched: entry.files_touched,
		constraints: entry.constraints,
		risks: itemsOf(entry.risks),
		validation: itemsOf(entry.validation),
		recommended_next_action: entry.recommended_next_action,
		action_kind: entry.action_kind,
		est_cost: entry.est_cost,
		risk: { score: entry.risk.score, tier: entry.risk.tier, factors: entry.risk.factors },
		prev_handoff_id: entry.prev_handoff_id,
		prev_hash: entry.prev_hash,
		prev_signature: entry.prev_signature,
		created_at: entry.created_at,
	});
}

/** The entry that follows `previous` (undefined: the first). */
export function chainEntry(previous: ChainEntry | undefined, handoff: Handoff, key: SigningKey | null): ChainEntry {
	const linked = {
		...handoff,
		seq: previous ? previous.seq + 1 : 0,
		prev_handoff_id: previous?.id ?? null,
		prev_hash: previous?.hash ?? null,
		prev_signature: previous?.signature ?? null,
	};
	const subject = subjectOf(linked);
	const signature = key?.sign(subject) ?? null;
	return { ...linked, subject, hash: textHash(subject), signature, key_id: key?.keyId ?? null };
}

export interface ChainVerdict {
	ok: boolean;
	n: number;
	first_broken_index: number | null;
	/** `<name>:<position>`; `head_mismatch` is not among them, as only the service remembers a head. */
	reasons: string[];
}

function signatureFaults(entry: ChainEntry, keys: ReadonlyMap<string, Buffer>, signedBefore: boolean): string[] {
	if (entry.signature === null) {
		// A key that signed nothing: the signature was taken away.
		return [
			...(signedBefore ? ["unsigned_after_signed"] : []),
			...(entry.key_id === null ? [] : ["signature_invalid"]),
		];
	}
	const key = keys.get(entry.key_id ?? "");
	if (!key || keyIdOf(key) !== entry.key_id) return ["unknown_key"];
	const signature = fromBase64(String(entry.signature));
	const holds = signature !== null && verifyBytes(key, Buffer.from(String(entry.subject), "utf8"), signature);
	return holds ? [] : ["signature_invalid"];
}

/**
 * Checks a chain, oldest entry first. A member that was tampered with may be of any type: that is a fault, not an error.
 * @param keys raw public keys by key id.
 */
export function verifyChain(entries: readonly ChainEntry[], keys: ReadonlyMap<string, Buffer>): ChainVerdict {
	let signedBefore = false;
	let owner: string | null = null;
	const broken = entries.flatMap((entry, position) => {
		const previous = position > 0 ? entries[position - 1] : undefined;
		const faults = [
			entry.seq === (previous ? previous.seq + 1 : 0) ? null : "seq_gap",
			entry.prev_handoff_id === (previous?.id ?? null) &&
			entry.prev_hash === (previous?.hash ?? null) &&
			entry.prev_signature === (previous?.signature ?? null)
				? null
				: "prev_link_broken",
			entry.subject === subjectOf(entry) ? null : "subject_mismatch",
			entry.hash === textHash(String(entry.subject)) ? null : "hash_mismatch",
			owner !== null && entry.owner !== owner ? "owner_mismatch" : null,
			...signatureFaults(entry, keys, signedBefore),
		];
		owner ??= entry.owner;
		signedBefore ||= entry.signature !== null;
		return faults.filter((fault) => fault !== null).map((fault) => ({ fault, position }));
	});
	return {
		ok: broken.length === 0,
		n: entries.length,
		first_broken_index: broken[0]?.position ?? null,
		reasons: broken.map(({ fault, position }) => `${fault}:${position}`),
	};
}

// --- Checkpoints

function typedKey(publicKey: Buffer): Buffer {
	return Buffer.concat([Buffer.of(1), publicKey]);
}

function noteKeyHash(name: string, publicKey: Buffer): Buffer {
	return sha256(`${name}\n`, typedKey(publicKey)).subarray(0, 4);
}

/** `<name>+<8 hex>+<base64(0x01 || key)>`. */
export function vkeyOf(name: string, publicKey: Buffer): string {
	return `${name}+${noteKeyHash(name, publicKey).toString("hex")}+${typedKey(publicKey).toString("base64")}`;
}

/** A signed checkpoint; the origin is the key name. */
export function checkpointNote(origin: string, size: number, root: Buffer, key: SigningKey): string {
	const body = `${origin}\n${size}\n${root.toString("base64")}\n`;
	const signature = Buffer.concat([noteKeyHash(origin, key.publicKey), Buffer.from(key.sign(body), "base64")]);
	return `${body}\n— ${origin} ${signature.toString("base64")}\n`;
}

/** What a checkpoint with exactly one signature, by the key of `vkey`, says; null when anything about it is wrong. */
export function readCheckpoint(note: string, vkey: string): { origin: string; size: number; root: Buffer } | null {
	const [name = "", keyHash = "", ...rest] = vkey.split("+");
	const key = fromBase64(rest.join("+"));
	if (key?.length !== 33 || key[0] !== 1) return null;
	const publicKey = key.subarray(1);
	if (noteKeyHash(name, publicKey).toString("hex") !== keyHash) return null;
	const lines = note.split("\n");
	const [origin = "", size = "", rootBase64 = "", blank, signatureLine = "", end] = lines;
	if (lines.length !== 6 || blank !== "" || end !== "" || origin !== name) return null;
	if (!/^(?:0|[1-9]\d*)$/.test(size)) return null;
	const root = fromBase64(rootBase64);
	const prefix = `— ${name} `;
	const signature = signatureLine.startsWith(prefix) ? fromBase64(signatureLine.slice(prefix.length)) : null;
	if (root?.length !== 32 || signature?.subarray(0, 4).toString("hex") !== keyHash) return null;
	const body = `${origin}\n${size}\n${rootBase64}\n`;
	const holds = verifyBytes(publicKey, Buffer.from(body, "utf8"), signature.subarray(4));
	return holds ? { origin, size: Number(size), root } : null;
}

/** The content of an entry of the workspace `shop`, another one for each number. */
export function plainHandoff(index: number, owner: string): Handoff {
	return {
		id: `ho_${index}`,
		workspace_id: "shop",
		owner,
		objective: `Hand on ${index}`,
		from_tool: null,
		to_tool: "Ada",
		files_touched: ["a.ts"],
		constraints: [],
		risks: [{ id: "r", description: "é" }],
		validation: [],
		recommended_next_action: null,
		action_kind: "edit",
		est_cost: index === 0 ? 1e-7 : null,
		risk: { score: 5, tier: "auto", factors: [] },
		created_at: "2026-07-22T10:00:00.000Z",
	};
}
