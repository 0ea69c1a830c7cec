// Usage totals by dimension and name: summed up row by row, carried between the meter and its readers as rows. Pure.
import { usd } from "../proof/money.ts";
import type { UsageRow } from "./settlement.ts";

export interface Totals {
	requests: number;
	tokens: number;
	/** How many of `tokens` were input. */
	inputTokens: number;
	costNanoUsd: number;
}

/** Totals under one name of one dimension: `total` (name ''), `model`, `provider`, `mode`. */
export interface NamedTotals extends Totals {
	dimension: string;
	name: string;
}

/** What of a usage row counts. */
export type CountedUsage = Pick<
	UsageRow,
	"request_id" | "mode" | "tokens" | "input_tokens" | "cost_nano_usd" | "calls"
>;

const NOTHING: Totals = { requests: 0, tokens: 0, inputTokens: 0, costNanoUsd: 0 };

function totalsOf(
	part: Pick<UsageRow, "tokens" | "input_tokens" | "cost_nano_usd">,
	requests: number,
	sign: number,
): Totals {
	return {
		requests: sign * requests,
		tokens: sign * part.tokens,
		inputTokens: sign * part.input_tokens,
		costNanoUsd: sign * part.cost_nano_usd,
	};
}

/** Totals by dimension (`total`, `model`, `provider`, `mode`) and name. */
export class UsageTotals {
	#totals = new Map<string, Map<string, Totals>>();

	constructor(rows: Iterable<NamedTotals> = []) {
		this.addAll(rows);
	}

	add(dimension: string, name: string, amount: Totals): void {
		const names = this.#totals.get(dimension) ?? new Map<string, Totals>();
		this.#totals.set(dimension, names);
		const sum = names.get(name) ?? NOTHING;
		names.set(name, {
			requests: sum.requests + amount.requests,
			tokens: sum.tokens + amount.tokens,
			inputTokens: sum.inputTokens + amount.inputTokens,
			costNanoUsd: sum.costNanoUsd + amount.costNanoUsd,
		});
	}

	addAll(rows: Iterable<NamedTotals>): void {
		for (const row of rows) this.add(row.dimension, row.name, row);
	}

	#count(row: CountedUsage, sign: number): void {
		const whole = totalsOf(row, 1, sign);
		this.add("total", "", whole);
		this.add("mode", row.mode, whole);
		for (const call of row.calls) {
			const calls = totalsOf(call, call.requests ?? 1, sign);
			this.add("model", call.model, calls);
			this.add("provider", call.provider, calls);
		}
	}

	/** Counts one usage row. */
	addRow(row: CountedUsage): void {
		this.#count(row, 1);
	}

	/** Takes a row that was counted out again. */
	subtractRow(row: CountedUsage): void {
		this.#count(row, -1);
	}

	/** Everything that is not nothing, in a fixed order. */
	rows(): NamedTotals[] {
		const rows = [...this.#totals].flatMap(([dimension, names]) =>
			[...names].map(([name, totals]) => ({ dimension, name, ...totals })),
		);
		const key = ({ dimension, name }: NamedTotals) => `${dimension} ${name}`;
		return rows.filter(({ requests }) => requests !== 0).sort((a, b) => (key(a) < key(b) ? -1 : 1));
	}

	total(): Totals {
		return this.#totals.get("total")?.get("") ?? NOTHING;
	}

	/** One dimension in the shape of docs/reference.md, "Usage". */
	by(dimension: string): Record<string, { requests: number; tokens: number; cost_usd: number }> {
		const entries = this.rows().filter((row) => row.dimension === dimension);
		return Object.fromEntries(
			entries.map(({ name, requests, tokens, costNanoUsd }) => [
				name,
				{ requests, tokens, cost_usd: usd(costNanoUsd) },
			]),
		);
	}
}
