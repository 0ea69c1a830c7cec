// The calls of a workflow, stage by stage: recorded as they happen, shown in answers and hashed into receipts. Pure.
import type { Hash } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import type { ReceiptStage } from "../proof/receipt.ts";
import type { TextHash } from "../proof/salted.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import type { Bill, BilledCall, PlannedCall } from "./accounting.ts";
import type { ConfidenceBasis, Rating } from "./confidence-basis.ts";

/** Rounds a share, confidence or agreement to four digits within 0 to 1, once, before it is stored, shown or hashed (docs/proofs.md, "Primitives"). */
export function roundShare(share: number): number {
	return Math.round(Math.min(1, Math.max(0, share)) * 1e4) / 1e4;
}

/** One upstream call that was made, or is under way. */
interface TracedCall {
	model: string;
	role: string;
	/** It served. */
	ok: boolean;
	/** Null when it cost nothing. */
	bill: Bill | null;
	latencyMs: number;
	/** Confidence in its answer, 0 to 1, rounded; 0 for a call that did not serve. */
	confidence: number;
	/** What the confidence rests on; null where nothing was rated. */
	confidenceBasis: ConfidenceBasis | null;
	/** Of its answer's text. */
	outputHash: Hash;
}

/** A stage as an answer shows it, without what the models wrote. */
interface AnswerStage {
	name: string;
	results: (Omit<ReceiptStage["results"][number], "output_hash"> & {
		confidence_basis: ConfidenceBasis | null;
		latency_ms: number;
	})[];
	detail: Record<string, unknown>;
}

/** The calls for one spec: the first, then its fallbacks. */
export class CallTrace {
	readonly role: string;
	readonly startedAtMs: number;
	/** When the last of its calls ended; null before that. */
	endedAtMs: number | null = null;
	/** What the call that served wrote, before the mask is taken off; null where texts are not told. */
	written: ModelAnswer | null = null;
	readonly calls: TracedCall[] = [];
	/** The call under way, at its bound; null when none is. */
	underWay: BilledCall | null = null;

	#hashText: TextHash;
	#now: () => number;

	constructor(role: string, hashText: TextHash, now: () => number) {
		this.role = role;
		this.#hashText = hashText;
		this.#now = now;
		this.startedAtMs = now();
	}

	/** Records the end of a call. @param text its answer; null when it did not serve. */
	end({ candidate }: PlannedCall, bill: Bill | null, text: string | null, latencyMs: number): void {
		this.underWay = null;
		this.endedAtMs = this.#now();
		this.calls.push({
			model: candidate.model.id,
			role: this.role,
			ok: text !== null,
			bill,
			latencyMs,
			confidence: 0,
			confidenceBasis: null,
			outputHash: this.#hashText(text ?? ""),
		});
	}

	/** Records the confidence in the answer that served. */
	rate({ confidence, confidenceBasis }: Rating): void {
		const served = this.calls.find(({ ok }) => ok);
		if (!served) return;
		served.confidence = roundShare(confidence);
		served.confidenceBasis = confidenceBasis;
	}

	/** Every call, the one under way at its bound. */
	all(): TracedCall[] {
		if (!this.underWay) return this.calls;
		const { candidate, bill } = this.underWay;
		const begun = { model: candidate.model.id, role: this.role, ok: false, bill, latencyMs: 0 };
		return [...this.calls, { ...begun, confidence: 0, confidenceBasis: null, outputHash: this.#hashText("") }];
	}
}

/** A stage in time. */
export interface StageTimes {
	name: string;
	/** Ms since the epoch. */
	startedAtMs: number;
	endedAtMs: number;
	/** What its calls wrote, before the mask is taken off; empty where texts are not told. */
	written: readonly ModelAnswer[];
}

interface TracedStage {
	name: string;
	traces: CallTrace[];
	detail: Record<string, unknown>;
}

/** The fields of a call that receipts and answers share. */
function callFields({ model, ok, role, bill, confidence }: TracedCall) {
	return {
		model,
		ok,
		role,
		in_tokens: bill?.promptTokens ?? 0,
		out_tokens: bill?.completionTokens ?? 0,
		cost_usd: usd(bill?.cost.totalNanoUsd ?? 0),
		confidence,
	};
}

export class Trace {
	#stages: TracedStage[] = [];
	#hashText: TextHash;
	#now: () => number;

	/** @param hashText how texts of answers are hashed. @param now ms since the epoch. */
	constructor(hashText: TextHash, now: () => number) {
		this.#hashText = hashText;
		this.#now = now;
	}

	#stage(name: string): TracedStage {
		const known = this.#stages.find((stage) => stage.name === name);
		if (known) return known;
		const stage = { name, traces: [], detail: {} };
		this.#stages.push(stage);
		return stage;
	}

	/** Whether a stage has begun. */
	has(name: string): boolean {
		return this.#stages.some((stage) => stage.name === name);
	}

	/** Begins the trace of one spec in a stage, and the stage itself if it is new. */
	begin(stage: string, role: string): CallTrace {
		const trace = new CallTrace(role, this.#hashText, this.#now);
		this.#stage(stage).traces.push(trace);
		return trace;
	}

	/** Records what a stage concluded. A stage may have no calls. */
	describe(stage: string, detail: Record<string, unknown>): void {
		Object.assign(this.#stage(stage).detail, detail);
	}

	/** Calls under way, each at its bound. */
	underWay(): BilledCall[] {
		return this.#stages.flatMap(({ traces }) => traces.flatMap(({ underWay }) => underWay ?? []));
	}

	/** Every call, in the order of stages and specs. */
	calls(): TracedCall[] {
		return this.#stages.flatMap(({ traces }) => traces.flatMap((trace) => trace.all()));
	}

	/** Models whose answers served, in order of first call. */
	modelsUsed(): string[] {
		const served = this.calls().filter(({ ok }) => ok);
		return [...new Set(served.map(({ model }) => model))];
	}

	#results<T>(toResult: (call: TracedCall) => T): { name: string; results: T[]; detail: Record<string, unknown> }[] {
		return this.#stages.map(({ name, traces, detail }) => ({
			name,
			results: traces.flatMap((trace) => trace.all()).map(toResult),
			detail,
		}));
	}

	/** The stages as a receipt has them. */
	receiptStages(): ReceiptStage[] {
		const stages = this.#results((call) => ({ ...callFields(call), output_hash: call.outputHash }));
		return stages.map(({ name, results }) => ({ name, results }));
	}

	/** When each stage began and ended, and what its calls wrote. A stage without calls is left out. */
	times(): StageTimes[] {
		return this.#stages.flatMap(({ name, traces }) => {
			if (traces.length === 0) return [];
			const startedAtMs = Math.min(...traces.map((trace) => trace.startedAtMs));
			const endedAtMs = Math.max(...traces.map((trace) => trace.endedAtMs ?? trace.startedAtMs));
			return { name, startedAtMs, endedAtMs, written: traces.flatMap(({ written }) => written ?? []) };
		});
	}

	/** The stages as an answer shows them. */
	answerStages(): AnswerStage[] {
		return this.#results((call) => {
			const { confidenceBasis, latencyMs } = call;
			return { ...callFields(call), confidence_basis: confidenceBasis, latency_ms: latencyMs };
		});
	}
}
