// An agent's trajectory. Steps are chained to one root (docs/proofs.md, "Agent trajectory"), and a bundle of steps is checked against
// a claimed root. Making steps and signing the root are left to others. Pure.
import { asHash, type Hash, hashObject, hashText, toDigest } from "../proof/hash.ts";
import { appendLeaf, type CompactRange, EMPTY_RANGE, leafHash, merkleRoot, rangeRoot } from "../proof/merkle.ts";
import { textHash } from "../proof/salted.ts";
import { runSteps, type Steps } from "../turns/steps.ts";

/** The fields under the genesis hash. */
interface TrajectoryHeader {
	run_id: string;
	policy: string;
	strategy: string;
}

/** The hashed fields of a step. */
export interface TrajectoryStep {
	/** 0, 1, 2 … */
	index: number;
	/** Catalog id of the model that wrote the output. */
	model: string;
	input_hash: string;
	/** Text hash of the output. */
	output_hash: string;
	/** Of all calls of the step. */
	cost_usd: number;
	confidence: number;
	/** ISO 8601 UTC with three fractional digits. */
	timestamp: string;
}

/** A trajectory so far. Can be stored as JSON. */
export interface Trajectory extends TrajectoryHeader {
	/** Proof of the last step, or the genesis hash before the first. */
	last: Hash;
	/** The tree over the step proofs. Its size is the number of steps. */
	range: CompactRange;
}

/** The hash that the first step is chained to. */
function genesisHash({ run_id, policy, strategy }: TrajectoryHeader): Hash {
	return hashObject({ type: "svc.run.v1", run_id, policy, strategy });
}

/**
 * Proof of one step.
 * @param prev proof of the step before, or the genesis hash.
 */
function stepProof(run_id: string, prev: string, step: TrajectoryStep): Hash {
	const { index, model, input_hash, output_hash, cost_usd, confidence, timestamp } = step;
	const hashed = { run_id, prev, index, model, input_hash, output_hash, cost_usd, confidence, timestamp };
	return hashObject({ type: "svc.step.v1", ...hashed });
}

/** The Merkle leaf of a step: over the 32 bytes of its proof. */
function stepLeaf(proof: Hash): Uint8Array {
	const bytes = toDigest(proof);
	if (!bytes) throw new TypeError("a step proof is a whole hash");
	return leafHash(bytes);
}

interface StepChain {
	nSteps: number;
	merkleRoot: Hash;
	last: Hash;
}

function rootProof({ run_id, policy, strategy }: TrajectoryHeader, chain: StepChain, output_hash: string): Hash {
	const { nSteps: n_steps, merkleRoot: merkle_root, last } = chain;
	const head = { run_id, policy, strategy, n_steps, merkle_root, last, output_hash };
	return hashObject({ type: "svc.trajectory.v1", ...head });
}

/** The trajectory of a run before its first step. */
export function emptyTrajectory({ run_id, policy, strategy }: TrajectoryHeader): Trajectory {
	return { run_id, policy, strategy, last: genesisHash({ run_id, policy, strategy }), range: EMPTY_RANGE };
}

/**
 * Returns the trajectory with one more step. `last` is then that step's proof.
 * @throws RangeError unless the step's index is the number of steps before it.
 */
export function appendStep(trajectory: Trajectory, step: TrajectoryStep): Trajectory {
	const { run_id, last: prev, range } = trajectory;
	if (step.index !== range.size) throw new RangeError(`step ${step.index} cannot follow ${range.size} steps`);
	const last = stepProof(run_id, prev, step);
	return { ...trajectory, last, range: appendLeaf(range, stepLeaf(last)) };
}

/**
 * Root of a whole trajectory. A run's receipt signs it.
 * @param outputHash text hash of the run's output.
 */
export function trajectoryProof(trajectory: Trajectory, outputHash: string): Hash {
	const { range, last } = trajectory;
	return rootProof(trajectory, { nSteps: range.size, merkleRoot: asHash(rangeRoot(range)), last }, outputHash);
}

/** Steps with what is claimed of them. Hashes are whole; numbers and texts are hashed as they are. */
export interface TrajectoryBundle extends TrajectoryHeader {
	/** The claimed root. */
	trajectory_proof: string;
	steps: readonly TrajectoryStep[];
	/** The run's output. With `output_hash` too, both must agree. */
	output?: string | null | undefined;
	/** Its text hash. With neither, the last step's output counts, and without steps the empty text. */
	output_hash?: string | null | undefined;
	/** Of the hashes of the run's texts; without it, the output is hashed as in version 1. */
	salt?: string | null | undefined;
	/** One per step. They allow the changed steps to be named. */
	step_proofs?: readonly string[] | null | undefined;
}

/** The result of checking a bundle. */
export interface TrajectoryVerdict {
	/** The bundle is consistent with itself and its claim. This does not say that a service issued it. */
	valid: boolean;
	/** The root computed from the genesis hash and the bundle's steps. */
	recomputed_proof: Hash;
	/** Positions of steps whose claimed proof does not follow from the step and the claimed proof before; `[]` without `step_proofs`. */
	mismatched_steps: number[];
	/** `index_gap:<position>`, `output_hash_mismatch`, `root_mismatch`. */
	faults: string[];
}

/** A fault for each index that is not the one before plus 1. The first must be 0. */
function indexGaps(steps: readonly TrajectoryStep[]): string[] {
	return steps.flatMap(({ index }, position) => {
		const before = steps[position - 1]?.index ?? -1;
		return index === before + 1 ? [] : [`index_gap:${position}`];
	});
}

/** Hash of the output under the root. The output itself takes precedence over its claimed hash. */
export function claimedOutputHash({ output, output_hash, steps, salt }: TrajectoryBundle): string {
	if (output != null) return textHash(salt ?? undefined)(output);
	return output_hash ?? steps.at(-1)?.output_hash ?? hashText("");
}

/** A step takes as long as reading so many characters (turns/steps.ts): 20 µs. */
const STEP_CHARS = 160;

/**
 * Recomputes a bundle with one or two hashes per step (docs/proofs.md, "Agent trajectory"). Pauses after each step.
 * @param bundle with as many `step_proofs` as steps, if any.
 * @throws NotCanonicalError for a number or text that canonical JSON cannot represent.
 */
export function* verifyTrajectoryInSteps(bundle: TrajectoryBundle): Steps<TrajectoryVerdict> {
	const { run_id, steps, step_proofs } = bundle;
	const genesis = genesisHash(bundle);
	const leaves: Uint8Array[] = [];
	const mismatched: number[] = [];
	let last = genesis;
	for (const [position, step] of steps.entries()) {
		yield STEP_CHARS;
		const prev = last;
		last = stepProof(run_id, prev, step);
		leaves.push(stepLeaf(last));
		if (!step_proofs) continue;
		// Chained to the claimed proof before, so that one changed step is named alone, without its followers.
		const claimedPrev = step_proofs[position - 1] ?? genesis;
		const expected = claimedPrev === prev ? last : stepProof(run_id, claimedPrev, step);
		if (step_proofs[position] !== expected) mismatched.push(position);
	}
	yield (bundle.output?.length ?? 0) + STEP_CHARS;
	const outputHash = claimedOutputHash(bundle);
	yield STEP_CHARS * steps.length;
	const chain = { nSteps: steps.length, merkleRoot: asHash(merkleRoot(leaves)), last };
	const recomputed = rootProof(bundle, chain, outputHash);
	const faults = indexGaps(steps);
	if (bundle.output_hash != null && bundle.output_hash !== outputHash) faults.push("output_hash_mismatch");
	if (recomputed !== bundle.trajectory_proof) faults.push("root_mismatch");
	return {
		valid: faults.length === 0 && mismatched.length === 0,
		recomputed_proof: recomputed,
		mismatched_steps: mismatched,
		faults,
	};
}

/** Recomputes a bundle without a pause. */
export function verifyTrajectory(bundle: TrajectoryBundle): TrajectoryVerdict {
	return runSteps(verifyTrajectoryInSteps(bundle));
}
