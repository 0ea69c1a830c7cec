// Feedback in D1: one row a request, beside its settlement, which it never touches.
import { and, eq, gt, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { feedback, settlements } from "../db/schema.ts";
import type { Feedback } from "./feedback.ts";

/** The API key of a user's request, null in an old row; undefined when D1 does not have the request's settlement. */
export async function findSettledBy(
	db: Database,
	userId: string,
	requestId: string,
): Promise<string | null | undefined> {
	const row = await db
		.select({ apiKeyId: settlements.apiKeyId })
		.from(settlements)
		.where(and(eq(settlements.requestId, requestId), eq(settlements.userId, userId)))
		.get();
	return row?.apiKeyId;
}

/**
 * Stores feedback, or changes what the request has: one statement decides, so of many at once each is stored whole and the
 * last one stays. Content that is there already, and feedback that is closed, stay as they are.
 * @param closedAt feedback first given at this time, or before it, is closed.
 * @returns what D1 has afterwards, read in the same transaction.
 */
export async function storeFeedback(db: Database, given: Feedback, closedAt: string): Promise<Feedback | undefined> {
	const { requestId, userId, score, reason, createdAt } = feedback;
	const isChange = sql`(${score} <> excluded.score OR ${reason} IS NOT excluded.reason)`;
	const stored = db
		.insert(feedback)
		.values(given)
		.onConflictDoUpdate({
			target: requestId,
			set: { score: sql`excluded.score`, reason: sql`excluded.reason`, updatedAt: sql`excluded.updated_at` },
			setWhere: and(eq(userId, given.userId), gt(createdAt, closedAt), isChange),
		});
	const own = and(eq(requestId, given.requestId), eq(userId, given.userId));
	const [, [row]] = await db.batch([stored, db.select().from(feedback).where(own)]);
	return row;
}
