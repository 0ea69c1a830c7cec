// Batches of rows for D1: as many as fit in one statement, and the cut-down form of a row that is too large. Pure.
import { type Settlement, type SettlementRow, toSettlementRow, type UsageCall } from "./settlement.ts";

/** After an hour without D1 at 1,000 requests a minute, a flush takes 240 statements. An invocation may make 1,000. */
export const BATCH_ROWS = 250;
/** D1 refuses a parameter of more than 2 MB. Half of that is safe, whether it counts bytes or characters. */
export const BATCH_BYTES = 1_000_000;

/** A settlement on its way to D1. */
export interface OutgoingRow {
	row: SettlementRow;
	/** The row as JSON. */
	text: string;
}

const rowEncoder = new TextEncoder();

export function toOutgoingRow(row: SettlementRow): OutgoingRow {
	return { row, text: JSON.stringify(row) };
}

/** The first settlements that fit in one statement, and at least one. Iterates no further than needed. */
export function firstBatch(settlements: Iterable<Settlement>): OutgoingRow[] {
	const batch: OutgoingRow[] = [];
	let bytes = 0;
	for (const settlement of settlements) {
		const next = toOutgoingRow(toSettlementRow(settlement));
		bytes += rowEncoder.encode(next.text).length + 1;
		if (batch.length > 0 && bytes > BATCH_BYTES) break;
		batch.push(next);
		if (batch.length === BATCH_ROWS) break;
	}
	return batch;
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
			requests: sum((call) => call.requests ?? 1),
		};
	});
}

/** Short members of a receipt, which every kind has. */
const SHORT_MEMBERS = new Set(
	"type request_id timestamp outcome estimated cost_usd bound_usd input_hash output_hash compliance catalog_version config_digest".split(
		" ",
	),
);

/**
 * Cuts a row down that is too large for D1. It keeps every amount, the receipt's hash and signature, and the receipt's short
 * members. `cut_down` in the receipt says why the others are missing. Such a receipt does not verify, on purpose.
 */
export function cutDown({ row, text }: OutgoingRow): OutgoingRow {
	const receipt = Object.entries(JSON.parse(row.receipt) as Record<string, unknown>);
	const cut_down = `the whole row has ${rowEncoder.encode(text).length} bytes, which the database does not take`;
	const short = { ...Object.fromEntries(receipt.filter(([name]) => SHORT_MEMBERS.has(name))), cut_down };
	return toOutgoingRow({ ...row, calls: mergeCallsByModel(row.calls), receipt: JSON.stringify(short) });
}
