// All D1 tables. Triggers that keep the usage rollups stand in the migrations.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const users = sqliteTable(
	"users",
	{
		id: text().primaryKey(),
		name: text().notNull(),
		plan: text().notNull(),
		/** ISO 8601, as every `*_at` of text type. */
		createdAt: text("created_at").notNull(),
	},
	(table) => [uniqueIndex("users_name").on(table.name)],
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
	},
	(table) => [
		uniqueIndex("api_keys_digest").on(table.digest),
		index("api_keys_user").on(table.userId, table.createdAt),
	],
);

/** One row per API request that called a model. Never changed; inserted once per request id. */
export const usage = sqliteTable(
	"usage",
	{
		requestId: text("request_id").primaryKey(),
		userId: text("user_id").notNull(),
		createdAt: text("created_at").notNull(),
		kind: text().notNull(),
		model: text().notNull(),
		provider: text().notNull(),
		mode: text().notNull(),
		tokens: integer().notNull(),
		/** How many of `tokens` were input; null in rows of versions that did not keep it. */
		inputTokens: integer("input_tokens"),
		costNanoUsd: integer("cost_nano_usd").notNull(),
		estimated: integer({ mode: "boolean" }).notNull(),
		outcome: text().notNull(),
		latencyMs: integer("latency_ms").notNull(),
		fallback: integer({ mode: "boolean" }).notNull(),
		/** JSON: one `{model, provider, tokens, input_tokens, cost_nano_usd}` per model call. */
		calls: text().notNull(),
	},
	(table) => [index("usage_user_time").on(table.userId, table.createdAt, table.requestId)],
);

/** Totals per user: dimension `total` (name ''), `model`, `provider`, `mode`. Kept by a trigger on `usage`. */
export const usageRollups = sqliteTable(
	"usage_rollups",
	{
		userId: text("user_id").notNull(),
		dimension: text().notNull(),
		name: text().notNull(),
		requests: integer().notNull(),
		tokens: integer().notNull(),
		/** How many of `tokens` were input. */
		inputTokens: integer("input_tokens").notNull().default(0),
		costNanoUsd: integer("cost_nano_usd").notNull(),
	},
	(table) => [primaryKey({ columns: [table.userId, table.dimension, table.name] })],
);

/** Signed receipts, public by request id. */
export const receipts = sqliteTable("receipts", {
	requestId: text("request_id").primaryKey(),
	userId: text("user_id").notNull(),
	kind: text().notNull(),
	/** The receipt object as JSON. */
	receipt: text().notNull(),
	proofHash: text("proof_hash").notNull(),
	signature: text(),
	keyId: text("key_id"),
	createdAt: text("created_at").notNull(),
});
