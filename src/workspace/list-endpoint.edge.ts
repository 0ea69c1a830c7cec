// The list of a user's workspaces over HTTP.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import type { AuditEventRow } from "../audit/event.ts";
import { readUnflushedEvents } from "../audit/owners.edge.ts";
import { fail, ok, type Result } from "../failure.ts";
import { cursorParam, listSchema, toNextPage } from "../http/list-answer.ts";
import { integerParam } from "../http/query.ts";
import { ledgerClient } from "../ledger/ledger-client.edge.ts";
import { mergeWorkspaces, parseWorkspaceCursor, type UnflushedWorkspace, workspaceSchema } from "./workspace-list.ts";
import { findWorkspaces } from "./workspaces.store.ts";

const DEFAULT_WORKSPACES = 50;
const MOST_WORKSPACES = 200;

/** The newest event of each workspace among some. */
function newestByWorkspace(events: readonly AuditEventRow[]): Map<string, string> {
	const newest = new Map<string, string>();
	for (const { workspace_id: id, created_at } of events)
		if (id !== null && created_at > (newest.get(id) ?? "")) newest.set(id, created_at);
	return newest;
}

/** What D1 lacks of workspaces: their objects and those of runs hold it. */
async function readUnflushedWorkspaces(context: KeyContext): Promise<Result<UnflushedWorkspace[]>> {
	const { account, env } = context;
	const events = await readUnflushedEvents(context, { filter: {}, after: null, limit: 1 });
	if (!events.ok) return events;
	const read = [...newestByWorkspace(events.value)].map(async ([workspace_id, last_event_at]) => {
		const { size } = await ledgerClient(env, account.userId, workspace_id).state();
		return { workspace_id, last_event_at, handoffs: size };
	});
	return ok(await Promise.all(read));
}

/** `GET /v1/workspaces`. */
export const workspaceListSchema = z.lazy(() => listSchema(workspaceSchema));

export const listWorkspacesEndpoint = endpoint({
	id: "list_workspaces",
	method: "GET",
	path: "/v1/workspaces",
	access: "key",
	toolGroup: "workspaces",
	command: "workspaces",
	page: "workspaces",
	summary: "The caller's workspaces, by name.",
	description: "To find a workspace's id; get_workspace_snapshot shows what is in one.",
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MOST_WORKSPACES).default(DEFAULT_WORKSPACES).describe("Workspaces of a page."),
			cursor: cursorParam(),
		}),
	),
	result: workspaceListSchema,
	ids: { cursor: { pageAfter: "create_handoff" } },
	async handle({ query: { limit, cursor }, context }) {
		const { account, db, timings } = context;
		const after = cursor === undefined ? "" : parseWorkspaceCursor(cursor);
		if (after === null) {
			const message = "is not a next_cursor of this endpoint";
			return fail({ reason: "invalid_request", issues: [{ path: "cursor", message }] });
		}
		// The owners first: what they flush after this is found in D1.
		const unflushed = await readUnflushedWorkspaces(context);
		if (!unflushed.ok) return unflushed;
		const stored = await timings.measure("d1", () => findWorkspaces(db, account.userId, after, limit + 1));
		const { workspaces, nextCursor } = mergeWorkspaces(stored, unflushed.value, after, limit);
		return ok({
			object: "list" as const,
			...toNextPage(nextCursor),
			data: workspaces,
		});
	},
});
