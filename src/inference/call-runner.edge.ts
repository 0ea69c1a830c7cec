// Sends the calls of call sets and reads what their models write, whole or streamed. Which is tried next, and within which bound, is
// failover-runner.edge.ts's.

import { outputTokens } from "../catalog/price.ts";
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Outcome } from "../proof/receipt.ts";
import type { Permit } from "../providers/breaker.ts";
import { type CallFailure, type PartialAnswer, UpstreamInterrupted } from "../providers/call-failure.ts";
import { health } from "../providers/isolate-health.edge.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import { type Deadlines, openUpstreamStream, type UpstreamStream } from "../providers/upstream.edge.ts";
import type { StreamPart } from "../providers/wire.ts";
import { answerTimeMs, reasonsHidden, timeToFirstTokenMs } from "../routing/effort.ts";
import type { CallSpan } from "../telemetry/request-trace.edge.ts";
import {
	type Bill,
	type BilledCall,
	billCall,
	billFailedCall,
	type InterruptedBilling,
	type KeyedCall,
	type PlannedCall,
} from "./accounting.ts";
import type { OpenAttempt } from "./attempt-log.ts";
import type { Hold } from "./budget.ts";
import { promptMark, userMark } from "./call-marks.ts";
import type { PlanContext } from "./caller.edge.ts";
import { toConversationKey } from "./conversations.ts";
import { type CallSet, type FailedCalls, isNamed, shortenToAfford, toCallSet } from "./failover.ts";
import {
	type Attempt,
	type CallSetResult,
	type CallWatch,
	calledModel,
	FailoverRunner,
	type RunnerOptions,
	type SentCall,
} from "./failover-runner.edge.ts";
import type { CallPlan } from "./plan.ts";
import { readFirstDelta, readWhole, type StreamRelay } from "./read-stream.ts";

/** A model that reasons unseen may be silent for this many times its catalog time to the first token. */
const UNSEEN_REASONING_FACTOR = 3;

/** A call that gave its whole answer. */
export interface ServedCall {
	call: BilledCall;
	answer: ModelAnswer;
	/** The answer came from the sandbox upstream. */
	sandbox: boolean;
}

/** A call that has begun to answer. */
export interface CallStream {
	call: KeyedCall;
	sandbox: boolean;
	/** One array per piece of the upstream's body, well-formed. Ends early, without throwing, when the upstream breaks off. */
	parts: AsyncIterable<readonly StreamPart[]>;
	/** Aborts when a deadline passes, even while nothing is read. */
	over: AbortSignal;
	/**
	 * To be called once: after the parts, or instead of the rest of them. Stops the upstream and bills the call.
	 * @param clientClosed the client has gone and will not read the rest.
	 */
	finish(clientClosed: boolean): CallStreamEnd;
}

/** How a call stream ended. */
export interface CallStreamEnd {
	outcome: Outcome;
	/** Why the answer is not whole; null when it is. */
	lost: UpstreamInterrupted | null;
	/** What was delivered. */
	answer: ModelAnswer;
	call: BilledCall;
}

/** How a stream that has begun broke off; null when it did not. */
function toStreamFailure(
	lost: UpstreamInterrupted | null,
	clientClosed: boolean,
	partial: PartialAnswer,
): CallFailure | null {
	if (clientClosed) return { kind: "client_closed", sent: true, partial };
	return lost && { kind: "lost", why: lost.why, sent: true, partial, error: lost.error };
}

/** How a runner makes its calls. */
interface CallRunnerOptions extends RunnerOptions<KeyedCall> {
	/** How a call that broke off is billed. */
	billInterrupted: InterruptedBilling;
}

export class CallRunner extends FailoverRunner<PlannedCall, KeyedCall> {
	readonly #billInterrupted: InterruptedBilling;

	constructor(options: CallRunnerOptions) {
		super(options);
		this.#billInterrupted = options.billInterrupted;
	}

	protected override isNamed(call: PlannedCall): boolean {
		return isNamed(call);
	}

	protected override afford(call: PlannedCall, leftNanoUsd: number): PlannedCall | null {
		return shortenToAfford(call, leftNanoUsd);
	}

	protected override conversationOf({ plan }: PlannedCall): string {
		const { userId } = this.options;
		return toConversationKey({ userId, messages: plan.call.messages, conversation: plan.options.conversation });
	}

	protected override promptOf({ plan }: PlannedCall): string {
		return promptMark(plan.call);
	}

	protected override toKeyed(
		planned: PlannedCall,
		key: ProviderKey,
		failed: FailedCalls,
		span: CallSpan | undefined,
	): KeyedCall {
		const { candidate, attempt, plan } = planned;
		const intended = plan.selection.failover[0].model;
		return {
			...planned,
			// Shorter than what was held for, where it differs.
			attempt: plan.isForAccount(candidate.model, key.account)
				? attempt
				: plan.attempt(candidate.model, candidate.effort, candidate.maxTokens, key.account),
			key,
			intendedWasAsked: candidate.model === intended || failed.wasAsked(intended.id),
			...(span ? { span } : {}),
		};
	}

	protected override billFailed(call: KeyedCall, failure: CallFailure, sentAtMs: number): Bill | null {
		return billFailedCall(call, failure, sentAtMs, this.#billInterrupted);
	}

	/** Notes how long an answer took, or its first words. The time of the sandbox upstream says nothing about a provider. */
	#noteAnswer(
		call: PlannedCall,
		sentAtMs: number,
		expectedMs: number,
		{ sandbox }: Pick<UpstreamStream, "sandbox">,
	): void {
		const nowMs = Date.now();
		const tookMs = sandbox ? 0 : nowMs - sentAtMs;
		health.recent.noteAnswer(calledModel(call), this.user, tookMs, expectedMs, nowMs);
	}

	/** Makes the calls of a set in order until one has given its whole answer; sets may be completed side by side. */
	complete(set: CallSet, watch?: CallWatch<PlannedCall>): Promise<CallSetResult<ServedCall>> {
		const signal = watch?.signal ? AbortSignal.any([this.options.signal, watch.signal]) : this.options.signal;
		const attempt: Attempt<ServedCall, KeyedCall> = async (call, hold, permit, { sentAtMs, noted }) => {
			const opened = await this.#open(call, permit, signal, noted);
			if (opened.kind !== "stream") return opened;
			const whole = await readWhole(opened, call.plan.call.stop, signal, () => noted.noteFirstToken(Date.now()));
			if (whole.kind !== "served") return whole;
			noted.end(null, Date.now());
			const answer = whole.value;
			const { model, effort } = call.candidate;
			this.#noteAnswer(
				call,
				sentAtMs,
				answerTimeMs(model, effort, answer.usage ? outputTokens(answer.usage) : 0),
				opened,
			);
			const billed = this.bill(call, hold, billCall(call, answer.usage, answer, sentAtMs));
			watch?.ended(call, { bill: billed.bill, answer, latencyMs: Date.now() - sentAtMs });
			return { kind: "served", value: { call: billed, answer, sandbox: opened.sandbox } };
		};
		return this.withFailover(set.calls, attempt, watch);
	}

	/** Makes the calls of a set in order until one has said its first words. */
	stream(set: CallSet): Promise<CallSetResult<CallStream>> {
		return this.withFailover(set.calls, async (call, hold, permit, sent) => {
			const { sentAtMs, noted } = sent;
			const opened = await this.#open(call, permit, this.options.signal, noted);
			if (opened.kind !== "stream") return opened;
			const first = await readFirstDelta(opened, call.plan.call.stop, this.options.signal);
			if (first.kind !== "served") return first;
			noted.noteFirstToken(Date.now());
			this.#noteAnswer(call, sentAtMs, timeToFirstTokenMs(call.candidate.model, call.candidate.effort), opened);
			return { kind: "served", value: this.#toCallStream(call, hold, first.value, sent) };
		});
	}

	/** Makes one upstream call. A response head proves to the breaker that the provider is available. */
	#open(
		call: KeyedCall,
		permit: Permit,
		signal: AbortSignal,
		noted: OpenAttempt,
	): Promise<UpstreamStream | CallFailure> {
		const { wire, request } = call.attempt;
		const sending = { request, limits: this.#deadlines(call), signal, permit, noted };
		return this.open(call, sending, (authorized, deadlines) => openUpstreamStream(wire, authorized, deadlines, signal));
	}

	#toCallStream(call: KeyedCall, hold: Hold, relay: StreamRelay, { sentAtMs, noted }: SentCall): CallStream {
		const { upstream } = relay;
		const finish = (clientClosed: boolean): CallStreamEnd => {
			const answer = relay.answer();
			const bill = relay.isWhole
				? billCall(call, answer.usage, answer, sentAtMs)
				: this.#billInterrupted(call, relay.remains(), sentAtMs);
			upstream.abort();
			const outcome = clientClosed ? "client_closed" : relay.isWhole ? "complete" : "cut";
			const lost = relay.isWhole ? null : (relay.lost ?? new UpstreamInterrupted("cut"));
			noted.end(toStreamFailure(lost, clientClosed, relay.remains()), Date.now());
			return { outcome, lost, answer, call: this.bill(call, hold, bill) };
		};
		return { call, sandbox: upstream.sandbox, parts: relay.parts(), over: upstream.deadlineSignal, finish };
	}

	/** Deadlines of one upstream call; all calls share the last. */
	#deadlines({ candidate: { model, effort }, attempt: { access } }: PlannedCall): Deadlines {
		const { settings, endsAtMs } = this.options;
		const { upstreamTimeoutMs, upstreamIdleTimeoutMs: idleMs } = settings;
		// Some servers send the head at once, and load the model or read the prompt after it.
		const { timeout_ms: beginMs } = access.provider;
		const unseen = reasonsHidden(model, access.provider, effort);
		const reasoningMs = unseen ? UNSEEN_REASONING_FACTOR * timeToFirstTokenMs(model, effort) : 0;
		const firstDeltaMs = Math.max(beginMs ?? idleMs, reasoningMs);
		return { headMs: beginMs ?? upstreamTimeoutMs, firstDeltaMs, idleMs, endsAtMs };
	}
}

/** Chooses the calls of a plan by what this isolate knows of the providers now. */
export function callSetFor(plan: CallPlan, { account }: Pick<PlanContext, "account">): CallSet {
	const calling = { user: userMark(account.userId), hasPriority: account.plan.priority };
	return toCallSet(plan, health, calling, Date.now());
}
