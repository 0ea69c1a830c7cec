// Checks a saved run or its trajectory, and the signed receipt of the run if the file has one (docs/proofs.md, "Agent
// trajectory"), without any request.
import * as z from "zod";
import {
	claimedOutputHash,
	type TrajectoryBundle,
	type TrajectoryVerdict,
	verifyTrajectory,
} from "../agents/trajectory.ts";
import { parseBundle } from "../agents/verify-request.ts";
import { checkChain, listEntries } from "./chain.ts";
import { approvalFindings, checkSteps, countFindings } from "./exchanges.ts";
import {
	contradictionFindings,
	type Finding,
	failedFinding,
	failedFindings,
	finding,
	unprovenFindings,
} from "./findings.ts";
import type { PublicKeys } from "./keys.ts";
import { type CheckedReceipt, checkReceiptSeal, textHashesOf } from "./receipt.ts";
import { type RunAnswer, readRunAnswer, runAnswerFindings, stepCostFindings, toRunBundle } from "./run-answer.ts";
import { type GivenTexts, NO_TEXTS, type TextHashes, textFindings } from "./texts.ts";

/**
 * A run's answer, a bundle itself, or the trajectory's answer around one. A receipt may stand beside the bundle's members or around
 * it; so may the exchanges of steps with tools, and the chain that has the handoffs of their approvals.
 */
const trajectoryDocumentSchema = z.looseObject({
	verify_request: z.unknown().optional(),
	proof: z.unknown().optional(),
	receipt: z.unknown().optional(),
	steps: z.unknown().optional(),
	verification: z.unknown().optional(),
	exchanges: z.array(z.unknown()).optional(),
	chain: z.unknown().optional(),
});
type TrajectoryDocument = z.output<typeof trajectoryDocumentSchema>;

const membersSchema = z.record(z.string(), z.unknown());
const shownStepsSchema = z.array(membersSchema);

/** Members of an answer outside its bundle. */
const ANSWER_MEMBERS = ["object", "status", "verification", "verify_request", "proof", "receipt", "exchanges", "chain"];
/** Members of a step that are part of its proof. No proof covers the others. */
const PROVEN_STEP_MEMBERS = ["index", "model", "input_hash", "output_hash", "cost_usd", "confidence", "timestamp"];
const VERIFICATION_MEMBERS = ["valid", "recomputed_proof", "n_steps", "mismatched_steps"];
const BUNDLE_MEMBERS = [
	"run_id",
	"trajectory_proof",
	"policy",
	"strategy",
	"steps",
	"output",
	"output_hash",
	"step_proofs",
	"salt",
];

/** Compares the steps that an answer shows with the proven steps. */
function shownStepFindings(shown: unknown, { steps, step_proofs }: TrajectoryBundle): Finding[] {
	if (shown === undefined) return [];
	const parsed = shownStepsSchema.safeParse(shown);
	if (!parsed.success || parsed.data.length !== steps.length)
		return [failedFinding(`steps: the file shows others than the ${steps.length} that are proven`)];
	const mismatches = parsed.data.flatMap((step, position) => {
		const follows = { ...steps[position], ...(step_proofs ? { step_proof: step_proofs[position] } : {}) };
		return contradictionFindings(`step ${position}`, step, follows);
	});
	return failedFindings(mismatches.map(({ text }) => text));
}

/** Names the members of steps that no proof covers, wherever in the file the steps stand. */
function unprovenStepFindings(shown: readonly unknown[]): Finding[] {
	const names = shown.flatMap((steps) => shownStepsSchema.safeParse(steps).data ?? []).flatMap(Object.keys);
	return unprovenFindings(
		"steps",
		names.filter((name) => !PROVEN_STEP_MEMBERS.includes(name) && name !== "step_proof"),
	);
}

/** Findings on what a trajectory's answer claims around and beside its bundle. */
function trajectoryClaimFindings(
	document: TrajectoryDocument,
	bundle: TrajectoryBundle,
	verdict: TrajectoryVerdict,
): Finding[] {
	const inner = membersSchema.safeParse(document.verify_request).data;
	const verification = membersSchema.safeParse(document.verification).data ?? {};
	const { run_id, trajectory_proof, steps } = bundle;
	const rootMembers = ["policy", "strategy"].filter((name) => (inner ?? document)[name] === undefined);
	return [
		...shownStepFindings(document.steps, bundle),
		...(inner ? shownStepFindings(inner["steps"], bundle) : []),
		...unprovenStepFindings([document.steps, inner?.["steps"]]),
		...contradictionFindings("the answer around it", document, {
			object: "agent.trajectory",
			run_id,
			trajectory_proof,
		}),
		...contradictionFindings("verification", verification, {
			valid: true,
			recomputed_proof: verdict.recomputed_proof,
			n_steps: steps.length,
			mismatched_steps: verdict.mismatched_steps,
		}),
		...rootMembers.map((name): Finding => {
			return { verdict: "note", text: `trajectory: no ${name} in the file; ${bundle[name as "policy"]} is taken` };
		}),
		...unprovenFindings(
			"verification",
			Object.keys(verification).filter((name) => !VERIFICATION_MEMBERS.includes(name)),
		),
		...unprovenFindings(
			"trajectory",
			Object.keys({ ...document, ...inner }).filter(
				(name) => !ANSWER_MEMBERS.includes(name) && !BUNDLE_MEMBERS.includes(name),
			),
		),
	];
}

function bundleFindings(bundle: TrajectoryBundle, verdict: TrajectoryVerdict): Finding[] {
	const { steps, step_proofs, output, output_hash, run_id } = bundle;
	const { faults, mismatched_steps: mismatched, recomputed_proof: recomputed } = verdict;
	const gaps = faults.filter((fault) => fault.startsWith("index_gap:"));
	const findings = failedFindings(
		gaps.map((gap) => `steps: the index at position ${gap.slice("index_gap:".length)} does not follow the one before`),
	);
	if (gaps.length === 0)
		findings.push({ verdict: "ok", text: `steps: ${steps.length}, numbered from 0 without a gap` });
	if (step_proofs == null)
		findings.push({ verdict: "note", text: "step proofs: none; a changed step cannot be named" });
	else if (mismatched.length === 0)
		findings.push({ verdict: "ok", text: "step proofs: each follows from its step and the proof before" });
	findings.push(
		...failedFindings(mismatched.map((step) => `step ${step}: its proof does not follow from it and the proof before`)),
	);
	if (output != null && output_hash != null) {
		const holds = !faults.includes("output_hash_mismatch");
		findings.push(finding(holds, "output: has its hash", "output: output and output_hash do not agree"));
	}
	const root = `root: ${run_id} chains to ${recomputed}`;
	const holds = !faults.includes("root_mismatch");
	return [...findings, finding(holds, `${root}, as claimed`, `${root}, but ${bundle.trajectory_proof} is claimed`)];
}

function receiptFindings(
	checked: CheckedReceipt,
	{ run_id, steps }: TrajectoryBundle,
	status: unknown,
	recomputed: string,
): Finding[] {
	const { kind, request_id, trajectory_proof } = checked.receipt;
	return [
		...checked.findings,
		...stepCostFindings(steps, checked.receipt),
		...contradictionFindings("receipt: the answer around it", { request_id: checked.requestId }, { request_id }),
		...contradictionFindings("the answer around it", { status }, { status: checked.receipt["status"] }),
		finding(
			kind === "agent" && request_id === run_id,
			`receipt: is of run ${run_id}`,
			`receipt: is of ${kind} ${request_id}, not of run ${run_id}`,
		),
		finding(
			trajectory_proof === recomputed,
			"receipt: its trajectory_proof is the recomputed root",
			`receipt: its trajectory_proof is ${trajectory_proof}, not the recomputed root`,
		),
	];
}

/** A bundle as it can be checked: an output that no salt is known for stays unread, and the receipt's hash stands for it. */
function toCheckable(
	bundle: TrajectoryBundle,
	receipt: TextHashes | null,
	{ salt: given }: GivenTexts,
): { bundle: TrajectoryBundle; findings: Finding[] } {
	const salt = given ?? bundle.salt ?? null;
	const { output, output_hash } = bundle;
	if (given !== null && bundle.salt != null && given !== bundle.salt)
		return { bundle, findings: [failedFinding("salt: another one than the file's")] };
	if (output == null || salt !== null || !receipt?.isSalted) return { bundle: { ...bundle, salt }, findings: [] };
	const signed = typeof receipt.output === "string" ? receipt.output : null;
	const text = "output: the file's is not checked, for want of the salt that its hash is over";
	return {
		bundle: { ...bundle, output: null, output_hash: output_hash ?? signed },
		findings: [{ verdict: "note", text }],
	};
}

/** What texts are compared with: the output's hash is under the root, the goal's is in the receipt alone. */
function trajectoryTextFindings(bundle: TrajectoryBundle, receipt: TextHashes | null, given: GivenTexts): Finding[] {
	const salt = given.salt ?? bundle.salt ?? null;
	const hashes = {
		isSalted: receipt?.isSalted ?? salt !== null,
		input: receipt?.input,
		output: claimedOutputHash(bundle),
	};
	return textFindings(hashes, { ...given, salt });
}

/** What a run's tools did, as far as the file has it. @param receipt the run's, once it is checked. */
async function toolFindings(
	{ exchanges = [], chain }: TrajectoryDocument,
	bundle: TrajectoryBundle,
	receipt: CheckedReceipt | null,
	keys: PublicKeys,
): Promise<Finding[]> {
	const { findings, calls, approvals } = checkSteps(exchanges, bundle, bundle.salt ?? null);
	const counts = receipt ? countFindings(receipt.receipt["tool_calls"], calls) : [];
	const linked = chain === undefined ? [] : await checkChain(chain, keys, null);
	const entries = chain === undefined ? [] : listEntries(chain);
	const unlinked: Finding[] =
		chain === undefined && approvals.length > 0
			? [{ verdict: "note", text: "approvals: their handoffs are not looked up, for want of the workspace's chain" }]
			: [];
	return [
		...findings,
		...counts,
		...linked,
		...(chain === undefined ? unlinked : approvalFindings(approvals, entries)),
	];
}

/** What a file holds of a run: the bundle, and the run's answer where the bundle is its. */
function readBundle(document: TrajectoryDocument): { bundle: TrajectoryBundle; run: RunAnswer | null } | string[] {
	if (document["object"] !== "agent.run") {
		const read = parseBundle(document.verify_request ?? document);
		const hint = "the bundle cannot be read; GET /v1/agent/{run_id}/trajectory?full=true answers with one";
		return "issues" in read ? [hint, ...read.issues] : { bundle: read.bundle, run: null };
	}
	const hint = "the run cannot be read; GET /v1/agent/{run_id} answers with one, and a list of runs does not";
	const answer = readRunAnswer(document);
	if ("issues" in answer) return [hint, ...answer.issues];
	const read = parseBundle(toRunBundle(answer.run));
	return "issues" in read ? [hint, ...read.issues] : { bundle: read.bundle, run: answer.run };
}

/** What is to be said of a file without a receipt. A run that has not ended has none yet. */
function noReceiptFindings(status: unknown, run: RunAnswer | null, keys: PublicKeys): Finding[] {
	const isOpen = run !== null && !run.sealed;
	const text = isOpen
		? `receipt: none yet; the run is ${run.status}, and is signed when it has ended for good`
		: "receipt: none in the file; that the service issued this trajectory is not shown";
	return [
		...unprovenFindings("trajectory", status === undefined || run !== null ? [] : ["status"]),
		{ verdict: keys.length > 0 ? "FAIL" : "note", text },
	];
}

/**
 * Checks a saved run or trajectory.
 * @param document the answer of `GET /v1/agent/{run_id}`, a `verify_request`, or the answer of `GET …/trajectory?full=true` with one.
 * Under `proof` or `receipt` it may have the answer of `GET /v1/proof/{run_id}`, under `exchanges` those of
 * `GET /v1/agent/{run_id}/steps/{index}`, under `chain` that of `GET /v1/handoff/chain/{workspace_id}`.
 * @param keys trusted public keys. A receipt whose signature cannot be checked is a fault.
 * @param texts what the reader has of the run: its goal and its output.
 */
export async function checkTrajectory(
	document: unknown,
	keys: PublicKeys,
	texts: GivenTexts = NO_TEXTS,
): Promise<Finding[]> {
	const whole = trajectoryDocumentSchema.safeParse(document);
	if (!whole.success) return [failedFinding("the file holds no JSON object")];
	const read = readBundle(whole.data);
	if (Array.isArray(read)) return failedFindings(read);
	const { run } = read;
	const receiptDocument = whole.data.proof ?? whole.data.receipt;
	const checked = receiptDocument == null ? null : await checkReceiptSeal(receiptDocument, keys);
	const hashes = checked && textHashesOf(checked.receipt);
	const { bundle, findings: unread } = toCheckable(read.bundle, hashes, texts);
	const verdict = verifyTrajectory(bundle);
	const claims = run
		? [...unprovenStepFindings([run.steps]), ...runAnswerFindings(run, checked)]
		: trajectoryClaimFindings(whole.data, bundle, verdict);
	const compared = trajectoryTextFindings(bundle, hashes, texts);
	const findings = [
		...bundleFindings(bundle, verdict),
		...unread,
		...claims,
		// A run's answer has its goal and its output, which are compared without being given.
		...(run ? compared.filter(({ verdict: each }) => each !== "note") : compared),
		...(await toolFindings(whole.data, bundle, checked, keys)),
	];
	const status = run ? undefined : whole.data["status"];
	if (checked) return [...findings, ...receiptFindings(checked, bundle, status, verdict.recomputed_proof)];
	if (receiptDocument != null)
		return [...findings, failedFinding("receipt: is not what GET /v1/proof/{run_id} answers")];
	return [...findings, ...noReceiptFindings(status, run, keys)];
}
