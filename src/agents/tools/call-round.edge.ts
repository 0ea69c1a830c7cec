// One round of a tool step's calls: those of its newest turn are judged, dispatched or run, and their results read. What a round leaves
// is stored in one transaction, with the audit events of its judgements. Who waits for what is then up to the run's object.
import { ulid } from "ulid";
import type { AuditEventRow } from "../../audit/event.ts";
import { database } from "../../db/client.edge.ts";
import { StorageUnavailableError } from "../../failure.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { textHash } from "../../proof/salted.ts";
import type { RunState } from "../run/run.ts";
import { actionDigest } from "./action.ts";
import { readArguments } from "./arguments.ts";
import { parseAskUser } from "./ask-user.ts";
import { findResult, runBuiltIn } from "./built-in.ts";
import {
	allowCall,
	awaitApproval,
	denyCall,
	dispatchCall,
	failCall,
	finishCall,
	isOver,
	reopenCall,
} from "./call-states.ts";
import { renderDenial } from "./containment.ts";
import { withRecorded } from "./decision-record.ts";
import { judgeCall, type PolicyInForce, readPolicy } from "./judge-call.edge.ts";
import { judgeResult, withoutTaintedLinks } from "./judge-result.edge.ts";
import type { LoopContext } from "./loop-context.ts";
import { readInQuarantine } from "./quarantine-turn.edge.ts";
import { cutResult, dropWholes, fillResult, NOT_RUN } from "./results.ts";
import { toReadTexts } from "./step-history.ts";
import type { ReadTexts } from "./taint.ts";
import { definitionHash, type RunTool } from "./tool.ts";
import type { ToolCall, ToolCallTexts } from "./tool-call.ts";
import { findTool } from "./tool-definition.ts";
import { type OpenToolStep, type ToolRunState, type ToolStepPhase, withCounts } from "./tool-state.ts";
import { type MadeCall, toRepeatMark } from "./turn-calls.ts";
import { createPending } from "./waiting.ts";

/** Edited arguments are shown to the model up to this length. */
const MAX_NOTED_BYTES = 4_096;

/** A call that is worked on: as it is stored, then as the round leaves it. */
interface WorkedCall extends MadeCall {
	tool: RunTool | null;
	events: AuditEventRow[];
}

/** Whether a result comes from outside the service, or holds words of a person. */
function isFromOutside({ state, settled }: ToolCall): boolean {
	return state === "done" || settled.some(({ end, kind }) => end === "resolved" && kind !== "approval");
}

/** Whether a result is to be read by a model in quarantine. */
function isForModel({ call, tool }: Pick<WorkedCall, "call" | "tool">): boolean {
	return isOver(call) && !call.isRead && tool?.kind === "client" && tool.isQuarantined;
}

/** Tells the model that what ran is not what it had called. */
function editedNote(args: string): string {
	return `A person changed the arguments of this call before it ran. It ran with: ${cutResult(args, MAX_NOTED_BYTES).text}`;
}

/** What happens next with the calls of a turn. */
function nextPhase(calls: readonly ToolCall[]): ToolStepPhase {
	const isDue = (call: ToolCall) => (isOver(call) ? !call.isRead : call.pending === null);
	if (calls.some(isDue)) return "judge";
	return calls.some(({ pending }) => pending !== null) ? "wait" : "turn";
}

export class CallRound {
	#loop: LoopContext;
	#open: OpenToolStep;
	#tools: ToolRunState;
	#texts: ReadTexts;
	/** Read once in a round, when a call first needs it. */
	#policy: PolicyInForce | null = null;

	constructor(loop: LoopContext) {
		const { tools } = loop.run.state;
		if (!tools?.open) throw new Error("a round of calls is of an open step");
		this.#loop = loop;
		this.#tools = tools;
		this.#open = tools.open;
		this.#texts = toReadTexts(loop.run);
	}

	get #hash() {
		return textHash(this.#loop.run.spec.salt);
	}

	/**
	 * Does all that the service can do for the calls of the newest turn.
	 * @throws StorageUnavailableError where the manifest is out of reach; nothing was judged then.
	 */
	async run(): Promise<void> {
		const { run, env, report } = this.#loop;
		const { toolCalls, spec } = run;
		const stored = toolCalls.ofTurn(this.#open.step, this.#open.turns - 1).toSorted((a, b) => a.place - b.place);
		const needsPolicy = stored.some((call) => !isOver(call) && call.pending === null);
		if (needsPolicy) this.#policy = await this.#readPolicy();
		const worked = await Promise.all(stored.map((call) => this.#work(call)));
		// Between the check of a call and its dispatch no model is asked: results that a model reads wait for the next round.
		const isLeft = worked.some(({ call }, at) => call !== stored[at]) && worked.some(isForModel);
		const read = isLeft ? worked : await this.#readAll(worked);
		const changed = this.#withinRoom(read.filter(({ call }, at) => call !== stored[at]));
		const sealed = await toolCalls.seal(env, spec.userId, this.#open.step, { calls: changed });
		const events = read.flatMap((each) => each.events);
		const state = withRecorded(this.#toState(changed), [], events);
		run.saveCalls(state, sealed, () => {
			for (const event of events) this.#loop.queueEvent(event);
		});
		for (const [at, { call }] of read.entries()) {
			const before = stored[at];
			const told = { call_id: call.id, tool: call.tool, state: call.state };
			if (before && before.judgement !== call.judgement && call.judgement) report({ type: "tool_judged", ...told });
			if (before && isOver(call) && call.isRead && !before.isRead) report({ type: "tool_done", ...told });
		}
	}

	/** Reads the results that nobody has read. One after the other: what one has read counts for the next. */
	async #readAll(worked: readonly WorkedCall[]): Promise<WorkedCall[]> {
		const read: WorkedCall[] = [];
		for (const each of worked) read.push(isOver(each.call) && !each.call.isRead ? await this.#read(each) : each);
		return read;
	}

	/** The calls that a round has changed, with as much of their cut results as the run has room for. */
	#withinRoom(changed: readonly WorkedCall[]): WorkedCall[] {
		const { toolCalls } = this.#loop.run;
		const ids = new Set(changed.map(({ call }) => call.id));
		const others = toolCalls.calls.filter(({ id }) => !ids.has(id));
		const keptChars = others.reduce((sum, { id }) => sum + (toolCalls.texts(id).whole?.length ?? 0), 0);
		return dropWholes(changed, keptChars);
	}

	/** @throws StorageUnavailableError where D1 does not give the manifest. */
	async #readPolicy(): Promise<PolicyInForce> {
		const { env, run } = this.#loop;
		try {
			return await readPolicy(database(env.DB), run.spec);
		} catch (cause) {
			throw new StorageUnavailableError("the manifest cannot be read", { cause });
		}
	}

	/** The run's state after the round. Other calls may have been answered meanwhile, and are taken as they are now. */
	#toState(changed: readonly WorkedCall[]): RunState {
		const { run } = this.#loop;
		const all = run.toolCalls.after(changed.map(({ call }) => call));
		const { step, turns } = this.#open;
		const open = {
			...this.#open,
			phase: nextPhase(all.filter((call) => call.step === step && call.turn === turns - 1)),
		};
		return { ...run.state, retry: null, tools: withCounts({ ...this.#tools, open }, all) };
	}

	/** Judges and dispatches a call, as far as that is due. */
	async #work(call: ToolCall): Promise<WorkedCall> {
		const { run } = this.#loop;
		const texts = run.toolCalls.texts(call.id);
		const tool = findTool(run.spec.tools ?? [], call);
		const worked: WorkedCall = { call, texts, tool, events: [] };
		if (isOver(call) || call.pending !== null) return worked;
		const judged = call.state === "requested" ? await this.#judge(worked) : await this.#recheck(worked);
		const { state } = judged.call;
		return state === "allowed" || state === "approved" ? this.#dispatch(judged) : judged;
	}

	/** The call with an error result of the service's own. */
	#fail(worked: WorkedCall, said: string): WorkedCall {
		const { texts, mark } = fillResult(worked.texts.arguments, said, true, this.#hash);
		return { ...worked, call: { ...failCall(worked.call, mark), isRead: true }, texts };
	}

	async #judge(given: WorkedCall): Promise<WorkedCall> {
		const { run, planContext } = this.#loop;
		const worked = await this.#withoutLinks(given);
		const { call, tool, texts } = worked;
		const args = readArguments(texts.arguments);
		if (!tool) return this.#fail(worked, NOT_RUN.unknownTool((run.spec.tools ?? []).map(({ name }) => name)));
		if (!args.ok) return this.#fail(worked, NOT_RUN.unreadable(args.fault));
		if (tool.kind === "built_in" && tool.name === "ask_user") {
			const asked = parseAskUser(args.value);
			if (!asked.ok) return this.#fail(worked, asked.message);
		}
		if (!this.#policy) throw new Error("the policy is read before a call is judged");
		const { spec } = run;
		const toJudge = { spec, call, tool, args: args.value, state: this.#tools, texts: this.#texts };
		const { event, ...action } = await judgeCall(this.#policy, toJudge, planContext().settings);
		const events = [...worked.events, event];
		const { decision } = action.judgement;
		if (decision === "allow") return { ...worked, call: allowCall(call, action), events };
		if (decision === "deny") {
			const denied = fillResult(texts.arguments, renderDenial(call.tool, action.judgement), true, this.#hash);
			const over = { ...denyCall(call, action, denied.mark), isRead: true, ...toRepeatMark(this.#tools) };
			return { ...worked, call: over, texts: denied.texts, events };
		}
		const pending = createPending(spec, { id: `pnd_${ulid()}`, kind: "approval" }, Date.now());
		return { ...worked, call: awaitApproval(call, action, pending), events };
	}

	/** A question to the user is shown as Markdown: links of untrusted texts are taken out of it before it is hashed. */
	async #withoutLinks(worked: WorkedCall): Promise<WorkedCall> {
		const { tool, texts, call } = worked;
		const isQuestion = tool?.kind === "built_in" && tool.name === "ask_user";
		const args = readArguments(texts.arguments);
		if (!isQuestion || !args.ok || this.#texts.untrusted.length === 0) return worked;
		const { userId } = this.#loop.run.spec;
		const clean = async (value: unknown): Promise<unknown> => {
			if (typeof value === "string") return withoutTaintedLinks(userId, value, this.#texts);
			if (Array.isArray(value)) return Promise.all(value.map(clean));
			if (!isJsonObject(value)) return value;
			const members = Object.entries(value).map(async ([name, member]) => [name, await clean(member)] as const);
			return Object.fromEntries(await Promise.all(members));
		};
		const read = readArguments(JSON.stringify(await clean(args.value)));
		if (!read.ok || read.canonical === args.canonical) return worked;
		const changed: ToolCallTexts = { ...texts, arguments: read.canonical };
		return { ...worked, call: { ...call, argumentsHash: this.#hash(read.canonical) }, texts: changed };
	}

	/** A call that was allowed or approved: where what it was judged by has changed since, it is judged anew. */
	async #recheck(worked: WorkedCall): Promise<WorkedCall> {
		const { call, tool } = worked;
		if (!this.#policy) throw new Error("the policy is read before a call is dispatched");
		const digest =
			tool &&
			actionDigest({
				runId: this.#loop.run.spec.runId,
				callId: call.id,
				tool: call.tool,
				definition: definitionHash(tool),
				argumentsHash: this.#hash(worked.texts.arguments),
				policy: this.#policy.stand,
			});
		const bound = call.approval?.digest ?? call.actionDigest;
		return digest !== null && digest === bound ? worked : this.#judge({ ...worked, call: reopenCall(call) });
	}

	/** Hands a call over: to the client, to the user, or to what the service runs itself. */
	#dispatch(worked: WorkedCall): WorkedCall {
		const { call, tool, texts } = worked;
		const { spec } = this.#loop.run;
		if (!tool) throw new Error("a call that may run has a tool");
		const id = `pnd_${ulid()}`;
		const nowMs = Date.now();
		if (tool.kind === "client") {
			const pending = createPending(spec, { id, kind: "client_tool", timeoutMs: tool.timeoutMs }, nowMs);
			return { ...worked, call: dispatchCall(call, pending, nowMs) };
		}
		if (tool.name === "ask_user")
			return { ...worked, call: dispatchCall(call, createPending(spec, { id, kind: "input" }, nowMs), nowMs) };
		const args = readArguments(texts.arguments);
		return this.#compute({ ...worked, call: dispatchCall(call, null, nowMs) }, args.ok ? args.value : {});
	}

	/** Runs a call of `compute`. What it makes of untrusted results is untrusted, too. */
	#compute(worked: WorkedCall, args: JsonObject): WorkedCall {
		const { toolCalls } = this.#loop.run;
		const ended = toolCalls.calls.map(({ id, modelId, tool, isError, isRead }) => {
			const { result, whole } = toolCalls.texts(id);
			// What has not passed the gate yet is no result.
			return { id, modelId, tool, isError, result: isRead ? (whole ?? result) : null };
		});
		const { output, isError, whole, sources } = runBuiltIn("compute", args, {
			results: (reference) => findResult(ended, reference),
		});
		const ids = ended.map((each) => ({ ...each, result: each.result === null ? null : each.id }));
		const sourceIds = new Set(sources.map((source) => findResult(ids, source)));
		const isUntrusted = toolCalls.calls.some((call) => call.isUntrusted && sourceIds.has(call.id));
		const { texts, mark } = fillResult(worked.texts.arguments, output, isError, this.#hash);
		const call = { ...finishCall(worked.call, mark, null, Date.now()), isUntrusted, ...toRepeatMark(this.#tools) };
		return { ...worked, call, texts: { ...texts, whole: whole ?? texts.whole } };
	}

	/** Reads a result: compliance and secrets, in quarantine where the tool asks for that, then cut for the next turn. */
	async #read(worked: WorkedCall): Promise<WorkedCall> {
		const { call, tool, texts } = worked;
		const { run, planContext } = this.#loop;
		const given = texts.whole ?? texts.result ?? "";
		const isOutside = isFromOutside(call);
		if (!tool || !(isOutside || call.approval)) return { ...worked, call: { ...call, isRead: true } };
		const policies = [run.spec.compliance, run.state.resumeRules?.compliance ?? null];
		const toRead = { spec: run.spec, tool, result: given, isError: call.isError, models: this.#open.models };
		const read = await judgeResult(toRead, policies, planContext().settings);
		const isWithheld = read.result !== given;
		const isQuarantined = tool.kind === "client" && tool.isQuarantined && isOutside && !isWithheld;
		const shown = isQuarantined ? await this.#quarantine(worked, tool, read.result) : read;
		const isUntrusted = isOutside && !isWithheld && (call.isUntrusted || (tool.kind === "client" && tool.isUntrusted));
		const { told, repeat } = this.#withEdit(worked, isOutside, shown.result);
		const filled = fillResult(texts.arguments, told, shown.isError, this.#hash);
		const [first = this.#open.models[0], ...others] = read.models;
		this.#open = { ...this.#open, models: [first, ...others] };
		const isPrivate = !isWithheld && (read.hasSecret || (isOutside && tool.kind === "client" && tool.isPrivate));
		this.#tools = {
			...this.#tools,
			untrusted: isUntrusted ? [...this.#tools.untrusted, { callId: call.id, tool: call.tool }] : this.#tools.untrusted,
			hasReadPrivate: this.#tools.hasReadPrivate || isPrivate,
		};
		const isCut = filled.mark.isCut || call.isCut;
		// What compute gives beside its output stays, so that a later call may go on with it.
		const whole = tool.kind === "built_in" && !isWithheld ? texts.whole : filled.texts.whole;
		const marks = { ...filled.mark, isCut, isRead: true, isUntrusted, ...repeat };
		return { ...worked, call: { ...call, ...marks }, texts: { ...filled.texts, whole } };
	}

	/** A result with what a person had it made of: the model has not seen those arguments, which may repeat what it wrote. */
	#withEdit({ call, texts }: WorkedCall, isOutside: boolean, result: string) {
		if (!isOutside || call.approval?.decision !== "edit") return { told: result, repeat: {} };
		return { told: `${editedNote(texts.arguments)}\n${result}`, repeat: toRepeatMark(this.#tools) };
	}

	/** Has a result read by a model without tools. What that costs is the step's. */
	async #quarantine(worked: WorkedCall, tool: RunTool, result: string): Promise<{ result: string; isError: boolean }> {
		const { open, ...read } = await readInQuarantine(this.#loop, this.#open, worked.call, tool, result);
		this.#open = open;
		return read;
	}
}
