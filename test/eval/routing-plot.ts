// Draws quality against cost as SVG, readable on light and dark pages.

/** What a choice of models bought. */
export interface PlotPoint {
	kind: "model" | "mode" | "sweep";
	name: string;
	/** Share of right answers. */
	quality: number;
	/** For 1,000 answers. */
	usd: number;
}

/** A router's share of right answers by its share of strong calls. */
export interface ShareCurve {
	name: string;
	points: { share: number; quality: number }[];
}

const WIDTH = 720;
const HEIGHT = 420;
const MARGIN = { left: 64, right: 24, top: 24, bottom: 52 };

const STYLE = `
	text { font: 12px system-ui, sans-serif; fill: #333 }
	.axis, .grid { stroke: #999; stroke-width: 1 } .grid { stroke-opacity: .25 }
	.model { fill: #888 } .sweep { fill: none; stroke: #2b6cb0; stroke-width: 2 }
	.svc { stroke: #2b6cb0 } .length { stroke: #c2410c } .random { stroke: #888 } .curve { fill: none; stroke-width: 2 }
	.strong { stroke: #888; stroke-dasharray: 4 4 }
	.mode { fill: #c2410c } .name { font-weight: 600 }
	@media (prefers-color-scheme: dark) {
		text { fill: #ddd } .model { fill: #aaa } .sweep { stroke: #63b3ed } .mode { fill: #fb923c }
	}`;

/** A point of a linear or logarithmic scale in pixels. */
function toScale(low: number, high: number, from: number, to: number): (value: number) => number {
	return (value) => from + ((value - low) / (high - low)) * (to - from);
}

function escapeXml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Points of one kind at one place become one, with all their names. */
function joinCoincident(points: readonly PlotPoint[]): PlotPoint[] {
	const places = Map.groupBy(
		points,
		({ kind, quality, usd }) => `${kind} ${quality.toFixed(2)} ${Math.log10(usd).toFixed(1)}`,
	);
	return [...places.values()].flatMap((together) =>
		together.slice(0, 1).map((first) => ({ ...first, name: together.map(({ name }) => name).join(", ") })),
	);
}

/** Where a label stands, in pixels. */
interface TextBox {
	left: number;
	right: number;
	y: number;
}

const CHAR_WIDTH = 7;
const LINE_HEIGHT = 15;

/** Places a label beside its point so that it covers no earlier one, if one of eight places is free. */
function placeLabel(name: string, pointX: number, pointY: number, placed: TextBox[]) {
	const width = name.length * CHAR_WIDTH;
	const places = [16, -9, 31, -24].flatMap((dy) =>
		(["start", "end"] as const).map((anchor) => {
			const x = anchor === "start" ? pointX + 9 : pointX - 9;
			const left = anchor === "start" ? x : x - width;
			return { anchor, x, y: pointY + dy, left, right: left + width };
		}),
	);
	const isFree = (place: TextBox) =>
		place.left > MARGIN.left &&
		place.right < WIDTH - MARGIN.right &&
		place.y < HEIGHT - MARGIN.bottom &&
		placed.every(
			({ left, right, y }) => place.right < left || place.left > right || Math.abs(place.y - y) >= LINE_HEIGHT,
		);
	const place = places.find(isFree) ?? places[0];
	if (!place) throw new Error("a label has places");
	placed.push(place);
	return place;
}

/** Draws curves of quality by the share of strong calls; the strong model alone is a dashed line. */
function drawShareCurves(curves: readonly ShareCurve[]): string[] {
	const all = curves.flatMap(({ points }) => points.map(({ quality }) => quality));
	const [worst, best] = [Math.floor(Math.min(...all) * 50) / 50, Math.ceil(Math.max(...all) * 50) / 50];
	const x = toScale(0, 1, MARGIN.left, WIDTH - MARGIN.right);
	const y = toScale(worst, best, HEIGHT - MARGIN.bottom, MARGIN.top);
	const strong = curves[0]?.points.at(-1)?.quality ?? best;
	const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
	const qualities = Array.from({ length: Math.round((best - worst) * 50) + 1 }, (_, at) => worst + at / 50);
	return [
		...shares.map(
			(share) =>
				`<line class="grid" x1="${x(share)}" x2="${x(share)}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}"/><text x="${x(share)}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle">${100 * share} %</text>`,
		),
		...qualities.map(
			(quality) =>
				`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(quality).toFixed(1)}" y2="${y(quality).toFixed(1)}"/><text x="${MARGIN.left - 8}" y="${(y(quality) + 4).toFixed(1)}" text-anchor="end">${quality.toFixed(2)}</text>`,
		),
		`<line class="strong" x1="${x(0)}" x2="${x(1)}" y1="${y(strong).toFixed(1)}" y2="${y(strong).toFixed(1)}"/><text x="${x(0) + 8}" y="${(y(strong) - 6).toFixed(1)}">the strong model alone</text>`,
		...curves.map(({ name, points }, at) => {
			const line = points.map(({ share, quality }) => `${x(share).toFixed(1)},${y(quality).toFixed(1)}`).join(" ");
			return `<polyline class="curve ${name}" points="${line}"/><line class="curve ${name}" x1="${x(0.72)}" x2="${x(0.77)}" y1="${300 + 18 * at}" y2="${300 + 18 * at}"/><text x="${x(0.78)}" y="${304 + 18 * at}">${escapeXml(name)}</text>`;
		}),
		`<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle">share of strong calls (RouteLLM's MMLU, GPT-4-1106 and Mixtral 8x7B)</text>`,
		`<text x="16" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 16 ${HEIGHT / 2})">share of right answers</text>`,
	];
}

/** Draws the points: models as grey dots, modes as orange ones, the sweep as a line; below them the curves. */
export function drawTradeOff(points: readonly PlotPoint[], curves: readonly ShareCurve[]): string {
	const logs = points.map(({ usd }) => Math.log10(usd));
	const [least, most] = [Math.floor(Math.min(...logs) * 2) / 2, Math.ceil(Math.max(...logs) * 2) / 2];
	const qualities = points.map(({ quality }) => quality);
	const [worst, best] = [Math.floor(Math.min(...qualities) * 10) / 10, Math.ceil(Math.max(...qualities) * 10) / 10];
	const xScale = toScale(least, most, MARGIN.left, WIDTH - MARGIN.right);
	const yScale = toScale(worst, best, HEIGHT - MARGIN.bottom, MARGIN.top);
	const x = (usd: number) => xScale(Math.log10(usd)).toFixed(1);
	const y = (quality: number) => yScale(quality).toFixed(1);
	const ticks = [0.01, 0.03, 0.1, 0.3, 1, 3, 10].filter((usd) => Math.log10(usd) >= least && Math.log10(usd) <= most);
	const shares = Array.from({ length: Math.round((best - worst) * 20) + 1 }, (_, at) => worst + at / 20);
	const grid = [
		...ticks.flatMap((usd) => [
			`<line class="grid" x1="${x(usd)}" x2="${x(usd)}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}"/>`,
			`<text x="${x(usd)}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle">$${usd}</text>`,
		]),
		...shares.flatMap((share) => [
			`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(share)}" y2="${y(share)}"/>`,
			`<text x="${MARGIN.left - 8}" y="${Number(y(share)) + 4}" text-anchor="end">${share.toFixed(2)}</text>`,
		]),
	];
	const sweep = points.filter(({ kind }) => kind === "sweep").toSorted((a, b) => a.usd - b.usd);
	const line = sweep.map(({ usd, quality }) => `${x(usd)},${y(quality)}`).join(" ");
	const placed: TextBox[] = [];
	const dots = joinCoincident(points.filter(({ kind }) => kind !== "sweep"))
		.toSorted((a, b) => Number(b.kind === "mode") - Number(a.kind === "mode"))
		.map(({ kind, name, usd, quality }) => {
			const [radius, className] = kind === "mode" ? [6, "name"] : [4, "label"];
			const label = placeLabel(name, xScale(Math.log10(usd)), yScale(quality), placed);
			return `<circle class="${kind}" cx="${x(usd)}" cy="${y(quality)}" r="${radius}"/><text class="${className}" x="${label.x.toFixed(1)}" y="${label.y.toFixed(1)}" text-anchor="${label.anchor}">${escapeXml(name)}</text>`;
		});
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${2 * HEIGHT}" role="img" aria-label="Above, share of right answers on MMLU-Pro against cost, for single models and for the three routing modes; below, share of right answers on MMLU against the share of strong calls, for the service, the length of the prompt and chance">`,
		`<style>${STYLE}\n</style>`,
		...grid,
		`<polyline class="sweep" points="${line}"/>`,
		...dots,
		`<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle">USD per 1,000 answers (log scale)</text>`,
		`<text x="16" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 16 ${HEIGHT / 2})">share of right answers</text>`,
		`<g transform="translate(0 ${HEIGHT})">`,
		...drawShareCurves(curves),
		"</g>",
		"</svg>\n",
	].join("\n");
}
