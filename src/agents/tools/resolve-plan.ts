// What a person's decision makes of a run's plan: it stands, it is another one, or it ends the run as cancelled. Pure.
import { ok, type Result } from "../../failure.ts";
import type { JsonObject } from "../../json.ts";
import { canonicalJson } from "../../proof/canonical.ts";
import { textHash } from "../../proof/salted.ts";
import { utf8Length } from "../../text/utf8.ts";
import { toStepLayout } from "../plan.ts";
import type { RunSpec, RunState } from "../run/run.ts";
import { planDigest } from "./action.ts";
import { toApproval } from "./approval.ts";
import type { DecidedAction } from "./decision-record.ts";
import { type PendingChange, type PersonDecision, refuseMember } from "./resolution.ts";
import type { ResolverStand } from "./resolving-key.edge.ts";
import type { CallApproval } from "./tool-call.ts";
import type { PlanWait } from "./wait-state.ts";
import { openPlan, planArguments } from "./waiting.ts";

/** A subtask in an edited plan has at most so many bytes. */
const MAX_SUBTASK_BYTES = 16_384;

/** A plan as a resolution changes it. */
export interface ResolvedPlan {
	before: PlanWait;
	plan: PlanWait;
	/** The run's state with what the decision makes of the plan itself. */
	change(state: RunState): RunState;
	decided: DecidedAction;
}

/** A member of an edited plan that cannot be edited, and is not as it is shown; undefined where there is none. */
function findFixedMember(args: JsonObject, shown: JsonObject): string | undefined {
	const isShown = (name: string) =>
		Object.hasOwn(shown, name) && canonicalJson(args[name]) === canonicalJson(shown[name]);
	return Object.keys(args).find((name) => name !== "plan" && !isShown(name));
}

/** The subtasks of an edited plan. @param shown what was decided on. */
function readPlan(
	{ arguments: args }: PersonDecision,
	path: string,
	{ maxSubtasks, shown }: { maxSubtasks: number; shown: JsonObject },
): Result<string[]> {
	const fixed = findFixedMember(args ?? {}, shown);
	if (fixed !== undefined)
		return refuseMember(
			`${path}.arguments.${fixed}`,
			"cannot be edited here: only plan can. Leave it out; reject the plan where its bound is too high",
		);
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

/** The plan as a person decided on it. */
export function resolvePlan(
	{ spec, state: stateNow }: { spec: RunSpec; state: RunState },
	{ hash, path }: PendingChange,
	decision: PersonDecision,
	by: ResolverStand,
	nowMs: number,
): Result<ResolvedPlan> {
	const before = openPlan(stateNow);
	if (!before) throw new Error("the plan that is decided on waits");
	const { id: pendingId, digest: proposedDigest } = before;
	const approval = toApproval(decision, by, proposedDigest, "plan", nowMs);
	const resolve = (change: ResolvedPlan["change"], made: CallApproval = approval) =>
		ok({
			before,
			plan: { ...before, end: "resolved" as const, resolution: hash, approval: made },
			change,
			decided: { pendingId, call: null, proposedDigest, approval: made },
		});
	if (decision.decision === "approve") return resolve((state) => state);
	if (decision.decision === "reject") return resolve((state) => ({ ...state, isCancelled: true }));
	const { maxSubtasks } = toStepLayout(spec.maxSteps);
	const subtasks = readPlan(decision, path, { maxSubtasks, shown: planArguments({ spec, state: stateNow }) });
	if (!subtasks.ok) return subtasks;
	// The sections of the plan before are not those of this one, and its event is another.
	const change = ({ isTrivial: _, ...state }: RunState): RunState => ({
		...state,
		plan: subtasks.value,
		assembly: null,
		owesPlanEvent: true,
	});
	const shown = textHash(spec.salt)(canonicalJson(planArguments({ spec, state: change(stateNow) })));
	return resolve(change, { ...approval, digest: planDigest(spec.runId, shown) });
}
