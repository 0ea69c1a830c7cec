// What a gate decides on every model of the catalog, and what compliance costs (docs/reference/compliance.md, "Compliance"). Pure.
import { type Catalog, listedModels } from "../catalog/catalog.ts";
import { blendedMicroRate } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { Detection } from "./findings.ts";
import type { ComplianceGate } from "./gate.ts";
import { toFloor } from "./policy-levels.ts";

/** Blended rates are integers: millionths of a USD per million tokens, times four. */
const RATE_PER_USD = 4e6;
const PERCENT_DIGITS = 4;

function findCheapest(models: readonly Model[], atMs: number): { model: Model; rate: number } | null {
	return models
		.map((model) => ({ model, rate: blendedMicroRate(model, atMs) }))
		.reduce<{ model: Model; rate: number } | null>(
			(best, next) => (best && best.rate <= next.rate ? best : next),
			null,
		);
}

/**
 * What a policy costs: the cheapest model that it allows beside the cheapest of all, in USD per million tokens, blended
 * (3 × input + output) / 4. Exact: computed in integers and divided once. Nothing is a share of a price of nothing.
 * @param atMs ms since the epoch: prices change on dates.
 */
export function costPremium(all: readonly Model[], compliant: readonly Model[], atMs: number) {
	const [any, allowed] = [findCheapest(all, atMs), findCheapest(compliant, atMs)];
	const more = any && allowed ? allowed.rate - any.rate : null;
	const scale = 10 ** PERCENT_DIGITS;
	return {
		compliant_available: allowed !== null,
		cheapest_unrestricted: any?.model.id ?? null,
		unrestricted_min_usd_mtok: any ? any.rate / RATE_PER_USD : null,
		cheapest_compliant: allowed?.model.id ?? null,
		compliant_min_usd_mtok: allowed ? allowed.rate / RATE_PER_USD : null,
		premium_usd_mtok: more === null ? null : more / RATE_PER_USD,
		premium_pct: more === null || !any?.rate ? null : Math.round((100 * scale * more) / any.rate) / scale,
	};
}

function toClassification({ classes, kinds }: Pick<Detection, "classes" | "kinds">) {
	return {
		detected_classes: [...classes],
		classification: Object.fromEntries(classes.map((found) => [found, [...(kinds[found] ?? [])]])),
	};
}

/** The preview if no policy is in force. */
export function inertPreview(detection: Pick<Detection, "classes" | "kinds">) {
	return {
		active: false,
		...toClassification(detection),
		note: "no compliance policy is in force: every model is eligible",
	};
}

/** What a gate decides on each of these models. */
export function toComplianceDecision(gate: ComplianceGate, models: readonly Model[]) {
	const allowed: string[] = [];
	const excluded: Record<string, string[]> = {};
	for (const model of models) {
		const reasons = gate.reasonsAgainst(model);
		if (reasons.length === 0) allowed.push(model.id);
		else excluded[model.id] = [...reasons];
	}
	return {
		policy: { ...gate.policy },
		policy_active: true,
		detected_classes: [...gate.detection.classes],
		allowed,
		allowed_count: allowed.length,
		excluded,
		excluded_count: Object.keys(excluded).length,
		matrix_version: gate.matrixVersion,
	};
}

/** The preview of a policy on a text. It does not depend on the configured keys or the caller. */
export function toCompliancePreview(gate: ComplianceGate, catalog: Catalog, atMs: number) {
	const models = listedModels(catalog);
	const decision = toComplianceDecision(gate, models);
	const { policy, allowed: allowedIds, excluded } = decision;
	const allowed = models.filter(({ id }) => !Object.hasOwn(excluded, id));
	const premium = costPremium(models, allowed, atMs);
	const stated = gate.operatorStated(models);
	const floor = toFloor(gate.levels);
	const sample = allowed.find(({ id }) => id === premium.cheapest_compliant);
	return {
		active: true,
		ok: sample !== undefined,
		policy,
		...(floor.length > 0 ? { floor } : {}),
		...toClassification(gate.detection),
		...(gate.inferred ? { inferred: toClassification(gate.inferred) } : {}),
		...(gate.mask ? { masked: gate.mask.counts } : {}),
		allowed_models: allowedIds,
		excluded_models: excluded,
		compliance_cost_premium: premium,
		decision,
		...(stated.length > 0 ? { operator_facts: [...stated] } : {}),
		...(sample ? { sample_attestation: gate.attest([sample]).hash } : {}),
		matrix_version: gate.matrixVersion,
	};
}
