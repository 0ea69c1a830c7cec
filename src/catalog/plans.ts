// The four pricing plans (docs/reference/keys.md, "Plans").
import * as z from "zod";
import { type Catalog, listedModels } from "./catalog.ts";
import type { Model } from "./schema.ts";
import { PLAN_IDS, type PlanId } from "./vocabulary.ts";

export { PLAN_IDS, type PlanId };

export const planIdSchema = z.enum(PLAN_IDS);

/** Whether a text is the id of a plan. */
export function isPlanId(text: string): text is PlanId {
	return (PLAN_IDS as readonly string[]).includes(text);
}

/** A pricing plan: its limits, and the models it may call. */
export interface Plan {
	id: PlanId;
	displayName: string;
	priceUsdMonth: number;
	/** Requests in a rolling 24 hours; null means unlimited. */
	dailyRequests: number | null;
	/** Requests in a rolling minute. */
	rpm: number;
	/** Of models whose rows name no plans: `free` has only the catalog's free ones. */
	modelAccess: "all" | "free";
	/** Whether the envelope below limits each request. */
	agentguard: boolean;
	/** The most bytes that a user may store; null leaves it to the operator's setting. */
	storedBytes: number | null;
	/** Whether its requests still call a model that is throttled. */
	priority: boolean;
	/** The envelope: the most that one request may cost, nano-USD. */
	envelopeNanoUsd: number;
	description: string;
}

export const PLANS: Readonly<Record<PlanId, Plan>> = {
	free: {
		id: "free",
		displayName: "Free",
		priceUsdMonth: 0,
		dailyRequests: 1_000,
		rpm: 10,
		modelAccess: "free",
		agentguard: true,
		storedBytes: 50_000_000,
		priority: false,
		envelopeNanoUsd: 20_000_000,
		description: "Three budget models for trying the service out.",
	},
	personal: {
		id: "personal",
		displayName: "Personal",
		priceUsdMonth: 0,
		dailyRequests: 1_000,
		rpm: 100,
		modelAccess: "all",
		agentguard: true,
		storedBytes: 200_000_000,
		priority: false,
		envelopeNanoUsd: 100_000_000,
		description: "A sandbox with every model and a ceiling per request.",
	},
	pro: {
		id: "pro",
		displayName: "Pro",
		priceUsdMonth: 49,
		dailyRequests: 50_000,
		rpm: 300,
		modelAccess: "all",
		agentguard: false,
		storedBytes: 5_000_000_000,
		priority: false,
		envelopeNanoUsd: 500_000_000,
		description: "Every model, 50,000 requests a day.",
	},
	corporate: {
		id: "corporate",
		displayName: "Corporate",
		priceUsdMonth: 499,
		dailyRequests: null,
		rpm: 1_000,
		modelAccess: "all",
		agentguard: false,
		storedBytes: null,
		priority: true,
		envelopeNanoUsd: 2_000_000_000,
		description: "Every model, no daily limit, priority routing and an SLA.",
	},
};

/** Whether a plan may call a model. */
export function isInPlan(
	{ id, plans }: Pick<Model, "id" | "plans">,
	{ id: plan, modelAccess }: Plan,
	{ freeModels }: Catalog,
): boolean {
	return plans ? plans.includes(plan) : modelAccess === "all" || freeModels.includes(id);
}

/** Ids of the listed models that a plan may call; null means all. */
export function modelAllowlist(plan: Plan, catalog: Catalog): readonly string[] | null {
	const listed = listedModels(catalog);
	const mayCall = (model: Model) => isInPlan(model, plan, catalog);
	if (plan.modelAccess === "all") return listed.every(mayCall) ? null : listed.filter(mayCall).map(({ id }) => id);
	const ids = new Set(listed.map(({ id }) => id));
	return catalog.freeModels.filter((id) => ids.has(id));
}

/** The most that one chat request of the plan may cost, nano-USD; null when the plan sets no limit. */
export function requestLimitNanoUsd({ agentguard, envelopeNanoUsd }: Plan): number | null {
	return agentguard ? envelopeNanoUsd : null;
}

/** Envelopes that one agent run may cost (docs/reference/keys.md, "Plans"). */
export const AGENT_ENVELOPES = 5;

/** The most that one agent run of the plan may cost, nano-USD. */
export function agentLimitNanoUsd({ envelopeNanoUsd }: Plan): number {
	return AGENT_ENVELOPES * envelopeNanoUsd;
}

/** The most that one orchestrated request of the plan may cost, nano-USD; null when the plan sets no limit. */
export function orchestrationLimitNanoUsd(plan: Plan): number | null {
	return plan.agentguard ? agentLimitNanoUsd(plan) : null;
}
