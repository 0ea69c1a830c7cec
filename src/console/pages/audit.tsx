// The audit log: who did what, with filters, newest first.
import type { z } from "zod";
import type { auditEventsSchema } from "../../audit/endpoints.edge.ts";
import { renderJson } from "../json-text.ts";
import type { ConsolePage, PageAnswer } from "../page.ts";
import {
	DecisionBadge,
	EventFilters,
	eventsPath,
	isFiltered,
	SearchedBackTo,
	WorkspaceLink,
} from "../views/events.tsx";
import { CodeBlock, Failure, Pager, Table, Time } from "../views/parts.tsx";

type Events = z.output<typeof auditEventsSchema>;

const PATH = "/console/audit";

const EVENT_TYPES: readonly Events["data"][number]["event_type"][] = [
	"policy_check",
	"handoff_created",
	"agent_plan",
	"agent_record",
	"manifest_changed",
	"key_created",
	"key_changed",
	"key_revoked",
	"key_budget_alert",
	"key_webhook_failed",
	"compliance_blocked",
];

const FIRST_EVENT = `curl "$SVC_BASE_URL/policy/check" -H "authorization: Bearer $SVC_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"workspace_id":"my-project","action":"Run the tests","commands":["npm test"]}'`;

function NoEvents({ query }: { query: URLSearchParams }) {
	if (isFiltered(query))
		return (
			<p>
				No event matches. <a href={PATH}>Show all</a>
			</p>
		);
	return (
		<>
			<p>Nothing is recorded yet. Policy checks, handoffs, agent runs and changes of keys and manifests are. Begin:</p>
			<CodeBlock label="A first policy check" text={FIRST_EVENT} />
		</>
	);
}

function EventTable({ events, query }: { events: Events; query: URLSearchParams }) {
	return (
		<Table
			caption="Events, newest first"
			rows={events.data}
			empty={<NoEvents query={query} />}
			columns={[
				{ label: "Time (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
				{
					label: "Event",
					cell: ({ event_type, decision }) => (
						<>
							{event_type} {decision === undefined ? null : <DecisionBadge decision={decision} />}
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
			]}
		/>
	);
}

const auditPage: ConsolePage = {
	id: "audit",
	method: "GET",
	path: PATH,
	async handle({ api, query }): Promise<PageAnswer> {
		const events = await api.get<Events>(eventsPath(query));
		return {
			kind: "page",
			title: "Audit log",
			section: "audit",
			...(events.ok ? {} : { status: events.failure.status }),
			content: (
				<>
					<p class="lead">Who did what with this account. Events are only ever added, never changed or removed.</p>
					<EventFilters
						path={PATH}
						query={query}
						selects={[
							{ name: "event_type", label: "Event", none: "all", options: EVENT_TYPES },
							{ name: "decision", label: "Decision", none: "all", options: ["allow", "confirm", "approve", "deny"] },
						]}
					/>
					{events.ok ? (
						<>
							<EventTable events={events.value} query={query} />
							<SearchedBackTo time={events.value.searched_back_to} />
							<Pager path={PATH} query={query} nextCursor={events.value.next_cursor} />
						</>
					) : (
						<Failure failure={events.failure} />
					)}
				</>
			),
		};
	},
};

export const auditPages: readonly ConsolePage[] = [auditPage];
