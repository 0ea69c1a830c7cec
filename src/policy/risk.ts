// The risk of a handoff, from what a handoff says about itself; commands and policy decisions are in decide.ts.

import type { RiskTier } from "../audit/event.ts";
import { findCues } from "./cues.ts";
import { ALL_FACTORS, combineFactors, type FactorId } from "./factors.ts";
import { compileProtectedPaths } from "./paths.ts";

/** What a handoff is for (docs/reference.md, "Handoffs"). */
export type HandoffKind = "edit" | "refactor" | "deploy" | "review" | "setup";

/** What the risk of a handoff is read from, and the rules it is held against. */
export interface HandoffRiskInput {
	readonly actionKind: HandoffKind;
	/** Paths as the caller wrote them. */
	readonly files: readonly string[];
	readonly objective: string;
	readonly estCostUsd?: number | undefined;
	/** The manifest's patterns merged with the built-in ones. */
	readonly protectedPaths: readonly string[];
	/** Absent when the workspace has no budget: then no cost is over it. */
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
 * The risk of a handoff. A review changes nothing, so its text raises nothing; the files it names still count, since
 * `files_touched` are paths already modified (docs/reference.md, "Handoffs").
 */
export function handoffRisk(input: HandoffRiskInput): Risk {
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
