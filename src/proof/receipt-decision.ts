// The members of receipts that say what was decided for a request. Pure.
import * as z from "zod";

/** Each kind of receipt has some of them. */
export const receiptDecisionSchema = z.lazy(() =>
	z.object({
		reason: z.string().nullable().describe("Why this model, in words; of chats and skills."),
		fallback_from: z.string().nullable().describe("The model that was intended."),
		skill_id: z.string().nullable().describe("The skill."),
		policy: z.string().nullable().describe("The effort policy; of orchestrations, code and runs."),
		strategy: z.string().nullable().describe("The strategy; of orchestrations and runs."),
		language: z.string().nullable().describe("The language; of code."),
		status: z.string().nullable().describe("How a run ended."),
		n_steps: z.int().nullable().describe("Steps of a run."),
		passed: z.boolean().nullable().describe("Whether the review of code passed."),
		confidence: z.number().nullable().describe("How likely the answer is right."),
		agreement: z.number().nullable().describe("How far the answers agreed."),
		bound_usd: z.number().nullable().describe("The reserved amount."),
		catalog_version: z.string().nullable().describe("Version of the catalog that it was planned with."),
		config_digest: z.string().nullable().describe("Digest of the routing config."),
	}),
);
export type ReceiptDecision = z.output<typeof receiptDecisionSchema>;

/** The decision of a receipt's members. */
export function pickReceiptDecision(members: Readonly<Record<string, unknown>>): ReceiptDecision {
	const names = Object.keys(receiptDecisionSchema.unwrap().shape);
	return receiptDecisionSchema.parse(Object.fromEntries(names.map((name) => [name, members[name] ?? null])));
}
