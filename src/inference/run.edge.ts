// The edges that every chat run shares: planning and reserving before the first call, settling after the last.

import type { KeyContext } from "../account/context.ts";
import { findReceipt } from "../account/receipts.store.ts";
import type { Reservation, Settlement } from "../account/settlement.ts";
import { recordSettlements } from "../account/settlements.store.ts";
import type { ChatRequest } from "../chat/request.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { hashObject, hashText } from "../proof/hash.ts";
import { type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import { Breakers } from "../providers/breaker.ts";
import type { ChatCall } from "../providers/model-call.ts";
import type { Deadlines } from "../providers/upstream.edge.ts";
import {
	type BilledCall,
	type Call,
	fallbackFrom,
	type Outcome,
	type Run,
	receiptOf,
	reservationOf,
	usageRowOf,
} from "./accounting.ts";
import { Conversations, conversationKey, openingKey } from "./conversations.ts";
import { planCalls } from "./failover.ts";
import { planChat } from "./plan.ts";

/** Time between the end of the longest run and the settlement of a reservation that nobody settled. */
const RESERVATION_MARGIN_MS = 10_000;

/** This isolate's view of the providers. */
export const breakers = new Breakers();

/** This isolate's view of who talks with whom. */
const conversations = new Conversations();

/** The model that a user's conversation is with, for planning a call that goes on with it. */
export function recallModel(userId: string): (call: ChatCall) => string | null {
	return (call) => conversations.recall(conversationKey(userId, call));
}

/** A run that has been admitted. */
export interface Begun {
	run: Run;
	calls: [Call, ...Call[]];
	/** When the last call must be over. */
	endsAtMs: number;
}

/** The messages as the client sent them, before validation changed anything. */
function rawMessages(rawBody: unknown): unknown {
	return (rawBody as { messages?: unknown }).messages;
}

/**
 * Deadlines of the next upstream call of a run.
 * @param endsAtMs when the whole run must be over, whatever number of calls it takes.
 */
export function deadlinesOf({ settings }: KeyContext, endsAtMs: number): Deadlines {
	return {
		firstByteMs: settings.upstreamTimeoutMs,
		idleMs: settings.upstreamIdleTimeoutMs,
		totalMs: Math.max(1, endsAtMs - Date.now()),
	};
}

/**
 * Plans a chat request and reserves the worst case of all its calls.
 * @param runMs the longest that all calls together may take.
 */
export async function begin(body: ChatRequest, context: KeyContext, runMs: number): Promise<Result<Begun>> {
	const { account, settings, requestId, startedAtMs } = context;
	const planned = planChat(body, account.plan, settings, startedAtMs, recallModel(account.userId));
	if (!planned.ok) return planned;
	const plan = planned.value;
	const { calls, boundNanoUsd } = planCalls(plan, breakers, Date.now());
	const inputHash = hashObject({ type: "svc.input.v1", messages: rawMessages(context.rawBody) });
	const run: Run = { requestId, userId: account.userId, startedAtMs, plan, inputHash, boundNanoUsd };
	const endsAtMs = Date.now() + runMs;
	const admitted = await admit(context, reservationOf(run, calls[0], endsAtMs + RESERVATION_MARGIN_MS));
	return admitted.ok ? ok({ run, calls, endsAtMs }) : admitted;
}

/** Reserves; when the meter's answer is lost, the reservation may stand all the same, and no model will be called for it. */
async function admit(context: KeyContext, reservation: Reservation): ReturnType<KeyContext["admit"]> {
	try {
		return await context.admit(reservation);
	} catch (error) {
		context.waitUntil(release(context));
		throw error;
	}
}

/** Settles with the meter, else directly in D1. False when neither took it, or D1 had settled the request at its bound before. */
async function settle(context: KeyContext, settlement: Settlement): Promise<boolean> {
	try {
		return (await context.meter(context.account.userId).settle(settlement)) === "settled";
	} catch (error) {
		logError("settle_failed", error, { request_id: context.requestId });
	}
	try {
		await recordSettlements(context.db, [settlement]);
		const stored = await findReceipt(context.db, context.requestId);
		return stored?.proof_hash === settlement.receipt.proof_hash;
	} catch (error) {
		logError("settle_directly_failed", error, { request_id: context.requestId });
		return false;
	}
}

/** Seals and stores usage and receipt of what came of a run; null when that failed. */
export async function record(
	context: KeyContext,
	run: Run,
	billed: readonly BilledCall[],
	outcome: Outcome,
	output_hash: string,
): Promise<SealedReceipt | null> {
	const served = billed.at(-1)?.candidate.model.id;
	if (outcome === "complete" && served) conversations.remember(openingKey(run.userId, run.plan.call), served);
	const nowMs = Date.now();
	const unsigned = receiptOf(run, billed, outcome, output_hash, nowMs);
	const receipt = await sealReceipt(unsigned, context.settings.signer);
	const usage = usageRowOf(run, billed, outcome, nowMs - run.startedAtMs);
	const { cost_usd, estimated } = unsigned;
	Object.assign(context.log, { outcome, cost_usd, estimated });
	const settled = await context.timings.measure("settle", () => settle(context, { usage, receipt }));
	return settled ? receipt : null;
}

/** Frees a reservation that cost nothing. If the meter cannot be told, it will be settled at its bound, which is logged. */
async function release(context: KeyContext): Promise<void> {
	try {
		await context.meter(context.account.userId).release(context.requestId);
	} catch (error) {
		logError("release_failed", error, { request_id: context.requestId });
	}
}

/** Accounts for a run that no model served: what may have been billed is recorded, else the reservation is freed. */
export async function recordFailure(
	context: KeyContext,
	run: Run,
	billed: readonly BilledCall[],
	clientClosed: boolean,
	failure: Failure,
): Promise<{ ok: false; failure: Failure }> {
	if (billed.length === 0) {
		await release(context);
		return fail(failure);
	}
	const receipt = await record(context, run, billed, clientClosed ? "client_closed" : "cut", hashText(""));
	return fail(receipt ? failure : { reason: "receipt_unavailable", requestId: run.requestId });
}

/** Notes in the log line who is serving. */
export function logCall({ log }: KeyContext, run: Run, { candidate }: Call): void {
	Object.assign(log, {
		model: candidate.model.id,
		provider: candidate.model.provider,
		mode: run.plan.selection.mode,
		fallback: fallbackFrom(run, candidate) !== null,
	});
}
