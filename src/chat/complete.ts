// An unstreamed chat completion: plan, reserve, call, settle, answer. Nothing is delivered that is not accounted for.

import type { Reservation, Settlement } from "../account/settlement.ts";
import { recordSettlements } from "../account/settlements.store.ts";
import { configDigest } from "../brain/config.ts";
import { CATALOG_VERSION } from "../catalog/catalog.ts";
import type { KeyContext } from "../http/context.ts";
import type { Answer } from "../http/endpoint.ts";
import { type Failure, fail } from "../http/errors.ts";
import { logError } from "../http/log.ts";
import { hashObject, hashText } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import { type ChatReceipt, type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import { type CallResult, callUpstream } from "../providers/call.ts";
import { type CallCost, costOf, inputTokens, outputTokens, type TokenUsage } from "../routing/cost.ts";
import type { Candidate } from "../routing/select.ts";
import { estimateTokens } from "../routing/signals.ts";
import { type ChatCompletion, completionOf } from "./answer.ts";
import type { ChatAnswer, Warning } from "./call.ts";
import { type Attempt, type ChatPlan, planChat } from "./plan.ts";
import type { ChatRequest } from "./request.ts";

/** Time between the end of the longest upstream call and the settlement of a reservation that nobody settled. */
const RESERVATION_MARGIN_MS = 15_000;

/** A chosen model on its way: everything the receipt, the usage row and the answer are made of. */
interface Run {
	context: KeyContext;
	plan: ChatPlan;
	candidate: Candidate;
	attempt: Attempt;
	inputHash: string;
	/** When the upstream call was sent, which decides the price. */
	sentAtMs: number;
}

/** What was used and what it cost, never above the reserved bound. */
interface Account {
	promptTokens: number;
	completionTokens: number;
	cost: CallCost;
	estimated: boolean;
	overrun: boolean;
}

function accountOf(run: Run, usage: TokenUsage | null, delivered: ChatAnswer | null): Account {
	const bound = run.attempt.worstCase;
	if (!usage) {
		const written = [
			delivered?.content,
			delivered?.refusal,
			delivered?.reasoning,
			...(delivered?.toolCalls.map((call) => call.arguments) ?? []),
		];
		const completionTokens = estimateTokens(written.join(""));
		return {
			promptTokens: run.plan.signals.promptTokens,
			completionTokens,
			cost: bound,
			estimated: true,
			overrun: false,
		};
	}
	const actual = costOf(run.candidate.model, usage, run.sentAtMs);
	const tokens = { promptTokens: inputTokens(usage), completionTokens: outputTokens(usage) };
	if (actual.totalNanoUsd <= bound.totalNanoUsd) return { ...tokens, cost: actual, estimated: false, overrun: false };
	return { ...tokens, cost: bound, estimated: false, overrun: true };
}

function outputHash(answer: ChatAnswer): string {
	const { content, toolCalls } = answer;
	if (toolCalls.length === 0) return hashText(content ?? answer.refusal ?? "");
	const tool_calls = toolCalls.map(({ id, name, arguments: args }) => ({
		id,
		type: "function",
		function: { name, arguments: args },
	}));
	return hashObject({ type: "svc.output.v1", content, tool_calls });
}

function receiptOf(
	run: Run,
	account: Account,
	outcome: ChatReceipt["outcome"],
	output_hash: string,
	atMs: number,
): ChatReceipt {
	const { context, plan, candidate, attempt } = run;
	return {
		type: "svc.receipt.v1",
		kind: "chat",
		request_id: context.requestId,
		timestamp: new Date(atMs).toISOString(),
		outcome,
		estimated: account.estimated,
		cost_usd: usd(account.cost.totalNanoUsd),
		bound_usd: usd(attempt.worstCase.totalNanoUsd),
		input_hash: run.inputHash,
		output_hash,
		compliance: null,
		catalog_version: CATALOG_VERSION,
		config_digest: plan.config ? configDigest(plan.config) : null,
		model: candidate.model.id,
		provider: candidate.model.provider,
		upstream_host: attempt.access.host,
		mode: plan.selection.mode,
		reason: plan.selection.reason,
		prompt_tokens: account.promptTokens,
		completion_tokens: account.completionTokens,
		fallback_from: plan.selection.fallbackFrom,
		skill_id: null,
	};
}

function usageRowOf(
	run: Run,
	account: Account,
	outcome: ChatReceipt["outcome"],
	latencyMs: number,
): Settlement["usage"] {
	const { id: model, provider } = run.candidate.model;
	const tokens = account.promptTokens + account.completionTokens;
	const cost_nano_usd = account.cost.totalNanoUsd;
	return {
		request_id: run.context.requestId,
		user_id: run.context.account.userId,
		created_at: new Date(run.context.startedAtMs).toISOString(),
		kind: "chat",
		model,
		provider,
		mode: run.plan.selection.mode,
		tokens,
		cost_nano_usd,
		estimated: account.estimated,
		outcome,
		latency_ms: latencyMs,
		fallback: run.plan.selection.fallbackFrom !== null,
		calls: [{ model, provider, tokens, cost_nano_usd }],
	};
}

/** What is recorded if this process dies before it settles. */
function reservationOf(run: Run): Reservation {
	const { startedAtMs, settings } = run.context;
	const account = accountOf(run, null, null);
	return {
		expiresAtMs: Date.now() + settings.upstreamTotalTimeoutMs + RESERVATION_MARGIN_MS,
		usage: usageRowOf(run, account, "cut", 0),
		receipt: receiptOf(run, account, "cut", hashText(""), startedAtMs),
	};
}

/** Settles with the meter, else directly in D1; D1 keeps the first row under a request id. False when neither took it. */
async function settle(run: Run, settlement: Settlement): Promise<boolean> {
	const { context } = run;
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
	run: Run,
	account: Account,
	outcome: ChatReceipt["outcome"],
	output_hash: string,
): Promise<SealedReceipt | null> {
	const nowMs = Date.now();
	const receipt = await sealReceipt(receiptOf(run, account, outcome, output_hash, nowMs), run.context.settings.signer);
	const usage = usageRowOf(run, account, outcome, nowMs - run.context.startedAtMs);
	Object.assign(run.context.log, { outcome, cost_usd: usd(account.cost.totalNanoUsd), estimated: account.estimated });
	return (await settle(run, { usage, receipt })) ? receipt : null;
}

/** Frees a reservation that cost nothing. If the meter cannot be told, it will be settled at its bound, which is logged. */
async function release({ context }: Run): Promise<void> {
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

function attemptLine(run: Run, what: string): string {
	return `${run.candidate.model.id} at ${run.candidate.model.provider}: ${what}`;
}

/** The failure of an attempt that cost nothing. */
async function refused(run: Run, result: Extract<CallResult, { kind: "status" }>): Promise<Failure> {
	await release(run);
	const { status, error, retryAfterMs } = result;
	const { provider } = run.candidate.model;
	if (!isProvidersFault(status, error?.code ?? null)) {
		const message = error?.message.toWellFormed().slice(0, 500) ?? `${provider} refused the request`;
		return { reason: "upstream_rejected", message, provider, upstreamStatus: status };
	}
	return { reason: "all_models_failed", attempts: [attemptLine(run, `status ${status}`)], costUsd: 0, retryAfterMs };
}

/** The failure of an attempt that may have been billed: it is settled by its usage, or at its bound. */
async function lost(run: Run, result: Extract<CallResult, { kind: "lost" | "client_closed" }>): Promise<Failure> {
	const closed = result.kind === "client_closed";
	const account = accountOf(run, closed ? null : result.usage, null);
	const receipt = await record(run, account, closed ? "client_closed" : "cut", hashText(""));
	if (!receipt) return { reason: "receipt_unavailable", requestId: run.context.requestId };
	const what = closed ? "the client hung up" : LOST[result.why];
	return {
		reason: "all_models_failed",
		attempts: [attemptLine(run, what)],
		costUsd: usd(account.cost.totalNanoUsd),
		retryAfterMs: null,
	};
}

function warningsOf(run: Run, account: Account): Warning[] {
	const warnings = [...run.candidate.warnings, ...run.attempt.request.warnings];
	if (account.overrun) {
		const message = "the provider reported more usage than the request allowed; the cost is the reserved bound";
		warnings.push({ code: "provider_overrun", param: null, message });
	}
	return warnings;
}

async function answered(run: Run, result: Extract<CallResult, { kind: "answer" }>): Promise<Answer<ChatCompletion>> {
	const { context, plan, candidate } = run;
	const account = accountOf(run, result.answer.usage, result.answer);
	const receipt = await record(run, account, "complete", outputHash(result.answer));
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: context.requestId });
	const value = completionOf({
		requestId: context.requestId,
		createdAtMs: context.startedAtMs,
		latencyMs: Date.now() - context.startedAtMs,
		model: candidate.model,
		selection: plan.selection,
		signals: plan.signals,
		answer: result.answer,
		account,
		receipt,
		warnings: warningsOf(run, account),
	});
	return { ok: true, value, headers: result.sandbox ? { "x-svc-sandbox": "1" } : {} };
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
	const planned = planChat(body, context.account.plan, context.settings, context.startedAtMs);
	if (!planned.ok) return planned;
	const plan = planned.value;
	const candidate = plan.selection.candidates[0];
	const attempt = plan.attempt(candidate.model, candidate.effort);
	const inputHash = hashObject({ type: "svc.input.v1", messages: rawMessages(context.rawBody) });
	const run: Run = { context, plan, candidate, attempt, inputHash, sentAtMs: Date.now() };
	Object.assign(context.log, {
		model: candidate.model.id,
		provider: candidate.model.provider,
		mode: plan.selection.mode,
		fallback: plan.selection.fallbackFrom !== null,
	});

	const admitted = await context.admit(reservationOf(run));
	if (!admitted.ok) return admitted;

	run.sentAtMs = Date.now();
	const { upstreamTimeoutMs, upstreamIdleTimeoutMs, upstreamTotalTimeoutMs } = context.settings;
	const deadlines = { firstByteMs: upstreamTimeoutMs, idleMs: upstreamIdleTimeoutMs, totalMs: upstreamTotalTimeoutMs };
	const result = await callUpstream(attempt.wire, attempt.request, deadlines, context.signal);
	context.log.upstream_ms = Date.now() - run.sentAtMs;
	switch (result.kind) {
		case "answer":
			return answered(run, result);
		case "status":
			return fail(await refused(run, result));
		case "lost":
		case "client_closed":
			return fail(await lost(run, result));
	}
}
