// Usage by day, API key and model: what one request adds, and sums of many. Pure.
import { DAY_MS } from "./budget-period.ts";
import type { UsageCall, UsageRow } from "./settlement.ts";

/** The members of a usage row that day sums count. */
export type DaySumSource = Pick<UsageRow, "created_at" | "api_key_id" | "model" | "calls">;

export interface DayCounts {
	/** Requests that are counted in this sum and in no other. Their sum over any sums is a number of requests. */
	requests: number;
	/** Requests that called the model. One with several models counts in the sum of each. */
	model_requests: number;
	calls: number;
	tokens: number;
	input_tokens: number;
	cost_nano_usd: number;
}

/** What is counted together. */
export interface DayPlace {
	/** UTC, `YYYY-MM-DD`: when the requests arrived. */
	day: string;
	api_key_id: string;
	model: string;
}

export type DaySum = DayPlace & DayCounts;

/** The UTC day of a time in ISO 8601. */
export function dayPart(time: string): string {
	return time.slice(0, 10);
}

export const NO_COUNTS: DayCounts = {
	requests: 0,
	model_requests: 0,
	calls: 0,
	tokens: 0,
	input_tokens: 0,
	cost_nano_usd: 0,
};

export function addCounts(a: DayCounts, b: DayCounts): DayCounts {
	return {
		requests: a.requests + b.requests,
		model_requests: a.model_requests + b.model_requests,
		calls: a.calls + b.calls,
		tokens: a.tokens + b.tokens,
		input_tokens: a.input_tokens + b.input_tokens,
		cost_nano_usd: a.cost_nano_usd + b.cost_nano_usd,
	};
}

function countCalls(calls: readonly UsageCall[]): DayCounts {
	const counts = calls.map(({ requests = 1, tokens, input_tokens, cost_nano_usd }) => ({
		...NO_COUNTS,
		calls: requests,
		tokens,
		input_tokens,
		cost_nano_usd,
	}));
	return { ...counts.reduce(addCounts, NO_COUNTS), model_requests: 1 };
}

/**
 * A request's parts, one for each model. The part of the usage row's own model counts the request, also where that model was not
 * called: a run may end before its first call.
 */
export function toDaySums({ created_at, model: main, calls, api_key_id }: DaySumSource): DaySum[] {
	const byModel = Map.groupBy(calls, ({ model }) => model);
	const counts = new Map([...byModel].map(([model, same]): [string, DayCounts] => [model, countCalls(same)]));
	counts.set(main, { ...(counts.get(main) ?? NO_COUNTS), requests: 1 });
	const shared = { day: dayPart(created_at), api_key_id };
	return [...counts].map(([model, amounts]) => ({ ...shared, model, ...amounts }));
}

/** Sums by place. */
export class DaySums {
	#byPlace = new Map<string, DaySum>();

	static key({ day, api_key_id, model }: DayPlace): string {
		return `${day} ${api_key_id} ${model}`;
	}

	add(sum: DaySum): void {
		const key = DaySums.key(sum);
		const known = this.#byPlace.get(key);
		this.#byPlace.set(key, known ? { ...known, ...addCounts(known, sum) } : sum);
	}

	addRow(row: DaySumSource): void {
		for (const sum of toDaySums(row)) this.add(sum);
	}

	/** What was added at a place. */
	find(place: DayPlace): DayCounts {
		return this.#byPlace.get(DaySums.key(place)) ?? NO_COUNTS;
	}

	all(): DaySum[] {
		return [...this.#byPlace.values()];
	}

	clear(): void {
		this.#byPlace.clear();
	}
}

/** `YYYY-MM` of a day. */
function monthPart(day: string): string {
	return day.slice(0, 7);
}

/** The sums of a table with those of months beside those of days, and one for all of a day. So a year is read in few rows. */
export function withLargerSums(sums: readonly DaySum[]): DaySum[] {
	const all = new DaySums();
	for (const sum of sums) {
		all.add(sum);
		all.add({ ...sum, day: monthPart(sum.day) });
		all.add({ ...sum, api_key_id: "", model: "" });
	}
	return all.all();
}

/** Months and days that cover a range of days: months that lie in it as a whole, and the days beside them. */
export function coverDays(since: string, until: string): string[] {
	const covered: string[] = [];
	for (let day = since; day <= until; ) {
		const month = monthPart(day);
		const last = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).toISOString().slice(0, 10);
		const isWhole = day === `${month}-01` && last <= until;
		covered.push(isWhole ? month : day);
		day = new Date(Date.parse(isWhole ? last : day) + DAY_MS).toISOString().slice(0, 10);
	}
	return covered;
}

/** The days of a range. */
export function listDays(since: string, until: string): string[] {
	const days: string[] = [];
	for (let atMs = Date.parse(since); atMs <= Date.parse(until); atMs += DAY_MS)
		days.push(new Date(atMs).toISOString().slice(0, 10));
	return days;
}
