// Usage totals by dimension and name, summed row by row. The meter stores and sends them as rows. Pure.
import { isEncoderKind } from "../catalog/vocabulary.ts";
import { usd } from "../proof/money.ts";
import type { UsageRow } from "./settlement.ts";

export interface Totals {
	requests: number;
	tokens: number;
	/** How many of `tokens` were input. */
	inputTokens: number;
	costNanoUsd: number;
}

/** Totals under one name of one dimension: `total` (name ''), `model`, `provider`, `mode`, `kind` of requests without a text. */
export interface NamedTotals extends Totals {
	dimension: string;
	name: string;
}

/** The members of a usage row that totals count. */
export type CountedUsage = Pick<UsageRow, "kind" | "mode" | "tokens" | "input_tokens" | "cost_nano_usd" | "calls">;

const ZERO_TOTALS: Totals = { requests: 0, tokens: 0, inputTokens: 0, costNanoUsd: 0 };

function toTotals(
	{ tokens, input_tokens, cost_nano_usd }: Pick<UsageRow, "tokens" | "input_tokens" | "cost_nano_usd">,
	requests: number,
): Totals {
	return { requests, tokens, inputTokens: input_tokens, costNanoUsd: cost_nano_usd };
}

/** Totals by dimension (`total`, `model`, `provider`, `mode`, `kind`) and name. */
export class UsageTotals {
	#totals = new Map<string, Map<string, Totals>>();

	constructor(rows: Iterable<NamedTotals> = []) {
		this.addAll(rows);
	}

	add(dimension: string, name: string, amount: Totals): void {
		const names = this.#totals.get(dimension) ?? new Map<string, Totals>();
		this.#totals.set(dimension, names);
		const sum = names.get(name) ?? ZERO_TOTALS;
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

	/** Counts one usage row. */
	addRow(row: CountedUsage): void {
		const whole = toTotals(row, 1);
		this.add("total", "", whole);
		this.add("mode", row.mode, whole);
		if (isEncoderKind(row.kind)) this.add("kind", row.kind, whole);
		for (const call of row.calls) {
			const calls = toTotals(call, call.requests ?? 1);
			this.add("model", call.model, calls);
			this.add("provider", call.provider, calls);
		}
	}

	/** All totals with requests, in a fixed order. */
	rows(): NamedTotals[] {
		const rows = [...this.#totals].flatMap(([dimension, names]) =>
			[...names].map(([name, totals]) => ({ dimension, name, ...totals })),
		);
		const key = ({ dimension, name }: NamedTotals) => `${dimension} ${name}`;
		return rows.filter(({ requests }) => requests !== 0).sort((a, b) => (key(a) < key(b) ? -1 : 1));
	}

	total(): Totals {
		return this.#totals.get("total")?.get("") ?? ZERO_TOTALS;
	}

	/** What requests used whose models write text. */
	ofText(): Totals {
		const without = (amount: (totals: Totals) => number) =>
			amount(this.total()) -
			[...(this.#totals.get("kind")?.values() ?? [])].reduce((sum, totals) => sum + amount(totals), 0);
		return {
			requests: without(({ requests }) => requests),
			tokens: without(({ tokens }) => tokens),
			inputTokens: without(({ inputTokens }) => inputTokens),
			costNanoUsd: without(({ costNanoUsd }) => costNanoUsd),
		};
	}

	/** One dimension as `GET /v1/usage` shows it. */
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
