// What a tool step has said and read so far, put together from what is stored, for its next turn and for what its end is hashed over. Pure.
import type { Mask } from "../../compliance/mask/mask.ts";
import type { Hash } from "../../proof/hash.ts";
import type { TextHash } from "../../proof/salted.ts";
import type { PromptMessage } from "../prompt.ts";
import type { RunSpec, RunState } from "../run/run.ts";
import { readArguments } from "./arguments.ts";
import { parseAskUser } from "./ask-user.ts";
import { exchangeHash, toExchange, toStepTexts } from "./exchange.ts";
import { cutResult, MAX_READ_BYTES } from "./results.ts";
import { unreadMessages } from "./steering.ts";
import type { StepOpening, StoredCalls, StoredTurn } from "./stored-calls.edge.ts";
import type { ReadTexts } from "./taint.ts";
import type { ToolCall } from "./tool-call.ts";
import type { AnsweredCall, BeforeTurn, TurnHistory } from "./turn-messages.ts";

/** The parts of stored calls that are read here. */
type CallTexts = Pick<StoredCalls, "calls" | "texts" | "opening" | "turns">;

function byPlace(one: ToolCall, other: ToolCall): number {
	return one.turn - other.turn || one.place - other.place;
}

/** The calls of a step, by turn and place. */
export function callsOfStep({ calls }: Pick<StoredCalls, "calls">, step: number): ToolCall[] {
	return calls.filter((call) => call.step === step).toSorted(byPlace);
}

/**
 * A step so far.
 * @param newestBytes the most of each result of the newest turn: less than what is stored where money is short.
 */
export function toTurnHistory(
	stored: CallTexts,
	step: number,
	next: BeforeTurn,
	newestBytes: number = MAX_READ_BYTES,
): TurnHistory {
	const opening = stored.opening(step);
	if (!opening) throw new Error("a tool step is stored before its first turn");
	const turns = stored.turns(step);
	const calls = callsOfStep(stored, step);
	const toAnswered = (call: ToolCall): AnsweredCall => {
		const maxBytes = call.turn === turns.length - 1 ? newestBytes : MAX_READ_BYTES;
		return { call, result: cutResult(stored.texts(call.id).result ?? "", maxBytes).text };
	};
	const answered = turns.map((_, turn) => calls.filter((call) => call.turn === turn).map(toAnswered));
	return { step, opening, turns, answered, next };
}

/** The `input_hash` of a tool step. @param last the turn that ends it, where that is not stored yet. */
export function stepExchangeHash(
	stored: CallTexts,
	step: number,
	hash: TextHash,
	{ calls, last }: { calls?: readonly ToolCall[]; last?: StoredTurn } = {},
): Hash {
	const messages = stored.opening(step)?.messages ?? [];
	const texts = toStepTexts(messages, [...stored.turns(step), ...(last ? [last] : [])]);
	return exchangeHash(toExchange(texts, calls ?? callsOfStep(stored, step), hash), hash);
}

/** What a step has read, in the order it was read. */
function* listRead(stored: CallTexts, step: number): Generator<{ text: string; call: ToolCall | null }> {
	const calls = callsOfStep(stored, step);
	for (const [turn, { steering }] of stored.turns(step).entries()) {
		for (const { text } of steering) yield { text, call: null };
		for (const call of calls)
			if (call.turn === turn && call.isRead) yield { text: stored.texts(call.id).result ?? "", call };
	}
}

/** Whether a call asked the user a question whose answer is the user's own words. */
function isAnswerInOwnWords(stored: CallTexts, { id, tool }: ToolCall): boolean {
	if (tool !== "ask_user") return false;
	const read = readArguments(stored.texts(id).arguments);
	const asked = parseAskUser(read.ok ? read.value : null);
	return asked.ok && asked.choices === null;
}

interface ReadingRun {
	spec: Pick<RunSpec, "goal">;
	state: Pick<RunState, "tools" | "wait">;
	toolCalls: CallTexts & Pick<StoredCalls, "message">;
}

function* listAllRead({ state, toolCalls }: ReadingRun): ReturnType<typeof listRead> {
	const steps = state.tools?.steps ?? 0;
	for (let step = 0; step < steps; step++) yield* listRead(toolCalls, step);
	for (const { n } of unreadMessages(state)) yield { text: toolCalls.message(n), call: null };
}

/** What came into a run from outside after its goal, in order; with what its owner said and no turn has read yet. */
export function listOutsideTexts(run: ReadingRun): string[] {
	return [...listAllRead(run)].map(({ text }) => text);
}

/**
 * What the run has read, by who wrote it. From the first untrusted result on, the results of trusted tools are neither: arguments may
 * hold what others wrote, and a result repeat them, as that of a computation or of a search that finds nothing. So do the answers that a
 * question offers: who picks one has not written it.
 */
export function toReadTexts(run: ReadingRun): ReadTexts {
	const all = [...listAllRead(run)];
	const first = all.findIndex(({ call }) => call?.isUntrusted);
	const isByUser = (call: ToolCall | null) => call === null || isAnswerInOwnWords(run.toolCalls, call);
	const trusted = all.filter(({ call }, at) => isByUser(call) || first < 0 || at < first);
	return {
		trusted: [run.spec.goal, ...trusted.map(({ text }) => text)],
		untrusted: all.flatMap(({ text, call }) => (call?.isUntrusted ? [{ callId: call.id, tool: call.tool, text }] : [])),
	};
}

/** A masked prompt as it is stored: with its values, and the length that other prompts share. */
export function toOpening(messages: readonly PromptMessage[], mask: Mask | null): StepOpening {
	if (!mask) return { messages: [...messages] };
	return {
		messages: messages.map(({ role, content, sharedChars }) => ({
			role,
			content: mask.restore(content),
			...(sharedChars === undefined ? {} : { sharedChars: mask.restore(content.slice(0, sharedChars)).length }),
		})),
	};
}
