// Charts as the server hands them to the script that draws them, and what both need to know of them. Pure.
import type { ChartUnit } from "./format.ts";

/** Series with colours of their own; all others share one. */
export const MOST_COLOURS = 8;

export interface ChartSeries {
	name: string;
	/** One for each step; null where there is nothing to say. */
	values: readonly (number | null)[];
	/** The number of its colour, from 1; 0 for all that are not told apart. */
	colour: number;
}

export interface ChartData {
	unit: ChartUnit;
	/** Bars upon each other, or lines beside each other. */
	kind: "bars" | "lines";
	/** Each step at the axis, short. */
	labels: readonly string[];
	/** Each step as a title. */
	titles: readonly string[];
	series: readonly ChartSeries[];
}

/** The sums of bars upon each other, series by series: each with those before it. */
export function stackSeries(series: readonly Pick<ChartSeries, "values">[]): number[][] {
	const stacked: number[][] = [];
	for (const { values } of series) {
		const below = stacked.at(-1);
		stacked.push(values.map((value, step) => (below?.[step] ?? 0) + (value ?? 0)));
	}
	return stacked;
}

/** The highest value that is drawn. */
export function topValue({ kind, series }: Pick<ChartData, "kind" | "series">): number {
	const shown = kind === "bars" ? (stackSeries(series).at(-1) ?? []) : series.flatMap(({ values }) => values);
	return shown.reduce<number>((top, value) => Math.max(top, value ?? 0), 0);
}

/** Whether there is anything to be drawn. */
export function hasValues({ series }: Pick<ChartData, "series">): boolean {
	return series.some(({ values }) => values.some((value) => value !== null && value !== 0));
}

const NICE = [1, 2, 2.5, 5, 10];
/** Lines of a grid, at most. */
const MOST_TICKS = 5;

/** The values of an axis from 0 to at least a top: 1, 2, 2.5 or 5 times a power of ten apart. */
export function axisTicks(top: number, areWhole: boolean): number[] {
	if (top <= 0) return [0, 1];
	const least = top / (MOST_TICKS - 1);
	const power = 10 ** Math.floor(Math.log10(least));
	const nice = (NICE.find((each) => each * power >= least * (1 - 1e-9)) ?? 10) * power;
	const apart = areWhole ? Math.max(1, Math.ceil(nice)) : nice;
	const count = Math.max(1, Math.ceil(top / apart - 1e-9));
	return Array.from({ length: count + 1 }, (_, index) => Number((index * apart).toPrecision(12)));
}

/** Steps whose labels stand at the axis, at even distances. @param most of them. */
export function labelledSteps(count: number, most: number): number[] {
	const every = Math.max(1, Math.ceil(count / Math.max(1, most)));
	return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}
