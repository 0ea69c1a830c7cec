// An interrupted run: it is not signed, holds nothing, and can be resumed for seven days. agent-run.object.ts stores it and lets it go
// on. Pure.
import type { RoutingConfig } from "../../routing/routing-config.ts";
import { SpendGuard } from "../guard.ts";
import { countSteps, type ResumeRules, type RunSpec, type RunState, type RunStep } from "./run.ts";

/** How long an interrupted run can be resumed. Then it is signed as it is. */
export const RESUMABLE_MS = 7 * 24 * 60 * 60 * 1_000;

/** An interrupted run, as a request that may resume it needs it. */
export interface InterruptedRun extends Pick<RunSpec, "goal" | "capNanoUsd"> {
	/** Its first POST was answered with the run at once. */
	isBackground: boolean;
}

/** Whether a run waits to be resumed. */
export function isResumable({ resumableUntilMs }: RunState, nowMs: number): boolean {
	return resumableUntilMs !== null && nowMs < resumableUntilMs;
}

/** The guard under today's limit, where that is lower. What was spent stays spent. */
export function lowerCap({ guard }: RunState, maxCostNanoUsd: number | null): RunState["guard"] {
	const { capNanoUsd: cap, stepCapNanoUsd: stepCap, spentNanoUsd } = guard;
	const capNanoUsd = maxCostNanoUsd === null ? cap : Math.max(spentNanoUsd, Math.min(cap, maxCostNanoUsd));
	return { ...guard, capNanoUsd, stepCapNanoUsd: Math.min(stepCap, capNanoUsd) };
}

/** The state of a run that is resumed. @param isKnown whether the catalog still has a model. */
export function resumedState(
	{ intendedModel }: Pick<RunSpec, "intendedModel">,
	state: RunState,
	steps: readonly RunStep[],
	resumeRules: ResumeRules,
	isKnown: (model: string) => boolean,
): RunState {
	const guard = SpendGuard.resume(lowerCap(state, resumeRules.maxCostNanoUsd));
	const models = new Set([intendedModel, ...steps.map(({ record }) => record.model)]);
	const gone = [...models].filter((model) => !isKnown(model));
	if (gone.length > 0) guard.reportReplaced(countSteps(state), gone);
	const stop = state.stop?.limit === "no_model" ? null : state.stop;
	return { ...state, guard: guard.state, fault: null, stop, retry: null, resumableUntilMs: null, resumeRules };
}

/** The config for a run's calls: the run's own, without the models that server and key block or do not list today. */
export function callConfigFor({ config }: RunSpec, { resumeRules }: RunState): RoutingConfig | null {
	const today = resumeRules?.config ?? null;
	if (!config || !today) return config ?? today;
	const blocked = [...new Set([...config.blocked, ...today.blocked])];
	const allowlists = [...(config.allowlists ?? []), ...(today.allowlists ?? [])];
	const operatorBlocked = [...new Set([...(config.operator_blocked ?? []), ...(today.operator_blocked ?? [])])];
	const unnamed = operatorBlocked.length > 0 ? { operator_blocked: operatorBlocked } : {};
	return { ...config, blocked, ...unnamed, ...(allowlists.length > 0 ? { allowlists } : {}) };
}
