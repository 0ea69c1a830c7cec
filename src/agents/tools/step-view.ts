// A step with tools as its owner reads it: the exchange that its `input_hash` is over, and beside it the texts that stand there as
// hashes, with what was decided on each call. Arguments and results that are not kept are null. Pure.
import * as z from "zod";
import { DECISIONS } from "../../audit/event.ts";
import type { TextHash } from "../../proof/salted.ts";
import { readArguments, toHashedArguments } from "./arguments.ts";
import { EXCHANGE_TYPE, type Exchange, exchangeHash, type ToolStepTexts, toExchange } from "./exchange.ts";
import { pendingSchema } from "./pending.ts";
import { TOOL_CALL_STATES, type ToolCall } from "./tool-call.ts";

const APPROVAL_DECISIONS = ["approve", "edit", "reject"] as const;

/** The counts of a run's calls, as its receipt and its answer have them. */
export const toolCallCountsSchema = z.lazy(() =>
	z.strictObject({
		requested: z.int().nonnegative().describe("Tool calls that models made."),
		allowed: z.int().nonnegative().describe("By the policy, with nobody asked."),
		denied: z.int().nonnegative().describe("By the policy."),
		approved: z.int().nonnegative().describe("By a person, edits included."),
		rejected: z.int().nonnegative().describe("By a person."),
		expired: z.int().nonnegative().describe("Those of them that nobody decided on or answered in time."),
	}),
);

/** Members of an approval that the exchange has. */
function approvalFields() {
	return {
		key_id: z.string().describe("The key that decided."),
		decision: z.enum(APPROVAL_DECISIONS).describe("What was decided."),
		at: z.string().describe("When."),
		digest: z.string().describe("The `action_digest` that it is bound to."),
	};
}

/** Members of a call that stand in the exchange as they are shown. */
function callFields() {
	return {
		id: z.string().describe("Id of the call."),
		turn: z.int().describe("The model's turn in the step, from 0."),
		tool: z.string().describe("The tool, as the model named it."),
		definition: z
			.string()
			.nullable()
			.describe("Hash of the tool's definition; null for a tool that the run does not have."),
		decision: z.enum(DECISIONS).nullable().describe("What the policy decided; null where nothing was judged."),
		event_id: z.string().nullable().describe("The audit event of the decision."),
		state: z.enum(TOOL_CALL_STATES).describe("What became of it."),
	};
}

export const exchangeSchema = z.lazy(() =>
	z.object({
		type: z.literal(EXCHANGE_TYPE),
		messages: z.array(z.object({ role: z.string(), content: z.string() })).describe("The messages of its first turn."),
		said: z.array(z.object({ turn: z.int(), text: z.string() })).describe("Hashes of the model's words beside calls."),
		steering: z
			.array(z.object({ turn: z.int(), id: z.string(), text: z.string() }))
			.optional()
			.describe("Hashes of the messages that steered the run before a turn."),
		calls: z
			.array(
				z.object({
					...callFields(),
					arguments: z.string().describe("Hash of the arguments."),
					approval: z.object(approvalFields()).nullable().describe("A person's decision."),
					result: z.string().nullable().describe("Hash of the result."),
				}),
			)
			.describe("Its calls, by turn and place."),
	}),
);

const shownCallSchema = z.lazy(() =>
	z.object({
		...callFields(),
		arguments: z
			.unknown()
			.describe("An object; the model's text where it cannot be read as one; null where it is not kept."),
		risk_score: z.int().nullable().describe("How risky the policy found it, 0 to 100."),
		reason: z.string().nullable().describe("Why the policy decided so, and what would pass."),
		policy: z
			.object({ manifest_digest: z.string(), version: z.string() })
			.nullable()
			.describe("What it was judged by: the manifest, and the policy engine's version."),
		action_digest: z.string().nullable().describe("Hash of the exact action."),
		approval: z
			.object({
				...approvalFields(),
				self_approval: z
					.literal(true)
					.optional()
					.describe("The key that decided began the run, or made the key that did."),
				reason: z.string().optional().describe("In the person's words."),
			})
			.nullable()
			.describe("A person's decision; null without one."),
		tainted_by: pendingSchema.unwrap().shape.tainted_by,
		unsourced: pendingSchema.unwrap().shape.unsourced,
		result: z
			.string()
			.nullable()
			.describe("As the next turn read it; null where there is none, or where it is not kept."),
		is_error: z.boolean().describe("The result says why there is none."),
		result_cut: z.boolean().describe("The result was longer than 32 KiB, and the model read its beginning and end."),
		truncated: z.boolean().describe("Its arguments or its result are not kept."),
	}),
);

/** What the answer for a step has beside its text where the step has tools. */
export const stepExchangeSchema = z.lazy(() =>
	z.object({
		input_hash: z.string().describe("Hash of the exchange, as the step's record has it."),
		exchange: exchangeSchema.describe("What `input_hash` is over; without `steering` where there was none."),
		said: z.array(z.object({ turn: z.int(), text: z.string() })).describe("The model's words beside calls."),
		steering: z
			.array(z.object({ turn: z.int(), id: z.string(), text: z.string() }))
			.describe("The messages that steered the run, each with the turn before which the model read it."),
		calls: z.array(shownCallSchema).describe("Its calls, by turn and place."),
		salt: z.string().describe("Of all these hashes: for its owner, who may give it away."),
	}),
);
export type StepExchangeView = z.output<typeof stepExchangeSchema>;
type ShownCall = z.output<typeof shownCallSchema>;

/** A call's texts, as far as they are kept. */
export interface KeptCallTexts {
	arguments: string | null;
	result: string | null;
}

function toShownArguments(text: string | null): unknown {
	if (text === null) return null;
	const read = readArguments(text);
	return read.ok ? read.value : text;
}

function toShownCall(call: ToolCall, kept: KeptCallTexts, hash: TextHash): ShownCall {
	const { id, turn, tool, definition, judgement, approval, state, taintedBy, unsourced, isError, isCut } = call;
	// What is not the whole text any more is not shown as if it were.
	const hasArguments = kept.arguments !== null && hash(toHashedArguments(kept.arguments)) === call.argumentsHash;
	const hasResult = kept.result !== null && hash(kept.result) === call.resultHash;
	return {
		id,
		turn,
		tool,
		definition,
		arguments: toShownArguments(hasArguments ? kept.arguments : null),
		decision: judgement?.decision ?? null,
		risk_score: judgement?.riskScore ?? null,
		reason: judgement?.reason ?? null,
		event_id: judgement?.eventId ?? null,
		policy: judgement && { manifest_digest: judgement.manifestDigest, version: judgement.version },
		action_digest: call.actionDigest,
		approval: approval && {
			key_id: approval.keyId,
			decision: approval.decision,
			at: approval.at,
			digest: approval.digest,
			...(approval.isSelfApproval ? { self_approval: true as const } : {}),
			...(approval.reason === undefined ? {} : { reason: approval.reason }),
		},
		tainted_by: taintedBy.map(({ callId: call_id, tool: from, values }) => ({ call_id, tool: from, values })),
		unsourced,
		result: hasResult ? kept.result : null,
		is_error: isError,
		result_cut: isCut,
		truncated: !hasArguments || (call.resultHash !== null && !hasResult),
		state,
	};
}

/** What is stored of a step with tools. */
export interface StoredExchange {
	texts: ToolStepTexts;
	calls: readonly ToolCall[];
	/** By the call's id. */
	callTexts: ReadonlyMap<string, KeptCallTexts>;
}

const NOT_KEPT: KeptCallTexts = { arguments: null, result: null };

/**
 * A step with tools, at its end or so far.
 * @param hash over `salt`, the run's.
 */
export function toStepExchangeView(
	{ texts, calls, callTexts }: StoredExchange,
	salt: string,
	hash: TextHash,
): StepExchangeView {
	const exchange: Exchange = toExchange(texts, calls, hash);
	const byId = new Map(calls.map((call) => [call.id, call]));
	return {
		input_hash: exchangeHash(exchange, hash),
		exchange,
		said: texts.said.map(({ turn, text }) => ({ turn, text })),
		steering: texts.steering.map(({ turn, id, text }) => ({ turn, id, text })),
		calls: exchange.calls.flatMap(({ id }) => {
			const call = byId.get(id);
			return call ? [toShownCall(call, callTexts.get(id) ?? NOT_KEPT, hash)] : [];
		}),
		salt,
	};
}
