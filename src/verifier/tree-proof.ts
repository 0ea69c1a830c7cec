// Checks a saved tree proof (docs/proofs.md, "Tree proofs") against the checkpoints that sign its roots, without any request.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { asHash, toDigest } from "../proof/hash.ts";
import { leafHash, verifyConsistency, verifyInclusion } from "../proof/merkle.ts";
import { checkEntry, entrySchema } from "./chain.ts";
import { type CheckedCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { type Finding, failedFinding, finding, unprovenFindings } from "./findings.ts";
import type { PublicKeys } from "./keys.ts";

/** A hash of the answer, as its 32 bytes. */
const digestField = z.string().transform((text, context) => {
	const digest = toDigest(text);
	if (digest) return digest;
	context.addIssue("is no hash");
	return z.NEVER;
});

const proofMembers = {
	object: z.literal("handoff.proof"),
	size: z.int(),
	root: digestField,
	hashes: z.array(digestField),
};

const inclusionSchema = z.looseObject({
	...proofMembers,
	kind: z.literal("inclusion"),
	index: z.int(),
	leaf_hash: digestField,
	/** The handoff itself, which whoever saves the proof puts beside it. */
	entry: entrySchema.optional(),
});
const consistencySchema = z.looseObject({
	...proofMembers,
	kind: z.literal("consistency"),
	/** It is of no entry. */
	leaf_hash: z.null().optional(),
	from: z.int(),
	to: z.int(),
});
const treeProofSchema = z.discriminatedUnion("kind", [inclusionSchema, consistencySchema]);

type SignedTree = NonNullable<CheckedCheckpoint["checkpoint"]>;

function missingCheckpoint(size: number): Finding {
	return failedFinding(
		`root: a checkpoint of size ${size} is missing; only one shows that the service signed the root`,
	);
}

/** Whether the root that the proof names is the one that a checkpoint signs. */
function rootFinding(root: Uint8Array, size: number, trees: readonly SignedTree[]): Finding {
	const signed = trees.find((tree) => tree.size === size)?.root;
	if (signed === undefined) return missingCheckpoint(size);
	const named = asHash(root);
	const differs = `root: the proof names ${named}, the checkpoint of size ${size} ${signed}`;
	return finding(signed === named, `root: is that of the checkpoint of size ${size}`, differs);
}

async function inclusionFindings(
	{ index, size, root, leaf_hash, hashes, entry }: z.output<typeof inclusionSchema>,
	trees: readonly SignedTree[],
	keys: PublicKeys,
): Promise<Finding[]> {
	const leaf = asHash(leaf_hash);
	const path = finding(
		verifyInclusion({ leafHash: leaf_hash, index, size, proof: hashes, root }),
		`inclusion: leaf ${index} of ${size} is ${leaf}`,
		`inclusion: the path from leaf ${index} of ${size} does not end at the root`,
	);
	const ownFindings = [path, rootFinding(root, size, trees)];
	if (!entry) {
		const text = "entry: the proof does not show which handoff the leaf is; put it beside the proof as `entry`";
		return [...ownFindings, { verdict: "note", text }];
	}
	const isLeaf = entry.seq === index && asHash(leafHash(utf8ToBytes(entry.subject))) === leaf;
	return [
		...ownFindings,
		finding(isLeaf, `entry: ${entry.id} is leaf ${index}`, `entry: ${entry.id} is not leaf ${index}`),
		...(await checkEntry(entry, keys, trees[0]?.origin ?? null)),
	];
}

function consistencyFindings(
	{ from, to, root, hashes }: z.output<typeof consistencySchema>,
	trees: readonly SignedTree[],
): Finding[] {
	const earlier = trees.find(({ size }) => size === from);
	const fromRoot = toDigest(earlier?.root ?? "");
	if (!fromRoot) return [missingCheckpoint(from), rootFinding(root, to, trees)];
	const path = finding(
		verifyConsistency({ from, to, proof: hashes, fromRoot, toRoot: root }),
		`consistency: the tree of size ${to} begins with that of size ${from}, which the earlier checkpoint signs`,
		`consistency: the path does not show that the tree of size ${to} begins with that of size ${from}, which the earlier checkpoint signs`,
	);
	return [path, rootFinding(root, to, trees)];
}

/** Checkpoints of two workspaces say nothing about each other. */
function originFindings(trees: readonly SignedTree[]): Finding[] {
	const origins = new Set(trees.map(({ origin }) => origin));
	return origins.size > 1 ? [failedFinding(`checkpoints: are of several logs, ${[...origins].join(", ")}`)] : [];
}

/**
 * Checks a saved tree proof.
 * @param document the answer of `GET /v1/handoff/chain/{workspace_id}/proof`; under `entry` that of `GET /v1/handoff/{id}`.
 * @param keys trusted public keys.
 * @param notes the checkpoints of the proof's sizes.
 */
export async function checkTreeProof(
	document: unknown,
	keys: PublicKeys,
	notes: readonly string[],
): Promise<Finding[]> {
	const parsed = treeProofSchema.safeParse(document);
	if (!parsed.success)
		return [failedFinding("tree proof: is not what GET /v1/handoff/chain/{workspace_id}/proof answers")];
	const proof = parsed.data;
	const checkpoints = await Promise.all(notes.map((note) => readCheckpoint(note, keys)));
	const trees = checkpoints.flatMap(({ checkpoint }) => checkpoint ?? []);
	const { shape } = proof.kind === "inclusion" ? inclusionSchema : consistencySchema;
	return [
		...unprovenFindings(
			"tree proof",
			Object.keys(proof).filter((name) => !Object.hasOwn(shape, name)),
		),
		...checkpoints.flatMap(({ findings }) => findings),
		...originFindings(trees),
		...(proof.kind === "inclusion" ? await inclusionFindings(proof, trees, keys) : consistencyFindings(proof, trees)),
	];
}
