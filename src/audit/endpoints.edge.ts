// The audit log over HTTP: read, filtered and paged. Nothing here adds, changes or removes an event.

import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { readableMakers } from "../account/makers.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, nextPageMembers, searchedBackToMember, toNextPage } from "../http/list-answer.ts";
import { readListCursor } from "../http/list-position.ts";
import { integerParam, timestampParam } from "../http/query.ts";
import { workspaceIdSchema } from "../ids.ts";
import { type AuditEventRow, DECISIONS, EVENT_TYPES, isEventId, RISK_TIERS, toActor } from "./event.ts";
import { findEvents } from "./events.store.ts";
import { readUnflushedEvents } from "./owners.edge.ts";
import { mergeEventPage } from "./page.ts";

const DEFAULT_EVENTS = 50;
const MOST_EVENTS = 200;

/** An event as shown. */
export const auditEventSchema = z.lazy(() =>
	z.object({
		id: z.string().describe("Id of the event."),
		event_type: z.enum(EVENT_TYPES).describe("What happened."),
		workspace_id: z.string().nullable().describe("Its workspace, if it has one."),
		actor: z.string().describe("`key:<key id>` or `operator`."),
		payload: z.record(z.string(), z.unknown()).describe("Content of the event, by its type."),
		created_at: z.string().describe("When it happened."),
		decision: z.enum(DECISIONS).optional().describe("Decision of a policy check."),
		risk_score: z.int().optional().describe("Risk score of a policy check."),
		risk_tier: z.enum(RISK_TIERS).optional().describe("Its tier."),
	}),
);
/** `GET /v1/audit/events`. */
export const auditEventsSchema = z.lazy(() =>
	z.object({
		object: z.literal("audit.events"),
		count: z.int().describe("Events on this page."),
		...nextPageMembers(),
		...searchedBackToMember(),
		data: z.array(auditEventSchema),
	}),
);
const payloadSchema = z.record(z.string(), z.unknown());

/** An event as shown; the columns of a decision stand on events that have one. */
export function toEventView(row: AuditEventRow): z.input<typeof auditEventSchema> {
	const { id, event_type, workspace_id, actor, created_at, decision, risk_score, risk_tier } = row;
	const payload = payloadSchema.parse(JSON.parse(row.payload));
	const event = { id, event_type, workspace_id, actor, payload, created_at };
	return decision === null ? event : auditEventSchema.parse({ ...event, decision, risk_score, risk_tier });
}

const listAuditEventsEndpoint = endpoint({
	id: "list_audit_events",
	method: "GET",
	path: "/v1/audit/events",
	access: "key",
	toolGroup: "policy",
	command: "audit",
	page: "audit",
	summary: "The caller's audit log, newest first.",
	description: "To see who did what and how policy checks were decided, newest first, in pages.",
	query: z.lazy(() =>
		z.object({
			workspace_id: workspaceIdSchema.optional().describe("Only events of this workspace."),
			event_type: z.enum(EVENT_TYPES).optional().describe("Only events of this type."),
			decision: z.enum(DECISIONS).optional().describe("Only policy checks that were decided so."),
			actor: z.string().optional().describe("Only events of this actor: `key:<key id>` or `operator`."),
			agent: z
				.string()
				.optional()
				.describe("Only events from the hook of this coding agent: `claude-code` or `codex`."),
			session_id: z.string().optional().describe("Only events of this session of a coding agent."),
			directory: z.string().optional().describe("Only events of coding agents in this directory."),
			permission_mode: z.string().optional().describe("Only events of coding agents in this permission mode."),
			run_id: z
				.string()
				.optional()
				.describe("Only events of this run: its plan, checks of its calls, decisions on them."),
			since: timestampParam.optional().describe("Only events from then on."),
			until: timestampParam.optional().describe("Only events before."),
			limit: integerParam(1, MOST_EVENTS).default(DEFAULT_EVENTS).describe("Events of a page."),
			cursor: cursorParam(),
		}),
	),
	result: auditEventsSchema,
	ids: {
		workspace_id: { chosenIn: "create_handoff" },
		run_id: { answerOf: "start_agent_run" },
		cursor: { pageAfter: "create_handoff" },
	},
	example: { query: { workspace_id: "order-service", limit: "2" } },
	async handle({ query, context }) {
		const { limit, cursor, ...wanted } = query;
		const { workspace_id: workspaceId, event_type: eventType, session_id: sessionId, ...others } = wanted;
		const { permission_mode: permissionMode, run_id: runId, ...sameNames } = others;
		const after = readListCursor(cursor, isEventId);
		if (!after.ok) return after;
		const readableActors = readableMakers(context.account)?.map((keyId) => toActor({ keyId }));
		const filter = { workspaceId, eventType, sessionId, permissionMode, runId, readableActors, ...sameNames };
		const page = { filter, after: after.value, limit };
		// The owners first: what they flush after this is found in D1.
		const unflushed = await readUnflushedEvents(context, page);
		if (!unflushed.ok) return unflushed;
		const stored = await context.timings.measure("d1", () => findEvents(context.db, context.account.userId, page));
		const { events, nextCursor, searchedBackTo } = mergeEventPage(stored, unflushed.value, page);
		return ok({
			object: "audit.events" as const,
			count: events.length,
			...toNextPage(nextCursor),
			searched_back_to: searchedBackTo,
			data: events.map(toEventView),
		});
	},
});

export const auditEndpoints: readonly Endpoint[] = [listAuditEventsEndpoint];
