// Usage and receipts in D1: written in batches, each row once, whatever is retried.
import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import type { Settlement } from "./settlement.ts";

/** Inserts settlements in one transaction; a row that is there already stays as it is. D1 takes 100 parameters, so one JSON parameter carries all. */
export async function recordSettlements(db: Database, settlements: readonly Settlement[]): Promise<void> {
	const usageRows = JSON.stringify(
		settlements.map(({ usage }) => ({
			...usage,
			estimated: Number(usage.estimated),
			fallback: Number(usage.fallback),
		})),
	);
	const receiptRows = JSON.stringify(settlements.map(({ usage, receipt }) => ({ ...receipt, user_id: usage.user_id })));
	await db.batch([
		db.run(sql`INSERT INTO usage (request_id, user_id, created_at, kind, model, provider, mode, tokens, cost_nano_usd, estimated, outcome, latency_ms, fallback, calls)
			SELECT value->>'request_id', value->>'user_id', value->>'created_at', value->>'kind', value->>'model', value->>'provider', value->>'mode',
				value->>'tokens', value->>'cost_nano_usd', value->>'estimated', value->>'outcome', value->>'latency_ms', value->>'fallback', value->'calls'
			FROM json_each(${usageRows}) WHERE true ON CONFLICT DO NOTHING`),
		db.run(sql`INSERT INTO receipts (request_id, user_id, kind, receipt, proof_hash, signature, key_id, created_at)
			SELECT value->>'request_id', value->>'user_id', value->>'kind', value->>'receipt', value->>'proof_hash', value->>'signature', value->>'key_id', value->>'created_at'
			FROM json_each(${receiptRows}) WHERE true ON CONFLICT DO NOTHING`),
	]);
}
