// Policy over HTTP: a decision with its trail in the audit log, and a risk score that leaves none.

import { ulid } from "ulid";
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { DECISIONS, RISK_TIERS, toActor } from "../audit/event.ts";
import { recordAuditEvent } from "../audit/owners.edge.ts";
import { agentLimitNanoUsd } from "../catalog/plans.ts";
import { redactPayloadSecrets } from "../compliance/audit-secrets.ts";
import { loadDetector } from "../compliance/load.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { runInOneTurn, runInTurns } from "../http/long-work.edge.ts";
import { usd } from "../proof/money.ts";
import {
	checkBytes,
	policyCheckSchema,
	reduceCheck,
	renderCheck,
	textListSchema,
	toPolicyCheckEvent,
	toPolicyInput,
} from "./check.ts";
import type { LoadPolicyEngine } from "./engine.ts";
import { ALL_FACTORS } from "./factors.ts";
import { defaultManifest, manifestDigest } from "./manifest.ts";
import { findManifest } from "./manifests.store.ts";

const MAX_TARGETS = 2_000;
const RISK_KINDS = ["edit", "deploy", "delete", "exec", "network", "read"] as const;

const factorSchema = z.lazy(() => z.object({ id: z.string(), label: z.string(), weight: z.int() }));
const scoreSchema = z.int().min(0).max(100);

/** `POST /v1/policy/check`. */
export const policyDecisionSchema = z.lazy(() =>
	z.object({
		decision: z.enum(DECISIONS),
		risk_score: scoreSchema,
		risk_tier: z.enum(RISK_TIERS),
		factors: z
			.array(factorSchema.unwrap().extend({ triggered: z.boolean() }))
			.describe("All of them, in a fixed order."),
		reason: z.string(),
		event_id: z.string(),
		created_at: z.string(),
		reduced: z
			.literal("storage_quota_exceeded")
			.optional()
			.describe(
				"The quota of stored bytes is full, and the event keeps less: `context` as its digest, long texts in part.",
			),
		context_digest: z
			.object({ hash: z.string(), bytes: z.int() })
			.optional()
			.describe("Of a context that the event does not keep."),
	}),
);

const checkPolicyEndpoint = (loadEngine: LoadPolicyEngine) =>
	endpoint({
		id: "check_policy",
		method: "POST",
		path: "/v1/policy/check",
		access: "key",
		admission: "handler",
		summary: "Decides whether an action may go ahead under a workspace's policy, and records the decision.",
		description:
			"Ask it before an action that changes, deletes or deploys something, and heed `decision`: `allow`, `confirm` or `approve` by a person, or `deny`. Each check is recorded in the audit log.",
		body: policyCheckSchema,
		result: policyDecisionSchema,
		async handle({ body, context }) {
			const { account, db, settings, timings } = context;
			// Admitted before anything is decided. A full quota stops no check: then the reduced form is counted and kept.
			const whole = renderCheck(body);
			const lesser = reduceCheck(whole);
			const counted = await context.store({
				rollingBytes: checkBytes(whole),
				keptBytes: 0,
				reducedRollingBytes: checkBytes(lesser),
			});
			if (!counted.ok) return counted;
			const rendered = counted.value.isReduced ? lesser : whole;
			const key = { userId: account.userId, workspaceId: body.workspace_id };
			const stored = await timings.measure("d1", () => findManifest(db, key));
			const manifest = stored?.manifest ?? defaultManifest(body.workspace_id);
			const rules = {
				protectedPaths: manifest.protected_paths,
				forbiddenCommands: manifest.forbidden_commands,
				allowedCommands: manifest.allowed_commands,
				budgetUsd: usd(agentLimitNanoUsd(account.plan)),
			};
			const { secretSpans } = await loadDetector();
			const { decideInSteps } = await loadEngine();
			const decided = await runInTurns(context, decideInSteps(toPolicyInput(body), rules, undefined, secretSpans));
			const nowMs = Date.now();
			const envelope = {
				id: `ae_${ulid(nowMs)}`,
				user_id: account.userId,
				actor: toActor(account),
				created_at: new Date(nowMs).toISOString(),
			};
			const digest = stored?.digest ?? manifestDigest(manifest);
			const checked = await runInOneTurn(context, () => toPolicyCheckEvent(body, decided, digest, envelope, rendered));
			const event = { ...checked, payload: await redactPayloadSecrets(checked.payload, settings) };
			await recordAuditEvent(context, { kind: "workspace", id: body.workspace_id }, event);
			const { reduced, context_digest } = rendered;
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
		summary: "Scores the risk of an action from its kind and targets, under the built-in rules; nothing is recorded.",
		description: "A quick look at an action without a workspace; to decide and record, use check_policy.",
		body: z.lazy(() =>
			z.object({
				kind: z.enum(RISK_KINDS).describe("What the action does."),
				targets: textListSchema(MAX_TARGETS).nullish().describe("Paths; of `exec` commands, of `network` addresses."),
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
		async handle({ body, context }) {
			const { scoreRiskInSteps } = await loadEngine();
			const steps = scoreRiskInSteps({ kind: body.kind, targets: body.targets ?? [] });
			const { score, tier, factors: fired } = await runInTurns(context, steps);
			const factors = ALL_FACTORS.filter(({ id }) => fired.includes(id)).map((factor) => ({ ...factor }));
			return ok({ object: "risk.score" as const, score, tier, factors });
		},
	});

export function policyEndpoints(loadEngine: LoadPolicyEngine): readonly Endpoint[] {
	return [checkPolicyEndpoint(loadEngine), scoreRiskEndpoint(loadEngine)];
}
