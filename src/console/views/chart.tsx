// Bar charts as inline SVG, each with the table that it draws. Colours and sizes of text come from the style sheet.
import type { Child } from "hono/jsx";

export interface Bar {
	label: string;
	value: number;
	/** The value as text. */
	shown: string;
}

const WIDTH = 640;
const HEIGHT = 160;
const FLOOR = HEIGHT - 22;
const CEILING = 18;
/** At most this many labels stand under the bars. */
const MAX_LABELS = 8;

function barGeometry(bars: readonly Bar[]) {
	const most = Math.max(...bars.map(({ value }) => value), 0);
	const step = WIDTH / Math.max(bars.length, 1);
	return bars.map(({ value }, index) => {
		const height = most === 0 ? 0 : Math.max((value / most) * (FLOOR - CEILING), value > 0 ? 1 : 0);
		const gap = Math.min(step * 0.2, 6);
		return { x: index * step + gap / 2, y: FLOOR - height, width: step - gap, height, middle: index * step + step / 2 };
	});
}

interface ChartProps {
	title: string;
	/** What the bars say in a sentence, for who does not see them. */
	summary: string;
	/** Heads of the table's two columns. */
	heads: readonly [label: string, value: string];
	bars: readonly Bar[];
	empty: Child;
}

/** Vertical bars in the order given, with their table behind a disclosure. */
export function BarChart({ title, summary, heads, bars, empty }: ChartProps) {
	if (bars.length === 0) return <div class="empty">{empty}</div>;
	const geometry = barGeometry(bars);
	const every = Math.ceil(bars.length / MAX_LABELS);
	const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best));
	return (
		<figure class="chart">
			<figcaption>{title}</figcaption>
			<svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${summary}`} preserveAspectRatio="none">
				<line class="axis" x1="0" x2={String(WIDTH)} y1={String(FLOOR)} y2={String(FLOOR)} />
				{geometry.map(({ x, y, width, height }, index) => (
					<rect class="bar-mark" x={x.toFixed(1)} y={y.toFixed(1)} width={width.toFixed(1)} height={height.toFixed(1)}>
						<title>{`${bars[index]?.label}: ${bars[index]?.shown}`}</title>
					</rect>
				))}
			</svg>
			<div class="chart-labels" aria-hidden="true">
				{bars
					.filter((_, index) => index % every === 0)
					.map(({ label }) => (
						<span>{label}</span>
					))}
			</div>
			<p class="hint">
				Most: {most.shown} ({most.label})
			</p>
			<details>
				<summary>Table</summary>
				<section class="scroll" tabindex={0} aria-label={`${title} as a table`}>
					<table>
						<caption>{title}</caption>
						<thead>
							<tr>
								<th scope="col">{heads[0]}</th>
								<th scope="col" class="numeric">
									{heads[1]}
								</th>
							</tr>
						</thead>
						<tbody>
							{bars.map(({ label, shown }) => (
								<tr>
									<th scope="row">{label}</th>
									<td class="numeric">{shown}</td>
								</tr>
							))}
						</tbody>
					</table>
				</section>
			</details>
		</figure>
	);
}

interface RankedBarsProps {
	title: string;
	/** Heads of label and value. */
	heads: readonly [label: string, value: string];
	/** Largest first. */
	bars: readonly Bar[];
	empty: Child;
}

/** A table whose rows have a horizontal bar each, in proportion to the first. */
export function RankedBars({ title, heads, bars, empty }: RankedBarsProps) {
	if (bars.length === 0) return <div class="empty">{empty}</div>;
	const most = bars[0]?.value ?? 0;
	return (
		<section class="scroll" tabindex={0} aria-label={title}>
			<table class="ranked">
				<caption>{title}</caption>
				<thead>
					<tr>
						<th scope="col">{heads[0]}</th>
						<td class="wide" />
						<th scope="col" class="numeric">
							{heads[1]}
						</th>
					</tr>
				</thead>
				<tbody>
					{bars.map(({ label, value, shown }) => (
						<tr>
							<th scope="row">{label}</th>
							<td class="wide">
								<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
									<rect
										class="bar-mark"
										x="0"
										y="0"
										height="8"
										width={(most === 0 ? 0 : (100 * value) / most).toFixed(2)}
									/>
								</svg>
							</td>
							<td class="numeric">{shown}</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}
