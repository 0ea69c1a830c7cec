// What a run with tools keeps in its state, beside the rows of its turns and calls: the open tool step, what counts against its limits,
// and what it has read. Pure.
import type { Hash } from "../../proof/hash.ts";
import type { ToolCallCounts } from "../../proof/receipt.ts";
import type { StepCharge } from "../run/charges.ts";
import type { Intensity, StepModels } from "../step-decision.ts";
import { countToolCalls } from "./exchange.ts";
import type { ToolCall } from "./tool-call.ts";

/** The strategy of a step that is a loop of turns and calls, as its record names it. */
export const TOOLS_STRATEGY = "tools";
/** Most calls of a step, whatever the run may still make. */
export const MAX_STEP_CALLS = 20;
/** So many equal calls in a row end a step. */
export const MAX_EQUAL_CALLS = 3;
/** So many models may answer a turn with what is no answer, or reject it, before one is asked that is the last. */
export const MAX_REJECTED = 2;

/** What happens next in an open tool step: a model's turn; calls are judged, dispatched and their results read; people or clients answer. */
export type ToolStepPhase = "turn" | "judge" | "wait";

/** Why a step gets one last turn, without tools. */
export type ToolStepEnding = "money" | "max_tool_calls" | "loop";

/** A step that is a loop of turns and calls. */
export interface OpenToolStep {
	/** Counted over the run's tool steps, from 0. */
	step: number;
	phase: ToolStepPhase;
	role: "subtask" | "finalize";
	/** Its purpose, in words. */
	subtask: string;
	intensity: Intensity;
	/** Of whom its models were chosen. */
	by: StepModels;
	/** Visible tokens of each turn. */
	maxTokens: number;
	/** Catalog ids in the order they are asked. The first made the last turn. */
	models: readonly [string, ...string[]];
	/** Its number among the run's steps with an answer, by which its prompt was marked. */
	number: number;
	/** The most that all its turns may cost. */
	limitNanoUsd: number;
	/** The worst case of the turn that was held last: what one more may cost while the run waits. */
	turnNanoUsd?: number;
	/** The worst case of the last turn after it, which nothing else may spend. */
	lastNanoUsd?: number;
	/** What its turns have cost. */
	charge: StepCharge;
	/** Turns that are stored. */
	turns: number;
	/** Calls made in it. */
	calls: number;
	/** The newest call, and how often it was made in a row. */
	lastCall: { hash: Hash; times: number } | null;
	/** Null while it may go on. */
	ending: ToolStepEnding | null;
	/** Its answer in words was cut, and the next turn goes on with it: the newest stored turn is the beginning. Absent elsewhere. */
	cut?: {
		/** Expected of the model that wrote it. */
		quality: number;
	};
	/** What the service says before the next turn; null for nothing. */
	note: string | null;
	/** Models that answered the next turn with none, or rejected it, and are not asked for it again where another may serve. */
	rejected: readonly string[];
}

/** A call whose untrusted result the run has read. */
export interface UntrustedRead {
	callId: string;
	tool: string;
}

/** Absent in runs without tools. */
export interface ToolRunState {
	/** Tool steps begun so far. */
	steps: number;
	/** Null between tool steps. */
	open: OpenToolStep | null;
	/** Calls made so far, by tool. A tool that the run does not have counts under its name, too. */
	callsByTool: Readonly<Record<string, number>>;
	/** In the order they were read. Empty: the run is not tainted. */
	untrusted: readonly UntrustedRead[];
	/** A result of a private tool was read. */
	hasReadPrivate: boolean;
	/** Of all calls so far, for the receipt. */
	counts: ToolCallCounts;
}

export function initialToolState(): ToolRunState {
	return {
		steps: 0,
		open: null,
		callsByTool: {},
		untrusted: [],
		hasReadPrivate: false,
		counts: { requested: 0, allowed: 0, denied: 0, approved: 0, rejected: 0, expired: 0 },
	};
}

/** The state with the counts of all calls. */
export function withCounts(state: ToolRunState, calls: readonly ToolCall[]): ToolRunState {
	return { ...state, counts: countToolCalls(calls) };
}

/** Calls that the run has made. */
export function countCalls({ callsByTool }: Pick<ToolRunState, "callsByTool">): number {
	return Object.values(callsByTool).reduce((sum, calls) => sum + calls, 0);
}
