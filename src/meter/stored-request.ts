// A reservation, and then the settlement, as a row of the meter's table of requests. What the columns and the receipt both say is stored once,
// and hashes and signatures are bytes: so a chat's row has about 1 KB from the beginning, and three or four fit a page. Pure.
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { isEncoderKind } from "../catalog/vocabulary.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { usd } from "../proof/money.ts";
import type { Outcome, Receipt, ReceiptKind } from "../proof/receipt.ts";
import { pickReceiptDecision, type ReceiptDecision } from "../proof/receipt-decision.ts";
import { fromBase64, toBase64 } from "../proof/signing.ts";
import { type CallAttempt, fromStoredAttempts, keepAttempts, toStoredAttempts } from "./call-attempt.ts";
import { NO_END, NO_FACTS, type RequestEnd, type RequestFacts, type RequestNames, UNNAMED } from "./request-facts.ts";
import type { ListedSettlement, SettlementDetail } from "./request-page.ts";
import type { Reservation, ReservedEnd, Settlement, StoredReceipt, UsageCall, UsageRow } from "./settlement.ts";
import { sumTokenParts, type TokenParts, toTokenParts } from "./token-parts.ts";

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
	/** The HTTP status that its client got. */
	status: number | null;
	error_code: string | null;
	first_token_ms: number | null;
	/** Null in requests from before these were recorded. */
	cached_tokens: number | null;
	cache_write_tokens: number | null;
	reasoning_tokens: number | null;
	/** Of the only attempt, if the other columns say everything else of it. */
	attempt_started_ms: number | null;
	attempt_ms: number | null;
	session_id: string | null;
	end_user: string | null;
	/** Null for one call that the other columns describe. In a large row the text below says what lists show. */
	calls: string | null;
	receipt: string;
	is_large: number;
	proof_hash: ArrayBuffer;
	signature: ArrayBuffer | null;
	key_id: string | null;
	error_message: string | null;
	/** Null for none, and for one that the other columns describe. */
	attempts: string | null;
	/** JSON; null for none. */
	metadata: string | null;
}

/** The columns that a reservation has as well. */
export const USAGE_COLUMNS =
	"created_at_ms, kind, model, provider, mode, tokens, input_tokens, estimated, fallback, outcome, latency_ms, calls, receipt, is_large, session_id, end_user, metadata, cached_tokens, cache_write_tokens, reasoning_tokens";
const PROOF_COLUMNS = "proof_hash, signature, key_id";
const FACT_COLUMNS = "status, error_code, error_message, first_token_ms, attempt_started_ms, attempt_ms, attempts";
/** Those of a settlement beside what it cost. */
export const SETTLEMENT_COLUMNS = `${USAGE_COLUMNS}, ${PROOF_COLUMNS}, ${FACT_COLUMNS}`;
export const SETTLED_COLUMNS = `id, api_key, nano_usd, ${SETTLEMENT_COLUMNS}`;

/** Calls and receipt of more characters are stored apart, so that a page of a list reads little. */
const LARGE_CHARS = 1_600;

const HASH_PREFIX = "sha256:";

/** The status of an attempt that served. */
const SERVED_STATUS = 200;

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
	const isText = row.kind === "chat" || row.kind === "skill";
	if (!isText && !isEncoderKind(row.kind)) return shared;
	const { model, provider, mode, input_tokens: prompt_tokens } = row;
	const answer = { ...shared, model, provider, mode, prompt_tokens };
	return isText ? { ...answer, completion_tokens: row.tokens - row.input_tokens } : answer;
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
		call.provider_key === undefined &&
		call.requests === undefined &&
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
function toStoredUsage(usage: UsageRow, receipt: Record<string, unknown>, names: RequestNames): StoredUsage {
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
	const parts = sumTokenParts(usage.calls);
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
			names.sessionId,
			names.endUser,
			Object.keys(names.metadata).length === 0 ? null : JSON.stringify(names.metadata),
			parts.cached_tokens,
			parts.cache_write_tokens,
			parts.reasoning_tokens,
		],
		largeText: isLarge ? JSON.stringify({ calls: usage.calls, receipt: short } satisfies LargeParts) : null,
	};
}

/** What the row of an open request has: what is recorded if nobody settles it. */
export function toStoredReservation({ usage, receipt, names = UNNAMED }: Reservation): StoredUsage {
	return toStoredUsage(usage, { ...receipt }, names);
}

/** Whether usage and facts say everything of the only attempt but its start and its time. */
function isSoleAttempt(usage: UsageRow, { attempts, firstTokenMs }: RequestFacts): boolean {
	const [attempt, ...others] = attempts;
	return (
		attempt !== undefined &&
		others.length === 0 &&
		attempt.status === SERVED_STATUS &&
		attempt.error === null &&
		attempt.model === usage.model &&
		attempt.provider === usage.provider &&
		firstTokenMs === (attempt.firstTokenMs === null ? null : attempt.startedMs + attempt.firstTokenMs)
	);
}

/** The columns of FACT_COLUMNS, in their order. */
function toFactValues(usage: UsageRow, facts: RequestFacts, { status, error }: RequestEnd): SqlStorageValue[] {
	const { attempts, firstTokenMs } = facts;
	const [sole] = isSoleAttempt(usage, facts) ? attempts : [];
	return [
		status,
		error?.code ?? null,
		error?.message ?? null,
		firstTokenMs,
		sole?.startedMs ?? null,
		sole?.ms ?? null,
		sole || attempts.length === 0 ? null : toStoredAttempts(keepAttempts(attempts)),
	];
}

/** What the row of a settled request has. */
export function toStoredSettlement({
	usage,
	receipt: sealed,
	facts = NO_FACTS,
	end = NO_END,
}: Settlement): StoredUsage {
	const { values, largeText } = toStoredUsage(usage, JSON.parse(sealed.receipt) as Record<string, unknown>, facts);
	const signature = sealed.signature === null ? null : fromBase64(sealed.signature);
	const proof = [
		toBuffer(hexToBytes(sealed.proof_hash.slice(HASH_PREFIX.length))),
		signature && toBuffer(signature),
		sealed.key_id,
	];
	return { values: [...values, ...proof, ...toFactValues(usage, facts, end)], largeText };
}

/** A row with the text that is stored apart, where there is one. */
export interface WholeRow {
	row: SettledRow;
	largeText: string | null;
}

function toParts({ cached_tokens, cache_write_tokens, reasoning_tokens }: SettledRow): Required<TokenParts> {
	return {
		cached_tokens: cached_tokens ?? 0,
		cache_write_tokens: cache_write_tokens ?? 0,
		reasoning_tokens: reasoning_tokens ?? 0,
	};
}

function toCalls({ row, largeText }: WholeRow): UsageCall[] {
	if (largeText !== null) return (JSON.parse(largeText) as LargeParts).calls;
	if (row.calls !== null) return JSON.parse(row.calls) as UsageCall[];
	const { model, provider, tokens, input_tokens, nano_usd: cost_nano_usd } = row;
	return [{ model, provider, tokens, input_tokens, cost_nano_usd, ...toTokenParts(toParts(row)) }];
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

/** What a row says of its client's names. */
function toNames({ session_id, end_user, metadata }: SettledRow): RequestNames {
	return {
		sessionId: session_id,
		endUser: end_user,
		metadata: metadata === null ? {} : (JSON.parse(metadata) as Record<string, string>),
	};
}

function toAttempts(row: SettledRow): CallAttempt[] {
	if (row.attempts !== null) return fromStoredAttempts(row.attempts);
	const { model, provider, attempt_started_ms: startedMs, attempt_ms: ms, first_token_ms: firstMs } = row;
	if (startedMs === null || ms === null) return [];
	const firstTokenMs = firstMs === null ? null : firstMs - startedMs;
	return [{ provider, model, status: SERVED_STATUS, error: null, startedMs, firstTokenMs, ms }];
}

function toFacts(row: SettledRow): RequestFacts {
	return {
		...toNames(row),
		firstTokenMs: row.first_token_ms,
		attempts: toAttempts(row),
	};
}

function toEnd({ status, error_code: code, error_message }: SettledRow): RequestEnd {
	return { status, error: code === null ? null : { code, message: error_message ?? "" } };
}

/** What is recorded for an open row. @param userId whose it is. */
export function toReserved(whole: WholeRow, userId: string): ReservedEnd {
	const usage: UsageRow = { user_id: userId, ...toCountedRow(whole) };
	return { usage, receipt: JSON.parse(toReceiptText(whole)) as Receipt, names: toNames(whole.row) };
}

/** The usage of a row, as sums count it. */
export function toCountedRow(whole: WholeRow) {
	return { ...toColumnUsage(whole.row), calls: toCalls(whole) };
}

/** A row as lists show it. It needs no text that is stored apart. */
export function toListedRequest(row: SettledRow): ListedSettlement {
	const listed = {
		...toColumnUsage(row),
		...toParts(row),
		facts: toFacts(row),
		...toEnd(row),
		count: 1,
		proof_hash: toProofHash(row.proof_hash),
		isSigned: row.signature !== null,
	};
	if (row.is_large === 1) return { ...listed, ...(JSON.parse(row.receipt) as LargeSummary) };
	const decision = pickReceiptDecision(restoreMembers(row.receipt, row));
	return { ...listed, decision, ...summarizeCalls(toCalls({ row, largeText: null })) };
}

/** A row by itself, with its calls. */
export function toStoredDetail(whole: WholeRow): SettlementDetail {
	return { request: toListedRequest(whole.row), calls: toCalls(whole) };
}

/** A settlement as its owner is shown it. */
export function toSettlementDetail({ usage, receipt, facts = NO_FACTS, end = NO_END }: Settlement): SettlementDetail {
	const { user_id: _, calls, ...row } = usage;
	const request = {
		...row,
		...sumTokenParts(calls),
		facts,
		...end,
		count: 1,
		proof_hash: receipt.proof_hash,
		isSigned: receipt.signature !== null,
		decision: pickReceiptDecision(JSON.parse(receipt.receipt)),
		...summarizeCalls(calls),
	};
	return { request, calls };
}
