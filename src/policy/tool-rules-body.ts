// Rules of a manifest about tools: their request body, and their normal form as a schema. Pure.
import * as z from "zod";
import { TOOL_VERDICTS } from "./tool-rules.ts";

const MAX_PATTERN_CHARS = 200;
const MAX_PATTERNS = 200;

const patternsSchema = z
	.array(
		z
			.string()
			.max(MAX_PATTERN_CHARS, `must have at most ${MAX_PATTERN_CHARS} characters`)
			.refine((pattern) => pattern.trim() !== "", "must not be blank"),
	)
	.max(MAX_PATTERNS, `must have at most ${MAX_PATTERNS} entries`);

/** `tools` of a manifest's request body. A mistyped member is refused, because a rule would be ignored with it. */
export const toolRulesRequestSchema = z.strictObject({
	allow: patternsSchema.nullish().describe("Tools that need not ask."),
	ask: patternsSchema.nullish().describe("Tools that a person is asked about."),
	deny: patternsSchema.nullish().describe("Tools that are refused."),
	unknown: z.enum(TOOL_VERDICTS).nullish().describe("Verdict on an unknown tool that no pattern names. Default: ask."),
	self_approval: z
		.boolean()
		.nullish()
		.describe("With false, nobody approves for a run whose own side asks to approve itself. Default: true."),
});

/** `tools` of a manifest in its normal form. */
export const toolRulesSchema = z.object({
	allow: patternsSchema,
	ask: patternsSchema,
	deny: patternsSchema,
	unknown: z.enum(TOOL_VERDICTS),
	self_approval: z.literal(false).optional(),
});
