// An unstreamed chat completion: plan, reserve, call, settle, answer. Nothing is delivered that is not accounted for.
import type { Settlement } from "../account/settlement.ts";
import { recordSettlements } from "../account/settlements.store.ts";
import type { KeyContext } from "../http/context.ts";
import type { Answer } from "../http/endpoint.ts";
import { type Failure, fail } from "../http/errors.ts";
import { logError } from "../http/log.ts";
import { hashObject, hashText } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import { type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import { type CallResult, callUpstream } from "../providers/call.ts";
import {
	type Bill,
	billOf,
	type Outcome,
	outputHash,
	type Run,
	receiptOf,
	reservationOf,
	usageRowOf,
} from "./accounting.ts";
import { type ChatCompletion, completionOf } from "./answer.ts";
import type { Warning } from "./call.ts";
import { planChat } from "./plan.ts";
import type { ChatRequest } from "./request.ts";

/** Time between the end of the longest upstream call and the settlement of a reservation that nobody settled. */
const RESERVATION_MARGIN_MS = 10_000;

/** Settles with the meter, else directly in D1; D1 keeps the first row under a request id. False when neither took it. */
async function settle(context: KeyContext, settlement: Settlement): Promise<boolean> {
	try {
		return (await context.meter(context.account.userId).settle(settlement)) === "settled";
	} catch (error) {
		logError("settle_failed", error, { request_id: context.requestId });
	}
	try {
		await recordSettlements(context.db, [settlement]);
		return true;
	} catch (error) {
		logError("settle_directly_failed", error, { request_id: context.requestId });
		return false;
	}
}

/** Seals and stores usage and receipt of what came of a run; null when that failed. */
async function record(
	context: KeyContext,
	run: Run,
	bill: Bill,
	outcome: Outcome,
	output_hash: string,
): Promise<SealedReceipt | null> {
	const nowMs = Date.now();
	const receipt = await sealReceipt(receiptOf(run, bill, outcome, output_hash, nowMs), context.settings.signer);
	const usage = usageRowOf(run, bill, outcome, nowMs - run.startedAtMs);
	Object.assign(context.log, { outcome, cost_usd: usd(bill.cost.totalNanoUsd), estimated: bill.estimated });
	return (await settle(context, { usage, receipt })) ? receipt : null;
}

/** Frees a reservation that cost nothing. If the meter cannot be told, it will be settled at its bound, which is logged. */
async function release(context: KeyContext): Promise<void> {
	try {
		await context.meter(context.account.userId).release(context.requestId);
	} catch (error) {
		logError("release_failed", error, { request_id: context.requestId });
	}
}

const LOST: Readonly<Record<Extract<CallResult, { kind: "lost" }>["why"], string>> = {
	no_head: "could not be reached, or broke off before it answered",
	timeout: "did not answer in time",
	cut: "broke off its answer",
	unusable: "gave no usable answer",
	too_large: "gave an answer that is too large",
};

/** Statuses that are the operator's fault or the provider's, not the caller's. */
function isProvidersFault(status: number, code: string | null): boolean {
	return [401, 402, 403, 408, 429].includes(status) || status >= 500 || status < 400 || code === "insufficient_quota";
}

function attemptLine({ candidate: { model } }: Run, what: string): string {
	return `${model.id} at ${model.provider}: ${what}`;
}

/** The failure of an attempt that cost nothing. */
async function refused(
	context: KeyContext,
	run: Run,
	result: Extract<CallResult, { kind: "status" }>,
): Promise<Failure> {
	await release(context);
	const { status, error, retryAfterMs } = result;
	const { provider } = run.candidate.model;
	if (!isProvidersFault(status, error?.code ?? null)) {
		const message = error?.message.toWellFormed().slice(0, 500) ?? `${provider} refused the request`;
		return { reason: "upstream_rejected", message, provider, upstreamStatus: status };
	}
	return { reason: "all_models_failed", attempts: [attemptLine(run, `status ${status}`)], costUsd: 0, retryAfterMs };
}

/** The failure of an attempt that may have been billed: it is settled by its usage, or at its bound. */
async function lost(
	context: KeyContext,
	run: Run,
	result: Extract<CallResult, { kind: "lost" | "client_closed" }>,
): Promise<Failure> {
	const closed = result.kind === "client_closed";
	const bill = billOf(run, closed ? null : result.usage, null);
	const receipt = await record(context, run, bill, closed ? "client_closed" : "cut", hashText(""));
	if (!receipt) return { reason: "receipt_unavailable", requestId: run.requestId };
	const attempts = [attemptLine(run, closed ? "the client hung up" : LOST[result.why])];
	return { reason: "all_models_failed", attempts, costUsd: usd(bill.cost.totalNanoUsd), retryAfterMs: null };
}

function warningsOf(run: Run, bill: Bill): Warning[] {
	const warnings = [...run.candidate.warnings, ...run.attempt.request.warnings];
	if (bill.overrun) {
		const message = "the provider reported more usage than the request allowed; the cost is the reserved bound";
		warnings.push({ code: "provider_overrun", param: null, message });
	}
	return warnings;
}

async function answered(
	context: KeyContext,
	run: Run,
	{ answer, sandbox }: Extract<CallResult, { kind: "answer" }>,
): Promise<Answer<ChatCompletion>> {
	const bill = billOf(run, answer.usage, answer);
	const receipt = await record(context, run, bill, "complete", outputHash(answer));
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: run.requestId });
	const latencyMs = Date.now() - run.startedAtMs;
	const value = completionOf({ run, answer, bill, receipt, latencyMs, warnings: warningsOf(run, bill) });
	return { ok: true, value, headers: sandbox ? { "x-svc-sandbox": "1" } : {} };
}

/** The messages as the client sent them, before validation changed anything. */
function rawMessages(rawBody: unknown): unknown {
	return (rawBody as { messages?: unknown }).messages;
}

/** Runs a chat request whole; a client that hangs up stops the upstream call and is still accounted for. */
export function completeChat(body: ChatRequest, context: KeyContext): Promise<Answer<ChatCompletion>> {
	const work = complete(body, context);
	context.waitUntil(work.catch(() => undefined));
	return work;
}

async function complete(body: ChatRequest, context: KeyContext): Promise<Answer<ChatCompletion>> {
	const { account, settings, requestId, startedAtMs } = context;
	const planned = planChat(body, account.plan, settings, startedAtMs);
	if (!planned.ok) return planned;
	const plan = planned.value;
	const { mode, fallbackFrom, candidates } = plan.selection;
	const candidate = candidates[0];
	const { id: model, provider } = candidate.model;
	Object.assign(context.log, { model, provider, mode, fallback: fallbackFrom !== null });

	const attempt = plan.attempt(candidate.model, candidate.effort);
	const inputHash = hashObject({ type: "svc.input.v1", messages: rawMessages(context.rawBody) });
	const nowMs = Date.now();
	const reserved: Run = {
		requestId,
		userId: account.userId,
		startedAtMs,
		plan,
		candidate,
		attempt,
		inputHash,
		sentAtMs: nowMs,
	};
	const expiresAtMs = nowMs + settings.upstreamTotalTimeoutMs + RESERVATION_MARGIN_MS;
	const admitted = await context.admit(reservationOf(reserved, expiresAtMs));
	if (!admitted.ok) return admitted;

	const run: Run = { ...reserved, sentAtMs: Date.now() };
	const { upstreamTimeoutMs, upstreamIdleTimeoutMs, upstreamTotalTimeoutMs } = settings;
	const deadlines = { firstByteMs: upstreamTimeoutMs, idleMs: upstreamIdleTimeoutMs, totalMs: upstreamTotalTimeoutMs };
	const result = await callUpstream(attempt.wire, attempt.request, deadlines, context.signal);
	context.log.upstream_ms = Date.now() - run.sentAtMs;
	switch (result.kind) {
		case "answer":
			return answered(context, run, result);
		case "status":
			return fail(await refused(context, run, result));
		case "lost":
		case "client_closed":
			return fail(await lost(context, run, result));
	}
}
