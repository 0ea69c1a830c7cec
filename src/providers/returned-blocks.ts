// The providers' own blocks that clients must send back on the next turn, as the entrances name them. Pure.
import type { WireName } from "../catalog/vocabulary.ts";

/** A part of Gemini's that only carries a thought signature: its type, which is ours. */
export const THOUGHT_SIGNATURE = "google.thought_signature";
/** Bedrock's signed or encrypted reasoning: its type, which is ours. */
export const BEDROCK_REASONING = "bedrock.reasoning_content";

/** The wires of such blocks, by their type. */
export const RETURNED_BLOCK_WIRES: ReadonlyMap<unknown, WireName> = new Map([
	["thinking", "anthropic"],
	["redacted_thinking", "anthropic"],
	[THOUGHT_SIGNATURE, "google"],
	[BEDROCK_REASONING, "bedrock"],
]);
