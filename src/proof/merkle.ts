// RFC 6962 Merkle trees over SHA-256: roots, compact ranges, inclusion and consistency proofs. What a leaf contains is
// left to the caller.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

const HASH_BYTES = 32;
// RFC 6962, section 2.1: the prefixes keep a leaf from passing as a node.
const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;

/** Root of the empty tree: SHA-256 of no bytes. */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array());

/** SHA-256(0x00 || bytes). */
export function leafHash(bytes: Uint8Array): Uint8Array {
	return sha256.create().update(Uint8Array.of(LEAF_PREFIX)).update(bytes).digest();
}

/** SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
	return sha256.create().update(Uint8Array.of(NODE_PREFIX)).update(left).update(right).digest();
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
// Without bit operations, because sizes may exceed 32 bits.
const isOdd = (value: number) => value % 2 === 1;
const halve = (value: number) => Math.floor(value / 2);

/** The roots of a tree's complete subtrees, one per 1 in the binary form of its size. Can be stored as JSON. */
export interface CompactRange {
	/** Number of leaves. */
	readonly size: number;
	/** 64 lower-case hex digits each, the largest subtree first. */
	readonly hashes: readonly string[];
}

export const EMPTY_RANGE: CompactRange = { size: 0, hashes: [] };

function foldRight(hashes: readonly Uint8Array[]): Uint8Array {
	return hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => nodeHash(left, right));
}

/**
 * The range with one more leaf; the argument is not changed. O(log n), one node hash on average.
 * @throws RangeError when the range lacks a subtree that its size requires.
 */
export function appendLeaf({ size, hashes }: CompactRange, leaf: Uint8Array): CompactRange {
	let hash = leaf;
	let remaining = hashes.length;
	// Each trailing 1 of the size is a complete subtree that now gets its right sibling.
	for (let rest = size; isOdd(rest); rest = halve(rest)) {
		const left = hashes[--remaining];
		if (left === undefined) throw new RangeError(`a range of ${size} leaves lacks a hash`);
		hash = nodeHash(hexToBytes(left), hash);
	}
	return { size: size + 1, hashes: [...hashes.slice(0, remaining), bytesToHex(hash)] };
}

/** Root of a range's tree. O(log n). */
export function rangeRoot({ hashes }: CompactRange): Uint8Array {
	return foldRight(hashes.map((hash) => hexToBytes(hash)));
}

/** Root over the leaves from `low` up to, not including, `high`. Like a range, but without hex in between. */
function rootBetween(leafHashes: readonly Uint8Array[], low: number, high: number): Uint8Array {
	const subtrees: Uint8Array[] = [];
	for (const [count, leaf] of leafHashes.slice(low, high).entries()) {
		let hash = leaf;
		for (let rest = count; isOdd(rest); rest = halve(rest)) {
			const left = subtrees.pop();
			if (!left) throw new RangeError(`no subtree to the left of leaf ${low + count}`);
			hash = nodeHash(left, hash);
		}
		subtrees.push(hash);
	}
	return foldRight(subtrees);
}

/** Root of the tree over all leaf hashes. O(n). */
export function merkleRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
	return rootBetween(leafHashes, 0, leafHashes.length);
}

/** The largest power of two below `count` (RFC 6962's k); `count` from 2 to 2^32. */
function splitPoint(count: number): number {
	return 2 ** (31 - Math.clz32(count - 1));
}

/**
 * Audit path of leaf `index` in the tree over the first `size` leaves, from the leaf's sibling up (RFC 6962, 2.1.1).
 * @throws RangeError unless 0 <= index < size <= leaves.
 */
export function inclusionProof(leafHashes: readonly Uint8Array[], index: number, size: number): Uint8Array[] {
	if (!isCount(index) || !isCount(size) || index >= size || size > leafHashes.length) {
		throw new RangeError(`no leaf ${index} in a tree of ${size} over ${leafHashes.length} leaves`);
	}
	const path: Uint8Array[] = [];
	let low = 0;
	let high = size;
	while (high - low > 1) {
		const middle = low + splitPoint(high - low);
		if (index < middle) {
			path.push(rootBetween(leafHashes, middle, high));
			high = middle;
		} else {
			path.push(rootBetween(leafHashes, low, middle));
			low = middle;
		}
	}
	return path.reverse();
}

/**
 * Proof that the tree over the first `from` leaves is a prefix of the one over the first `to` (RFC 6962, 2.1.2). Empty
 * when `from` is 0 or `to`, because then there is nothing to prove.
 * @throws RangeError unless 0 <= from <= to <= leaves.
 */
export function consistencyProof(leafHashes: readonly Uint8Array[], from: number, to: number): Uint8Array[] {
	if (!isCount(from) || !isCount(to) || from > to || to > leafHashes.length) {
		throw new RangeError(`no trees of ${from} and ${to} over ${leafHashes.length} leaves`);
	}
	if (from === 0) return [];
	const path: Uint8Array[] = [];
	let low = 0;
	let high = to;
	while (from !== high) {
		const middle = low + splitPoint(high - low);
		if (from <= middle) {
			path.push(rootBetween(leafHashes, middle, high));
			high = middle;
		} else {
			path.push(rootBetween(leafHashes, low, middle));
			low = middle;
		}
	}
	// If the path never went right, the remaining subtree is the old tree itself, and the verifier has its root.
	if (low > 0) path.push(rootBetween(leafHashes, low, high));
	return path.reverse();
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
	return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

const areHashes = (hashes: readonly Uint8Array[]) => hashes.every((hash) => hash.length === HASH_BYTES);

/** A node's position on the way up: its number on its level, and the number of the level's last node. */
interface NodePosition {
	node: number;
	last: number;
}

/** Whether the next hash of the path is the left sibling (RFC 9162, 2.1.3.2, step 4). */
const isRightChild = ({ node, last }: NodePosition) => isOdd(node) || node === last;

/** The position one hash further up. A node without a right sibling rises until it has a left one. */
function parentPosition(place: NodePosition): NodePosition {
	let { node, last } = place;
	if (isRightChild(place)) {
		while (!isOdd(node) && node !== 0) {
			node = halve(node);
			last = halve(last);
		}
	}
	return { node: halve(node), last: halve(last) };
}

/** A claim that a tree contains a leaf at an index. Hashes are 32 bytes. */
interface InclusionClaim {
	leafHash: Uint8Array;
	/** 0-based. */
	index: number;
	/** Leaves of the tree. */
	size: number;
	proof: readonly Uint8Array[];
	root: Uint8Array;
}

/** Whether the proof leads from this leaf at this index to this root (RFC 9162, 2.1.3.2). */
export function verifyInclusion({ leafHash: leaf, index, size, proof, root }: InclusionClaim): boolean {
	if (!isCount(index) || !isCount(size) || index >= size || !areHashes([leaf, ...proof])) return false;
	let place: NodePosition = { node: index, last: size - 1 };
	let hash = leaf;
	for (const sibling of proof) {
		if (place.last === 0) return false;
		hash = isRightChild(place) ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
		place = parentPosition(place);
	}
	return place.last === 0 && equalBytes(hash, root);
}

/** A claim that the second tree continues the first. Hashes are 32 bytes. */
interface ConsistencyClaim {
	/** Leaves of the first tree. */
	from: number;
	/** Leaves of the second tree. */
	to: number;
	proof: readonly Uint8Array[];
	fromRoot: Uint8Array;
	toRoot: Uint8Array;
}

/**
 * Whether the proof shows that the first tree is a prefix of the second (RFC 9162, 2.1.4.2). The empty tree proves
 * nothing about another tree, so it is consistent only with itself.
 */
export function verifyConsistency({ from, to, proof, fromRoot, toRoot }: ConsistencyClaim): boolean {
	if (!isCount(from) || !isCount(to) || from > to || !areHashes(proof)) return false;
	if (from === to) {
		return proof.length === 0 && equalBytes(fromRoot, toRoot) && (from > 0 || equalBytes(fromRoot, EMPTY_ROOT));
	}
	if (from === 0 || proof.length === 0 || fromRoot.length !== HASH_BYTES) return false;
	let place: NodePosition = { node: from - 1, last: to - 1 };
	while (isOdd(place.node)) place = { node: halve(place.node), last: halve(place.last) };
	// Node 0 here is the whole first tree, whose root a proof omits.
	const [seed = fromRoot, ...path] = place.node === 0 ? [fromRoot, ...proof] : proof;
	let first = seed;
	let second = seed;
	for (const sibling of path) {
		if (place.last === 0) return false;
		if (isRightChild(place)) {
			first = nodeHash(sibling, first);
			second = nodeHash(sibling, second);
		} else {
			second = nodeHash(second, sibling);
		}
		place = parentPosition(place);
	}
	return place.last === 0 && equalBytes(first, fromRoot) && equalBytes(second, toRoot);
}
