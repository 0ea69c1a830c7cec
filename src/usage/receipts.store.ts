// Stored receipts, by request id.
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { receipts, settlements, users } from "../db/schema.ts";
import type { StoredReceipt } from "../meter/settlement.ts";

function receiptQueries(db: Database, requestId: string) {
	const { kind, receipt, proofHash: proof_hash, signature, keyId: key_id } = settlements;
	const old = {
		request_id: receipts.requestId,
		kind: receipts.kind,
		receipt: receipts.receipt,
		proof_hash: receipts.proofHash,
		signature: receipts.signature,
		key_id: receipts.keyId,
	};
	return [
		db
			.select({ request_id: settlements.requestId, kind, receipt, proof_hash, signature, key_id })
			.from(settlements)
			.where(eq(settlements.requestId, requestId)),
		db.select(old).from(receipts).where(eq(receipts.requestId, requestId)),
	] as const;
}

/** The stored receipt of a request, or undefined. */
export async function findReceipt(db: Database, requestId: string): Promise<StoredReceipt | undefined> {
	const [[found], [old]] = await db.batch(receiptQueries(db, requestId));
	return found ?? old;
}

/** The same, and the user behind a number, who is the one to ask when there is none. */
export async function findReceiptOrUser(
	db: Database,
	requestId: string,
	userNumber: number | null,
): Promise<{ receipt: StoredReceipt | undefined; userId: string | undefined }> {
	if (userNumber === null) return { receipt: await findReceipt(db, requestId), userId: undefined };
	const user = db.select({ id: users.id }).from(users).where(eq(users.number, userNumber));
	const [[found], [old], [owner]] = await db.batch([...receiptQueries(db, requestId), user]);
	return { receipt: found ?? old, userId: owner?.id };
}
