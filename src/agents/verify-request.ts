// The schema of a trajectory bundle, for the endpoint and for checking offline. Pure.
import * as z from "zod";
import { HASH_FORM } from "../proof/hash.ts";
import { SALT_FORM } from "../proof/salted.ts";
import type { TrajectoryBundle } from "./trajectory.ts";

/** The most steps of one bundle. A run has at most 1,000. */
const MAX_VERIFIED_STEPS = 2_000;

const hashSchema = z.lazy(() =>
	z.string().regex(HASH_FORM, "must be a whole hash: sha256: and 64 lower-case hex digits"),
);

const bundleStepSchema = z.lazy(() =>
	z.object({
		index: z.number(),
		model: z.string(),
		input_hash: hashSchema,
		output_hash: hashSchema,
		cost_usd: z.number(),
		confidence: z.number(),
		timestamp: z.string(),
	}),
);

/** The body of `POST /v1/agent/verify`: a trajectory's `verify_request`, or a bundle made by hand. */
export const verifyRequestSchema = z.lazy(() =>
	z
		.object({
			run_id: z.string().describe("Id of the run."),
			trajectory_proof: hashSchema.describe("The claimed root."),
			policy: z.string().default("balanced").describe("The policy of the run, which is part of its root."),
			strategy: z.string().default("single").describe("The strategy of the run, likewise."),
			steps: z
				.array(bundleStepSchema)
				.max(MAX_VERIFIED_STEPS, `must have at most ${MAX_VERIFIED_STEPS} steps`)
				.describe("In the order they were taken; hashed as given, unknown members apart."),
			output: z.string().nullish().describe("The run's output, which is hashed here."),
			output_hash: hashSchema
				.nullish()
				.describe("Its hash. With `output` too, both must agree; with neither, the last step's stands in."),
			salt: z
				.string()
				.regex(SALT_FORM, "must be 32 lower-case hex digits")
				.nullish()
				.describe(
					"Of the hashes of the run's texts. Without it, `output` is checked for a run that this service signed.",
				),
			step_proofs: z
				.array(hashSchema)
				.max(MAX_VERIFIED_STEPS, `must have at most ${MAX_VERIFIED_STEPS} proofs`)
				.nullish()
				.describe("One per step; with them `mismatched_steps` names the changed ones."),
		})
		.superRefine(({ steps, step_proofs }, issues) => {
			if (step_proofs == null || step_proofs.length === steps.length) return;
			const message = `has ${step_proofs.length} entries for ${steps.length} steps; there must be one for each`;
			issues.addIssue({ code: "custom", path: ["step_proofs"], message });
		}),
);

/** Validates a bundle parsed from JSON. Each issue names its path. */
export function parseBundle(value: unknown): { bundle: TrajectoryBundle } | { issues: string[] } {
	const parsed = verifyRequestSchema.safeParse(value);
	if (parsed.success) return { bundle: parsed.data };
	return { issues: parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the bundle"}: ${message}`) };
}
