// Receipts in D1, by request id.
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { settlements, users } from "../db/schema.ts";
import type { StoredReceipt } from "../meter/settlement.ts";

function receiptQuery(db: Database, requestId: string) {
	const { kind, receipt, proofHash: proof_hash, signature, keyId: key_id } = settlements;
	return db
		.select({ request_id: settlements.requestId, kind, receipt, proof_hash, signature, key_id })
		.from(settlements)
		.where(eq(settlements.requestId, requestId));
}

/** The receipt of a request. */
export async function findReceipt(db: Database, requestId: string): Promise<StoredReceipt | undefined> {
	return receiptQuery(db, requestId).get();
}

/** The receipt of a request, and the id of the user with a number, whose meter may have a receipt that D1 lacks. */
export async function findReceiptOrUser(
	db: Database,
	requestId: string,
	userNumber: number | null,
): Promise<{ receipt: StoredReceipt | undefined; userId: string | undefined }> {
	if (userNumber === null) return { receipt: await findReceipt(db, requestId), userId: undefined };
	const user = db.select({ id: users.id }).from(users).where(eq(users.number, userNumber));
	const [[receipt], [owner]] = await db.batch([receiptQuery(db, requestId), user]);
	return { receipt, userId: owner?.id };
}
