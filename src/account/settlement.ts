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
}

/** One row of the usage table, in its column names: one API request or run, whatever number of calls it made. */
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

/** What is recorded at the bound if nobody settles the request before `expiresAtMs`. */
export interface Reservation {
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
