// The public endpoint that verifies a trajectory: whether a bundle is consistent, and whether this service signed its root.
import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { ok, type Result } from "../failure.ts";
import { runInTurnsOnceLong } from "../http/long-work.edge.ts";
import { verifyReceipt } from "../proof/receipt.ts";
import { hashSalted } from "../proof/salted.ts";
import { lookUpReceipt } from "../usage/receipt-lookup.edge.ts";
import { findUserId } from "../usage/user-numbers.store.ts";
import { type TrajectoryBundle, type TrajectoryVerdict, verifyTrajectoryInSteps } from "./trajectory.ts";
import { verifyRequestSchema } from "./verify-request.ts";

/** The members of a run's signed receipt; null when this service has no valid receipt of such a run. */
async function signedRun(runId: string, context: ServiceContext): Promise<Result<Record<string, unknown> | null>> {
	const found = await lookUpReceipt(context, runId);
	if (!found.ok) return found;
	const stored = found.value;
	if (stored?.kind !== "agent" || stored.signature === null) return ok(null);
	const { valid, receipt } = await verifyReceipt(stored, context.settings.publicKeys);
	return ok(valid && receipt["kind"] === "agent" && receipt["request_id"] === runId ? receipt : null);
}

/** The salt of a run of this service; null when its id leads to no user. */
async function saltOf(runId: string, { db, meter, settings }: ServiceContext): Promise<string | null> {
	const userNumber = parseRequestId(runId, settings)?.userNumber ?? null;
	const userId = userNumber === null ? undefined : await findUserId(db, userNumber);
	return userId === undefined ? null : meter(userId).salt(runId);
}

/**
 * The verdict on a bundle with an output and no salt, of a run whose receipt has salted hashes. The root is recomputed over the signed
 * hash. Only who has the whole bundle learns whether the output has it.
 */
async function verifySaltedRun(
	bundle: TrajectoryBundle,
	signedHash: string,
	context: ServiceContext,
): Promise<TrajectoryVerdict> {
	const overSigned = { ...bundle, output: null, output_hash: signedHash };
	const verdict = await runInTurnsOnceLong(context, verifyTrajectoryInSteps(overSigned));
	const { output, output_hash } = bundle;
	const claimsOther = output_hash != null && output_hash !== signedHash;
	if (!claimsOther) {
		if (!verdict.valid || output == null) return verdict;
		const salt = await saltOf(bundle.run_id, context);
		if (salt !== null && hashSalted(salt, output) === signedHash) return verdict;
	}
	return { ...verdict, valid: false, faults: [...verdict.faults, "output_hash_mismatch"] };
}

export const verifyTrajectoryEndpoint = endpoint({
	id: "verify_trajectory",
	method: "POST",
	effect: "none",
	path: "/v1/agent/verify",
	access: "public",
	limited: true,
	toolGroup: "agents",
	summary: "Recomputes an agent's trajectory from its steps, and says whether this service signed its root.",
	description:
		"To check the proof of an agent's run that somebody hands you; needs full hashes, such as the run's `verify_request`.",
	body: verifyRequestSchema,
	result: z.lazy(() =>
		z.object({
			valid: z.boolean().describe("The bundle is consistent with itself and with the claimed root."),
			recomputed_proof: z.string().describe("The root that follows from the steps."),
			mismatched_steps: z.array(z.int()).describe("With `step_proofs`: the positions whose proof does not follow."),
			faults: z.array(z.string()).describe("`index_gap:<position>`, `output_hash_mismatch`, `root_mismatch`."),
			issued: z
				.boolean()
				.nullable()
				.describe("Whether this service signed the claimed root for this run; null for a run that it does not know."),
		}),
	),
	example: { bodyFrom: { answerOf: "get_agent_trajectory", member: "verify_request" } },
	async handle({ body, context }) {
		const signed = await signedRun(body.run_id, context);
		if (!signed.ok) return signed;
		const receipt = signed.value;
		const signedHash = receipt?.["type"] === "svc.receipt.v2" ? receipt["output_hash"] : null;
		const isOverSigned = body.output != null && body.salt == null && typeof signedHash === "string";
		const verdict = isOverSigned
			? await verifySaltedRun(body, signedHash, context)
			: await runInTurnsOnceLong(context, verifyTrajectoryInSteps(body));
		return ok({ ...verdict, issued: receipt && receipt["trajectory_proof"] === body.trajectory_proof });
	},
});
