// The list of workspaces, by name.
import type { z } from "zod";
import type { workspaceListSchema } from "../../../workspace/list-endpoint.edge.ts";
import { withQuery } from "../../api.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { WorkspaceLink } from "../../views/events.tsx";
import { CodeBlock, Count, Failure, Pager, Table, Time } from "../../views/parts.tsx";

type Workspaces = z.output<typeof workspaceListSchema>;

const PATH = "/console/workspaces";

const FIRST_HANDOFF = `curl "$SVC_BASE_URL/handoff" -H "authorization: Bearer $SVC_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"workspace_id":"my-project","objective":"Set up the project","to_tool":"reviewer"}'`;

function WorkspaceTable({ workspaces }: { workspaces: Workspaces["data"] }) {
	return (
		<Table
			caption="Workspaces, by name"
			rows={workspaces}
			empty={
				<>
					<p>No workspace yet. One begins with its first handoff, policy check, run or manifest:</p>
					<CodeBlock label="A first handoff" text={FIRST_HANDOFF} />
				</>
			}
			columns={[
				{ label: "Workspace", cell: ({ workspace_id }) => <WorkspaceLink id={workspace_id} /> },
				{ label: "Handoffs", isNumeric: true, cell: ({ handoffs }) => <Count count={handoffs} /> },
				{
					label: "Manifest",
					cell: ({ manifest_version: version }) => (version === null ? "built-in rules only" : `version ${version}`),
				},
				{ label: "Last activity (UTC)", cell: ({ last_activity_at }) => <Time iso={last_activity_at} /> },
			]}
		/>
	);
}

export const workspacesPage: ConsolePage = {
	id: "workspaces",
	method: "GET",
	path: PATH,
	async handle({ api, query }): Promise<PageAnswer> {
		const workspaces = await api.get<Workspaces>(withQuery("/v1/workspaces", { cursor: query.get("cursor") }));
		return {
			kind: "page",
			title: "Workspaces",
			section: "workspaces",
			...(workspaces.ok ? {} : { status: workspaces.failure.status }),
			content: (
				<>
					<p class="lead">Projects that agents work in, each with its chain of handoffs and its policy.</p>
					{workspaces.ok ? (
						<>
							<WorkspaceTable workspaces={workspaces.value.data} />
							<Pager path={PATH} query={query} nextCursor={workspaces.value.next_cursor} />
						</>
					) : (
						<Failure failure={workspaces.failure} />
					)}
				</>
			),
		};
	},
};
