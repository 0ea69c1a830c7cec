// What a confidence rests on (docs/reference/orchestration.md, "Orchestration"). Pure.
import * as z from "zod";

/**
 * From the strongest to the weakest: a check without a model, answers that were compared, the verdict of a model, what the answer says
 * of itself, and what is expected of the model on such prompts.
 */
export const CONFIDENCE_BASES = ["verified", "agreement", "judge", "self_report", "prior"] as const;
export type ConfidenceBasis = (typeof CONFIDENCE_BASES)[number];

/** A confidence, 0 to 1, and what it rests on. */
export interface Rating {
	confidence: number;
	confidenceBasis: ConfidenceBasis;
}

export const confidenceBasisSchema = z.lazy(() => z.enum(CONFIDENCE_BASES));
