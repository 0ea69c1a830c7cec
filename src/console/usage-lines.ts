// Usage over days by name, for sparklines and sums beside the names.
import { type Api, withQuery } from "./api.ts";
import { MS_PER_DAY } from "./format.ts";

/** What a name has used, in days up to today. */
export interface UsageLine {
	requests: number;
	costUsd: number;
	/** Cost of each day, oldest first. */
	costs: readonly number[];
	/** Requests of each day. */
	counts: readonly number[];
}

interface SeriesAnswer {
	data: { id: string | null; requests: number[]; cost_usd: number[] }[];
}

/** Names that the API tells apart at most. */
const MOST_NAMES = 50;

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}

/** What the names that cost most have used. Empty where the API does not answer: the page is shown all the same. */
export async function readUsageLines(
	api: Api,
	grouping: "key" | "model" | "provider",
	days: number,
	nowMs: number,
): Promise<ReadonlyMap<string, UsageLine>> {
	const since = new Date(nowMs - (days - 1) * MS_PER_DAY).toISOString().slice(0, 10);
	const members = { group_by: grouping, step: "day", since: `${since}T00:00:00Z`, limit: MOST_NAMES };
	const answer = await api.get<SeriesAnswer>(withQuery("/v1/usage/series", members));
	const data = answer.ok ? answer.value.data : [];
	return new Map(
		data.map(({ id, requests, cost_usd }) => [
			id ?? "",
			{ requests: sum(requests), costUsd: sum(cost_usd), costs: cost_usd, counts: requests },
		]),
	);
}
