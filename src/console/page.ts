// What a page of the console is: its path, who may see it, and how a request becomes a page, a redirect or a response.
import type { Child } from "hono/jsx";
import type { Api } from "./api.ts";
import type { ConsoleService } from "./service.ts";
import type { Session } from "./session.ts";

interface Section {
	path: string;
	label: string;
	/** Whether its address may name a time zone. */
	hasZone?: boolean;
}

/** Entries of the navigation, by id. Each has an icon of its name (views/icons.tsx). */
export const SECTIONS = {
	overview: { path: "/console", label: "Overview", hasZone: true },
	requests: { path: "/console/requests", label: "Requests", hasZone: true },
	models: { path: "/console/models", label: "Models" },
	sessions: { path: "/console/sessions", label: "Sessions" },
	keys: { path: "/console/keys", label: "Keys" },
	waiting: { path: "/console/waiting", label: "Waiting" },
	runs: { path: "/console/runs", label: "Agent runs" },
	workspaces: { path: "/console/workspaces", label: "Workspaces" },
	policy: { path: "/console/policy", label: "Policy" },
	audit: { path: "/console/audit", label: "Audit" },
	playground: { path: "/console/playground", label: "Playground" },
	config: { path: "/console/config", label: "Config" },
} as const satisfies Record<string, Section>;
export type SectionId = keyof typeof SECTIONS;

interface NavGroup {
	/** Null for the first one, which needs none. */
	label: string | null;
	sections: readonly SectionId[];
}

/** The navigation in its order: every section once. */
export const NAV_GROUPS: readonly NavGroup[] = [
	{ label: null, sections: ["overview", "requests", "playground", "models"] },
	{ label: "Agents", sections: ["waiting", "runs", "sessions", "workspaces", "policy", "audit"] },
	{ label: "Settings", sections: ["keys", "config"] },
];

/** What a key that only decides may see. */
const APPROVER_SECTIONS: readonly SectionId[] = ["waiting", "runs"];

/** The navigation of a key, which shows what the key may read. */
export function navGroupsFor({ role }: Pick<Session, "role">): readonly NavGroup[] {
	if (role !== "approver") return NAV_GROUPS;
	return NAV_GROUPS.map(({ label, sections }) => ({
		label,
		sections: sections.filter((id) => APPROVER_SECTIONS.includes(id)),
	})).filter(({ sections }) => sections.length > 0);
}

/** A request to a page, authenticated where the page needs it. */
export interface PageRequest {
	/** The path's parameters, decoded. */
	params: Readonly<Record<string, string>>;
	query: URLSearchParams;
	/** The form's fields; empty for GET. */
	form: URLSearchParams;
	session: Session;
	api: Api;
	service: ConsoleService;
}

export interface ShownPage {
	kind: "page";
	/** The title, without the service's name. */
	title: string;
	section: SectionId;
	/** What the page is for, in a sentence under its title. */
	lead?: Child;
	/** What may be done here: links and buttons beside the title. */
	actions?: Child;
	content: Child;
	/** Whether the page has the playground's conversation, whose script is loaded by it alone. */
	hasConversation?: boolean;
	/** Whether the page has charts, whose script is loaded by such pages alone. */
	hasCharts?: boolean;
	/** Whether the page has a receipt that its script checks in the browser, loaded by such pages alone. */
	hasReceipt?: boolean;
	/** 200 unless it says otherwise. */
	status?: number | undefined;
	headers?: Record<string, string>;
}

export type PageAnswer =
	| ShownPage
	/** 303 to a page of the console. */
	| { kind: "redirect"; to: string }
	/** A response of its own: a stream, or part of a page for a script. */
	| { kind: "response"; response: Response };

/** A page for signed-in browsers. A POST comes from the console's own pages only. */
export interface ConsolePage {
	/** The page's name in logs. */
	id: string;
	method: "GET" | "POST";
	/** With parameters as `{name}`, which match one part of the path, decoded. */
	path: `/console${string}`;
	handle(request: PageRequest): Promise<PageAnswer>;
}
