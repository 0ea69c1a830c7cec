// What a workflow is asked and what it answers: calls, events, limits, totals. Its calls are workflow.edge.ts's. Pure.
import type { ComplianceGate } from "../compliance/gate.ts";
import type { Failure } from "../failure.ts";
import type { Message, ModelAnswer, ModelCall } from "../providers/model-call.ts";
import type { RequestDescription } from "./accounting.ts";
import type { Rating } from "./confidence-basis.ts";
import type { CallOptions } from "./plan.ts";
import type { ReceiptInput } from "./receipt-input.edge.ts";
import type { Trace } from "./trace.ts";

/** One thing that is asked: a call, the models that may answer it, and its place in the trace. */
export interface CallSpec {
	stage: string;
	role: string;
	call: ModelCall;
	/** `mode` must be set where the bound was made with a placeholder: without it, the effort depends on the prompt. */
	options: CallOptions;
	/** Catalog ids in the order they are asked; all but the first are fallbacks. */
	models: readonly [string, ...string[]];
	/** It may be left behind where others have answered and it hangs. */
	mayBeLeft?: boolean;
}

/** A spec that was answered. */
interface AnsweredCall {
	ok: true;
	/** The model's text; where there is none, its refusal. */
	text: string;
	answer: ModelAnswer;
	/** Catalog id of the model that answered. */
	model: string;
	provider: string;
	/** The quality expected of it on this kind of prompt, 0 to 1. */
	quality: number;
	/** Records the confidence in the answer in the trace. */
	rate(rating: Rating): void;
}

/** A spec that no model answered. */
export interface FailedCall {
	ok: false;
	failure: Failure;
	/** The client has gone, or the workflow was stopped. */
	stopped: boolean;
	/** It was not asked: what is left of the bound does not cover it. */
	unaffordable: boolean;
}

export type CallResult = AnsweredCall | FailedCall;

/** What happens while a workflow goes on. */
export type WorkflowEvent =
	| { type: "stage_started"; stage: string }
	| {
			type: "call_finished";
			stage: string;
			role: string;
			model: string;
			ok: boolean;
			latency_ms: number;
			cost_usd: number;
	  };

/** What a workflow is for, as its receipt and usage row say it. */
export interface WorkflowPurpose {
	/** What its `input_hash` is over. */
	input: ReceiptInput;
	/** Digest of the routing config in force; null without one. */
	configDigest: string | null;
	/** The compliance policy in force; null without one. */
	gate: ComplianceGate | null;
	/** What models are sent of the request, after masking. Absent: none of its texts are kept or told. */
	sentMessages?(): readonly Message[];
	/** Called for every batch, for what a crash would leave, and at the end. @param trace may hold no call yet. */
	describe(trace: Trace): RequestDescription;
}

/** Limits of a workflow. */
export interface WorkflowLimits {
	/** The worst case of every call that it may make, together. */
	boundNanoUsd: number;
	/** What is reserved before the first call, where later ones reserve what they may cost; by default the whole bound. */
	firstNanoUsd?: number;
	/** The longest that all calls together may take. */
	maxMs: number;
}

/** What all calls so far used and cost. */
export interface WorkflowTotals {
	promptTokens: number;
	completionTokens: number;
	costNanoUsd: number;
	/** Some usage was not reported; its cost is the call's bound. */
	estimated: boolean;
}
