// Usage totals: what D1 has, plus what the user's meter has not flushed yet. Pure.
import { usd } from "../proof/money.ts";
import type { UsageRow } from "./settlement.ts";

export interface Totals {
	requests: number;
	tokens: number;
	/** How many of `tokens` were input. */
	inputTokens: number;
	costNanoUsd: number;
}

/** One row of the usage_rollups table, in its column names: totals under one name of one dimension. */
export interface RollupRow {
	dimension: string;
	name: string;
	requests: number;
	tokens: number;
	input_tokens: number;
	cost_nano_usd: number;
}

/** What lists of requests show of a usage row. */
export type RecentRow = Pick<
	UsageRow,
	"request_id" | "created_at" | "model" | "provider" | "mode" | "tokens" | "cost_nano_usd" | "latency_ms" | "fallback"
> & { kind: string };

const NOTHING: Totals = { requests: 0, tokens: 0, inputTokens: 0, costNanoUsd: 0 };

function totalsOf(part: Pick<UsageRow, "tokens" | "input_tokens" | "cost_nano_usd">): Totals {
	return { requests: 1, tokens: part.tokens, inputTokens: part.input_tokens, costNanoUsd: part.cost_nano_usd };
}

/** Totals by dimension (`total`, `model`, `provider`, `mode`) and name. */
export class UsageTotals {
	#totals = new Map<string, Map<string, Totals>>();

	#add(dimension: string, name: string, amount: Totals): void {
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

	/** Adds what D1 has summed up. */
	addRollup({ dimension, name, requests, tokens, input_tokens, cost_nano_usd }: RollupRow): void {
		this.#add(dimension, name, { requests, tokens, inputTokens: input_tokens, costNanoUsd: cost_nano_usd });
	}

	/** Adds one usage row, as the rollup trigger in D1 does. */
	addRow(row: UsageRow): void {
		const whole = totalsOf(row);
		this.#add("total", "", whole);
		this.#add("mode", row.mode, whole);
		for (const call of row.calls) {
			this.#add("model", call.model, totalsOf(call));
			this.#add("provider", call.provider, totalsOf(call));
		}
	}

	total(): Totals {
		return this.#totals.get("total")?.get("") ?? NOTHING;
	}

	/** One dimension in the shape of spec 2.16. */
	by(dimension: string): Record<string, { requests: number; tokens: number; cost_usd: number }> {
		const entries = [...(this.#totals.get(dimension) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
		return Object.fromEntries(
			entries.map(([name, { requests, tokens, costNanoUsd }]) => [
				name,
				{ requests, tokens, cost_usd: usd(costNanoUsd) },
			]),
		);
	}
}
