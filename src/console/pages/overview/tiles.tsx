// The overview's tiles: what the range comes to, and what has changed against the one before.
import type { Child } from "hono/jsx";
import {
	formatChange,
	formatCount,
	formatDuration,
	formatExactUsd,
	formatShare,
	formatShortCount,
	formatUsd,
} from "../../format.ts";
import { Icon } from "../../views/icons.tsx";
import { TileLine } from "../../views/series-chart.tsx";
import { errorRate, type OverviewData, sumSteps } from "./data.ts";

/** Whether it is good or bad that a number grows; `plain`: neither. */
type Meaning = "plain" | "good" | "bad";

interface ChangeProps {
	now: number | null;
	/** Undefined where it is not known. */
	before: number | null | undefined;
	growth: Meaning;
}

function Change({ now, before, growth }: ChangeProps) {
	if (before === undefined) return <dd class="hint">not compared</dd>;
	const text = now === null || before === null ? null : formatChange(now, before);
	if (text === null || now === null || before === null) return <dd class="hint">nothing before</dd>;
	const hasGrown = now > before;
	const kind = growth === "plain" || now === before ? "plain" : hasGrown === (growth === "good") ? "good" : "bad";
	return (
		<dd class="hint">
			<span class={`change ${kind}`}>
				{now === before ? null : <Icon name={hasGrown ? "up" : "down"} />}
				{text}
			</span>
			<span class="unseen"> against the time before</span>
		</dd>
	);
}

interface TileProps extends ChangeProps {
	label: string;
	/** The whole value, for who points at it. */
	exact?: string;
	values?: readonly (number | null)[];
	children?: Child;
}

function Tile({ label, exact, values, children, ...change }: TileProps) {
	return (
		<div class="tile">
			<dt>{label}</dt>
			<dd title={exact}>{children}</dd>
			<Change {...change} />
			{values ? (
				<dd class="spark-place">
					<TileLine values={values} />
				</dd>
			) : null}
		</div>
	);
}

/** Saved dollars of the range. */
function SavedTile({ savings, savingsBefore }: Pick<OverviewData, "savings" | "savingsBefore">) {
	if (!savings) return null;
	const { saved_usd, saved_pct } = savings.total;
	const byDay = new Map(savings.data.map(({ day, saved_usd: usd }) => [day ?? "", Math.max(0, usd)]));
	const values = [...byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, usd]) => usd);
	return (
		<Tile
			label="Saved by routing (UTC days)"
			exact={`${formatExactUsd(saved_usd)} (${formatShare(saved_pct / 100)}), an estimate`}
			now={saved_usd}
			before={savingsBefore?.total.saved_usd}
			growth="good"
			values={values}
		>
			{formatUsd(saved_usd)}
		</Tile>
	);
}

function LatencyTile({ data: { whole, before }, share }: { data: OverviewData; share: "p50" | "p95" }) {
	const ms = whole.total.latency_ms?.[share] ?? null;
	return (
		<Tile
			label={`Latency ${share}`}
			now={ms}
			before={before ? (before.total.latency_ms?.[share] ?? null) : undefined}
			growth="bad"
			values={whole.latency_ms.map((of) => of?.[share] ?? null)}
		>
			{ms === null ? "–" : formatDuration(ms)}
		</Tile>
	);
}

export function Tiles({ data }: { data: OverviewData }) {
	const { whole, before } = data;
	const { total } = whole;
	const rate = errorRate(total);
	const requests = sumSteps(whole, "requests");
	const failedShare = sumSteps(whole, "failed").map((failed, step) =>
		errorRate({ requests: requests[step] ?? 0, failed }),
	);
	return (
		<dl class="tiles stats">
			<Tile
				label="Spend"
				exact={formatExactUsd(total.cost_usd)}
				now={total.cost_usd}
				before={before?.total.cost_usd}
				growth="plain"
				values={sumSteps(whole, "cost_usd")}
			>
				{formatUsd(total.cost_usd)}
			</Tile>
			<Tile label="Requests" now={total.requests} before={before?.total.requests} growth="plain" values={requests}>
				{formatCount(total.requests)}
			</Tile>
			<Tile
				label="Tokens"
				exact={`${formatCount(total.tokens)} tokens, ${formatCount(total.input_tokens)} of them in prompts`}
				now={total.tokens}
				before={before?.total.tokens}
				growth="plain"
				values={sumSteps(whole, "tokens")}
			>
				{formatShortCount(total.tokens)}
			</Tile>
			<Tile
				label="Error rate"
				exact={`${formatCount(total.failed)} failed, ${formatCount(total.refused)} refused before any call`}
				now={rate}
				before={before ? errorRate(before.total) : undefined}
				growth="bad"
				values={failedShare}
			>
				{rate === null ? "–" : formatShare(rate)}
			</Tile>
			<LatencyTile data={data} share="p50" />
			<LatencyTile data={data} share="p95" />
			<SavedTile {...data} />
		</dl>
	);
}
