// Says which model runs in place of an id that a request names, and at what price. Pure.
import { findNamedModel } from "../catalog/aliases.ts";
import { priceAt } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Warning } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";
import { quoteInput } from "../suggest.ts";
import type { Replacement } from "./selection.ts";

/** The refusal of an id that means nothing, where the operator wants it refused. */
export function toUnknownModel(id: string): Failure {
	return { reason: "model_not_found", message: `no model is called ${quoteInput(id)}; GET /v1/models lists them all` };
}

function explainReplacement(replacement: Replacement, name: string): string {
	const asked = quoteInput(replacement.asked);
	switch (replacement.because) {
		case "alias":
			return name === replacement.nearest
				? `${asked} is not in the catalog; ${name}, of its family, runs`
				: `${asked} is not in the catalog, and ${replacement.nearest}, of its family, cannot serve; ${name} runs`;
		case "unknown":
			return `${asked} means no model here; ${name}, a budget model, runs`;
		case "plan":
			return `${asked} is not in your plan; ${name}, which is, runs`;
	}
}

/** Warns that another model runs than the one that was named, with its price of short prompts. @param param the member that names it. */
export function replacementWarning(replacement: Replacement, model: Model, atMs: number, param = "model"): Warning {
	const { input, output } = priceAt(model, atMs);
	const price = `at $${input} a million tokens of input and $${output} of output`;
	return { code: "model_replaced", param, message: `${explainReplacement(replacement, model.id)} ${price}` };
}

/** A model that a body prefers for a part of its work. */
export interface PreferredModel {
	/** Its id in the catalog, or what was named where that means none; null where none is preferred. */
	id: string | null;
	warnings: Warning[];
}

/**
 * The model that a member of a workflow's body prefers. One that means nothing is ignored with a warning, or refused where the
 * operator wants that.
 */
export function readPreferredModel(
	member: string,
	asked: string | null | undefined,
	{ catalog, refusesUnknownModels }: Pick<Settings, "catalog" | "refusesUnknownModels">,
	nowMs: number,
): Result<PreferredModel> {
	if (asked === null || asked === undefined) return ok({ id: null, warnings: [] });
	const named = findNamedModel(asked, catalog);
	if (!named) {
		if (refusesUnknownModels) return fail(toUnknownModel(asked));
		const message = `${quoteInput(asked)} means no model here and was ignored`;
		return ok({ id: asked, warnings: [{ code: "parameter_dropped", param: member, message }] });
	}
	const { model, isExact } = named;
	const warnings = isExact
		? []
		: [replacementWarning({ asked, because: "alias", nearest: model.id }, model, nowMs, member)];
	return ok({ id: model.id, warnings });
}
