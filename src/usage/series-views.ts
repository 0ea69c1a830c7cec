// Usage over time in requests and answers: the query, the steps of its range, and what is shown of a meter's series. Pure.
import * as z from "zod";
import { fail, ok, type Result } from "../failure.ts";
import { integerParam, timestampParam } from "../http/query.ts";
import { DAY_MS } from "../meter/budget-period.ts";
import {
	addSeriesCounts,
	keepLargest,
	type MeterSeries,
	type NamedSeries,
	NO_SERIES_COUNTS,
	type SeriesColumn,
	type SeriesCounts,
	type SeriesSteps,
} from "../meter/usage-series.ts";
import { usd } from "../proof/money.ts";
import type { KeyLabel } from "./groups.ts";
import { isTimeZone, listSteps, type StepName } from "./time-zones.ts";

/** What series can be of. */
export const SERIES_GROUPINGS = ["model", "provider", "key", "tag", "session", "end_user"] as const;
export type SeriesGrouping = (typeof SERIES_GROUPINGS)[number];

/** The columns of requests; tags are those of keys. */
export const SERIES_COLUMNS: Readonly<Record<SeriesGrouping, SeriesColumn>> = {
	model: "model",
	provider: "provider",
	key: "api_key",
	tag: "api_key",
	session: "session_id",
	end_user: "end_user",
};

const DEFAULT_SERIES_DAYS = 30;
/** A year of days, with a day at either end that is not whole. */
const MOST_STEPS = 368;
const DEFAULT_NAMES = 8;
const MOST_NAMES = 50;

export const seriesQueryMembers = () => ({
	group_by: z.enum(SERIES_GROUPINGS).optional().describe("One series for each. Without it one of everything."),
	step: z.enum(["hour", "day"]).default("day").describe("How long each step is."),
	since: timestampParam.optional().describe("From the step that this lies in; by default 30 days before `until`."),
	until: timestampParam.optional().describe("Up to, and without, this time; by default now."),
	time_zone: z
		.string()
		.max(64)
		.refine(isTimeZone, "must be a time zone, such as UTC or Europe/Vienna")
		.default("UTC")
		.describe("Whose hours and days the steps are: a name of the IANA data base."),
	limit: integerParam(1, MOST_NAMES)
		.optional()
		.describe(`Series that are told apart, those that cost most; ${DEFAULT_NAMES} by default.`),
});

export interface SeriesRangeQuery {
	step: StepName;
	since?: string | undefined;
	until?: string | undefined;
	time_zone: string;
}

/** The steps of a range. */
export function toSeriesSteps(
	{ step, since, until, time_zone: zone }: SeriesRangeQuery,
	nowMs: number,
): Result<SeriesSteps> {
	const endMs = until === undefined ? nowMs : Date.parse(until);
	const sinceMs = since === undefined ? endMs - DEFAULT_SERIES_DAYS * DAY_MS : Date.parse(since);
	const invalid = (message: string) => fail({ reason: "invalid_request", issues: [{ path: "since", message }] });
	if (sinceMs >= endMs) return invalid("is not before the end of the range");
	const stepMs = step === "day" ? DAY_MS : DAY_MS / 24;
	if (endMs - sinceMs > (MOST_STEPS - 2) * stepMs)
		return invalid(`is more than ${MOST_STEPS - 2} ${step}s before the end`);
	return ok({ startsMs: listSteps(sinceMs, endMs, step, zone), endMs });
}

/** How many series the meter tells apart: all keys where their tags are to be told apart. */
export function namesToRead(grouping: SeriesGrouping | undefined, limit: number | undefined): number {
	return grouping === "tag" ? Number.MAX_SAFE_INTEGER : (limit ?? DEFAULT_NAMES);
}

const percentilesSchema = z.object({ p50: z.int(), p95: z.int() }).nullable();

const countsShape = <Member extends z.ZodType, Money extends z.ZodType>(count: Member, money: Money) => ({
	requests: count.describe("That were answered. By model or provider from `day_sums`: those that called it."),
	failed: count.describe("That got no answer after calls of models."),
	refused: count.describe("That got none before any: limits, budgets, policy, validation."),
	tokens: count.describe("Of prompts and answers."),
	input_tokens: count.describe("Of prompts."),
	cost_usd: money.describe("What they cost."),
});
const pointsShape = () => countsShape(z.array(z.int()), z.array(z.number()));

export const usageSeriesSchema = z.lazy(() =>
	z.object({
		object: z.literal("usage.series"),
		group_by: z.enum(SERIES_GROUPINGS).nullable().describe("What each series is of; null for one of everything."),
		step: z.enum(["hour", "day"]).describe("How long each step is."),
		time_zone: z.string().describe("Whose hours and days the steps are. UTC where they come from `day_sums`."),
		starts: z.array(z.string()).describe("When each step begins; the first may begin before the range."),
		until: z.string().describe("When the last step ends."),
		source: z
			.enum(["requests", "day_sums"])
			.describe(
				"`requests`: each was counted. `day_sums`: there are too many; sums of UTC days, with percentiles within 5 %.",
			),
		counted_since: z
			.string()
			.nullable()
			.describe(
				"From when on requests are counted, where there are too many, or older ones are archived or removed, and no sums; null where all are.",
			),
		total: z
			.object({
				...countsShape(z.int(), z.number()),
				latency_ms: percentilesSchema.describe("From arrival to the end of the answer."),
				first_token_ms: percentilesSchema.describe("From arrival to the first token, of answers that were streamed."),
			})
			.describe("Of the whole range."),
		latency_ms: z.array(percentilesSchema).describe("Of each step; null where nothing was answered."),
		first_token_ms: z.array(percentilesSchema).describe("Of each step."),
		data: z
			.array(
				z.object({
					id: z.string().nullable().describe("Id of the key, name of the model and so on; null for those without one."),
					name: z
						.string()
						.nullable()
						.describe("What people call it: of a key its name, or its last four characters; else the id."),
					...pointsShape(),
				}),
			)
			.describe("A series each, with a number for each step; those that cost most first."),
		others: z.object(pointsShape()).nullable().describe("Of all that are not told apart; null where all are."),
	}),
);
type SeriesAnswer = z.output<typeof usageSeriesSchema>;
type SeriesPoints = NonNullable<SeriesAnswer["others"]>;

function toPoints(points: readonly SeriesCounts[]): SeriesPoints {
	const each = (count: (counts: SeriesCounts) => number) => points.map(count);
	return {
		requests: each(({ requests }) => requests),
		failed: each(({ failed }) => failed),
		refused: each(({ refused }) => refused),
		tokens: each(({ tokens }) => tokens),
		input_tokens: each(({ input_tokens }) => input_tokens),
		cost_usd: each(({ cost_nano_usd }) => usd(cost_nano_usd)),
	};
}

function addPoints(a: readonly SeriesCounts[], b: readonly SeriesCounts[]): SeriesCounts[] {
	return a.map((counts, step) => addSeriesCounts(counts, b[step] ?? NO_SERIES_COUNTS));
}

/** Series under other names: the whole of one under each of its own. */
function renameSeries(series: readonly NamedSeries[], toNames: (name: string) => Iterable<string>): NamedSeries[] {
	const byName = new Map<string, NamedSeries>();
	for (const { name: before, points } of series) {
		for (const name of toNames(before)) {
			const known = byName.get(name);
			byName.set(name, { name, points: known ? addPoints(known.points, points) : points });
		}
	}
	return [...byName.values()];
}

/** Series of keys under their tags: the whole of a key under each of its own, and what has none under an empty name. */
export function spreadSeriesOverTags(
	series: readonly NamedSeries[],
	keys: ReadonlyMap<string, Pick<KeyLabel, "tags">>,
): NamedSeries[] {
	return renameSeries(series, (keyId) => {
		const tags = new Set(keys.get(keyId)?.tags ?? []);
		return tags.size === 0 ? [""] : tags;
	});
}

/** What a key is called; by its last characters where it has no name. */
function keyName(key: KeyLabel | undefined): string | null {
	return key ? (key.name ?? `…${key.last4}`) : null;
}

interface ShownSeries {
	query: SeriesRangeQuery & { group_by?: SeriesGrouping | undefined; limit?: number | undefined };
	endMs: number;
	read: MeterSeries;
	/** The keys of the series, by id. */
	keys: ReadonlyMap<string, KeyLabel>;
	/** The provider of a model; empty of one that the catalog no longer has. */
	toProvider(model: string): string;
}

/** A meter's series under the names that were asked for. */
function nameSeries({ query, read, keys, toProvider }: ShownSeries): Pick<MeterSeries, "series" | "others"> {
	const { group_by: grouping, limit = DEFAULT_NAMES } = query;
	if (grouping === "tag") return keepLargest(spreadSeriesOverTags(read.series, keys), limit, read.startsMs.length);
	if (grouping === "provider" && read.source === "days")
		return keepLargest(
			renameSeries(read.series, (model) => [toProvider(model)]),
			limit,
			read.startsMs.length,
		);
	return read;
}

/** A meter's series as they are answered. */
export function toSeriesAnswer(shown: ShownSeries): SeriesAnswer {
	const { query, endMs, read, keys } = shown;
	const { group_by: grouping, step, time_zone } = query;
	const all = [...read.series.map(({ points }) => points), ...(read.others ? [read.others] : [])];
	const total = all.flat().reduce(addSeriesCounts, NO_SERIES_COUNTS);
	const { series, others } = nameSeries(shown);
	const isOfKeys = grouping === "key";
	return {
		object: "usage.series",
		group_by: grouping ?? null,
		step,
		time_zone: read.source === "rows" ? time_zone : "UTC",
		starts: read.startsMs.map((atMs) => new Date(atMs).toISOString()),
		until: new Date(endMs).toISOString(),
		source: read.source === "rows" ? "requests" : "day_sums",
		counted_since: read.countedFromMs === null ? null : new Date(read.countedFromMs).toISOString(),
		total: {
			requests: total.requests,
			failed: total.failed,
			refused: total.refused,
			tokens: total.tokens,
			input_tokens: total.input_tokens,
			cost_usd: usd(total.cost_nano_usd),
			latency_ms: read.totalLatency,
			first_token_ms: read.totalFirstToken,
		},
		latency_ms: read.latency,
		first_token_ms: read.firstToken,
		data: series.map(({ name, points }) => ({
			id: name || null,
			name: (isOfKeys ? keyName(keys.get(name)) : null) || name || null,
			...toPoints(points),
		})),
		others: others && toPoints(others),
	};
}
