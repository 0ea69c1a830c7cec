// The risk of a handoff, by what the handoff says about itself. Commands and policy decisions are in decide.ts.

import type { RiskTier } from "../audit/event.ts";
import { findCues } from "./cues.ts";
import { ALL_FACTORS, combineFactors, type FactorId } from "./factors.ts";
import { compileProtectedPaths } from "./paths.ts";

/** The kinds of work that are handed over (docs/reference/workspaces.md, "Handoffs"). */
export type HandoffKind = "edit" | "refactor" | "deploy" | "review" | "setup";

/** What a handoff's risk is scored by, and the rules it is held against. */
export interface HandoffRiskInput {
	readonly actionKind: HandoffKind;
	/** Paths as the caller wrote them. */
	readonly files: readonly string[];
	readonly objective: string;
	readonly estCostUsd?: number | undefined;
	/** The manifest's patterns merged with the built-in ones. */
	readonly protectedPaths: readonly string[];
	/** Absent when the workspace has no budget. */
	readonly budgetUsd?: number | undefined;
}

/** A score from 0 to 100, its tier, and the factors that fired in the order of the table. */
export interface Risk {
	readonly score: number;
	readonly tier: RiskTier;
	readonly factors: readonly FactorId[];
}

/** More files than this are a wide change. */
export const WIDE_CHANGE_FILES = 25;

/** Combines factors of both tables and lists those that fired. */
export function toRisk(triggered: ReadonlySet<FactorId>): Risk {
	const { score, tier, factors } = combineFactors(triggered, ALL_FACTORS);
	return { score, tier, factors: factors.filter((factor) => factor.triggered).map(({ id }) => id) };
}

/**
 * Scores a handoff. A review changes nothing, so its text raises no factor. Its files still count, because
 * `files_touched` were modified before (docs/reference/workspaces.md, "Handoffs").
 */
export function scoreHandoffRisk(input: HandoffRiskInput): Risk {
	const triggered = new Set<FactorId>();
	if (input.actionKind !== "review") for (const cue of findCues(input.objective)) triggered.add(cue);
	if (input.actionKind === "deploy") triggered.add("deploy_action");
	const protectedPaths = compileProtectedPaths(input.protectedPaths);
	if (input.files.some((file) => protectedPaths.find(file) !== null)) triggered.add("protected_path");
	if (input.files.length > WIDE_CHANGE_FILES) triggered.add("wide_change");
	const { budgetUsd, estCostUsd } = input;
	if (budgetUsd !== undefined && estCostUsd !== undefined && estCostUsd > budgetUsd) triggered.add("over_budget");
	return toRisk(triggered);
}
