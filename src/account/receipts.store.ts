// Stored receipts, by request id.
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { receipts } from "../db/schema.ts";

/** The row under its column names. */
const columns = {
	request_id: receipts.requestId,
	user_id: receipts.userId,
	kind: receipts.kind,
	receipt: receipts.receipt,
	proof_hash: receipts.proofHash,
	signature: receipts.signature,
	key_id: receipts.keyId,
	created_at: receipts.createdAt,
};

/** The stored receipt of a request, or undefined. */
export async function findReceipt(db: Database, requestId: string) {
	return db.select(columns).from(receipts).where(eq(receipts.requestId, requestId)).get();
}
