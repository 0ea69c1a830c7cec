// The audit log: who did what, with filters, newest first.
import type { z } from "zod";
import type { auditEventsSchema } from "../../audit/endpoints.edge.ts";
import { EVENT_TYPES } from "../../audit/event.ts";
import { AGENTS } from "../../hooks/agents.ts";
import { renderJson } from "../json-text.ts";
import { type KeyNames, keyOptions, readKeyNames } from "../key-names.ts";
import { listPage } from "../list-page.tsx";
import type { ConsolePage, PageRequest } from "../page.ts";
import { CheckLines, Line, RowDetails } from "../views/check.tsx";
import { DecisionBadge, EVENT_FILTERS, EventOrigin, WorkspaceLink } from "../views/events.tsx";
import { CodeBlock, type Column, CopiedCode, EmptyState, Time } from "../views/parts.tsx";
import { Actor } from "../views/who.tsx";

type AuditEvent = z.output<typeof auditEventsSchema>["data"][number];

const EVENT_OPTIONS = EVENT_TYPES.map((type) => [type, type] as const);

const FIRST_EVENT = `curl "$SVC_BASE_URL/policy/check" -H "authorization: Bearer $SVC_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"workspace_id":"my-project","action":"Run the tests","commands":["npm test"]}'`;

function NoEvents() {
	return (
		<EmptyState icon="audit" title="Nothing is recorded yet">
			<p>Policy checks, handoffs, agent runs and changes of keys and manifests are. Begin:</p>
			<CopiedCode id="first-event" label="A first policy check" text={FIRST_EVENT} />
		</EmptyState>
	);
}

/** Kinds of events as people say them. */
function eventWords(kind: AuditEvent["event_type"]): string {
	return kind.replaceAll("_", " ");
}

/** What an event is about, in a line: of a check what was asked, of others what their payload says first. */
function About({ event_type, payload }: AuditEvent) {
	if (event_type === "policy_check") return <CheckLines payload={payload} />;
	const shown = Object.entries(payload)
		.filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
		.map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`);
	return <Line text={shown.join(" · ")} />;
}

function AboutCell(event: AuditEvent) {
	const { id, payload } = event;
	return (
		<RowDetails lines={About(event)}>
			<p class="hint">
				Recorded as <code>{id}</code>
			</p>
			<CodeBlock label={`Payload of ${id}`} text={renderJson(payload)} />
		</RowDetails>
	);
}

function auditColumns(_: PageRequest, names: KeyNames): readonly Column<AuditEvent>[] {
	return [
		{
			label: "Event",
			cell: ({ event_type, decision }) => (
				<>
					<span class="name">{eventWords(event_type)}</span>{" "}
					{decision === undefined ? null : <DecisionBadge decision={decision} />}
				</>
			),
		},
		{ label: "About", isWide: true, cell: AboutCell },
		{
			label: "Who",
			cell: ({ actor, payload }) => (
				<>
					<Actor names={names} actor={actor} />
					<EventOrigin payload={payload} />
				</>
			),
		},
		{
			label: "Workspace",
			cell: ({ workspace_id }) => (workspace_id === null ? "–" : <WorkspaceLink id={workspace_id} />),
		},
		{ label: "Time (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
	];
}

const auditPage = listPage<AuditEvent, KeyNames>({
	id: "audit",
	section: "audit",
	title: "Audit log",
	path: "/console/audit",
	apiPath: "/v1/audit/events",
	load: ({ api }) => readKeyNames(api),
	filters: [
		{ name: "event_type", label: "Event", options: EVENT_OPTIONS },
		{ name: "agent", label: "Agent", options: AGENTS.map((agent) => [agent, agent] as const) },
		{ name: "session_id", label: "Session", type: "text" },
		{ name: "directory", label: "Directory", type: "text" },
		{ name: "permission_mode", label: "Permission mode", type: "text" },
		...EVENT_FILTERS,
	],
	options: (names) => ({
		actor: [["operator", "operator"], ...keyOptions(names, (keyId) => `key:${keyId}`)],
		event_type: EVENT_TYPES.map((kind) => [kind, eventWords(kind)] as const),
	}),
	noun: "event",
	lead: "Who did what with this account. Events are only ever added, never changed or removed.",
	caption: "Events, newest first",
	columns: auditColumns,
	empty: <NoEvents />,
});

export const auditPages: readonly ConsolePage[] = [auditPage];
