// The schema of an attestation in an answer. Its bytes are specified in docs/proofs.md, "Receipts".
import * as z from "zod";

/** Which policy was in force, and which models saw the text under it. */
export const attestationSchema = z.lazy(() =>
	z.object({
		type: z.literal("svc.attestation.v1"),
		matrix_version: z.string(),
		policy: z.record(z.string(), z.unknown()),
		models: z.array(z.string()),
		providers: z.array(z.string()),
		detected_classes: z.array(z.string()),
		inferred_classes: z.array(z.string()).optional(),
		operator_facts: z.array(z.string()).optional(),
		masked: z.record(z.string(), z.int()).optional(),
		floor: z.array(z.object({ level: z.string(), members: z.array(z.string()), digest: z.string() })).optional(),
		mode: z.literal("monitor").optional(),
		violations: z.array(z.object({ level: z.string(), member: z.string(), models: z.array(z.string()) })).optional(),
		hash: z.string(),
	}),
);
