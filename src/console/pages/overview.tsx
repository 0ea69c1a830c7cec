// The overview: the plan and its limits, what was spent and saved, by day and by model, and the latest requests.
import type { z } from "zod";
import type { ModelList } from "../../routing/endpoints.edge.ts";
import type { savingsGroupsSchema, savingsSchema, usageSchema } from "../../usage/endpoints.edge.ts";
import { joinAnswers } from "../api.ts";
import { failurePage } from "../failure-page.tsx";
import { formatBytes, formatCount, formatDuration, formatExactUsd, formatShare, formatUsd } from "../format.ts";
import type { ConsolePage, PageAnswer } from "../page.ts";
import { BarChart, RankedBars } from "../views/chart.tsx";
import { Badge, CodeBlock, Count, Meter, Notice, Table, Time, Usd } from "../views/parts.tsx";

type Usage = z.output<typeof usageSchema>;
type SavingsDays = z.output<typeof savingsGroupsSchema>;
type Savings = z.output<typeof savingsSchema>;

const SHOWN_DAYS = 30;
const DAY_MS = 86_400_000;

/** The last days up to today, each with what was spent and saved; 0 where there were no requests. */
export function toDays(groups: SavingsDays["data"], nowMs: number) {
	const known = new Map(groups.map((group) => [group.day, group]));
	return Array.from({ length: SHOWN_DAYS }, (_, index) => {
		const day = new Date(nowMs - (SHOWN_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
		return { day, spentUsd: known.get(day)?.actual_cost_usd ?? 0, savedUsd: known.get(day)?.saved_usd ?? 0 };
	});
}

function Tiles({ usage, savings }: { usage: Usage; savings: Savings }) {
	const { daily_requests, daily_requests_used, rpm } = usage.limits;
	const { stored_bytes, quota_bytes } = usage.storage;
	return (
		<dl class="tiles">
			<div class="tile">
				<dt>Plan</dt>
				<dd>{usage.plan_display}</dd>
			</div>
			<div class="tile">
				<dt>Requests, last 24 hours</dt>
				<dd>
					{daily_requests === null ? (
						`${formatCount(daily_requests_used)} of unlimited`
					) : (
						<Meter label="Requests of the last 24 hours" share={daily_requests_used / daily_requests}>
							{formatCount(daily_requests_used)} of {formatCount(daily_requests)}
						</Meter>
					)}
				</dd>
			</div>
			<div class="tile">
				<dt>Requests a minute</dt>
				<dd>at most {formatCount(rpm)}</dd>
			</div>
			<div class="tile">
				<dt>Stored</dt>
				<dd>
					{quota_bytes === null ? (
						`${formatBytes(stored_bytes)} of unlimited`
					) : (
						<Meter label="Stored of the plan's quota" share={stored_bytes / quota_bytes}>
							{formatBytes(stored_bytes)} of {formatBytes(quota_bytes)}
						</Meter>
					)}
				</dd>
			</div>
			<div class="tile">
				<dt>Spent in all</dt>
				<dd>
					<Usd usd={usage.total_cost_usd} />
				</dd>
			</div>
			<div class="tile">
				<dt>Held for open requests</dt>
				<dd>
					<Usd usd={usage.held_usd} />
				</dd>
			</div>
			<div class="tile">
				<dt>Saved against {savings.baseline_model}</dt>
				<dd>
					<Usd usd={savings.saved_usd} /> <span class="name">({formatShare(savings.saved_pct / 100)})</span>
				</dd>
			</div>
		</dl>
	);
}

/** Models whose providers do not serve them. It says why requests go to others, and nothing of who met it. */
function NotServed({ models }: { models: ModelList }) {
	const passedBy = models.data.filter(({ not_served }) => not_served);
	if (passedBy.length === 0) return null;
	return (
		<Notice kind="warning" title="Models that their providers lately did not serve">
			<p>
				{passedBy.map(({ id, provider }) => `${id} (${provider})`).join(", ")}: requests that do not name them go to
				others for up to ten minutes.
			</p>
		</Notice>
	);
}

/** Enough to show what kind of models they are. */
const SHOWN_OPERATOR_MODELS = 12;

/** Models that the operator added or changed, as far as the session's key may call them. */
function OperatorModels({ models }: { models: ModelList }) {
	const own = models.data.filter(({ source, available }) => source === "operator" && available);
	if (own.length === 0) return null;
	const more = own.length - SHOWN_OPERATOR_MODELS;
	return (
		<p class="hint">
			Models of this service's operator:{" "}
			{own.slice(0, SHOWN_OPERATOR_MODELS).map(({ id, provider }, index) => (
				<>
					{index > 0 ? ", " : ""}
					<span class="name">{id}</span> ({provider})
				</>
			))}
			{more > 0 ? ` and ${more} more` : ""}.
		</p>
	);
}

interface DailyChartProps {
	title: string;
	days: readonly { day: string; usd: number }[];
	empty: string;
}

function DailyChart({ title, days, empty }: DailyChartProps) {
	const total = days.reduce((sum, { usd }) => sum + usd, 0);
	return (
		<BarChart
			title={title}
			summary={`${formatUsd(total)} in ${SHOWN_DAYS} days.`}
			heads={["Day (UTC)", "USD"]}
			bars={
				days.every(({ usd }) => usd === 0)
					? []
					: days.map(({ day, usd }) => ({ label: day.slice(5), value: usd, shown: formatExactUsd(usd) }))
			}
			empty={empty}
		/>
	);
}

function ModelCosts({ models }: { models: Usage["by_model"] }) {
	const dearest = Object.entries(models).sort(([, a], [, b]) => b.cost_usd - a.cost_usd);
	return (
		<RankedBars
			title="Cost by model"
			heads={["Model", "Cost"]}
			bars={dearest.map(([model, { cost_usd }]) => ({
				label: model,
				value: cost_usd,
				shown: formatExactUsd(cost_usd),
			}))}
			empty="No model was called yet."
		/>
	);
}

const FIRST_CALL = `curl "$SVC_BASE_URL/chat/completions" -H "authorization: Bearer $SVC_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"model":"auto","messages":[{"role":"user","content":"Hello"}]}'`;

function FirstCall() {
	return (
		<>
			<p>No request yet. Make one:</p>
			<CodeBlock label="A first call" text={FIRST_CALL} />
		</>
	);
}

function RecentRequests({ recent }: { recent: Usage["recent"] }) {
	return (
		<Table
			caption="The last 20 requests, newest first"
			rows={recent}
			empty={<FirstCall />}
			columns={[
				{
					label: "Time (UTC)",
					cell: ({ request_id, created_at, kind }) => (
						<a href={`/console/${kind === "agent" ? "runs" : "requests"}/${encodeURIComponent(request_id)}`}>
							<Time iso={created_at} />
						</a>
					),
				},
				{ label: "Kind", cell: ({ kind }) => kind },
				{
					label: "Model",
					cell: ({ model, fallback }) => (
						<>
							<span class="name">{model}</span> {fallback ? <Badge kind="warn">fallback</Badge> : null}
						</>
					),
				},
				{ label: "Mode", cell: ({ mode }) => mode },
				{ label: "Tokens", isNumeric: true, cell: ({ tokens }) => <Count count={tokens} /> },
				{ label: "Latency", isNumeric: true, cell: ({ latency_ms }) => formatDuration(latency_ms) },
				{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => <Usd usd={cost_usd} /> },
			]}
		/>
	);
}

export const overviewPage: ConsolePage = {
	id: "overview",
	method: "GET",
	path: "/console",
	async handle({ api, service }): Promise<PageAnswer> {
		const frame = { kind: "page", title: "Overview", section: "overview" } as const;
		const [models, ...answers] = await Promise.all([
			api.get<ModelList>("/v1/models"),
			api.get<Usage>("/v1/usage"),
			api.get<Savings>("/v1/savings"),
			api.get<SavingsDays>(`/v1/savings?group_by=day&limit=${SHOWN_DAYS + 1}`),
		]);
		const joined = joinAnswers(...answers);
		if (!joined.ok) return failurePage(frame, joined.failure);
		const [usage, savings, days] = joined.value;
		const shownDays = toDays(days.data, service.nowMs);
		return {
			...frame,
			content: (
				<>
					{models.ok ? <NotServed models={models.value} /> : null}
					<Tiles usage={usage} savings={savings} />
					<div class="columns">
						<DailyChart
							title="Spent by day"
							days={shownDays.map(({ day, spentUsd }) => ({ day, usd: spentUsd }))}
							empty="Nothing was spent in the last 30 days."
						/>
						<DailyChart
							title="Saved by day"
							days={shownDays.map(({ day, savedUsd }) => ({ day, usd: Math.max(0, savedUsd) }))}
							empty="Nothing was saved in the last 30 days."
						/>
					</div>
					<p class="hint">Savings compare with {savings.baseline_model} at the same tokens: an estimate, not a bill.</p>
					<ModelCosts models={usage.by_model} />
					{models.ok ? <OperatorModels models={models.value} /> : null}
					<h2>Latest requests</h2>
					<RecentRequests recent={usage.recent} />
				</>
			),
		};
	},
};
