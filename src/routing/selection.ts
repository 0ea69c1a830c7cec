// What a selection depends on, and what it is: the types that its steps share.
import type { Catalog } from "../catalog/catalog.ts";
import type { Plan } from "../catalog/plans.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { BudgetStatus } from "../meter/key-budget.ts";
import type { Warning } from "../providers/model-call.ts";
import type { Exclusion } from "./eligibility.ts";
import type { LengthRequest } from "./length.ts";
import type { Mode, RoutingMode } from "./mode.ts";
import type { Observations } from "./observed.ts";
import type { RoutingConfig } from "./routing-config.ts";
import type { MatchedRule } from "./rules.ts";
import type { Expectation } from "./score.ts";

/**
 * Why a model was selected in place of an id that the request names: it is the nearest of its family (`alias`), or the cheapest where
 * the id means nothing (`unknown`) or a model outside the pricing plan (`plan`).
 */
export type Replacement = { asked: string } & (
	| { because: "unknown" | "plan" }
	/** `nearest` is the family's model; another may serve in its place. */
	| { because: "alias"; nearest: string }
);

/** Everything that a selection depends on. */
export interface SelectionRequest extends LengthRequest {
	/** The models to choose from. */
	catalog: Catalog;
	/** As the client wrote it; `auto` leaves the choice to routing. */
	model: string;
	/** An id that means nothing is refused; by default the cheapest budget model takes its place. */
	refusesUnknown?: boolean;
	routingMode: RoutingMode | null;
	/** The mode for a trivial prompt when neither request nor config sets one. */
	trivialMode: RoutingMode;
	config: RoutingConfig | null;
	/** The config's rule that matches the call; null when none does. */
	rule: MatchedRule | null;
	plan: Plan;
	/** The most that the plan lets the request cost, nano-USD; null means no limit. */
	planLimitNanoUsd: number | null;
	/** The budget of the caller's key, if what it leaves is a limit of the request. */
	keyBudget: BudgetStatus | null;
	/** Whether a model's provider can be called. */
	available(model: Model): boolean;
	/** Why the compliance policy in force keeps the call from a model; empty when it does not. */
	complianceReasons(model: Model): readonly string[];
	/** Whether a model's wire takes images by https address. */
	takesRemoteImages(model: Model): boolean;
	/** Whether a model's wire takes a tool of this name. */
	takesToolName(model: Model, name: string): boolean;
	/** What is known of the providers and the conversation besides the catalog. */
	observations: Observations;
	nowMs: number;
}

/** A model that may serve a call. */
export interface Candidate {
	model: Model;
	effort: EffortChoice;
	/** The output limit that it is called with. */
	maxTokens: number;
	warnings: Warning[];
	expectation: Expectation;
	/** What the expectation is worth in the mode. */
	score: number;
	/** The mode does without it while another can serve: it is expected to be too much worse than the best. */
	isBelowFloor: boolean;
	/** So many of its calls failed lately that it is called after the others. It is expected to answer as well as ever. */
	isFailing: boolean;
}

/** The ranked models for a call, and why the first one ranks first. */
export interface Selection {
	mode: Mode;
	/** Ranked; the first is called first. Never empty. */
	candidates: [Candidate, ...Candidate[]];
	/** The order of calls: the first candidate, then its fallbacks. Those of the config need not be candidates. */
	failover: [Candidate, ...Candidate[]];
	/** The most that all calls of the request may cost together, nano-USD; null means no limit. */
	ceilingNanoUsd: number | null;
	/** Why the other listed models may not serve, by model. Worked out when it is asked for: most requests are not told. */
	excluded(): Record<string, string[]>;
	/**
	 * The model or id that was named but cannot serve; null when the first candidate is the intended one.
	 */
	fallbackFrom: string | null;
	/** The request named another model than the one that was selected; absent where it did not. */
	replaced?: Replacement;
	/** One sentence for people. */
	reason: string;
}

/** The models that may serve, and why the others may not. */
export interface RankedModels {
	/** Best first. */
	eligible: Candidate[];
	/** The config's fallbacks that may serve, in its order. Some of them may serve as such only. */
	configured: Candidate[];
	/** What keeps the others from it, by model. */
	excluded(): Map<string, Exclusion[]>;
}
