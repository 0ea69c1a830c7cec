// Judges a call of a run's tool before it runs: the workspace's manifest and the policy engine, then containment.ts. What a decision
// does to the call, and its storage, are left to the run's object, which stores the event in the same transaction.
import { ulid } from "ulid";
import { toActor } from "../../audit/event.ts";
import { PLANS } from "../../catalog/plans.ts";
import { redactPayloadSecrets } from "../../compliance/audit-secrets.ts";
import { plainConversation } from "../../compliance/conversation.ts";
import { scanConversation } from "../../compliance/scans.edge.ts";
import type { Database } from "../../db/client.edge.ts";
import type { JsonObject } from "../../json.ts";
import { loadDetector } from "../../load-detector.ts";
import { loadPolicyEngine } from "../../load-policy-engine.ts";
import { renderCheck, toPolicyCheckEvent, toPolicyInput } from "../../policy/check.ts";
import type { PolicyEngine } from "../../policy/engine.ts";
import { findManifest } from "../../policy/manifests.store.ts";
import { type RulesInForce, toRulesInForce } from "../../policy/rules-in-force.ts";
import { judgeTool } from "../../policy/tool-rules.ts";
import { checkWork, WorkBudget } from "../../policy/work-budget.ts";
import type { Settings } from "../../settings.ts";
import { inOneTurn, inTurns, inTurnsOnceLong, type TurnOwner } from "../../turns/turns.edge.ts";
import type { RunSpec } from "../run/run.ts";
import { actionDigest } from "./action.ts";
import { toCallEffect } from "./call-effect.ts";
import { contain } from "./containment.ts";
import { countReadChars, findTaint } from "./taint.ts";
import { definitionHash } from "./tool.ts";
import type { PolicyStand } from "./tool-call.ts";
import type { CallToJudge, JudgedCall } from "./tool-services.ts";

/** The policy that holds in a run's workspace at one moment. */
export interface PolicyInForce extends RulesInForce {
	stand: PolicyStand;
	decideInSteps: PolicyEngine["decideInSteps"];
}

/** Characters of the event of a call, in bytes of JSON: a run makes up to 200 calls. */
const MAX_EVENT_BYTES = 16_384;

/**
 * Reads the policy in force.
 * @throws what D1 throws where it is out of reach: nothing is judged then, and the object tries again.
 */
export async function readPolicy(
	db: Database,
	{ userId, planId, workspaceId }: Pick<RunSpec, "userId" | "planId" | "workspaceId">,
): Promise<PolicyInForce> {
	if (workspaceId === null) throw new Error("a run with tools has a workspace");
	const { decideInSteps, version } = await loadPolicyEngine();
	const inForce = toRulesInForce(await findManifest(db, { userId, workspaceId }), workspaceId, PLANS[planId]);
	return { ...inForce, stand: { manifestDigest: inForce.manifestDigest, version }, decideInSteps };
}

/** Whether arguments hold what looks like a secret. Those that cannot be read to the end count as if they did. */
async function holdsSecret(given: JsonObject, owner: TurnOwner): Promise<boolean> {
	const { detectInSteps } = await loadDetector();
	const { classes } = await scanConversation(plainConversation(JSON.stringify(given)), detectInSteps, owner);
	return classes.includes("SECRETS");
}

/**
 * Judges a call: by the policy in force, then by what the run has read.
 * @returns the judgement and its event, with secrets redacted as in any policy check.
 */
export async function judgeCall(
	{ stand, manifestDigest, rules, decideInSteps }: PolicyInForce,
	{ spec, call, tool, args, state, texts }: CallToJudge,
	settings: Pick<Settings, "hashesAuditSecrets" | "keyPepper">,
): Promise<JudgedCall> {
	const { runId, userId, workspaceId } = spec;
	const owner: TurnOwner = { user: userId, signal: null };
	const { secretSpans } = await loadDetector();
	const chars = JSON.stringify(args).length;
	const { tool: named, reachesOut, ...effect } = toCallEffect(tool, args, secretSpans);
	const check = { workspace_id: workspaceId ?? "", ...effect };
	const work = new WorkBudget(checkWork(chars));
	const judging = decideInSteps({ ...toPolicyInput(check), tool: named }, rules, work, secretSpans);
	const effects = tool.kind === "built_in" ? "read" : tool.effects;
	const { verdict, pattern } = judgeTool(named, rules.tools);
	const decided = contain(
		{
			effects,
			reachesOut,
			isNamed: verdict === "allow" && pattern !== null,
			hasSecret: effects !== "read" && (await holdsSecret(args, owner)),
			isTainted: state.untrusted.length > 0,
			hasReadPrivate: state.hasReadPrivate,
		},
		await inTurnsOnceLong(judging, chars, owner),
	);
	const needsPerson = decided.decision === "confirm" || decided.decision === "approve";
	const { taintedBy, unsourced } = needsPerson
		? await inTurns(findTaint(args, texts), countReadChars(texts), owner)
		: { taintedBy: [], unsourced: [] };
	const digest = actionDigest({
		runId,
		callId: call.id,
		tool: call.tool,
		definition: definitionHash(tool),
		argumentsHash: call.argumentsHash,
		policy: stand,
	});
	const nowMs = Date.now();
	const envelope = {
		id: `ae_${ulid(nowMs)}`,
		user_id: userId,
		actor: toActor(spec),
		created_at: new Date(nowMs).toISOString(),
	};
	const extra = {
		tool: call.tool,
		run_id: runId,
		tool_call_id: call.id,
		arguments_hash: call.argumentsHash,
		action_digest: digest,
		policy_version: stand.version,
		contained_by: decided.rule,
	};
	// Arguments are sealed in the run: its event has their hash, and of commands and files what the reason quotes.
	const rendered = { ...renderCheck(check, MAX_EVENT_BYTES), commands: [], files_affected: [] };
	const checked = await inOneTurn(
		() => toPolicyCheckEvent(check, decided, manifestDigest, envelope, rendered, extra),
		chars,
		owner,
	);
	return {
		judgement: {
			...stand,
			decision: decided.decision,
			riskScore: decided.risk_score,
			riskTier: decided.risk_tier,
			reason: decided.reason,
			eventId: checked.id,
		},
		actionDigest: digest,
		taintedBy,
		unsourced,
		event: { ...checked, payload: await redactPayloadSecrets(checked.payload, settings) },
	};
}
