// Which encoder model answers a request, and at which hosts: the one that is named, and none in its place but the same model elsewhere.
// Vectors of two models do not mix, so nothing is routed. Pure.
import { findNamedEncoder } from "../catalog/aliases.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type EncoderModel, explainEncoderUse, hasDimensions, listedEncoders, servesKind } from "../catalog/encoder.ts";
import { isInPlan, type Plan } from "../catalog/plans.ts";
import type { EncoderKind } from "../catalog/vocabulary.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import { type Failure, fail, MisconfiguredError, ok, type Result } from "../failure.ts";
import type { EncoderCall } from "../providers/encoders/encoder-call.ts";
import { isAvailable } from "../providers/wires.ts";
import { findBlocking, isListed, type RoutingConfig } from "../routing/routing-config.ts";
import type { Settings } from "../settings.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import type { EncoderChoice } from "./encoder-calls.ts";

/** What a request may have as its model. */
interface EncoderNaming {
	kind: EncoderKind;
	/** What the client named; none, and `auto`, leave it to the default. */
	asked: string | null | undefined;
	/** What runs then; null where the client must name one. */
	byDefault: { id: string; source: string } | null;
}

const ONE_OF: Readonly<Record<EncoderKind, string>> = {
	embedding: "an embedding model",
	moderation: "a moderation model",
	rerank: "a rerank model",
};

function refuseModel(message: string): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_request", issues: [{ path: "model", message }] });
}

/** The model of a request. */
export function findEncoder({ kind, asked, byDefault }: EncoderNaming, catalog: Catalog): Result<EncoderChoice> {
	const one = ONE_OF[kind];
	const ids = listedEncoders(catalog).flatMap((model) => (model.kind === kind ? model.id : []));
	const such = `such as ${ids[0] ?? "one of your catalog"}`;
	if (asked == null || asked === "auto") {
		if (!byDefault)
			return refuseModel(`name ${one}, ${such}: results of two models do not mix, so none is chosen for you`);
		const model = catalog.findEncoder(byDefault.id);
		if (model?.kind !== kind) throw new MisconfiguredError(`${byDefault.source} names no model that is ${one}`);
		return ok({ named: model, reason: `${model.display_name} is the default that ${byDefault.source} names` });
	}
	const named = findNamedEncoder(asked, catalog);
	if (named?.kind === kind) return ok({ named, reason: `${named.display_name} was named by the request` });
	if (named) return refuseModel(`${explainEncoderUse(named)}; ${one} is needed here, ${such}`);
	if (catalog.findModel(asked)) return refuseModel(`${asked} writes text; ${one} is needed, ${such}`);
	const message = `no model of kind ${kind} is called ${quoteInput(asked)}; GET /v1/models?kind=${kind} lists them all${renderSuggestion(asked, ids)}`;
	return fail({ reason: "model_not_found", message });
}

/** What decides whether a model may be asked. */
export interface EncoderRules {
	plan: Plan;
	settings: Pick<Settings, "catalog" | "providers">;
	config: RoutingConfig | null;
	gate: ComplianceGate | null;
	/** ms until its provider may be asked again that lately said it does not serve it; 0 where it may. */
	unservedForMs(model: EncoderModel): number;
	/** What is asked. */
	call: EncoderCall;
}

/** Whether a provider can be asked for a model at all. */
export function isReachable(model: EncoderModel, { catalog, providers }: EncoderRules["settings"]): boolean {
	return isAvailable(model, { providers }) && servesKind(catalog.providerFor(model), model.kind);
}

/** Why a model may not be asked; null where it may. What the client can do least about comes first. */
function findRefusal(model: EncoderModel, rules: EncoderRules): Failure | null {
	const { plan, settings, config, gate } = rules;
	const { id, provider } = model;
	const refused = (reason: "model_not_allowed" | "model_blocked", why: string, message: string): Failure => ({
		reason,
		message: `${message}; another one would give other results, so none stands in`,
		excluded: { [id]: [why] },
	});
	if (!isInPlan(model, plan, settings.catalog)) {
		const why = `not in the ${plan.displayName} plan`;
		return refused("model_not_allowed", why, `${id} is ${why}`);
	}
	if (!(config?.allowlists ?? []).every((list) => isListed(model, list)))
		return refused("model_not_allowed", "not among the models of this API key", `this API key may not call ${id}`);
	const reasons = gate?.reasonsAgainst(model) ?? [];
	if (gate && reasons.length > 0)
		return {
			reason: "compliance_blocked",
			message: `the compliance policy excludes ${id}; nothing was sent`,
			excluded: { [id]: [...reasons] },
			notice: gate.explain([model]),
		};
	const entry = findBlocking(model, config?.blocked ?? []);
	if (entry !== undefined) {
		const isNamed = !config?.operator_blocked?.includes(entry);
		const why = isNamed ? `blocked by the routing config (${entry})` : "blocked by the operator's routing config";
		return refused("model_blocked", why, `${id} is ${why}`);
	}
	if (!servesKind(settings.catalog.providerFor(model), model.kind))
		return {
			reason: "no_provider_available",
			message: `${provider} speaks no form in which ${id} could be asked here`,
		};
	if (!isReachable(model, settings))
		return { reason: "no_provider_available", message: `no key is configured for ${id} at ${provider}` };
	if (rules.unservedForMs(model) > 0)
		return { reason: "no_provider_available", message: `${provider} lately said that it does not serve ${id}` };
	return null;
}

/** Whether a host takes what the named model does: an operator's row may make fewer lengths, or take no tokens. */
function takesCall(model: EncoderModel, call: EncoderCall): boolean {
	if (call.kind !== "embedding") return true;
	const { dimensions, inputs } = call;
	if (dimensions !== null && model.dimensions && !hasDimensions(model, dimensions)) return false;
	return model.token_inputs === true || inputs.every((input) => typeof input === "string");
}

/** The rows that are the same model, the named one first. */
function sameModels(named: EncoderModel, { encoders }: Catalog): [EncoderModel, ...EncoderModel[]] {
	const rootOf = ({ id, same_as }: EncoderModel) => same_as ?? id;
	const root = rootOf(named);
	return [named, ...encoders.filter((model) => model !== named && rootOf(model) === root)];
}

/** The rows of the named model that may be asked, in order; else why the named one may not. */
export function findHosts(
	{ named }: EncoderChoice,
	rules: EncoderRules,
): Result<readonly [EncoderModel, ...EncoderModel[]]> {
	const refusals = sameModels(named, rules.settings.catalog)
		.filter((model) => model === named || takesCall(model, rules.call))
		.map((model) => ({ model, failure: findRefusal(model, rules) }));
	const [first, ...rest] = refusals.flatMap(({ model, failure }) => (failure ? [] : model));
	const [own] = refusals;
	if (first) return ok([first, ...rest]);
	return fail(own?.failure ?? { reason: "no_provider_available", message: `no provider serves ${named.id}` });
}

/** What is left to a request: the least of its cost limits. */
export function fitsCost(
	worstNanoUsd: number,
	limits: readonly { nanoUsd: number; refuse(): Failure }[],
): Failure | null {
	const [least] = limits.toSorted((a, b) => a.nanoUsd - b.nanoUsd);
	return least && worstNanoUsd > least.nanoUsd ? least.refuse() : null;
}
