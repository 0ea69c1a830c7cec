// How long an answer may become where an entrance takes the client's limit as a ceiling. Pure.
import type { OutputLimit } from "../routing/length.ts";

/** Visible tokens that an answer has room for, whatever lowers its limit. */
const LEAST_VISIBLE_TOKENS = 1_024;
/** The ceiling of a client that names none. */
export const DEFAULT_CEILING_TOKENS = 32_000;

/**
 * The limits of a call: the visible tokens that must fit, and the ceiling.
 * @param named the limit in the client's body.
 */
export function toOutputCeiling(named: number | null | undefined): { maxTokens: number; outputLimit: OutputLimit } {
	if (named === null || named === undefined)
		return { maxTokens: LEAST_VISIBLE_TOKENS, outputLimit: { atMost: DEFAULT_CEILING_TOKENS, isDefault: true } };
	return { maxTokens: Math.min(LEAST_VISIBLE_TOKENS, named), outputLimit: { atMost: named } };
}
