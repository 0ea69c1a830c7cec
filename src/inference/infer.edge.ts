// One answer to one call, whole or streamed: plan, reserve, call with failover, settle, sign. Nothing is delivered unsettled.
// The form of the answer is the entrance's.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { runInTurns } from "../http/long-work.edge.ts";
import { usd } from "../proof/money.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";
import { joinText, type ModelAnswer, type Warning } from "../providers/model-call.ts";
import {
	type BilledCall,
	billAtBound,
	billInterruptedCall,
	type CallDelivery,
	cutWarnings,
	deliveredText,
	describeSingleAnswer,
	fallbackFrom,
	type PlannedCall,
	type RequestPurpose,
	type RequestRecord,
	totalNanoUsd,
} from "./accounting.ts";
import { type DeliveredRefusal, toDeliveredRefusal } from "./answer-verdict.ts";
import { logCall } from "./call-log.ts";
import { CallRunner, type CallStream, type CallStreamEnd, callSetFor } from "./call-runner.edge.ts";
import type { Caller } from "./caller.edge.ts";
import type { CallSet } from "./failover.ts";
import { formatNotMet, isStrictForm, withRepair } from "./form-repair.ts";
import { answerForm, answerMaskWarnings, restoreAnswer, restoreParts } from "./masked-call.ts";
import { observeFor, rememberModel } from "./observe.edge.ts";
import { type CallPlan, callChars, type InferenceRequest, planInSteps } from "./plan.ts";
import type { ReceiptInput } from "./receipt-input.edge.ts";
import { checkDeliveredForm, repairForm } from "./repair.edge.ts";
import { tellSingleAnswer } from "./request-telemetry.ts";
import { RequestSettlement, toRequestRecord } from "./settlement.edge.ts";

/** What the receipt of one answer says of the request. */
export interface ChatPurpose {
	input: ReceiptInput;
	/** Digest of the routing config in force; null without one. */
	configDigest: string | null;
	/** The skill that answers; null in a chat. */
	skillId: string | null;
	/** How the client gets tool calls; default: as the model wrote them. */
	deliverCall?: CallDelivery;
}

/** What was billed, settled and signed. */
export interface SettledRequest {
	/** Every billed call; the last one served, or tried last. */
	billed: readonly BilledCall[];
	receipt: SealedReceipt;
	/** Of the receipt's hashes. */
	salt: string;
	latencyMs: number;
	/** The same as the receipt's; null without a compliance policy. */
	attestation: Attestation | null;
	/** What is to be said of the answer itself: that it was cut, and what masking left. */
	answerWarnings: readonly Warning[];
	/** Null where nobody refused. */
	refusal: DeliveredRefusal | null;
	/** Null where no form was asked for, where it cannot be checked, and where the answer was cut, refuses or calls tools. */
	formatMet: boolean | null;
}

/** An answer that was settled. */
export interface SettledAnswer extends SettledRequest {
	record: RequestRecord;
	answer: ModelAnswer;
}

/** No model answered; what may have been billed for it is settled, null when nothing was. */
interface StreamFailure {
	ok: false;
	failure: Failure;
	settled: SettledRequest | null;
}

export interface Completion extends SettledAnswer {
	sandbox: boolean;
}

/** A call that is planned and reserved for. */
interface ReservedCall {
	plan: CallPlan;
	set: CallSet;
	calls: CallRunner;
	settlement: RequestSettlement;
	/** Calls that were sent. */
	attempts: { made: number };
}

async function reserveCall(
	request: InferenceRequest,
	{ input, configDigest, skillId }: ChatPurpose,
	caller: Caller,
): Promise<Result<ReservedCall>> {
	const { account, settings, startedAtMs, signal, log } = caller;
	const { userId } = account;
	const { conversation } = request.options;
	const observe = observeFor({ userId, conversation }, settings);
	const options = { ...request.options, keyBudget: account.tightBudget ?? null };
	const steps = planInSteps({ ...request, options }, account.plan, settings, startedAtMs, observe);
	const plan = await runInTurns(caller, steps, callChars(request.call));
	if (!plan.ok) return plan;
	const set = withRepair(callSetFor(plan.value, caller));
	const attempts = { made: 0 };
	const purpose: RequestPurpose = {
		input,
		configDigest,
		gate: request.options.gate,
		sentMessages: () => request.call.messages,
		describe: describeSingleAnswer(skillId),
		tell: tellSingleAnswer,
	};
	const { boundNanoUsd } = set;
	const endsAtMs = Date.now() + settings.upstreamTotalTimeoutMs;
	const calls = new CallRunner({
		userId,
		settings,
		signal,
		boundNanoUsd,
		arrivedAtMs: startedAtMs,
		endsAtMs,
		billInterrupted: billInterruptedCall,
		tracing: caller.tracing,
		noteKey: caller.noteKey,
		onSend(call) {
			attempts.made++;
			logCall(log, call, { mode: call.plan.selection.mode, fallback: fallbackFrom(call) !== null });
		},
	});
	const record = toRequestRecord(caller, purpose, boundNanoUsd);
	const settlement = new RequestSettlement(caller, record, calls, endsAtMs);
	const reserved = await settlement.reserveBound(billAtBound(set.calls[0], startedAtMs));
	return reserved.ok ? ok({ plan: plan.value, set, calls, settlement, attempts }) : reserved;
}

function remember(caller: Caller, { call, options }: CallPlan, served: BilledCall): void {
	const { userId } = caller.account;
	rememberModel({ userId, messages: call.messages, conversation: options.conversation }, served.candidate.model);
}

/** An answer as the client gets it, and what is to be said of it. */
async function toDelivered(
	written: ModelAnswer,
	served: PlannedCall,
): Promise<Pick<SettledAnswer, "answer" | "answerWarnings" | "refusal" | "formatMet">> {
	const { call, options } = served.plan;
	const mask = options.gate?.mask ?? null;
	const answer = restoreAnswer(written, mask, answerForm(call.output));
	const refused = toDeliveredRefusal(written, call);
	const check = await checkDeliveredForm(answer, call, refused !== null);
	return {
		answer,
		formatMet: check === null ? null : check.isMet,
		// What is marked as the refusal is what the client gets.
		refusal: refused && (refused.text === null ? refused : { text: joinText(answer.content, "text") }),
		answerWarnings: [...cutWarnings(served, written), ...answerMaskWarnings(written, mask)],
	};
}

/** Answers a call whole; a client that hangs up stops the upstream call and is still accounted for. */
export function infer(request: InferenceRequest, purpose: ChatPurpose, caller: Caller): Promise<Result<Completion>> {
	const completion = inferWhole(request, purpose, caller);
	caller.waitUntil(completion.catch(() => undefined));
	return completion;
}

async function inferWhole(
	request: InferenceRequest,
	purpose: ChatPurpose,
	caller: Caller,
): Promise<Result<Completion>> {
	const reserved = await reserveCall(request, purpose, caller);
	if (!reserved.ok) return reserved;
	const { plan, set, calls, settlement, attempts } = reserved.value;
	const result = await caller.timings.measure("upstream", () => calls.complete(set));
	if (!result.ok) return settlement.fail(result.failure, result.clientClosed);
	const served = await caller.timings.measure("upstream", () => repairForm(result.served, calls, attempts.made));
	const { call, sandbox } = served;
	const { answer, ...said } = await toDelivered(served.answer, call);
	if (said.formatMet === false && isStrictForm(plan.call.output))
		return settlement.fail(formatNotMet(usd(totalNanoUsd(calls.billed))), false);
	remember(caller, plan, call);
	const receipt = await settlement.settle(
		"complete",
		deliveredText(answer, call.candidate.model.id, purpose.deliverCall),
		{ written: served.answer },
	);
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: caller.requestId });
	const { record, salt, latencyMs, attestation } = settlement;
	return ok({ record, billed: calls.billed, answer, receipt, salt, latencyMs, attestation, ...said, sandbox });
}

/** How a completion stream ended. `accounted` is null when it could not be settled: then it must not end as a success. */
export interface CompletionStreamEnd extends Pick<CallStreamEnd, "outcome" | "lost"> {
	accounted: SettledAnswer | null;
}

/** A streamed answer from its first delta on: a call stream that is settled when it ends. */
export interface CompletionStream extends Pick<CallStream, "sandbox" | "parts" | "over"> {
	record: RequestRecord;
	/** Catalog id of the model that answers. */
	modelId: string;
	/** The provider's account that it answers under. */
	account: string;
	/** To be called once, after the parts or instead of the rest of them: bills, settles and signs. */
	end(clientClosed: boolean): Promise<CompletionStreamEnd>;
}

/** Makes calls until one model sends its first delta. A failure is settled. */
export type OpenCompletionStream = () => Promise<{ ok: true; value: CompletionStream } | StreamFailure>;

/** Reserves for a streamed answer; what it returns opens the stream, once. */
export async function inferStream(
	request: InferenceRequest,
	purpose: ChatPurpose,
	caller: Caller,
): Promise<Result<OpenCompletionStream>> {
	const options = { ...request.options, mustStream: true };
	const reserved = await reserveCall({ ...request, options }, purpose, caller);
	return reserved.ok ? ok(() => openCompletionStream(caller, reserved.value, purpose)) : reserved;
}

async function openCompletionStream(
	caller: Caller,
	reserved: ReservedCall,
	purpose: ChatPurpose,
): Promise<{ ok: true; value: CompletionStream } | StreamFailure> {
	const { set, calls, settlement } = reserved;
	const result = await caller.timings.measure("first_delta", () => calls.stream(set));
	if (result.ok) return ok(toCompletionStream(caller, reserved, result.served, purpose));
	const { failure, receipt } = await settlement.fail(result.failure, result.clientClosed || caller.signal.aborted);
	const { salt, latencyMs, attestation } = settlement;
	const settled = receipt && {
		billed: calls.billed,
		receipt,
		salt,
		latencyMs,
		attestation,
		answerWarnings: [],
		refusal: null,
		formatMet: null,
	};
	return { ok: false, failure, settled };
}

function toCompletionStream(
	caller: Caller,
	{ plan, calls, settlement }: ReservedCall,
	stream: CallStream,
	{ deliverCall }: ChatPurpose,
): CompletionStream {
	const { call, sandbox, over } = stream;
	const { record } = settlement;
	const mask = plan.options.gate?.mask;
	const parts = mask && !mask.isEmpty ? restoreParts(stream.parts, mask, answerForm(plan.call.output)) : stream.parts;
	const modelId = call.candidate.model.id;
	const relayed = Promise.withResolvers<void>();
	const timed = caller.timings.measure("upstream", () => relayed.promise);
	return {
		record,
		modelId,
		account: call.key.account,
		sandbox,
		over,
		parts,
		async end(clientClosed) {
			relayed.resolve();
			await timed;
			const { outcome, lost, answer: written, call: served } = stream.finish(clientClosed || caller.signal.aborted);
			const { answer, ...said } = await toDelivered(written, served);
			if (outcome === "complete") remember(caller, plan, served);
			const receipt = await settlement.settle(outcome, deliveredText(answer, modelId, deliverCall), { lost, written });
			const { salt, latencyMs, attestation } = settlement;
			const settled = { record, billed: calls.billed, answer, salt, latencyMs, attestation, ...said };
			const accounted = receipt && { ...settled, receipt };
			return { outcome, lost, accounted };
		},
	};
}
