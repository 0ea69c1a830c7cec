// Whether a conversation stays with its model: another one would have to read all of it anew. Pure.
import type { Candidate, SelectionRequest } from "./selection.ts";
import { CHARS_PER_TOKEN, type Signals } from "./signals.ts";

/**
 * Gain in score that a switch must bring besides the price of reading the conversation anew, which is in the scores: what a
 * turn is worth is an estimate, and a model that changes with every turn would never find its cache.
 */
const MIN_SWITCH_GAIN = 0.02;

/** Tokens of the conversation before its last turn. Its model has them in the provider's cache. */
export function conversationTokens({ promptTokens, facts }: Pick<Signals, "promptTokens" | "facts">): number {
	return Math.max(0, promptTokens - Math.ceil(facts.chars / CHARS_PER_TOKEN));
}

/** Whether the call stands between a tool call and its result, where a signed reasoning would be lost with its model. */
function isMidTurn({ messages }: SelectionRequest["call"]): boolean {
	return messages.at(-1)?.content.some(({ type }) => type === "tool_result") ?? false;
}

/** The conversation's model, and why it goes on. */
interface Stay {
	candidate: Candidate;
	/** For people; follows the model's name. */
	why: string;
}

/** Whether the conversation's model goes on; null when there is none, or another is worth the switch. */
export function stayWithModel(request: SelectionRequest, ranked: readonly Candidate[]): Stay | null {
	const { conversation_model } = request.observations;
	const own = ranked.find(({ model }) => model.id === conversation_model);
	const [best] = ranked;
	if (!own || !best || own === best) return null;
	if (isMidTurn(request.call)) return { candidate: own, why: "goes on with the tool calls of its conversation" };
	const gain = best.score - own.score;
	if (gain >= MIN_SWITCH_GAIN || own.isBelowFloor || own.isFailing) return null;
	const tokens = conversationTokens(request.signals);
	const lost = tokens > 0 ? ` and its cache of about ${tokens} tokens would be lost` : "";
	return {
		candidate: own,
		why: `goes on with its conversation: a switch to ${best.model.display_name} would gain ${Math.max(0, gain).toFixed(3)}${lost}`,
	};
}
