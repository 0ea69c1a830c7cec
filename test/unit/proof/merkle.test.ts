// Merkle trees: RFC 6962's drawn tree, agreement with the second implementation, and no proof that survives a change.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	appendLeaf,
	type CompactRange,
	consistencyProof,
	EMPTY_RANGE,
	EMPTY_ROOT,
	inclusionProof,
	leafHash,
	merkleRoot,
	nodeHash,
	rangeRoot,
	verifyConsistency,
	verifyInclusion,
} from "../../../src/proof/merkle.ts";
import * as second from "../../support/second-merkle.ts";

const leafAt = (index: number) => leafHash(Uint8Array.of(index & 255, index >> 8));
const leavesOf = (size: number) => Array.from({ length: size }, (_, index) => leafAt(index));
const buffers = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash));
const hex = (hash: Uint8Array) => Buffer.from(hash).toString("hex");

describe("the tree of seven leaves that RFC 6962, section 2.1.3, draws", () => {
	const leaves = leavesOf(7);
	const [a, b, c, d, e, f, j] = leaves as [
		Uint8Array,
		Uint8Array,
		Uint8Array,
		Uint8Array,
		Uint8Array,
		Uint8Array,
		Uint8Array,
	];
	const [g, h, i] = [nodeHash(a, b), nodeHash(c, d), nodeHash(e, f)];
	const [k, l] = [nodeHash(g, h), nodeHash(i, j)];

	it("has the drawn root", () => {
		expect(merkleRoot(leaves)).toEqual(nodeHash(k, l));
	});

	it("has the printed audit paths", () => {
		expect(inclusionProof(leaves, 0, 7)).toEqual([b, h, l]);
		expect(inclusionProof(leaves, 3, 7)).toEqual([c, g, l]);
		expect(inclusionProof(leaves, 4, 7)).toEqual([f, j, k]);
		expect(inclusionProof(leaves, 6, 7)).toEqual([i, k]);
	});

	it("has the printed consistency proofs", () => {
		expect(consistencyProof(leaves, 3, 7)).toEqual([c, d, g, l]);
		expect(consistencyProof(leaves, 4, 7)).toEqual([l]);
		expect(consistencyProof(leaves, 6, 7)).toEqual([i, j, k]);
	});
});

describe("a tree", () => {
	it("has the root of the second implementation at every size, leaf by leaf through a range kept as JSON", () => {
		const leaves = leavesOf(150);
		let range: CompactRange = EMPTY_RANGE;
		for (let size = 0; size <= leaves.length; size++) {
			const root = hex(second.treeRoot(buffers(leaves.slice(0, size))));
			expect(hex(merkleRoot(leaves.slice(0, size)))).toBe(root);
			expect(hex(rangeRoot(range))).toBe(root);
			expect(range.size).toBe(size);
			expect(range.hashes.length).toBe(size.toString(2).replaceAll("0", "").length);
			const leaf = leaves[size];
			if (leaf) range = appendLeaf(JSON.parse(JSON.stringify(range)), leaf);
		}
	});

	it("leaves a range as it was when a leaf is appended to it", () => {
		const one = appendLeaf(EMPTY_RANGE, leafAt(0));
		const two = appendLeaf(one, leafAt(1));
		expect(EMPTY_RANGE).toEqual({ size: 0, hashes: [] });
		expect(rangeRoot(one)).toEqual(leafAt(0));
		expect(rangeRoot(two)).toEqual(nodeHash(leafAt(0), leafAt(1)));
	});

	it("refuses a range that lacks a subtree instead of making up a root", () => {
		expect(() => appendLeaf({ size: 3, hashes: [hex(leafAt(0))] }, leafAt(3))).toThrow("lacks a hash");
	});

	it("proves leaves and prefixes of 100,000", { timeout: 60_000 }, () => {
		const leaves = leavesOf(100_000);
		const root = merkleRoot(leaves);
		const range = leaves.reduce(appendLeaf, EMPTY_RANGE);
		expect(rangeRoot(range)).toEqual(root);
		const proof = inclusionProof(leaves, 99_999, leaves.length);
		const last = leaves.at(-1) ?? new Uint8Array();
		expect(verifyInclusion({ leafHash: last, index: 99_999, size: leaves.length, proof, root })).toBe(true);
		const [from, to] = [65_537, leaves.length];
		const fromRoot = merkleRoot(leaves.slice(0, from));
		const path = consistencyProof(leaves, from, to);
		expect(verifyConsistency({ from, to, proof: path, fromRoot, toRoot: root })).toBe(true);
	});

	it("has no proof of what it does not hold", () => {
		const leaves = leavesOf(5);
		for (const [index, size] of [
			[5, 5],
			[-1, 5],
			[0, 6],
			[0, 0],
			[Number.NaN, 5],
			[1.5, 5],
		] as const) {
			expect(() => inclusionProof(leaves, index, size)).toThrow(RangeError);
		}
		for (const [from, to] of [
			[3, 2],
			[-1, 5],
			[1, 6],
			[Number.NaN, 5],
			[1.5, 5],
		] as const) {
			expect(() => consistencyProof(leaves, from, to)).toThrow(RangeError);
		}
	});
});

const sizes = fc.integer({ min: 1, max: 200 });

describe("proofs", () => {
	it("are those of the second implementation, and each accepts the other's", () => {
		fc.assert(
			fc.property(sizes, fc.nat(), fc.nat(), (size, indexSeed, fromSeed) => {
				const leaves = leavesOf(size);
				const index = indexSeed % size;
				const from = 1 + (fromSeed % size);
				const [fromRoot, root] = [merkleRoot(leaves.slice(0, from)), merkleRoot(leaves)];
				const path = inclusionProof(leaves, index, size);
				expect(path.map(hex)).toEqual(second.inclusionPath(index, buffers(leaves)).map(hex));
				expect(verifyInclusion({ leafHash: leafAt(index), index, size, proof: path, root })).toBe(true);
				const [leafBuffer, rootBuffer] = [Buffer.from(leafAt(index)), Buffer.from(root)];
				expect(second.verifyInclusion(leafBuffer, index, size, buffers(path), rootBuffer)).toBe(true);
				const proof = consistencyProof(leaves, from, size);
				expect(proof.map(hex)).toEqual(second.consistencyPath(from, buffers(leaves)).map(hex));
				expect(verifyConsistency({ from, to: size, proof, fromRoot, toRoot: root })).toBe(true);
				expect(second.verifyConsistency(from, size, buffers(proof), Buffer.from(fromRoot), rootBuffer)).toBe(true);
			}),
			{ numRuns: 60 },
		);
	});

	it("hold for nothing else: another leaf, index, size, root, and any bit, hash more, hash less or order", () => {
		const flipped = (hash: Uint8Array) => Uint8Array.from(hash, (byte, at) => (at === 7 ? byte ^ 4 : byte));
		const mutations = (proof: Uint8Array[]) => [
			...proof.map((_, at) => proof.map((hash, other) => (other === at ? flipped(hash) : hash))),
			...proof.map((_, at) => proof.filter((_, other) => other !== at)),
			[...proof, EMPTY_ROOT],
			[EMPTY_ROOT, ...proof],
			...(proof.length > 1 ? [[...proof].reverse()] : []),
		];
		fc.assert(
			fc.property(fc.integer({ min: 2, max: 100 }), fc.nat(), fc.nat(), (size, indexSeed, fromSeed) => {
				const leaves = leavesOf(size);
				const index = indexSeed % size;
				const proof = inclusionProof(leaves, index, size);
				const sound = { leafHash: leafAt(index), index, size, proof, root: merkleRoot(leaves) };
				for (const change of [
					{ leafHash: leafAt(size) },
					{ index: index + 1 },
					{ index: index - 1 },
					{ index: 2 ** 64 },
					{ size: size * 2 },
					{ root: flipped(sound.root) },
					{ root: new Uint8Array() },
					...mutations(proof).map((mutated) => ({ proof: mutated })),
				]) {
					expect(verifyInclusion({ ...sound, ...change })).toBe(false);
				}
				const from = 1 + (fromSeed % (size - 1));
				const path = consistencyProof(leaves, from, size);
				const grown = {
					from,
					to: size,
					proof: path,
					fromRoot: merkleRoot(leaves.slice(0, from)),
					toRoot: merkleRoot(leaves),
				};
				for (const change of [
					{ from: from + 0.5 },
					{ from: 0 },
					{ from: size },
					{ to: size * 2 },
					{ to: from },
					{ fromRoot: flipped(grown.fromRoot) },
					{ toRoot: flipped(grown.toRoot) },
					{ fromRoot: grown.toRoot, toRoot: grown.fromRoot },
					...mutations(path).map((mutated) => ({ proof: mutated })),
				]) {
					expect(verifyConsistency({ ...grown, ...change })).toBe(false);
				}
			}),
			{ numRuns: 60 },
		);
	});

	it("of another length hold for no root, not even one made to fit", () => {
		const [leaf, extra] = [leafAt(0), leafAt(1)];
		const above = nodeHash(extra, leaf);
		expect(verifyInclusion({ leafHash: leaf, index: 0, size: 1, proof: [], root: leaf })).toBe(true);
		expect(verifyInclusion({ leafHash: leaf, index: 1, size: 1, proof: [], root: leaf })).toBe(false);
		expect(verifyInclusion({ leafHash: leaf, index: 0, size: 1, proof: [extra], root: above })).toBe(false);
		const old = nodeHash(leaf, extra);
		const grown = { from: 2, to: 3, proof: [extra], fromRoot: old, toRoot: nodeHash(old, extra) };
		expect(verifyConsistency(grown)).toBe(true);
		const longer = { proof: [extra, leaf], fromRoot: nodeHash(leaf, old), toRoot: nodeHash(leaf, grown.toRoot) };
		expect(verifyConsistency({ ...grown, ...longer })).toBe(false);
	});

	it("of a tree with itself are empty; from the empty tree nothing is shown about another", () => {
		const leaves = leavesOf(4);
		const root = merkleRoot(leaves);
		expect(consistencyProof(leaves, 4, 4)).toEqual([]);
		expect(consistencyProof(leaves, 0, 4)).toEqual([]);
		expect(verifyConsistency({ from: 4, to: 4, proof: [], fromRoot: root, toRoot: root })).toBe(true);
		expect(verifyConsistency({ from: 4, to: 4, proof: [root], fromRoot: root, toRoot: root })).toBe(false);
		expect(verifyConsistency({ from: 0, to: 4, proof: [], fromRoot: EMPTY_ROOT, toRoot: root })).toBe(false);
		expect(verifyConsistency({ from: 0, to: 0, proof: [], fromRoot: EMPTY_ROOT, toRoot: EMPTY_ROOT })).toBe(true);
		expect(verifyConsistency({ from: 0, to: 0, proof: [], fromRoot: root, toRoot: root })).toBe(false);
	});
});
