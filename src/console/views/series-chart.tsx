// Charts of series over time: a figure with what the script draws, a legend, and the table behind it. Without a script the server's own
// drawing stays. Colours and sizes come from the style sheet.
import type { Child } from "hono/jsx";
import {
	axisTicks,
	type ChartData,
	type ChartSeries,
	hasValues,
	labelledSteps,
	stackSeries,
	topValue,
} from "../chart-data.ts";
import { formatAxisValue, formatChartValue } from "../format.ts";
import { showDirectionMarks } from "../json-text.ts";

/** The height of the server's drawing, in its own units; its width is a hundred. */
const HEIGHT = 100;
/** Labels under the server's drawing. */
const SHOWN_LABELS = 6;

function Swatch({ colour }: { colour: number }) {
	return <span class={`swatch series-${colour}`} aria-hidden="true" />;
}

function Bars({ data, top }: { data: ChartData; top: number }) {
	const stacked = stackSeries(data.series);
	const step = 100 / Math.max(1, data.labels.length);
	const toY = (value: number) => HEIGHT - (value / top) * HEIGHT;
	return (
		<>
			{data.series.map(({ colour }, index) => (
				<path
					class={`fill-${colour}`}
					d={(stacked[index] ?? [])
						.map((value, at) => {
							const below = stacked[index - 1]?.[at] ?? 0;
							if (value <= below) return "";
							const [left, width] = [(at + 0.14) * step, step * 0.72];
							return `M${left.toFixed(2)} ${toY(below).toFixed(2)}V${toY(value).toFixed(2)}h${width.toFixed(2)}V${toY(below).toFixed(2)}z`;
						})
						.join("")}
				/>
			))}
		</>
	);
}

function Lines({ data, top }: { data: ChartData; top: number }) {
	const step = 100 / Math.max(1, data.labels.length);
	return (
		<>
			{data.series.map(({ colour, values }) => {
				let isDrawing = false;
				const path = values.map((value, at) => {
					if (value === null) {
						isDrawing = false;
						return "";
					}
					const place = `${((at + 0.5) * step).toFixed(2)} ${(HEIGHT - (value / top) * HEIGHT).toFixed(2)}`;
					// A point alone is a line without length, which its round ends show.
					const drawn = isDrawing ? `L${place}` : `M${place}h0.01`;
					isDrawing = true;
					return drawn;
				});
				return <path class={`stroke-${colour}`} d={path.join("")} />;
			})}
		</>
	);
}

/** The server's drawing, which a script replaces. */
function Drawing({ data, label }: { data: ChartData; label: string }) {
	const ticks = axisTicks(topValue(data), data.unit === "count");
	const top = ticks.at(-1) ?? 1;
	const labelled = labelledSteps(data.labels.length, SHOWN_LABELS);
	return (
		<div class="plot" role="img" aria-label={label}>
			<div class="plot-ticks" aria-hidden="true">
				{ticks.toReversed().map((value) => (
					<span>{formatAxisValue(value, data.unit)}</span>
				))}
			</div>
			<svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
				{ticks.map((value) => {
					const y = (HEIGHT - (value / top) * HEIGHT).toFixed(2);
					return <path class="grid-line" d={`M0 ${y}H100`} />;
				})}
				{data.kind === "bars" ? <Bars data={data} top={top} /> : <Lines data={data} top={top} />}
			</svg>
			<svg class="plot-labels" aria-hidden="true">
				{labelled.map((step) => (
					<text x={`${(((step + 0.5) / data.labels.length) * 100).toFixed(2)}%`} y="14">
						{data.labels[step]}
					</text>
				))}
			</svg>
		</div>
	);
}

function Legend({ series }: { series: readonly ChartSeries[] }) {
	return (
		<ul class="legend">
			{series.map(({ name, colour }) => (
				<li>
					<Swatch colour={colour} />
					<bdi>{showDirectionMarks(name)}</bdi>
				</li>
			))}
		</ul>
	);
}

function DataTable({ title, head, data }: { title: string; head: string; data: ChartData }) {
	const { series, titles, unit } = data;
	return (
		<details class="chart-table">
			<summary>Table</summary>
			<section class="scroll" tabindex={0} aria-label={`${title} as a table`}>
				<table>
					<caption class="unseen">{title}</caption>
					<thead>
						<tr>
							<th scope="col">{head}</th>
							{series.map(({ name }) => (
								<th scope="col" class="numeric">
									<bdi>{showDirectionMarks(name)}</bdi>
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{titles.map((label, step) => (
							<tr>
								<th scope="row" class="name">
									{label}
								</th>
								{series.map(({ values }) => {
									const value = values[step] ?? null;
									return <td class="numeric">{value === null ? "–" : formatChartValue(value, unit)}</td>;
								})}
							</tr>
						))}
					</tbody>
				</table>
			</section>
		</details>
	);
}

interface SeriesChartProps {
	title: string;
	/** What the chart says in a sentence, for who does not see it. */
	summary: string;
	/** Beside the title: the whole, mostly. */
	aside?: Child;
	/** Head of the table's first column. */
	head: string;
	data: ChartData;
	/** Instead of a drawing of nothing. */
	empty: string;
}

/** Series of a range, with their table behind a disclosure. The page that has one says `hasCharts`. */
export function SeriesChart({ title, summary, aside, head, data, empty }: SeriesChartProps) {
	return (
		<figure class="card chart">
			<figcaption class="card-head">
				<h2>{title}</h2>
				{aside ? <span class="chart-total">{aside}</span> : null}
			</figcaption>
			{hasValues(data) ? (
				<div class="card-body">
					<div class="plot-place" data-chart={JSON.stringify(data)}>
						<Drawing data={data} label={`${title}. ${summary}`} />
					</div>
					{data.series.length > 1 ? <Legend series={data.series} /> : null}
					<DataTable title={title} head={head} data={data} />
				</div>
			) : (
				<p class="plot-empty">{empty}</p>
			)}
		</figure>
	);
}

interface TileLineProps {
	values: readonly (number | null)[];
}

/** A line without axes, which repeats what stands beside it. */
export function TileLine({ values }: TileLineProps) {
	const top = Math.max(...values.map((value) => value ?? 0), 0);
	if (top === 0 || values.length < 2) return <svg class="tile-line" aria-hidden="true" />;
	const known = values.map((value) => value ?? 0);
	const place = (value: number, step: number) =>
		`${((step / (known.length - 1)) * 100).toFixed(2)} ${(23 - (value / top) * 21).toFixed(2)}`;
	const line = `M${known.map(place).join("L")}`;
	return (
		<svg class="tile-line" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
			<path class="tile-line-area" d={`${line}V24H0z`} />
			<path class="tile-line-line" d={line} />
		</svg>
	);
}
