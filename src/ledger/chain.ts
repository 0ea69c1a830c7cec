// Verifies a whole chain, page by page. Integrity (nothing changed) and completeness (nothing missing) are two
// verdicts. Fetching the pages and remembering the result are left to the caller.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { asHash, type Hash, hashBytes } from "../proof/hash.ts";
import { leafHash, merkleRoot } from "../proof/merkle.ts";
import { createVerifier, fromBase64, type PublicKeyEntry, type Verifier } from "../proof/signing.ts";
import { type HandoffRow, renderSubject } from "./entry.ts";

export type ChainFaultName =
	| "seq_gap"
	| "prev_link_broken"
	| "subject_mismatch"
	| "hash_mismatch"
	| "signature_invalid"
	| "unsigned_after_signed"
	| "unknown_key"
	| "owner_mismatch"
	| "head_mismatch";

/**
 * The start of a chain, verified in full. The root covers every subject. An entry's signature and key id are not in its
 * own subject, so a digest of their own covers them.
 */
export interface VerifiedPrefix {
	size: number;
	root: Hash;
	/** SHA-256 over every entry's signature and key id, in order. */
	seals: Hash;
}

/** The head that the chain's writer stores; `last` is null for an empty chain. */
export interface ChainHead {
	size: number;
	root: Hash;
	last: Pick<HandoffRow, "id" | "hash" | "signature" | "key_id"> | null;
}

/** What the reader already knows of the chain. */
export interface ChainExpectation {
	size?: number | undefined;
	head?: string | undefined;
}

/** The verdicts (docs/proofs.md, "Two verdicts"). */
export interface ChainVerdict {
	ok: boolean;
	/** Number of entries found. */
	n: number;
	/** The lowest position among the reasons. */
	first_broken_index: number | null;
	/** `<name>:<position>`, lowest first, at most 100. */
	reasons: string[];
	/** Whether the entries that the reader expects are there; null when it expects none. */
	complete: boolean | null;
	/** Whose workspace its entries say that it is; null when none of them says it. */
	owner: string | null;
	/** What the verdict does not tell. */
	notes: string[];
}

interface ChainVerification {
	verdict: ChainVerdict;
	/** What the caller may remember; null unless the chain is sound. */
	verified: VerifiedPrefix | null;
	/** Number of Ed25519 verifications. */
	signatureChecks: number;
}

/** The chain to verify, and what is known of it. */
export interface VerifyChainOptions {
	/** The chain's entries in the order of (seq, id). Each call starts at the first entry. */
	pages: () => AsyncIterable<readonly HandoffRow[]>;
	/** The head when the first page was read. */
	head: ChainHead;
	keys: readonly PublicKeyEntry[];
	verified: VerifiedPrefix | null;
	expected: ChainExpectation;
	/** Whose workspace the reader knows that it is, as `owner` of entries; null when the reader does not know. */
	owner: string | null;
}

const MAX_CHAIN_REASONS = 100;

interface ChainFault {
	name: ChainFaultName;
	position: number;
}

/** Collects faults and keeps those at the lowest hundred positions. */
class ChainFaults {
	#faults: ChainFault[] = [];

	add(name: ChainFaultName, position: number): void {
		this.#faults.push({ name, position });
		if (this.#faults.length > 2 * MAX_CHAIN_REASONS) this.#faults = this.lowest();
	}

	lowest(): ChainFault[] {
		return this.#faults.toSorted((a, b) => a.position - b.position).slice(0, MAX_CHAIN_REASONS);
	}
}

/** Checks signatures against the service's keys. Each key is imported once. */
class SignatureChecker {
	/** Number of Ed25519 verifications. */
	checks = 0;
	#verifiers: ReadonlyMap<string, Verifier>;

	constructor(keys: readonly PublicKeyEntry[]) {
		this.#verifiers = new Map(
			keys.map(({ key_id, public_key }) => [key_id, createVerifier(fromBase64(public_key) ?? new Uint8Array())]),
		);
	}

	isKnown(keyId: string | null): boolean {
		return keyId !== null && this.#verifiers.has(keyId);
	}

	async verify(row: HandoffRow, subject: Uint8Array): Promise<boolean> {
		const signature = fromBase64(`${row.signature}`);
		const verifier = this.#verifiers.get(row.key_id ?? "");
		this.checks++;
		return signature && verifier ? verifier.verifyBytes(subject, signature) : false;
	}
}

/** One pass over a chain. */
class ChainPass {
	n = 0;
	#faults: ChainFaults;
	#signatures: SignatureChecker;
	#skipBefore: number;
	#expected: ChainExpectation;
	#leaves: Uint8Array[] = [];
	#root: Hash | null = null;
	#seals = sha256.create();
	#skippedSeals: Hash | null = null;
	#previous: HandoffRow | null = null;
	#signedBefore = false;
	#expectedHeadSeen = false;
	#knownOwner: string | null;
	/** The owner that the first entry with one names. */
	owner: string | null = null;
	/** Entries that name none. */
	#ownerless = 0;

	/** @param skipBefore position of the first entry whose signature is verified. */
	constructor(
		{ expected, owner }: Pick<VerifyChainOptions, "expected" | "owner">,
		faults: ChainFaults,
		signatures: SignatureChecker,
		skipBefore: number,
	) {
		this.#faults = faults;
		this.#signatures = signatures;
		this.#skipBefore = skipBefore;
		this.#expected = expected;
		this.#knownOwner = owner;
	}

	async add(page: readonly HandoffRow[]): Promise<void> {
		const checks: Promise<void>[] = [];
		for (const row of page) {
			const position = this.n++;
			// A column that was tampered with may hold a number or bytes.
			const subject = utf8ToBytes(`${row.subject}`);
			this.#checkLinks(row, position);
			this.#checkHashes(row, position, subject);
			this.#checkOwner(row.owner ?? null, position);
			if (this.#mustVerify(row, position)) checks.push(this.#checkSignature(row, position, subject));
			this.#addSeal(row, position);
			this.#previous = row;
		}
		await Promise.all(checks);
	}

	#checkLinks(row: HandoffRow, position: number): void {
		const previous = this.#previous;
		if (row.seq !== (previous ? previous.seq + 1 : 0)) this.#faults.add("seq_gap", position);
		const linked =
			row.prev_handoff_id === (previous?.id ?? null) &&
			row.prev_hash === (previous?.hash ?? null) &&
			row.prev_signature === (previous?.signature ?? null);
		if (!linked) this.#faults.add("prev_link_broken", position);
	}

	/** Once an entry has named the owner, all after it do, and the same one. */
	#checkOwner(owner: string | null, position: number): void {
		if (owner === null) {
			this.#ownerless++;
			if (this.owner !== null) this.#faults.add("owner_mismatch", position);
			return;
		}
		this.owner ??= owner;
		if (owner !== (this.#knownOwner ?? this.owner)) this.#faults.add("owner_mismatch", position);
	}

	notes(): string[] {
		if (this.#ownerless === 0) return [];
		return [
			`${this.#ownerless} of ${this.n} entries do not say whose workspace they are of: only a checkpoint tells it`,
		];
	}

	#checkHashes(row: HandoffRow, position: number, subject: Uint8Array): void {
		const leaf = leafHash(subject);
		const hash = hashBytes(subject);
		this.#leaves.push(leaf);
		if (renderSubject(row) !== row.subject) this.#faults.add("subject_mismatch", position);
		if (hash !== row.hash || asHash(leaf) !== row.leaf_hash) this.#faults.add("hash_mismatch", position);
		const { size, head } = this.#expected;
		if (hash === head && (size === undefined || size === position + 1)) this.#expectedHeadSeen = true;
	}

	/** Reports the faults of a seal that need no verification. Returns whether the signature must be verified. */
	#mustVerify(row: HandoffRow, position: number): boolean {
		const signedBefore = this.#signedBefore;
		if (row.signature === null) {
			if (signedBefore) this.#faults.add("unsigned_after_signed", position);
			// The entry names a key but has no signature, so the signature was removed.
			if (row.key_id !== null) this.#faults.add("signature_invalid", position);
			return false;
		}
		this.#signedBefore = true;
		if (this.#signatures.isKnown(row.key_id)) return position >= this.#skipBefore;
		this.#faults.add("unknown_key", position);
		return false;
	}

	async #checkSignature(row: HandoffRow, position: number, subject: Uint8Array): Promise<void> {
		if (!(await this.#signatures.verify(row, subject))) this.#faults.add("signature_invalid", position);
	}

	#addSeal(row: HandoffRow, position: number): void {
		this.#seals.update(utf8ToBytes(`${JSON.stringify([row.signature, row.key_id])}\n`));
		if (position + 1 === this.#skipBefore) this.#skippedSeals = this.sealsDigest();
	}

	/** Whether the entries with skipped signatures are the ones that were verified before. */
	isPrefix({ size, root, seals }: VerifiedPrefix): boolean {
		if (this.n < size || this.#skippedSeals !== seals) return false;
		return (size === this.n ? this.root : this.#rootAt(size)) === root;
	}

	#rootAt(size: number): Hash {
		return asHash(merkleRoot(this.#leaves.slice(0, size)));
	}

	/** Root over all entries; read it after the last one. It costs n hashes, so it is computed once. */
	get root(): Hash {
		this.#root ??= this.#rootAt(this.n);
		return this.#root;
	}

	sealsDigest(): Hash {
		return asHash(this.#seals.clone().digest());
	}

	checkHead({ size, root, last }: ChainHead): void {
		const found = this.#previous;
		const same =
			this.n === size &&
			found?.id === last?.id &&
			found?.hash === last?.hash &&
			found?.signature === last?.signature &&
			found?.key_id === last?.key_id;
		// With the same last entry, a different root is caused by a fault that is reported at its own position.
		const explained = this.#faults.lowest().length > 0;
		if (!same || (!explained && this.root !== root)) this.#faults.add("head_mismatch", this.n);
	}

	isComplete(): boolean | null {
		const { size, head } = this.#expected;
		if (size === undefined && head === undefined) return null;
		return (size === undefined || this.n >= size) && (head === undefined || this.#expectedHeadSeen);
	}
}

/** Verifies the signatures of the first `size` entries, which the first pass skipped. */
async function checkPrefixSignatures(
	options: VerifyChainOptions,
	size: number,
	faults: ChainFaults,
	signatures: SignatureChecker,
) {
	let position = 0;
	for await (const page of options.pages()) {
		for (const row of page) {
			if (position >= size) return;
			const signed = row.signature !== null && signatures.isKnown(row.key_id);
			if (signed && !(await signatures.verify(row, utf8ToBytes(`${row.subject}`)))) {
				faults.add("signature_invalid", position);
			}
			position++;
		}
	}
}

/**
 * Verifies a chain. Hashes, links and the root are always checked; signatures of a verified prefix are skipped. When
 * the entries are not that prefix, a second pass verifies the skipped signatures.
 */
export async function verifyChain(options: VerifyChainOptions): Promise<ChainVerification> {
	const { head, keys, verified } = options;
	const faults = new ChainFaults();
	const signatures = new SignatureChecker(keys);
	const pass = new ChainPass(options, faults, signatures, verified?.size ?? 0);
	for await (const page of options.pages()) await pass.add(page);
	if (verified && !pass.isPrefix(verified)) await checkPrefixSignatures(options, verified.size, faults, signatures);
	pass.checkHead(head);
	const found = faults.lowest();
	const ok = found.length === 0;
	return {
		verdict: {
			ok,
			n: pass.n,
			first_broken_index: found[0]?.position ?? null,
			reasons: found.map(({ name, position }) => `${name}:${position}`),
			complete: pass.isComplete(),
			owner: pass.owner,
			notes: pass.notes(),
		},
		verified: ok ? { size: pass.n, root: pass.root, seals: pass.sealsDigest() } : null,
		signatureChecks: signatures.checks,
	};
}
