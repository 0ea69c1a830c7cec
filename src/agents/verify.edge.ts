// The public endpoint that verifies a trajectory: whether a bundle is consistent, and whether this service signed its root.
import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { ok, type Result } from "../failure.ts";
import { runInTurnsOnceLong } from "../http/long-work.edge.ts";
import { verifyReceipt } from "../proof/receipt.ts";
import { lookUpReceipt } from "../usage/receipt-lookup.edge.ts";
import { type TrajectoryBundle, verifyTrajectoryInSteps } from "./trajectory.ts";
import { verifyRequestSchema } from "./verify-request.ts";

/** Whether this service signed the claimed root for the run. Null when it has no valid receipt of such a run. */
async function isProofIssued(
	{ run_id, trajectory_proof }: Pick<TrajectoryBundle, "run_id" | "trajectory_proof">,
	context: ServiceContext,
): Promise<Result<boolean | null>> {
	const found = await lookUpReceipt(context, run_id);
	if (!found.ok) return found;
	const stored = found.value;
	if (stored?.kind !== "agent" || stored.signature === null) return ok(null);
	const { valid, receipt } = await verifyReceipt(stored, context.settings.publicKeys);
	const isOfRun = receipt["kind"] === "agent" && receipt["request_id"] === run_id;
	return ok(valid && isOfRun ? receipt["trajectory_proof"] === trajectory_proof : null);
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
		const issued = await isProofIssued(body, context);
		if (!issued.ok) return issued;
		const verdict = await runInTurnsOnceLong(context, verifyTrajectoryInSteps(body));
		return ok({ ...verdict, issued: issued.value });
	},
});
