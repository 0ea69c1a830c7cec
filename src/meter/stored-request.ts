// A reservation, and then the settlement, as a row of the meter's table of requests. What the columns and the receipt both say is stored once,
// and hashes and signatures are bytes: so a chat's row has about 1 KB from the beginning, and three or four fit a page. Pure.
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "../proof/canonical.ts";
import { usd } from "../proof/money.ts";
import type { Outcome, Receipt, ReceiptKind } from "../proof/receipt.ts";
import { pickReceiptDecision, type ReceiptDecision } from "../proof/receipt-decision.ts";
import { fromBase64, toBase64 } from "../proof/signing.ts";
import type { ListedRequest, RequestDetail } from "./request-page.ts";
import type { Reservation, Settlement, StoredReceipt, UsageCall, UsageRow } from "./settlement.ts";

/** The columns of a settled request. Members are columns; `readSettledColumns` lists them. */
export interface SettledRow extends Record<string, SqlStorageValue> {
	id: string;
	api_key: string;
	nano_usd: number;
	created_at_ms: number;
	kind: string;
	model: string;
	provider: string;
	mode: string;
	tokens: number;
	input_tokens: number;
	estimated: number;
	fallback: number;
	outcome: string;
	latency_ms: number;
	/** Null for one call that the other columns describe. In a large row the text below says what lists show. */
	calls: string | null;
	receipt: string;
	is_large: number;
	proof_hash: ArrayBuffer;
	signature: ArrayBuffer | null;
	key_id: string | null;
}

/** The columns that a reservation has as well. */
export const USAGE_COLUMNS =
	"created_at_ms, kind, model, provider, mode, tokens, input_tokens, estimated, fallback, outcome, latency_ms, calls, receipt, is_large";
const PROOF_COLUMNS = "proof_hash, signature, key_id";
/** Those of a settlement beside what it cost. */
export const SETTLEMENT_COLUMNS = `${USAGE_COLUMNS}, ${PROOF_COLUMNS}`;
export const SETTLED_COLUMNS = `id, api_key, nano_usd, ${SETTLEMENT_COLUMNS}`;

/** Calls and receipt of more characters are stored apart, so that a page of a list reads little. */
const LARGE_CHARS = 1_600;

const HASH_PREFIX = "sha256:";

/** What is shown of a large row in lists. */
interface LargeSummary {
	decision: ReceiptDecision;
	calls: number;
	models: string[];
}

/** What a large row stores apart. */
interface LargeParts {
	calls: UsageCall[];
	receipt: string;
}

/** What is written for usage and receipt. */
interface StoredUsage {
	/** The columns of USAGE_COLUMNS, in their order. */
	values: SqlStorageValue[];
	/** To be stored apart; null for a row that holds everything. */
	largeText: string | null;
}

type SharedColumns = Pick<
	SettledRow,
	"id" | "nano_usd" | "kind" | "model" | "provider" | "mode" | "tokens" | "input_tokens" | "estimated" | "outcome"
>;

/** The members of a receipt that the columns say as well. */
function sharedMembers(row: SharedColumns): Record<string, unknown> {
	const shared = {
		request_id: row.id,
		kind: row.kind,
		outcome: row.outcome,
		estimated: row.estimated === 1,
		cost_usd: usd(row.nano_usd),
	};
	if (row.kind !== "chat" && row.kind !== "skill") return shared;
	const answer = {
		model: row.model,
		provider: row.provider,
		mode: row.mode,
		prompt_tokens: row.input_tokens,
		completion_tokens: row.tokens - row.input_tokens,
	};
	return { ...shared, ...answer };
}

/** A receipt without the members that the columns say; whole where one of them differs. It has `request_id` only when it is whole. */
function shortenReceipt(receipt: Record<string, unknown>, row: SharedColumns): Record<string, unknown> {
	const short = { ...receipt };
	for (const [name, value] of Object.entries(sharedMembers(row))) {
		if (receipt[name] !== value) return receipt;
		delete short[name];
	}
	return short;
}

/** The canonical text of a receipt that was shortened. */
function restoreReceipt(stored: string, row: SharedColumns): string {
	return canonicalJson(restoreMembers(stored, row));
}

function restoreMembers(stored: string, row: SharedColumns): Record<string, unknown> {
	const members = JSON.parse(stored) as Record<string, unknown>;
	return "request_id" in members ? members : { ...members, ...sharedMembers(row) };
}

/** Whether the usage row says everything of its only call. */
function isSoleCall(usage: UsageRow): boolean {
	const [call, ...others] = usage.calls;
	return (
		call !== undefined &&
		others.length === 0 &&
		Object.keys(call).length === 5 &&
		call.model === usage.model &&
		call.provider === usage.provider &&
		call.tokens === usage.tokens &&
		call.input_tokens === usage.input_tokens &&
		call.cost_nano_usd === usage.cost_nano_usd
	);
}

/** How many calls were made, and which models took part. */
function summarizeCalls(calls: readonly UsageCall[]): Pick<LargeSummary, "calls" | "models"> {
	return {
		calls: calls.reduce((sum, { requests = 1 }) => sum + requests, 0),
		models: [...new Set(calls.map(({ model }) => model))],
	};
}

function toSummary({ calls }: UsageRow, receipt: Record<string, unknown>): LargeSummary {
	return { decision: pickReceiptDecision(receipt), ...summarizeCalls(calls) };
}

/** The bytes of a value as SQLite takes them. */
function toBuffer(bytes: Uint8Array): ArrayBuffer {
	return bytes.slice().buffer;
}

/** What a row has of usage and receipt. */
function toStoredUsage(usage: UsageRow, receipt: Record<string, unknown>): StoredUsage {
	const row: SharedColumns = {
		id: usage.request_id,
		nano_usd: usage.cost_nano_usd,
		kind: usage.kind,
		model: usage.model,
		provider: usage.provider,
		mode: usage.mode,
		tokens: usage.tokens,
		input_tokens: usage.input_tokens,
		estimated: usage.estimated ? 1 : 0,
		outcome: usage.outcome,
	};
	const calls = isSoleCall(usage) ? null : JSON.stringify(usage.calls);
	const short = JSON.stringify(shortenReceipt(receipt, row));
	const isLarge = short.length + (calls?.length ?? 0) > LARGE_CHARS;
	return {
		values: [
			Date.parse(usage.created_at),
			row.kind,
			row.model,
			row.provider,
			row.mode,
			row.tokens,
			row.input_tokens,
			row.estimated,
			usage.fallback ? 1 : 0,
			row.outcome,
			usage.latency_ms,
			isLarge ? null : calls,
			isLarge ? JSON.stringify(toSummary(usage, receipt)) : short,
			isLarge ? 1 : 0,
		],
		largeText: isLarge ? JSON.stringify({ calls: usage.calls, receipt: short } satisfies LargeParts) : null,
	};
}

/** What the row of an open request has: what is recorded if nobody settles it. */
export function toStoredReservation({ usage, receipt }: Reservation): StoredUsage {
	return toStoredUsage(usage, { ...receipt });
}

/** What the row of a settled request has. */
export function toStoredSettlement({ usage, receipt: sealed }: Settlement): StoredUsage {
	const { values, largeText } = toStoredUsage(usage, JSON.parse(sealed.receipt) as Record<string, unknown>);
	const signature = sealed.signature === null ? null : fromBase64(sealed.signature);
	const proof = [
		toBuffer(hexToBytes(sealed.proof_hash.slice(HASH_PREFIX.length))),
		signature && toBuffer(signature),
		sealed.key_id,
	];
	return { values: [...values, ...proof], largeText };
}

/** A row with the text that is stored apart, where there is one. */
export interface WholeRow {
	row: SettledRow;
	largeText: string | null;
}

function toCalls({ row, largeText }: WholeRow): UsageCall[] {
	if (largeText !== null) return (JSON.parse(largeText) as LargeParts).calls;
	if (row.calls !== null) return JSON.parse(row.calls) as UsageCall[];
	const { model, provider, tokens, input_tokens, nano_usd: cost_nano_usd } = row;
	return [{ model, provider, tokens, input_tokens, cost_nano_usd }];
}

function toReceiptText({ row, largeText }: WholeRow): string {
	return restoreReceipt(largeText === null ? row.receipt : (JSON.parse(largeText) as LargeParts).receipt, row);
}

/** `sha256:` and the digits of a stored hash. */
export function toProofHash(bytes: ArrayBuffer): string {
	return HASH_PREFIX + bytesToHex(new Uint8Array(bytes));
}

/** The receipt of a row, as proofs show it. */
export function toStoredReceipt(whole: WholeRow): StoredReceipt {
	const { id, kind, proof_hash, signature, key_id } = whole.row;
	return {
		request_id: id,
		kind,
		receipt: toReceiptText(whole),
		proof_hash: toProofHash(proof_hash),
		signature: signature && toBase64(new Uint8Array(signature)),
		key_id,
	};
}

/** What the columns of a row say of its usage. */
function toColumnUsage(row: SettledRow) {
	return {
		request_id: row.id,
		api_key_id: row.api_key,
		created_at: new Date(row.created_at_ms).toISOString(),
		kind: row.kind as ReceiptKind,
		model: row.model,
		provider: row.provider,
		mode: row.mode,
		tokens: row.tokens,
		input_tokens: row.input_tokens,
		cost_nano_usd: row.nano_usd,
		estimated: row.estimated === 1,
		outcome: row.outcome as Outcome,
		latency_ms: row.latency_ms,
		fallback: row.fallback === 1,
	};
}

/** What is recorded for an open row. @param userId whose it is. */
export function toReserved(whole: WholeRow, userId: string): Pick<Reservation, "usage" | "receipt"> {
	const usage: UsageRow = { user_id: userId, ...toCountedRow(whole) };
	return { usage, receipt: JSON.parse(toReceiptText(whole)) as Receipt };
}

/** The usage of a row, as sums count it. */
export function toCountedRow(whole: WholeRow) {
	return { ...toColumnUsage(whole.row), calls: toCalls(whole) };
}

/** A row as lists show it. It needs no text that is stored apart. */
export function toListedRequest(row: SettledRow): ListedRequest {
	const listed = {
		...toColumnUsage(row),
		proof_hash: toProofHash(row.proof_hash),
		isSigned: row.signature !== null,
	};
	if (row.is_large === 1) return { ...listed, ...(JSON.parse(row.receipt) as LargeSummary) };
	const decision = pickReceiptDecision(restoreMembers(row.receipt, row));
	return { ...listed, decision, ...summarizeCalls(toCalls({ row, largeText: null })) };
}

/** A row by itself, with its calls. */
export function toStoredDetail(whole: WholeRow): RequestDetail {
	return { request: toListedRequest(whole.row), calls: toCalls(whole) };
}

/** A settlement as its owner is shown it. */
export function toSettlementDetail({ usage, receipt }: Settlement): RequestDetail {
	const { user_id: _, calls, ...row } = usage;
	const request = {
		...row,
		proof_hash: receipt.proof_hash,
		isSigned: receipt.signature !== null,
		decision: pickReceiptDecision(JSON.parse(receipt.receipt)),
		...summarizeCalls(calls),
	};
	return { request, calls };
}
