// Ids of tool calls in the form that a provider takes. A call and its result carry the same id, so they get the same one. Pure.
import { shortDigest } from "../proof/short-digest.ts";

/** A provider's rule for ids. */
export interface CallIdRule {
	pattern: RegExp;
	/** An id that follows the rule, of so many letters and digits. */
	digits: number;
}

/** OpenAI takes ids of at most 40 characters; its followers are no stricter. */
export const OPENAI_IDS: CallIdRule = { pattern: /^[A-Za-z0-9_-]{1,40}$/, digits: 24 };
export const MISTRAL_IDS: CallIdRule = { pattern: /^[A-Za-z0-9]{9}$/, digits: 9 };
export const ANTHROPIC_IDS: CallIdRule = { pattern: /^[A-Za-z0-9_-]{1,64}$/, digits: 24 };

/** The id itself where the rule allows it, else one made from it: the same for the same id. */
export function callIdFor(id: string, { pattern, digits }: CallIdRule): string {
	return pattern.test(id) ? id : shortDigest(id, digits);
}
