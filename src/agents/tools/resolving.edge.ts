// Takes the answers that a waiting run asks for, as its object does it: a batch is checked whole, what it needs is judged and sealed,
// and then it is stored in one transaction, or not at all. Who may resolve what is decided by rules that come with the request.
//
// Between check and storing others may have been faster: the batch is then checked again, so that each pending is resolved once.
import { ulid } from "ulid";
import { redactPayloadSecrets } from "../../compliance/audit-secrets.ts";
import { type Failure, fail, ok, type Result } from "../../failure.ts";
import { requireSettings } from "../../load-settings.edge.ts";
import { textHash } from "../../proof/salted.ts";
import type { RunState } from "../run/run.ts";
import type { StoredRun } from "../run/stored-run.edge.ts";
import { type BatchChanges, checkBatch, findForbidden, isClosed } from "./check-batch.ts";
import { type DecidedAction, type DecisionRecord, toDecisionRecord, withRecorded } from "./decision-record.ts";
import { findMessageRefusal } from "./judge-result.edge.ts";
import { hashResolutions, type ResolutionBatch, type SteeringMessage } from "./resolution.ts";
import { type ResolvedCall, type ResolvingContext, resolveCall } from "./resolve-call.edge.ts";
import { type ResolvedPlan, resolvePlan } from "./resolve-plan.ts";
import { toSteeringPlace } from "./steering.ts";
import { NO_WAIT, type RunWait, type SteeringPlace } from "./wait-state.ts";
import { withJudging } from "./waiting.edge.ts";
import { listPendings } from "./waiting.ts";

/** What became of a batch. */
export interface ResolveVerdict {
	/** It was stored now; not so where all of it was taken before. */
	hasChanged: boolean;
	/** How many pendings are still open. */
	left: number;
}

/** A batch as it is to be stored, unless something of it changes until then. */
interface PreparedBatch {
	calls: ResolvedCall[];
	plan: ResolvedPlan | null;
	message: SteeringMessage | null;
	/** The run's messages, among which this one was not found. */
	places: readonly SteeringPlace[];
}

/** Takes a batch, as a whole or not at all. */
export async function resolveBatch(context: ResolvingContext, batch: ResolutionBatch): Promise<Result<ResolveVerdict>> {
	const { env, run, by } = context;
	const hashed = hashResolutions(batch.resolutions, textHash(run.spec.salt));
	if (!hashed.ok) return hashed;
	const refused = findForbidden(run, batch, by);
	if (refused) return fail(refused);
	// Nothing is awaited between a batch's check and the look at what it changes: what others store meanwhile is seen at storing.
	await run.toolCalls.openTexts(env, run.spec.userId);
	for (;;) {
		const checked = checkBatch(run, hashed.value, batch.message, Date.now());
		if (!checked.ok) return checked;
		const { changes, message } = checked.value;
		if (changes.length === 0 && !message) return ok({ hasChanged: false, left: listPendings(run).length });
		const prepared = await prepareBatch(context, checked.value);
		if (!prepared.ok) return prepared;
		if (await storeBatch(context, prepared.value)) return ok({ hasChanged: true, left: listPendings(run).length });
	}
}

/** What the changes of a batch make of the run's calls and plan, which stay as they are until it is stored. */
async function prepareBatch(
	context: ResolvingContext,
	{ changes, message }: BatchChanges,
): Promise<Result<PreparedBatch>> {
	const { run, by } = context;
	const places = run.state.wait?.messages ?? [];
	// As they were when the batch was checked.
	const befores = new Map(run.calls.map((call) => [call.id, call]));
	const calls: ResolvedCall[] = [];
	let plan: ResolvedPlan | null = null;
	for (const change of changes) {
		const { resolution, pending } = change;
		if (pending.callId === null) {
			if (resolution.form !== "decision") throw new Error("a plan is decided on");
			const resolved = resolvePlan(run, change, resolution, by, Date.now());
			if (!resolved.ok) return resolved;
			plan = resolved.value;
			continue;
		}
		const before = befores.get(pending.callId);
		if (!before) throw new Error("a pending has a call");
		const resolved = await resolveCall(context, before, change);
		if (!resolved.ok) return resolved;
		calls.push(resolved.value);
	}
	const objection = message ? await checkMessage(context, message.text) : null;
	return objection ? fail(objection) : ok({ calls, plan, message, places });
}

/** Why compliance keeps a message from the run's models; null where one may read it. */
async function checkMessage({ env, run: { spec, state } }: ResolvingContext, text: string): Promise<Failure | null> {
	const models = state.tools?.open?.models ?? [spec.intendedModel];
	const policies = [spec.compliance, state.resumeRules?.compliance ?? null];
	return findMessageRefusal({ spec, text, models }, policies, await requireSettings(env));
}

/** The records of decisions. A reason stands in its event as it was given, but for what looks like a secret. */
async function toRecords(
	{ env, run: { spec } }: ResolvingContext,
	decided: readonly DecidedAction[],
): Promise<DecisionRecord[]> {
	if (decided.length === 0) return [];
	const settings = await requireSettings(env);
	return Promise.all(
		decided.map(async (action) => {
			const { event, handoff } = toDecisionRecord(spec, action, () => ulid());
			return { event: { ...event, payload: await redactPayloadSecrets(event.payload, settings) }, handoff };
		}),
	);
}

/** Whether the run still is as a batch was checked against it. */
function isUnchanged(run: StoredRun, { calls, plan, message, places }: PreparedBatch): boolean {
	const { wait } = run.state;
	return (
		calls.every(({ before }) => run.toolCalls.find(before.id) === before) &&
		(plan === null || wait?.plan === plan.before) &&
		(message === null || (wait?.messages ?? []).length === places.length) &&
		!isClosed(run)
	);
}

/** The run's state once a batch is stored. With an answer, the run is looked after next. */
function toResolvedState(run: StoredRun, { calls, plan, message, places }: PreparedBatch): RunState {
	const { state, spec, toolCalls } = run;
	const wait: RunWait = {
		...(state.wait ?? NO_WAIT),
		...(plan ? { plan: plan.plan } : {}),
		...(message ? { messages: [...places, toSteeringPlace(message, spec.salt)] } : {}),
	};
	const hasAnswers = calls.length > 0 || plan !== null;
	const planned = plan ? plan.change(state) : state;
	return {
		...(calls.length > 0 ? withJudging(planned, toolCalls.after(calls.map(({ call }) => call))) : planned),
		wait: hasAnswers ? { ...wait, sinceMs: wait.sinceMs ?? Date.now(), stalled: null } : wait,
	};
}

/** Stores a batch that is prepared. False when something of it has changed meanwhile: nothing is stored then. */
async function storeBatch(context: ResolvingContext, batch: PreparedBatch): Promise<boolean> {
	const { env, run, queueRecords } = context;
	const { calls, plan, message, places } = batch;
	const records = await toRecords(
		context,
		[...calls, ...(plan ? [plan] : [])].flatMap(({ decided }) => decided ?? []),
	);
	const sealed = await run.toolCalls.seal(env, run.spec.userId, calls[0]?.call.step ?? 0, {
		calls: calls.map(({ call, texts }) => ({ call, ...(texts ? { texts } : {}) })),
		...(message ? { message: { n: places.length, text: message.text } } : {}),
	});
	if (!isUnchanged(run, batch)) return false;
	const events = calls.flatMap(({ event }) => event ?? []);
	const state = withRecorded(toResolvedState(run, batch), records, events);
	run.saveCalls(state, sealed, () => queueRecords({ records, events }));
	return true;
}
