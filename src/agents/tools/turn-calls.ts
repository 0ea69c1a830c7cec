// What becomes of the calls of a model's turn before anything is judged: each gets its id, and those that cannot run get an error
// result at once. Also counts what ends a step. Pure.

import { loadFormCheck } from "../../answers/load.ts";
import { clip } from "../../clip.ts";
import type { JsonObject } from "../../json.ts";
import { hashObject } from "../../proof/hash.ts";
import type { TextHash } from "../../proof/salted.ts";
import { type AssistantPart, partsOfType, type ToolCallPart } from "../../providers/model-call.ts";
import { utf8Length } from "../../text/utf8.ts";
import { readArguments, toHashedArguments } from "./arguments.ts";
import { failCall, requestCall } from "./call-states.ts";
import { fillResult, MAX_ARGUMENT_BYTES, NOT_RUN } from "./results.ts";
import { definitionHash, type RunTool } from "./tool.ts";
import type { ToolCall, ToolCallTexts } from "./tool-call.ts";
import { toToolDefinition } from "./tool-definition.ts";
import {
	countCalls,
	MAX_EQUAL_CALLS,
	MAX_STEP_CALLS,
	type OpenToolStep,
	type ToolRunState,
	type ToolStepEnding,
} from "./tool-state.ts";

/** More calls of one turn are left out of it, since each needs its result. */
const MAX_TURN_CALLS = 32;
/** So are calls beyond so many bytes of JSON together: a turn is stored in one row. */
const MAX_TURN_BYTES = 1_048_576;
/** No tool has a longer name. Of one that a model makes up, so much is kept. */
const MAX_NAME_CHARS = 256;
const MAX_ID_CHARS = 256;

/** A call with its texts. */
export interface MadeCall {
	call: ToolCall;
	texts: ToolCallTexts;
}

/** The calls of a turn, and what they change. */
export interface TurnCalls {
	/** As they are kept and sent back: with ids of their own, and arguments that are JSON. */
	parts: AssistantPart[];
	made: MadeCall[];
	/** Calls that were left out of the turn. */
	leftOut: number;
	open: Pick<OpenToolStep, "calls" | "lastCall" | "ending">;
	callsByTool: ToolRunState["callsByTool"];
}

/** What the calls of a turn are measured by. */
interface CallLimits {
	tools: readonly RunTool[];
	maxToolCalls: number;
	/** Of each turn. */
	maxTokens: number;
	state: ToolRunState;
	/** The run's calls before. */
	earlier: readonly ToolCall[];
	open: OpenToolStep;
	/** The output limit ended the turn: its last call may be a part of one. */
	isCut: boolean;
	hash: TextHash;
	newId(): string;
}

/** What is wrong with arguments by a tool's schema; null where nothing is, or where the schema cannot be checked. */
export async function findUnfit(args: JsonObject, tool: RunTool): Promise<string | null> {
	const { name, parameters } = toToolDefinition(tool);
	if (parameters === undefined) return null;
	const { checkForm } = await loadFormCheck();
	const check = checkForm(JSON.stringify(args), { type: "json_schema", name, schema: parameters }, "arguments");
	return check && !check.isMet ? check.fault : null;
}

/** The mark of a result of the service's own that repeats what a model wrote. @param tools as they were when it wrote it. */
export function toRepeatMark({ untrusted }: Pick<ToolRunState, "untrusted">): Pick<ToolCall, "isRepeating"> {
	return untrusted.length > 0 ? { isRepeating: true } : {};
}

/** An empty text stands for no arguments, as some models write it. */
function normalArguments(text: string): string {
	return text.trim() === "" ? "{}" : text;
}

/** Why a call is not run whatever it asks for; null where it may be judged. */
async function findFault(
	{ name }: ToolCallPart,
	args: string,
	isLast: boolean,
	{ tools, maxTokens, isCut }: CallLimits,
): Promise<string | null> {
	const tool = tools.find((each) => each.name === name);
	if (!tool) return NOT_RUN.unknownTool(tools.map((each) => each.name));
	if (utf8Length(args) > MAX_ARGUMENT_BYTES) return NOT_RUN.tooLong();
	const read = readArguments(args);
	if (!read.ok) return isCut && isLast ? NOT_RUN.cut(maxTokens) : NOT_RUN.unreadable(read.fault);
	const unfit = await findUnfit(read.value, tool);
	return unfit === null ? null : NOT_RUN.unfit(unfit);
}

/** Whether a call counts against the limit of its tool: not one that was not handed out, and will not be. */
function countsForTool({ state, judgement }: ToolCall): boolean {
	return state !== "denied" && state !== "rejected" && !(state === "failed" && judgement === null);
}

/** Counts the calls of one turn against the limits, in their order. */
class CallCounter {
	#limits: CallLimits;
	#byTool: Map<string, number>;
	/** Those that have run, or may run. */
	#usedByTool = new Map<string, number>();
	#calls: number;
	#runCalls: number;
	#last: OpenToolStep["lastCall"];
	ending: ToolStepEnding | null;

	constructor(limits: CallLimits) {
		const { state, open } = limits;
		this.#limits = limits;
		this.#byTool = new Map(Object.entries(state.callsByTool));
		this.#calls = open.calls;
		this.#runCalls = countCalls(state);
		this.#last = open.lastCall;
		this.ending = open.ending;
		for (const { tool } of limits.earlier.filter(countsForTool))
			this.#usedByTool.set(tool, (this.#usedByTool.get(tool) ?? 0) + 1);
	}

	get open(): TurnCalls["open"] {
		return { calls: this.#calls, lastCall: this.#last, ending: this.ending };
	}

	get callsByTool(): TurnCalls["callsByTool"] {
		return Object.fromEntries(this.#byTool);
	}

	/** Counts a call. Returns why a limit keeps it from running; null where none does. */
	count(name: string, args: string): string | null {
		const { maxToolCalls } = this.#limits;
		const hash = hashObject({ type: "svc.equal-call.v1", name, arguments: toHashedArguments(args) });
		const times = this.#last?.hash === hash ? this.#last.times + 1 : 1;
		this.#last = { hash, times };
		if (this.#runCalls >= maxToolCalls || this.#calls >= MAX_STEP_CALLS) {
			this.ending ??= "max_tool_calls";
			return this.#runCalls >= maxToolCalls ? NOT_RUN.runLimit() : NOT_RUN.stepLimit();
		}
		this.#runCalls++;
		this.#calls++;
		this.#byTool.set(name, (this.#byTool.get(name) ?? 0) + 1);
		if (this.#runCalls >= maxToolCalls || this.#calls >= MAX_STEP_CALLS) this.ending ??= "max_tool_calls";
		if (times >= MAX_EQUAL_CALLS) {
			this.ending ??= "loop";
			return NOT_RUN.repeated(times);
		}
		return null;
	}

	/** Counts a call that may run against its tool's own limit. Returns why that keeps it from running; null where it does not. */
	use(name: string): string | null {
		const tool = this.#limits.tools.find((each) => each.name === name);
		const most = tool?.kind === "client" ? tool.maxCalls : null;
		const before = this.#usedByTool.get(name) ?? 0;
		if (most !== null && before >= most) return NOT_RUN.toolLimit(most);
		this.#usedByTool.set(name, before + 1);
		return null;
	}
}

/** The call as its turn keeps it: models take back only arguments that are an object. */
function toKeptPart(part: ToolCallPart, id: string, args: string): ToolCallPart {
	const isObject = utf8Length(args) <= MAX_ARGUMENT_BYTES && readArguments(args).ok;
	return { ...part, id, arguments: isObject ? args : "{}" };
}

/** The calls of a turn. @param turn its place in the step. @param earlierIds model's ids of the step's calls so far. */
export async function toTurnCalls(
	content: readonly AssistantPart[],
	turn: number,
	earlierIds: ReadonlySet<string>,
	limits: CallLimits,
): Promise<TurnCalls> {
	const all = partsOfType<AssistantPart, "tool_call">(content, "tool_call");
	const kept = new Set<AssistantPart>(all.slice(0, MAX_TURN_CALLS));
	let bytesLeft = MAX_TURN_BYTES;
	const ids = new Set(earlierIds);
	const counter = new CallCounter(limits);
	const { step } = limits.open;
	const parts: AssistantPart[] = [];
	const made: MadeCall[] = [];
	for (const given of content) {
		if (given.type !== "tool_call") {
			parts.push(given);
			continue;
		}
		if (!kept.has(given)) continue;
		const part = { ...given, name: clip(given.name, MAX_NAME_CHARS) };
		const place = made.length;
		// Some models use an id twice, and a result must find its call.
		let modelId = part.id;
		for (let at = place; modelId === "" || modelId.length > MAX_ID_CHARS || ids.has(modelId); at += MAX_TURN_CALLS)
			modelId = `call_${step}_${turn}_${at}`;
		const args = normalArguments(part.arguments);
		const keptPart = toKeptPart(part, modelId, args);
		bytesLeft -= utf8Length(JSON.stringify(keptPart));
		if (bytesLeft < 0) continue;
		ids.add(modelId);
		parts.push(keptPart);
		const stopped = counter.count(part.name, args) ?? (await findFault(part, args, given === all.at(-1), limits));
		const fault = stopped ?? counter.use(part.name);
		made.push(toMadeCall({ part, args, modelId, step, turn, place, fault }, limits));
	}
	return { parts, made, leftOut: all.length - made.length, open: counter.open, callsByTool: counter.callsByTool };
}

interface NewCall extends Pick<ToolCall, "modelId" | "step" | "turn" | "place"> {
	part: ToolCallPart;
	args: string;
	/** Why it is not run. */
	fault: string | null;
}

function toMadeCall({ part, args, fault, ...placed }: NewCall, { tools, state, hash, newId }: CallLimits): MadeCall {
	const tool = tools.find((each) => each.name === part.name);
	const shownArgs = utf8Length(args) > MAX_ARGUMENT_BYTES ? "{}" : args;
	const read = readArguments(shownArgs);
	const canonical = read.ok ? read.canonical : shownArgs;
	const call = requestCall({
		...placed,
		id: newId(),
		tool: part.name,
		definition: tool ? definitionHash(tool) : null,
		argumentsHash: hash(toHashedArguments(args)),
	});
	if (fault === null) return { call, texts: { arguments: canonical, result: null, whole: null } };
	const { texts, mark } = fillResult(canonical, fault, true, hash);
	// What does not fit is quoted.
	const repeat = tool && read.ok ? toRepeatMark(state) : {};
	return { call: { ...failCall(call, mark), isRead: true, ...repeat }, texts };
}

/** What is said before the turn after one of which calls were left out. */
export function leftOutNote(leftOut: number): string | null {
	return leftOut === 0
		? null
		: `${leftOut} more calls of your last turn were left out: a turn may have ${MAX_TURN_CALLS} calls, and ${MAX_TURN_BYTES} bytes of them.`;
}
