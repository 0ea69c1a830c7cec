// The list of sessions of clients, latest first: what each asked for, what it cost, and what was checked in it.
import type { z } from "zod";
import type { sessionSchema } from "../../../sessions/endpoints.edge.ts";
import { type KeyNames, keyOptions, readKeyNames } from "../../key-names.ts";
import { listPage } from "../../list-page.tsx";
import { TIME_FILTERS } from "../../views/filters.tsx";
import { Badge, type Column, CopiedCode, Count, EmptyState, Time, Usd } from "../../views/parts.tsx";
import { SESSIONS_PATH, SessionLink } from "../../views/session-link.tsx";

type ListedSession = z.output<typeof sessionSchema>;

const FIRST_SESSION = `curl "$SVC_BASE_URL/chat/completions" -H "authorization: Bearer $SVC_API_KEY" \\
  -H "content-type: application/json" -H "x-session-id: my-session" \\
  -d '{"model":"auto","messages":[{"role":"user","content":"Hello"}]}'`;

const COLUMNS: readonly Column<ListedSession>[] = [
	{ label: "Session", isWide: true, cell: ({ id }) => <SessionLink id={id} /> },
	{ label: "Last seen (UTC)", cell: ({ last_at }) => <Time iso={last_at} /> },
	{
		label: "Requests",
		isNumeric: true,
		cell: ({ requests, runs, is_cut }) => (
			<>
				{is_cut ? "at least " : ""}
				<Count count={requests - runs} />
			</>
		),
	},
	{ label: "Runs", isNumeric: true, cell: ({ runs }) => <Count count={runs} /> },
	{ label: "Checks", isNumeric: true, cell: ({ checks }) => <Count count={checks} /> },
	{
		label: "Without an answer",
		isNumeric: true,
		cell: ({ failed }) =>
			failed === 0 ? (
				"0"
			) : (
				<Badge kind="bad">
					<Count count={failed} />
				</Badge>
			),
	},
	{ label: "Tokens", isNumeric: true, cell: ({ tokens }) => <Count count={tokens} /> },
	{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => <Usd usd={cost_usd} /> },
];

export const sessionListPage = listPage<ListedSession, KeyNames>({
	id: "sessions",
	section: "sessions",
	title: "Sessions",
	path: SESSIONS_PATH,
	apiPath: "/v1/sessions",
	load: ({ api }) => readKeyNames(api),
	filters: [{ name: "key_id", label: "Key", options: [] }, ...TIME_FILTERS],
	options: (names) => ({ key_id: keyOptions(names, (keyId) => keyId) }),
	noun: "session",
	lead: "What each session of a coding agent or an application asked for, what it cost, and what was checked in it.",
	caption: "Sessions, last seen first",
	columns: () => COLUMNS,
	empty: (
		<EmptyState icon="sessions" title="No session yet">
			<p>
				Claude Code and Codex name theirs by themselves, and so do <a href="/docs/reference/tools#hooks">the hooks</a>.
				Others say it in a header:
			</p>
			<CopiedCode id="first-session" label="A first request of a session" text={FIRST_SESSION} />
		</EmptyState>
	),
});
