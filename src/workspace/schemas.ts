// The responses of the workspace endpoints, as schemas for the reference and the contract test.
import * as z from "zod";
import { workspaceIdSchema } from "../ids.ts";
import { workspaceManifestSchema } from "../policy/manifest.ts";
import { RATINGS } from "./readiness.ts";

const checkRowSchema = z.lazy(() => z.object({ id: z.string(), label: z.string(), weight: z.int() }));
const policyUpdatedSchema = z
	.boolean()
	.describe("Whether this manifest differs from the one in force before and has become the workspace's policy.");

/** `POST /v1/workspace/readiness` (docs/reference/workspaces.md, "Workspaces"). */
export const readinessResultSchema = z.lazy(() =>
	z.object({
		object: z.literal("repo.readiness"),
		version: z.string().describe("Version of the checks."),
		score: z.int().min(0).max(100).describe("Share of the weight that was earned."),
		rating: z
			.enum(RATINGS)
			.describe("`excellent` from a score of 90, `good` from 75, `fair` from 50, `poor` from 25, else `critical`."),
		earned_weight: z.int().describe("Weight of the checks that passed."),
		total_weight: z.int().describe("Weight of all checks."),
		checks: z.array(checkRowSchema.unwrap().extend({ passed: z.boolean() })).describe("All checks."),
		recommendations: z
			.array(checkRowSchema.unwrap().extend({ rec: z.string() }))
			.describe("The heaviest failing checks, at most five, with advice."),
		policy_updated: policyUpdatedSchema,
	}),
);

/** `POST /v1/workspace/generate` (docs/reference/workspaces.md, "Workspaces"). */
export const artifactsResultSchema = z.lazy(() =>
	z.object({
		version: z.string(),
		workspace_id: workspaceIdSchema,
		artifacts: z.array(z.object({ path: z.string(), content: z.string() })),
		policy_updated: policyUpdatedSchema,
	}),
);

const countSchema = z.int().min(0);

/** `GET /v1/workspace/{workspace_id}/snapshot` (docs/reference/workspaces.md, "Workspaces"). */
export const snapshotResultSchema = z.lazy(() =>
	z.object({
		object: z.literal("workspace.snapshot"),
		workspace_id: workspaceIdSchema.describe("The workspace."),
		count: countSchema.describe("Handoffs that are counted."),
		risk_distribution: z
			.object({
				auto: countSchema,
				confirm: countSchema,
				approve: countSchema,
				block: countSchema,
				unknown: countSchema,
			})
			.describe("Handoffs by tier of risk."),
		avg_risk_score: z.number().nullable().describe("Mean risk score."),
		signed_share: z.number().min(0).max(1).describe("Share of signed handoffs."),
		integrity: z
			.object({
				ok: z.boolean(),
				n: countSchema,
				first_broken_index: z.int().nullable(),
				reasons: z.array(z.string()),
			})
			.describe("The verdict on the whole chain."),
		tail: z
			.array(
				z.object({
					id: z.string(),
					objective: z.string(),
					from_tool: z.string().nullable(),
					to_tool: z.string().nullable(),
					created_at: z.string(),
					risk_tier: z.string().nullable(),
					risk_score: z.number().nullable(),
					signed: z.boolean(),
				}),
			)
			.describe("The latest handoffs."),
	}),
);

/** `GET` and `PUT /v1/workspace/{workspace_id}/manifest`. */
export const manifestResultSchema = z.lazy(() =>
	z.object({
		object: z.literal("workspace.manifest"),
		workspace_id: workspaceIdSchema.describe("The workspace."),
		source: z
			.enum(["stored", "default"])
			.describe("`default`: no manifest was ever posted, so only built-in rules hold."),
		version: z.int().nullable().describe("Counts the workspace's manifests from 1; null for the default."),
		digest: z
			.string()
			.regex(/^sha256:[0-9a-f]{64}$/)
			.describe("Object hash of the manifest."),
		updated_at: z.string().nullable().describe("When this manifest came into force; null for the default."),
		manifest: workspaceManifestSchema.describe("The manifest with all its members."),
	}),
);
