// What checking a saved trajectory says. The files are the second implementation's.
import { describe, expect, it } from "vitest";
import { allHold, renderFinding } from "../../../src/verifier/findings.ts";
import { checkTrajectory } from "../../../src/verifier/trajectory.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import { canonical, textHash } from "../../support/second-ledger.ts";
import { type Bundle, issueBundle } from "../../support/second-trajectory.ts";

/** Its lines, and whether all of it holds. */
async function verify(document: unknown, publicKey: Uint8Array | null = null) {
	const findings = await checkTrajectory(JSON.parse(JSON.stringify(document)), publicKey ? [publicKey] : []);
	return { holds: allHold(findings), lines: findings.map(renderFinding) };
}

const failed = (lines: readonly string[]) => lines.filter((line) => line.startsWith("FAIL"));

const steps = [0, 1, 2].map((index) => ({
	index,
	model: "glm-5.2",
	input_hash: textHash(`in ${index}`),
	output_hash: textHash(`out ${index}`),
	cost_usd: 0.000123,
	confidence: 0.75,
	timestamp: "2026-07-22T10:00:00.000Z",
}));
const bundle = issueBundle(
	{ run_id: "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", policy: "depth", strategy: "cascade" },
	steps,
	"done",
);
const { output: _, ...verify_request } = bundle;
const root = bundle.trajectory_proof;

const key = signingKey(Buffer.alloc(32, 7));

/** What `GET /v1/proof/{run_id}` answers for the run. */
function proofOf({ run_id, trajectory_proof }: Bundle, more: Record<string, unknown> = {}) {
	const receipt = { type: "svc.receipt.v1", kind: "agent", request_id: run_id, trajectory_proof, n_steps: 3, ...more };
	const proof_hash = textHash(canonical(receipt));
	return { object: "proof", proof_hash, signature: key.sign(proof_hash), key_id: key.keyId, receipt };
}

/** What `GET …/trajectory?full=true` answers. */
const response = {
	object: "agent.trajectory",
	run_id: bundle.run_id,
	trajectory_proof: root,
	steps: steps.map((step, position) => ({ ...step, role: "subtask", step_proof: bundle.step_proofs[position] })),
	verification: { valid: true, recomputed_proof: root, n_steps: 3, mismatched_steps: [] },
	verify_request,
};

describe("a trajectory", () => {
	it("holds as a bundle, and as the response around it, and says what was not there to be checked", async () => {
		const { holds, lines } = await verify(verify_request);
		expect([holds, lines]).toEqual([
			true,
			[
				"ok    steps: 3, numbered from 0 without a gap",
				"ok    step proofs: each follows from its step and the proof before",
				`ok    root: ${bundle.run_id} chains to ${root}, as claimed`,
				"note  receipt: none in the file; that the service issued this trajectory is not shown",
			],
		]);
		expect(await verify({ ...response, steps })).toEqual({ holds, lines });
	});

	it("says of the response what nothing proves", async () => {
		const { holds, lines } = await verify({ ...response, status: "complete", tokens: 5 });
		expect([holds, lines.filter((line) => line.startsWith("note"))]).toEqual([
			true,
			[
				"note  steps: nothing proves role",
				"note  trajectory: nothing proves tokens",
				"note  trajectory: nothing proves status",
				"note  receipt: none in the file; that the service issued this trajectory is not shown",
			],
		]);
	});

	const allSteps: readonly object[] = response.steps;
	it.each([
		["another cost", { steps: allSteps.with(0, { ...allSteps[0], cost_usd: 0 }) }, "step 0: shows cost_usd"],
		["another proof", { steps: allSteps.with(0, { ...allSteps[0], step_proof: root }) }, "step 0: shows step_proof"],
		["a step less", { steps: response.steps.slice(1) }, "steps: the file shows others than the 3 that are proven"],
		["no steps", { steps: "none" }, "steps: the file shows others than the 3 that are proven"],
		["another run", { run_id: "agt_2" }, "the answer around it: shows run_id"],
		["another root", { trajectory_proof: textHash("x") }, "the answer around it: shows trajectory_proof"],
		["the object of another answer", { object: "agent.verification" }, "the answer around it: shows object"],
		["another verdict", { verification: { valid: false, n_steps: 4 } }, "verification: shows valid, n_steps"],
		["another status", { status: "complete", proof: proofOf(bundle, { status: "cancelled" }) }, "the answer around it"],
		[
			"a receipt that says it is another's",
			{ proof: { ...proofOf(bundle), request_id: "agt_2" } },
			"receipt: the answer around it: shows request_id",
		],
	])("whose response shows %s beside a sound bundle does not hold", async (_, more, said) => {
		const { holds, lines } = await verify({ proof: proofOf(bundle), ...response, ...more }, key.publicKey);
		expect([holds, failed(lines).filter((line) => line.startsWith(`FAIL  ${said}`)).length]).toEqual([false, 1]);
		expect(failed(lines).length).toBe(1);
	});

	it("holds with its receipt and the key that signed it", async () => {
		for (const name of ["proof", "receipt"]) {
			const { holds, lines } = await verify({ verify_request, [name]: proofOf(bundle) }, key.publicKey);
			expect([holds, lines.slice(3)]).toEqual([
				true,
				[
					`ok    receipt: has its hash ${proofOf(bundle).proof_hash}`,
					`ok    signature: holds under key ${key.keyId}`,
					`ok    receipt: is of run ${bundle.run_id}`,
					"ok    receipt: its trajectory_proof is the recomputed root",
				],
			]);
		}
	});

	it("that was changed is told with the step", async () => {
		const changed = steps.with(1, { ...(steps[1] as (typeof steps)[0]), confidence: 1 });
		const { holds, lines } = await verify({ ...bundle, steps: changed });
		expect(holds).toBe(false);
		expect(failed(lines)).toEqual([
			"FAIL  step 1: its proof does not follow from it and the proof before",
			expect.stringMatching(
				/^FAIL {2}root: agt_\w+ chains to sha256:[0-9a-f]{64}, but sha256:[0-9a-f]{64} is claimed$/,
			),
		]);
		expect(lines).toContain("ok    output: has its hash");
	});

	it("that lacks a step, or has another output, does not hold", async () => {
		const { step_proofs: __, ...rest } = bundle;
		const { holds, lines } = await verify({ ...rest, steps: steps.toSpliced(1, 1), output: "another" });
		expect(holds).toBe(false);
		expect(failed(lines).map((line) => line.slice(0, 70))).toEqual([
			"FAIL  steps: the index at position 1 does not follow the one before",
			"FAIL  output: output and output_hash do not agree",
			expect.stringContaining("FAIL  root: "),
		]);
		expect(lines).toContain("note  step proofs: none; a changed step cannot be named");
	});

	it("is not drowned in lines, however much of it is wrong", async () => {
		const many = issueBundle(
			bundle,
			Array.from({ length: 100 }, (___, index) => ({ ...steps[0], index })) as never,
			"x",
		);
		const { lines } = await verify({ ...many, run_id: "agt_another" });
		expect(failed(lines).length).toBeLessThan(30);
		expect(lines).toContain("FAIL  and 80 more of these");
	});
});

describe("a receipt", () => {
	const receiptFaults = async (proof: object, publicKey: Uint8Array | null = null) => {
		const { holds, lines } = await verify({ verify_request, proof }, publicKey);
		return [holds, failed(lines)];
	};

	it("does not hold unchecked: without a key, unsigned, or under another key", async () => {
		const proof = proofOf(bundle);
		const other = signingKey(Buffer.alloc(32, 8));
		expect(await receiptFaults(proof)).toEqual([
			false,
			[`FAIL  signature: not checked, for want of a public key (key ${key.keyId})`],
		]);
		expect(await receiptFaults({ ...proof, signature: null, key_id: null }, key.publicKey)).toEqual([
			false,
			["FAIL  signature: the receipt is not signed"],
		]);
		expect(await receiptFaults(proof, other.publicKey)).toEqual([
			false,
			[`FAIL  signature: is said to be of key ${key.keyId}, which is not given; given: ${other.keyId}`],
		]);
		const forged = { ...proof, signature: other.sign(proof.proof_hash) };
		expect(await receiptFaults(forged, key.publicKey)).toEqual([
			false,
			[`FAIL  signature: does not hold under key ${key.keyId}`],
		]);
	});

	it("that was changed has neither its hash nor its signature", async () => {
		const proof = proofOf(bundle);
		const [holds, lines] = await receiptFaults({ ...proof, receipt: { ...proof.receipt, n_steps: 4 } }, key.publicKey);
		expect([holds, lines]).toEqual([
			false,
			[
				expect.stringMatching(/^FAIL {2}receipt: has hash sha256:\w+, not sha256:\w+$/),
				`FAIL  signature: does not hold under key ${key.keyId}`,
			],
		]);
	});

	it("of another run, another kind or another root is not this trajectory's", async () => {
		expect(await receiptFaults(proofOf(bundle, { request_id: "agt_another" }), key.publicKey)).toEqual([
			false,
			[`FAIL  receipt: is of agent agt_another, not of run ${bundle.run_id}`],
		]);
		expect(await receiptFaults(proofOf(bundle, { kind: "chat" }), key.publicKey)).toEqual([
			false,
			[`FAIL  receipt: is of chat ${bundle.run_id}, not of run ${bundle.run_id}`],
		]);
		expect(await receiptFaults(proofOf(bundle, { trajectory_proof: textHash("x") }), key.publicKey)).toEqual([
			false,
			[`FAIL  receipt: its trajectory_proof is ${textHash("x")}, not the recomputed root`],
		]);
	});

	it("that is asked for with a key and is not there, or is none, does not hold", async () => {
		const { holds, lines } = await verify(verify_request, key.publicKey);
		expect([holds, failed(lines)[0]]).toEqual([false, expect.stringContaining("receipt: none in the file")]);
		expect(await receiptFaults({ receipt: { type: "another" } }, key.publicKey)).toEqual([
			false,
			["FAIL  receipt: is not what GET /v1/proof/{run_id} answers"],
		]);
	});
});

describe("a file that is no bundle", () => {
	it("does not hold, with the places that are wrong", async () => {
		const cut = { ...verify_request, trajectory_proof: "sha256:0123456789ab" };
		const { holds, lines } = await verify(cut);
		expect([holds, lines]).toEqual([
			false,
			[
				"FAIL  the bundle cannot be read; GET /v1/agent/{run_id}/trajectory?full=true answers with one",
				"FAIL  trajectory_proof: must be a whole hash: sha256: and 64 lower-case hex digits",
			],
		]);
		expect((await verify([])).holds).toBe(false);
	});
});
