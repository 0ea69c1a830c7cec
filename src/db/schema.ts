// All D1 tables. What Drizzle cannot express stands in the migrations by hand: WITHOUT ROWID, and the triggers of append-only
// tables.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const users = sqliteTable(
	"users",
	{
		id: text().primaryKey(),
		name: text().notNull(),
		plan: text().notNull(),
		/** ISO 8601, as every `*_at` of text type. */
		createdAt: text("created_at").notNull(),
		/** Counts from 1; request ids hold it. */
		number: integer().notNull(),
		/** What the user stores, as the meter last flushed it; null before the first time. */
		storedBytes: integer("stored_bytes"),
		storedAt: text("stored_at"),
	},
	(table) => [uniqueIndex("users_name").on(table.name), uniqueIndex("users_number").on(table.number)],
);

export const apiKeys = sqliteTable(
	"api_keys",
	{
		id: text().primaryKey(),
		userId: text("user_id")
			.notNull()
			.references(() => users.id),
		/** HMAC-SHA-256 of the key under KEY_PEPPER, hex. */
		digest: text().notNull(),
		last4: text().notNull(),
		createdAt: text("created_at").notNull(),
		revokedAt: text("revoked_at"),
		rotatedFrom: text("rotated_from"),
		/** Counts the key's changes from 1. The meter refuses requests that carry an earlier one than it knows. */
		version: integer().notNull().default(1),
		name: text(),
		/** `owner`, `agent` or `approver`. */
		role: text().notNull().default("owner"),
		/** From this time on, the key is refused. */
		expiresAt: text("expires_at"),
		/** Requests a minute and in 24 hours, where they are fewer than the plan's. */
		rpm: integer(),
		dailyRequests: integer("daily_requests"),
		/** JSON list of the models it may call: ids, tiers, globs; null for all. */
		models: text(),
		/** JSON of a routing config in normal form. */
		brainConfig: text("brain_config"),
		/** JSON list. */
		tags: text().notNull().default("[]"),
		/** The most that it may spend in a period, nano-USD. */
		budgetNanoUsd: integer("budget_nano_usd"),
		/** `day`, `week`, `month` or `total`; null without a budget. */
		budgetPeriod: text("budget_period"),
		/** The key that its costs are booked on: the first of those that replaced each other. Null where that is itself. */
		budgetKeyId: text("budget_key_id"),
		/** The address that the budget's alerts are sent to. */
		alertWebhook: text("alert_webhook"),
		/** Whether it reads only what it made; null for its role's default. */
		ownOnly: integer("own_only", { mode: "boolean" }),
		/** Whether texts of its requests are kept, where the operator keeps any. */
		logTexts: integer("log_texts", { mode: "boolean" }).notNull().default(false),
		/** The output limit of requests that name none. */
		defaultMaxTokens: integer("default_max_tokens"),
		/** The key that made it, also by a rotation; null for one that the operator made. */
		madeBy: text("made_by"),
	},
	(table) => [
		uniqueIndex("api_keys_digest").on(table.digest),
		index("api_keys_user").on(table.userId, table.createdAt),
	],
);

/**
 * Usage by user, day, API key and model, for operators: sums that the users' meters write, absolute, so that the same write twice is the
 * same row. WITHOUT ROWID, so that a sum is one written row.
 */
export const usageDays = sqliteTable(
	"usage_days",
	{
		userId: text("user_id").notNull(),
		/** UTC, `YYYY-MM-DD`: when the requests arrived. */
		day: text().notNull(),
		apiKeyId: text("api_key_id").notNull(),
		model: text().notNull(),
		/** Requests that are counted in this row and in no other: each in that of the model that it counts for. */
		requests: integer().notNull(),
		/** Requests that called the model. One with several models counts in the row of each. */
		modelRequests: integer("model_requests").notNull(),
		calls: integer().notNull(),
		tokens: integer().notNull(),
		inputTokens: integer("input_tokens").notNull(),
		costNanoUsd: integer("cost_nano_usd").notNull(),
		/** Rises with every change. A lower revision never replaces a higher one. */
		revision: integer().notNull(),
	},
	(table) => [primaryKey({ columns: [table.userId, table.day, table.apiKeyId, table.model] })],
);

/** Archives of users' meters: each stands here before it stores anything. */
export const requestArchives = sqliteTable(
	"request_archives",
	{
		userId: text("user_id").notNull(),
		/** Counted from 1. */
		nth: integer().notNull(),
	},
	(table) => [primaryKey({ columns: [table.userId, table.nth] })],
);

/**
 * Settlements that could not be stored where they belong, in the user's meter. Whoever writes first has settled the request: a Worker whose
 * meter is away, or the meter when a reservation expires. Meters take them over. WITHOUT ROWID, as `usage_days`.
 */
export const strandedSettlements = sqliteTable(
	"stranded_settlements",
	{
		requestId: text("request_id").primaryKey(),
		userId: text("user_id").notNull(),
		/** Usage and receipt as JSON. */
		settlement: text().notNull(),
		proofHash: text("proof_hash").notNull(),
		strandedAt: text("stranded_at").notNull(),
		/** When the meter has taken it over; null before. */
		takenAt: text("taken_at"),
	},
	(table) => [index("stranded_settlements_user").on(table.userId, table.takenAt)],
);

/** Ledger entries, append-only by triggers. The columns repeat the signed subject; lists are canonical JSON. */
export const handoffs = sqliteTable(
	"handoffs",
	{
		id: text().primaryKey(),
		userId: text("user_id").notNull(),
		workspaceId: text("workspace_id").notNull(),
		seq: integer().notNull(),
		objective: text().notNull(),
		fromTool: text("from_tool"),
		toTool: text("to_tool"),
		filesTouched: text("files_touched").notNull(),
		constraints: text().notNull(),
		risks: text().notNull(),
		validation: text().notNull(),
		recommendedNextAction: text("recommended_next_action"),
		actionKind: text("action_kind").notNull(),
		/** The JSON number as text: SQLite does not return every double unchanged. */
		estCost: text("est_cost"),
		riskScore: integer("risk_score").notNull(),
		riskTier: text("risk_tier").notNull(),
		riskFactors: text("risk_factors").notNull(),
		prevHandoffId: text("prev_handoff_id"),
		prevHash: text("prev_hash"),
		prevSignature: text("prev_signature"),
		createdAt: text("created_at").notNull(),
		/** Canonical JSON: the bytes that are hashed and signed. */
		subject: text().notNull(),
		hash: text().notNull(),
		leafHash: text("leaf_hash").notNull(),
		signature: text(),
		keyId: text("key_id"),
		/** As the origin of its checkpoints names the owner; null in entries from before subjects named it. */
		owner: text(),
	},
	(table) => [uniqueIndex("handoffs_chain").on(table.userId, table.workspaceId, table.seq)],
);

/** The audit log, append-only by triggers. */
export const auditEvents = sqliteTable(
	"audit_events",
	{
		id: text().primaryKey(),
		userId: text("user_id").notNull(),
		workspaceId: text("workspace_id"),
		eventType: text("event_type").notNull(),
		actor: text().notNull(),
		decision: text(),
		riskScore: integer("risk_score"),
		riskTier: text("risk_tier"),
		/** JSON object. */
		payload: text().notNull(),
		createdAt: text("created_at").notNull(),
		// Of events that come from the hook of a coding agent.
		agent: text(),
		sessionId: text("session_id"),
		directory: text(),
		permissionMode: text("permission_mode"),
	},
	(table) => [
		index("audit_events_user").on(table.userId, table.createdAt, table.id),
		index("audit_events_workspace").on(table.userId, table.workspaceId, table.createdAt, table.id),
		index("audit_events_type").on(table.userId, table.eventType, table.createdAt, table.id),
		// Only policy checks have a decision.
		index("audit_events_decision")
			.on(table.userId, table.decision, table.createdAt, table.id)
			.where(sql`${table.decision} IS NOT NULL`),
		index("audit_events_session")
			.on(table.userId, table.sessionId, table.createdAt, table.id)
			.where(sql`${table.sessionId} IS NOT NULL`),
		index("audit_events_agent")
			.on(table.userId, table.agent, table.createdAt, table.id)
			.where(sql`${table.agent} IS NOT NULL`),
	],
);

/** Every manifest that was ever in force. The highest version of a workspace is the one in force now. */
export const workspaceManifests = sqliteTable(
	"workspace_manifests",
	{
		userId: text("user_id").notNull(),
		workspaceId: text("workspace_id").notNull(),
		/** Counts from 1. */
		version: integer().notNull(),
		digest: text().notNull(),
		/** The normalized manifest as JSON; empty where an earlier version of the workspace is the same. */
		manifest: text().notNull(),
		createdAt: text("created_at").notNull(),
		/** The earlier version whose row has the text; null where this one has it. */
		sameAs: integer("same_as"),
	},
	(table) => [primaryKey({ columns: [table.userId, table.workspaceId, table.version] })],
);

/** Shared routing configs: public by id, never changed. */
export const brainShares = sqliteTable(
	"brain_shares",
	{
		/** 10 base58 characters. */
		id: text().primaryKey(),
		userId: text("user_id").notNull(),
		title: text(),
		/** The text as sent; null when an object was sent. */
		brainMd: text("brain_md"),
		/** The normalized config as JSON. */
		config: text().notNull(),
		/** Digest of the normalized config. */
		configDigest: text("config_digest").notNull(),
		/** JSON list of its errors; empty when it is valid. */
		errors: text().notNull(),
		/** Digest of everything above except the id. A user who shares the same content again gets the same share. */
		contentDigest: text("content_digest").notNull(),
		createdAt: text("created_at").notNull(),
	},
	(table) => [
		uniqueIndex("brain_shares_content").on(table.userId, table.contentDigest),
		index("brain_shares_user").on(table.userId, table.createdAt, table.id),
	],
);

/** Agent runs, as their objects last wrote them. A run in progress may be a moment ahead of its row. */
export const agentRuns = sqliteTable(
	"agent_runs",
	{
		/** `agt_` and a ULID. */
		id: text().primaryKey(),
		userId: text("user_id").notNull(),
		createdAt: text("created_at").notNull(),
		/** Rises with every change. A lower revision never replaces a higher one. */
		revision: integer().notNull(),
		status: text().notNull(),
		/** JSON of the run as lists show it. */
		summary: text().notNull(),
		/** JSON of the whole run once it is over; null before, and when it is too large for a row. */
		run: text(),
		/** The API key that began it; null in rows from before this column. */
		apiKeyId: text("api_key_id"),
		/** What the run counts as, in the sum of its user; null in rows from before this column. */
		storedBytes: integer("stored_bytes"),
	},
	(table) => [
		index("agent_runs_key").on(table.userId, table.apiKeyId, table.createdAt, table.id),
		// A recount reads this alone: behind the texts, a column is far away.
		index("agent_runs_stored").on(table.userId, table.storedBytes),
		index("agent_runs_user").on(table.userId, table.createdAt, table.id),
		index("agent_runs_status").on(table.userId, table.status, table.createdAt, table.id),
		// For the gauge of what waits in the whole deployment. Runs that do not wait stand in it no time.
		index("agent_runs_waiting").on(table.status).where(sql`status = 'requires_action'`),
	],
);

/** The backups that this deployment was restored from: at most one. */
export const restores = sqliteTable("restores", {
	/** `bak_` and a ULID. */
	backupId: text("backup_id").primaryKey(),
	/** `LOG_ORIGIN` of the service that was backed up. */
	logOrigin: text("log_origin").notNull(),
	backedUpAt: text("backed_up_at").notNull(),
	startedAt: text("started_at").notNull(),
	/** Null until everything is back. */
	finishedAt: text("finished_at"),
});
