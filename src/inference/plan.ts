// Plans a call: the models that may run it, in order, with their exact requests and worst cases. Pure.

import type { Catalog } from "../catalog/catalog.ts";
import { type Plan, requestLimitNanoUsd } from "../catalog/plans.ts";
import { type CallCost, priceWorstCase } from "../catalog/price.ts";
import type { Model, Provider } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { BudgetStatus } from "../meter/key-budget.ts";
import { type ModelCall, messageTexts, type Warning } from "../providers/model-call.ts";
import { type CallStage, withStage } from "../providers/sandbox-stage.ts";
import { type PreparedPrompt, type UpstreamRequest, type Wire, withMediaTokens } from "../providers/wire.ts";
import { isAvailable, takesRemoteImages, wireFor } from "../providers/wires.ts";
import { modelSpeed } from "../routing/effort.ts";
import type { OutputLimit } from "../routing/length.ts";
import type { RoutingMode } from "../routing/mode.ts";
import { type Observations, type Observed, toObserved } from "../routing/observed.ts";
import { shortenCandidate } from "../routing/rank.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { matchRuleInSteps } from "../routing/rules.ts";
import { selectModels } from "../routing/select.ts";
import type { Candidate, Selection, SelectionRequest } from "../routing/selection.ts";
import { CHARS_PER_TOKEN, detectSignals, type Signals } from "../routing/signals.ts";
import type { ProviderAccess, Settings } from "../settings.ts";
import { runSteps, type Steps } from "../turns/steps.ts";
import { readableCalls } from "./readable-call.ts";

/** Silences that an upstream is allowed. */
export type SilenceLimits = Pick<Settings, "upstreamTimeoutMs" | "upstreamIdleTimeoutMs">;

/**
 * Whether an answer may be requested whole rather than streamed: by the catalog's speed, even the longest comes within half of both
 * deadlines. A whole answer is read in one piece, which costs a fraction of a stream's CPU. But its generation is silence, and a
 * call that breaks off does not show how much was generated: a longer one is billed at its bound.
 */
export function canRequestWhole(
	model: Model,
	effort: EffortChoice,
	maxOutputTokens: number,
	{ upstreamTimeoutMs, upstreamIdleTimeoutMs }: SilenceLimits,
): boolean {
	// The speed of an operator's model is mostly nobody's measurement.
	if (model.owner === "operator") return false;
	// Reasoning beside the output limit has no bound.
	if (model.reasoning && !model.reasoning.inside_max_tokens && effort !== "none") return false;
	const { ttft_s, output_tokens_per_s } = modelSpeed(model, effort);
	const longestMs = 1000 * (ttft_s + maxOutputTokens / output_tokens_per_s);
	return longestMs < Math.min(upstreamTimeoutMs, upstreamIdleTimeoutMs) / 2;
}

/** How a call may be routed and limited. Its effort is part of the call itself. */
export interface CallOptions {
	/** An id that catalog/aliases.ts knows (which pins), an intensity id, or `auto`. */
	model: string;
	/** Null leaves it to config and prompt. */
	mode: RoutingMode | null;
	/** `balanced`: even the shortest prompt does not count as trivial. */
	leastMode?: "balanced";
	/** The routing config in force; null when there is none. */
	config: CompiledConfig | null;
	/**
	 * How long an answer may become within what each model and the cost limit allow. The call's own limit is then the number of
	 * visible tokens that must fit. Without it, the call's own limit holds.
	 */
	outputLimit?: OutputLimit;
	/**
	 * The limit in force where the client names none; infinite for as much as the model writes. Absent where the client names one.
	 */
	defaultMaxTokens?: number;
	/** The client's own name of the conversation, which keeps to its model. Without one, the messages tell the conversation. */
	conversation?: string;
	/** The part of the prompt that says what is asked, where the service wrote the rest of it; by default the last user messages. */
	asks?: string;
	/** Every model that is sent the call must pass it; null without a compliance policy. */
	gate: ComplianceGate | null;
	/** What the pricing plan lets the whole request cost, nano-USD; null for anything. Default: a guarded plan's envelope. */
	planLimitNanoUsd?: number | null;
	/** The budget of the caller's key, if what it leaves is a limit of the whole request. */
	keyBudget?: BudgetStatus | null;
	/** Which call of a workflow it is; only the sandbox upstream is told. */
	stage?: CallStage;
	/** The client reads along, so the answer is streamed however short it is. */
	mustStream?: boolean;
	/** The stored response that the request goes on with, for its trace. */
	previousResponseId?: string;
	/** What the entrance has to say of its request. It comes before what the call adds. */
	warnings?: readonly Warning[];
}

/** A model call to be answered, and how. */
export interface InferenceRequest {
	call: ModelCall;
	options: CallOptions;
}

/** A call as one model is sent it: the exact request, and where it goes. */
export interface ModelRequest {
	wire: Wire;
	access: ProviderAccess;
	request: UpstreamRequest;
	/** The answer is requested in one body. */
	isWhole: boolean;
	worstCase: CallCost;
	/** The worst case of a prompt that is so many tokens longer. */
	worstCaseWith(moreInputTokens: number): CallCost;
}

export interface CallPlan extends InferenceRequest {
	catalogVersion: string;
	signals: Signals;
	selection: Selection;
	/** What the selection was made with besides the request, its config and the catalog. */
	observed: Observed;
	/** Name of the routing config's rule that matched; null when none did. */
	matchedRule: string | null;
	/** Where the calls of an available model go. */
	accessFor(model: Model): ProviderAccess;
	/**
	 * Builds a model's exact request.
	 * @param maxTokens replaces the call's own output limit.
	 * @param account leaves out what keys of this account cannot read, where anything is such.
	 */
	attempt(model: Model, effort: EffortChoice, maxTokens?: number, account?: string): ModelRequest;
	/** Whether a model's request is the same whatever account it is sent under. */
	isForAccount(model: Model, account: string): boolean;
	/** The same plan for another call: its models, in this order, are not selected anew. */
	forCall(call: ModelCall): CallPlan;
	/** The candidate with an answer so short that its worst case is within the limit; null where none is short enough. */
	shorten(candidate: Candidate, limitNanoUsd: number): Candidate | null;
}

function providerAccess(settings: Settings): CallPlan["accessFor"] {
	return ({ id, provider }) => {
		const access = settings.providers.get(provider);
		if (!access) throw new Error(`${id} is not available and was not to be asked for`);
		return access;
	};
}

const NO_REASONS: readonly string[] = [];

/** Thrown where a prompt must be serialized first, and this step of the plan has serialized one already. */
const PAUSE = Symbol("pause");

interface RequestBuilder {
	attempt: CallPlan["attempt"];
	isForAccount: CallPlan["isForAccount"];
	/** Lets {@link attempt} serialize so many more prompts, after which it throws {@link PAUSE}. */
	allow(prompts: number): void;
}

/** By call, as models are sent it: its prompts by wire format and variant. A workflow plans one call in several modes, and a call never changes. */
const knownPrompts = new WeakMap<ModelCall, Map<string, PreparedPrompt>>();

function promptsOf(call: ModelCall): Map<string, PreparedPrompt> {
	const known = knownPrompts.get(call) ?? new Map<string, PreparedPrompt>();
	knownPrompts.set(call, known);
	return known;
}

/** Builds the requests of one call. The prompt is serialized once per wire format and variant, however many models are priced. */
function requestBuilder(
	{ call, options: { stage, mustStream = false } }: InferenceRequest,
	accessFor: CallPlan["accessFor"],
	settings: SilenceLimits,
	nowMs: number,
): RequestBuilder {
	let allowed = 0;
	const readableBy = readableCalls(call);
	const prepare = (wire: Wire, readable: ModelCall, provider: Provider, model: Model): PreparedPrompt => {
		if (allowed-- <= 0) throw PAUSE;
		return wire.preparePrompt(readable, provider, model);
	};
	const attempt: CallPlan["attempt"] = (model, effort, maxTokens = call.maxTokens, account) => {
		const readable = readableBy(model.id, account);
		// A copy keeps the list of tools, by whose identity wires cache what they make of it.
		const sized = maxTokens === call.maxTokens ? readable.call : { ...readable.call, maxTokens };
		const access = accessFor(model);
		const { provider } = access;
		const wire = wireFor(provider);
		const variant = `${provider.wire} ${wire.promptVariant(provider, model)}`;
		const prompts = promptsOf(readable.call);
		const prompt = prompts.get(variant) ?? prepare(wire, readable.call, provider, model);
		prompts.set(variant, prompt);
		const isWhole = !mustStream && canRequestWhole(model, effort, maxTokens, settings);
		const sizedPrompt = withMediaTokens(prompt, model);
		const rendered = wire.renderRequest({ call: sized, prompt: sizedPrompt, model, access, effort, isWhole });
		const warnings = [...rendered.warnings, ...readable.warnings];
		const request = withStage({ ...rendered, warnings }, access, stage);
		const { maxInputTokens, maxOutputTokens, writesHourCache } = request;
		const worstCaseWith = (more: number) =>
			priceWorstCase(model, maxInputTokens + more, maxOutputTokens, nowMs, writesHourCache);
		return { wire, access, request, isWhole, worstCase: worstCaseWith(0), worstCaseWith };
	};
	return {
		attempt,
		isForAccount: ({ id }, account) => readableBy(id, account) === readableBy(id),
		allow(more) {
			allowed = more;
		},
	};
}

/** Characters of the texts of a call's messages. */
export function callChars(call: ModelCall): number {
	let chars = 0;
	for (const text of messageTexts(call)) chars += text.length;
	return chars;
}

/** A refusal by compliance with the gate's notice. Other failures stay as they are. */
function withComplianceNotice(failure: Failure, gate: CallOptions["gate"], { findModel }: Catalog): Failure {
	if (failure.reason !== "compliance_blocked" || !gate) return failure;
	const excluded = Object.keys(failure.excluded).flatMap((id) => findModel(id) ?? []);
	return { ...failure, notice: gate.explain(excluded) };
}

/**
 * Selects the models, with one prompt serialized in each step. A selection is made anew after a pause, which costs little beside a
 * prompt: it is the same again, and knows the prompts.
 */
function* selectInSteps(
	request: SelectionRequest,
	allow: RequestBuilder["allow"],
	chars: number,
): Steps<ReturnType<typeof selectModels>> {
	for (;;) {
		allow(1);
		try {
			return selectModels(request);
		} catch (thrown) {
			if (thrown !== PAUSE) throw thrown;
		}
		yield chars;
	}
}

/**
 * Plans a call for a user on `plan`; nothing is called. Pauses where a long call has taken time: after its signals, each rule that
 * looked into the text, and each prompt.
 * @param observe finds what is known of the providers and of the conversation that a call continues.
 */
export function* planInSteps(
	{ call, options }: InferenceRequest,
	plan: Plan,
	settings: Settings,
	nowMs: number,
	observe: (call: ModelCall) => Observations = () => ({}),
): Steps<Result<CallPlan>> {
	const { catalog } = settings;
	const observations = observe(call);
	const detected = detectSignals(call, options.asks);
	const chars = CHARS_PER_TOKEN * detected.promptTokens;
	yield chars;
	const accessFor = providerAccess(settings);
	const { attempt, isForAccount, allow } = requestBuilder({ call, options }, accessFor, settings, nowMs);
	const rule = options.config && (yield* matchRuleInSteps(options.config, call, detected));
	const request: SelectionRequest = {
		catalog,
		call,
		trivialMode: options.leastMode ?? "agility",
		outputLimit: options.outputLimit ?? null,
		signals: detected,
		model: options.model,
		refusesUnknown: settings.refusesUnknownModels,
		routingMode: options.mode,
		config: options.config?.config ?? null,
		rule,
		plan,
		planLimitNanoUsd: options.planLimitNanoUsd === undefined ? requestLimitNanoUsd(plan) : options.planLimitNanoUsd,
		keyBudget: options.keyBudget ?? null,
		available: (model) => isAvailable(model, settings),
		complianceReasons: (model) => options.gate?.reasonsAgainst(model) ?? NO_REASONS,
		takesRemoteImages: (model) => takesRemoteImages(catalog.providerFor(model)),
		takesToolName: (model, name) => wireFor(catalog.providerFor(model)).toolName.test(name),
		worstCase: (model, effort, maxTokens) => attempt(model, effort, maxTokens).worstCase,
		observations,
		nowMs,
	};
	const selection = yield* selectInSteps(request, allow, chars);
	allow(Number.POSITIVE_INFINITY);
	if (!selection.ok) return fail(withComplianceNotice(selection.failure, options.gate, catalog));
	const planned: CallPlan = {
		call,
		options,
		catalogVersion: catalog.version,
		signals: detected,
		selection: selection.value,
		observed: toObserved(
			observations,
			[...selection.value.candidates, ...selection.value.failover].map(({ model }) => model),
			nowMs,
		),
		matchedRule: rule?.name ?? null,
		accessFor,
		attempt,
		isForAccount,
		shorten: (candidate, limitNanoUsd) => shortenCandidate(request, selection.value.mode, candidate, limitNanoUsd),
		forCall(other) {
			const builder = requestBuilder({ call: other, options }, accessFor, settings, nowMs);
			builder.allow(Number.POSITIVE_INFINITY);
			const { attempt: attemptOther, isForAccount: isForOther } = builder;
			return { ...planned, call: other, attempt: attemptOther, isForAccount: isForOther, shorten: () => null };
		},
	};
	return ok(planned);
}

/** Plans a call without a pause. */
export function planCall(...planned: Parameters<typeof planInSteps>): Result<CallPlan> {
	return runSteps(planInSteps(...planned));
}

/** Narrows a plan to these models, in this order, as far as they may serve; null when none of them may. */
export function narrowTo(plan: CallPlan, modelIds: readonly string[]): CallPlan | null {
	const { selection } = plan;
	const known = [...selection.candidates, ...selection.failover];
	const isMeant = ({ model }: Candidate, id: string) => model.id === id || (model.aliases?.includes(id) ?? false);
	const [first, ...rest] = modelIds.flatMap((id) => known.find((candidate) => isMeant(candidate, id)) ?? []);
	if (!first) return null;
	return { ...plan, selection: { ...selection, candidates: [first, ...rest], failover: [first, ...rest] } };
}
