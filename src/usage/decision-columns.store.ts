// What D1 picks of a settlement's receipt and calls, both of which may be large: the decision, and which models were called how often.
import { sql } from "drizzle-orm";
import * as z from "zod";
import { settlements } from "../db/schema.ts";
import { type ReceiptDecision, receiptDecisionMembers, receiptDecisionSchema } from "../proof/receipt-decision.ts";

export const callSummarySchema = z.lazy(() => z.object({ calls: z.int(), models: z.array(z.string()) }));

/** The members as one JSON array, so that a receipt is parsed once and its booleans stay booleans. */
export function decisionColumn() {
	const paths = receiptDecisionMembers().map((name) => sql.raw(`'$.${name}'`));
	return sql<string>`json_extract(${settlements.receipt}, ${sql.join(paths, sql`, `)})`;
}

const columnValues = z.array(z.unknown());

/** @param text of decisionColumn. */
export function parseDecisionColumn(text: string): ReceiptDecision {
	const values = columnValues.parse(JSON.parse(text));
	return receiptDecisionSchema.parse(
		Object.fromEntries(receiptDecisionMembers().map((name, index) => [name, values[index]])),
	);
}

/** How many calls a request made, and which models took part, by name. */
export const callSummaryColumn = sql<string>`(SELECT json_object('calls', coalesce(sum(coalesce(value ->> 'requests', 1)), 0),
	'models', json_group_array(DISTINCT value ->> 'model')) FROM json_each(${settlements.calls}))`;

/** @param text of callSummaryColumn. */
export function parseCallSummary(text: string): z.output<typeof callSummarySchema> {
	return callSummarySchema.parse(JSON.parse(text));
}
