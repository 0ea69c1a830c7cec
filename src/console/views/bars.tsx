// Small drawings beside tables and in them, as inline SVG: they need no script, and their numbers stand beside them as text.
import type { Child } from "hono/jsx";

export interface DayBar {
	/** `YYYY-MM-DD`. */
	day: string;
	count: number;
}

const WIDTH = 600;
const HEIGHT = 120;

/** What happened on each day, with the table behind it. */
export function DayBars({ title, noun, days }: { title: string; noun: string; days: readonly DayBar[] }) {
	const most = Math.max(1, ...days.map(({ count }) => count));
	const step = WIDTH / Math.max(1, days.length);
	const sum = days.reduce((total, { count }) => total + count, 0);
	return (
		<figure class="day-bars">
			<div class="day-bars-top" aria-hidden="true">
				{most}
			</div>
			<svg
				viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
				preserveAspectRatio="none"
				role="img"
				aria-label={`${title}: ${sum} ${noun} in ${days.length} days, at most ${most} on one`}
			>
				{days.map(({ day, count }, index) => {
					const height = (count / most) * (HEIGHT - 2);
					return (
						<rect
							class="bar"
							x={(index * step + step * 0.14).toFixed(1)}
							y={(HEIGHT - height).toFixed(1)}
							width={(step * 0.72).toFixed(1)}
							height={height.toFixed(1)}
						>
							<title>{`${day}: ${count} ${noun}`}</title>
						</rect>
					);
				})}
			</svg>
			<div class="day-bars-ends" aria-hidden="true">
				<span>{days[0]?.day.slice(5)}</span>
				<span>{days.at(-1)?.day.slice(5)}</span>
			</div>
			<details>
				<summary>Table</summary>
				<section class="scroll" tabindex={0} aria-label={`${title} as a table`}>
					<table>
						<thead>
							<tr>
								<th scope="col">Day (UTC)</th>
								<th scope="col" class="numeric">
									{noun}
								</th>
							</tr>
						</thead>
						<tbody>
							{days.map(({ day, count }) => (
								<tr>
									<th scope="row">{day}</th>
									<td class="numeric">{count}</td>
								</tr>
							))}
						</tbody>
					</table>
				</section>
			</details>
		</figure>
	);
}

interface ShareRow {
	label: Child;
	count: number;
}

interface ShareBarsProps {
	/** Largest first. */
	rows: readonly ShareRow[];
	empty: string;
}

/** Counts with a bar each, in proportion to the first. */
export function ShareBars({ rows, empty }: ShareBarsProps) {
	if (rows.length === 0) return <p class="faint">{empty}</p>;
	const most = rows[0]?.count ?? 1;
	return (
		<dl class="share-bars">
			{rows.map(({ label, count }) => (
				<div>
					<dt>{label}</dt>
					<dd>
						<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
							<rect class="bar" x="0" y="0" height="8" width={Math.max(1, (100 * count) / most).toFixed(1)} />
						</svg>
						<span class="number">{count}</span>
					</dd>
				</div>
			))}
		</dl>
	);
}

const SPARK_WIDTH = 96;
const SPARK_HEIGHT = 24;

/** A line of what happened over time, without axes. @param label what it shows, with its sum. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
	const most = Math.max(...values, 0);
	if (most === 0 || values.length < 2) return <span class="faint">–</span>;
	const points = values.map((value, index) => {
		const x = (index / (values.length - 1)) * SPARK_WIDTH;
		const y = SPARK_HEIGHT - 2 - (value / most) * (SPARK_HEIGHT - 4);
		return `${x.toFixed(1)},${y.toFixed(1)}`;
	});
	return (
		<svg class="spark" viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} role="img" aria-label={label}>
			<polygon points={`0,${SPARK_HEIGHT} ${points.join(" ")} ${SPARK_WIDTH},${SPARK_HEIGHT}`} />
			<polyline points={points.join(" ")} />
		</svg>
	);
}
