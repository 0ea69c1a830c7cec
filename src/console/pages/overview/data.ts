// What the overview reads of the API, all at once.
import type { z } from "zod";
import type { keySchema } from "../../../keys/schemas.ts";
import type { ModelList } from "../../../routing/endpoints.edge.ts";
import type { savingsGroupsSchema, usageSchema } from "../../../usage/endpoints.edge.ts";
import type { SeriesGrouping, usageSeriesSchema } from "../../../usage/series-views.ts";
import { type Api, type ApiAnswer, withQuery } from "../../api.ts";
import { MS_PER_DAY, MS_PER_HOUR } from "../../format.ts";
import { ALL_KEYS } from "../../key-names.ts";
import type { PageRange, TimeRange } from "../../range.ts";

export type Usage = z.output<typeof usageSchema>;
export type Series = z.output<typeof usageSeriesSchema>;
export type Savings = z.output<typeof savingsGroupsSchema>;
export type OverviewKey = z.output<typeof keySchema>;

/** Hours from which the rate of requests is read, with the one that has begun. */
const RATE_HOURS = 3;
/** Series that a chart tells apart. */
const TOLD_APART = 8;

export interface OverviewData {
	usage: Usage;
	/** Stacked as the page asks. */
	series: Series;
	/** Of everything: the same, unless not all requests of the range could be told apart. */
	whole: Series;
	/** Of the range before; null where not all of both could be read. */
	before: Series | null;
	/** Null where they could not be read. */
	savings: Savings | null;
	savingsBefore: Savings | null;
	/** Requests of the last hours; null where not all could be read. */
	recent: Series | null;
	keys: readonly OverviewKey[];
	models: ModelList | null;
}

const iso = (atMs: number) => new Date(atMs).toISOString();

function seriesPath({ sinceMs, untilMs }: TimeRange, members: Record<string, string | number>): string {
	return withQuery("/v1/usage/series", { since: iso(sinceMs), until: iso(untilMs), ...members });
}

function startOfUtcDay(atMs: number): number {
	return atMs - (atMs % MS_PER_DAY);
}

/** The UTC days of a range, which savings go by, and as many days before them. */
function savingsDays({ sinceMs, untilMs }: TimeRange): { now: TimeRange; before: TimeRange } {
	const now = { sinceMs: startOfUtcDay(sinceMs), untilMs: startOfUtcDay(untilMs - 1) + MS_PER_DAY };
	return { now, before: { sinceMs: 2 * now.sinceMs - now.untilMs, untilMs: now.sinceMs } };
}

function savingsPath({ sinceMs, untilMs }: TimeRange): string {
	const days = { since: iso(sinceMs).slice(0, 10), until: iso(untilMs - 1).slice(0, 10) };
	return withQuery("/v1/savings", { group_by: "day", limit: 400, ...days });
}

function answered<T>(answer: ApiAnswer<T>): T | null {
	return answer.ok ? answer.value : null;
}

/** A series that counts all of its range; null for others. */
function wholeOrNull(series: Series | null): Series | null {
	return series?.counted_since === null ? series : null;
}

/** Reads all of it. Without usage and series there is no overview; of the rest, parts may be missing. */
export async function readOverview(
	api: Api,
	range: PageRange,
	stack: SeriesGrouping,
	nowMs: number,
): Promise<ApiAnswer<OverviewData>> {
	const { step, zone, before } = range;
	const shared = { step, time_zone: zone };
	const days = savingsDays(range);
	const [usage, series, seriesBefore, savings, savingsBefore, recent, keys, models] = await Promise.all([
		api.get<Usage>("/v1/usage"),
		api.get<Series>(seriesPath(range, { ...shared, group_by: stack, limit: TOLD_APART })),
		api.get<Series>(seriesPath(before, shared)),
		api.get<Savings>(savingsPath(days.now)),
		api.get<Savings>(savingsPath(days.before)),
		api.get<Series>(seriesPath({ sinceMs: nowMs - (RATE_HOURS - 1) * MS_PER_HOUR, untilMs: nowMs }, { step: "hour" })),
		api.get<{ data: OverviewKey[] }>(`/v1/keys?limit=${ALL_KEYS}`),
		api.get<ModelList>("/v1/models"),
	]);
	if (!usage.ok) return usage;
	if (!series.ok) return series;
	// Sums of days know models, providers and keys. Where sessions cannot all be told apart, everything together is still counted.
	const isCut = series.value.counted_since !== null;
	const whole = isCut ? answered(await api.get<Series>(seriesPath(range, shared))) : null;
	return {
		ok: true,
		value: {
			usage: usage.value,
			series: series.value,
			whole: whole ?? series.value,
			before: wholeOrNull(whole ?? series.value) && wholeOrNull(answered(seriesBefore)),
			savings: answered(savings),
			savingsBefore: answered(savingsBefore),
			recent: wholeOrNull(answered(recent)),
			keys: answered(keys)?.data ?? [],
			models: answered(models),
		},
	};
}

/** The whole of each step: all series and the rest of them together. */
export function sumSteps(series: Series, member: "requests" | "failed" | "refused" | "tokens" | "cost_usd"): number[] {
	const parts = [...series.data, ...(series.others ? [series.others] : [])];
	return series.starts.map((_, step) => parts.reduce((sum, part) => sum + (part[member][step] ?? 0), 0));
}

/** The share of requests that got no answer; null where none were asked. */
export function errorRate({ requests, failed }: Pick<Series["total"], "requests" | "failed">): number | null {
	return requests + failed === 0 ? null : failed / (requests + failed);
}
