// What is recorded of a request that called a model: its usage row and its receipt. Pure.
import { type Outcome, type Receipt, type ReceiptKind, type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import type { Signer } from "../proof/signing.ts";

/** One model call inside a request. */
export interface UsageCall {
	model: string;
	provider: string;
	tokens: number;
	/** How many of `tokens` were input. */
	input_tokens: number;
	cost_nano_usd: number;
	/** How many calls this stands for: one without it, more in a row that was cut down. */
	requests?: number;
}

/** What is billed for one API request or run, whatever number of calls it made; in the column names of its D1 row. */
export interface UsageRow {
	request_id: string;
	user_id: string;
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

/** Usage and receipt of one request; both are stored or neither. */
export interface Settlement {
	usage: UsageRow;
	receipt: SealedReceipt;
}

/** What is shown of a request among the latest. */
export type RecentUsage = Pick<
	UsageRow,
	"request_id" | "created_at" | "model" | "provider" | "mode" | "tokens" | "cost_nano_usd" | "latency_ms" | "fallback"
> & { kind: string };

/** What is known of a receipt by whoever asks for a proof. */
export type StoredReceipt = Pick<SealedReceipt, "request_id" | "receipt" | "proof_hash" | "signature" | "key_id"> & {
	kind: string;
};

/** A settlement as its row in D1, in its column names. */
export interface SettlementRow extends UsageRow {
	receipt: string;
	proof_hash: string;
	signature: string | null;
	key_id: string | null;
	/** When the receipt was sealed. */
	settled_at: string;
}

/** The row of a settlement. */
export function toSettlementRow({ usage, receipt: sealed }: Settlement): SettlementRow {
	const { receipt, proof_hash, signature, key_id, created_at: settled_at } = sealed;
	return { ...usage, receipt, proof_hash, signature, key_id, settled_at };
}

/** What is recorded at the bound if nobody settles the request before `expiresAtMs`. */
export interface Reservation {
	/** Of the usage, nano-USD: what has been billed so far; absent where that is nothing, or not known. */
	spentNanoUsd?: number;
	expiresAtMs: number;
	usage: UsageRow;
	receipt: Receipt;
}

/** Settles a reservation that nobody settled: at its bound, marked `estimated`, with nothing delivered. */
export async function settleAtBound(
	reservation: Reservation,
	nowMs: number,
	signer: Signer | null,
): Promise<Settlement> {
	const receipt = { ...reservation.receipt, timestamp: new Date(nowMs).toISOString() };
	return { usage: reservation.usage, receipt: await sealReceipt(receipt, signer) };
}

/** What a request that nobody has settled yet holds, nano-USD. */
export interface OpenHold {
	request_id: string;
	kind: string;
	/** What has been billed so far. */
	spent_nano_usd: number;
	/** What its calls under way, or all of it, may cost besides. */
	held_nano_usd: number;
	/** The most that it may cost in all. */
	bound_nano_usd: number;
}
