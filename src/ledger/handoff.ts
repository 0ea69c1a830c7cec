// Handoffs as clients send and read them (docs/reference/workspaces.md, "Handoffs"): the schemas, and the mapping from a body to a
// draft and from a row to an answer. Pure.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { workspaceIdSchema } from "../ids.ts";
import { DEFAULT_PROTECTED_PATHS } from "../policy/defaults.ts";
import { scoreHandoffRisk } from "../policy/risk.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { HANDOFF_KINDS, type HandoffContent, type HandoffDraft, type HandoffItem, type HandoffRow } from "./entry.ts";

const MAX_OBJECTIVE_CHARS = 500;

/** Other members are dropped. */
const itemSchema = z.lazy(() => z.object({ id: z.string(), description: z.string() }));
const itemsSchema = z.array(itemSchema);
const stringListSchema = z.array(z.string());

/** Characters are code points, as in JSON Schema. */
const objectiveSchema = z
	.string()
	.refine((text) => text.trim() !== "", "must not be blank")
	.refine((text) => [...text].length <= MAX_OBJECTIVE_CHARS, `must have at most ${MAX_OBJECTIVE_CHARS} characters`)
	.meta({ minLength: 1, maxLength: MAX_OBJECTIVE_CHARS });

/**
 * The body of a new handoff. The size limit of the subject applies to it as a whole. Ids and links sent by the client
 * are ignored.
 */
export const handoffRequestSchema = z.lazy(() =>
	z.object({
		workspace_id: workspaceIdSchema.describe("Its workspace."),
		objective: objectiveSchema.describe("What the work is for."),
		from_tool: z.string().nullish().describe("Who hands off."),
		to_tool: z.string().nullish().describe("Who receives; may be a person."),
		files_touched: stringListSchema.nullish().describe("Files that were changed."),
		constraints: stringListSchema.nullish().describe("Constraints for the next agent."),
		risks: itemsSchema.nullish().describe("What may go wrong."),
		validation: itemsSchema.nullish().describe("Checks done and to do."),
		recommended_next_action: z.string().nullish().describe("What to do first."),
		action_kind: z.enum(HANDOFF_KINDS).nullish().describe("Kind of work; `edit` by default."),
		est_cost: z.number().min(0).nullish().describe("Expected cost in USD."),
	}),
);

export type HandoffRequest = z.output<typeof handoffRequestSchema>;

/** The body with its defaults. Null and absent members mean the same. */
export function toHandoffContent(request: HandoffRequest): HandoffContent {
	return {
		objective: request.objective,
		from_tool: request.from_tool ?? null,
		to_tool: request.to_tool ?? null,
		files_touched: request.files_touched ?? [],
		constraints: request.constraints ?? [],
		risks: request.risks ?? [],
		validation: request.validation ?? [],
		recommended_next_action: request.recommended_next_action ?? null,
		action_kind: request.action_kind ?? "edit",
		est_cost: request.est_cost ?? null,
	};
}

/** UTF-8 bytes of the content within its subject. The server adds a few hundred more. */
export function contentBytes(content: HandoffContent): number {
	return utf8ToBytes(canonicalJson(content)).length;
}

/** Hashes, signatures and risk of a handoff, and its audit event. */
const HANDOFF_ROW_BYTES = 4_096;

/** What a handoff counts as: its columns, and its signed text, which repeats them. @param contentLength bytes of its content. */
export function handoffBytes(contentLength: number): number {
	return 2 * contentLength + HANDOFF_ROW_BYTES;
}

/**
 * Adds the risk, rated by kind, paths, words and cost.
 * @param budgetUsd the budget that the estimated cost is compared with.
 */
export function toHandoffDraft(content: HandoffContent, budgetUsd: number): HandoffDraft {
	const risk = scoreHandoffRisk({
		actionKind: content.action_kind,
		files: content.files_touched,
		objective: content.objective,
		estCostUsd: content.est_cost ?? undefined,
		protectedPaths: DEFAULT_PROTECTED_PATHS,
		budgetUsd,
	});
	return { ...content, risk };
}

const hashField = z.string().describe("`sha256:` and 64 hex digits.");

/** A handoff as it is returned: every member of the subject, and its seal. */
export const handoffSchema = z.lazy(() =>
	z.object({
		id: z.string().describe("Id of the entry."),
		workspace_id: z.string(),
		owner: z
			.string()
			.nullable()
			.describe("Whose workspace it is: the first 16 hex digits of SHA-256 of the user's id. Null in older entries."),
		seq: z.int().describe("Position in the chain, from 0."),
		objective: z.string(),
		from_tool: z.string().nullable(),
		to_tool: z.string().nullable(),
		files_touched: stringListSchema,
		constraints: stringListSchema,
		risks: itemsSchema,
		validation: itemsSchema,
		recommended_next_action: z.string().nullable(),
		action_kind: z.string(),
		est_cost: z.number().nullable(),
		risk: z
			.object({ score: z.number(), tier: z.string(), factors: stringListSchema })
			.describe("Rated by the built-in rules."),
		prev_handoff_id: z.string().nullable().describe("The entry before."),
		prev_hash: hashField.nullable(),
		prev_signature: z.string().nullable(),
		created_at: z.string().describe("When it was appended."),
		subject: z.string().describe("Canonical JSON (RFC 8785): what is hashed and signed."),
		signed: z.boolean().describe("Whether it is signed."),
		hash: hashField,
		signature: z.string().nullable().describe("Ed25519 over the subject, base64."),
		key_id: z.string().nullable().describe("The key that signed it."),
	}),
);

export type Handoff = z.output<typeof handoffSchema>;

/** A JSON list column. A column that is no longer a valid list reads as empty; verification reports the entry. */
function parseListColumn<T>(schema: z.ZodType<T[]>, column: string): T[] {
	try {
		return schema.safeParse(JSON.parse(column)).data ?? [];
	} catch {
		return [];
	}
}

/** A stored entry as clients see it: the columns, and the subject that was signed. */
export function toHandoff(row: HandoffRow): Handoff {
	return {
		id: row.id,
		workspace_id: row.workspace_id,
		owner: row.owner ?? null,
		seq: row.seq,
		objective: row.objective,
		from_tool: row.from_tool,
		to_tool: row.to_tool,
		files_touched: parseListColumn(stringListSchema, row.files_touched),
		constraints: parseListColumn(stringListSchema, row.constraints),
		risks: parseListColumn<HandoffItem>(itemsSchema, row.risks),
		validation: parseListColumn<HandoffItem>(itemsSchema, row.validation),
		recommended_next_action: row.recommended_next_action,
		action_kind: row.action_kind,
		est_cost: row.est_cost === null ? null : Number(row.est_cost),
		risk: { score: row.risk_score, tier: row.risk_tier, factors: parseListColumn(stringListSchema, row.risk_factors) },
		prev_handoff_id: row.prev_handoff_id,
		prev_hash: row.prev_hash,
		prev_signature: row.prev_signature,
		created_at: row.created_at,
		subject: row.subject,
		signed: row.signature !== null,
		hash: row.hash,
		signature: row.signature,
		key_id: row.key_id,
	};
}
