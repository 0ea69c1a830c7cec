// A session of a client: what it comes to, and its requests, runs and policy checks in one line of time.
import type { Child } from "hono/jsx";
import type { z } from "zod";
import type { sessionDetailSchema } from "../../../sessions/endpoints.edge.ts";
import { type Api, type ApiAnswer, withQuery } from "../../api.ts";
import { failurePage } from "../../failure-page.tsx";
import { formatCount, formatDuration, formatExactUsd, formatUsd } from "../../format.ts";
import { showDirectionMarks } from "../../json-text.ts";
import { type KeyNames, readKeyNames } from "../../key-names.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { CheckDetails, Line } from "../../views/check.tsx";
import { DecisionBadge, WorkspaceLink } from "../../views/events.tsx";
import {
	type Column,
	CopyButton,
	Count,
	Notice,
	Pager,
	type PlainTile,
	PlainTiles,
	SearchedBackTo,
	Table,
	Time,
	Usd,
	Words,
} from "../../views/parts.tsx";
import { SESSIONS_PATH } from "../../views/session-link.tsx";
import { Actor, KeyLink } from "../../views/who.tsx";
import { REQUESTS_PATH, requestKindName, requestPath } from "../requests/frame.ts";
import { RequestState, requestWhy } from "../requests/state.tsx";

type WholeSession = z.output<typeof sessionDetailSchema>;
type Entry = WholeSession["data"][number];
type RequestEntry = Extract<Entry, { type: "request" | "run" }>;
type CheckEntry = Extract<Entry, { type: "policy_check" }>;

const LISTED = 100;
const FRAME = { section: "sessions", title: "Session" } as const;

function Tiles({ session }: { session: WholeSession }) {
	const { requests, runs, failed, checks, tokens, cost_usd, first_at, last_at } = session;
	const lastedMs = Date.parse(last_at) - Date.parse(first_at);
	const tiles: readonly PlainTile[] = [
		{
			label: "Cost",
			value: formatUsd(cost_usd),
			exact: `${formatExactUsd(cost_usd)} USD`,
			hint: requests === 0 ? "nothing was billed" : `${formatUsd(cost_usd / requests)} a request`,
		},
		{ label: "Requests", value: formatCount(requests), hint: `${formatCount(runs)} of them agent runs` },
		{ label: "Without an answer", value: formatCount(failed), hint: "failed or refused, and not billed" },
		{ label: "Tokens", value: formatCount(tokens), hint: "of prompts and answers" },
		{ label: "Policy checks", value: formatCount(checks), hint: "by hooks and by the interface" },
		{
			label: "From first to last",
			value: formatDuration(lastedMs),
			hint: (
				<>
					since <Time iso={first_at} /> UTC
				</>
			),
		},
	];
	return <PlainTiles tiles={tiles} />;
}

function RequestLines(entry: RequestEntry) {
	return (
		<>
			<a class="line" href={requestPath(entry)}>
				<Words text={`${requestKindName(entry.kind)}${entry.model === null ? "" : `: ${entry.model}`}`} />
			</a>
			<span class="hint">
				<Line text={requestWhy(entry)} />
			</span>
		</>
	);
}

function CheckCell(entry: CheckEntry) {
	const { workspace_id } = entry;
	return (
		<CheckDetails check={entry}>
			{workspace_id === null ? null : (
				<p>
					In <WorkspaceLink id={workspace_id} />
				</p>
			)}
		</CheckDetails>
	);
}

const NOTHING = <span class="faint">–</span>;

function columns(names: KeyNames): readonly Column<Entry>[] {
	const ofRequest = (cell: (entry: RequestEntry) => Child) => (entry: Entry) =>
		entry.type === "policy_check" ? NOTHING : cell(entry);
	return [
		{ label: "Time (UTC)", cell: ({ at }) => <Time iso={at} /> },
		{
			label: "What happened, and why",
			isWide: true,
			cell: (entry) => (entry.type === "policy_check" ? CheckCell(entry) : RequestLines(entry)),
		},
		{
			label: "Came to",
			cell: (entry) =>
				entry.type === "policy_check" ? (
					<DecisionBadge decision={entry.decision ?? "unknown"} />
				) : (
					<RequestState request={entry} />
				),
		},
		{
			label: "Key",
			cell: (entry) => {
				if (entry.type === "policy_check") return <Actor names={names} actor={entry.actor} />;
				return entry.key_id === null ? NOTHING : <KeyLink names={names} keyId={entry.key_id} />;
			},
		},
		{ label: "Tokens", isNumeric: true, cell: ofRequest(({ tokens }) => <Count count={tokens} />) },
		{ label: "Latency", isNumeric: true, cell: ofRequest(({ latency_ms }) => formatDuration(latency_ms)) },
		{ label: "Cost", isNumeric: true, cell: ofRequest(({ cost_usd }) => <Usd usd={cost_usd} />) },
	];
}

function CutNotice() {
	return (
		<Notice kind="note" title="The newest requests are counted">
			<p>This session has more requests than are added up: its cost, tokens and requests are at least these.</p>
		</Notice>
	);
}

interface ContentProps {
	session: WholeSession;
	names: KeyNames;
	query: URLSearchParams;
}

function Content({ session, names, query }: ContentProps) {
	const { id, data, next_cursor, searched_back_to, is_cut } = session;
	return (
		<>
			{is_cut ? <CutNotice /> : null}
			<Tiles session={session} />
			<Table
				caption="What happened, newest first"
				rows={data}
				columns={columns(names)}
				empty={searched_back_to ? "Nothing here yet: the next page goes on." : "Nothing more."}
			/>
			<SearchedBackTo time={searched_back_to} />
			<Pager path={`${SESSIONS_PATH}/${encodeURIComponent(id)}`} query={query} nextCursor={next_cursor} />
		</>
	);
}

function readSession(api: Api, id: string, query: URLSearchParams): Promise<ApiAnswer<WholeSession>> {
	const members = { limit: LISTED, cursor: query.get("cursor") };
	return api.get<WholeSession>(withQuery(`/v1/sessions/${encodeURIComponent(id)}`, members));
}

export const sessionDetailPage: ConsolePage = {
	id: "session",
	method: "GET",
	path: `${SESSIONS_PATH}/{session_id}`,
	async handle({ api, params, query }): Promise<PageAnswer> {
		const [read, names] = await Promise.all([readSession(api, params["session_id"] ?? "", query), readKeyNames(api)]);
		if (!read.ok) return failurePage(FRAME, read.failure);
		const session = read.value;
		const { id } = session;
		return {
			kind: "page",
			...FRAME,
			lead: (
				<>
					<code id="session-id">{showDirectionMarks(id)}</code> <CopyButton of="session-id" label="Copy the id" />
				</>
			),
			actions: (
				<>
					<a class="button quiet" href={withQuery(REQUESTS_PATH, { session_id: id })}>
						Its requests
					</a>
					<a class="button quiet" href={withQuery("/console/policy", { session_id: id })}>
						Its checks
					</a>
				</>
			),
			content: <Content session={session} names={names} query={query} />,
		};
	},
};
