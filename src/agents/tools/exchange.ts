// The exchange of a step with tools, which its `input_hash` is over (docs/proofs.md, "Steps with tools"), and the counts of calls in
// receipts. Texts stand in it as salted hashes, but for the messages. Judging calls and storing them is left to others. Pure.
import type { Decision } from "../../audit/event.ts";
import { canonicalJson } from "../../proof/canonical.ts";
import type { Hash } from "../../proof/hash.ts";
import type { ToolCallCounts } from "../../proof/receipt.ts";
import type { TextHash } from "../../proof/salted.ts";
import type { AssistantPart } from "../../providers/model-call.ts";
import type { CallApproval, ToolCall, ToolCallState } from "./tool-call.ts";

export const EXCHANGE_TYPE = "svc.input.v4";

/** The texts of a step with tools, before masking. */
export interface ToolStepTexts {
	/** Those of the step's first turn. */
	messages: readonly { role: string; content: string }[];
	/** The model's words beside calls, by turn: at most one a turn. */
	said: readonly TurnText[];
	/** What its owner told the run before a turn, in the order of its arrival. */
	steering: readonly SteeringText[];
}

export interface TurnText {
	/** From 0, within the step. */
	turn: number;
	text: string;
}

export interface SteeringText extends TurnText {
	/** The client's. */
	id: string;
}

/** A stored turn of a model, as far as an exchange covers it. */
interface TurnParts {
	/** What the run's owner said before it. */
	steering: readonly { id: string; text: string }[];
	parts: readonly AssistantPart[];
}

/** The texts of a step. The words of a turn without calls are the step's own text, and not beside calls. */
export function toStepTexts(messages: ToolStepTexts["messages"], turns: readonly TurnParts[]): ToolStepTexts {
	return {
		messages,
		said: turns.flatMap(({ parts }, turn) => {
			if (!parts.some(({ type }) => type === "tool_call")) return [];
			const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
			return text === "" ? [] : [{ turn, text }];
		}),
		steering: turns.flatMap(({ steering }, turn) => steering.map(({ id, text }) => ({ turn, id, text }))),
	};
}

/** A call in an exchange. All members are always there. */
export interface ExchangeCall {
	id: string;
	turn: number;
	/** As the model named it. */
	tool: string;
	/** Null for a tool that the run does not have. */
	definition: Hash | null;
	/** Of an edited call, those that were decided on. */
	arguments: Hash;
	/** Null where nothing was judged. */
	decision: Decision | null;
	/** The audit event of the decision; null with it. */
	event_id: string | null;
	approval: { key_id: string; decision: CallApproval["decision"]; at: string; digest: Hash } | null;
	/** Null for a call without a result. */
	result: Hash | null;
	state: ToolCallState;
}

/** What a step with tools was told and did. */
export interface Exchange extends Record<string, unknown> {
	type: typeof EXCHANGE_TYPE;
	messages: { role: string; content: string }[];
	said: { turn: number; text: Hash }[];
	/** Absent where nobody steered. */
	steering?: { turn: number; id: string; text: Hash }[];
	/** By turn and place. */
	calls: ExchangeCall[];
}

function toExchangeCall({
	id,
	turn,
	tool,
	definition,
	argumentsHash,
	judgement,
	approval,
	resultHash,
	state,
}: ToolCall): ExchangeCall {
	return {
		id,
		turn,
		tool,
		definition,
		arguments: argumentsHash,
		decision: judgement?.decision ?? null,
		event_id: judgement?.eventId ?? null,
		approval: approval && {
			key_id: approval.keyId,
			decision: approval.decision,
			at: approval.at,
			digest: approval.digest,
		},
		result: resultHash,
		state,
	};
}

/**
 * The exchange of a step with tools, at its end or so far.
 * @param calls of this step, in any order.
 * @param hash over the run's salt.
 */
export function toExchange(
	{ messages, said, steering }: ToolStepTexts,
	calls: readonly ToolCall[],
	hash: TextHash,
): Exchange {
	const inOrder = calls.toSorted((a, b) => a.turn - b.turn || a.place - b.place);
	return {
		type: EXCHANGE_TYPE,
		messages: messages.map(({ role, content }) => ({ role, content })),
		said: said.map(({ turn, text }) => ({ turn, text: hash(text) })),
		...(steering.length > 0
			? { steering: steering.map(({ turn, id, text }) => ({ turn, id, text: hash(text) })) }
			: {}),
		calls: inOrder.map(toExchangeCall),
	};
}

/** The `input_hash` of a step with tools. @param hash over the run's salt. */
export function exchangeHash(exchange: Exchange, hash: TextHash): Hash {
	return hash(canonicalJson(exchange));
}

/**
 * The six counts of calls, as a receipt has them. A call counts once as denied, approved, rejected or allowed, or as none of them: what
 * could not be read, what a limit ended, and what still waits. What nobody answered in time counts beside that.
 */
export function countExchangeCalls(
	calls: readonly (Pick<ExchangeCall, "state" | "decision"> & { approval: Pick<CallApproval, "decision"> | null })[],
): ToolCallCounts {
	const counts: ToolCallCounts = {
		requested: calls.length,
		allowed: 0,
		denied: 0,
		approved: 0,
		rejected: 0,
		expired: 0,
	};
	for (const { state, approval, decision } of calls) {
		if (state === "denied") counts.denied += 1;
		else if (approval?.decision === "reject") counts.rejected += 1;
		else if (approval) counts.approved += 1;
		else if (decision === "allow") counts.allowed += 1;
		// An approval that nobody gave in time leaves the call rejected, by no person.
		if (state === "expired" || (state === "rejected" && approval === null)) counts.expired += 1;
	}
	return counts;
}

/** The six counts of a run's calls. */
export function countToolCalls(calls: readonly ToolCall[]): ToolCallCounts {
	return countExchangeCalls(calls.map(toExchangeCall));
}
