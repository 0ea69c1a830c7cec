// One answer to one call, whole or as it comes: plan, reserve, call with failover, settle, sign. Nothing is delivered that is
// not accounted for. What the answer looks like to a client is its entrance's business.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";
import type { ModelAnswer, ModelCall } from "../providers/model-call.ts";
import {
	answerHash,
	type BilledCall,
	describeSingleAnswer,
	type RequestPurpose,
	type RequestRecord,
} from "./accounting.ts";
import type { Caller } from "./caller.edge.ts";
import { Conversations, conversationKey, openingKey } from "./conversations.ts";
import type { CallSet } from "./failover.ts";
import { type CallPlan, type InferenceRequest, planCall } from "./plan.ts";
import { type CallStream, type CallStreamEnd, callsFor, Run } from "./run.edge.ts";

/** This isolate's view of who talks with whom. */
const conversations = new Conversations();

/** The model that a user's conversation is with, for planning a call that goes on with it. */
export function conversationModel(userId: string): (call: ModelCall) => string | null {
	return (call) => conversations.recall(conversationKey(userId, call));
}

/** Whose request it is and what stands in its receipt. */
export interface ChatPurpose {
	inputHash: string;
	/** Digest of the routing config in force; null without one. */
	configDigest: string | null;
	/** The skill that answers; null in a chat. */
	skillId: string | null;
}

/** What was billed, settled and signed. */
export interface SettledRequest {
	/** Every billed call; the last one served, or tried last. */
	billed: readonly BilledCall[];
	receipt: SealedReceipt;
	latencyMs: number;
	/** The same as the receipt's; null without a compliance policy. */
	attestation: Attestation | null;
}

/** What is known of an answer that was accounted for. */
export interface SettledAnswer extends SettledRequest {
	run: RequestRecord;
	answer: ModelAnswer;
}

/** Nobody answered; what may have been billed for it is settled, null when nothing was. */
export interface StreamFailure {
	ok: false;
	failure: Failure;
	settled: SettledRequest | null;
}

export interface Completion extends SettledAnswer {
	sandbox: boolean;
}

interface Begun {
	plan: CallPlan;
	set: CallSet;
	run: Run;
}

async function begin(
	request: InferenceRequest,
	{ inputHash, configDigest, skillId }: ChatPurpose,
	caller: Caller,
): Promise<Result<Begun>> {
	const { account, settings, startedAtMs } = caller;
	const plan = planCall(request, account.plan, settings, startedAtMs, conversationModel(account.userId));
	if (!plan.ok) return plan;
	const set = callsFor(plan.value, caller);
	const purpose: RequestPurpose = {
		kind: skillId === null ? "chat" : "skill",
		inputHash,
		configDigest,
		gate: request.options.gate,
		describe: describeSingleAnswer(skillId),
	};
	const run = await Run.open(caller, purpose, [set], settings.upstreamTotalTimeoutMs);
	return run.ok ? ok({ plan: plan.value, set, run: run.value }) : run;
}

function remember(caller: Caller, { call }: CallPlan, served: BilledCall): void {
	conversations.remember(openingKey(caller.account.userId, call), served.candidate.model.id);
}

/** Answers a call whole; a client that hangs up stops the upstream call and is still accounted for. */
export function infer(request: InferenceRequest, purpose: ChatPurpose, caller: Caller): Promise<Result<Completion>> {
	const work = inferWhole(request, purpose, caller);
	caller.waitUntil(work.catch(() => undefined));
	return work;
}

async function inferWhole(
	request: InferenceRequest,
	purpose: ChatPurpose,
	caller: Caller,
): Promise<Result<Completion>> {
	const begun = await begin(request, purpose, caller);
	if (!begun.ok) return begun;
	const { plan, set, run } = begun.value;
	const turn = await caller.timings.measure("upstream", () => run.complete(set));
	if (!turn.ok) return run.fail(turn.failure, turn.clientClosed);
	const { call, answer, sandbox } = turn.served;
	remember(caller, plan, call);
	const receipt = await run.settle("complete", answerHash(answer, call.candidate.model.id));
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: caller.requestId });
	const { record, billed, latencyMs, attestation } = run;
	return ok({ run: record, billed, answer, receipt, latencyMs, attestation, sandbox });
}

/** How a streamed answer ended. `accounted` is null when it could not be: then it must not end as a success. */
export interface CompletionStreamEnd extends Pick<CallStreamEnd, "outcome" | "lost"> {
	accounted: SettledAnswer | null;
}

/** A streamed answer from its first words on. */
export interface CompletionStream extends Pick<CallStream, "sandbox" | "parts" | "over"> {
	run: RequestRecord;
	/** Catalog id of the model that answers. */
	modelId: string;
	/** To be called once, after the parts or instead of the rest of them: bills, settles and signs. */
	end(clientClosed: boolean): Promise<CompletionStreamEnd>;
}

/** A streamed answer that has been reserved for. */
export interface ReservedStream {
	/** Calls until one model says its first words. A failure is accounted for. */
	open(): Promise<{ ok: true; value: CompletionStream } | StreamFailure>;
}

/** Begins to answer a call as a stream. */
export async function inferStream(
	request: InferenceRequest,
	purpose: ChatPurpose,
	caller: Caller,
): Promise<Result<ReservedStream>> {
	const begun = await begin(request, purpose, caller);
	if (!begun.ok) return begun;
	const { plan, set, run } = begun.value;
	return ok({
		async open() {
			const turn = await caller.timings.measure("first_delta", () => run.stream(set));
			if (!turn.ok) {
				const { failure, receipt } = await run.fail(turn.failure, turn.clientClosed || caller.signal.aborted);
				const { billed, latencyMs, attestation } = run;
				const settled = receipt && { billed, receipt, latencyMs, attestation };
				return { ok: false, failure, settled };
			}
			return ok(streamedAnswer(caller, plan, run, turn.served));
		},
	});
}

function streamedAnswer(caller: Caller, plan: CallPlan, run: Run, stream: CallStream): CompletionStream {
	const { call, sandbox, parts, over } = stream;
	const modelId = call.candidate.model.id;
	const relayed = Promise.withResolvers<void>();
	const timed = caller.timings.measure("upstream", () => relayed.promise);
	return {
		run: run.record,
		modelId,
		sandbox,
		over,
		parts,
		async end(clientClosed) {
			relayed.resolve();
			await timed;
			const { outcome, lost, answer, call: billed } = stream.finish(clientClosed || caller.signal.aborted);
			if (outcome === "complete") remember(caller, plan, billed);
			const receipt = await run.settle(outcome, answerHash(answer, modelId));
			const { record, billed: calls, latencyMs, attestation } = run;
			const accounted = receipt && { run: record, billed: calls, answer, receipt, latencyMs, attestation };
			return { outcome, lost, accounted };
		},
	};
}
