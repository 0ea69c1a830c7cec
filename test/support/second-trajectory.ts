// A second implementation of agent trajectories, written from docs/proofs.md with only node:crypto (canonical JSON: second-ledger.ts,
// trees: second-merkle.ts). It uses nothing from src or from noble, so that its agreement proves something.
import { canonical, textHash } from "./second-ledger.ts";
import { sha256, treeRoot } from "./second-merkle.ts";

export interface Step {
	index: number;
	model: string;
	input_hash: string;
	output_hash: string;
	cost_usd: number;
	confidence: number;
	timestamp: string;
}

/** The body of `POST /v1/agent/verify`. */
export interface Bundle {
	run_id: string;
	policy: string;
	strategy: string;
	trajectory_proof: string;
	steps: Step[];
	output?: string;
	output_hash?: string;
	step_proofs?: string[];
}

export interface Verdict {
	valid: boolean;
	recomputed_proof: string;
	mismatched_steps: number[];
	faults: string[];
}

type Run = Pick<Bundle, "run_id" | "policy" | "strategy">;

const objectHash = (object: { type: string }) => textHash(canonical(object));

function genesis(run: Run): string {
	return objectHash({
		type: "svc.run.v1",
		...{ run_id: run.run_id, policy: run.policy, strategy: run.strategy },
	});
}

function proofOf(run: Run, prev: string, step: Step): string {
	const hashed = {
		type: "svc.step.v1",
		run_id: run.run_id,
		prev,
		index: step.index,
		model: step.model,
		input_hash: step.input_hash,
		output_hash: step.output_hash,
		cost_usd: step.cost_usd,
		confidence: step.confidence,
		timestamp: step.timestamp,
	};
	return objectHash(hashed);
}

function chain(run: Run, steps: readonly Step[]): string[] {
	const proofs: string[] = [];
	for (const step of steps) proofs.push(proofOf(run, proofs.at(-1) ?? genesis(run), step));
	return proofs;
}

function root(run: Run, proofs: readonly string[], outputHash: string): string {
	const leaves = proofs.map((proof) => sha256(Buffer.of(0), Buffer.from(proof.slice("sha256:".length), "hex")));
	return objectHash({
		type: "svc.trajectory.v1",
		...{ run_id: run.run_id, policy: run.policy, strategy: run.strategy },
		...{ n_steps: proofs.length, merkle_root: `sha256:${treeRoot(leaves).toString("hex")}` },
		...{ last: proofs.at(-1) ?? genesis(run), output_hash: outputHash },
	});
}

/** The bundle that a service would issue for a run, with all optional members. @param hash of its output; default: without a salt. */
export function issueBundle(run: Run, steps: readonly Step[], output: string, hash = textHash): Required<Bundle> {
	const step_proofs = chain(run, steps);
	const output_hash = hash(output);
	const trajectory_proof = root(run, step_proofs, output_hash);
	return { ...run, trajectory_proof, steps: [...steps], output, output_hash, step_proofs };
}

/** The verdict on a bundle with whole hashes and one proof per step. */
export function verifyBundle(bundle: Bundle): Verdict {
	const { steps, step_proofs: claimed, output, output_hash } = bundle;
	const computed = output === undefined ? undefined : textHash(output);
	const outputHash = computed ?? output_hash ?? steps.at(-1)?.output_hash ?? textHash("");
	const recomputed_proof = root(bundle, chain(bundle, steps), outputHash);
	const positions = [...steps.keys()];
	const mismatched_steps = positions.filter(
		(i) =>
			claimed && claimed[i] !== proofOf(bundle, i === 0 ? genesis(bundle) : (claimed[i - 1] ?? ""), steps[i] as Step),
	);
	const faults = positions
		.filter((i) => steps[i]?.index !== (i === 0 ? 0 : (steps[i - 1]?.index ?? 0) + 1))
		.map((i) => `index_gap:${i}`);
	if (computed !== undefined && output_hash !== undefined && computed !== output_hash)
		faults.push("output_hash_mismatch");
	if (recomputed_proof !== bundle.trajectory_proof) faults.push("root_mismatch");
	const valid = faults.length + mismatched_steps.length === 0;
	return { valid, recomputed_proof, mismatched_steps, faults };
}
