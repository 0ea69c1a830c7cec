// What the pages of one workspace share: their paths, the links between them, and its manifest as the API shows it.
import type { z } from "zod";
import type { manifestResultSchema } from "../../../workspace/schemas.ts";

export type Manifest = z.output<typeof manifestResultSchema>;

export function workspacePath(id: string, page: "" | "/chain" | "/manifest" = ""): string {
	return `/console/workspaces/${encodeURIComponent(id)}${page}`;
}

interface WorkspaceLinksProps {
	id: string;
	page: "" | "/chain" | "/manifest";
}

const PAGES = [
	{ page: "", label: "Overview" },
	{ page: "/chain", label: "Chain of handoffs" },
	{ page: "/manifest", label: "Manifest" },
] as const;

export function WorkspaceLinks({ id, page: current }: WorkspaceLinksProps) {
	const events = `workspace_id=${encodeURIComponent(id)}`;
	return (
		<nav class="pager tabs" aria-label="Workspace">
			{PAGES.map(({ page, label }) => (
				<a
					href={workspacePath(id, page)}
					class={page === current ? "tab-here" : undefined}
					aria-current={page === current ? "page" : undefined}
				>
					{label}
				</a>
			))}
			<a href={`/console/policy?${events}`}>Policy checks</a>
			<a href={`/console/audit?${events}`}>Audit</a>
		</nav>
	);
}
