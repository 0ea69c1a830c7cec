// What a stored call says in the words of others: the reason of its judgement, which quotes its arguments, the values in them that only
// untrusted texts have, and what a person said. They are sealed beside its arguments, and the rest of a call is stored as it is. Pure.
import type { Taint, ToolCall, UnsourcedValue } from "./tool-call.ts";

/** The words of a call. */
export interface CallWords {
	/** Of its judgement; null without one. */
	reason: string | null;
	/** A person's; null without one. */
	approvalReason: string | null;
	taintedBy: readonly Taint[];
	unsourced: readonly UnsourcedValue[];
}

/** A call without its words. What is sealed is empty in it, and no judgement gives an empty reason. */
export type WordlessCall = ToolCall;

/** The words of a call; null where it has none, and where they were taken from it. */
export function findWords({ judgement, approval, taintedBy, unsourced }: ToolCall): CallWords | null {
	const reason = judgement?.reason || null;
	const approvalReason = approval?.reason ?? null;
	if (reason === null && approvalReason === null && taintedBy.length === 0 && unsourced.length === 0) return null;
	return { reason, approvalReason, taintedBy, unsourced };
}

export function withoutWords(call: ToolCall): WordlessCall {
	const { judgement, approval } = call;
	const { reason: _, ...decided } = approval ?? { reason: undefined };
	return {
		...call,
		judgement: judgement && { ...judgement, reason: "" },
		approval: approval && (decided as ToolCall["approval"]),
		taintedBy: [],
		unsourced: [],
	};
}

/** Whether a call's words were taken from it. Those of one that nobody judged are whole. */
export function lacksWords({ judgement }: ToolCall): boolean {
	return judgement !== null && judgement.reason === "";
}

/** A call with its words in their places. What has come since, such as a decision, keeps its own. */
export function withWords(call: WordlessCall, { reason, approvalReason, taintedBy, unsourced }: CallWords): ToolCall {
	const { judgement, approval } = call;
	return {
		...call,
		judgement: judgement && { ...judgement, reason: reason ?? "" },
		approval: approval && (approvalReason === null ? approval : { reason: approvalReason, ...approval }),
		taintedBy: [...taintedBy],
		unsourced: [...unsourced],
	};
}
