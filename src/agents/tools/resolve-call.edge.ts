// What an answer makes of the call that waits for it: a result, a person's decision, or another action in its place, which is judged by
// the policy in force now. resolving.edge.ts stores it.
import type { AuditEventRow } from "../../audit/event.ts";
import { database } from "../../db/client.edge.ts";
import { ok, type Result } from "../../failure.ts";
import type { JsonObject } from "../../json.ts";
import { requireSettings } from "../../load-settings.edge.ts";
import { textHash } from "../../proof/salted.ts";
import type { StoredRun } from "../run/stored-run.edge.ts";
import { toApproval } from "./approval.ts";
import { listRounded, readArguments } from "./arguments.ts";
import { checkInputPayload, parseAskUser } from "./ask-user.ts";
import { approveCall, editCall, finishCall, rejectCall } from "./call-states.ts";
import {
	type DecidedAction,
	isDeniedEditRecorded,
	type ResolvedRecords,
	toDeniedEdit,
	withRecorded,
} from "./decision-record.ts";
import { judgeCall, readPolicy } from "./judge-call.edge.ts";
import { type PendingChange, type PersonDecision, refuseMember } from "./resolution.ts";
import type { ResolverStand } from "./resolving-key.edge.ts";
import { fillResult, MAX_RESULT_BYTES } from "./results.ts";
import { toReadTexts } from "./step-history.ts";
import type { RunTool } from "./tool.ts";
import type { ToolCall, ToolCallTexts } from "./tool-call.ts";
import { findTool } from "./tool-definition.ts";
import type { JudgedCall } from "./tool-services.ts";
import { findUnfit } from "./turn-calls.ts";

/** What the answers of one request are resolved with. */
export interface ResolvingContext {
	env: Env;
	run: StoredRun;
	/** The key that resolves. */
	by: ResolverStand;
	/** Queues records of what was decided. Called in the transaction that stores it. */
	queueRecords(records: ResolvedRecords): void;
}

/** A call as one resolution changes it. */
export interface ResolvedCall {
	before: ToolCall;
	call: ToolCall;
	/** Absent where they stay as they are. */
	texts?: ToolCallTexts;
	/** Of a person's decision. */
	decided?: DecidedAction;
	/** Of the judgement of an edit. */
	event?: AuditEventRow;
}

function rejectionText(reason: string | null): string {
	const why = reason === null || reason.trim() === "" ? "" : ` The reason given: ${reason}`;
	return `A person rejected this call. It did not run.${why}`;
}

/** The call with its result, which is kept whole: it is cut when it is read. */
function answerCall(
	{ spec, toolCalls }: StoredRun,
	before: ToolCall,
	{ output, isError }: { output: string; isError: boolean },
	{ hash }: PendingChange,
): ResolvedCall {
	const args = toolCalls.texts(before.id).arguments;
	const { texts, mark } = fillResult(args, output, isError, textHash(spec.salt), MAX_RESULT_BYTES);
	return { before, call: finishCall(before, mark, hash, Date.now()), texts };
}

/** Resolves the pending of a call. @param before the call as it was when the batch was checked. */
export async function resolveCall(
	context: ResolvingContext,
	before: ToolCall,
	change: PendingChange,
): Promise<Result<ResolvedCall>> {
	const { run } = context;
	const { resolution, path } = change;
	if (resolution.form === "decision") return decideCall(context, before, resolution, change);
	if (resolution.form === "output") return ok(answerCall(run, before, resolution, change));
	const args = readArguments(run.toolCalls.texts(before.id).arguments);
	const question = parseAskUser(args.ok ? args.value : null);
	if (!question.ok) throw new Error("what is waited for was asked");
	const checked = checkInputPayload(question, resolution.payload);
	if (!checked.ok) return refuseMember(`${path}.payload`, checked.message);
	return ok(answerCall(run, before, { output: checked.output, isError: false }, change));
}

/** A person's decision on a call. */
async function decideCall(
	context: ResolvingContext,
	before: ToolCall,
	decision: PersonDecision,
	change: PendingChange,
): Promise<Result<ResolvedCall>> {
	const { run, by } = context;
	const { actionDigest, pending, judgement, tool } = before;
	if (actionDigest === null || !pending) throw new Error("what is decided on has a digest");
	const approval = toApproval(decision, by, actionDigest, "approval", Date.now());
	const decided: DecidedAction = {
		pendingId: pending.id,
		call: { id: before.id, tool, policyEventId: judgement?.eventId ?? null },
		proposedDigest: actionDigest,
		approval,
	};
	if (decision.decision === "edit") return editAction(context, before, decision, decided, change);
	if (decision.decision === "approve") return ok({ before, call: approveCall(before, approval, change.hash), decided });
	const args = run.toolCalls.texts(before.id).arguments;
	const { texts, mark } = fillResult(args, rejectionText(decision.reason), true, textHash(run.spec.salt));
	return ok({ before, call: rejectCall(before, approval, change.hash, mark), texts, decided });
}

/** Puts another action in the place of the one that waits for approval, unless the policy denies it. @param decided on the former. */
async function editAction(
	context: ResolvingContext,
	before: ToolCall,
	{ arguments: edited }: PersonDecision,
	decided: DecidedAction,
	{ path, hash }: PendingChange,
): Promise<Result<ResolvedCall>> {
	const { spec, toolCalls } = context.run;
	const read = readArguments(JSON.stringify(edited));
	if (!read.ok) return refuseMember(`${path}.arguments`, read.fault);
	const shown = readArguments(toolCalls.texts(before.id).arguments);
	const known = listRounded(shown.ok ? shown.value : {});
	const rounded = listRounded(read.value).find((number) => !known.includes(number));
	if (rounded !== undefined)
		return refuseMember(
			`${path}.arguments`,
			`hold the number ${rounded}, which may not be the one that was written: readers of JSON round it. Write it as a text, in quotes`,
		);
	const tool = findTool(spec.tools ?? [], before);
	if (!tool) throw new Error("what is decided on has a tool");
	const unfit = await findUnfit(read.value, tool);
	if (unfit !== null) {
		const faults = unfit.replaceAll("\n", "; ");
		return refuseMember(`${path}.arguments`, `do not fit the parameters of ${before.tool}: ${faults}`);
	}
	const argumentsHash = textHash(spec.salt)(read.canonical);
	const { event, ...action } = await judgeEdited(context, { ...before, argumentsHash }, tool, read.value);
	if (action.judgement.decision === "deny") {
		storeDeniedEdit(context, event);
		const reason = action.judgement.reason.replace(/\.$/, "");
		const message = `are denied by the policy: ${reason}. The approval ${decided.pendingId} still waits: approve it as it is, reject it, or edit it to what the policy allows`;
		return refuseMember(`${path}.arguments`, message);
	}
	const approval = { ...decided.approval, digest: action.actionDigest };
	return ok({
		before,
		call: editCall(before, { ...action, argumentsHash }, approval, hash),
		texts: { ...toolCalls.texts(before.id), arguments: read.canonical },
		decided: { ...decided, approval },
		event,
	});
}

/** Judges a call with other arguments, by the policy in force now. */
async function judgeEdited(
	{ env, run }: ResolvingContext,
	call: ToolCall,
	tool: RunTool,
	args: JsonObject,
): Promise<JudgedCall> {
	const { spec, state } = run;
	if (!state.tools) throw new Error("a run with calls has tools");
	const policy = await readPolicy(database(env.DB), spec);
	const toJudge = { spec, call, tool, args, state: state.tools, texts: toReadTexts(run) };
	return judgeCall(policy, toJudge, await requireSettings(env));
}

/** Counts an edit that the policy denied. It changes nothing else, and leaves its event. */
function storeDeniedEdit({ run, queueRecords }: ResolvingContext, event: AuditEventRow): void {
	const deniedEdits = (run.state.deniedEdits ?? 0) + 1;
	const events = isDeniedEditRecorded(deniedEdits) ? [toDeniedEdit(event, deniedEdits)] : [];
	const state = withRecorded({ ...run.state, deniedEdits }, [], events);
	run.saveState(state, () => queueRecords({ records: [], events }));
}
