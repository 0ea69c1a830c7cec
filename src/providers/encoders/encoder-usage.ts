// Usage as providers report it beside vectors and scores. What is missing or odd counts as not reported. Pure.
import * as z from "zod";

const count = z.int().min(0).nullish().catch(null);

/** OpenAI's `usage`, of which Voyage and Jina have only the total; or Cohere's `meta`. */
export const encoderUsageSchema = z.lazy(() =>
	z
		.object({
			prompt_tokens: count,
			total_tokens: count,
			billed_units: z.object({ input_tokens: count, search_units: count }).nullish().catch(null),
		})
		.nullish()
		.catch(null),
);

/** Input tokens that were reported as billed; null where none were. */
export function reportedInputTokens(usage: z.output<typeof encoderUsageSchema>): number | null {
	return usage?.billed_units?.input_tokens ?? usage?.prompt_tokens ?? usage?.total_tokens ?? null;
}
