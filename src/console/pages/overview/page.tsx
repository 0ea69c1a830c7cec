// The overview: a range of time with what was spent, asked and saved in it, when limits will be reached, and the latest requests.
import type { ModelList } from "../../../routing/endpoints.edge.ts";
import { withQuery } from "../../api.ts";
import { failurePage } from "../../failure-page.tsx";
import { formatDuration, formatShare, formatTime } from "../../format.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { type PageRange, readRange } from "../../range.ts";
import { Badge, CopiedCode, Count, EmptyState, Notice, Table, Time, Usd, Words } from "../../views/parts.tsx";
import { SessionLink } from "../../views/session-link.tsx";
import { REQUESTS_PATH, requestKindName, requestPath } from "../requests/frame.ts";
import { Charts, seriesName } from "./charts.tsx";
import { type OverviewData, readOverview, type Series, type Usage } from "./data.ts";
import { Limits } from "./limits.tsx";
import { RangeForm, readStack, STACKS } from "./range-form.tsx";
import { Tiles } from "./tiles.tsx";

/** Latest requests that are shown. */
const SHOWN_REQUESTS = 8;

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

function FirstCall({ origin }: { origin: string }) {
	const call = `curl ${origin}/v1/chat/completions \\
  -H "authorization: Bearer $SVC_API_KEY" -H "content-type: application/json" \\
  -d '{"model":"auto","messages":[{"role":"user","content":"Hello"}]}'`;
	return (
		<div class="empty">
			<EmptyState icon="overview" title="No request yet">
				<p>
					Make one, or ask in the <a href="/console/playground">playground</a>. What it cost, how long it took and why
					its model was chosen appear here at once.
				</p>
				<CopiedCode id="first-call" label="A first call" text={call} />
			</EmptyState>
		</div>
	);
}

function total(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0);
}

/** What the list of requests is narrowed by, to what a series is of. */
const FILTERS: Readonly<Record<string, string>> = {
	model: "model",
	provider: "provider",
	tag: "tag",
	end_user: "end_user",
};

interface SeriesNameProps {
	grouping: Series["group_by"];
	/** Null for what has no name, and for all that is not told apart. */
	id: string | null;
	name: string;
}

/** The name of a series, which leads to what it is of. */
function SeriesName({ grouping, id, name }: SeriesNameProps) {
	const shown = <Words text={name} />;
	if (id === null || grouping === null) return shown;
	if (grouping === "session") return <SessionLink id={id} />;
	if (grouping === "key") return <a href={`/console/keys/${encodeURIComponent(id)}`}>{shown}</a>;
	const filter = FILTERS[grouping];
	return filter === undefined ? shown : <a href={withQuery(REQUESTS_PATH, { [filter]: id })}>{shown}</a>;
}

/** What each series comes to, the largest first. */
function Breakdown({ series, label }: { series: Series; label: string }) {
	const parts = [
		...series.data.map((each) => ({ ...each, name: seriesName(series.group_by, each.name) })),
		...(series.others ? [{ ...series.others, id: null, name: "all others" }] : []),
	];
	const costUsd = total(parts.map(({ cost_usd }) => total(cost_usd)));
	return (
		<Table
			caption={`By ${label.toLowerCase()}`}
			rows={parts}
			empty="Nothing in this range."
			columns={[
				{ label, isWide: true, cell: ({ id, name }) => <SeriesName grouping={series.group_by} id={id} name={name} /> },
				{ label: "Requests", isNumeric: true, cell: ({ requests }) => <Count count={total(requests)} /> },
				{ label: "Tokens", isNumeric: true, cell: ({ tokens }) => <Count count={total(tokens)} /> },
				{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => <Usd usd={total(cost_usd)} /> },
				{
					label: "Share",
					isNumeric: true,
					cell: ({ cost_usd }) => (costUsd === 0 ? "–" : formatShare(total(cost_usd) / costUsd)),
				},
			]}
		/>
	);
}

interface RecentRequestsProps {
	recent: Usage["recent"];
	range: PageRange;
}

function RecentRequests({ recent, range: { zone } }: RecentRequestsProps) {
	return (
		<Table
			caption="Latest requests"
			rows={recent.slice(0, SHOWN_REQUESTS)}
			empty="No request yet."
			columns={[
				{
					label: `Time (${zone})`,
					cell: ({ request_id, created_at, kind }) => (
						<a href={requestPath({ request_id, kind }, zone)}>
							<Time iso={created_at} zone={zone} />
						</a>
					),
				},
				{ label: "Kind", cell: ({ kind }) => requestKindName(kind) },
				{
					label: "Model",
					cell: ({ model, fallback }) => (
						<>
							<span class="name">{model}</span> {fallback ? <Badge kind="warn">fallback</Badge> : null}
						</>
					),
				},
				{ label: "Tokens", isNumeric: true, cell: ({ tokens }) => <Count count={tokens} /> },
				{ label: "Latency", isNumeric: true, cell: ({ latency_ms }) => formatDuration(latency_ms) },
				{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => <Usd usd={cost_usd} /> },
			]}
		/>
	);
}

interface SourceNoteProps extends Pick<OverviewData, "series" | "whole"> {
	zone: string;
	stackLabel: string;
}

/** Says what the numbers leave out, and how exact they are. */
function SourceNote({ series, whole, zone, stackLabel }: SourceNoteProps) {
	if (whole.counted_since !== null)
		return (
			<Notice kind="note" title="The latest requests of the range are counted">
				<p>
					There are too many to read each: all numbers are of those from {formatTime(whole.counted_since, zone)} ({zone}
					) on. A range of more than two days counts every request.
				</p>
			</Notice>
		);
	return (
		<>
			{series.counted_since === null ? null : (
				<Notice kind="note" title={`Not all requests are told apart by ${stackLabel}`}>
					<p>
						There are too many to read each: charts by {stackLabel} are of those from{" "}
						{formatTime(series.counted_since, zone)} ({zone}) on. Totals, latency and failures are of all.
					</p>
				</Notice>
			)}
			{whole.source === "requests" ? null : (
				<p class="hint source-note">
					This range has more requests than are read one by one: every request counts, days are those of UTC, and
					percentiles are within 5 %.
				</p>
			)}
		</>
	);
}

function Content({ data, range, stack, origin }: ContentProps) {
	const { usage, series, whole, models, savings } = data;
	const stackLabel = STACKS.find(([value]) => value === stack)?.[1] ?? "Model";
	const isNew = usage.total_requests === 0 && whole.total.failed + whole.total.refused === 0;
	return (
		<>
			{models ? <NotServed models={models} /> : null}
			{isNew ? (
				<FirstCall origin={origin} />
			) : (
				<>
					<Tiles data={data} />
					<SourceNote series={series} whole={whole} zone={range.zone} stackLabel={stackLabel.toLowerCase()} />
					<Charts series={series} whole={whole} savings={savings} stackLabel={stackLabel.toLowerCase()}>
						<Breakdown series={series} label={stackLabel} />
					</Charts>
				</>
			)}
			<Limits data={data} zone={range.zone} nowMs={range.nowMs} />
			{isNew ? null : <RecentRequests recent={usage.recent} range={range} />}
			{models ? <OperatorModels models={models} /> : null}
		</>
	);
}

interface ContentProps {
	data: OverviewData;
	range: PageRange & { nowMs: number };
	stack: (typeof STACKS)[number][0];
	origin: string;
}

export const overviewPage: ConsolePage = {
	id: "overview",
	method: "GET",
	path: "/console",
	async handle({ api, query, service }): Promise<PageAnswer> {
		const frame = { kind: "page", title: "Overview", section: "overview" } as const;
		const { nowMs, origin } = service;
		const range = readRange(query, nowMs);
		const stack = readStack(query);
		const read = await readOverview(api, range, stack, nowMs);
		if (!read.ok) return failurePage(frame, read.failure);
		return {
			...frame,
			hasCharts: true,
			actions: <RangeForm range={range} stack={stack} />,
			content: <Content data={read.value} range={{ ...range, nowMs }} stack={stack} origin={origin} />,
		};
	},
};
