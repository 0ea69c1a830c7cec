// The overview's charts: spend, requests and tokens by what they are stacked by, latency, failures, savings.
import type { Child } from "hono/jsx";
import type { ChartData, ChartSeries } from "../../chart-data.ts";
import {
	type ChartUnit,
	formatCount,
	formatDuration,
	formatShare,
	formatStep,
	formatUsd,
	formatWholeStep,
} from "../../format.ts";
import { SeriesChart } from "../../views/series-chart.tsx";
import { type Savings, type Series, sumSteps } from "./data.ts";

/** What series without a name are called. */
const NAMELESS: Readonly<Record<string, string>> = {
	model: "no model chosen",
	provider: "no provider chosen",
	key: "no key recorded",
	tag: "untagged",
	session: "no session",
	end_user: "no end user",
};

type Steps = Pick<ChartData, "labels" | "titles">;

function toChartSteps({ starts, step, time_zone }: Series): Steps {
	const times = starts.map((start) => Date.parse(start));
	return {
		labels: times.map((atMs) => formatStep(atMs, step, time_zone)),
		titles: times.map((atMs) => formatWholeStep(atMs, step, time_zone)),
	};
}

/** What a series is called. */
export function seriesName(grouping: Series["group_by"], name: string | null): string {
	return name ?? NAMELESS[grouping ?? ""] ?? "all";
}

function toStack(series: Series, member: "cost_usd" | "requests" | "tokens"): ChartSeries[] {
	const apart = series.data.map((each, index) => ({
		name: seriesName(series.group_by, each.name),
		values: each[member],
		colour: index + 1,
	}));
	const drawn = apart.filter(({ values }) => values.some((value) => value > 0));
	return series.others ? [...drawn, { name: "all others", values: series.others[member], colour: 0 }] : drawn;
}

/** What the tables behind the charts have as their first column. */
function stepHead({ step }: Series): string {
	return step === "hour" ? "Hour" : "Day";
}

interface StackProps {
	title: string;
	series: Series;
	member: "cost_usd" | "requests" | "tokens";
	unit: ChartUnit;
	total: string;
}

function Stack({ title, series, member, unit, total }: StackProps) {
	const data = { unit, kind: "bars" as const, ...toChartSteps(series), series: toStack(series, member) };
	return (
		<SeriesChart
			title={title}
			summary={`${total} in all, in ${data.labels.length} steps.`}
			aside={total}
			head={stepHead(series)}
			data={data}
			empty="Nothing in this range."
		/>
	);
}

function LatencyChart({ series }: { series: Series }) {
	const { latency_ms: total } = series.total;
	const line = (name: string, share: "p50" | "p95", colour: number) => ({
		name,
		colour,
		values: series.latency_ms.map((of) => of?.[share] ?? null),
	});
	return (
		<SeriesChart
			title="Latency"
			summary={
				total === null
					? "Nothing was answered."
					: `Half of the requests took at most ${formatDuration(total.p50)}, 95 of 100 at most ${formatDuration(total.p95)}.`
			}
			head={stepHead(series)}
			data={{
				unit: "ms",
				kind: "lines",
				...toChartSteps(series),
				series: [line("p50", "p50", 1), line("p95", "p95", 2)],
			}}
			empty="Nothing was answered in this range."
		/>
	);
}

function FailureChart({ series }: { series: Series }) {
	const failed = sumSteps(series, "failed");
	const refused = sumSteps(series, "refused");
	const { total } = series;
	return (
		<SeriesChart
			title="Requests without an answer"
			summary={`${formatCount(total.failed)} failed after calls, ${formatCount(total.refused)} were refused before any.`}
			aside={`${formatCount(total.failed)} failed · ${formatCount(total.refused)} refused`}
			head={stepHead(series)}
			data={{
				unit: "count",
				kind: "bars",
				...toChartSteps(series),
				series: [
					{ name: "failed after calls", values: failed, colour: 4 },
					{ name: "refused before any call", values: refused, colour: 2 },
				],
			}}
			empty="Every request was answered."
		/>
	);
}

function SavingsChart({ savings }: { savings: Savings }) {
	const days = savings.data.toSorted((a, b) => ((a.day ?? "") < (b.day ?? "") ? -1 : 1));
	const times = days.map(({ day }) => Date.parse(day ?? ""));
	const { saved_usd, saved_pct } = savings.total;
	return (
		<SeriesChart
			title="Saved by routing"
			summary={`${formatUsd(saved_usd)} against one baseline model at the same tokens: an estimate, not a bill.`}
			aside={`${formatUsd(saved_usd)} (${formatShare(saved_pct / 100)})`}
			head="Day (UTC)"
			data={{
				unit: "usd",
				kind: "bars",
				labels: times.map((atMs) => formatStep(atMs, "day", "UTC")),
				titles: times.map((atMs) => formatWholeStep(atMs, "day", "UTC")),
				series: [{ name: "saved", values: days.map(({ saved_usd: usd }) => Math.max(0, usd)), colour: 3 }],
			}}
			empty="Nothing was saved in this range."
		/>
	);
}

interface ChartsProps {
	/** Stacked. */
	series: Series;
	/** Of everything. */
	whole: Series;
	savings: Savings | null;
	/** What the charts are stacked by: `model`. */
	stackLabel: string;
	/** What stands beside the last chart. */
	children?: Child;
}

export function Charts({ series, whole, savings, stackLabel, children }: ChartsProps) {
	const { total } = series;
	return (
		<>
			<div class="wide-chart">
				<Stack
					title={`Spend by ${stackLabel}`}
					series={series}
					member="cost_usd"
					unit="usd"
					total={formatUsd(total.cost_usd)}
				/>
			</div>
			<div class="columns">
				<Stack
					title={`Requests by ${stackLabel}`}
					series={series}
					member="requests"
					unit="count"
					total={formatCount(total.requests)}
				/>
				<Stack
					title={`Tokens by ${stackLabel}`}
					series={series}
					member="tokens"
					unit="count"
					total={formatCount(total.tokens)}
				/>
				<LatencyChart series={whole} />
				<FailureChart series={whole} />
				{savings ? <SavingsChart savings={savings} /> : null}
				{children}
			</div>
		</>
	);
}
