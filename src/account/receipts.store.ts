// Stored receipts, by request id.
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { receipts } from "../db/schema.ts";

/** The stored receipt of a request, or undefined. */
export async function findReceipt(db: Database, requestId: string) {
	return db.select().from(receipts).where(eq(receipts.requestId, requestId)).get();
}
