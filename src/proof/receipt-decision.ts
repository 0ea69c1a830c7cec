// The members of receipts that say what was decided for a request. Pure.
import * as z from "zod";

/** Each kind of receipt has some of them. */
export const receiptDecisionSchema = z.lazy(() =>
	z.object({
		reason: z.string().nullable().describe("Of chats and skills: why this model."),
		fallback_from: z.string().nullable(),
		skill_id: z.string().nullable(),
		policy: z.string().nullable().describe("Of orchestration, code and runs: the effort policy."),
		strategy: z.string().nullable(),
		language: z.string().nullable(),
		status: z.string().nullable().describe("How a run ended."),
		n_steps: z.int().nullable(),
		passed: z.boolean().nullable().describe("Whether the review of code passed."),
		confidence: z.number().nullable(),
		agreement: z.number().nullable(),
		bound_usd: z.number().nullable(),
		catalog_version: z.string().nullable(),
		config_digest: z.string().nullable(),
	}),
);
export type ReceiptDecision = z.output<typeof receiptDecisionSchema>;

/** The names of the members. */
export function receiptDecisionMembers(): string[] {
	return Object.keys(receiptDecisionSchema.unwrap().shape);
}

const receiptMembers = z.record(z.string(), z.unknown());

/**
 * The decision of a receipt.
 * @param receipt its JSON.
 */
export function parseReceiptDecision(receipt: string): ReceiptDecision {
	const members = receiptMembers.parse(JSON.parse(receipt));
	return receiptDecisionSchema.parse(
		Object.fromEntries(receiptDecisionMembers().map((name) => [name, members[name] ?? null])),
	);
}
