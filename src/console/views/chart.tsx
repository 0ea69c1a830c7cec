// Tables whose rows have bars, as inline SVG. Colours and sizes come from the style sheet.
import type { Child } from "hono/jsx";

export interface Bar {
	label: string;
	value: number;
	/** The value as text. */
	shown: string;
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
