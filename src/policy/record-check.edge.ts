// A policy check from its manifest to its audit event: the one way in which endpoints have something decided and recorded.
import { ulid } from "ulid";
import type { KeyContext } from "../account/context.ts";
import { readRequestNames } from "../account/request-names.ts";
import { type AuditEventRow, type EventOrigin, toActor } from "../audit/event.ts";
import { recordAuditEvent } from "../audit/owners.edge.ts";
import { redactPayloadSecrets } from "../compliance/audit-secrets.ts";
import { ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { runInOneTurn, runInTurnsOnceLong } from "../http/long-work.edge.ts";
import { loadDetector } from "../load-detector.ts";
import { hasMetrics } from "../settings.ts";
import {
	checkBytes,
	type PolicyCheck,
	type RenderedCheck,
	reduceCheck,
	renderCheck,
	toPolicyCheckEvent,
	toPolicyInput,
} from "./check.ts";
import type { PolicyDecision, PolicyTool } from "./decide.ts";
import type { LoadPolicyEngine } from "./engine.ts";
import type { StoredManifest } from "./manifests.store.ts";
import { toRulesInForce } from "./rules-in-force.ts";
import { checkWork, WorkBudget } from "./work-budget.ts";

/** An agent's call of a tool that is decided on. */
export interface CheckedTool {
	tool: PolicyTool;
	origin: EventOrigin;
	/** Further members of the event's payload. */
	payload: Readonly<Record<string, string | null>>;
}

/**
 * Counts what a check stores, and with it the request. A full quota stops no check: then its reduced form is counted and kept.
 * @returns the check as it is kept.
 */
export async function countCheck(context: KeyContext, check: PolicyCheck): Promise<Result<RenderedCheck>> {
	const whole = renderCheck(check);
	const lesser = reduceCheck(whole);
	const counted = await context.store({
		rollingBytes: checkBytes(whole),
		keptBytes: 0,
		reducedRollingBytes: checkBytes(lesser),
	});
	return counted.ok ? ok(counted.value.isReduced ? lesser : whole) : counted;
}

/** Where a check comes from that no hook asked for: the session that its headers name, if they name one. */
function readSessionOrigin({ headers }: Pick<KeyContext, "headers">): Partial<EventOrigin> {
	const { sessionId: session_id } = readRequestNames(headers, undefined).names;
	return session_id === null ? {} : { session_id };
}

/** Counts a decision for the metrics, where anybody reads them. Nobody waits for it. */
function countDecision(context: KeyContext, id: string, { decision, risk_tier: tier }: PolicyDecision): void {
	if (!hasMetrics(context.settings.telemetry)) return;
	const counted = context.meter(context.account.userId).countCheck({ id, decision, tier });
	context.waitUntil(counted.catch((error: unknown) => logError("check_not_counted", error)));
}

/** Hands over the span of a decision, where an address for traces is set. */
function traceDecision(
	{ trace, account, startedAtMs }: KeyContext,
	{ id, workspace_id, session_id = null }: AuditEventRow,
	{ decision, risk_tier: tier, factors }: PolicyDecision,
	called: CheckedTool | null,
): void {
	const nowMs = Date.now();
	trace?.handCheck(() => ({
		checkId: id,
		userId: account.userId,
		keyId: account.keyId,
		atMs: startedAtMs,
		ms: nowMs - startedAtMs,
		workspaceId: workspace_id ?? "",
		sessionId: session_id,
		agent: called?.origin.agent ?? null,
		tool: called?.payload["tool"] ?? null,
		decision,
		tier,
		factors: factors.filter(({ triggered }) => triggered).map((factor) => factor.id),
		parent: trace.parent,
	}));
}

/** A check, and how its event keeps it. */
export interface CountedCheck {
	check: PolicyCheck;
	rendered: RenderedCheck;
}

/**
 * Decides on a check under a workspace's manifest, and records the decision.
 * @param stored the manifest in force; null where none was ever posted.
 * @param called null for a check that is no call of a tool.
 * @throws StorageUnavailableError where it could not be recorded.
 */
export async function decideAndRecord(
	context: KeyContext,
	loadEngine: LoadPolicyEngine,
	{ check, rendered }: CountedCheck,
	stored: StoredManifest | null,
	called: CheckedTool | null,
): Promise<{ decided: PolicyDecision; event: AuditEventRow }> {
	const { account, settings } = context;
	const { rules, manifestDigest } = toRulesInForce(stored, check.workspace_id, account.plan);
	const { secretSpans } = await loadDetector();
	const { decideInSteps } = await loadEngine();
	const input = { ...toPolicyInput(check), tool: called?.tool };
	const work = new WorkBudget(checkWork(context.bodyChars ?? 0));
	const decided = await runInTurnsOnceLong(context, decideInSteps(input, rules, work, secretSpans));
	const nowMs = Date.now();
	const origin = called?.origin ?? readSessionOrigin(context);
	const envelope = {
		id: `ae_${ulid(nowMs)}`,
		user_id: account.userId,
		actor: toActor(account),
		created_at: new Date(nowMs).toISOString(),
		...origin,
	};
	const extra = { ...called?.payload, ...origin };
	const checked = await runInOneTurn(context, () =>
		toPolicyCheckEvent(check, decided, manifestDigest, envelope, rendered, extra),
	);
	const event = { ...checked, payload: await redactPayloadSecrets(checked.payload, settings) };
	await recordAuditEvent(context, { kind: "workspace", id: check.workspace_id }, event);
	countDecision(context, event.id, decided);
	traceDecision(context, event, decided, called);
	return { decided, event };
}
