// From a call and its options to the models that may run it: signals, selection, exact requests and their worst cases. Pure.
import { type Plan, requestLimitNanoUsd } from "../catalog/plans.ts";
import { type CallCost, priceWorstCase } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import { ok, type Result } from "../failure.ts";
import type { ModelCall } from "../providers/model-call.ts";
import { type CallStage, withStage } from "../providers/sandbox-stage.ts";
import type { PreparedPrompt, UpstreamRequest, Wire } from "../providers/wire.ts";
import { isAvailable, wireFor } from "../providers/wires.ts";
import type { RoutingMode } from "../routing/mode.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { matchRule } from "../routing/rules.ts";
import { type Candidate, type Selection, type SelectionRequest, select, shortenCandidate } from "../routing/select.ts";
import { detectSignals, type Signals } from "../routing/signals.ts";
import type { ProviderAccess, Settings } from "../settings.ts";

/** How a call is to be carried out, as far as its caller cares; the effort stands on the call itself. */
export interface CallOptions {
	/** A catalog id (which pins), an intensity id, or `auto`. */
	model: string;
	/** Null leaves it to config and prompt. */
	mode: RoutingMode | null;
	/** `balanced`: however short a prompt is, it is not taken for a trivial one. */
	leastMode?: "balanced";
	/** The routing config in force; null when there is none. */
	config: CompiledConfig | null;
	/**
	 * `most`: as long an answer as each model writes and the ceiling affords. The call's own limit is then the visible tokens that
	 * there must be room for; without it, it is the limit.
	 */
	outputLimit?: "most";
	/** What must hold for every model that sees the call; null without a compliance policy. */
	gate: ComplianceGate | null;
	/** What the plan lets the whole request cost, nano-USD, null for anything; default: the envelope of a guarded plan. */
	planLimitNanoUsd?: number | null;
	/** Which call of a workflow it is; only the sandbox upstream is told. */
	stage?: CallStage;
}

/** A model call that somebody wants answered. */
export interface InferenceRequest {
	call: ModelCall;
	options: CallOptions;
}

/** A model's exact request and where it goes. */
export interface ModelRequest {
	wire: Wire;
	access: ProviderAccess;
	request: UpstreamRequest;
	worstCase: CallCost;
}

export interface CallPlan extends InferenceRequest {
	catalogVersion: string;
	signals: Signals;
	selection: Selection;
	/** Name of the routing config's rule that matched; null when none did. */
	matchedRule: string | null;
	/** Where the calls of an available model go. */
	accessOf(model: Model): ProviderAccess;
	/** Builds its exact request; with another output limit than the call's, if one is given. */
	attempt(model: Model, effort: EffortChoice, maxTokens?: number): ModelRequest;
	/** A candidate with an answer short enough for its worst case to be within a limit; null when it cannot be shortened so. */
	shorten(candidate: Candidate, limitNanoUsd: number): Candidate | null;
}

function accessesOf(settings: Settings): CallPlan["accessOf"] {
	return ({ id, provider }) => {
		const access = settings.providers.get(provider);
		if (!access) throw new Error(`${id} is not available and was not to be asked for`);
		return access;
	};
}

/** Builds attempts for one call; a prompt is serialized once per format and its variant, however many models are weighed. */
function attempts(
	{ call, options: { stage } }: InferenceRequest,
	accessOf: CallPlan["accessOf"],
	nowMs: number,
): CallPlan["attempt"] {
	const prompts = new Map<string, PreparedPrompt>();
	return (model, effort, maxTokens = call.maxTokens) => {
		// The call itself wherever it can be: wires keep what they make of its tools by it.
		const asked = maxTokens === call.maxTokens ? call : { ...call, maxTokens };
		const access = accessOf(model);
		const { provider } = access;
		const wire = wireFor(provider);
		const variant = `${provider.wire} ${wire.variant(provider)}`;
		const prompt = prompts.get(variant) ?? wire.prepare(call, provider);
		prompts.set(variant, prompt);
		const request = withStage(wire.request({ call: asked, prompt, model, access, effort }), access, stage);
		return {
			wire,
			access,
			request,
			worstCase: priceWorstCase(model, request.maxInputTokens, request.maxOutputTokens, nowMs),
		};
	};
}

/**
 * Plans a call for a user on `plan`; nothing is called.
 * @param recall the model that a conversation is with, by the call that goes on with it; null when nobody knows.
 */
export function planCall(
	{ call, options }: InferenceRequest,
	plan: Plan,
	settings: Settings,
	nowMs: number,
	recall: (call: ModelCall) => string | null = () => null,
): Result<CallPlan> {
	const { catalog } = settings;
	const detected = detectSignals(call);
	const accessOf = accessesOf(settings);
	const attempt = attempts({ call, options }, accessOf, nowMs);
	const rule = options.config && matchRule(options.config, call, detected);
	const request: SelectionRequest = {
		catalog,
		call,
		trivialMode: options.leastMode ?? "agility",
		longest: options.outputLimit === "most",
		signals: detected,
		model: options.model,
		routingMode: options.mode,
		config: options.config?.config ?? null,
		rule,
		plan,
		planLimitNanoUsd: options.planLimitNanoUsd === undefined ? requestLimitNanoUsd(plan) : options.planLimitNanoUsd,
		available: (model) => isAvailable(model, settings),
		reasonsAgainst: (model) => options.gate?.reasonsAgainst(model) ?? [],
		takesRemoteImages: (model) => wireFor(catalog.providerOf(model)).remoteImages,
		takesToolName: (model, name) => wireFor(catalog.providerOf(model)).toolName.test(name),
		worstCase: (model, effort, maxTokens) => attempt(model, effort, maxTokens).worstCase,
		conversationModel: recall(call),
		nowMs,
	};
	const selection = select(request);
	if (!selection.ok) return selection;
	return ok({
		call,
		options,
		catalogVersion: catalog.version,
		signals: detected,
		selection: selection.value,
		matchedRule: rule?.name ?? null,
		accessOf,
		attempt,
		shorten: (candidate, limitNanoUsd) => shortenCandidate(request, selection.value.mode, candidate, limitNanoUsd),
	});
}

/** The plan with these models alone, in this order, of those that may serve its call; null when none of them may. */
export function narrowTo(plan: CallPlan, modelIds: readonly string[]): CallPlan | null {
	const { selection } = plan;
	const [first, ...rest] = modelIds.flatMap((id) => selection.candidates.find(({ model }) => model.id === id) ?? []);
	if (!first) return null;
	return { ...plan, selection: { ...selection, candidates: [first, ...rest], failover: [first, ...rest] } };
}
