// Usage totals: what D1 has, plus what the user's meter has not flushed yet. Pure.
import { usd } from "../proof/money.ts";
import type { UsageRow } from "./settlement.ts";

interface Totals {
	requests: number;
	tokens: number;
	costNanoUsd: number;
}

/** Totals by dimension (`total`, `model`, `provider`, `mode`) and name. */
export class UsageTotals {
	#totals = new Map<string, Map<string, Totals>>();

	add(dimension: string, name: string, amount: Totals): void {
		const names = this.#totals.get(dimension) ?? new Map<string, Totals>();
		this.#totals.set(dimension, names);
		const sum = names.get(name) ?? { requests: 0, tokens: 0, costNanoUsd: 0 };
		names.set(name, {
			requests: sum.requests + amount.requests,
			tokens: sum.tokens + amount.tokens,
			costNanoUsd: sum.costNanoUsd + amount.costNanoUsd,
		});
	}

	/** Adds one usage row, as the rollup trigger in D1 does. */
	addRow(row: UsageRow): void {
		const whole = { requests: 1, tokens: row.tokens, costNanoUsd: row.cost_nano_usd };
		this.add("total", "", whole);
		this.add("mode", row.mode, whole);
		for (const call of row.calls) {
			const part = { requests: 1, tokens: call.tokens, costNanoUsd: call.cost_nano_usd };
			this.add("model", call.model, part);
			this.add("provider", call.provider, part);
		}
	}

	total(): Totals {
		return this.#totals.get("total")?.get("") ?? { requests: 0, tokens: 0, costNanoUsd: 0 };
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
