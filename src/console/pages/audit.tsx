// The audit log: who did what, with filters, newest first.
import type { z } from "zod";
import type { auditEventsSchema } from "../../audit/endpoints.edge.ts";
import { EVENT_TYPES } from "../../audit/event.ts";
import { AGENTS } from "../../hooks/agents.ts";
import { renderJson } from "../json-text.ts";
import { listPage } from "../list-page.tsx";
import type { ConsolePage } from "../page.ts";
import { DecisionBadge, EVENT_FILTERS, WorkspaceLink } from "../views/events.tsx";
import { CodeBlock, type Column, Time } from "../views/parts.tsx";

type AuditEvent = z.output<typeof auditEventsSchema>["data"][number];

const EVENT_OPTIONS = EVENT_TYPES.map((type) => [type, type] as const);

const FIRST_EVENT = `curl "$SVC_BASE_URL/policy/check" -H "authorization: Bearer $SVC_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"workspace_id":"my-project","action":"Run the tests","commands":["npm test"]}'`;

function NoEvents() {
	return (
		<>
			<p>Nothing is recorded yet. Policy checks, handoffs, agent runs and changes of keys and manifests are. Begin:</p>
			<CodeBlock label="A first policy check" text={FIRST_EVENT} />
		</>
	);
}

const COLUMNS: readonly Column<AuditEvent>[] = [
	{ label: "Time (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
	{
		label: "Event",
		cell: ({ event_type, decision }) => (
			<>
				<span class="name">{event_type}</span> {decision === undefined ? null : <DecisionBadge decision={decision} />}
			</>
		),
	},
	{
		label: "Workspace",
		cell: ({ workspace_id }) => (workspace_id === null ? "–" : <WorkspaceLink id={workspace_id} />),
	},
	{ label: "Actor", cell: ({ actor }) => <code class="number">{actor}</code> },
	{
		label: "Payload",
		cell: ({ id, payload }) => (
			<details>
				<summary>Show</summary>
				<p class="hint">
					<code>{id}</code>
				</p>
				<CodeBlock label={`Payload of ${id}`} text={renderJson(payload)} />
			</details>
		),
	},
];

const auditPage = listPage<AuditEvent>({
	id: "audit",
	section: "audit",
	title: "Audit log",
	path: "/console/audit",
	apiPath: "/v1/audit/events",
	filters: [
		{ name: "event_type", label: "Event", options: EVENT_OPTIONS },
		{ name: "agent", label: "Agent", options: AGENTS.map((agent) => [agent, agent] as const) },
		{ name: "session_id", label: "Session", type: "text" },
		{ name: "directory", label: "Directory", type: "text" },
		{ name: "permission_mode", label: "Permission mode", type: "text" },
		...EVENT_FILTERS,
	],
	noun: "event",
	lead: "Who did what with this account. Events are only ever added, never changed or removed.",
	caption: "Events, newest first",
	columns: () => COLUMNS,
	empty: <NoEvents />,
});

export const auditPages: readonly ConsolePage[] = [auditPage];
