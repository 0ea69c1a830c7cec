// The record of a request that called a model: its usage row and its receipt. Pure.
import { type Outcome, type Receipt, type ReceiptKind, type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import type { Signer } from "../proof/signing.ts";
import type { CountedToolCall } from "../telemetry/metric-sums.ts";
import type { TraceParent } from "../telemetry/trace-context.ts";
import { NO_FACTS, type RequestEnd, type RequestError, type RequestFacts, type RequestNames } from "./request-facts.ts";
import { sumTokenParts, type TokenParts, toTokenParts } from "./token-parts.ts";

/** One model call inside a request. */
export interface UsageCall extends TokenParts {
	model: string;
	provider: string;
	tokens: number;
	/** How many of `tokens` were input. */
	input_tokens: number;
	cost_nano_usd: number;
	/** Name of the provider's key, where it has several. */
	provider_key?: string;
	/** How many calls this entry is for; absent for one. A row that was cut down has entries for several. */
	requests?: number;
}

/** What is billed for one API request or run, however many calls it made. Members are D1 columns. */
export interface UsageRow {
	request_id: string;
	user_id: string;
	/** The API key that made the request. */
	api_key_id: string;
	created_at: string;
	kind: ReceiptKind;
	model: string;
	provider: string;
	mode: string;
	tokens: number;
	input_tokens: number;
	cost_nano_usd: number;
	estimated: boolean;
	outcome: Outcome;
	latency_ms: number;
	fallback: boolean;
	calls: UsageCall[];
}

/** Usage and receipt of one request, and what else its row says. All are stored or none is. */
export interface Settlement {
	usage: UsageRow;
	receipt: SealedReceipt;
	/** Absent where nothing is known but what its reservation says. */
	facts?: RequestFacts;
	/** Absent where the process that would have known it died. */
	end?: RequestEnd;
	/** Of a run that called tools: counted with it, and in no row. */
	toolCalls?: readonly CountedToolCall[];
}

/** A request in the list of the latest. */
export type RecentUsage = Pick<
	UsageRow,
	"request_id" | "created_at" | "model" | "provider" | "mode" | "tokens" | "cost_nano_usd" | "latency_ms" | "fallback"
> & { kind: string };

/** A receipt as proofs show it. */
export type StoredReceipt = Pick<SealedReceipt, "request_id" | "receipt" | "proof_hash" | "signature" | "key_id"> & {
	kind: string;
};

/** What is recorded, at the bound, if nobody settles the request before `expiresAtMs`. */
export interface Reservation {
	/** What of `usage.cost_nano_usd` has been billed so far; absent where that is nothing or unknown. */
	spentNanoUsd?: number;
	/** The most that the request may cost in all. The key's budget holds it until the request is settled. */
	holdNanoUsd: number;
	expiresAtMs: number;
	usage: UsageRow;
	receipt: Receipt;
	/** What the client says of the request; absent where that is nothing. */
	names?: RequestNames;
	/** The caller's span. Only an admission says it; absent while no address for traces is set. */
	parent?: TraceParent;
}

/** What is recorded of a reservation if nobody settles its request. */
export type ReservedEnd = Pick<Reservation, "usage" | "receipt" | "names" | "parent">;

/** The error of a request that nobody settled in time. */
const NOT_SETTLED_IN_TIME: RequestError = {
	code: "not_settled",
	message: "the service stopped before the request was settled; it is recorded at what it may have cost",
};

/** Settles an expired reservation at its bound. Its usage and receipt say `estimated`, and that nothing was delivered. */
export async function settleAtBound(
	reservation: ReservedEnd,
	nowMs: number,
	signer: Signer | null,
): Promise<Settlement> {
	const receipt = { ...reservation.receipt, timestamp: new Date(nowMs).toISOString() };
	const { usage, names } = reservation;
	return {
		usage,
		receipt: await sealReceipt(receipt, signer),
		...(names ? { facts: { ...NO_FACTS, ...names } } : {}),
		end: { status: null, error: NOT_SETTLED_IN_TIME },
	};
}

/** Whether a settlement is that of a request which nobody settled in time. */
export function isAtBound({ end }: Pick<Settlement, "end">): boolean {
	return end?.error?.code === NOT_SETTLED_IN_TIME.code;
}

/** What an open request holds. */
export interface OpenHold {
	request_id: string;
	/** The API key of the request. */
	api_key_id: string;
	kind: string;
	/** What has been billed so far. */
	spent_nano_usd: number;
	/** What it may cost besides. */
	held_nano_usd: number;
	/** The most that it may cost in all. */
	bound_nano_usd: number;
}

/** Merges calls into one entry per model. The totals stay the same. */
export function mergeCallsByModel(calls: readonly UsageCall[]): UsageCall[] {
	const byModel = Map.groupBy(calls, ({ model, provider }) => `${model} ${provider}`);
	return [...byModel.values()].flatMap((same) => {
		const [first] = same;
		if (!first) return [];
		const sum = (amount: (call: UsageCall) => number) => same.reduce((total, call) => total + amount(call), 0);
		return {
			model: first.model,
			provider: first.provider,
			tokens: sum((call) => call.tokens),
			input_tokens: sum((call) => call.input_tokens),
			cost_nano_usd: sum((call) => call.cost_nano_usd),
			...toTokenParts(sumTokenParts(same)),
			requests: sum((call) => call.requests ?? 1),
		};
	});
}
