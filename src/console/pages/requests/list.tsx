// The list of requests: its filters, which stand in the address, and rows that a script keeps up to date.
import type { Child } from "hono/jsx";
import { type ApiAnswer, withQuery } from "../../api.ts";
import { formatDuration } from "../../format.ts";
import { fragmentResponse } from "../../fragment.tsx";
import { type KeyNames, keyOptions, readKeyNames } from "../../key-names.ts";
import type { ConsolePage, PageAnswer, PageRequest } from "../../page.ts";
import { readTimeZone, zoneOptions } from "../../range.ts";
import { isNarrowed, toRequestQuery, usesMoreFilters } from "../../request-filters.ts";
import { Line } from "../../views/check.tsx";
import type { FilterOptions } from "../../views/filters.tsx";
import { Icon } from "../../views/icons.tsx";
import {
	ChoiceField,
	type Column,
	Count,
	EmptyState,
	Failure,
	Field,
	Pager,
	SearchedBackTo,
	Table,
	Time,
	Usd,
} from "../../views/parts.tsx";
import { KeyLink } from "../../views/who.tsx";
import { REQUEST_KIND_NAMES, REQUESTS_PATH, requestPath, type ShownRequest } from "./frame.ts";
import { Remarks, RequestState, requestWhy } from "./state.tsx";

const LISTED = 50;

interface RequestList {
	next_cursor: string | null;
	searched_back_to: string | null;
	data: ShownRequest[];
}

/** As the API's filter takes them. */
const OUTCOMES: FilterOptions = [
	["complete", "complete"],
	["cut", "cut"],
	["client_closed", "client closed"],
	["failed", "failed"],
	["refused", "refused"],
];

/** Filters that are folded away until one of them is set. */
const MORE = ["provider", "code", "tag", "kind", "session_id", "end_user", "metadata", "q", "since", "until"] as const;

interface ControlProps {
	name: string;
	label: string;
	query: URLSearchParams;
	placeholder?: string;
	type?: "text" | "date";
}

function TextFilter({ name, label, query, placeholder, type = "text" }: ControlProps) {
	const value = query.get(name) ?? "";
	// A browser's calendar takes days alone: a time of day, which a link may name, is shown as it is written.
	const shownType = type === "date" && /^(?:\d{4}-\d\d-\d\d)?$/.test(value) ? "date" : "text";
	return (
		<Field name={name} label={label}>
			{(attributes) => (
				<input
					{...attributes}
					type={shownType}
					value={value}
					maxlength={600}
					placeholder={placeholder}
					spellcheck={false}
				/>
			)}
		</Field>
	);
}

interface ChoiceFilterProps extends Pick<ControlProps, "name" | "label" | "query"> {
	options: FilterOptions;
}

function ChoiceFilter({ name, label, query, options }: ChoiceFilterProps) {
	return <ChoiceField name={name} label={label} options={[["", "any"], ...options]} chosen={query.get(name) ?? ""} />;
}

interface RequestFiltersProps {
	query: URLSearchParams;
	zone: string;
	names: KeyNames;
}

function RequestFilters({ query, zone, names }: RequestFiltersProps) {
	return (
		<form class="request-filters" method="get" action={REQUESTS_PATH} aria-label="Filters" data-zone="">
			<div class="filters">
				<ChoiceFilter name="outcome" label="Outcome" query={query} options={OUTCOMES} />
				<TextFilter name="model" label="Model" query={query} />
				<ChoiceFilter name="key_id" label="Key" query={query} options={keyOptions(names, (keyId) => keyId)} />
				<ChoiceField name="time_zone" label="Time zone" options={zoneOptions(zone)} chosen={zone} />
				<button type="submit" class="quiet">
					Show
				</button>
				{isNarrowed(query) ? (
					<a class="clear" href={withQuery(REQUESTS_PATH, { time_zone: query.get("time_zone") })}>
						Clear
					</a>
				) : null}
			</div>
			<details class="more-filters" open={usesMoreFilters(query, MORE)}>
				<summary>More filters</summary>
				<div class="filters">
					<TextFilter name="provider" label="Provider" query={query} />
					<TextFilter name="code" label="Error code" query={query} placeholder="rate_limit_exceeded" />
					<TextFilter name="tag" label="Tag of the key" query={query} />
					<ChoiceFilter name="kind" label="Kind" query={query} options={Object.entries(REQUEST_KIND_NAMES)} />
					<TextFilter name="session_id" label="Session" query={query} />
					<TextFilter name="end_user" label="End user" query={query} />
					<TextFilter name="metadata" label="Metadata" query={query} placeholder="team=search" />
					<TextFilter name="q" label="Id begins with" query={query} placeholder="svc-01M8" />
					<TextFilter name="since" label="From" query={query} type="date" />
					<TextFilter name="until" label="Before" query={query} type="date" />
				</div>
			</details>
		</form>
	);
}

function columns(zone: string, names: KeyNames): readonly Column<ShownRequest>[] {
	return [
		{
			label: `Time (${zone})`,
			cell: (request) => (
				<a href={requestPath(request, zone)}>
					<Time iso={request.created_at} zone={zone} />
				</a>
			),
		},
		{ label: "Status", cell: (request) => <RequestState request={request} /> },
		{
			label: "Model",
			cell: (request) => (
				<>
					<span class="name">{request.model ?? "–"}</span> <Remarks request={request} />
				</>
			),
		},
		{ label: "Why", isWide: true, cell: (request) => <Line text={requestWhy(request)} /> },
		{
			label: "Key",
			cell: ({ key_id }) => (key_id === null ? "–" : <KeyLink names={names} keyId={key_id} />),
		},
		{ label: "Tokens", isNumeric: true, cell: ({ tokens }) => <Count count={tokens} /> },
		{ label: "Latency", isNumeric: true, cell: ({ latency_ms }) => formatDuration(latency_ms) },
		{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => <Usd usd={cost_usd} /> },
	];
}

function Nothing({ query, isSearched }: { query: URLSearchParams; isSearched: boolean }) {
	if (!isNarrowed(query))
		return (
			<EmptyState icon="requests" title="No request yet">
				<p>
					Each appears here as soon as it is answered, and each that fails. <a href="/console/playground">Make one</a>
				</p>
			</EmptyState>
		);
	return (
		<p>
			No request matches{isSearched ? " so far" : ""}.{" "}
			<a href={withQuery(REQUESTS_PATH, { time_zone: query.get("time_zone") })}>Show all</a>
		</p>
	);
}

/** The part of the page that is asked for again and again. @param query the page's, in the address of the part. */
function Rows({ answer, names, query, zone }: RowsProps) {
	const isFirst = !query.has("cursor");
	const address = `${REQUESTS_PATH}/rows?${query}`;
	return (
		<div id="rows" {...(isFirst && answer.ok ? { "data-refresh": address } : {})}>
			{answer.ok ? (
				<Table
					caption="Requests, newest first"
					rows={answer.value.data}
					columns={columns(zone, names)}
					empty={<Nothing query={query} isSearched={answer.value.searched_back_to !== null} />}
				/>
			) : (
				<Failure failure={answer.failure} />
			)}
			{answer.ok ? (
				<>
					<SearchedBackTo time={answer.value.searched_back_to} zone={zone} />
					<Pager path={REQUESTS_PATH} query={query} nextCursor={answer.value.next_cursor} />
				</>
			) : null}
		</div>
	);
}

interface RowsProps {
	answer: ApiAnswer<RequestList>;
	names: KeyNames;
	query: URLSearchParams;
	zone: string;
}

async function readRows({ api, query }: PageRequest): Promise<RowsProps> {
	const zone = readTimeZone(query);
	const [answer, names] = await Promise.all([
		api.get<RequestList>(toRequestQuery(query, zone, LISTED)),
		readKeyNames(api),
	]);
	return { answer, names, query, zone };
}

/** Pauses and continues what the script does; without a script it is not seen. */
function LiveButton(): Child {
	return (
		<button type="button" class="quiet live-button" id="live-button" aria-pressed="true" hidden>
			<Icon name="pause" />
			Live
		</button>
	);
}

const listPage: ConsolePage = {
	id: "requests",
	method: "GET",
	path: REQUESTS_PATH,
	async handle(request): Promise<PageAnswer> {
		const rows = await readRows(request);
		return {
			kind: "page",
			title: "Requests",
			section: "requests",
			lead: "What was asked, which model answered and why, what it cost, and why some got no answer.",
			actions: <LiveButton />,
			status: rows.answer.ok ? 200 : rows.answer.failure.status,
			content: (
				<>
					<RequestFilters query={request.query} zone={rows.zone} names={rows.names} />
					<Rows {...rows} />
				</>
			),
		};
	},
};

/** The rows alone, for the page's script. */
const rowsPage: ConsolePage = {
	id: "requests_rows",
	method: "GET",
	path: `${REQUESTS_PATH}/rows`,
	async handle(request): Promise<PageAnswer> {
		const rows = await readRows(request);
		const status = rows.answer.ok ? 200 : rows.answer.failure.status;
		return { kind: "response", response: fragmentResponse(<Rows {...rows} />, status) };
	},
};

export const requestListPages: readonly ConsolePage[] = [listPage, rowsPage];
