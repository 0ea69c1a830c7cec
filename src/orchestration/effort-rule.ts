// How much the calls of a workflow reason: by policy and role, within what the client allows. Which effort a model gets is routing's
// (routing/effort.ts). Pure.
import type { Effort } from "../catalog/vocabulary.ts";
import type { ModelCall } from "../providers/model-call.ts";
import { limitForVisible } from "../routing/effort.ts";
import type { EffortPolicy, Question } from "./strategy.ts";

/** Roles that decide on the work of others. Their verdicts are short, so reasoning costs least where they do it. */
const DECIDING_ROLES: ReadonlySet<string> = new Set(["judge", "planner", "reviewer"]);

/** The efforts of a policy; null is each model's lowest. */
const EFFORT_BY_POLICY: Readonly<Record<EffortPolicy, Readonly<Record<"deciding" | "answering", Effort | null>>>> = {
	efficiency: { deciding: null, answering: null },
	balanced: { deciding: "low", answering: null },
	depth: { deciding: "medium", answering: "low" },
};

/** What a client allows. */
interface EffortRequest {
	policy: EffortPolicy;
	/** The client's `reasoning_effort`; null leaves it to policy and role. */
	effort: Effort | null;
	/** The client's `max_tokens`, which reasoning counts towards; null without one. */
	maxTokens: number | null;
}

/** The effort of a question's call. */
export type EffortRule = (
	question: Pick<Question, "role" | "maxTokens">,
) => Pick<ModelCall, "effort" | "preferredEffort" | "addsReasoning">;

/** Whether an answer keeps its length when it reasons. The client's limit on each call stays a limit. */
function hasRoom(visibleTokens: number, effort: Effort, maxTokens: number | null): boolean {
	return maxTokens === null || limitForVisible(visibleTokens, effort) <= maxTokens;
}

/** The rule for the calls of a workflow. Where an answer would lose its room, the service buys no reasoning. */
export function createEffortRule({ policy, effort, maxTokens: limit }: EffortRequest): EffortRule {
	return ({ role, maxTokens }) => {
		if (effort !== null) return hasRoom(maxTokens, effort, limit) ? { effort, addsReasoning: true } : { effort };
		const preferred = EFFORT_BY_POLICY[policy][DECIDING_ROLES.has(role) ? "deciding" : "answering"];
		if (preferred === null || !hasRoom(maxTokens, preferred, limit)) return {};
		return { preferredEffort: preferred, addsReasoning: true };
	};
}

/** The efforts of a workflow's calls. */
export interface WorkflowEfforts {
	/** By policy and role. */
	chosen: EffortRule;
	/** Where money is short: what the client set, else each model's lowest. */
	least: EffortRule;
}

/** Both rules for a request. */
export function createEfforts(request: EffortRequest): WorkflowEfforts {
	return { chosen: createEffortRule(request), least: createEffortRule({ ...request, policy: "efficiency" }) };
}
