// Policy over HTTP: a decision with its trail in the audit log, and a risk score that leaves none.

import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { DECISIONS, RISK_TIERS } from "../audit/event.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { runInTurnsOnceLong } from "../http/long-work.edge.ts";
import { policyCheckSchema, textListSchema } from "./check.ts";
import type { LoadPolicyEngine } from "./engine.ts";
import { ALL_FACTORS } from "./factors.ts";
import { findManifest } from "./manifests.store.ts";
import { countCheck, decideAndRecord } from "./record-check.edge.ts";
import { checkWork, WorkBudget } from "./work-budget.ts";

const MAX_TARGETS = 2_000;
const RISK_KINDS = ["edit", "deploy", "delete", "exec", "network", "read"] as const;

const factorSchema = z.lazy(() => z.object({ id: z.string(), label: z.string(), weight: z.int() }));
const scoreSchema = z.int().min(0).max(100);

/** `POST /v1/policy/check`. */
export const policyDecisionSchema = z.lazy(() =>
	z.object({
		decision: z.enum(DECISIONS).describe("`confirm` and `approve` are for a person."),
		risk_score: scoreSchema.describe("Combined weight of the triggered factors."),
		risk_tier: z.enum(RISK_TIERS).describe("The range of the score."),
		factors: z
			.array(factorSchema.unwrap().extend({ triggered: z.boolean() }))
			.describe("All factors, triggered or not."),
		reason: z.string().describe("Why, in words."),
		event_id: z.string().describe("The audit event that records the check."),
		created_at: z.string().describe("When it was decided."),
		reduced: z
			.literal("storage_quota_exceeded")
			.optional()
			.describe(
				"The quota of stored bytes is full, and the event keeps less: `context` as its digest, long texts in part.",
			),
		context_digest: z
			.object({ hash: z.string(), bytes: z.int() })
			.optional()
			.describe("Stands for a context that the event does not keep."),
	}),
);

const checkPolicyEndpoint = (loadEngine: LoadPolicyEngine) =>
	endpoint({
		id: "check_policy",
		method: "POST",
		path: "/v1/policy/check",
		access: "key",
		admission: "handler",
		toolGroup: "policy",
		isDefaultTool: true,
		command: "check",
		page: "policy",
		summary: "Decides whether an action may go ahead under a workspace's policy, and records the decision.",
		description:
			"Ask it before an action that changes, deletes or deploys something, and heed `decision`: `allow`, `confirm` or `approve` by a person, or `deny`. Each check is recorded in the audit log.",
		body: policyCheckSchema,
		result: policyDecisionSchema,
		ids: { workspace_id: { chosenIn: "put_workspace_manifest" } },
		example: {
			body: { workspace_id: "order-service", action: "Roll out", commands: ["npm test", "git push --force"] },
		},
		async handle({ body, context }) {
			const { account, db, timings } = context;
			// Admitted before anything is decided.
			const rendered = await countCheck(context, body);
			if (!rendered.ok) return rendered;
			const key = { userId: account.userId, workspaceId: body.workspace_id };
			const stored = await timings.measure("d1", () => findManifest(db, key));
			const { decided, event } = await decideAndRecord(
				context,
				loadEngine,
				{ check: body, rendered: rendered.value },
				stored,
				null,
			);
			const { reduced, context_digest } = rendered.value;
			return ok({
				...decided,
				factors: [...decided.factors],
				event_id: event.id,
				created_at: event.created_at,
				...(reduced === undefined ? {} : { reduced }),
				...(context_digest === undefined ? {} : { context_digest }),
			});
		},
	});

const scoreRiskEndpoint = (loadEngine: LoadPolicyEngine) =>
	endpoint({
		id: "score_risk",
		method: "POST",
		effect: "none",
		path: "/v1/risk/score",
		access: "key",
		toolGroup: "policy",
		summary: "Scores the risk of an action from its kind and targets, under the built-in rules; nothing is recorded.",
		description: "A quick look at an action without a workspace; to decide and record, use check_policy.",
		body: z.lazy(() =>
			z.object({
				kind: z.enum(RISK_KINDS).describe("What the action does."),
				targets: textListSchema(MAX_TARGETS)
					.nullish()
					.describe("Paths; commands for `exec`; addresses or commands for `network`."),
			}),
		),
		result: z.lazy(() =>
			z.object({
				object: z.literal("risk.score"),
				score: scoreSchema,
				tier: z.enum(RISK_TIERS),
				factors: z.array(factorSchema).describe("Those that fired."),
			}),
		),
		ids: "none",
		example: { body: { kind: "exec", targets: ["rm -rf build"] } },
		async handle({ body, context }) {
			const { scoreRiskInSteps } = await loadEngine();
			const work = new WorkBudget(checkWork(context.bodyChars ?? 0));
			const steps = scoreRiskInSteps({ kind: body.kind, targets: body.targets ?? [] }, undefined, work);
			const { score, tier, factors: fired } = await runInTurnsOnceLong(context, steps);
			const factors = ALL_FACTORS.filter(({ id }) => fired.includes(id)).map((factor) => ({ ...factor }));
			return ok({ object: "risk.score" as const, score, tier, factors });
		},
	});

export function policyEndpoints(loadEngine: LoadPolicyEngine): readonly Endpoint[] {
	return [checkPolicyEndpoint(loadEngine), scoreRiskEndpoint(loadEngine)];
}
