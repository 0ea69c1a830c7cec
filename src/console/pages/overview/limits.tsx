// The overview's limits: what is used of the plan and of the budgets of keys, and when they will be reached at this rate.
import type { Child } from "hono/jsx";
import { beginningOfPeriod, type Forecast, forecastBudget, forecastRolling } from "../../forecast.ts";
import { formatBytes, formatCount, formatMoment, formatUsd, MS_PER_HOUR } from "../../format.ts";
import { Badge, Meter, Table, Words } from "../../views/parts.tsx";
import type { OverviewData, OverviewKey } from "./data.ts";

interface Limit {
	name: Child;
	/** What is used, in words, and its share. */
	used: string;
	label: string;
	share: number;
	forecast: Forecast | null;
	/** When it begins anew, ms since the epoch; null where it does not. */
	resetsAtMs: number | null;
}

/** Budgets that are shown: those of which most is spent. */
const SHOWN_BUDGETS = 8;

function requestLimit({ usage, recent }: OverviewData, nowMs: number): Limit[] {
	const { daily_requests: limit, daily_requests_used: used } = usage.limits;
	if (limit === null) return [];
	const hours = recent && (Date.parse(recent.until) - Date.parse(recent.starts[0] ?? recent.until)) / MS_PER_HOUR;
	const rate = recent && hours ? { requests: recent.total.requests, hours } : null;
	return [
		{
			name: "Requests in 24 hours",
			label: "Requests of the last 24 hours",
			used: `${formatCount(used)} of ${formatCount(limit)}`,
			share: used / limit,
			forecast: rate && forecastRolling({ limit, used, recent: rate }, nowMs),
			resetsAtMs: null,
		},
	];
}

function storageLimit({ usage }: OverviewData): Limit[] {
	const { stored_bytes: stored, quota_bytes: quota } = usage.storage;
	if (quota === null) return [];
	return [
		{
			name: "Stored texts and files",
			label: "Stored of the plan's quota",
			used: `${formatBytes(stored)} of ${formatBytes(quota)}`,
			share: stored / quota,
			forecast: stored >= quota ? { kind: "reached" } : null,
			resetsAtMs: null,
		},
	];
}

function keyLimits(key: OverviewKey, nowMs: number): Limit[] {
	const { budget_usd, spent_usd, held_usd, budget_period, resets_at, created_at } = key;
	if (budget_usd === null || spent_usd === null) return [];
	const used = spent_usd + (held_usd ?? 0);
	const name = key.name ?? `Key …${key.last4}`;
	const resetsAtMs = resets_at === null ? null : Date.parse(resets_at);
	const use = {
		limitUsd: budget_usd,
		spentUsd: used,
		sinceMs: beginningOfPeriod(budget_period, resetsAtMs, Date.parse(created_at)),
		untilMs: resetsAtMs,
	};
	return [
		{
			name: (
				<a href={`/console/keys/${encodeURIComponent(key.key_id)}`}>
					<Words text={name} />
				</a>
			),
			label: `Budget of ${name}`,
			used: `${formatUsd(used)} of ${formatUsd(budget_usd)}${budget_period === null || budget_period === "total" ? "" : ` a ${budget_period}`}`,
			share: budget_usd === 0 ? 1 : used / budget_usd,
			forecast: forecastBudget(use, nowMs),
			resetsAtMs,
		},
	];
}

function ForecastText({ forecast, zone }: { forecast: Forecast | null; zone: string }) {
	if (forecast === null) return <span class="faint">–</span>;
	if (forecast.kind === "reached") return <Badge kind="bad">reached</Badge>;
	if (forecast.kind === "not") return <span class="faint">not at this rate</span>;
	return <Badge kind="warn">{formatMoment(forecast.atMs, zone)}</Badge>;
}

interface LimitsProps {
	data: OverviewData;
	zone: string;
	nowMs: number;
}

export function Limits({ data, zone, nowMs }: LimitsProps) {
	const budgets = data.keys.flatMap((key) => keyLimits(key, nowMs)).sort((a, b) => b.share - a.share);
	const rows = [...requestLimit(data, nowMs), ...storageLimit(data), ...budgets.slice(0, SHOWN_BUDGETS)];
	const more = budgets.length - SHOWN_BUDGETS;
	const { usage } = data;
	return (
		<>
			<Table<Limit>
				caption={`Limits and budgets, plan ${usage.plan_display}`}
				rows={rows}
				empty={
					<p>
						Nothing limits this account but {formatCount(usage.limits.rpm)} requests a minute.{" "}
						<a href="/console/keys">Give keys a budget</a>
					</p>
				}
				columns={[
					{ label: "Limit", cell: ({ name }) => name },
					{
						label: "Used",
						cell: ({ label, share, used }) => (
							<Meter label={label} share={share}>
								{used}
							</Meter>
						),
					},
					{ label: "Reached at this rate", cell: ({ forecast }) => <ForecastText forecast={forecast} zone={zone} /> },
					{
						label: "Begins anew",
						cell: ({ resetsAtMs }) =>
							resetsAtMs === null ? <span class="faint">–</span> : formatMoment(resetsAtMs, zone),
					},
				]}
			/>
			{more > 0 ? (
				<p class="hint">
					<a href="/console/keys">{more} more keys have a budget</a>
				</p>
			) : null}
		</>
	);
}
