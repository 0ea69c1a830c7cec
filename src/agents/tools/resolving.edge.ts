// Takes the answers that a waiting run asks for, as its object does it: a batch is checked whole, what it needs is judged and sealed,
// and then it is stored in one transaction, or not at all. Who may resolve what is decided by rules that come with the request.
//
// Between check and storing others may have been faster: the batch is then checked again, so that each pending is resolved once.
import { ulid } from "ulid";
import type { AuditEventRow } from "../../audit/event.ts";
import { redactPayloadSecrets } from "../../compliance/audit-secrets.ts";
import { database } from "../../db/client.edge.ts";
import { type Failure, fail, ok, type Result } from "../../failure.ts";
import type { JsonObject } from "../../json.ts";
import { requireSettings } from "../../load-settings.edge.ts";
import { canonicalJson } from "../../proof/canonical.ts";
import type { Hash } from "../../proof/hash.ts";
import { textHash } from "../../proof/salted.ts";
import { utf8Length } from "../../text/utf8.ts";
import { toStepLayout } from "../plan.ts";
import type { RunState } from "../run/run.ts";
import type { StoredRun } from "../run/stored-run.edge.ts";
import { planDigest } from "./action.ts";
import { readArguments } from "./arguments.ts";
import { checkInputPayload, parseAskUser } from "./ask-user.ts";
import { approveCall, type CallResultMark, editCall, finishCall, rejectCall } from "./call-states.ts";
import {
	type DecidedAction,
	type DecisionRecord,
	isDeniedEditRecorded,
	toDecisionRecord,
	toDeniedEdit,
	withRecorded,
} from "./decision-record.ts";
import { judgeCall, readPolicy } from "./judge-call.edge.ts";
import { findMessageRefusal } from "./judge-result.edge.ts";
import { mayResolve, type ResolutionKind } from "./may-resolve.ts";
import {
	type HashedResolution,
	hashResolutions,
	type PendingChange,
	planResolutions,
	type Resolution,
	type ResolutionBatch,
	refuseMember,
	refuseNothing,
	type SteeringMessage,
} from "./resolution.ts";
import type { ResolverStand } from "./resolving-key.edge.ts";
import { toReadTexts } from "./step-history.ts";
import type { RunTool } from "./tool.ts";
import type { CallApproval, ToolCall, ToolCallTexts } from "./tool-call.ts";
import { findTool } from "./tool-definition.ts";
import type { JudgedCall } from "./tool-services.ts";
import { findUnfit } from "./turn-calls.ts";
import { NO_WAIT, type PlanWait, type RunWait } from "./wait-state.ts";
import { withJudging } from "./waiting.edge.ts";
import { knownPendings, listPendings, openPlan, planArguments, toPendingEntry } from "./waiting.ts";

/** What is stored with the answers: the records of decisions, and the events of edits that were judged. */
export interface ResolvedRecords {
	records: DecisionRecord[];
	events: AuditEventRow[];
}

/** What the run's object provides. */
export interface ResolvingOwner {
	/** Queues records of what was decided. Called in the transaction that stores it. */
	queueRecords(records: ResolvedRecords): void;
}

/** What became of a batch. */
export interface ResolveVerdict {
	/** It was stored now; not so where all of it was taken before. */
	hasChanged: boolean;
	/** How many pendings are still open. */
	left: number;
}

/** A message that is not there yet, with the messages among which it was not found. */
interface NewMessage extends SteeringMessage {
	places: RunWait["messages"];
}

/** A call as one resolution changes it. */
interface ResolvedCall {
	before: ToolCall;
	call: ToolCall;
	texts?: ToolCallTexts;
	decided?: DecidedAction;
	event?: AuditEventRow;
}

/** A plan as a resolution changes it. */
interface ResolvedPlan {
	before: PlanWait;
	change(state: RunState): RunState;
	plan: PlanWait;
	decided: DecidedAction;
}

function rejectionText(reason: string | null): string {
	const why = reason === null || reason.trim() === "" ? "" : ` The reason given: ${reason}`;
	return `A person rejected this call. It did not run.${why}`;
}

type Decision = Extract<Resolution, { form: "decision" }>;

export class RunResolving {
	#env: Env;
	#owner: ResolvingOwner;

	constructor(env: Env, owner: ResolvingOwner) {
		this.#env = env;
		this.#owner = owner;
	}

	/** Takes a batch, as a whole or not at all. @param by the key that resolves. */
	async resolve(run: StoredRun, batch: ResolutionBatch, by: ResolverStand): Promise<Result<ResolveVerdict>> {
		const { spec } = run;
		const hashed = hashResolutions(batch.resolutions, textHash(spec.salt));
		if (!hashed.ok) return hashed;
		const refused = findForbidden(run, batch, by);
		if (refused) return fail(refused);
		// Nothing is awaited between a batch's check and the look at what it changes: what others store meanwhile is seen at storing.
		await run.toolCalls.openTexts(this.#env, spec.userId);
		for (;;) {
			const planned = planBatch(run, hashed.value, batch.message);
			if (!planned.ok) return planned;
			const { changes, message } = planned.value;
			if (changes.length === 0 && !message) return ok({ hasChanged: false, left: listPendings(run).length });
			const places = run.state.wait?.messages ?? [];
			const prepared = await this.#prepare(run, changes, by);
			if (!prepared.ok) return prepared;
			const objection = message ? await this.#checkMessage(run, message.text) : null;
			if (objection) return fail(objection);
			if (await this.#store(run, prepared.value, message && { ...message, places }))
				return ok({ hasChanged: true, left: listPendings(run).length });
		}
	}

	/** Why compliance keeps a message from the run's models; null where one may read it. */
	async #checkMessage({ spec, state }: StoredRun, text: string): Promise<Failure | null> {
		const models = state.tools?.open?.models ?? [spec.intendedModel];
		const policies = [spec.compliance, state.resumeRules?.compliance ?? null];
		return findMessageRefusal({ spec, text, models }, policies, await requireSettings(this.#env));
	}

	/** Judges a call with other arguments, by the policy in force now. */
	async #judge(run: StoredRun, call: ToolCall, tool: RunTool, args: JsonObject): Promise<JudgedCall> {
		const { spec, state } = run;
		if (!state.tools) throw new Error("a run with calls has tools");
		const policy = await readPolicy(database(this.#env.DB), spec);
		const toJudge = { spec, call, tool, args, state: state.tools, texts: toReadTexts(run) };
		return judgeCall(policy, toJudge, await requireSettings(this.#env));
	}

	async #prepare(
		run: StoredRun,
		changes: readonly PendingChange[],
		by: ResolverStand,
	): Promise<Result<{ calls: ResolvedCall[]; plan: ResolvedPlan | null }>> {
		const calls: ResolvedCall[] = [];
		let plan: ResolvedPlan | null = null;
		const befores = new Map(run.calls.map((call) => [call.id, call]));
		for (const change of changes) {
			const { resolution, pending } = change;
			if (pending.callId === null) {
				const resolved = resolution.form === "decision" ? resolvePlan(run, change, resolution, by) : null;
				if (resolved && !resolved.ok) return resolved;
				plan = resolved?.value ?? null;
				continue;
			}
			const call = befores.get(pending.callId);
			if (!call) throw new Error("a pending has a call");
			const resolved = await this.#resolveCall(run, call, change, by);
			if (!resolved.ok) return resolved;
			calls.push(resolved.value);
		}
		return ok({ calls, plan });
	}

	async #resolveCall(
		run: StoredRun,
		before: ToolCall,
		{ resolution, hash, path }: PendingChange,
		by: ResolverStand,
	): Promise<Result<ResolvedCall>> {
		const texts = run.toolCalls.texts(before.id);
		const toMark = (text: string, isError: boolean): CallResultMark => ({
			resultHash: textHash(run.spec.salt)(text),
			isError,
			isCut: false,
		});
		if (resolution.form === "decision") return this.#decide(run, before, { resolution, hash, path }, by);
		if (resolution.form === "output") {
			const { output, isError } = resolution;
			const call = finishCall(before, toMark(output, isError), hash);
			return ok({ before, call, texts: { ...texts, result: output, whole: null } });
		}
		const read = readArguments(texts.arguments);
		const question = parseAskUser(read.ok ? read.value : null);
		if (!question.ok) throw new Error("what is waited for was asked");
		const checked = checkInputPayload(question, resolution.payload);
		if (!checked.ok) return refuseMember(`${path}.payload`, checked.message);
		const call = finishCall(before, toMark(checked.output, false), hash);
		return ok({ before, call, texts: { ...texts, result: checked.output, whole: null } });
	}

	/** A person's decision on a call. */
	async #decide(
		run: StoredRun,
		before: ToolCall,
		{ resolution, hash, path }: { resolution: Decision; hash: Hash; path: string },
		by: ResolverStand,
	): Promise<Result<ResolvedCall>> {
		const { actionDigest, pending, judgement, tool } = before;
		if (actionDigest === null || !pending) throw new Error("what is decided on has a digest");
		const texts = run.toolCalls.texts(before.id);
		const approval = toApproval(resolution, by, actionDigest, "approval");
		const decided: DecidedAction = {
			pendingId: pending.id,
			call: { id: before.id, tool, policyEventId: judgement?.eventId ?? null },
			proposedDigest: actionDigest,
			approval,
		};
		if (resolution.decision === "approve") return ok({ before, call: approveCall(before, approval, hash), decided });
		if (resolution.decision === "reject") {
			const text = rejectionText(resolution.reason);
			const mark = { resultHash: textHash(run.spec.salt)(text), isError: true, isCut: false };
			const call = rejectCall(before, approval, hash, mark);
			return ok({ before, call, texts: { ...texts, result: text, whole: null }, decided });
		}
		const read = readArguments(JSON.stringify(resolution.arguments));
		if (!read.ok) return refuseMember(`${path}.arguments`, read.fault);
		const runTool = findTool(run.spec.tools ?? [], before);
		if (!runTool) throw new Error("what is decided on has a tool");
		const unfit = await findUnfit(read.value, runTool);
		if (unfit !== null) return refuseMember(`${path}.arguments`, `do not fit ${tool}: ${unfit.replaceAll("\n", "; ")}`);
		const argumentsHash = textHash(run.spec.salt)(read.canonical);
		const judged = await this.#judge(run, { ...before, argumentsHash }, runTool, read.value);
		const { event, ...action } = judged;
		if (action.judgement.decision === "deny") {
			const deniedEdits = (run.state.deniedEdits ?? 0) + 1;
			const events = isDeniedEditRecorded(deniedEdits) ? [toDeniedEdit(event, deniedEdits)] : [];
			const recorded = withRecorded({ ...run.state, deniedEdits }, [], events);
			run.saveState(recorded, () => this.#owner.queueRecords({ records: [], events }));
			const reason = action.judgement.reason.replace(/\.$/, "");
			const message = `are denied by the policy: ${reason}. The approval ${pending.id} still waits: approve it as it is, reject it, or edit it to what the policy allows`;
			return refuseMember(`${path}.arguments`, message);
		}
		const edited = { ...approval, digest: action.actionDigest };
		const call = editCall(before, { ...action, argumentsHash }, edited, hash);
		return ok({
			before,
			call,
			texts: { ...texts, arguments: read.canonical },
			decided: { ...decided, approval: edited },
			event,
		});
	}

	/** The records of decisions. A reason stands in its event as it was given, but for what looks like a secret. */
	async #toRecords(spec: StoredRun["spec"], decided: readonly DecidedAction[]): Promise<DecisionRecord[]> {
		if (decided.length === 0) return [];
		const settings = await requireSettings(this.#env);
		return Promise.all(
			decided.map(async (action) => {
				const { event, handoff } = toDecisionRecord(spec, action, () => ulid());
				return { event: { ...event, payload: await redactPayloadSecrets(event.payload, settings) }, handoff };
			}),
		);
	}

	/** Stores a batch that is prepared. False when something of it has changed meanwhile: nothing is stored then. */
	async #store(
		run: StoredRun,
		{ calls, plan }: { calls: readonly ResolvedCall[]; plan: ResolvedPlan | null },
		message: NewMessage | null,
	): Promise<boolean> {
		const { toolCalls, spec } = run;
		const step = calls[0]?.call.step ?? 0;
		const changed = calls.map(({ call, texts }) => ({ call, ...(texts ? { texts } : {}) }));
		const places = message?.places ?? [];
		const decided = [...calls, ...(plan ? [plan] : [])].flatMap((each) => each.decided ?? []);
		const records = await this.#toRecords(spec, decided);
		const sealed = await toolCalls.seal(this.#env, spec.userId, step, {
			calls: changed,
			...(message ? { message: { n: places.length, text: message.text } } : {}),
		});
		const isSame =
			calls.every(({ before }) => toolCalls.find(before.id) === before) &&
			(plan === null || run.state.wait?.plan === plan.before) &&
			(message === null || (run.state.wait?.messages ?? []).length === places.length) &&
			!isClosed(run);
		if (!isSame) return false;
		const wait: RunWait = {
			...(run.state.wait ?? NO_WAIT),
			...(plan ? { plan: plan.plan } : {}),
			...(message ? { messages: [...places, toPlace(message, spec.salt)] } : {}),
		};
		const hasAnswers = calls.length > 0 || plan !== null;
		const planned = plan ? plan.change(run.state) : run.state;
		const resolved: RunState = {
			...(calls.length > 0 ? withJudging(planned, toolCalls.after(calls.map(({ call }) => call))) : planned),
			wait: hasAnswers ? { ...wait, sinceMs: wait.sinceMs ?? Date.now(), stalled: null } : wait,
		};
		const events = calls.flatMap(({ event }) => event ?? []);
		const recorded = withRecorded(resolved, records, events);
		run.saveCalls(recorded, sealed, () => this.#owner.queueRecords({ records, events }));
		return true;
	}
}

/** Whether a run takes no answers: it is over, about to be, or to be resumed first. */
function isClosed({ state, end, pendingSettlement, isInterrupted }: StoredRun): boolean {
	return end !== null || pendingSettlement !== null || isInterrupted || state.isCancelled || state.fault !== null;
}

function closedText({ end, isInterrupted, state }: StoredRun): string {
	if (isInterrupted)
		return "the run is interrupted: POST /v1/agent/{run_id}/resume lets it go on, and then it waits again";
	return `the run is over (${end?.status ?? (state.isCancelled ? "cancelled" : "ending")})`;
}

/** What a batch changes of a run as it is now. */
function planBatch(
	run: StoredRun,
	hashed: readonly HashedResolution[],
	message: SteeringMessage | null,
): Result<{ changes: PendingChange[]; message: SteeringMessage | null }> {
	const present = isClosed(run) ? [] : listPendings(run).map(toPendingEntry);
	if (hashed.length === 0 && !message && present.length > 0) return refuseNothing(present);
	const planned = planResolutions(hashed, knownPendings(run), present, Date.now());
	if (!planned.ok) return planned;
	const news = findNewMessage(run, message);
	if (!news.ok) return news;
	const hasNews = planned.value.length > 0 || news.value !== null;
	if (hasNews && isClosed(run)) {
		const state = run.isInterrupted ? "interrupted" : (run.end?.status ?? "running");
		const id = planned.value[0]?.pending.id ?? message?.id ?? null;
		return fail({
			reason: "action_conflict",
			message: `${closedText(run)}; nothing was taken`,
			id,
			state,
			decided: null,
			pending: [],
		});
	}
	return ok({ changes: planned.value, message: news.value });
}

function toPlace({ id, text }: SteeringMessage, salt: string | undefined): RunWait["messages"][number] {
	return { id, hash: textHash(salt)(text), isRead: false };
}

/** A message that the run does not have yet; null where there is none. */
function findNewMessage(run: StoredRun, message: SteeringMessage | null): Result<SteeringMessage | null> {
	if (!message) return ok(null);
	if (!run.spec.tools) {
		const text = "is read before a turn of a step with tools, and this run has no tools";
		return refuseMember("message", text);
	}
	const known = run.state.wait?.messages.find(({ id }) => id === message.id);
	if (!known) return ok(message);
	if (known.hash === toPlace(message, run.spec.salt).hash) return ok(null);
	const text = `the run has another message with the id ${message.id}; nothing was taken`;
	const pending = listPendings(run).map(toPendingEntry);
	return fail({
		reason: "action_conflict",
		message: text,
		id: message.id,
		state: known.isRead ? "read" : "accepted",
		decided: null,
		pending,
	});
}

/** Why the key may not resolve what it names; null when it may. Pendings that the run does not have are refused as unknown later. */
function findForbidden(
	run: StoredRun,
	{ resolutions, message }: ResolutionBatch,
	{ key, rules }: ResolverStand,
): Failure | null {
	const known = knownPendings(run);
	const kinds: ResolutionKind[] = resolutions.flatMap(({ id }) => known.get(id)?.kind ?? []);
	for (const kind of [...kinds, ...(message ? (["message"] as const) : [])]) {
		const permitted = mayResolve(kind, key, rules);
		if (!permitted.ok) return permitted.failure;
	}
	return null;
}

/** A decision as it is recorded. @param digest of the action, as it was put up. */
function toApproval(
	{ decision, reason }: Decision,
	{ key, rules }: ResolverStand,
	digest: Hash,
	kind: "approval" | "plan",
): CallApproval {
	const permitted = mayResolve(kind, key, rules);
	if (!permitted.ok) throw new Error("who decides was asked before");
	return {
		keyId: key.keyId,
		decision,
		at: new Date(Date.now()).toISOString(),
		digest,
		...(permitted.value.isSelfApproval ? { isSelfApproval: true as const } : {}),
		...(reason === null ? {} : { reason }),
	};
}

/** A subtask in an edited plan has at most so many bytes. */
const MAX_SUBTASK_BYTES = 16_384;

/** The subtasks of an edited plan. */
function readPlan({ arguments: args }: Decision, path: string, maxSubtasks: number): Result<string[]> {
	const plan = args?.["plan"];
	const shape = `must be {plan: [...]} with 1 to ${maxSubtasks} subtasks, each a text that is not blank`;
	if (!Array.isArray(plan) || plan.length === 0 || plan.length > maxSubtasks)
		return refuseMember(`${path}.arguments`, shape);
	const subtasks: string[] = [];
	for (const [at, subtask] of plan.entries()) {
		if (typeof subtask !== "string" || subtask.trim() === "")
			return refuseMember(`${path}.arguments.plan.${at}`, shape);
		if (utf8Length(subtask) > MAX_SUBTASK_BYTES)
			return refuseMember(`${path}.arguments.plan.${at}`, `has more than ${MAX_SUBTASK_BYTES} bytes`);
		subtasks.push(subtask.toWellFormed());
	}
	return ok(subtasks);
}

/** The plan as a person decided on it. A rejected one ends the run as cancelled. */
function resolvePlan(
	run: StoredRun,
	{ hash, path }: PendingChange,
	resolution: Decision,
	by: ResolverStand,
): Result<ResolvedPlan> {
	const before = openPlan(run.state);
	if (!before) throw new Error("the plan that is decided on waits");
	const { id: pendingId, digest: proposedDigest } = before;
	const approval = toApproval(resolution, by, proposedDigest, "plan");
	const resolve = (change: ResolvedPlan["change"], made: CallApproval) => ({
		before,
		change,
		plan: { ...before, end: "resolved" as const, resolution: hash, approval: made },
		decided: { pendingId, call: null, proposedDigest, approval: made },
	});
	if (resolution.decision === "approve") return ok(resolve((state) => state, approval));
	if (resolution.decision === "reject") return ok(resolve((state) => ({ ...state, isCancelled: true }), approval));
	const { spec, state: stateNow } = run;
	const subtasks = readPlan(resolution, path, toStepLayout(spec.maxSteps).maxSubtasks);
	if (!subtasks.ok) return subtasks;
	// The sections of the plan before are not those of this one, and its event is another.
	const change = ({ isTrivial: _, ...state }: RunState): RunState => ({
		...state,
		plan: subtasks.value,
		assembly: null,
		owesPlanEvent: true,
	});
	const shown = textHash(spec.salt)(canonicalJson(planArguments({ spec, state: change(stateNow) })));
	return ok(resolve(change, { ...approval, digest: planDigest(spec.runId, shown) }));
}
