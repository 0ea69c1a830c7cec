// What a waiting run asks for, and what resolves it, in the API's forms. Pure.
import * as z from "zod";
import { DECISIONS } from "../../audit/event.ts";

export const PENDING_KINDS = ["client_tool", "approval", "input", "plan"] as const;
export type PendingKind = (typeof PENDING_KINDS)[number];

/** Whose decision settles what. `client_tool` and `input` take the beginning key or an owner's; the others an approver's. */
export const isApprovalKind = (kind: PendingKind): boolean => kind === "approval" || kind === "plan";

export const pendingSchema = z.lazy(() =>
	z.object({
		id: z.string().describe("What a resolution names; for a client tool, its idempotency key."),
		kind: z
			.enum(PENDING_KINDS)
			.describe(
				"What it waits for: a tool of the client to be run, a decision on a call, an answer to a question, or a decision on the plan.",
			),
		tool: z.string().nullable().describe("The tool that is called; null for a plan."),
		arguments: z
			.record(z.string(), z.unknown())
			.nullable()
			.describe("The call's arguments; of a plan, its subtasks and its bound."),
		action_digest: z.string().nullable().describe("Hash of the exact action that a decision is bound to."),
		policy: z
			.object({
				decision: z.enum(DECISIONS),
				risk_score: z.int(),
				reason: z.string(),
				event_id: z.string().describe("The audit event of the decision."),
			})
			.nullable()
			.describe("What the policy decided; null where nothing is judged."),
		tainted_by: z
			.array(
				z.object({
					call_id: z.string(),
					tool: z.string(),
					values: z.array(z.object({ kind: z.string(), value: z.string() })),
				}),
			)
			.describe("Calls whose untrusted results the run had read, and the values of this call that occur only in them."),
		unsourced: z
			.array(z.object({ kind: z.string(), value: z.string(), tool: z.string().nullable() }))
			.describe(
				"In a run that has read untrusted text: values of this call that occur in no text of the owner's and in no untrusted one either, each with the tool that may be behind it, where only one can be.",
			),
		expires_at: z.string().describe("When it ends without an answer."),
	}),
);
export type PendingView = z.output<typeof pendingSchema>;

/** A pending without its texts, as lists, webhooks and refusals name it. */
export const pendingEntrySchema = z.lazy(() =>
	pendingSchema.def.getter().pick({ id: true, kind: true, tool: true, action_digest: true, expires_at: true }),
);
export type PendingEntry = z.output<typeof pendingEntrySchema>;
