// What goes to D1 in one statement: as many rows as fit, and what becomes of a row that D1 finds too large. Pure.
import type { Settlement, SettlementRow, UsageCall } from "./settlement.ts";
import { toSettlementRow } from "./settlement.ts";

/** An hour without D1 at 1,000 requests a minute goes in some 240 statements; an invocation may make 1,000. */
export const BATCH_ROWS = 250;
/** D1 refuses a parameter of more than 2 MB; half of that leaves room whatever it counts. */
export const BATCH_BYTES = 1_000_000;

/** A settlement on its way to D1. */
export interface OutgoingRow {
	row: SettlementRow;
	/** The row as JSON. */
	text: string;
}

const encoder = new TextEncoder();

function outgoing(row: SettlementRow): OutgoingRow {
	return { row, text: JSON.stringify(row) };
}

/** The first of some settlements that fit into one statement; always one, whatever its size. Takes no more than it needs. */
export function firstBatch(settlements: Iterable<Settlement>): OutgoingRow[] {
	const batch: OutgoingRow[] = [];
	let bytes = 0;
	for (const settlement of settlements) {
		const next = outgoing(toSettlementRow(settlement));
		bytes += encoder.encode(next.text).length + 1;
		if (batch.length > 0 && bytes > BATCH_BYTES) break;
		batch.push(next);
		if (batch.length === BATCH_ROWS) break;
	}
	return batch;
}

/** Calls as one for each model: the totals stay what they are. */
export function mergeCallsByModel(calls: readonly UsageCall[]): UsageCall[] {
	const byModel = Map.groupBy(calls, ({ model, provider }) => `${model} ${provider}`);
	return [...byModel.values()].flatMap((same) => {
		const [first] = same;
		if (!first) return [];
		const sum = (of: (call: UsageCall) => number) => same.reduce((total, call) => total + of(call), 0);
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

/** Members of a receipt that every kind has and that are short. */
const SHORT_MEMBERS = new Set(
	"type request_id timestamp outcome estimated cost_usd bound_usd input_hash output_hash compliance catalog_version config_digest".split(
		" ",
	),
);

/**
 * What is stored of a row that D1 refuses for its size: every amount, the whole receipt's hash and signature, and of the
 * receipt what every kind has, with `cut_down` that says so. Such a receipt does not verify, and is not meant to.
 */
export function cutDown({ row, text }: OutgoingRow): OutgoingRow {
	const receipt = Object.entries(JSON.parse(row.receipt) as Record<string, unknown>);
	const cut_down = `the whole row has ${encoder.encode(text).length} bytes, which the database does not take`;
	const kept = { ...Object.fromEntries(receipt.filter(([name]) => SHORT_MEMBERS.has(name))), cut_down };
	return outgoing({ ...row, calls: mergeCallsByModel(row.calls), receipt: JSON.stringify(kept) });
}
