// Draws the charts of a page with uPlot in place of the server's drawings: axes, a grid, and the values of the step under the pointer.
import uPlot from "uplot";
import { axisTicks, type ChartData, labelledSteps, stackSeries, topValue } from "../chart-data.ts";
import { formatAxisValue, formatChartValue } from "../format.ts";

/** Pixels that a label at the axis takes. */
const LABEL_WIDTH = 64;
const BAR_SHARE = 0.72;
const MOST_BAR_PIXELS = 56;

/** A colour of the style sheet as it is now. */
function token(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function seriesColour(colour: number): string {
	return token(colour === 0 ? "series-rest" : `series-${colour}`);
}

/** A little box beside the pointer with the values of a step. */
class Tip {
	#element = document.createElement("div");
	#data: ChartData;
	#step = -1;

	constructor(data: ChartData) {
		this.#data = data;
		this.#element.className = "chart-tip";
		this.#element.hidden = true;
	}

	attach(over: HTMLElement): void {
		over.append(this.#element);
	}

	hide(): void {
		this.#element.hidden = true;
	}

	#row(name: string, value: string, colour: number | null): HTMLElement {
		const row = document.createElement("div");
		const label = document.createElement("bdi");
		label.textContent = name;
		const amount = document.createElement("span");
		amount.className = "number";
		amount.textContent = value;
		const swatch = document.createElement("span");
		swatch.className = colour === null ? "swatch none" : `swatch series-${colour}`;
		row.append(swatch, label, amount);
		return row;
	}

	#fill(step: number): void {
		const { series, titles, unit, kind } = this.#data;
		const title = document.createElement("strong");
		title.textContent = titles[step] ?? "";
		const shown = series
			.map(({ name, colour, values }) => ({ name, colour, value: values[step] ?? null }))
			.filter(({ value }) => value !== null && (value !== 0 || series.length === 1));
		const rows = shown.map(({ name, colour, value }) => this.#row(name, formatChartValue(value ?? 0, unit), colour));
		if (kind === "bars") rows.reverse();
		if (kind === "bars" && shown.length !== 1) {
			const total = shown.reduce((sum, { value }) => sum + (value ?? 0), 0);
			rows.push(this.#row("Total", formatChartValue(total, unit), null));
		}
		this.#element.replaceChildren(title, ...rows);
	}

	/** @param left of the step, in pixels of the drawing. @param width of the drawing. */
	show(step: number, left: number, width: number): void {
		if (step !== this.#step || this.#element.hidden) this.#fill(step);
		this.#step = step;
		this.#element.hidden = false;
		const own = this.#element.offsetWidth;
		const right = left + 14;
		const place = right + own <= width ? right : Math.max(0, left - 14 - own);
		this.#element.style.transform = `translate(${place}px, 6px)`;
	}
}

function barSeries(name: string, colour: string, ground: string): uPlot.Series {
	return {
		label: name,
		fill: colour,
		// A line of the ground keeps neighbours apart, whatever their colours.
		stroke: ground,
		width: 1,
		paths: uPlot.paths.bars?.({ size: [BAR_SHARE, MOST_BAR_PIXELS], radius: 0 }) ?? (() => null),
		points: { show: false },
	};
}

function lineSeries(name: string, colour: string, isSparse: boolean): uPlot.Series {
	return { label: name, stroke: colour, width: 2, spanGaps: false, points: { show: isSparse, size: 5, fill: colour } };
}

/** Bars are drawn from the highest sum down, so that each covers all of the one above but its own part. */
function toColumns({ kind, labels, series }: ChartData): uPlot.AlignedData {
	const steps = labels.map((_, step) => step);
	const columns = kind === "bars" ? stackSeries(series).toReversed() : series.map(({ values }) => [...values]);
	return [steps, ...columns];
}

function toOptions(data: ChartData, width: number, height: number): uPlot.Options {
	const { kind, labels, series, unit } = data;
	const ticks = axisTicks(topValue(data), unit === "count");
	const [faint, line, ground] = [token("faint"), token("line"), token("ground")];
	const font = `12px ${getComputedStyle(document.body).fontFamily}`;
	const tip = new Tip(data);
	const isSparse = series.every(({ values }) => values.filter((value) => value !== null).length < 40);
	const drawn = kind === "bars" ? series.toReversed() : series;
	return {
		width,
		height,
		padding: [8, 14, 0, 0],
		legend: { show: false },
		cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === "lines" } },
		scales: {
			x: { time: false, range: [-0.5, labels.length - 0.5] },
			y: { range: [0, ticks.at(-1) ?? 1] },
		},
		axes: [
			{
				stroke: faint,
				font,
				size: 26,
				gap: 6,
				grid: { show: false },
				ticks: { show: false },
				splits: ({ width: pixels }) =>
					labelledSteps(labels.length, Math.floor(pixels / devicePixelRatio / LABEL_WIDTH)),
				values: (_, steps) => steps.map((step) => labels[step] ?? ""),
			},
			{
				stroke: faint,
				font,
				size: 58,
				gap: 8,
				grid: { stroke: line, width: 1 },
				ticks: { show: false },
				splits: () => ticks,
				values: (_, values) => values.map((value) => formatAxisValue(value, unit)),
			},
		],
		series: [
			{},
			...drawn.map(({ name, colour }) =>
				kind === "bars"
					? barSeries(name, seriesColour(colour), ground)
					: lineSeries(name, seriesColour(colour), isSparse),
			),
		],
		hooks: {
			ready: [(plot) => tip.attach(plot.over)],
			setCursor: [
				({ cursor, over, valToPos }) => {
					const step = cursor.idx;
					if (step === null || step === undefined || (cursor.left ?? -1) < 0) tip.hide();
					else tip.show(step, valToPos(step, "x"), over.clientWidth);
				},
			],
		},
	};
}

/** Draws a chart in its place, and again when its width or the colours change. */
function drawChart(place: HTMLElement): void {
	const data = JSON.parse(place.dataset["chart"] ?? "null") as ChartData | null;
	const drawing = place.querySelector<HTMLElement>(".plot");
	if (!data || !drawing) return;
	const canvas = document.createElement("div");
	canvas.className = "plot-canvas";
	canvas.role = "img";
	canvas.ariaLabel = drawing.ariaLabel;
	let plot: uPlot | undefined;
	const draw = () => {
		plot?.destroy();
		plot = new uPlot(toOptions(data, place.clientWidth, place.clientHeight), toColumns(data), canvas);
	};
	draw();
	drawing.replaceWith(canvas);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
	let { clientWidth } = place;
	new ResizeObserver(() => {
		if (place.clientWidth === clientWidth) return;
		clientWidth = place.clientWidth;
		plot?.setSize({ width: clientWidth, height: place.clientHeight });
	}).observe(place);
}

for (const place of document.querySelectorAll<HTMLElement>("[data-chart]")) drawChart(place);
