// Why no model may serve a call, as the failure that the client gets. Pure.
import { isChoosable } from "../catalog/catalog.ts";
import { isInPlan } from "../catalog/plans.ts";
import type { Model } from "../catalog/schema.ts";
import type { Failure, Issue } from "../failure.ts";
import { toBudgetFailure } from "../meter/budget-failure.ts";
import { usd } from "../proof/money.ts";
import { callMedia } from "../providers/model-call.ts";
import type { Exclusion } from "./eligibility.ts";
import { fitLength, minOutputTokens, worstCaseNanoUsd } from "./length.ts";
import type { Mode } from "./mode.ts";
import { costCeiling } from "./rank.ts";
import type { Candidate, SelectionRequest } from "./selection.ts";

export function renderExclusions(excluded: ReadonlyMap<string, readonly Exclusion[]>): Record<string, string[]> {
	return Object.fromEntries([...excluded].map(([id, exclusions]) => [id, exclusions.map(({ text }) => text)]));
}

type WouldFit = Extract<Failure, { reason: "cost_limit_exceeded" }>["wouldFit"];

/** A shorter answer is no useful suggestion, unless the client asked for less. */
const MIN_SUGGESTED_TOKENS = 64;

/** The longest answer of a model whose worst case fits the limit; null when there is none. */
function fitForModel(request: SelectionRequest, model: Model, mode: Mode, limitNanoUsd: number): WouldFit {
	const { maxTokens: most } = request.call;
	const least = Math.min(most, MIN_SUGGESTED_TOKENS);
	const fit = fitLength(limitNanoUsd, { least, most }, (maxTokens) =>
		worstCaseNanoUsd(request, model, mode, maxTokens),
	);
	return fit && { model: model.id, maxTokens: fit.maxTokens, worstCaseUsd: usd(fit.worstNanoUsd) };
}

/**
 * The suggestion for the client: among models that cost too much, the longest answer that fits; of equals, the
 * cheapest.
 */
function suggestFit(request: SelectionRequest, models: readonly Model[], mode: Mode, limitNanoUsd: number): WouldFit {
	return models
		.map((model) => fitForModel(request, model, mode, limitNanoUsd))
		.reduce(
			(best, fit) =>
				fit &&
				(!best ||
					fit.maxTokens > best.maxTokens ||
					(fit.maxTokens === best.maxTokens && fit.worstCaseUsd < best.worstCaseUsd))
					? fit
					: best,
			null,
		);
}

/** How a client gets a shorter answer. */
function shorteningAdvice({ outputLimit }: SelectionRequest): string {
	if (outputLimit === null) return "lower max_tokens";
	return outputLimit === "most" ? "set max_tokens" : "ask for a shorter answer";
}

/** What makes media of each kind cost less. */
const SMALLER_MEDIA = { image: "fewer images", file: "PDF files of fewer pages", audio: "shorter recordings" };

/** How a client gets a cheaper prompt. The bytes of a PDF do not always tell its pages. */
function cheaperPromptAdvice({ call }: SelectionRequest): string {
	const media = callMedia(call);
	if (media.length === 0) return "shorten the prompt";
	const smaller = [...new Set(media.map(({ type }) => SMALLER_MEDIA[type]))].join(" and ");
	const isUntold = media.some((part) => part.type === "file" && part.pages.atMost === null);
	const untold = isUntold ? "; a PDF whose pages cannot be told counts with the most that a model reads" : "";
	return `send ${smaller}${untold}`;
}

/** @param others models that could serve, when the request named one that cannot. */
function toCostFailure(
	request: SelectionRequest,
	models: readonly Model[],
	mode: Mode,
	others: readonly Candidate[],
): Failure {
	const ceiling = costCeiling(request);
	const worst = Math.min(
		...models.map((model) => worstCaseNanoUsd(request, model, mode, minOutputTokens(request, model, mode))),
	);
	const scope = ceiling?.scope === "plan_envelope" ? "plan_envelope" : "max_cost";
	const limitUsd = usd(ceiling?.nanoUsd ?? 0);
	const isEnvelope = request.planLimitNanoUsd === request.plan.envelopeNanoUsd;
	const planLimit = `the ${request.plan.displayName} plan's ${isEnvelope ? "envelope" : "limit"} per request`;
	const limit = scope === "max_cost" ? "max_cost" : planLimit;
	const message = `the cheapest eligible model could cost $${usd(worst)}, ${limit} is $${limitUsd}; ${shorteningAdvice(request)} or ${cheaperPromptAdvice(request)}`;
	const limitNanoUsd = ceiling?.nanoUsd ?? 0;
	const wouldFit =
		suggestFit(request, models, mode, limitNanoUsd) ??
		suggestFit(
			request,
			others.slice(0, 1).map(({ model }) => model),
			mode,
			limitNanoUsd,
		);
	if (ceiling?.scope === "key_budget" && request.keyBudget) return toBudgetFailure(request.keyBudget, wouldFit);
	return { reason: "cost_limit_exceeded", message, scope, limitUsd, worstCaseUsd: usd(worst), wouldFit };
}

/** The largest overflow limit of the models that only the length of the prompt excludes; null where there is none. */
function findOverflow(excluded: ReadonlyMap<string, Exclusion[]>): Exclusion["overflow"] | null {
	const overflows = [...excluded.values()].flatMap(([only, ...others]) =>
		only?.overflow && others.length === 0 ? [only.overflow] : [],
	);
	return overflows.toSorted((a, b) => b.maximum - a.maximum)[0] ?? null;
}

/**
 * Why no model may serve. The failure names what excludes the models that are closest to being eligible, and the overflow where a
 * shorter prompt would be served.
 */
export function toSelectionFailure(
	request: SelectionRequest,
	excluded: ReadonlyMap<string, Exclusion[]>,
	mode: Mode,
	others: readonly Candidate[] = [],
): Failure {
	const failure = toExclusionFailure(request, excluded, mode, others);
	const overflow = findOverflow(excluded);
	if (!overflow) return failure;
	switch (failure.reason) {
		case "compliance_blocked":
		case "model_not_allowed":
		case "model_blocked":
		case "invalid_request":
			return { ...failure, overflow };
		default:
			return failure;
	}
}

/** Nothing about the request itself keeps it from such models. */
const UNREACHABLE: ReadonlySet<Exclusion["code"]> = new Set(["unavailable", "unnamed", "plan"]);

function toExclusionFailure(
	request: SelectionRequest,
	excluded: ReadonlyMap<string, Exclusion[]>,
	mode: Mode,
	others: readonly Candidate[],
): Failure {
	const reachable = [...excluded].filter(([, exclusions]) => !exclusions.some(({ code }) => UNREACHABLE.has(code)));
	if (reachable.length === 0) return toNoProviderFailure(request);
	const only = (...codes: Exclusion["code"][]) =>
		reachable.filter(([, exclusions]) => exclusions.every(({ code }) => codes.includes(code)));
	const byPolicy: Failure = {
		reason: "compliance_blocked",
		message: "the compliance policy excludes every model that could serve this request",
		excluded: renderExclusions(excluded),
	};
	if (only("compliance").length > 0) return byPolicy;
	const tooDear = only("cost")
		.map(([id]) => request.catalog.findModel(id))
		.filter((model) => model !== undefined);
	if (tooDear.length > 0) return toCostFailure(request, tooDear, mode, others);
	if (only("key", "tier").length > 0) {
		return {
			reason: "model_not_allowed",
			message: "this API key may call none of the models that could serve this request",
			excluded: renderExclusions(excluded),
		};
	}
	if (only("key", "blocked", "tier").length > 0) {
		return {
			reason: "model_blocked",
			message: "the routing config blocks every model that could serve this request",
			excluded: renderExclusions(excluded),
		};
	}
	// Both the policy and something the client could change exclude each model. Changing it would not help against the
	// policy.
	if (only("compliance", "key", "blocked", "tier", "cost").length > 0) return byPolicy;
	return { reason: "invalid_request", issues: toIssues(request, reachable) };
}

/** For each field of the request that asks too much, what the first model says of it. */
function toIssues(request: SelectionRequest, reachable: readonly [id: string, exclusions: Exclusion[]][]): Issue[] {
	const issues = new Map<string, string>();
	for (const [id, exclusions] of reachable) {
		for (const { param, text, isMetBy } of exclusions) {
			if (!param || issues.has(param)) continue;
			const named = `${id}: ${text}${isMetBy ? nameOthers(request, isMetBy) : ""}`;
			issues.set(param, reachable.length === 1 ? named : `no model can serve this; ${id}: ${text}`);
		}
	}
	return [...issues].map(([path, message]) => ({ path, message }));
}

/** More are not named. */
const MAX_NAMED_MODELS = 3;

/** The models that would do in place of one that was named, as the end of a sentence; empty without any. */
function nameOthers({ plan, catalog, available }: SelectionRequest, isMetBy: (model: Model) => boolean): string {
	const others = catalog.models.filter(
		(model) => isMetBy(model) && isChoosable(model) && available(model) && isInPlan(model, plan, catalog),
	);
	if (others.length === 0) return "";
	const names = others.slice(0, MAX_NAMED_MODELS).map(({ id }) => id);
	return `; ${names.join(", ")}${others.length > names.length ? " and others" : ""} do, and auto chooses among them`;
}

function toNoProviderFailure({ plan, catalog, available }: SelectionRequest): Failure {
	const callable = catalog.models.filter((model) => available(model) && isInPlan(model, plan, catalog));
	const [named] = callable.filter((model) => !model.hidden && !isChoosable(model));
	if (named && !callable.some(isChoosable))
		return {
			reason: "no_provider_available",
			message: `no model is chosen by itself here; name one that can be called, such as ${named.id}`,
		};
	const message =
		plan.modelAccess === "free"
			? `none of the ${plan.displayName} plan's models is available: no key is configured for their providers`
			: "no provider key is configured on this server";
	return { reason: "no_provider_available", message };
}
