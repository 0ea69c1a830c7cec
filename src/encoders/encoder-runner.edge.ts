// Sends calls of encoder models and reads their answers, each held against what was asked: as many vectors or results as inputs, and
// vectors of the length that was asked for. Which call is tried next, and within which bound, is failover-runner.edge.ts's.
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Bill } from "../inference/accounting.ts";
import type { OpenAttempt } from "../inference/attempt-log.ts";
import { textMark } from "../inference/call-marks.ts";
import type { FailedCalls } from "../inference/failover.ts";
import { type CallSetResult, FailoverRunner } from "../inference/failover-runner.edge.ts";
import { toCallFailure } from "../inference/read-stream.ts";
import type { Permit } from "../providers/breaker.ts";
import {
	type CallFailure,
	type LostReason,
	NO_PARTIAL_ANSWER,
	type UpstreamInterrupted,
} from "../providers/call-failure.ts";
import { type EncoderAnswer, type EncoderUsage, NO_ENCODER_USAGE } from "../providers/encoders/encoder-call.ts";
import { type Deadlines, openUpstreamJson, type UpstreamJson } from "../providers/upstream.edge.ts";
import type { CallSpan } from "../telemetry/request-trace.edge.ts";
import { findMismatch } from "./answer-check.ts";
import {
	billBrokenEncoderCall,
	billEncoderCall,
	type EncoderBilledCall,
	type EncoderKeyedCall,
	type EncoderPlannedCall,
} from "./encoder-calls.ts";

/** A call that gave what was asked. */
export interface EncoderServedCall {
	call: EncoderBilledCall;
	answer: EncoderAnswer;
	sandbox: boolean;
}

export class EncoderRunner extends FailoverRunner<EncoderPlannedCall, EncoderKeyedCall> {
	/** What was reported of answers that could not be used: their providers bill them all the same. */
	readonly #usageOfFailed = new WeakMap<CallFailure, EncoderUsage>();
	/** Length of the vectors of this request, once one call has answered; null until then. */
	#vectorLength: number | null = null;

	protected override isNamed({ candidate: { model }, choice }: EncoderPlannedCall): boolean {
		return model === choice.named;
	}

	protected override afford(call: EncoderPlannedCall, leftNanoUsd: number): EncoderPlannedCall | null {
		return call.attempt.worstCase.totalNanoUsd <= leftNanoUsd ? call : null;
	}

	/** There are no conversations: calls spread over the keys by what they say. */
	protected override conversationOf(call: EncoderPlannedCall): string {
		return `${this.options.userId} ${this.promptOf(call)}`;
	}

	protected override promptOf({ attempt }: EncoderPlannedCall): string {
		return textMark(attempt.request.body);
	}

	protected override toKeyed(
		call: EncoderPlannedCall,
		key: ProviderKey,
		_failed: FailedCalls,
		span: CallSpan | undefined,
	): EncoderKeyedCall {
		return { ...call, key, ...(span ? { span } : {}) };
	}

	protected override billFailed(call: EncoderKeyedCall, failure: CallFailure, sentAtMs: number): Bill | null {
		const usage = this.#usageOfFailed.get(failure);
		if (usage) return billEncoderCall(call, usage, sentAtMs);
		const mayBeBilled = (failure.kind === "lost" || failure.kind === "client_closed") && failure.sent;
		return mayBeBilled ? billBrokenEncoderCall(call, sentAtMs) : null;
	}

	/** Makes a call at the first of these hosts that gives what was asked. Several may be under way. */
	complete(hosts: readonly EncoderPlannedCall[]): Promise<CallSetResult<EncoderServedCall>> {
		const { signal } = this.options;
		return this.withFailover<EncoderServedCall>(hosts, async (call, hold, permit, { sentAtMs, noted }) => {
			const opened = await this.#open(call, permit, noted);
			if (opened.kind !== "json") return opened;
			let body: unknown;
			try {
				body = await opened.read();
			} catch (error) {
				return toCallFailure(error, NO_PARTIAL_ANSWER, signal);
			}
			noted.noteFirstToken(Date.now());
			const read = this.#readAnswer(call, body);
			if ("kind" in read && read.kind === "lost") return read;
			noted.end(null, Date.now());
			const answer = read as EncoderAnswer;
			const billed = this.bill(call, hold, billEncoderCall(call, answer.usage, sentAtMs));
			return { kind: "served", value: { call: billed, answer, sandbox: opened.sandbox } };
		});
	}

	/** Makes one upstream call. */
	#open(call: EncoderKeyedCall, permit: Permit, noted: OpenAttempt): Promise<UpstreamJson | CallFailure> {
		const { signal } = this.options;
		const { wire, request } = call.attempt;
		const sending = { request, limits: this.#deadlines(call), signal, permit, noted };
		return this.open(call, sending, (authorized, deadlines) => openUpstreamJson(wire, authorized, deadlines, signal));
	}

	/** The answer in a body, or how the call failed although it was answered. */
	#readAnswer(call: EncoderKeyedCall, body: unknown): EncoderAnswer | CallFailure {
		const { form, wire } = call.attempt;
		const lost = (why: LostReason, error: UpstreamInterrupted["error"], usage: EncoderUsage): CallFailure => {
			const failure: CallFailure = { kind: "lost", why, sent: true, partial: NO_PARTIAL_ANSWER, error };
			this.#usageOfFailed.set(failure, usage);
			return failure;
		};
		const answer = form.parse(body, call.asked);
		if (!answer) {
			const error = wire.parseError(body);
			return lost(error ? "reported" : "unusable", error, NO_ENCODER_USAGE);
		}
		if (findMismatch(answer, call.asked, call.candidate.model) || !this.#keepsLength(answer))
			return lost("mismatched", null, answer.usage);
		return answer;
	}

	/** Whether the vectors are as long as those of the request's other calls: of some models no length is known. */
	#keepsLength(answer: EncoderAnswer): boolean {
		if (answer.kind !== "embedding") return true;
		const length = answer.vectors[0]?.length ?? null;
		this.#vectorLength ??= length;
		return length === this.#vectorLength;
	}

	#deadlines({ attempt: { access } }: EncoderPlannedCall): Deadlines {
		const { settings, endsAtMs } = this.options;
		const { upstreamTimeoutMs, upstreamIdleTimeoutMs: idleMs } = settings;
		const beginMs = access.provider.timeout_ms;
		return { headMs: beginMs ?? upstreamTimeoutMs, firstDeltaMs: beginMs ?? idleMs, idleMs, endsAtMs };
	}
}
