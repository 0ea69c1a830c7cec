// RFC 6962 trees a second time, recursive as its definitions read, where src goes step by step.
import { createHash } from "node:crypto";

/** SHA-256 over the parts, one after another. */
export function sha256(...parts: (Buffer | string)[]): Buffer {
	const hash = createHash("sha256");
	for (const part of parts) hash.update(part);
	return hash.digest();
}

export const leafOf = (subject: string): Buffer => sha256(Buffer.of(0), subject);
const nodeOf = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right);

function splitOf(size: number): number {
	let k = 1;
	while (k * 2 < size) k *= 2;
	return k;
}

/** MTH over leaf hashes. */
export function treeRoot(leaves: readonly Buffer[]): Buffer {
	const [first] = leaves;
	if (!first) return sha256();
	if (leaves.length === 1) return first;
	const k = splitOf(leaves.length);
	return nodeOf(treeRoot(leaves.slice(0, k)), treeRoot(leaves.slice(k)));
}

/** PATH(m, D[n]). */
export function inclusionPath(index: number, leaves: readonly Buffer[]): Buffer[] {
	if (leaves.length <= 1) return [];
	const k = splitOf(leaves.length);
	const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
	return index < k
		? [...inclusionPath(index, left), treeRoot(right)]
		: [...inclusionPath(index - k, right), treeRoot(left)];
}

/** SUBPROOF(m, D[n], b); PROOF(m, D[n]) with `whole` true. */
export function consistencyPath(from: number, leaves: readonly Buffer[], whole = true): Buffer[] {
	if (from === leaves.length) return whole ? [] : [treeRoot(leaves)];
	const k = splitOf(leaves.length);
	const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
	return from <= k
		? [...consistencyPath(from, left, whole), treeRoot(right)]
		: [...consistencyPath(from - k, right, false), treeRoot(left)];
}

function take(path: Buffer[]): Buffer {
	const hash = path.pop();
	if (hash?.length !== 32) throw new RangeError("the path is too short, or holds what is no hash");
	return hash;
}

function rootAbove(leaf: Buffer, index: number, size: number, path: Buffer[]): Buffer {
	if (size === 1) return leaf;
	const k = splitOf(size);
	const sibling = take(path);
	return index < k
		? nodeOf(rootAbove(leaf, index, k, path), sibling)
		: nodeOf(sibling, rootAbove(leaf, index - k, size - k, path));
}

/** Whether the path leads from the leaf hash at `index` to the root of a tree of `size`. */
export function verifyInclusion(
	leaf: Buffer,
	index: number,
	size: number,
	path: readonly Buffer[],
	root: Buffer,
): boolean {
	if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
	try {
		const rest = [...path];
		return rootAbove(leaf, index, size, rest).equals(root) && rest.length === 0;
	} catch {
		return false;
	}
}

/** Roots of the old and the new tree below one node. `whole`: the old tree's own root, which the path leaves out. */
function rootsAbove(from: number, size: number, path: Buffer[], whole: Buffer | null): [Buffer, Buffer] {
	if (from === size) {
		const root = whole ?? take(path);
		return [root, root];
	}
	const k = splitOf(size);
	const sibling = take(path);
	if (from <= k) {
		const [old, grown] = rootsAbove(from, k, path, whole);
		return [old, nodeOf(grown, sibling)];
	}
	const [old, grown] = rootsAbove(from - k, size - k, path, null);
	return [nodeOf(sibling, old), nodeOf(sibling, grown)];
}

/** Whether the tree of `from` leaves is a prefix of that of `to`; 0 < from <= to. */
export function verifyConsistency(
	from: number,
	to: number,
	path: readonly Buffer[],
	fromRoot: Buffer,
	toRoot: Buffer,
): boolean {
	if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 1 || from > to) return false;
	try {
		const rest = [...path];
		const [old, grown] = rootsAbove(from, to, rest, fromRoot);
		return old.equals(fromRoot) && grown.equals(toRoot) && rest.length === 0;
	} catch {
		return false;
	}
}
