// What one request adds to the usage rollup: a row for each user, day, API key and model. Pure.
import type { UsageCall, UsageRow } from "./settlement.ts";

/** The members of a usage row that the rollup counts. Settlements from before keys were recorded have no key. */
export type RollupSource = Pick<UsageRow, "request_id" | "user_id" | "created_at" | "model" | "calls"> &
	Partial<Pick<UsageRow, "api_key_id">>;

/** Counts of one row of the rollup. */
export interface RollupCounts {
	/** Requests that are counted in this row and in no other. Their sum over any rows is a number of requests. */
	requests: number;
	/** Requests that called the model. One with several models counts in the row of each. */
	model_requests: number;
	calls: number;
	tokens: number;
	input_tokens: number;
	cost_nano_usd: number;
}

/** One request's share of a row. Members are columns, besides `request_id`. */
export interface RollupPart extends RollupCounts {
	request_id: string;
	user_id: string;
	/** UTC, `YYYY-MM-DD`: when the request arrived. */
	day: string;
	/** Empty where it is unknown. */
	api_key_id: string;
	model: string;
}

/** The UTC day of a time in ISO 8601. */
export function dayPart(time: string): string {
	return time.slice(0, 10);
}

function sumCalls(calls: readonly UsageCall[], amount: (call: UsageCall) => number): number {
	return calls.reduce((sum, call) => sum + amount(call), 0);
}

function countCalls(calls: readonly UsageCall[]): RollupCounts {
	return {
		requests: 0,
		model_requests: 1,
		calls: sumCalls(calls, (call) => call.requests ?? 1),
		tokens: sumCalls(calls, (call) => call.tokens),
		input_tokens: sumCalls(calls, (call) => call.input_tokens),
		cost_nano_usd: sumCalls(calls, (call) => call.cost_nano_usd),
	};
}

const NO_CALLS: RollupCounts = {
	requests: 0,
	model_requests: 0,
	calls: 0,
	tokens: 0,
	input_tokens: 0,
	cost_nano_usd: 0,
};

/**
 * A request's parts, one for each model. The part of the usage row's own model counts the request, also where that model was not
 * called: a run may end before its first call.
 */
export function toRollupParts(row: RollupSource): RollupPart[] {
	const { request_id, user_id, created_at, model: main, calls, api_key_id = "" } = row;
	const byModel = Map.groupBy(calls, ({ model }) => model);
	const counts = new Map([...byModel].map(([model, same]): [string, RollupCounts] => [model, countCalls(same)]));
	counts.set(main, { ...(counts.get(main) ?? NO_CALLS), requests: 1 });
	const shared = { request_id, user_id, day: dayPart(created_at), api_key_id };
	return [...counts].map(([model, amounts]) => ({ ...shared, model, ...amounts }));
}
