// What a run of many calls did, stage by stage: kept while it happens, shown in answers and hashed into receipts. Pure.
import { type Hash, hashText } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import type { ReceiptStage } from "../proof/receipt.ts";
import type { Bill, BilledCall, PlannedCall } from "./accounting.ts";

/** A share, confidence or agreement as it is stored, shown and hashed: 0 to 1, four digits, rounded once (docs/proofs.md, "Primitives"). */
export function roundShare(share: number): number {
	return Math.round(Math.min(1, Math.max(0, share)) * 1e4) / 1e4;
}

/** One upstream call that was made, or is under way. */
export interface TracedCall {
	model: string;
	role: string;
	/** It served. */
	ok: boolean;
	/** Null when it cost nothing. */
	bill: Bill | null;
	latencyMs: number;
	/** How sure its answer was, 0 to 1, rounded; 0 of a call that did not serve. */
	confidence: number;
	/** Of the text it gave. */
	outputHash: Hash;
}

/** A stage as an answer shows it; what a model wrote is left out. */
export interface ShownStage {
	name: string;
	results: (Omit<ReceiptStage["results"][number], "output_hash"> & { latency_ms: number })[];
	detail: Record<string, unknown>;
}

/** What was asked in one place of a stage, and the calls it took. */
export class CallTrace {
	readonly role: string;
	readonly calls: TracedCall[] = [];
	/** The call that has begun and not ended. */
	underWay: BilledCall | null = null;

	constructor(role: string) {
		this.role = role;
	}

	/** Notes a call that has ended. @param text what it gave; null when it did not serve. */
	ended({ candidate }: PlannedCall, bill: Bill | null, text: string | null, latencyMs: number): void {
		this.underWay = null;
		this.calls.push({
			model: candidate.model.id,
			role: this.role,
			ok: text !== null,
			bill,
			latencyMs,
			confidence: 0,
			outputHash: hashText(text ?? ""),
		});
	}

	/** Says how sure the answer that served was. */
	rate(confidence: number): void {
		const served = this.calls.find(({ ok }) => ok);
		if (served) served.confidence = roundShare(confidence);
	}

	/** Every call, the one under way at its bound. */
	all(): TracedCall[] {
		if (!this.underWay) return this.calls;
		const { candidate, bill } = this.underWay;
		const begun = { model: candidate.model.id, role: this.role, ok: false, bill, latencyMs: 0, confidence: 0 };
		return [...this.calls, { ...begun, outputHash: hashText("") }];
	}
}

interface Stage {
	name: string;
	asks: CallTrace[];
	detail: Record<string, unknown>;
}

/** What receipts and answers say of a call alike. */
function factsOf({ model, ok, role, bill, confidence }: TracedCall) {
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
	#stages: Stage[] = [];

	#stage(name: string): Stage {
		const known = this.#stages.find((stage) => stage.name === name);
		if (known) return known;
		const stage = { name, asks: [], detail: {} };
		this.#stages.push(stage);
		return stage;
	}

	/** Whether anything was asked in a stage. */
	has(name: string): boolean {
		return this.#stages.some((stage) => stage.name === name);
	}

	/** A place for what is asked next in a stage; the stage is there from then on. */
	ask(stage: string, role: string): CallTrace {
		const ask = new CallTrace(role);
		this.#stage(stage).asks.push(ask);
		return ask;
	}

	/** Says what came of a stage, beside its calls; a stage may have no calls. */
	describe(stage: string, detail: Record<string, unknown>): void {
		Object.assign(this.#stage(stage).detail, detail);
	}

	/** Calls under way, each at its bound. */
	underWay(): BilledCall[] {
		return this.#stages.flatMap(({ asks }) => asks.flatMap(({ underWay }) => underWay ?? []));
	}

	/** Every call in the order it was asked for. */
	calls(): TracedCall[] {
		return this.#stages.flatMap(({ asks }) => asks.flatMap((ask) => ask.all()));
	}

	/** Models whose answers served, in order of first call. */
	modelsUsed(): string[] {
		const served = this.calls().filter(({ ok }) => ok);
		return [...new Set(served.map(({ model }) => model))];
	}

	#results<T>(of: (call: TracedCall) => T): { name: string; results: T[]; detail: Record<string, unknown> }[] {
		return this.#stages.map(({ name, asks, detail }) => ({
			name,
			results: asks.flatMap((ask) => ask.all()).map(of),
			detail,
		}));
	}

	/** As a receipt has them. */
	receiptStages(): ReceiptStage[] {
		const stages = this.#results((call) => ({ ...factsOf(call), output_hash: call.outputHash }));
		return stages.map(({ name, results }) => ({ name, results }));
	}

	/** As an answer shows them. */
	shown(): ShownStage[] {
		return this.#results((call) => ({ ...factsOf(call), latency_ms: call.latencyMs }));
	}
}
