// The list of workspaces, by name.
import type { z } from "zod";
import type { workspaceListSchema } from "../../../workspace/list-endpoint.edge.ts";
import { listPage } from "../../list-page.tsx";
import { WorkspaceLink } from "../../views/events.tsx";
import { type Column, CopiedCode, Count, EmptyState, Time } from "../../views/parts.tsx";

type Workspace = z.output<typeof workspaceListSchema>["data"][number];

const FIRST_HANDOFF = `curl "$SVC_BASE_URL/handoff" -H "authorization: Bearer $SVC_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"workspace_id":"my-project","objective":"Set up the project","to_tool":"reviewer"}'`;

const COLUMNS: readonly Column<Workspace>[] = [
	{ label: "Workspace", cell: ({ workspace_id }) => <WorkspaceLink id={workspace_id} /> },
	{ label: "Handoffs", isNumeric: true, cell: ({ handoffs }) => <Count count={handoffs} /> },
	{
		label: "Manifest",
		cell: ({ manifest_version: version }) => (version === null ? "built-in rules only" : `version ${version}`),
	},
	{ label: "Last activity (UTC)", cell: ({ last_activity_at }) => <Time iso={last_activity_at} /> },
];

function NoWorkspaces() {
	return (
		<EmptyState icon="workspaces" title="No workspace yet">
			<p>One begins with its first handoff, policy check, run or manifest:</p>
			<CopiedCode id="first-handoff" label="A first handoff" text={FIRST_HANDOFF} />
		</EmptyState>
	);
}

export const workspacesPage = listPage<Workspace>({
	id: "workspaces",
	section: "workspaces",
	title: "Workspaces",
	path: "/console/workspaces",
	apiPath: "/v1/workspaces",
	filters: [],
	noun: "workspace",
	lead: "Projects that agents work in, each with its chain of handoffs and its policy.",
	caption: "Workspaces, by name",
	columns: () => COLUMNS,
	empty: <NoWorkspaces />,
});
